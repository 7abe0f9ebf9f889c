"""How things are timed: side by side, in turns, in one run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter

# How often each contender runs before the clock counts.
WARM_UP = 3

# However slow a contender is, it has at least so many turns.
FEWEST_ROUNDS = 7


@dataclass(frozen=True)
class Row:
    """A contender and how long each of its turns took, in seconds."""

    name: str
    times: list[float]

    @property
    def median(self) -> float:
        """The time that half of the turns kept below."""
        return median(self.times)

    @property
    def middle(self) -> tuple[float, float]:
        """Between which times the middle half of the turns lies."""
        low, _, high = quantiles(self.times, n=4)
        return low, high


@dataclass(frozen=True)
class Table:
    """Contenders at one task. The first row is botdesk's."""

    title: str
    about: str
    rows: list[Row]
    # What every row spends before its task begins: not botdesk's doing, nor a peer's.
    floor: Row | None = None


def in_turns(contenders: Mapping[str, Callable[[], object]], seconds: float) -> list[Row]:
    """Time contenders for a while.

    Each has one turn in every round, so what slows the machine down slows all of them down, and another one begins in
    each round, so none is always the one that follows the heaviest.

    Args:
        contenders: What each contender does in one turn, by its name.
        seconds: How long to go on.
    """
    for contender in contenders.values():
        for _ in range(WARM_UP):
            contender()
    order = list(contenders)
    times: dict[str, list[float]] = {name: [] for name in order}
    end = perf_counter() + seconds
    rounds = 0
    while rounds < FEWEST_ROUNDS or perf_counter() < end:
        for name in order:
            contender = contenders[name]
            start = perf_counter()
            contender()
            times[name].append(perf_counter() - start)
        order.append(order.pop(0))
        rounds += 1
    return [Row(name, times[name]) for name in contenders]


def need_agreement(answers: Mapping[str, object]) -> None:
    """Refuse to compare contenders that do not give the same answer."""
    (first, expected), *others = answers.items()
    for name, answer in others:
        if answer != expected:
            message = f"{name} and {first} do not agree: {answer!r:.200} against {expected!r:.200}"
            raise RuntimeError(message)
