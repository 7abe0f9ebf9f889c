"""Fixtures of the tests of streams: a sandbox, and a client of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import botdesk


@pytest.fixture
def client(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Return a client of the sandbox that never sends again."""
    return sandbox.client().with_options(retries=0)


@pytest.fixture
def errors() -> list[botdesk.BotdeskError]:
    """Return the list that collects the errors of a stream."""
    return []


def open_deals(client: botdesk.Client) -> list[int]:
    """Return the ids of open deals with one take profit, which can be edited."""
    deals = (deal for deal in client.deals.list(scope="active") if not deal.take_profit_steps)
    return [deal.id for deal in deals if deal.id is not None]


def next_of(stream: botdesk.Stream, kind: str) -> botdesk.StreamEvent:
    """Return the next event of a kind."""
    return next(event for event in stream if event.kind == kind)
