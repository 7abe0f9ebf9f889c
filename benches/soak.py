"""A long run: many calls from many asyncio tasks through a sandbox with random faults.

`python -m benches.soak` makes 100,000 calls, `--requests N` another number. It fails where memory, file handles,
threads or tasks grow after the first tenth, or where a write is not accounted for.
"""

import argparse
import asyncio
import gc
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import botdesk

TASKS = 64
SHARE = 0.02
SEED = 1
PARTS = 10
# A sandbox keeps the newest 10,000 requests, and a call may be retried.
MAX_CONCURRENCY = 4_000
# One call in this many is a write.
WRITES_EACH = 4

# Memory that the allocator may keep; a leak of a hundred bytes per call would exceed it.
GROWTH = 10 << 20

# How often a write may have been carried out, by the outcome that the caller saw.
CARRIED_OUT: dict[str, set[int]] = {
    "done": {1},
    # The service reported success; only its response can't be decoded.
    "DecodeError": {1},
    "OutcomeUnknownError": {0, 1},
    # The fault rejects the request before it is carried out.
    "RateLimitedError": {0},
    "ServerError": {0},
    "ConnectionFailedError": {0},
}


@dataclass(frozen=True)
class Usage:
    """The memory, file handles, threads and tasks of the process."""

    memory: int
    handles: int
    threads: int
    tasks: int

    @classmethod
    def now(cls) -> "Usage":
        """Measure them, from what Linux reports in /proc."""
        gc.collect()
        own = Path("/proc/self")
        status = dict(line.split(":", 1) for line in (own / "status").read_text("ascii").splitlines())
        return cls(
            memory=int(status["VmRSS"].split()[0]) << 10,
            handles=sum(1 for _ in (own / "fd").iterdir()),
            threads=int(status["Threads"]),
            tasks=len(asyncio.all_tasks()),
        )

    def __str__(self) -> str:
        """Format it as one line."""
        return f"{self.memory / 2**20:.1f} MiB, {self.handles} file handles, {self.threads} threads, {self.tasks} tasks"


@dataclass
class Soak:
    """A run, and its outcome."""

    client: botdesk.Client
    sandbox: botdesk.Sandbox
    bots: list[int]
    numbers: "count[int]" = field(default_factory=lambda: count(1))
    outcome_counts: Counter[str] = field(default_factory=Counter)
    writes: int = 0
    carried_out: int = 0
    problems: list[str] = field(default_factory=list)

    async def part(self, calls: int) -> None:
        """Make a number of calls, and check the writes among them."""
        while calls > 0:
            some = min(calls, MAX_CONCURRENCY)
            outcomes: dict[int, str] = {}
            left = iter(range(some))
            await asyncio.gather(*(self._worker(left, outcomes) for _ in range(TASKS)))
            self._account(outcomes)
            calls -= some

    async def _worker(self, left: Iterator[int], outcomes: dict[int, str]) -> None:
        for _ in left:
            number = next(self.numbers)
            writes = number % WRITES_EACH == 0
            try:
                if writes:
                    await self.client.grid_bots.set_note_async(201, f"write {number}")
                else:
                    await self.client.dca_bots.get_async(self.bots[number % len(self.bots)])
                outcome = "done"
            except botdesk.BotdeskError as error:
                outcome = type(error).__name__
            self.outcome_counts[f"{'write' if writes else 'read'}: {outcome}"] += 1
            if writes:
                outcomes[number] = outcome

    def _account(self, outcomes: dict[int, str]) -> None:
        """Compare the outcomes that the callers saw with the requests that the sandbox carried out."""
        done: Counter[int] = Counter()
        for request in self.sandbox.requests:
            note = re.search(r"write (\d+)", request.body)
            if note and request.carried_out:
                done[int(note[1])] += 1
        for number, outcome in outcomes.items():
            if done[number] not in CARRIED_OUT.get(outcome, set()):
                self.problems.append(f"write {number} was carried out {done[number]} times; the caller: {outcome}")
        self.writes += len(outcomes)
        self.carried_out += sum(done[number] for number in outcomes)


def growth(first: Usage, last: Usage, before: Usage) -> list[str]:
    """Return what grew after the first tenth."""
    found = [
        f"{name} grew from {was} to {now}"
        for name, was, now in (
            ("the number of threads", first.threads, last.threads),
            ("the number of tasks", first.tasks, last.tasks),
        )
        if now > was
    ]
    # Each connection has both ends in this process; one that is opened while another becomes free is kept.
    if last.handles > before.handles + 3 * TASKS:
        found.append(f"the number of file handles grew from {before.handles} to {last.handles}")
    if last.memory > first.memory + GROWTH:
        found.append(f"the memory grew from {first.memory >> 20} to {last.memory >> 20} MiB")
    return found


async def soak(calls: int, share: float) -> list[str]:
    """Run, print the outcome, and return the problems."""
    async with botdesk.Sandbox() as sandbox:
        client = sandbox.client().with_options(retries=botdesk.RetryPolicy(3, backoff=0.001))
        bots = [bot.id for bot in await client.dca_bots.list_async() if bot.id is not None]
        sandbox.faults.random(share=share, seed=SEED)
        run = Soak(client, sandbox, bots)
        before, begun = Usage.now(), time.monotonic()
        await run.part(calls // PARTS)
        first = Usage.now()
        await run.part(calls - calls // PARTS)
        last, took = Usage.now(), time.monotonic() - begun
        faults = len(sandbox.faults.happened)
    print(f"{calls:,} calls from {TASKS} tasks in {took:.1f} s ({calls / took:,.0f} a second), {faults:,} faults")
    print(f"before:            {before}", f"after the first tenth: {first}", f"at the end:        {last}", sep="\n")
    print(*(f"{outcome}: {times:,}" for outcome, times in sorted(run.outcome_counts.items())), sep="\n")
    print(f"{run.writes:,} writes, {run.carried_out:,} carried out, none twice" if not run.problems else "")
    return [*run.problems, *growth(first, last, before)]


def main() -> int:
    """Run with the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benches.soak", description="Run botdesk for long.")
    parser.add_argument("--requests", type=int, default=100_000, help="how many calls (default: %(default)s)")
    parser.add_argument("--share", type=float, default=SHARE, help="of how many faults come (default: %(default)s)")
    arguments = parser.parse_args()
    problems = asyncio.run(soak(arguments.requests, arguments.share))
    print(*problems, sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
