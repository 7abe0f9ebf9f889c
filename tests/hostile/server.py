"""A hostile service: it sends any bytes that a test sets, for as long as the client reads them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from loopback import LoopbackServer, received

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable


class Hostile(LoopbackServer):
    """A socket that sends the pieces of the next script in response to each request, then closes the connection."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._scripts: list[Iterable[bytes]] = []
        self._ended = threading.Event()
        # How many requests arrived.
        self.requests = 0
        # Set when a script was not sent to its end, because the client had enough.
        self.left = threading.Event()
        super().__init__(host)

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
        super().close()

    def handle(self, connection: socket.socket) -> None:
        """Send the pieces of the next script."""
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


def http_response(body: bytes, *headers: str, status: int = 200) -> bytes:
    """Write a response with its length, unless a header sets another one."""
    given = {line.partition(":")[0].lower() for line in headers}
    length = () if given & {"content-length", "transfer-encoding"} else (f"Content-Length: {len(body)}",)
    lines = (f"HTTP/1.1 {status} Status", "Connection: close", *length, *headers)
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1") + b"\r\n" + body
