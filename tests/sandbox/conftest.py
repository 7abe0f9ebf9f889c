"""What the tests of the sandbox share: a sandbox without bots, and a client of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Give a sandbox without DCA bots."""
    with botdesk.Sandbox(bots=0) as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Give a client of the sandbox."""
    return sandbox.client()
