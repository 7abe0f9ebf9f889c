"""Blocking calls run on the thread that makes them; nothing serves their connections between calls."""

from __future__ import annotations

import os
import signal
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

# Seconds; longer than any call takes unless it hangs.
PATIENCE = 60.0
BOT = b'{"id":41}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(BOT), BOT)


@contextmanager
def served(serve: Callable[[socket.socket], None], private_key: str) -> Generator[botdesk.Client]:
    """Serve the connections to a listener in a thread, and return a client of it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        serving = threading.Thread(target=serve, args=(listener,))
        serving.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        yield botdesk.Client("an-api-key", private_key, base_url=url, timeout=PATIENCE, retries=0, rate_limit=None)
        serving.join(PATIENCE)


def request(connection: socket.socket) -> bytes:
    """Read a request without a body to its end."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65536)
    return received


def test_a_write_does_not_go_over_a_connection_that_was_closed_while_it_was_idle(private_key: str) -> None:
    closed = threading.Event()

    def serve(listener: socket.socket) -> None:
        first, _ = listener.accept()
        with first:
            request(first)
            first.sendall(ANSWER)
        closed.set()
        second, _ = listener.accept()
        with second:
            request(second)
            second.sendall(ANSWER)

    with served(serve, private_key) as client:
        client.dca_bots.get(41)
        assert closed.wait(PATIENCE)
        assert client.dca_bots.disable(41).id == 41


def test_the_connection_of_a_call_that_was_interrupted_is_closed(private_key: str) -> None:
    ends: list[bytes] = []

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        connection.settimeout(PATIENCE)
        with connection:
            request(connection)
            signal.raise_signal(signal.SIGINT)
            ends.append(connection.recv(1))

    with served(serve, private_key) as client, pytest.raises(KeyboardInterrupt):
        client.dca_bots.get(41)
    assert ends == [b""]


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="the platform has no such signal")
def test_a_handler_of_signals_may_call_while_a_call_is_under_way(private_key: str) -> None:
    names: list[str] = []

    def serve(listener: socket.socket) -> None:
        first, _ = listener.accept()
        with first:
            request(first)
            os.kill(os.getpid(), signal.SIGUSR1)
            second, _ = listener.accept()
            with second:
                names.append(request(second).decode().split()[1])
                second.sendall(ANSWER)
            first.sendall(ANSWER)

    with served(serve, private_key) as client:

        def handle(_signal: int, _frame: object) -> None:
            client.dca_bots.get(41, include_events=True)

        before = signal.signal(signal.SIGUSR1, handle)
        try:
            assert client.dca_bots.get(41).id == 41
        finally:
            signal.signal(signal.SIGUSR1, before)
    assert names == ["/public/api/ver1/bots/41/show?include_events=true"]


def test_calls_of_two_threads_go_on_side_by_side(private_key: str) -> None:
    def serve(listener: socket.socket) -> None:
        # Responses are sent only after both requests have arrived.
        connections = [listener.accept()[0] for _ in range(2)]
        for connection in connections:
            request(connection)
        for connection in connections:
            with connection:
                connection.sendall(ANSWER)

    bots: list[botdesk.DcaBot] = []
    with served(serve, private_key) as client:
        threads = [threading.Thread(target=lambda: bots.append(client.dca_bots.get(41))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert [bot.id for bot in bots] == [41, 41]
