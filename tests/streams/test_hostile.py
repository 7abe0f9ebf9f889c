"""Streams against a service that does whatever it likes: no change is lost or repeated, and no secret comes out."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
import traceback
import warnings
from contextlib import closing, contextmanager, suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import pytest
from thorough import THOROUGH

import botdesk

from .conftest import next_of
from .hostile_service import HostileService, Record, Stream, deal, framed

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path
    from typing import IO

API_KEY, SECRET = "test-api-key-0123456789", "a-secret-of-the-tests"


@pytest.fixture
def service() -> Iterator[HostileService]:
    """Run a service with three deals."""
    with closing(HostileService()) as service:
        service.deals = {number: deal(number, number) for number in (1, 2, 3)}
        yield service


@pytest.fixture
def errors() -> list[botdesk.BotdeskError]:
    """Return the list that collects the errors of a stream."""
    return []


@pytest.fixture
def stream(service: HostileService, errors: list[botdesk.BotdeskError]) -> Iterator[botdesk.Stream]:
    """Open a stream of deals, which the service has not welcomed yet."""
    client = botdesk.Client(API_KEY, secret=SECRET, base_url=service.url, retries=0, rate_limit=None)
    stream = client.stream("deals", every=60, states=True, on_error=errors.append)
    yield stream
    stream.close()


def begun(stream: botdesk.Stream, service: HostileService) -> Stream:
    """Let the stream begin."""
    server = service.stream().welcome("deals")
    with_list(stream)
    return server


def with_list(stream: botdesk.Stream) -> None:
    """Wait until the stream misses nothing, without leaving it."""
    stream.__enter__()


def changes(stream: botdesk.Stream, count: int) -> list[tuple[int | None, str]]:
    """Return the next changes, each as the id and the take profit of the deal."""
    found: list[tuple[int | None, str]] = []
    while len(found) < count:
        record: Any = next(stream).record
        if record is not None:
            found.append((record.id, str(record.take_profit)))
    return found


def changed(service: HostileService, number: int, second: int) -> Record:
    """Change a deal, of which the stream says nothing."""
    service.deals[number] = deal(number, second)
    return service.deals[number]


def test_frames_that_are_doubled_old_or_of_another_key_are_no_events(
    service: HostileService, stream: botdesk.Stream, errors: list[botdesk.BotdeskError]
) -> None:
    server = begun(stream, service)
    for second in (30, 30, 10, 20, 30, 31):
        server.change(deal(1, second))
    own = json.loads(server.identifiers["deals"])
    foreign = {**own, "users": [{"api_key": "another-key-0123456789", "signature": "0" * 64}]}
    for identifier in (json.dumps(foreign), json.dumps({"channel": "DealsChannel"}), "{}", "x"):
        server.send({"identifier": identifier, "message": deal(2, 40)})
        server.send({"type": "reject_subscription", "identifier": identifier})
    # The same identifier, written anew, is that of the stream.
    server.send({"identifier": json.dumps(own, indent=1, sort_keys=True), "message": deal(3, 50)})
    assert changes(stream, 3) == [(1, "30"), (1, "31"), (3, "50")]
    assert len(errors) == 1
    assert "not one of this connection" in str(errors[0])


def test_garbage_of_any_size_does_not_end_the_stream(
    service: HostileService, stream: botdesk.Stream, errors: list[botdesk.BotdeskError]
) -> None:
    server = begun(stream, service)
    garbage: list[str | bytes] = [
        b"\x00\xff" * 99,
        "",
        "null",
        "[" * 200_000,
        '{"type":' * 100_000,
        '{"message":' + "[" * 100_000 + "]" * 100_000 + ', "identifier": "x"}',
        '{"identifier":"\\ud800","message":{}}',
        '{"identifier":{"channel":"DealsChannel"},"message":{"id":1}}',
        "x" * (16 << 20),
        '{"type":"ping","message":"' + "9" * 100_000 + '"}',
    ]
    for frame in garbage:
        server.send(frame)
    server.send_bytes(framed(b"", 9) + framed(b"x" * 125, 10))
    server.change({"type": "Deal", "updated_at": "yesterday"})
    server.change({**deal(2, 20), "updated_at": 5, "take_profit": {"a": []}, "pair": None})
    server.change(deal(1, 30))
    events = [next(event for event in stream if event.record is not None) for _ in range(3)]
    assert [event.kind for event in events] == ["unknown", "changed", "changed"]
    assert str(events[2].record.take_profit) == "30"
    assert [str(error) for error in errors] == ["the live stream sent a binary frame, which was ignored"]


def test_a_connection_that_is_cut_in_the_middle_of_a_frame_loses_nothing(
    service: HostileService, stream: botdesk.Stream
) -> None:
    server = begun(stream, service)
    server.change(changed(service, 1, 10))
    whole = framed(json.dumps({"identifier": server.identifiers["deals"], "message": changed(service, 2, 11)}).encode())
    server.cut(part=whole[: len(whole) // 2])
    changed(service, 3, 12)
    service.stream().welcome("deals")
    assert changes(stream, 3) == [(1, "10"), (2, "11"), (3, "12")]
    assert next_of(stream, "gap_filled").reason == "deals"


@pytest.mark.parametrize("ending", ["cut", "restart", "protocol"])
def test_no_change_is_lost_or_repeated_over_many_connections(
    ending: str, service: HostileService, stream: botdesk.Stream
) -> None:
    server = begun(stream, service)
    expected: list[tuple[int | None, str]] = []
    for second in (100, 200):
        # One is sent twice, one is lost, and one is sent while the list is read that has it, too.
        server.change(changed(service, 1, second))
        server.change(deal(1, second))
        changed(service, 2, second + 1)
        if ending == "restart":
            server.send({"type": "disconnect", "reason": "server_restart", "reconnect": True})
        elif ending == "protocol":
            server.send_bytes(b"\xff" * 99)
        else:
            server.cut()
        server = service.stream().welcome("deals")
        server.change(changed(service, 3, second + 2))
        expected += [(1, str(second)), (2, str(second + 1)), (3, str(second + 2))]
        assert changes(stream, 3) == expected[-3:]
    server.change(changed(service, 1, 999))
    assert changes(stream, 1) == [(1, "999")]


def test_lists_that_fail_hold_up_no_frames_and_are_read_again(
    service: HostileService, stream: botdesk.Stream, errors: list[botdesk.BotdeskError]
) -> None:
    server = begun(stream, service)
    changed(service, 2, 11)
    server.cut()
    service.failures.extend((500, 429))
    server = service.stream().welcome("deals")
    server.change(changed(service, 1, 12))
    # The lost change of the second deal comes with the list, when that can be read.
    assert sorted(changes(stream, 2)) == [(1, "12"), (2, "11")]
    assert next_of(stream, "gap_filled").reason == "deals"
    assert {type(error) for error in errors} >= {botdesk.ServerError, botdesk.RateLimitedError}


def test_a_change_after_a_first_list_that_failed_is_not_there_before(
    service: HostileService, stream: botdesk.Stream
) -> None:
    service.failures.append(500)
    server = service.stream().welcome("deals")
    with_list(stream)
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    service.deals[2] = deal(2, 0, updated_at=now)
    assert changes(stream, 1) == [(2, "0")]
    server.change(deal(1, 9, updated_at=now))
    assert changes(stream, 1) == [(1, "9")]


@pytest.mark.parametrize("shift", ["gone", "moved"])
def test_a_list_that_shifts_while_it_is_read_loses_nothing(
    shift: str, service: HostileService, stream: botdesk.Stream
) -> None:
    server = begun(stream, service)
    server.cut()
    # Two pages: the newest has the highest number.
    service.deals = {number: deal(number, 1_000 + number) for number in range(1, 151)}
    pages = service.lists

    def between(lists: int) -> None:
        if lists == pages + 1 and shift == "gone":
            # The pages overlap by one, so it takes two that are gone to hide one.
            del service.deals[150], service.deals[149]
        elif lists == pages + 1:
            service.deals[20] = deal(20, 2_000)

    service.before_list = between
    server = service.stream().welcome("deals")
    if shift == "moved":
        server.change(deal(20, 2_000))
    last = dict(changes(stream, 150))
    assert sorted(number for number in last if number) == list(range(1, 151))
    assert last[20] == ("2000" if shift == "moved" else "1020")


def test_a_rejection_is_final_and_the_other_channel_goes_on(service: HostileService) -> None:
    client = botdesk.Client(API_KEY, secret=SECRET, base_url=service.url, retries=0, rate_limit=None)
    errors: list[botdesk.BotdeskError] = []
    with closing(client.stream("deals", "smart_trades", every=60, on_error=errors.append)) as stream:
        server = service.stream().welcome("deals", "smart_trades", confirms=False)
        server.answer("smart_trades", "reject_subscription")
        server.answer("deals", "confirm_subscription")
        server.answer("smart_trades", "confirm_subscription")
        server.answer("smart_trades", "reject_subscription")
        with_list(stream)
        server.change(deal(1, 20))
        with pytest.warns(botdesk.StreamWarning, match="SMART_TRADES_READ") as caught:
            assert next(stream).record.id == 1
        assert len(caught) == 1
        # It is not asked for again.
        server.cut()
        server = service.stream().welcome("deals")
        server.change(deal(1, 30))
        assert changes(stream, 1) == [(1, "30")]


def test_no_text_of_the_service_carries_a_secret_further(
    service: HostileService,
    stream: botdesk.Stream,
    errors: list[botdesk.BotdeskError],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    server = service.stream().welcome("deals", confirms=False)
    identifier = server.identifiers["deals"]
    signature = json.loads(identifier)["users"][0]["signature"]
    server.send({"type": identifier, "identifier": identifier})
    server.answer("deals", "confirm_subscription")
    with_list(stream)
    server.change(deal(1, 20))
    server.send({"type": "disconnect", "reason": identifier, "reconnect": True})
    server = service.stream().welcome("deals")
    end = signature[8:].upper()
    server.send({"type": f"an odd type with {end}"})
    server.send({"type": "disconnect", "reason": f"bad signature {signature[:20]}", "reconnect": False})
    seen: list[Any] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        while not seen or seen[-1].kind != "polling":
            seen.append(next(stream))
    assert caught
    stream.close()
    for error in errors:
        try:
            raise error
        except botdesk.BotdeskError:
            seen.append(traceback.format_exc())
    seen += [*errors, stream, stream.state, caplog.text, *(warning.message for warning in caught)]
    seen += [event.reason for event in seen if isinstance(event, botdesk.StreamEvent)]
    shown = " ".join(f"{one!r} {one} {vars(one) if hasattr(one, '__dict__') else ''}" for one in seen)
    assert errors
    assert "<hidden>" in shown
    assert not [secret for secret in (API_KEY, SECRET, signature[:20], end[:20]) if secret in shown]


# Follows deals, saves the state after each, and prints them, until it is killed.
SCRIPT = """
import sys, botdesk
url, api_key, secret, path, since = sys.argv[1:]
client = botdesk.Client(api_key, secret=secret, base_url=url, retries=0, rate_limit=None)
with client.stream("deals", every=60, since=since or None, on_error=lambda _: None) as stream:
    stream.save(path)
    print("begun", flush=True)
    for event in stream:
        stream.save(path)
        print(event.record.id, event.record.take_profit, flush=True)
"""


@contextmanager
def script(service: HostileService, path: Path, *, since: str = "") -> Generator[IO[str]]:
    """Run the script, and kill it at the end."""
    command = [sys.executable, "-c", SCRIPT, service.url, API_KEY, SECRET, str(path), since]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            process.kill()


def test_a_script_that_is_killed_continues_where_it_was(service: HostileService, tmp_path: Path) -> None:
    path = tmp_path / "stream.json"
    with script(service, path) as lines:
        server = service.stream().welcome("deals")
        assert lines.readline() == "begun\n"
        server.change(changed(service, 1, 10))
        assert lines.readline() == "1 10\n"
        changed(service, 2, 9)
    changed(service, 3, 11)
    with script(service, path, since=str(path)) as lines:
        service.stream().welcome("deals")
        seen = list(takewhile("3 11\n".__ne__, lines))
    # What was saved does not come again, and one that was written late is not lost.
    assert seen == ["begun\n", "2 9\n"]


@pytest.mark.skipif(not THOROUGH, reason="it waits for half a minute: just thorough")
def test_a_socket_that_is_half_open_counts_as_lost(service: HostileService) -> None:
    client = botdesk.Client(API_KEY, secret=SECRET, base_url=service.url, retries=0, rate_limit=None)
    with closing(client.stream("deals", every=60, stale_after=6, states=True, on_error=lambda _: None)) as stream:
        server = begun(stream, service)
        # The half of a frame is no sign of life.
        server.send_bytes(framed(b"x" * 99)[:50])
        assert "nothing came in for 6 s" in str(next_of(stream, "disconnected").reason)
        # A service that sends anything but a welcome has not welcomed the client.
        changed(service, 1, 50)
        late = service.stream()
        with suppress(OSError):
            while True:
                late.send({"type": "ping", "message": 1})
                time.sleep(0.5)
        assert "did not welcome" in str(next_of(stream, "disconnected").reason)
        service.stream().welcome("deals")
        assert changes(stream, 1) == [(1, "50")]


@pytest.mark.skipif(not THOROUGH, reason="it waits for ten seconds: just thorough")
def test_a_service_that_knows_no_unsubscribing_keeps_the_connection(service: HostileService) -> None:
    client = botdesk.Client(API_KEY, secret=SECRET, base_url=service.url, retries=0, rate_limit=None)

    def follow(resource: str) -> botdesk.Stream:
        return client.stream(resource, every=60, stale_after=0, states=True, on_error=lambda _: None)

    with closing(follow("deals")) as stream:
        server = begun(stream, service)
        trades = follow("smart_trades")
        server.identifiers["smart_trades"] = json.loads(server.receive())["identifier"]
        server.answer("smart_trades", "confirm_subscription")
        next_of(trades, "connected")
        trades.close()
        assert json.loads(server.receive())["command"] == "unsubscribe"
        with closing(follow("smart_trades")) as again:
            # For this service it is subscribed already, so it does not answer.
            assert json.loads(server.receive())["command"] == "subscribe"
            next_of(again, "connected")
            server.change(changed(service, 1, 50))
            assert changes(stream, 1) == [(1, "50")]
