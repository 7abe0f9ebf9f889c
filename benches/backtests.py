"""Backtests of a DCA bot over a year of minutes: the run, the preparation of the candles, and sweeps."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from time import perf_counter, process_time
from typing import Any

from dask import distributed

import botdesk
from benches import history
from benches.measure import Contender, Figure, Goal, Results, Turn, for_each_line, in_process, in_turns
from benches.strategies import BOT, FEE, frame, with_backtesting, with_botdesk, with_vectorbt

VECTORBT = "vectorbt `from_signals`, the take profit alone"
BACKTESTING = "backtesting.py, the same rules"

# backtesting.py takes more than ten seconds for each run.
ROUNDS_OF_SLOW = 5
# The difference of two simulators that fill the same orders: market orders of backtesting.py fill a candle later.
MOST_DIFFERENCE = 0.05

PARTS = 10

# 1 000 combinations.
PARAMETERS = {
    "take_profit": [f"{percent / 100:.2f}" for percent in range(100, 300)],
    "max_safety_orders": list(range(2, 7)),
}
WORKERS, GAIN_OF_WORKERS = 4, 3.2

# Runs a sweep on some cores each time a line comes in, and prints its seconds and its CPU seconds.
CHILD = "import sys; from benches import backtests; backtests.sweep_for_each_line(int(sys.argv[1]))"


def measure(seconds: float, results: Results) -> None:
    """Measure everything about backtests."""
    candles = botdesk.Candles(history.table(history.year()))
    figures = with_botdesk(candles)()
    results.figures.append(
        Figure("the backtest", f"{figures.deals} deals", f"with up to {figures.most_safety_orders} safety orders each")
    )
    against_peers(candles, figures, seconds, results)
    more_candles(candles, seconds, results)
    preparation(candles, seconds, results)
    sweeps(seconds, results)
    sweeps_on_dask(seconds, results)


def against_peers(candles: botdesk.Candles, figures: botdesk.BacktestSummary, seconds: float, results: Results) -> None:
    """Compare one backtest with those of the peers."""
    about = f"{len(candles):,} candles, {figures.deals} deals, exact; botdesk runs the bot with 6 safety orders"
    rows = {"botdesk": with_botdesk(candles), VECTORBT: with_vectorbt(frame())}
    table = results.table(
        "A year of minutes, against vectorbt",
        f"{about} and returns its figures. vectorbt knows no ladder of safety orders, so it buys once for each deal; "
        "the time is that of `from_signals` alone, without reading any figure of its result.",
        in_turns(rows, seconds),
    )
    results.goals += [
        Goal(f"a year of minutes, {figures.deals} deals", table.rows[0].median * 1e3, at_most=2, unit=" ms"),
        Goal(f"the same against {VECTORBT}", table.ratio(VECTORBT), at_least=80),
    ]
    strategy = with_backtesting(frame())
    deals = closed_deals(strategy())
    if abs(deals / figures.deals - 1) > MOST_DIFFERENCE:
        raise RuntimeError(f"backtesting.py closed {deals} deals, and botdesk {figures.deals}")
    table = results.table(
        "The same rules in backtesting.py",
        f"{about} and returns its figures. backtesting.py calls a strategy for each candle, which places the same "
        f"orders and closes {deals} deals; its market orders fill one candle later, and it counts in floats.",
        in_turns({"botdesk": with_botdesk(candles), BACKTESTING: timed(strategy)}, seconds, rounds=ROUNDS_OF_SLOW),
    )
    results.goals.append(Goal("the same against backtesting.py", table.ratio(BACKTESTING), at_least=4_000))


def closed_deals(stats: Any) -> int:  # noqa: ANN401 - backtesting.py has no types
    """Count the deals: the trades of a deal close together."""
    return len(set(stats["_trades"]["ExitTime"]))


def timed(contender: Callable[[], object]) -> Contender:
    """Return a contender whose turn is one call, without calls that fill a turn."""

    def turn() -> Turn:
        cpu, start = process_time(), perf_counter()
        contender()
        return Turn(perf_counter() - start, process_time() - cpu)

    return turn


def more_candles(candles: botdesk.Candles, seconds: float, results: Results) -> None:
    """Compare the backtest with one of the same path in more candles."""
    more = botdesk.Candles(history.table(history.split(PARTS)))
    year, finer = f"{len(candles):,} candles", f"{len(more):,} candles"
    if with_botdesk(more)().profit != with_botdesk(candles)().profit:
        raise RuntimeError("the same path has another profit")
    table = results.table(
        "The same path in ten times as many candles",
        "Each minute is cut into ten candles, of which nine stay at its close. The orders are the same.",
        in_turns({year: with_botdesk(candles), finer: with_botdesk(more)}, seconds),
    )
    results.goals.append(Goal("the same path in ten times as many candles", table.ratio(finer), at_most=1.3))


def preparation(candles: botdesk.Candles, seconds: float, results: Results) -> None:
    """Time the check and the index of candles."""
    table = history.table(history.year())
    rows = in_turns({"botdesk.Candles": lambda: botdesk.Candles(table)}, seconds)
    results.table(
        "Candles from an Arrow table", f"{len(candles):,} candles from a table of pyarrow with prices as floats.", rows
    )
    results.goals.append(
        Goal("`Candles` from an Arrow table of a year of minutes", rows[0].median * 1e3, at_most=40, unit=" ms")
    )


def sweeps(seconds: float, results: Results) -> None:
    """Time a sweep on one core and on two."""
    count = len(PARAMETERS["take_profit"]) * len(PARAMETERS["max_safety_orders"])
    with ExitStack() as stack:
        two, one = (stack.enter_context(in_process(CHILD, str(cores))) for cores in (2, 1))
        rows = in_turns({"two cores": two, "one core": one}, seconds)
    table = results.table(
        f"A sweep of {count:,} combinations",
        f"The year of minutes with every combination of {len(PARAMETERS['take_profit'])} values of `take_profit` and "
        f"{len(PARAMETERS['max_safety_orders'])} of `max_safety_orders`. Each process is bound to its cores.",
        rows,
    )
    results.goals += [
        Goal(f"a sweep of {count:,} combinations on two cores", rows[0].median, at_most=2.5, unit=" s"),
        Goal("the same sweep on one core, against two", table.ratio("one core"), at_least=1.8),
    ]


def sweeps_on_dask(seconds: float, results: Results) -> None:
    """Time a sweep on a dask cluster of four processes, and on one of a single process."""
    candles = botdesk.Candles(history.table(history.year()))
    with ExitStack() as stack:
        contenders = {
            f"{count} process{'es' if count > 1 else ''}": on_dask(stack, candles, count) for count in (WORKERS, 1)
        }
        rows = in_turns(contenders, seconds, rounds=ROUNDS_OF_SLOW)
    table = results.table(
        "The same sweep on a dask cluster of this machine",
        f"Each process has one thread. This machine has {os.cpu_count()} cores, and no more can be gained.",
        rows,
    )
    results.goals.append(
        Goal("the sweep on one process of dask, against four", table.ratio("1 process"), at_least=GAIN_OF_WORKERS)
    )


def on_dask(stack: ExitStack, candles: botdesk.Candles, processes: int) -> Contender:
    """Start a dask cluster; return a sweep on it."""
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
    cluster = stack.enter_context(distributed.LocalCluster(n_workers=processes, **options))
    client = stack.enter_context(distributed.Client(cluster))
    executor = client.get_executor()
    return timed(lambda: botdesk.sweep(BOT, candles, PARAMETERS, fee=str(FEE), progress=False, executor=executor))


def sweep_for_each_line(cores: int) -> None:
    """Sweep on some cores each time a line comes in, and print the time of the sweep and its CPU time."""
    if hasattr(os, "sched_setaffinity"):
        # The last ones, because system work is often on the first.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-cores:])
    candles = botdesk.Candles(history.table(history.year()))

    def sweep() -> None:
        found = botdesk.sweep(BOT, candles, PARAMETERS, fee=str(FEE), progress=False)
        if found.refused or found.missing:
            raise RuntimeError("some combinations were not run")

    for_each_line(sweep)
