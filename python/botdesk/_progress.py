"""The progress bar of bulk operations."""

from __future__ import annotations

import sys
from time import monotonic

from botdesk._libraries import library
from botdesk.errors import ConfigurationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Seconds before a bar appears if `progress` is None.
_DELAY = 2.0


class Bar:
    """A tqdm bar, shown at once or after a delay; a delayed bar needs a terminal or a notebook."""

    def __init__(self, operation: str, total: int, always: bool) -> None:  # noqa: FBT001 - the core calls it
        self._operation = operation
        self._total = total
        self._steps = 0
        self._bar: Any = None
        # The time at which a bar appears; None for never.
        self._due: float | None = None
        if always:
            self._bar = self._new_bar(_tqdm())
        elif _has_display():
            self._due = monotonic() + _DELAY

    def step(self) -> None:
        """Advance the bar by one step."""
        self._steps += 1
        if self._bar is not None:
            self._bar.update()
        elif self._due is not None and monotonic() >= self._due:
            self._due = None
            self._appear()

    def close(self) -> None:
        """Close the bar and leave it on the screen."""
        if self._bar is not None:
            self._bar.close()

    def _appear(self) -> None:
        try:
            tqdm = _tqdm()
        except ConfigurationError:
            return  # A bar that was not requested is optional.
        self._bar = self._new_bar(tqdm)

    def _new_bar(self, tqdm: Any) -> Any:  # noqa: ANN401
        return tqdm(total=self._total, initial=self._steps, desc=self._operation, unit="")


def _tqdm() -> Any:  # noqa: ANN401
    return library("tqdm.auto", "progress=True", "pip install tqdm").tqdm


def _has_display() -> bool:
    """Return True if a terminal or a notebook can show the bar."""
    if (ipython := sys.modules.get("IPython")) is not None and hasattr(ipython.get_ipython(), "kernel"):
        return True
    return sys.stderr is not None and sys.stderr.isatty()
