"""Unsolicited bytes never become a part of a later response, and their connection is not used again."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

import botdesk

from .conftest import PATIENCE, receive, written

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from .conftest import Calls, Connect, Service


def named(name: str, bot_id: int = 41) -> bytes:
    """Write the response with a bot of this name."""
    return written(200, b'{"id":%d,"name":"%s"}' % (bot_id, name.encode()), {})


STALE = named("stale")
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"
CHUNKED = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"id":41}\r\n0\r\n\r\n'
WITHOUT_BODY = b"HTTP/1.1 204 No Content\r\n\r\n"
UNCHANGED = b"HTTP/1.1 304 Not Modified\r\nContent-Length: %d\r\n\r\n" % len(STALE)

# What a service may send at once as the response to one request: more than the response.
TOO_LONG = {
    "two responses": named("first") + STALE,
    "half of a second response": named("first") + STALE[:20],
    "a body longer than its length": named("first") + b'{"id":41,"name":"stale"}',
    "a second response after chunks": CHUNKED + STALE,
    "a second end of chunks": CHUNKED + b"0\r\n\r\n",
    "an interim response after it": named("first") + INTERIM,
    "a body of a response without one": WITHOUT_BODY + STALE,
    "a body of an unchanged response": UNCHANGED + STALE,
    "a second response after an error": written(404, b'{"error":"Not found"}', {}) + STALE,
}

# What a service may send while a connection is idle.
IDLE = {"a response": STALE, "half of a response": STALE[:20], "an interim response": INTERIM, "a line end": b"\r\n"}


@pytest.fixture(params=["get", "disable"])
def call(request: pytest.FixtureRequest, calls: Calls) -> Callable[[botdesk.Client], botdesk.DcaBot]:
    """Make a read or a write."""
    return {"get": calls.get, "disable": calls.disable}[request.param]


@contextmanager
def served(serve: Callable[[socket.socket], None], connect: Connect) -> Generator[botdesk.Client]:
    """Serve the connections to a listener in a thread, and make a client of it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        serving = threading.Thread(target=serve, args=(listener,))
        serving.start()
        yield connect(f"http://127.0.0.1:{listener.getsockname()[1]}")
        serving.join(PATIENCE)


@pytest.mark.parametrize("first", TOO_LONG.values(), ids=TOO_LONG)
@pytest.mark.shows("promise unexpected bytes")
def test_bytes_after_a_response_are_not_the_response_to_the_next_request(
    client: botdesk.Client, service: Service, call: Callable[[botdesk.Client], botdesk.DcaBot], first: bytes
) -> None:
    service.sends(first, then="keep")
    service.sends(named("second"), then="keep")
    with suppress(botdesk.BotdeskError):
        assert call(client).name != "stale"
    assert call(client).name == "second"
    assert service.connections == 2


@pytest.mark.parametrize("unasked", IDLE.values(), ids=IDLE)
@pytest.mark.shows("promise unexpected bytes")
def test_what_arrives_on_an_idle_connection_is_not_the_response_to_the_next_request(
    connect: Connect, call: Callable[[botdesk.Client], botdesk.DcaBot], unasked: bytes
) -> None:
    arrived = threading.Event()
    after: list[bytes] = []

    def serve(listener: socket.socket) -> None:
        first, _ = listener.accept()
        with first:
            receive(first)
            first.sendall(named("first"))
            first.sendall(unasked)
            arrived.set()
            # The client may reset it: there are bytes that it has not read.
            with suppress(ConnectionResetError):
                after.append(first.recv(1))
        second, _ = listener.accept()
        with second:
            receive(second)
            second.sendall(named("second"))

    with served(serve, connect) as client:
        assert call(client).name == "first"
        assert arrived.wait(PATIENCE)
        assert call(client).name == "second"
    assert after in ([], [b""])


def test_clients_that_share_connections_share_none_with_unasked_bytes(
    client: botdesk.Client, service: Service, call: Callable[[botdesk.Client], botdesk.DcaBot]
) -> None:
    service.sends(named("first") + STALE, then="keep")
    service.sends(named("second"), then="keep")
    assert call(client).name == "first"
    assert call(client.with_options(rate_limit=botdesk.RateLimit(100))).name == "second"


@pytest.mark.shows("promise a connection out of step")
def test_a_connection_is_closed_after_an_unsolicited_response(connect: Connect, calls: Calls) -> None:
    after: list[bytes] = []

    def serve(listener: socket.socket) -> None:
        first, _ = listener.accept()
        with first:
            first.settimeout(PATIENCE)
            receive(first)
            first.sendall(written(200, b"[]", {}))
            after.append(first.recv(1))
        second, _ = listener.accept()
        with second:
            for name in ("second", "third"):
                receive(second)
                second.sendall(named(name))

    with served(serve, connect) as client:
        with pytest.raises(botdesk.DecodeError, match="expected a JSON object"):
            calls.disable(client)
        assert [calls.disable(client).name, calls.get(client).name] == ["second", "third"]
    assert after == [b""]


@pytest.mark.shows("promise a connection out of step")
def test_no_connection_is_used_again_after_a_response_for_another_record(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.sends(named("stale", 40), then="keep")
    with pytest.raises(botdesk.DecodeError, match="40, not 41"):
        calls.disable(client)
    # Each is followed by an unsolicited one that names the right record.
    for name in ("second", "third", "fourth"):
        service.sends(named(name) + STALE, then="keep")
    derived = client.with_options(timeout=PATIENCE / 2)
    assert [calls.get(each).name for each in (client, derived, client)] == ["second", "third", "fourth"]
    service.sends(written(200, b"[]", {}), then="keep")
    with pytest.raises(botdesk.DecodeError, match="expected a JSON object"):
        calls.get(client)
    for name in ("sixth", "seventh"):
        service.sends(named(name), then="keep")
    assert [calls.get(client).name for _ in range(2)] == ["sixth", "seventh"]
    assert service.connections == 7


@pytest.mark.shows("promise a connection out of step")
def test_a_call_that_waited_uses_no_connection_from_before_a_response_for_another_record(connect: Connect) -> None:
    after: list[bytes] = []

    def serve(listener: socket.socket) -> None:
        first, _ = listener.accept()
        with first:
            receive(first)
            first.sendall(named("stale", 40))
            after.append(first.recv(1))
        second, _ = listener.accept()
        with second:
            receive(second)
            second.sendall(named("second"))

    async def both(client: botdesk.Client) -> tuple[object, object]:
        # One of them waits until the place of the other one is free.
        return await asyncio.gather(
            client.dca_bots.get_async(41), client.dca_bots.disable_async(41), return_exceptions=True
        )

    with served(serve, connect) as client:
        results = asyncio.run(both(client.with_options(rate_limit=botdesk.RateLimit(1, per=0.1))))
    (error,) = [result for result in results if isinstance(result, botdesk.DecodeError)]
    (bot,) = [result for result in results if isinstance(result, botdesk.DcaBot)]
    assert "is DcaBot 40, not 41" in str(error)
    assert bot.name == "second"
    assert after == [b""]


def test_interim_responses_are_not_the_response(
    client: botdesk.Client, service: Service, call: Callable[[botdesk.Client], botdesk.DcaBot]
) -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
    service.sends((INTERIM + hints) * 1_000 + named("first"), then="keep")
    service.sends(named("second"), then="keep")
    assert [call(client).name, call(client).name] == ["first", "second"]
    assert service.connections == 1
