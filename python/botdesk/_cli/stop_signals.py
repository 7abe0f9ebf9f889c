"""SIGTERM and SIGHUP, which end a command as Ctrl-C does, and what may have happened by then."""

from __future__ import annotations

import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from botdesk._cli import output
from botdesk._native import _take_last_write

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType

# Service managers send SIGTERM, and a closing terminal sends SIGHUP. Windows has no SIGHUP.
_NAMES = ("SIGTERM", "SIGHUP")


class Stop:
    """The signal that stopped the command."""

    def __init__(self) -> None:
        self._signal = signal.SIGINT

    @property
    def exit_code(self) -> int:
        """The exit code, as shells write it for a signal."""
        return 128 + self._signal

    def report(self) -> None:
        """Say in one line that a write may have happened, if one was sent."""
        if (write := _take_last_write()) is not None:
            # The terminal may be closed.
            with suppress(OSError):
                output.print_error(
                    f"stopped by {self._signal.name}; {write} was sent and may have happened; check it before you "
                    "repeat it"
                )

    def interrupt(self, number: int, _: FrameType | None) -> None:
        self._signal = signal.Signals(number)
        # A second one ends the command at once.
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt


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
