"""A server on the loopback interface whose bytes a test sets."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class LoopbackServer:
    """A socket that handles its connections one after the other, in a thread, and then closes each."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        """Start. A connection may be handled at once, so this is the last step of a subclass."""
        self._listener = socket.create_server((host, 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://{host}:{self.port}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def handle(self, connection: socket.socket) -> None:
        """Read from a connection, and write to it."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(30)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(30)
                with connection, suppress(OSError):
                    self.handle(connection)


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
        chunk = connection.recv(65536)
        if not chunk:
            return b""
        body += chunk
    return head + b"\r\n\r\n" + body
