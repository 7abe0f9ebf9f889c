"""Candles and bots for sweeps."""

from typing import Any

import pytest

import botdesk

HOUR = 3_600_000


@pytest.fixture
def candles() -> botdesk.Candles:
    """Return a year of days whose price swings between 90 and 120, and rises from day to day."""
    rows: list[list[float]] = []
    for day in range(360):
        low, high = 90 + day % 7, 100 + day % 20
        rows.append([day * 24 * HOUR, 98, high, low, 99])
    return botdesk.Candles(rows)


@pytest.fixture
def bot() -> dict[str, Any]:
    """Return the fields of a bot with safety orders."""
    return {
        "base_order_volume": 100,
        "safety_order_volume": 100,
        "safety_order_step_percentage": 2,
        "take_profit": 1,
        "max_safety_orders": 2,
    }
