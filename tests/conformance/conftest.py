"""Fixtures of the tests of conformance: a service whose responses a test sets, and a sandbox."""

from __future__ import annotations

import base64
import socketserver
import threading
from typing import TYPE_CHECKING, NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from rsa_keys import loaded

import botdesk

from .reference import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

API_KEY = "an-api-key-0815"
PERMISSIONS = sorted({operation.permission for operation in OPERATIONS.values()} - {"NONE"})


class Request(NamedTuple):
    """A request as it arrived."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def query(self) -> str:
        """The query string."""
        return self.target.partition("?")[2]


class Service(socketserver.ThreadingTCPServer):
    """A service whose responses a test sets. It sends each in one piece, because two may wait for each other."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.reset()

    def reset(self) -> None:
        """Forget the requests and the responses of a test."""
        self.requests: list[Request] = []
        self.status, self.body = 200, "{}"
        # The response to a read before a write.
        self.read: str | None = None

    def response(self, request: Request) -> tuple[int, bytes]:
        """Return the status and the body of the response."""
        self.requests.append(request)
        if self.read is not None and request.method == "GET":
            return 200, self.read.encode()
        return self.status, self.body.encode()


class Handler(socketserver.StreamRequestHandler):
    """Reads the requests of one connection."""

    def handle(self) -> None:
        """Answer requests until the client closes the connection."""
        while line := self.rfile.readline().decode():
            headers: dict[str, str] = {}
            while header := self.rfile.readline().decode().rstrip():
                name, _, value = header.partition(": ")
                headers[name.lower()] = value
            method, target, _ = line.split(" ")
            body = self.rfile.read(int(headers.get("content-length", 0)))
            assert isinstance(self.server, Service)
            status, response = self.server.response(Request(method, target, headers, body))
            head = (
                f"HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\nContent-Length: {len(response)}\r\n\r\n"
            )
            self.wfile.write(head.encode() + response)


@pytest.fixture(scope="session")
def running_service() -> Iterator[Service]:
    """Run a service for all tests: there are thousands, and each start and stop takes some milliseconds."""
    with Service() as service:
        threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield service
        service.shutdown()


@pytest.fixture
def service(running_service: Service) -> Service:
    """Return a service whose responses the test sets."""
    running_service.reset()
    return running_service


@pytest.fixture(scope="session")
def shared_client(running_service: Service, private_key: str) -> botdesk.Client:
    """Return a client for all tests: to make one reads its private key."""
    return botdesk.Client(API_KEY, private_key, base_url=running_service.url, retries=0, rate_limit=None)


@pytest.fixture
def client(service: Service, shared_client: botdesk.Client) -> botdesk.Client:
    """Return a client of the service whose responses the test sets."""
    assert service.url
    return shared_client


@pytest.fixture
def check_signature(private_key: str) -> Callable[[Request], None]:
    """Return a function that raises an error if a signature does not match the bytes that arrived."""
    key = loaded(private_key)

    def check(request: Request) -> None:
        signature = base64.b64decode(request.headers["signature"], validate=True)
        payload = request.target.encode() + request.body
        key.public_key().verify(signature, payload, padding.PKCS1v15(), SHA256())

    return check


@pytest.fixture
def connect(sandbox: botdesk.Sandbox, keys: Path) -> Callable[..., botdesk.Client]:
    """Make clients of the sandbox with some permissions, and with the right or with another private key."""
    public = botdesk.PrivateKey.load(keys / "rsa_2048.pem").public_key_pem

    def connect(permissions: list[str] | None = None, private_key: str = "rsa_2048.pem") -> botdesk.Client:
        api_key = sandbox.add_key(public, permissions)
        return botdesk.Client(api_key, keys / private_key, base_url=sandbox.url, retries=0, rate_limit=None)

    return connect
