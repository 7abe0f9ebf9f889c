"""A year of minutes whose prices wander: the history that all backtests run over."""

from functools import cache

import numpy as np
import pyarrow as pa

MINUTES = 365 * 24 * 60
START = 1_704_067_200_000
MINUTE = 60_000

# In cents. The price returns to its mean, so that deals close.
MEAN = 4_200_000
PULL = 500
STEP = 6_000

PRICES = ("open", "high", "low", "close")


@cache
def year() -> dict[str, np.ndarray]:
    """Return the columns of the candles: milliseconds, and prices in cents."""
    chance = np.random.default_rng(1)
    steps = chance.integers(-STEP, STEP, MINUTES)
    opens = np.empty(MINUTES + 1, np.int64)
    price = MEAN
    for minute, step in enumerate(steps.tolist()):
        opens[minute] = price
        price += step + (MEAN - price) // PULL
    opens[MINUTES] = price
    wicks = chance.integers(0, STEP // 2, (2, MINUTES))
    first, last = opens[:-1], opens[1:]
    return {
        "timestamp": START + MINUTE * np.arange(MINUTES),
        "open": first,
        "high": np.maximum(first, last) + wicks[0],
        "low": np.minimum(first, last) - wicks[1],
        "close": last,
    }


def split(parts: int) -> dict[str, np.ndarray]:
    """Return the year with each minute cut into candles: the minute, then parts that stay at its close."""
    columns = year()
    times = columns["timestamp"][:, None] + MINUTE // parts * np.arange(parts)
    cut = {"timestamp": times.ravel()}
    for name in PRICES:
        column = np.repeat(columns["close"], parts)
        column[::parts] = columns[name]
        cut[name] = column
    return cut


def table(columns: dict[str, np.ndarray]) -> pa.Table:
    """Return an Arrow table of candles with prices as floats, as most sources have them."""
    times = pa.array(columns["timestamp"], pa.timestamp("ms", "UTC"))
    return pa.table({"timestamp": times, **{name: columns[name] / 100 for name in PRICES}})
