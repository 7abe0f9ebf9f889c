"""Random grids over random candles: a backtest does what an independent simulation in fractions does, to the digit."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from thorough import cases

import botdesk

from .grid_simulation import Grid, GridSimulation, simulate_grid
from .test_simulation import PATHS, history, hundredths, text

if TYPE_CHECKING:
    from decimal import Decimal

# Grids of one test, of which there are 5.
BATCH = cases(30, 100)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ACTIONS = ["stop_bot", "stop_bot_and_buy", "stop_bot_and_sell", "stop_bot_and_close_position"]


def random_grid(numbers: random.Random, first: Fraction) -> Grid:
    """Return settings of all kinds around the first price, with lines that differ and quantities above 0."""
    while True:
        tick = numbers.choice([Fraction(1, 100), Fraction(1, 100), Fraction(1, 10), Fraction(1, 4)])
        in_quote = numbers.random() < 0.6

        def at(least: int, most: int, tick: Fraction = tick) -> Fraction:
            """Return a price in percent of the first one, at a tick."""
            return round(first * numbers.randint(least, most) / 100 / tick) * tick

        lower = at(80, 104)
        upper = lower + at(1, 25)

        def stop(price: Fraction) -> tuple[Fraction, str] | None:
            return (price, numbers.choice(ACTIONS)) if numbers.random() < 0.25 else None

        grid = Grid(
            lower=lower,
            upper=upper,
            lines=numbers.randint(2, 24),
            geometric=numbers.random() < 0.5,
            quantity=hundredths(numbers, 2_000, 50_000) if in_quote else hundredths(numbers, 10, 500),
            in_quote=in_quote,
            mode=numbers.choice([None, None, "long", "short", "reversal"]),
            trails_up=numbers.random() < 0.5,
            trails_down=numbers.random() < 0.4,
            grows_up_to=upper + at(1, 9) if numbers.random() < 0.25 else None,
            grows_down_to=lower - at(1, 9) if numbers.random() < 0.25 else None,
            lower_stop=stop(lower - at(1, 12)),
            upper_stop=stop(upper + at(1, 12)),
            fee=numbers.choice([Fraction(0), Fraction(1, 1000), Fraction(75, 100_000)]),
            slippage=numbers.choice([Fraction(0), Fraction(0), Fraction(5, 10_000), Fraction(1, 100)]),
            tick=tick,
            lot=numbers.choice([Fraction(1, 10**8), Fraction(1, 1000), Fraction(1, 100)]),
        )
        prices = grid.prices()
        if len(set(prices)) == len(prices) and prices[0] > 0:
            return grid


def record(grid: Grid) -> botdesk.GridBot:
    """Return a bot with the settings."""
    fields: dict[str, Any] = {
        "pair": "USDT_AAA",
        "grid_type": "geometric" if grid.geometric else "arithmetic",
        "lower_price": text(grid.lower),
        "upper_price": text(grid.upper),
        "grids_quantity": str(grid.lines),
        "quantity_per_grid": text(grid.quantity),
        "order_currency_type": "quote" if grid.in_quote else "base",
        "mode": grid.mode,
        "trailing_up_enabled": "true" if grid.trails_up else "false",
        "trailing_down_enabled": grid.trails_down,
    }
    for name, price in (("up", grid.grows_up_to), ("down", grid.grows_down_to)):
        fields[f"expansion_{name}_enabled"] = "false" if price is None else "true"
        fields[f"expansion_{name}_stop_price"] = None if price is None else text(price)
    for name, stop in (("lower", grid.lower_stop), ("upper", grid.upper_stop)):
        fields[f"{name}_stop_loss_enabled"] = stop is not None
        fields[f"{name}_stop_loss_price"] = text(stop[0]) if stop else None
        fields[f"{name}_stop_loss_action"] = stop[1] if stop else "stop_bot"
    return botdesk.GridBot.from_json(json.dumps(fields))


def both(seed: int) -> tuple[GridSimulation, botdesk.Backtest]:
    """Run a random grid in both ways."""
    numbers = random.Random(seed)  # noqa: S311
    rows = history(numbers)
    grid = random_grid(numbers, Fraction(rows[0][1]))
    path = numbers.choice(PATHS)
    market: dict[str, Any] = {name: text(getattr(grid, name)) for name in ("fee", "slippage", "tick", "lot")}
    candles = [(row[0], [Fraction(price) for price in row[1:5]]) for row in rows]
    return simulate_grid(grid, candles, path), record(grid).backtest(rows, path=path, **market)


def exact(number: Decimal | None) -> Fraction:
    assert number is not None
    return Fraction(number)


@pytest.mark.parametrize("batch", range(5))
def test_a_grid_does_what_the_simulation_does(batch: int) -> None:
    moves = orders = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        simulation, run = both(seed)
        filled = [
            (round((order.time - EPOCH).total_seconds() * 1000), order.side, order.kind, Fraction(order.price),
             Fraction(order.quantity))
            for order in run.orders
        ]  # fmt: skip
        expected = [(order.time, order.side, order.kind, order.price, order.quantity) for order in simulation.orders]
        assert filled == expected, f"seed {seed}"
        summary = run.summary
        figures = (summary.profit, summary.open_profit, summary.fees, summary.budget)
        unrealized = simulation.unrealized(simulation.last)
        known = (simulation.realized, unrealized, simulation.fees, simulation.invested)
        assert tuple(map(exact, figures)) == known, f"seed {seed}"
        assert not {setting.field for setting in run.not_simulated}
        moves += simulation.moves
        orders += len(expected)
    # The candles leave the ranges, so that all this is tried.
    assert moves > BATCH // 5
    assert orders > 5 * BATCH
