"""A hostile service: it sends any bytes that a test sets, for as long as the client reads them."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Hostile:
    """A socket that sends the pieces of the next script in response to each request, then closes the connection."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._listener = socket.create_server((host, 0))
        self._scripts: list[Iterable[bytes]] = []
        self._ended = threading.Event()
        self.url = f"http://{host}:{self._listener.getsockname()[1]}"
        # How many requests arrived.
        self.requests = 0
        # Set when a script was not sent to its end, because the client had enough.
        self.left = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def sends(self, *pieces: bytes) -> None:
        """Answer the next request with these pieces."""
        self._scripts.append(pieces)

    def streams(self, pieces: Iterable[bytes]) -> None:
        """Answer the next request with these pieces, of which there may be no end."""
        self._scripts.append(pieces)

    def pause(self, seconds: float) -> None:
        """Wait before the next piece, unless the test is over."""
        self._ended.wait(seconds)

    def close(self) -> None:
        """Stop, also in the middle of a script."""
        self._ended.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(30)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection:
                    connection.settimeout(30)
                    self._respond(connection)

    def _respond(self, connection: socket.socket) -> None:
        try:
            if not received(connection):
                return
            self.requests += 1
            for piece in self._scripts.pop(0):
                if self._ended.is_set():
                    return
                connection.sendall(piece)
        except OSError:
            self.left.set()


def received(connection: socket.socket) -> bytes:
    """Read a request; empty if the connection was closed."""
    request = b""
    while b"\r\n\r\n" not in request:
        chunk = connection.recv(65536)
        if not chunk:
            return b""
        request += chunk
    head, _, body = request.partition(b"\r\n\r\n")
    lengths = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while len(body) < sum(map(int, lengths)):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def http_response(body: bytes, *headers: str, status: int = 200) -> bytes:
    """Write a response with its length, unless a header sets another one."""
    given = {line.partition(":")[0].lower() for line in headers}
    length = () if given & {"content-length", "transfer-encoding"} else (f"Content-Length: {len(body)}",)
    lines = (f"HTTP/1.1 {status} Status", "Connection: close", *length, *headers)
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1") + b"\r\n" + body
