"""Fixtures of the wire tests: a socket that plays the service, and the two ways to call it."""

from __future__ import annotations

import asyncio
import base64
import socket
import struct
import threading
import time
from collections import deque
from contextlib import closing, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, Protocol

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from rsa_keys import loaded

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Seconds; longer than any call takes unless it hangs.
PATIENCE = 60.0

API_KEY = "test-api-key-0123456789"

# A bot with all that an edit needs.
BOT = (
    b'{"id":41,"name":"first","is_enabled":true,"type":"Bot::SingleBot","strategy":"long","pairs":["USDT_BTC"],'
    b'"base_order_volume":"20.0","take_profit":"1.5","safety_order_volume":"10.0","martingale_volume_coefficient":"1.0",'
    b'"martingale_step_coefficient":"1.0","max_safety_orders":3,"active_safety_orders_count":1,'
    b'"safety_order_step_percentage":"1.0","take_profit_type":"total","strategy_list":[{"strategy":"manual"}],'
    b'"stop_loss_percentage":"0.0","url_secret":"a-secret-of-the-bot"}'
)

# What happens to the connection after a response.
Then = Literal["keep", "close", "reset", "stall"]


@dataclass(frozen=True)
class Request:
    """A request as it arrived."""

    head: bytes
    body: bytes

    @property
    def method(self) -> str:
        """The method."""
        return self._line[0]

    @property
    def target(self) -> str:
        """The path and the query, as they stood in the request line."""
        return self._line[1]

    @property
    def query(self) -> str:
        """The query, as it stood in the request line."""
        return self.target.partition("?")[2]

    @property
    def headers(self) -> dict[str, str]:
        """The headers, their names in lower case."""
        lines = [line.partition(":") for line in self.head.decode("ascii").split("\r\n")[1:]]
        headers = {name.lower(): value.strip() for name, _, value in lines}
        assert len(headers) == len(lines), "a header was sent twice"
        return headers

    @property
    def _line(self) -> list[str]:
        return self.head.decode("ascii").split("\r\n")[0].split(" ")


class Service:
    """A socket that plays the service: it sends what a test wrote down, byte for byte, and keeps what it received."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._listener = socket.create_server((host, 0), backlog=64)
        self._scripts: deque[tuple[Callable[[Request], bytes], Then]] = deque()
        self._arrived: SimpleQueue[Request] = SimpleQueue()
        self._dropped: SimpleQueue[Request] = SimpleQueue()
        self._connections: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://{host}:{self.port}"
        # Every request that arrived, expected or not.
        self.requests: list[Request] = []
        # The monotonic times at which they arrived.
        self.times: list[float] = []
        # Connections that were made.
        self.connections = 0
        # If true, connections are closed as soon as they are made.
        self.slams = False
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def responds(
        self,
        status: int = 200,
        body: bytes = BOT,
        headers: dict[str, str] | None = None,
        then: Then = "keep",
    ) -> None:
        """Answer the next request that nothing was written down for yet."""
        self.sends(written(status, body, headers or {}), then)

    def sends(self, data: bytes, then: Then = "close") -> None:
        """Answer the next request that nothing was written down for yet with these very bytes."""
        self._scripts.append((lambda _: data, then))

    def echoes(self, status: int, pattern: str = "{head}") -> None:
        """Respond to the next request as a verbose proxy does, which repeats the request."""

        def echo(request: Request) -> bytes:
            text = pattern
            for name, value in {"head": request.head.decode("ascii"), **request.headers}.items():
                text = text.replace(f"{{{name}}}", value)
            return written(status, text.encode(), {})

        self._scripts.append((echo, "keep"))

    def request(self) -> Request:
        """Wait for the next request."""
        try:
            return self._arrived.get(timeout=PATIENCE)
        except Empty:
            pytest.fail(f"no request arrived within {PATIENCE} s")

    def stalls(self) -> None:
        """Send nothing in answer to the next request that nothing was written down for yet."""
        self.sends(b"", "stall")

    def dropped(self) -> Request:
        """Wait until the client drops a request that stalls."""
        try:
            return self._dropped.get(timeout=PATIENCE)
        except Empty:
            pytest.fail(f"no request was dropped within {PATIENCE} s")

    def close(self) -> None:
        """Stop, and close what is open."""
        # The thread that accepts is woken by this, not by `close`.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._accepting.join(PATIENCE)

    def _accept(self) -> None:
        threads: list[threading.Thread] = []
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                if self.slams:
                    connection.close()
                    continue
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._connections.append(connection)
                threads.append(threading.Thread(target=self._serve, args=(connection,)))
                threads[-1].start()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(PATIENCE)

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while request := receive(connection):
                self.times.append(time.monotonic())
                self.requests.append(request)
                response, then = self._scripts.popleft() if self._scripts else (nothing, "close")
                self._arrived.put(request)
                connection.sendall(response(request))
                if then == "stall":
                    connection.recv(1)
                    self._dropped.put(request)
                if then == "reset":
                    # A connection that lingers for no time is not ended but reset.
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                if then != "keep":
                    return


def nothing(_: Request) -> bytes:
    """Answer what nothing was written down for."""
    return b""


def written(status: int, body: bytes, headers: dict[str, str]) -> bytes:
    """Write a response in one piece, because two may wait for an acknowledgement."""
    lines = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    head = f"HTTP/1.1 {status} Status\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return head.encode("latin-1") + b"\r\n" + body


def receive(connection: socket.socket) -> Request | None:
    """Read a whole request; None if the connection was closed."""
    received = b""
    while b"\r\n\r\n" not in received:
        chunk = connection.recv(65536)
        if not chunk:
            return None
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(Request(head, b"").headers.get("content-length", "0"))
    while len(body) < length:
        body += connection.recv(65536)
    return Request(head, body)


@pytest.fixture
def service() -> Iterator[Service]:
    """Run a socket that plays the service."""
    with closing(Service()) as service:
        yield service


class Connect(Protocol):
    """Makes clients of the service."""

    def __call__(self, base_url: str = ..., *, timeout: float = ..., connect_timeout: float = ...) -> botdesk.Client:
        """Make a client; by default of the service of the test."""
        ...


@pytest.fixture
def api_key() -> str:
    """Return the API key of the clients here."""
    return API_KEY


@pytest.fixture
def bot_json() -> bytes:
    """Return the JSON of a bot that can be edited."""
    return BOT


@pytest.fixture
def connect(service: Service, private_key: str) -> Connect:
    """Make clients of the service."""

    def connect(
        base_url: str = service.url, *, timeout: float = PATIENCE, connect_timeout: float = PATIENCE
    ) -> botdesk.Client:
        # A single attempt without delay: the tests are about the effect of one response.
        return botdesk.Client(
            API_KEY,
            private_key,
            base_url=base_url,
            timeout=timeout,
            connect_timeout=connect_timeout,
            retries=0,
            rate_limit=None,
        )

    return connect


@pytest.fixture
def client(connect: Connect) -> botdesk.Client:
    """Make a client of the service."""
    return connect()


class Calls:
    """Makes calls, either blocking or as coroutines."""

    def __init__(self, way: Literal["blocking", "asyncio"]) -> None:
        self._blocking = way == "blocking"

    def list(self, client: botdesk.Client, **query: Any) -> botdesk.Records[botdesk.DcaBot]:  # noqa: ANN401
        """List bots."""
        if self._blocking:
            return client.dca_bots.list(**query)
        return asyncio.run(client.dca_bots.list_async(**query))

    def get(self, client: botdesk.Client, bot_id: int = 41) -> botdesk.DcaBot:
        """Get a bot: a read."""
        if self._blocking:
            return client.dca_bots.get(bot_id)
        return asyncio.run(client.dca_bots.get_async(bot_id))

    def disable(self, client: botdesk.Client, bot_id: int = 41) -> botdesk.DcaBot:
        """Disable a bot: a write without a body."""
        if self._blocking:
            return client.dca_bots.disable(bot_id)
        return asyncio.run(client.dca_bots.disable_async(bot_id))

    def edit(self, bot: botdesk.DcaBot, **changes: Any) -> botdesk.DcaBot:  # noqa: ANN401
        """Edit a bot: a write with a body."""
        if self._blocking:
            return bot.edit(**changes)
        return asyncio.run(bot.edit_async(**changes))

    def apply(self, preview: botdesk.DcaBotEditPreview) -> botdesk.DcaBot:
        """Send an edit from a preview: a read, and a write with a body."""
        if self._blocking:
            return preview.apply()
        return asyncio.run(preview.apply_async())

    def request(self, client: botdesk.Client, method: str, path: str, **given: Any) -> botdesk.Answer:  # noqa: ANN401
        """Send a request to any path."""
        if self._blocking:
            return client.request(method, path, **given)
        return asyncio.run(client.request_async(method, path, **given))


@pytest.fixture(params=["blocking", "asyncio"])
def calls(request: pytest.FixtureRequest) -> Calls:
    """Make calls, once blocking and once as coroutines."""
    return Calls(request.param)


@pytest.fixture
def is_signed(private_key: str) -> Callable[[Request], bool]:
    """Return True if the signature of a request matches the bytes that arrived."""
    key = loaded(private_key)

    def is_signed(request: Request) -> bool:
        # The path before `/public/api` belongs to the base URL.
        payload = request.target[request.target.index("/public/api/") :].encode("ascii") + request.body
        signature = base64.b64decode(request.headers["signature"], validate=True)
        try:
            key.public_key().verify(signature, payload, padding.PKCS1v15(), SHA256())
        except InvalidSignature:
            return False
        return True

    return is_signed
