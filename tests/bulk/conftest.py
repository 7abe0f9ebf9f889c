"""Fixtures of the tests of bulk operations: a sandbox of sixty bots, a service that stalls, calls in both ways."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any, Protocol

import pytest

import botdesk

from ..lifecycle.conftest import Scripts, Service  # noqa: TID252

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COUNT = 60


class Call(Protocol):
    """Calls a method of an object, blocking or as a coroutine."""

    def __call__(self, owner: object, method: str, *args: object, **named: object) -> Any:  # noqa: ANN401
        """Return the result of the method."""
        ...


@pytest.fixture(params=["blocking", "asyncio"])
def call(request: pytest.FixtureRequest) -> Call:
    """Call methods, once blocking and once as coroutines."""

    def blocking(owner: object, method: str, *args: object, **named: object) -> Any:  # noqa: ANN401
        return getattr(owner, method)(*args, **named)

    def asynchronous(owner: object, method: str, *args: object, **named: object) -> Any:  # noqa: ANN401
        async def run() -> Any:  # noqa: ANN401
            return await getattr(owner, f"{method}_async")(*args, **named)

        return asyncio.run(run())

    return blocking if request.param == "blocking" else asynchronous


class Desk:
    """Sixty bots, and what arrives at the service about them."""

    def __init__(self, sandbox: botdesk.Sandbox) -> None:
        self.sandbox = sandbox
        # The rate limit has its own tests; no other test waits for it.
        self.client = sandbox.client().with_options(rate_limit=None, retries=0)
        self.bots = list(self.client.dca_bots.iter())
        self._before = len(sandbox.requests)

    @property
    def ids(self) -> list[int]:
        """The identifiers of the bots."""
        return [identifier(bot) for bot in self.bots]

    @property
    def arrived(self) -> list[botdesk.ReceivedRequest]:
        """The requests that arrived since the bots were listed."""
        return self.sandbox.requests[self._before :]

    def writes(self, *, carried_out: bool = False) -> list[str]:
        """Return the paths that were written to, as often as they were."""
        writes = [request for request in self.arrived if request.method != "GET"]
        return [request.path for request in writes if request.carried_out or not carried_out]


def identifier(bot: botdesk.DcaBot) -> int:
    """Return the identifier of a bot."""
    assert bot.id is not None
    return bot.id


@pytest.fixture
def desk() -> Iterator[Desk]:
    """Run a sandbox of sixty bots."""
    with botdesk.Sandbox(bots=COUNT, odd_values=True) as sandbox:
        yield Desk(sandbox)


@pytest.fixture
def service() -> Iterator[Service]:
    """Run a service that stalls every write."""
    with closing(Service()) as service:
        yield service


@pytest.fixture
def stalling(service: Service, private_key: str) -> botdesk.Client:
    """Make a client of the service that stalls."""
    options: dict[str, Any] = {"timeout": 600, "retries": 0, "rate_limit": None}
    return botdesk.Client("an-api-key", private_key, base_url=service.url, **options)


@pytest.fixture
def scripts(service: Service, private_key: str, tmp_path: Path) -> Iterator[Scripts]:
    """Run scripts as child processes, with a client of the service that stalls."""
    if sys.platform == "win32":
        pytest.skip("the children are controlled by POSIX signals and pipes")
    environment = {**os.environ, "SERVICE_URL": service.url, "SERVICE_KEY": private_key}
    with closing(Scripts(tmp_path, environment)) as scripts:
        yield scripts
