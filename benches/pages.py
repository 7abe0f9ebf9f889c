"""Iterations over the pages of a list over a slow link, by a caller who works on each page."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import perf_counter

from cryptography.hazmat.primitives.asymmetric import rsa

import botdesk
from benches import memory, peers, responses, slow_service
from benches.calls import REQUESTS, client
from benches.measure import Contender, Figure, Goal, Results, Turn, in_turns, need_agreement

PAGES = 30

# The pages of an iterator overlap by one bot. The last one is not full, so that the list is known to end there.
BOTS = responses.BOTS + (PAGES - 2) * (responses.BOTS - 1) + responses.BOTS // 2

# Seconds that the caller works on a page.
WORK = 0.05

# An iteration takes seconds, so there are few.
ROUNDS = 3


def measure(seconds: float, results: Results) -> None:
    """Measure iterations, and the memory of their records."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with slow_service.serving(BOTS) as url, closing(peers.Requests(peers.Account(url, "key", key))) as plain:
        account = peers.Account(url, "key", key)
        walks = {"botdesk": blocking(account), "botdesk, asyncio": in_asyncio(account), REQUESTS: by_hand(plain)}
        need_agreement({name: walk(0.0) for name, walk in walks.items()})
        contenders: dict[str, Contender] = {name: lambda walk=walk: timed(walk) for name, walk in walks.items()}
        table = results.table(
            f"{PAGES} pages over a link of {slow_service.DELAY * 1e3:g} ms",
            f"All {BOTS:,} bots of a list. The service waits {slow_service.DELAY * 1e3:g} ms before each response, and "
            f"the caller sleeps {WORK * 1e3:g} ms for each 100 bots. From the second page on, botdesk requests the "
            "next page meanwhile; the loop by hand requests it afterwards.",
            in_turns(contenders, seconds, rounds=ROUNDS),
        )
        held = int(child("holding", url, account.pem.decode())) / (BOTS * len(responses.bot()))
    results.goals += [
        Goal("iterating 30 pages of 100 ms with 50 ms of work each", table.rows[0].median, at_most=3.6, unit=" s"),
        Goal("the same as coroutines", table.rows[1].median, at_most=3.6, unit=" s"),
        Goal("memory of all records of an iteration, against the bytes received", held, at_most=1.5),
    ]
    results.figures.append(
        Figure(f"memory of the {BOTS:,} records", f"{held:.2f} times their text", "what the process holds more")
    )


# Iterates over all bots, working so many seconds on each page, and returns their number.
Walk = Callable[[float], int]


def timed(walk: Walk) -> Turn:
    """Time one iteration."""
    start = perf_counter()
    walk(WORK)
    return Turn(perf_counter() - start)


def blocking(account: peers.Account) -> Walk:
    """Iterate with `for`."""
    ours = client(account)

    def walk(work: float) -> int:
        number = 0
        for number, _ in enumerate(ours.dca_bots.iter(), start=1):
            if number % responses.BOTS == 0:
                time.sleep(work)
        return number

    return walk


def in_asyncio(account: peers.Account) -> Walk:
    """Iterate with `async for`."""
    ours = client(account)

    async def walk(work: float) -> int:
        number = 0
        async for _ in ours.dca_bots.iter_async():
            number += 1
            if number % responses.BOTS == 0:
                await asyncio.sleep(work)
        return number

    return lambda work: asyncio.run(walk(work))


def by_hand(plain: peers.Requests) -> Walk:
    """Iterate with a loop over offsets."""

    def walk(work: float) -> int:
        number = 0
        while page := plain.get(peers.page_path(number)):
            number += len(page)
            if len(page) < responses.BOTS:
                break
            time.sleep(work)
        return number

    return walk


def child(function: str, *arguments: str) -> str:
    """Call a function of this module in a process of its own, and return what it returns as text."""
    script = f"import sys; from benches import pages; print(pages.{function}(*sys.argv[1:]))"
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True, cwd=Path(__file__).parents[1]).stdout


def holding(url: str, pem: str) -> int:
    """Hold all records of an iteration, and return how much the process grew."""
    ours = botdesk.Client("key", pem, base_url=url, rate_limit=None)
    # The first page also makes the connections, and loads classes.
    first = next(ours.dca_bots.iter())
    before = memory.resident()
    records = list(ours.dca_bots.iter())
    after = memory.resident()
    if len(records) != BOTS or not first:
        raise RuntimeError("the records are not held")
    return after - before
