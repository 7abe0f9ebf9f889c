"""Sweep the settings of a bot with a pool of processes, and walk forward.

A sweep without `executor` uses all cores by itself. A pool is for workers that exist already, or that run elsewhere.
Nothing is sent, and no account is needed.
"""

import random
from concurrent.futures import ProcessPoolExecutor

import botdesk

MINUTES = 20_000
WORKERS = 2
BOT = {
    "base_order_volume": 20,
    "safety_order_volume": 25,
    "safety_order_step_percentage": "1.2",
    "martingale_volume_coefficient": "1.3",
}


def minutes() -> botdesk.Candles:
    """Return a random walk."""
    source = random.Random(1)  # noqa: S311 - prices need not be secret
    rows: list[list[float]] = []
    price = 42_000.0
    for minute in range(MINUTES):
        end = price * (1 + source.gauss(0, 0.001))
        high, low = max(price, end) * 1.0005, min(price, end) * 0.9995
        rows.append([minute * 60_000, *(round(number, 2) for number in (price, high, low, end))])
        price = end
    return botdesk.Candles(rows)


def main() -> None:
    """Print the best combinations, and what the best of each stretch did on the next one."""
    settings = {"take_profit": ["1", "1.5", "2"], "max_safety_orders": range(2, 7)}
    with ProcessPoolExecutor(WORKERS) as pool:
        sweep = botdesk.sweep(BOT, minutes(), settings, fee="0.001", folds=5, executor=pool)
    print(sweep.best(3))
    print(sweep.folds)


if __name__ == "__main__":
    main()
