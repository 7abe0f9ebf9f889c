"""Fixtures of the tests of hostile responses: the service, and the ways to call it."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import pytest

import botdesk

from .server import Hostile

if TYPE_CHECKING:
    from collections.abc import Iterator

# The time limit of a call: far more than it takes on a slow machine.
PATIENCE = 60.0


@pytest.fixture
def hostile() -> Iterator[Hostile]:
    """Run a hostile service."""
    with closing(Hostile()) as service:
        yield service


ADDRESSES = count()


@pytest.fixture
def banning() -> Iterator[Hostile]:
    """Run a hostile service at its own IP address: bans are per IP address, and ports are reused."""
    number = next(ADDRESSES)
    with closing(Hostile(f"127.2.{number // 250}.{number % 250 + 1}")) as service:
        yield service


class Connect(Protocol):
    """Makes clients of the service."""

    def __call__(self, **options: Any) -> botdesk.Client:  # noqa: ANN401
        """Make a client with options; by default it sends each request once."""
        ...


@pytest.fixture
def connect(hostile: Hostile, private_key: str) -> Connect:
    """Make clients of the service."""

    def connect(**options: Any) -> botdesk.Client:  # noqa: ANN401
        given: dict[str, Any] = {"retries": 0, "rate_limit": None, "timeout": PATIENCE, **options}
        return botdesk.Client("hostile-test-api-key", private_key, base_url=hostile.url, **given)

    return connect


@dataclass(frozen=True)
class Way:
    """Makes blocking or asynchronous calls, each of which has to end in time."""

    is_blocking: bool

    def call(self, owner: object, operation: str, *args: object, **named: object) -> Any:  # noqa: ANN401
        """Call a method of a resource, a client or a record."""
        if self.is_blocking:
            return getattr(owner, operation)(*args, **named)
        return asyncio.run(getattr(owner, f"{operation}_async")(*args, **named))

    def error(self, owner: object, operation: str, *args: object, **named: object) -> botdesk.BotdeskError:
        """Call a method that has to fail, in time."""
        begun = time.monotonic()
        with pytest.raises(botdesk.BotdeskError) as caught:
            self.call(owner, operation, *args, **named)
        assert time.monotonic() - begun < PATIENCE
        return caught.value


@pytest.fixture(params=["blocking", "asyncio"])
def way(request: pytest.FixtureRequest) -> Way:
    """Make calls, once blocking and once as coroutines."""
    return Way(request.param == "blocking")
