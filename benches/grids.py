"""Backtests of a grid bot over a year of minutes: the run, a plain grid against a peer, and a sweep."""

import json
import os
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from typing import Any

import pandas as pd
from backtesting import Strategy
from backtesting.lib import FractionalBacktest

import botdesk
from benches import history
from benches.backtests import timed
from benches.measure import Figure, Goal, Results, for_each_line, in_process, in_turns
from benches.strategies import FEE, LOT, frame

LINES = 100
LOWER, UPPER = 25_000, 43_000
# Of each order, in the base currency, so that both simulators count the same units.
QUANTITY = "0.005"
CASH = 100_000
TICK = "0.01"

BACKTESTING = "backtesting.py, a plain grid"
# backtesting.py looks at every order in every candle, so it gets a month only, and takes long for it.
PEER_MINUTES = 30 * 24 * 60
ROUNDS_OF_SLOW = 2
# The share of sells by which the simulators may differ: backtesting.py replaces an order a candle after it filled.
MOST_DIFFERENCE = 0.05

# 1 000 grids: bounds, levels and trailing.
PARAMETERS = {
    "lower_price": [str(price) for price in range(24_000, 34_000, 1_000)],
    "upper_price": [str(price) for price in range(42_500, 45_000, 500)],
    "grids_quantity": list(range(20, 120, 10)),
    "trailing_up_enabled": [True, False],
}
# Runs a sweep on two cores each time a line comes in.
CHILD = "from benches import grids; grids.sweep_for_each_line()"


def measure(seconds: float, results: Results) -> None:
    """Measure everything about backtests of grids."""
    candles = botdesk.Candles(history.table(history.year()))
    trailing, plain = grid(trailing_up_enabled="true"), grid()
    run = with_botdesk(trailing, candles)
    orders = len(trailing.backtest(candles, fee=str(FEE), tick=TICK).orders)
    results.figures.append(Figure(f"the backtest of a grid of {LINES} lines that trails up", f"{orders} orders", ""))
    table = results.table(
        f"A grid of {LINES} lines that trails up, a year of minutes",
        f"{len(candles):,} candles, {orders} orders, exact; the run returns its figures.",
        in_turns({"botdesk": run}, seconds),
    )
    results.goals.append(
        Goal(
            f"a year of minutes, a grid of {LINES} lines, trailing up",
            table.rows[0].median * 1e3,
            at_most=5,
            unit=" ms",
        )
    )
    against_peer(plain, seconds, results)
    sweep(seconds, results)


def grid(**settings: str) -> botdesk.GridBot:
    """Return a grid bot with these settings."""
    fields = {
        "pair": "USDT_BTC",
        "lower_price": str(LOWER),
        "upper_price": str(UPPER),
        "grids_quantity": str(LINES),
        "grid_type": "geometric",
        "quantity_per_grid": QUANTITY,
        "order_currency_type": "base",
        "max_active_buy_lines": str(LINES),
        "max_active_sell_lines": str(LINES),
    }
    return botdesk.GridBot.from_json(json.dumps(fields | settings))


def with_botdesk(bot: botdesk.GridBot, candles: botdesk.Candles) -> Callable[[], botdesk.BacktestSummary]:
    """Return the backtest of botdesk, with all figures."""
    return lambda: bot.backtest(candles, fee=str(FEE), tick=TICK).summary


def against_peer(bot: botdesk.GridBot, seconds: float, results: Results) -> None:
    """Compare a plain grid with the same rules in backtesting.py."""
    candles = botdesk.Candles(history.table(history.year()).slice(0, PEER_MINUTES))
    sold = sum(order.side == "sell" for order in bot.backtest(candles, fee=str(FEE), tick=TICK).orders)
    peer = with_backtesting(frame().head(PEER_MINUTES), [float(level.price) for level in bot.levels(tick=TICK)])
    sold_there = len(peer()["_trades"])
    if abs(sold_there / sold - 1) > MOST_DIFFERENCE:
        raise RuntimeError(f"backtesting.py sold {sold_there} times, and botdesk {sold} times")
    table = results.table(
        "A plain grid in backtesting.py, a month of minutes",
        f"{len(candles):,} candles, {LINES} lines without trailing; botdesk sells {sold} times, exactly. "
        "backtesting.py calls a strategy for "
        f"each candle, which keeps the same orders and sells {sold_there} times; it counts in floats.",
        in_turns({"botdesk": with_botdesk(bot, candles), BACKTESTING: timed(peer)}, seconds, rounds=ROUNDS_OF_SLOW),
    )
    results.goals.append(Goal("the same against backtesting.py", table.ratio(BACKTESTING), at_least=1_000))


class Grid(Strategy):
    """A plain grid, candle by candle: an order that fills is replaced one line further."""

    lines: list[float] = []  # noqa: RUF012 - the peer sets parameters as attributes of the class

    def init(self) -> None:
        """Start without orders."""
        self.empty = -1

    def next(self) -> None:
        """Place the orders of the lines, or move the empty line after fills."""
        price = self.data.Close[-1]
        if self.empty < 0:
            self.empty = min(range(len(self.lines)), key=lambda line: abs(self.lines[line] - price))
            self.buy(size=self.units * (len(self.lines) - 1 - self.empty))
            self.waiting = {line: self.place(line) for line in range(len(self.lines)) if line != self.empty}
            return
        open_orders = set(map(id, self.orders))
        for line in [line for line, order in self.waiting.items() if id(order) not in open_orders]:
            del self.waiting[line]
            self.empty, filled = line, self.empty
            self.waiting[filled] = self.place(filled)

    units = round(float(QUANTITY) / LOT)

    def place(self, line: int) -> Any:  # noqa: ANN401 - backtesting.py has no types
        """Place the order of a line."""
        if line > self.empty:
            return self.sell(size=self.units, limit=self.lines[line])
        return self.buy(size=self.units, limit=self.lines[line])


def with_backtesting(candles: pd.DataFrame, lines: list[float]) -> Callable[[], Any]:
    """Return the backtest of backtesting.py, with the rules of a plain grid."""
    # Its prices are those of one unit of a quantity.
    scaled = [line * LOT for line in lines]
    volumes = candles.assign(Volume=0)
    test = FractionalBacktest(volumes, Grid, cash=CASH, commission=FEE, fractional_unit=LOT, finalize_trades=True)

    def run() -> Any:  # noqa: ANN401 - backtesting.py has no types
        # It shows a progress bar.
        with redirect_stderr(StringIO()):
            return test.run(lines=scaled)

    return run


def sweep(seconds: float, results: Results) -> None:
    """Time a sweep of grids on two cores."""
    count = 1
    for values in PARAMETERS.values():
        count *= len(values)
    with in_process(CHILD) as contender:
        rows = in_turns({"two cores": contender}, seconds)
    results.table(
        f"A sweep of {count:,} grids",
        "The year of minutes with every combination of ten lower bounds, five upper bounds, ten numbers of lines, and "
        "trailing up on and off. The process is bound to two cores.",
        rows,
    )
    results.goals.append(Goal(f"a sweep of {count:,} grids on two cores", rows[0].median, at_most=3, unit=" s"))


def sweep_for_each_line() -> None:
    """Sweep on two cores each time a line comes in, and print the time of the sweep and its CPU time."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-2:])
    candles = botdesk.Candles(history.table(history.year()))
    bot = grid()

    def run() -> None:
        found = botdesk.sweep(bot, candles, PARAMETERS, fee=str(FEE), tick=TICK, progress=False)
        if found.refused or found.missing:
            raise RuntimeError("some combinations were not run")

    for_each_line(run)
