"""Measure how long an event loop is blocked while four tasks fetch pages of 100 bots."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from time import perf_counter

from cryptography.hazmat.primitives.asymmetric import rsa

from benches import peers, responses, rust
from benches.calls import client
from benches.measure import Goal, Results, Row

TASKS = 4
# Seconds between two checks of the loop.
EVERY = 0.002

JSON = "aiohttp + cryptography + json"


def measure(seconds: float, results: Results) -> None:
    """Measure the lag, all contenders in one loop, in turns."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with rust.serving(responses.bot(), responses.bots_with_deals()) as url:
        account = peers.Account(url, "key", key)
        rows = asyncio.run(lags(account, seconds))
    table = results.table(
        f"Lag of the event loop while {TASKS} tasks fetch pages",
        f"The delay of a sleep of {EVERY * 1e3:g} ms; every page needs a new signature.",
        rows,
    )
    ours, other = table.rows[0], next(row for row in table.rows if row.name == JSON)
    results.goals.append(
        Goal(
            "lag of the event loop while 4 tasks fetch pages, p99, against aiohttp + json",
            ours.p99 / other.p99,
            at_most=0.2,
        )
    )


async def lags(account: peers.Account, seconds: float) -> list[Row]:
    """Let the contenders run in turns, in slices of the time."""
    ours = client(account)
    plain = peers.Aiohttp(account)
    contenders: dict[str, Callable[[int], Awaitable[object]]] = {
        "botdesk": lambda offset: ours.dca_bots.list_async(limit=responses.BOTS, offset=offset),
        JSON: lambda offset: plain.get(peers.page_path(offset)),
    }
    found: dict[str, list[float]] = {name: [] for name in contenders}
    slice_of_time = 0.5
    end = perf_counter() + seconds
    while perf_counter() < end:
        for name, call in contenders.items():
            found[name] += await lag(call, slice_of_time)
    await plain.close()
    return [Row(name, times) for name, times in found.items()]


async def lag(call: Callable[[int], Awaitable[object]], seconds: float) -> list[float]:
    """Fetch for a while, and return the delays of the loop."""
    numbers = count(1)
    end = perf_counter() + seconds

    async def fetch() -> None:
        while perf_counter() < end:
            await call(next(numbers))

    tasks = [asyncio.create_task(fetch()) for _ in range(TASKS)]
    late: list[float] = []
    while perf_counter() < end:
        start = perf_counter()
        await asyncio.sleep(EVERY)
        late.append(max(perf_counter() - start - EVERY, 0.0))
    await asyncio.gather(*tasks)
    return late
