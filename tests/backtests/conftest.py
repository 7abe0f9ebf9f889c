"""Bots and candles for the tests of backtests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HOUR = 3_600_000
# 2024-01-01T00:00:00Z
START = 1_704_067_200_000

# The base order buys 1 at 100, the safety order 1 at 98, and 1 % of profit is taken. The bot then pauses for a day.
STEADY: dict[str, Any] = {
    "base_order_volume": 100,
    "safety_order_volume": 98,
    "max_safety_orders": 1,
    "safety_order_step_percentage": 2,
    "take_profit": 1,
    "cooldown": 86_400,
}

# A candle at 100, one that falls to 98, and one that rises to 100.50.
DIP = [("100", "100", "100", "100"), ("100", "100.5", "98", "98.5"), ("98.5", "100.5", "98.4", "100.4")]


def hours(*rows: Sequence[Any]) -> botdesk.Candles:
    """Return candles of an hour each, of open, high, low and close."""
    return botdesk.Candles([[START + HOUR * index, *row] for index, row in enumerate(rows)])


def steady(**fields: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the fields of the steady bot, some of them changed."""
    return {**STEADY, **fields}


def each(*values: object) -> tuple[object, ...]:
    """Return the values. Type checkers refuse to compare tuples of decimals with tuples of integers."""
    return values


@pytest.fixture(scope="session")
def client() -> Iterator[botdesk.Client]:
    with botdesk.Sandbox() as sandbox:
        yield sandbox.client()


@pytest.fixture(scope="session")
def bot(client: botdesk.Client) -> botdesk.DcaBot:
    return client.dca_bots.get(41)


@pytest.fixture(scope="session")
def grid_bot(client: botdesk.Client) -> botdesk.GridBot:
    return client.grid_bots.set_note(203, "Mind the range")


@pytest.fixture(scope="session")
def long_candles() -> botdesk.Candles:
    """Return candles in each of which a bot that takes 1 % and stops at 1 % has several deals."""
    return botdesk.Candles([[60_000 * index, 100, 102, 98, 100] for index in range(200_000)])
