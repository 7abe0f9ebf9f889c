"""A hostile service: lists that fail and shift, and a stream whose frames a test sends by hand."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import struct
import threading
from collections import deque
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable

# Seconds; longer than anything takes unless it hangs.
PATIENCE = 30.0

# The text that RFC 6455 appends to the key of a handshake.
SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

TEXT, BINARY, CLOSE = 1, 2, 8

CHANNELS = {"deals": "DealsChannel", "smart_trades": "SmartTradesChannel"}

Record = dict[str, Any]


def deal(number: int, second: int, **fields: object) -> Record:
    """Return a deal that changed at a second."""
    updated = f"2026-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.000Z"
    fixed = {"id": number, "type": "Deal", "created_at": "2025-12-01T00:00:00.000Z", "updated_at": updated}
    return {**fixed, "take_profit": str(second), "finished?": False, **fields}


class Stream:
    """The service's end of a connection of a stream."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        # The identifiers of the subscriptions, by the name of the resource.
        self.identifiers: dict[str, str] = {}

    def send(self, frame: Record | str | bytes) -> None:
        """Send a frame: a text, or binary."""
        if isinstance(frame, bytes):
            self.send_bytes(framed(frame, BINARY))
        else:
            self.send_bytes(framed((frame if isinstance(frame, str) else json.dumps(frame)).encode()))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._connection.sendall(data)

    def welcome(self, *resources: str, confirms: bool = True) -> Stream:
        """Welcome the client, and read its subscriptions; confirm them unless a test does it."""
        self.send({"type": "welcome"})
        for _ in resources:
            command = json.loads(self.receive())
            channel = json.loads(command["identifier"])["channel"]
            name = next(name for name, other in CHANNELS.items() if other == channel)
            self.identifiers[name] = command["identifier"]
        assert set(self.identifiers) == set(resources)
        if confirms:
            for name in resources:
                self.answer(name, "confirm_subscription")
        return self

    def answer(self, name: str, kind: str) -> None:
        """Confirm or reject a subscription."""
        self.send({"type": kind, "identifier": self.identifiers[name]})

    def change(self, record: Record, name: str = "deals") -> None:
        """Send a record that has changed."""
        self.send({"identifier": self.identifiers[name], "message": record})

    def receive(self) -> str:
        """Return the next text frame of the client."""
        first, length = self._exactly(2)
        assert (first & 15, length & 128) == (TEXT, 128), "the client sends masked text"
        length &= 127
        if length == 126:
            length = struct.unpack(">H", self._exactly(2))[0]
        mask, masked = self._exactly(4), self._exactly(length)
        return bytes(byte ^ mask[index % 4] for index, byte in enumerate(masked)).decode()

    def cut(self, *, part: bytes = b"") -> None:
        """Reset the connection, perhaps in the middle of a frame."""
        if part:
            self.send_bytes(part)
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._connection.close()

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            received = self._connection.recv(count - len(data))
            assert received, "the client closed the connection"
            data += received
        return data


def framed(payload: bytes, opcode: int = TEXT) -> bytes:
    """Return a frame."""
    length = len(payload)
    if length < 126:
        head = struct.pack(">BB", 128 | opcode, length)
    elif length < 65536:
        head = struct.pack(">BBH", 128 | opcode, 126, length)
    else:
        head = struct.pack(">BBQ", 128 | opcode, 127, length)
    return head + payload


class HostileService:
    """A service with lists of deals and SmartTrades, and a stream."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        # The deals of the list, by their ids.
        self.deals: dict[int, Record] = {}
        # The statuses of the next lists that fail.
        self.failures: deque[int] = deque()
        # Called with the number of lists that were read before each one is read.
        self.before_list: Callable[[int], None] = lambda _: None
        # The numbers of pages that were read, by their path.
        self.lists = 0
        self._streams: SimpleQueue[Stream] = SimpleQueue()
        self._connections: list[socket.socket] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def stream(self) -> Stream:
        """Wait for the next connection of a stream."""
        try:
            return self._streams.get(timeout=PATIENCE)
        except Empty:
            raise AssertionError("no stream was opened") from None

    def close(self) -> None:
        """Stop."""
        for connection in (self._listener, *self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.settimeout(PATIENCE)
                self._connections.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):
            while head := received_head(connection):
                target = head.split(" ", 2)[1]
                lines = [line.split(": ", 1) for line in head.split("\r\n") if ": " in line]
                headers = {name.lower(): value for name, value in lines}
                if urlsplit(target).path == "/websocket":
                    assert "signature" not in headers, "the credentials are in the subscribe command"
                    key = f"{headers['sec-websocket-key']}{SUFFIX}"
                    accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()  # noqa: S324 - RFC 6455
                    connection.sendall(
                        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
                    )
                    self._streams.put(Stream(connection))
                    return
                connection.sendall(self._response(target))

    def _response(self, target: str) -> bytes:
        with self._lock:
            self.before_list(self.lists)
            self.lists += 1
            status = self.failures.popleft() if self.failures else 200
            body = self._list(target) if status == 200 else {"error": "unknown_error", "error_description": "hostile"}
        text = json.dumps(body).encode()
        head = f"HTTP/1.1 {status} Any\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
        return head.encode() + text

    def _list(self, target: str) -> list[Record]:
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        if not path.endswith("/deals"):
            return []
        assert query["order"] == ["updated_at"]
        assert query["order_direction"] == ["DESC"]
        offset, limit = int(query.get("offset", ["0"])[0]), int(query["limit"][0])
        newest_first = sorted(self.deals.values(), key=lambda deal: str(deal["updated_at"]), reverse=True)
        return newest_first[offset : offset + limit]


def received_head(connection: socket.socket) -> str:
    """Read the head of a request; empty if the connection was closed."""
    head = b""
    while b"\r\n\r\n" not in head:
        received = connection.recv(65536)
        if not received:
            return ""
        head += received
    return head.decode()
