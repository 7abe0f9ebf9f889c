"""Fixtures of the tests of watches: a sandbox with one bot that trades one pair, and a watch over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Watch = Callable[..., botdesk.DcaBotWatch]

# Its base order is bought at the first price, its first safety order 1 % below, its profit taken 1 % above.
TRADING: dict[str, Any] = {"name": "Trader", "pairs": ["USDT_NEW"], "is_enabled": True, "max_safety_orders": 1}


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox without bots."""
    with botdesk.Sandbox(bots=0, odd_values=True) as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Return a client of the sandbox that never sends again."""
    return sandbox.client().with_options(retries=0)


@pytest.fixture
def bot_id(sandbox: botdesk.Sandbox) -> int:
    """Add a bot that trades."""
    return sandbox.add_dca_bot(**TRADING)


@pytest.fixture
def errors() -> list[botdesk.BotdeskError]:
    """Return the list that collects the errors of the watch."""
    return []


@pytest.fixture
def watch(client: botdesk.Client, bot_id: int, errors: list[botdesk.BotdeskError]) -> botdesk.DcaBotWatch:
    """Return a watch that has seen the bot once."""
    del bot_id
    watch = client.dca_bots.watch(on_error=errors.append)
    assert watch.poll() == []
    return watch


def kinds(changes: list[botdesk.DcaBotChange]) -> list[str]:
    """Return what the changes are."""
    return [change.kind for change in changes]
