"""Recording: what is written, what is not, and when."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import stat
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .scenarios import ACCOUNT, KEYS, SECRETS
from .service import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BOT = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"id":41}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file that does not exist yet."""
    return tmp_path / "desk.har"


@pytest.fixture
def wire() -> Iterator[Wire]:
    """Run a service that responds with any bytes."""
    with closing(Wire()) as wire:
        yield wire


@pytest.fixture
def on_wire(wire: Wire) -> botdesk.Client:
    """Return a client of the service that responds with any bytes."""
    return botdesk.Client(
        "an-api-key-0815",
        (KEYS / "rsa_2048.pem").read_bytes(),
        base_url=wire.url,
        timeout=60,
        retries=0,
        rate_limit=None,
    )


def entries_of(path: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["log"]["entries"]
    return entries


def statuses_of(path: Path) -> list[int]:
    return [entry["response"]["status"] for entry in entries_of(path)]


class TestTheBlock:
    def test_every_exchange_inside_is_recorded(self, desk: botdesk.Client, path: Path) -> None:
        desk.dca_bots.get(41)
        with botdesk.record(path, desk) as recording:
            desk.dca_bots.get(42)
            with pytest.raises(botdesk.NotFoundError):
                desk.dca_bots.get(999)
            assert recording.exchanges == 2
            assert not path.exists()
        desk.dca_bots.get(43)
        assert statuses_of(path) == [200, 404]

    def test_calls_of_records_are_recorded(self, desk: botdesk.Client, path: Path) -> None:
        bot = desk.dca_bots.get(41)
        with botdesk.record(path, desk):
            bot.disable()
        assert [entry["request"]["method"] for entry in entries_of(path)] == ["POST"]

    def test_other_clients_take_no_part(self, desk: botdesk.Client, sandbox: botdesk.Sandbox, path: Path) -> None:
        other = sandbox.client()
        with botdesk.record(path, desk):
            other.dca_bots.get(41)
        assert entries_of(path) == []

    def test_several_clients_take_part(self, desk: botdesk.Client, sandbox: botdesk.Sandbox, path: Path) -> None:
        other = sandbox.client()
        with botdesk.record(path, [desk, other, desk]):
            desk.dca_bots.get(41)
            other.dca_bots.get(42)
        assert statuses_of(path) == [200, 200]

    def test_it_may_be_asynchronous(self, desk: botdesk.Client, path: Path) -> None:
        async def main() -> None:
            async with botdesk.record(path, desk):
                await asyncio.gather(*(desk.dca_bots.get_async(bot) for bot in (41, 42, 43)))

        asyncio.run(main())
        assert statuses_of(path) == [200, 200, 200]

    def test_one_that_raises_is_written_as_well(self, desk: botdesk.Client, path: Path) -> None:
        error = RuntimeError("mine")

        def block() -> None:
            with botdesk.record(path, desk):
                desk.dca_bots.get(41)
                raise error

        with pytest.raises(RuntimeError) as caught:
            block()
        assert caught.value is error
        assert not hasattr(error, "__notes__")
        assert statuses_of(path) == [200]

    def test_an_error_of_the_recording_is_a_note_on_the_error_of_the_block(
        self, desk: botdesk.Client, path: Path
    ) -> None:
        def block() -> None:
            with botdesk.record(path, desk):
                path.write_text("somebody else's", "utf-8")
                raise RuntimeError("mine")

        with pytest.raises(RuntimeError, match="mine") as caught:
            block()
        assert caught.value.__notes__ == [f"botdesk: {path} already exists; overwrite=True replaces it"]
        assert path.read_text("utf-8") == "somebody else's"

    def test_a_client_that_was_derived_meanwhile_can_be_recorded_afterwards(
        self, desk: botdesk.Client, path: Path
    ) -> None:
        with botdesk.record(path, desk):
            derived = desk.with_options(timeout=20)
            with pytest.raises(botdesk.RecordingError, match="recorded already"):
                botdesk.record(path.with_name("meanwhile.har"), derived).__enter__()
            derived.dca_bots.get(41)
        assert statuses_of(path) == [200]
        later = path.with_name("later.har")
        with botdesk.record(later, derived):
            derived.dca_bots.get(42)
        assert (statuses_of(path), statuses_of(later)) == ([200], [200])

    def test_it_can_be_entered_once(self, desk: botdesk.Client, path: Path) -> None:
        recording = botdesk.record(path, desk)
        with recording:
            pass
        path.unlink()
        with pytest.raises(botdesk.RecordingError, match=r"call botdesk\.record again"), recording:
            pass

    def test_a_client_is_recorded_once_at_a_time(
        self, desk: botdesk.Client, sandbox: botdesk.Sandbox, tmp_path: Path
    ) -> None:
        other = sandbox.client()
        with botdesk.record(tmp_path / "one.har", desk):
            with (
                pytest.raises(botdesk.RecordingError, match="leave that block first"),
                botdesk.record(tmp_path / "other.har", [other, desk]),
            ):
                pass
            with botdesk.record(tmp_path / "third.har", other):
                other.dca_bots.get(41)
        assert statuses_of(tmp_path / "third.har") == [200]

    def test_something_else_than_clients_is_rejected(self, path: Path) -> None:
        nothing: Any = "client"
        with pytest.raises(TypeError, match="a list of them"):
            botdesk.record(path, nothing)

    def test_a_recording_shows_where_it_goes(self, desk: botdesk.Client, path: Path) -> None:
        recording = botdesk.record(path, desk)
        assert repr(recording) == f"<Recording {path} exchanges=0>"
        assert recording.path == path

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
    def test_a_forked_child_writes_nothing(self, desk: botdesk.Client, path: Path) -> None:
        with botdesk.record(path, desk) as recording:
            desk.dca_bots.get(41)
            child = os.fork()
            if child == 0:
                desk.dca_bots.get(41)
                recording.__exit__(None, None, None)
                os._exit(1 if path.exists() else 0)
            assert os.waitpid(child, 0)[1] == 0
        assert statuses_of(path) == [200]


class TestTheFile:
    def test_one_that_is_there_stays(self, desk: botdesk.Client, path: Path) -> None:
        path.write_text("mine", "utf-8")
        with pytest.raises(botdesk.RecordingError, match="overwrite=True replaces it"):
            botdesk.record(path, desk)
        assert path.read_text("utf-8") == "mine"

    def test_one_that_is_there_may_be_replaced(self, desk: botdesk.Client, path: Path) -> None:
        path.write_text("mine", "utf-8")
        with botdesk.record(path, desk, overwrite=True):
            assert path.read_text("utf-8") == "mine"
        assert entries_of(path) == []

    def test_it_is_for_its_owner_alone(self, desk: botdesk.Client, path: Path) -> None:
        with botdesk.record(str(path), desk):
            pass
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_nothing_else_is_left_in_the_folder(self, desk: botdesk.Client, path: Path) -> None:
        with botdesk.record(path, desk):
            desk.dca_bots.get(41)
        assert list(path.parent.iterdir()) == [path]

    @pytest.mark.parametrize("name", ["", "missing/desk.har"])
    def test_a_place_that_can_not_be_written_is_rejected_before_the_block(
        self, desk: botdesk.Client, tmp_path: Path, name: str
    ) -> None:
        with pytest.raises(botdesk.RecordingError, match="can't be written"):
            botdesk.record(tmp_path / name, desk)

    def test_it_is_a_har_as_the_specification_wants_it(self, desk: botdesk.Client, path: Path) -> None:
        with botdesk.record(path, desk):
            desk.dca_bots.list(limit=2)
            desk.grid_bots.set_note(201, "bis Montag")
        log = json.loads(path.read_text("utf-8"))["log"]
        assert log["version"] == "1.2"
        assert set(log["creator"]) == {"name", "version"}
        for entry in log["entries"]:
            assert set(entry) >= {"startedDateTime", "time", "request", "response", "cache", "timings"}
            request, response = entry["request"], entry["response"]
            both = {"httpVersion", "cookies", "headers", "headersSize", "bodySize"}
            assert set(request) >= both | {"method", "url", "queryString"}
            assert set(response) >= both | {"status", "statusText", "content", "redirectURL"}
            assert set(response["content"]) >= {"size", "mimeType"}
            assert set(entry["timings"]) >= {"send", "wait", "receive"}
            assert entry["time"] == sum(entry["timings"].values())
            assert entry["startedDateTime"].endswith("Z")
            assert all(set(pair) == {"name", "value"} for pair in request["headers"] + response["headers"])
            assert response["content"]["size"] == len(response["content"]["text"].encode())
        assert log["entries"][0]["request"]["queryString"] == [{"name": "limit", "value": "2"}]
        assert log["entries"][1]["request"]["postData"] == {
            "mimeType": "application/json",
            "text": '{"note":"bis Montag"}',
        }

    def test_a_reproducible_one_shows_no_times_and_no_port(self, desk: botdesk.Client, path: Path) -> None:
        with botdesk.record(path, desk, reproducible=True):
            desk.dca_bots.get(41)
            desk.dca_bots.get(41)
        assert [entry["startedDateTime"] for entry in entries_of(path)] == [
            "2024-01-01T00:00:00.000Z",
            "2024-01-01T00:00:01.000Z",
        ]
        assert entries_of(path)[0]["request"]["url"] == "http://127.0.0.1/public/api/ver1/bots/41/show"
        names = [header["name"] for header in entries_of(path)[0]["response"]["headers"]]
        assert "date" not in names


class TestSecrets:
    def test_none_is_written(self, desk: botdesk.Client, path: Path) -> None:
        with botdesk.record(path, desk):
            desk.accounts.add(**ACCOUNT, **SECRETS)
            desk.dca_bots.get(41)
            data = desk.accounts.deposit_data(1001, currency="BTC", network="BTC")
        text = path.read_text("utf-8")
        url_secret = json.loads(desk.dca_bots.get(41).to_json())["url_secret"]
        for secret in [*SECRETS.values(), data.address, url_secret]:
            assert secret
            assert secret not in text

    def test_the_same_one_becomes_the_same_placeholder(self, desk: botdesk.Client, path: Path) -> None:
        with botdesk.record(path, desk):
            desk.accounts.add(**ACCOUNT, **SECRETS)
            desk.dca_bots.get(41)
        added, got = entries_of(path)
        sent, answered = (
            json.loads(added["request"]["postData"]["text"]),
            json.loads(added["response"]["content"]["text"]),
        )
        assert sent["api_key"] == answered["api_key"] == "<api_key-1>"
        assert sent["secret"] == "<secret-1>"
        keys = [header["value"] for header in added["request"]["headers"] + got["request"]["headers"]]
        assert keys.count("<apikey-1>") == 2

    def test_one_that_a_response_repeats_is_taken_out_there_too(
        self, on_wire: botdesk.Client, wire: Wire, path: Path
    ) -> None:
        body = b'{"error_description": "the key an-api-key-0815 is unknown"}'
        wire.response = b"HTTP/1.1 401 No\r\nX-Key: an-api-key-0815\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        with botdesk.record(path, on_wire), pytest.raises(botdesk.AuthenticationError):
            on_wire.dca_bots.get(41)
        assert "an-api-key-0815" not in path.read_text("utf-8")
        assert json.loads(entries_of(path)[0]["response"]["content"]["text"]) == {
            "error_description": "the key <apikey-1> is unknown"
        }

    def test_one_that_can_not_be_taken_out_keeps_the_file_from_being_written(
        self, on_wire: botdesk.Client, wire: Wire, path: Path
    ) -> None:
        # Base64 of a string whose first letter is percent-encoded.
        body = b'{"id": 41, "echo": "%s"}' % base64.b64encode(b"%61n-api-key-0815")
        wire.response = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

        def block() -> None:
            with botdesk.record(path, on_wire):
                on_wire.dca_bots.get(41)

        with pytest.raises(
            botdesk.RecordingError, match=r"it would contain <apikey-1> in Base64, .* nothing"
        ) as caught:
            block()
        assert "an-api-key-0815" not in str(caught.value)
        assert not path.exists()


class TestFailures:
    def test_a_rejected_connection_is_recorded(self, on_wire: botdesk.Client, wire: Wire, path: Path) -> None:
        wire.close()
        with botdesk.record(path, on_wire), pytest.raises(botdesk.ConnectionFailedError):
            on_wire.dca_bots.get(41)
        (entry,) = entries_of(path)
        assert entry["response"]["status"] == 0
        assert "nothing was sent" in entry["response"]["_error"]

    def test_a_write_without_a_response_is_recorded_and_replayed(
        self, on_wire: botdesk.Client, wire: Wire, path: Path
    ) -> None:
        wire.response = b""
        with botdesk.record(path, on_wire), pytest.raises(botdesk.OutcomeUnknownError):
            on_wire.dca_bots.disable(41)
        assert statuses_of(path) == [0]
        with botdesk.Replay(path, strict=True) as replay, pytest.raises(botdesk.OutcomeUnknownError):
            replay.client().dca_bots.disable(41)

    def test_a_cut_response_is_recorded_and_replayed(self, on_wire: botdesk.Client, wire: Wire, path: Path) -> None:
        wire.response = BOT[:-4]
        with botdesk.record(path, on_wire), pytest.raises(botdesk.TransportError) as recorded:
            on_wire.dca_bots.get(41)
        (entry,) = entries_of(path)
        assert (entry["response"]["status"], entry["response"]["content"]["text"]) == (200, '{"id"')
        with botdesk.Replay(path, strict=True) as replay, pytest.raises(botdesk.TransportError) as replayed:
            replay.client().dca_bots.get(41)
        assert "cut" in str(recorded.value)
        assert "cut" in str(replayed.value)

    def test_a_broken_read_is_replayed_and_the_next_one_gets_a_response(
        self, on_wire: botdesk.Client, wire: Wire, path: Path
    ) -> None:
        with botdesk.record(path, on_wire):
            for wire.response in (b"", BOT):
                try:
                    on_wire.dca_bots.get(41)
                except botdesk.TransportError:
                    continue
        with botdesk.Replay(path, strict=True) as replay:
            client = replay.client().with_options(retries=0)
            with pytest.raises(botdesk.TransportError):
                client.dca_bots.get(41)
            assert client.dca_bots.get(41).id == 41

    def test_abandoned_requests_are_recorded(self, on_wire: botdesk.Client, wire: Wire, path: Path) -> None:
        wire.stall = True

        async def main() -> None:
            async with botdesk.record(path, on_wire):
                task = asyncio.ensure_future(on_wire.dca_bots.get_async(41))
                await asyncio.to_thread(wire.asked.wait, 10)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task

        asyncio.run(main())
        (entry,) = entries_of(path)
        assert entry["response"]["_error"] == "the response was not waited for"

    def test_a_request_in_flight_at_the_end_is_recorded_without_a_response(
        self, on_wire: botdesk.Client, wire: Wire, path: Path
    ) -> None:
        wire.stall = True

        async def main() -> None:
            async with botdesk.record(path, on_wire):
                task = asyncio.ensure_future(on_wire.dca_bots.get_async(41))
                await asyncio.to_thread(wire.asked.wait, 10)
            assert statuses_of(path) == [0]
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())

    def test_bytes_that_are_not_text_are_kept(self, on_wire: botdesk.Client, wire: Wire, path: Path) -> None:
        wire.response = b"HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\n\xff\x00\xfe"
        with botdesk.record(path, on_wire), pytest.raises(botdesk.ServerError):
            on_wire.dca_bots.get(41)
        content = entries_of(path)[0]["response"]["content"]
        assert (content["text"], content["encoding"]) == ("/wD+", "base64")

    def test_the_headers_of_an_error_are_replayed(self, on_wire: botdesk.Client, wire: Wire, path: Path) -> None:
        wire.response = b"HTTP/1.1 429 No\r\nRetry-After: 300\r\nX-Request-Id: 5f3c-19\r\nContent-Length: 0\r\n\r\n"
        with botdesk.record(path, on_wire), pytest.raises(botdesk.RateLimitedError):
            on_wire.dca_bots.list()
        with botdesk.Replay(path, strict=True) as replay, pytest.raises(botdesk.RateLimitedError) as replayed:
            replay.client().with_options(retries=0).dca_bots.list()
        assert (replayed.value.retry_after, replayed.value.request_id) == (300, "5f3c-19")
