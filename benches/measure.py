"""Time contenders side by side, in turns, in one run."""

import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import ceil
from pathlib import Path
from statistics import median, quantiles
from subprocess import PIPE, Popen
from time import perf_counter, process_time

# The calls of each contender before the clock starts.
WARM_UP = 3

# Minimum seconds of a turn: long enough that most calls of a quick contender find the caches as its own calls left
# them.
FULL_TURN = 0.005

# Minimum number of turns, however slow a contender is.
FEWEST_ROUNDS = 7


@dataclass(frozen=True)
class Turn:
    """The seconds that a call took: the mean of the calls of one turn."""

    time: float
    cpu: float | None = None


# One call, or several. It may return a whole turn with its times; otherwise it is timed from outside.
Contender = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """A contender, the seconds per call in each of its turns, and the CPU seconds of this process among them."""

    name: str
    times: list[float]
    cpu: list[float] = field(default_factory=list)

    @cached_property
    def median(self) -> float:
        """The median of the times."""
        return median(self.times)

    @cached_property
    def p99(self) -> float:
        """The 99th percentile of the times; the longest if there are fewer than a hundred."""
        return quantiles(self.times, n=100)[-1] if len(self.times) >= 100 else max(self.times)  # noqa: PLR2004

    @cached_property
    def cpu_median(self) -> float | None:
        """The median of the CPU times, if they were measured."""
        return median(self.cpu) if self.cpu else None


@dataclass(frozen=True)
class Table:
    """Contenders at one task. The first row is botdesk's."""

    title: str
    about: str
    rows: list[Row]
    # Time of every row that is not spent on its task.
    floor: Row | None = None

    @property
    def peers(self) -> list[Row]:
        """The contenders that are not botdesk; none if botdesk is compared with itself."""
        others = [row for row in self.rows if "botdesk" not in row.name]
        return others if len(others) < len(self.rows) else []

    def ratio(self, name: str) -> float:
        """Return a contender's median divided by botdesk's."""
        floor = self.floor.median if self.floor else 0.0
        return (next(row.median for row in self.rows if row.name == name) - floor) / (self.rows[0].median - floor)


@dataclass(frozen=True)
class Figure:
    """A single number, without a comparison."""

    name: str
    value: str
    about: str


@dataclass(frozen=True)
class Goal:
    """A bound for a figure, and the measured value."""

    what: str
    got: float
    at_most: float | None = None
    at_least: float | None = None
    unit: str = ""

    @property
    def reached(self) -> bool:
        """True if the figure is within its bounds."""
        kept = self.at_most is None or self.got <= self.at_most
        return kept and (self.at_least is None or self.got >= self.at_least)


@dataclass
class Results:
    """All results of a run."""

    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def table(self, title: str, about: str, rows: list[Row], floor: Row | None = None) -> Table:
        """Add a table."""
        table = Table(title, about, rows, floor)
        self.tables.append(table)
        return table


def in_turns(
    contenders: Mapping[str, Contender], seconds: float, *, calls: int = 1, rounds: int = FEWEST_ROUNDS
) -> list[Row]:
    """Time contenders for a while.

    Each has one turn in every round, so what slows the machine down slows all of them down, and another one begins in
    each round, so none is always the one that follows the heaviest.

    Args:
        contenders: What each contender does, by its name; in a turn, so often as it takes to fill it.
        seconds: How long to go on.
        calls: How many calls a contender makes each time.
        rounds: Minimum number of turns.
    """
    times = {name: fill(contender) for name, contender in contenders.items()}
    order = list(contenders)
    turns: dict[str, list[Turn]] = {name: [] for name in order}
    end = perf_counter() + seconds
    made = 0
    while made < rounds or perf_counter() < end:
        for name in order:
            turns[name].append(timed(contenders[name], times[name], calls))
        order.append(order.pop(0))
        made += 1
    return [row(name, turns[name]) for name in contenders]


def fill(contender: Contender) -> int:
    """Return how many calls of a contender fill a turn."""
    for _ in range(WARM_UP):
        if isinstance(contender(), Turn):
            return 1
    # The quickest of several, because one may have been delayed.
    return ceil(FULL_TURN / min(timed(contender, 1, 1).time for _ in range(WARM_UP)))


def timed(contender: Contender, times: int, calls: int) -> Turn:
    """Time one turn of a contender."""
    cpu, start = process_time(), perf_counter()
    own: Turn | None = None
    for _ in range(times):
        result = contender()
        own = result if isinstance(result, Turn) else None
        # Freeing the result is a part of each call.
        del result
    took, spent = perf_counter() - start, process_time() - cpu
    made = times * calls
    return own or Turn(took / made, spent / made)


@contextmanager
def in_process(code: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Generator[Contender]:
    """Start Python with code that calls `for_each_line`, and yield a contender that runs one turn in it."""
    with Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=PIPE,
        stdout=PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
        env={**os.environ, **(environment or {})},
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the process has no pipes")
        stdin, stdout = process.stdin, process.stdout

        def turn() -> Turn:
            stdin.write("\n")
            stdin.flush()
            line = stdout.readline()
            if not line:
                raise RuntimeError("the process has ended")
            time, cpu = map(float, line.split())
            return Turn(time, cpu)

        yield turn
        stdin.close()


def for_each_line(work: Callable[[], object], times: int = 1) -> None:
    """Do the work for each line of the input, and print the time and the CPU time that it took once."""
    for _ in sys.stdin:
        turn = timed(work, times, 1)
        print(turn.time, turn.cpu, flush=True)


def row(name: str, turns: list[Turn]) -> Row:
    """Collect the turns of a contender in a row."""
    return Row(name, [turn.time for turn in turns], [turn.cpu for turn in turns if turn.cpu is not None])


def need_agreement(answers: Mapping[str, object]) -> None:
    """Raise an error if contenders do not give the same result."""
    for (first, expected), (name, response) in pairwise(answers.items()):
        if response != expected:
            message = f"{name} and {first} do not agree: {response!r:.200} against {expected!r:.200}"
            raise RuntimeError(message)
