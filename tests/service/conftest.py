"""Fixtures of the tests of the service: a sandbox, and a service whose responses a test sets."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
from contextlib import closing, suppress
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


FIXTURES = Path(__file__).parents[1] / "fixtures"


def read_json(text: str) -> Any:  # noqa: ANN401
    """Read JSON with every digit kept."""
    return json.loads(text, parse_float=Decimal)


class Sent(NamedTuple):
    """A request as it arrived."""

    method: str
    target: str
    body: str


def shortest(sent: Sent) -> str:
    """Write a record with the identifier in the path, and with a field of those records that have no identifier."""
    identifier = re.search(r"/(\d+)/", sent.target)
    record = {"id": int(identifier[1]) if identifier else 1, "address": "1", "max_reduce_funds_amount": "1"}
    return json.dumps(record)


class Service:
    """An HTTP service whose responses a test sets."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.respond: Callable[[Sent], str] = shortest
        self.status = 200
        self._connections: list[socket.socket] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stop it, and close its connections, which clients keep open."""
        self._server.shutdown()
        self._server.server_close()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                service._connections.append(self.connection)

            def _respond(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
                sent = Sent(self.command, self.path, body)
                service.sent.append(sent)
                response = service.respond(sent).encode()
                head = (
                    f"HTTP/1.1 {service.status} Said\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(response)}\r\n\r\n"
                )
                self.wfile.write(head.encode() + response)

            do_GET = do_POST = do_PATCH = _respond  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Print nothing."""

        return Handler


class RecordService:
    """A client of a service with one bot, whose fields a test sets."""

    def __init__(self, service: Service, client: botdesk.Client, plain: dict[str, Any]) -> None:
        self._service = service
        # `Any`: tests pass arguments that the types forbid.
        self.client: Any = client
        self._client = client
        self._plain = plain

    def text(self, without: Any, fields: dict[str, Any]) -> str:  # noqa: ANN401
        """Return the JSON of the bot with these fields."""
        held = {name: value for name, value in {**self._plain, **fields}.items() if name not in without}
        return json.dumps(held)

    @property
    def sent(self) -> list[Sent]:
        """The requests that were sent since the bot was read."""
        return self._service.sent

    @property
    def body(self) -> dict[str, Any]:
        """The body of the only request since the bot was got."""
        (request,) = self.sent
        body: dict[str, Any] = read_json(request.body)
        return body


class DcaBotService(RecordService):
    """One whose bot is a DCA bot."""

    # `Any`: tests pass arguments that the types forbid.
    def bot(self, *, without: Any = (), **fields: Any) -> Any:  # noqa: ANN401
        """Get the sandbox's first bot as if it held these fields."""
        return self.bot_of(self.text(without, fields))

    def bot_of(self, text: str) -> Any:  # noqa: ANN401
        """Read a bot with this JSON from a list, where nothing checks that it is the requested one."""
        self._service.respond = lambda _: f"[{text}]"
        (bot,) = self._client.dca_bots.list()
        self._service.respond = lambda _: text
        self._service.sent.clear()
        return bot


class BotSandbox:
    """A sandbox, a client of it, and its first bot."""

    def __init__(self, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
        self.sandbox = sandbox
        # `Any`: tests pass arguments that the types forbid.
        self.client: Any = client
        self.bot: Any = client.dca_bots.get(41)
        self._seen = len(sandbox.requests)

    @property
    def sent(self) -> list[Any]:
        """The requests since the bot was got."""
        return self.sandbox.requests[self._seen :]

    @property
    def body(self) -> dict[str, Any]:
        """The body of the newest request."""
        body: dict[str, Any] = read_json(self.sent[-1].body)
        return body


class GridBotService(RecordService):
    """One whose bot is a grid bot."""

    # `Any`: tests pass arguments that the types forbid.
    def bot(self, *, without: Any = (), **fields: Any) -> Any:  # noqa: ANN401
        """Get the grid bot of the fixtures as if it held these fields."""
        text = self.text(without, fields)
        self._service.respond = lambda _: text
        bot = self._client.grid_bots.enable(int(json.loads(text)["id"]))
        self._service.sent.clear()
        return bot


@pytest.fixture(params=["blocking", "asyncio"])
def call(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Call an operation of a resource or of a record, once blocking and once under asyncio."""

    def blocking(owner: object, operation: str, *args: object, **named: object) -> Any:  # noqa: ANN401
        return getattr(owner, operation)(*args, **named)

    def under_asyncio(owner: object, operation: str, *args: object, **named: object) -> Any:  # noqa: ANN401
        return asyncio.run(getattr(owner, f"{operation}_async")(*args, **named))

    return blocking if request.param == "blocking" else under_asyncio


@pytest.fixture(scope="session")
def private_key() -> rsa.RSAPrivateKey:
    """Return a private key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="session")
def private_pem(private_key: rsa.RSAPrivateKey) -> str:
    """Return the private key in PEM."""
    return private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture(scope="session")
def public_pem(private_key: rsa.RSAPrivateKey) -> str:
    """Return the public half of the private key in PEM."""
    return private_key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture
def client_of(private_pem: str, public_pem: str) -> Callable[..., botdesk.Client]:
    """Make a client of a sandbox with a test key, because generating one takes long."""

    def make(sandbox: botdesk.Sandbox, permissions: list[str] | None = None) -> botdesk.Client:
        api_key = sandbox.add_key(public_pem, permissions)
        return botdesk.Client(api_key, private_pem, base_url=sandbox.url, retries=0, rate_limit=None)

    return make


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: botdesk.Sandbox, client_of: Callable[..., botdesk.Client]) -> botdesk.Client:
    """Return a client of the sandbox that may do everything."""
    return client_of(sandbox)


@pytest.fixture
def context(sandbox: botdesk.Sandbox, client: botdesk.Client) -> BotSandbox:
    """Return a sandbox, a client of it, and its first bot."""
    return BotSandbox(sandbox, client)


@pytest.fixture
def service() -> Iterator[Service]:
    """Run a service whose responses the test sets."""
    with closing(Service()) as service:
        yield service


@pytest.fixture(scope="session")
def plain_bot() -> dict[str, Any]:
    """Return what the sandbox's first bot holds."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        plain: dict[str, Any] = sandbox.client().dca_bots.get(41).to_dict()
        return plain


@pytest.fixture
def service_client(service: Service, private_pem: str) -> botdesk.Client:
    """Return a client of the service whose responses the test sets."""
    return botdesk.Client("an-api-key", private_pem, base_url=service.url, retries=0, rate_limit=None)


@pytest.fixture
def bot_service(service: Service, service_client: botdesk.Client, plain_bot: dict[str, Any]) -> DcaBotService:
    """Return a client of a service whose only bot has the fields that the test sets."""
    return DcaBotService(service, service_client, plain_bot)


@pytest.fixture
def grid_bot_service(service: Service, service_client: botdesk.Client) -> GridBotService:
    """Return a client of a service whose only grid bot has the fields that the test sets."""
    return GridBotService(service, service_client, read_json((FIXTURES / "grid_bot.json").read_text("utf-8")))


@pytest.fixture
def client_with_60_bots() -> Iterator[botdesk.Client]:
    """Return a client of a sandbox with more bots than a small page holds."""
    with botdesk.Sandbox(bots=60, odd_values=True) as sandbox:
        yield sandbox.client()
