"""A service that responds to every request with the bytes that a test sets."""

from __future__ import annotations

import socket
import threading


class Wire:
    """A socket that sends the same bytes in response to the request of each connection, then closes it."""

    def __init__(self) -> None:
        self.response = b""
        self.stall = False
        self.asked = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            return
        self._thread.join(10)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                head = b""
                while b"\r\n\r\n" not in head:
                    received = connection.recv(65536)
                    if not received:
                        break
                    head += received
                self.asked.set()
                if self.stall:
                    # Until the client goes.
                    connection.recv(1)
                connection.sendall(self.response)
