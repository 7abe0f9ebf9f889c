"""A service that responds to every request with the bytes that a test sets."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from loopback import LoopbackServer, received

if TYPE_CHECKING:
    import socket


class Wire(LoopbackServer):
    """A socket that sends the same bytes in response to the request of each connection, then closes it."""

    def __init__(self) -> None:
        self.response = b""
        self.stall = False
        self.asked = threading.Event()
        super().__init__()

    def handle(self, connection: socket.socket) -> None:
        """Send the bytes."""
        received(connection)
        self.asked.set()
        if self.stall:
            # Until the client goes.
            connection.recv(1)
        connection.sendall(self.response)
