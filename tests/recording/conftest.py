"""Fixtures of the tests of recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        yield sandbox


@pytest.fixture
def desk(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Return a client of a sandbox."""
    return sandbox.client()
