"""Calls without a response, or with only a part of it."""

from __future__ import annotations

import builtins
import select
import socket
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Calls, Connect, Service, Then

# How long a call may take that is to take too long.
SHORT = 1.0

# What may arrive before the connection ends: the bytes, and how it ends. None of it is a whole response.
BROKEN: dict[str, tuple[bytes, Then]] = {
    "nothing, closed": (b"", "close"),
    "nothing, reset": (b"", "reset"),
    "half a status line": (b"HTTP/1.1 20", "close"),
    "half a head": (b"HTTP/1.1 200 OK\r\nContent-Le", "close"),
    "a head": (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "close"),
    "half a body": (b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"id"', "close"),
    "half a body, reset": (b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"id"', "reset"),
    "half a chunk": (b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"id"', "close"),
    "chunks without an end": (b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"id":41}\r\n', "close"),
    "a chunk without a length": (b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n{"id":41}\r\n', "close"),
    "half of a gzip": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n\x1f\x8b\x08", "close"),
    "no gzip": (b'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n{"id":41}', "keep"),
    "no HTTP": (b"220 mail.example ESMTP\r\n\r\n", "close"),
    "an unknown version": (b"HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n", "close"),
    "a status that is not a number": (b"HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n", "close"),
    "a header name with a space": (b"HTTP/1.1 200 OK\r\nX y: z\r\nContent-Length: 0\r\n\r\n", "close"),
    "a header with a NUL": (b"HTTP/1.1 200 OK\r\nX: a\x00b\r\nContent-Length: 0\r\n\r\n", "close"),
    "a header without a colon": (b"HTTP/1.1 200 OK\r\nX\r\nContent-Length: 0\r\n\r\n", "close"),
    "a length that is not a number": (b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "close"),
    "a negative length": (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "close"),
    "two lengths": (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Length: 8\r\n\r\n", "close"),
    "too many headers": (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"Content-Length: 0\r\n\r\n", "close"),
}

# What may come before nothing more does.
STALLED = {
    "half a status line": b"HTTP/1.1 20",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "an interim answer": b"HTTP/1.1 100 Continue\r\n\r\n",
    "a head": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
    "half a body": b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"id"',
    "half a chunk": b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"id"',
}


@pytest.fixture(params=BROKEN.values(), ids=list(BROKEN))
def broken(request: pytest.FixtureRequest, service: Service) -> None:
    """Let the next response break off, or be malformed."""
    service.sends(*request.param)


@pytest.fixture(params=STALLED.values(), ids=list(STALLED))
def stalled(request: pytest.FixtureRequest, service: Service) -> None:
    """Let the next response stop half way."""
    service.sends(request.param, then="stall")


@pytest.fixture
def closed_port() -> Iterator[int]:
    """Return a port that nothing listens on, reserved so that no other process gets it."""
    with closing(socket.socket()) as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


@pytest.fixture
def full_port() -> Iterator[int]:
    """Return a port that listens and takes no more connections."""
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        with closing(socket.create_connection(listener.getsockname())):
            # Until the connection is in the queue, one more would be taken.
            select.select([listener], [], [])
            yield listener.getsockname()[1]


@pytest.mark.usefixtures("broken")
def test_a_read_whose_response_breaks_off_is_a_transport_error(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    with pytest.raises(botdesk.TransportError) as caught:
        calls.get(client)
    assert type(caught.value) is botdesk.TransportError
    assert caught.value.sent
    assert "dca_bots.get" in str(caught.value)
    assert len(service.requests) == 1


@pytest.mark.usefixtures("broken")
def test_a_write_whose_response_breaks_off_may_have_happened_and_is_not_repeated(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    with pytest.raises(botdesk.OutcomeUnknownError) as caught:
        calls.disable(client)
    assert caught.value.sent
    assert "POST /public/api/ver1/bots/41/disable may have been carried out" in str(caught.value)
    assert len(service.requests) == 1


def test_a_read_without_a_response_is_a_timeout(connect: Connect, service: Service, calls: Calls) -> None:
    service.sends(b"", then="stall")
    with pytest.raises(botdesk.RequestTimeoutError) as caught:
        calls.get(connect(timeout=SHORT))
    assert isinstance(caught.value, builtins.TimeoutError)
    assert isinstance(caught.value, botdesk.TransportError)
    assert caught.value.sent
    assert f"within {SHORT:g} s" in str(caught.value)
    assert len(service.requests) == 1


def test_a_write_without_a_response_may_have_happened_and_is_not_repeated(
    connect: Connect, service: Service, calls: Calls
) -> None:
    service.sends(b"", then="stall")
    with pytest.raises(botdesk.OutcomeUnknownError) as caught:
        calls.disable(connect(timeout=SHORT))
    assert caught.value.sent
    assert len(service.requests) == 1


@pytest.mark.usefixtures("stalled")
def test_a_read_whose_response_stops_half_way_is_a_timeout(connect: Connect) -> None:
    with pytest.raises(botdesk.RequestTimeoutError) as caught:
        connect(timeout=SHORT).dca_bots.get(41)
    assert caught.value.sent


@pytest.mark.usefixtures("stalled")
def test_a_write_whose_response_stops_half_way_may_have_happened_and_is_not_repeated(
    connect: Connect, service: Service
) -> None:
    with pytest.raises(botdesk.OutcomeUnknownError):
        connect(timeout=SHORT).dca_bots.disable(41)
    assert len(service.requests) == 1


def test_an_edit_without_a_response_may_have_happened_and_is_not_repeated(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds()
    bot = calls.get(client)
    service.sends(b"", then="close")
    with pytest.raises(botdesk.OutcomeUnknownError) as caught:
        calls.edit(bot, take_profit="2")
    assert "PATCH /public/api/ver1/bots/41/update may have been carried out" in str(caught.value)
    assert [request.method for request in service.requests] == ["GET", "PATCH"]


def test_an_edit_by_number_whose_read_breaks_off_has_changed_nothing(client: botdesk.Client, service: Service) -> None:
    service.sends(b"", then="close")
    with pytest.raises(botdesk.TransportError) as caught:
        client.dca_bots.edit(41, take_profit="2")
    assert type(caught.value) is botdesk.TransportError
    assert [request.method for request in service.requests] == ["GET"]


def test_a_read_where_nothing_listens_has_sent_nothing(connect: Connect, calls: Calls, closed_port: int) -> None:
    with pytest.raises(botdesk.ConnectionFailedError) as caught:
        calls.get(connect(f"http://127.0.0.1:{closed_port}"))
    assert not caught.value.sent
    assert f"http://127.0.0.1:{closed_port}" in str(caught.value)
    assert "nothing was sent" in str(caught.value)


def test_a_write_where_nothing_listens_has_sent_nothing(connect: Connect, calls: Calls, closed_port: int) -> None:
    with pytest.raises(botdesk.ConnectionFailedError) as caught:
        calls.disable(connect(f"http://127.0.0.1:{closed_port}"))
    assert not caught.value.sent


def test_a_connection_that_takes_too_long_has_sent_nothing(connect: Connect, calls: Calls, full_port: int) -> None:
    client = connect(f"http://127.0.0.1:{full_port}", connect_timeout=SHORT)
    with pytest.raises(botdesk.ConnectionFailedError) as caught:
        calls.disable(client)
    assert not caught.value.sent


def test_a_connection_that_takes_longer_than_the_whole_call_may_has_sent_nothing(
    connect: Connect, calls: Calls, full_port: int
) -> None:
    client = connect(f"http://127.0.0.1:{full_port}", timeout=SHORT)
    with pytest.raises(botdesk.TransportError) as caught:
        calls.disable(client)
    assert not caught.value.sent


def test_a_service_that_speaks_no_tls_is_sent_nothing(connect: Connect, service: Service, calls: Calls) -> None:
    service.slams = True
    with pytest.raises(botdesk.ConnectionFailedError) as caught:
        calls.disable(connect(f"https://127.0.0.1:{service.port}"))
    assert not caught.value.sent


def test_a_read_whose_connection_is_closed_at_once_is_a_transport_error(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.slams = True
    with pytest.raises(botdesk.TransportError):
        calls.get(client)


def test_a_write_whose_connection_is_closed_at_once_is_not_repeated(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.slams = True
    with pytest.raises(botdesk.OutcomeUnknownError):
        calls.disable(client)
    assert service.connections == 1


def test_a_client_serves_on_after_a_broken_connection(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.sends(b"", then="reset")
    with pytest.raises(botdesk.TransportError):
        calls.get(client)
    service.responds()
    assert calls.get(client).id == 41


@pytest.mark.shows("promise connection errors")
def test_a_connection_error_after_an_attempt_that_arrived_does_not_say_that_nothing_was_sent(private_key: str) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def take_one_request() -> None:
        connection, _ = listener.accept()
        # Nobody listens any more by the time of the second attempt.
        listener.close()
        with connection:
            connection.recv(65536)

    server = threading.Thread(target=take_one_request)
    server.start()
    with pytest.raises(botdesk.ConnectionFailedError) as caught:
        botdesk.Client("an-api-key", private_key, base_url=url, retries=1, rate_limit=None).dca_bots.get(41)
    server.join()
    assert "an earlier attempt may have arrived" in str(caught.value)
    assert "nothing was sent" not in str(caught.value)


def test_a_late_response_is_not_taken_for_the_next_one(connect: Connect, service: Service, calls: Calls) -> None:
    client = connect(timeout=SHORT)
    service.sends(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", then="stall")
    with pytest.raises(botdesk.RequestTimeoutError):
        calls.get(client)
    service.responds(body=b'{"id":42}')
    assert calls.get(connect(), 42).id == 42
    assert service.connections == 2
