"""Time contenders side by side, in turns, in one run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from statistics import median, quantiles
from time import perf_counter, process_time

# How often each contender runs before the clock counts.
WARM_UP = 3

# So long a turn lasts at the least: most calls of a quick contender then find the caches as they left them themselves,
# and not as the contender before them did.
FULL_TURN = 0.005

# However slow a contender is, it has at least so many turns.
FEWEST_ROUNDS = 7


@dataclass(frozen=True)
class Turn:
    """The seconds that a call took: the mean of the calls of one turn."""

    time: float
    cpu: float | None = None


# One call, or several. It may make a whole turn and tell what a call took; otherwise it is timed from outside.
Contender = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """A contender, how long a call took in each of its turns, and how much of it was this process's CPU, in seconds."""

    name: str
    times: list[float]
    cpu: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The time that half of the turns kept below."""
        return median(self.times)

    @property
    def p99(self) -> float:
        """The time that all but one turn of a hundred kept below; the longest where there are fewer."""
        return quantiles(self.times, n=100)[-1] if len(self.times) >= 100 else max(self.times)  # noqa: PLR2004

    @property
    def cpu_median(self) -> float | None:
        """The CPU that half of the turns kept below, where it was measured."""
        return median(self.cpu) if self.cpu else None


@dataclass(frozen=True)
class Table:
    """Contenders at one task. The first row is botdesk's."""

    title: str
    about: str
    rows: list[Row]
    # What every row spends before its task begins: not botdesk's doing, nor a peer's.
    floor: Row | None = None

    def ratio(self, name: str) -> float:
        """Tell a contender's median over botdesk's."""
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
    """A figure to reach, and what was got."""

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
    """All that a run gave."""

    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def table(self, title: str, about: str, rows: list[Row], floor: Row | None = None) -> Table:
        """Add a table."""
        table = Table(title, about, rows, floor)
        self.tables.append(table)
        return table


def in_turns(contenders: Mapping[str, Contender], seconds: float, *, calls: int = 1) -> list[Row]:
    """Time contenders for a while.

    Each has one turn in every round, so what slows the machine down slows all of them down, and another one begins in
    each round, so none is always the one that follows the heaviest.

    Args:
        contenders: What each contender does, by its name; in a turn, so often as it takes to fill it.
        seconds: How long to go on.
        calls: How many calls a contender makes each time.
    """
    times = {name: fill(contender) for name, contender in contenders.items()}
    order = list(contenders)
    turns: dict[str, list[Turn]] = {name: [] for name in order}
    end = perf_counter() + seconds
    rounds = 0
    while rounds < FEWEST_ROUNDS or perf_counter() < end:
        for name in order:
            turns[name].append(timed(contenders[name], times[name], calls))
        order.append(order.pop(0))
        rounds += 1
    return [row(name, turns[name]) for name in contenders]


def fill(contender: Contender) -> int:
    """Tell how often a contender does what it does in a full turn."""
    for _ in range(WARM_UP):
        if isinstance(contender(), Turn):
            return 1
    # The quickest of several, for one may have been held up.
    return ceil(FULL_TURN / min(timed(contender, 1, 1).time for _ in range(WARM_UP)))


def timed(contender: Contender, times: int, calls: int) -> Turn:
    """Let a contender have its turn."""
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


def row(name: str, turns: list[Turn]) -> Row:
    """Gather the turns of a contender."""
    return Row(name, [turn.time for turn in turns], [turn.cpu for turn in turns if turn.cpu is not None])


def need_agreement(answers: Mapping[str, object]) -> None:
    """Refuse to compare contenders that do not give the same answer."""
    for (first, expected), (name, answer) in pairwise(answers.items()):
        if answer != expected:
            message = f"{name} and {first} do not agree: {answer!r:.200} against {expected!r:.200}"
            raise RuntimeError(message)
