"""Fixtures of the tests of proxies: an HTTP proxy, a SOCKS proxy, and a service behind them."""

from __future__ import annotations

import base64
import socket
import struct
import threading
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BODY = b'{"id":41}'
# A host name that only the proxies resolve; it is reserved, so that it never exists.
HOST = "service.invalid"


class Listener:
    """Accepts connections on a loopback port, each in a thread."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._connections: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def handle(self, connection: socket.socket) -> None:
        """Serve a connection."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop, and end all connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in (self._thread, *self._threads):
            thread.join(30)

    def opened(self, port: int) -> socket.socket:
        """Open a connection that is ended with the others."""
        connection = socket.create_connection(("127.0.0.1", port), 30)
        self._connections.append(connection)
        return connection

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(30)
                self._connections.append(connection)
                self._threads.append(threading.Thread(target=self._serve, args=(connection,)))
                self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            self.handle(connection)


class Service(Listener):
    """Answers every request with the same record."""

    def __init__(self) -> None:
        # The heads of the requests that arrived.
        self.heads: list[str] = []
        super().__init__()

    def handle(self, connection: socket.socket) -> None:
        """Answer one request; bytes of a TLS handshake are not one."""
        if connection.recv(1, socket.MSG_PEEK) == b"\x16":
            return
        self.heads.append(head_of(connection))
        connection.sendall(http_response("200 OK", BODY))


class HttpProxy(Listener):
    """Forwards requests, and opens tunnels; all lead to one port, regardless of the host."""

    def __init__(self, behind: int, user: str | None = None) -> None:
        self._behind = behind
        self._user = user
        # The heads of the requests that it received.
        self.heads: list[str] = []
        super().__init__()

    def handle(self, connection: socket.socket) -> None:
        """Serve one request, or one tunnel."""
        head = head_of(connection)
        self.heads.append(head)
        given = base64.b64encode((self._user or "").encode()).decode()
        if self._user is not None and f"proxy-authorization: basic {given}".lower() not in head.lower():
            connection.sendall(http_response("407 Proxy Authentication Required", b"who are you?"))
            return
        with self.opened(self._behind) as onward:
            if head.startswith("CONNECT "):
                connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                onward.sendall(head.encode())
            exchange(connection, onward)


class SocksProxy(Listener):
    """Opens SOCKS 5 tunnels; all lead to one port, regardless of the host."""

    def __init__(self, behind: int, user: str | None = None) -> None:
        self._behind = behind
        self._user = user
        # The hosts that were requested.
        self.hosts: list[str] = []
        super().__init__()

    def handle(self, connection: socket.socket) -> None:
        """Serve one tunnel."""
        _, count = exactly(connection, 2)
        methods = exactly(connection, count)
        wanted = 0 if self._user is None else 2
        if wanted not in methods:
            connection.sendall(b"\x05\xff")
            return
        connection.sendall(bytes([5, wanted]))
        if wanted and not self._knows(connection):
            return
        *_, kind = exactly(connection, 4)
        if kind == 1:
            host = socket.inet_ntoa(exactly(connection, 4))
        else:
            host = exactly(connection, exactly(connection, 1)[0]).decode()
        struct.unpack("!H", exactly(connection, 2))
        self.hosts.append(host)
        connection.sendall(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x01")
        with self.opened(self._behind) as onward:
            exchange(connection, onward)

    def _knows(self, connection: socket.socket) -> bool:
        exactly(connection, 1)
        user = exactly(connection, exactly(connection, 1)[0]).decode()
        password = exactly(connection, exactly(connection, 1)[0]).decode()
        knows = f"{user}:{password}" == self._user
        connection.sendall(b"\x01\x00" if knows else b"\x01\x01")
        return knows


def http_response(status: str, body: bytes) -> bytes:
    """Write a response after which the connection ends."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


def head_of(connection: socket.socket) -> str:
    """Read the head of a request without a body."""
    head = b""
    while b"\r\n\r\n" not in head and (chunk := connection.recv(65536)):
        head += chunk
    return head.decode("ascii")


def exactly(connection: socket.socket, count: int) -> bytes:
    """Read this number of bytes."""
    received = b""
    while len(received) < count:
        chunk = connection.recv(count - len(received))
        if not chunk:
            raise ConnectionError
        received += chunk
    return received


def exchange(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes both ways until both sides are done."""

    def carry(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(65536):
                target.sendall(chunk)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    there = threading.Thread(target=carry, args=(one, other))
    there.start()
    carry(other, one)
    there.join(30)


@pytest.fixture
def service() -> Iterator[Service]:
    """Run the service."""
    with closing(Service()) as service:
        yield service


@pytest.fixture
def http_proxy(service: Service) -> Iterator[Callable[..., HttpProxy]]:
    """Run HTTP proxies before the service."""
    with ExitStack() as running:

        def run(user: str | None = None) -> HttpProxy:
            return running.enter_context(closing(HttpProxy(service.port, user)))

        yield run


@pytest.fixture
def socks_proxy(service: Service) -> Iterator[Callable[..., SocksProxy]]:
    """Run SOCKS proxies before the service."""
    with ExitStack() as running:

        def run(user: str | None = None) -> SocksProxy:
            return running.enter_context(closing(SocksProxy(service.port, user)))

        yield run
