"""Interrupt a function at random moments, and count the interrupts that it does not raise."""

from __future__ import annotations

import _weakrefset
import random
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

# Code in which others drop what a signal handler raises: callbacks of weak references, and an extension module of
# matplotlib, which clears any exception while it converts arrays.
DROPPING = (_weakrefset.__file__, str(Path("matplotlib", "transforms.py")))

# How many seconds to wait for an interrupt.
PATIENCE = 60.0


def is_dropping(frame: FrameType | None) -> bool:
    """Return True if a frame, or one that called it, belongs to code that drops exceptions.

    The handler itself may be what is interrupted, by a signal that it has put off.
    """
    while frame and not frame.f_code.co_filename.endswith(DROPPING):
        frame = frame.f_back
    return frame is not None


class RandomMoments:
    """Interrupts steps at random moments with the signal of a timer, whose handler does what that of Ctrl-C does."""

    def __init__(self, seed: int | None = None) -> None:
        self.delivered = 0
        self.where = ""
        # The seconds from each signal until its `KeyboardInterrupt` was caught.
        self.delays: list[float] = []
        self._due = 0.0
        self._numbers = random.Random(seed)  # noqa: S311
        signal.signal(signal.SIGALRM, self._interrupt)

    def _interrupt(self, _: int, frame: FrameType | None) -> None:
        if is_dropping(frame):
            self._signal_in(1e-3)
            return
        self.delivered += 1
        self.where = f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else ""
        raise KeyboardInterrupt

    def lost(self, step: Callable[[], object], count: int, longest: float | None = None) -> Counter[str]:
        """Interrupt a step `count` times; return the places of the interrupts that were lost.

        The signals come up to `longest` seconds after the start; by default, half as long again as the step takes.
        """
        lost = Counter[str]()
        if longest is None:
            longest = 1.5 * min(timed(step) for _ in range(5))
        for _ in range(count):
            before = self.delivered
            try:
                with suppress(_Swallowed):
                    # One at a time, so that they can be counted.
                    self._signal_in(self._numbers.uniform(1e-5, max(longest, 2e-5)))
                    self._repeat(step, before)
                lost[self.where] += 1
            except KeyboardInterrupt:
                self.delays.append(time.monotonic() - self._due)
        return lost

    def _signal_in(self, seconds: float) -> None:
        self._due = time.monotonic() + seconds
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def _repeat(self, step: Callable[[], object], before: int) -> None:
        begun = time.monotonic()
        while self.delivered == before and time.monotonic() < begun + PATIENCE:
            try:
                step()
            except Exception as error:
                if self.delivered == before:
                    raise
                # The interrupt was replaced by another error.
                raise _Swallowed from error


class _Swallowed(Exception):  # noqa: N818
    """An interrupt was replaced by an error."""


def timed(step: Callable[[], object]) -> float:
    """Run a step; return how long it takes."""
    begun = time.monotonic()
    step()
    return time.monotonic() - begun
