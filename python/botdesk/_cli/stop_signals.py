"""SIGTERM and SIGHUP, which end a command as Ctrl-C does, and what may have happened by then."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from botdesk._cli import output
from botdesk._native import _take_last_write

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import FrameType

# Service managers send SIGTERM, and a closing terminal sends SIGHUP. Windows has no SIGHUP.
_NAMES = ("SIGTERM", "SIGHUP")


class Stop:
    """The signal that stopped the command."""

    def __init__(self) -> None:
        self.signal = signal.SIGINT

    @property
    def exit_code(self) -> int:
        """The exit code, as shells write it for a signal."""
        return 128 + self.signal

    def report(self) -> None:
        """Say in one line that a write may have happened, if one was sent."""
        if (write := _take_last_write()) is not None:
            # The terminal may be closed.
            with suppress(OSError):
                output.print_error(
                    f"stopped by {self.signal.name}; {write} was sent and may have happened; check it before you "
                    "repeat it"
                )

    def interrupt(self, number: int, _: FrameType | None) -> None:
        self.signal = signal.Signals(number)
        # A second one ends the command at once.
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt


# Hosts kill a server some seconds after they have asked it to stop.
_LONGEST_STOP = 3.0


def exit_at_once(finish: Callable[[float], bool]) -> None:
    """Exit at a signal from now on, for a command whose input is read by a thread that can't be interrupted.

    Args:
        finish: Waits for at most so many seconds, and returns True if nothing is going on any more.
    """

    def leave(number: int, _: FrameType | None) -> None:
        stop = Stop()
        # It has begun; another signal changes nothing.
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        stop.signal = signal.Signals(number)
        if not finish(_LONGEST_STOP):
            stop.report()
        os._exit(stop.exit_code)

    names = ("SIGINT", *_NAMES)
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, leave)


@contextmanager
def raised() -> Generator[Stop]:
    """Raise SIGTERM and SIGHUP as a KeyboardInterrupt, unless they are ignored, as by nohup."""
    stop = Stop()
    # A write of an earlier command in this process is not of this one.
    _take_last_write()
    replaced: list[int] = []
    try:
        for number in [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]:
            if signal.getsignal(number) is signal.SIG_DFL:
                # Only the main thread may set it.
                with suppress(ValueError):
                    signal.signal(number, stop.interrupt)
                    replaced.append(number)
        yield stop
    finally:
        for number in replaced:
            signal.signal(number, signal.SIG_DFL)
