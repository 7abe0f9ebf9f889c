"""Fixtures of the tests of reliability: a socket that plays the service, and clients that retry at once."""

from __future__ import annotations

from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import pytest

import botdesk

from ..wire.conftest import Calls, Service  # noqa: TID252
from .redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

API_KEY = "test-api-key-0123456789"
# Retries without delay, so that no test waits.
AT_ONCE = botdesk.RetryPolicy(2, backoff=0.0)


class Connect(Protocol):
    """Makes clients of the service."""

    def __call__(self, base_url: str = ..., *, api_key: str = ..., **options: Any) -> botdesk.Client:  # noqa: ANN401
        """Make a client; by default of the service of the test."""
        ...


ADDRESSES = count()


@pytest.fixture
def service() -> Iterator[Service]:
    """Run a socket that plays the service, at its own IP address: bans are per address, and ports are reused."""
    number = next(ADDRESSES)
    with closing(Service(f"127.1.{number // 250}.{number % 250 + 1}")) as service:
        yield service


@pytest.fixture(params=["blocking", "asyncio"])
def calls(request: pytest.FixtureRequest) -> Calls:
    """Make calls, once blocking and once as coroutines."""
    return Calls(request.param)


@pytest.fixture
def connect(service: Service, private_key: str) -> Connect:
    """Make clients of the service."""

    def connect(base_url: str = service.url, *, api_key: str = API_KEY, **options: Any) -> botdesk.Client:  # noqa: ANN401
        options = {"retries": AT_ONCE, "rate_limit": None, **options}
        return botdesk.Client(api_key, private_key, base_url=base_url, **options)

    return connect


@pytest.fixture
def client(connect: Connect) -> botdesk.Client:
    """Make a client that retries at once, without a rate limit."""
    return connect()


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(bots=3, odd_values=True) as sandbox:
        yield sandbox


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    """Run a server."""
    server = RedisServer(tmp_path)
    yield server
    server.stop()
