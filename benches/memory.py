"""Measure the memory that records hold, and that an iteration over many of them needs."""

import gc
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import botdesk
from benches import responses
from benches.measure import Figure, Goal, Results, Row

# The number of pages in memory at once.
PAGES = 40

FEW, MANY = 100, 10_000


def measure(seconds: float, results: Results) -> None:
    """Measure the memory of records, and the iteration."""
    held(results)
    walk(seconds, results)


def held(results: Results) -> None:
    """Compare the memory of a record with the size of its JSON."""
    for name, page in (("without deals", responses.bots()), ("with deals", responses.bots_with_deals())):
        ratio = grown(page) / (len(page) * PAGES)
        results.figures.append(
            Figure(
                f"memory of {PAGES * responses.BOTS:,} records {name}",
                f"{ratio:.2f} times their text",
                "what the process holds more",
            )
        )
        if page == responses.bots():
            results.goals.append(Goal("memory held per record, against its JSON text", ratio, at_most=1.3))


def grown(page: bytes) -> int:
    """Measure how much a process grows when it holds many pages of records."""
    script = "import sys; from benches import memory; page = sys.stdin.buffer.read(); print(memory.holding(page))"
    done = subprocess.run(
        [sys.executable, "-c", script], input=page, capture_output=True, check=True, cwd=Path(__file__).parents[1]
    )
    return int(done.stdout)


def holding(page: bytes) -> int:
    """Hold many pages of records in a child process, and return how much it grew."""
    # The first pages also load classes and grow the allocator.
    first = botdesk.DcaBot.list_from_json(page)
    before = resident()
    pages = [botdesk.DcaBot.list_from_json(page) for _ in range(PAGES)]
    after = resident()
    if len(pages) != PAGES or not first:
        raise RuntimeError("the pages are not held")
    return after - before


def resident() -> int:
    """Return the memory of the process, if Linux reports it."""
    gc.collect()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text("ascii").splitlines())
    return int(status["RssAnon"].split()[0]) << 10


def walk(seconds: float, results: Results) -> None:
    """Iterate over few and over many bots, page by page from the sandbox."""
    with botdesk.Sandbox(bots=FEW) as few, botdesk.Sandbox(bots=MANY) as many:
        clients = {FEW: few.client(), MANY: many.client()}
        times: dict[int, list[float]] = {FEW: [], MANY: []}
        end = perf_counter() + seconds
        while perf_counter() < end or len(times[MANY]) < 3:  # noqa: PLR2004
            for bots, client in clients.items():
                # A turn over few bots is too short to time on its own.
                rounds = max(MANY // bots // 10, 1)
                start = perf_counter()
                for _ in range(rounds):
                    walked = sum(1 for _ in client.dca_bots.iter())
                    if walked != bots:
                        raise RuntimeError(f"{walked} of {bots} bots")
                times[bots].append((perf_counter() - start) / (rounds * bots))
    rows = [Row(f"{bots:,} bots", times[bots]) for bots in (FEW, MANY)]
    table = results.table(
        "Walking over bots", "`dca_bots.iter()` over all bots of the sandbox; the cost of each bot.", rows
    )
    results.goals.append(
        Goal("iterating 10 000 bots against 100: cost per bot", table.ratio(f"{MANY:,} bots"), at_most=1.1)
    )
