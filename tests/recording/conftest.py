"""Fixtures of the tests of recordings."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(params=["blocking", "asyncio"])
def call(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Call an operation of a resource or of a record, once blocking and once under asyncio."""

    def blocking(owner: object, operation: str, *args: object, **named: object) -> Any:  # noqa: ANN401
        return getattr(owner, operation)(*args, **named)

    def under_asyncio(owner: object, operation: str, *args: object, **named: object) -> Any:  # noqa: ANN401
        return asyncio.run(getattr(owner, f"{operation}_async")(*args, **named))

    return blocking if request.param == "blocking" else under_asyncio


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        yield sandbox


@pytest.fixture
def desk(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Return a client of a sandbox."""
    return sandbox.client()
