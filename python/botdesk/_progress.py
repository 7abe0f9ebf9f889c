"""The bar that shows how far a run over many records is."""

from __future__ import annotations

import sys
from time import monotonic

from botdesk.errors import ConfigurationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# For how many seconds a run goes on without a bar, where none was asked for.
_PATIENCE = 2.0


class Bar:
    """A bar of tqdm, from the beginning on, or once a run is long and somebody watches."""

    def __init__(self, operation: str, total: int, always: bool) -> None:  # noqa: FBT001 - the core calls it
        self._operation = operation
        self._total = total
        self._steps = 0
        self._bar: Any = None
        # When a bar is to appear; None for never.
        self._due: float | None = None
        if always:
            self._bar = self._drawn(_tqdm())
        elif _is_watched():
            self._due = monotonic() + _PATIENCE

    def step(self) -> None:
        """Go one step on."""
        self._steps += 1
        if self._bar is not None:
            self._bar.update()
        elif self._due is not None and monotonic() >= self._due:
            self._due = None
            self._appear()

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()

    def _appear(self) -> None:
        try:
            tqdm = _tqdm()
        except ConfigurationError:
            return  # Nobody asked for it.
        self._bar = self._drawn(tqdm)

    def _drawn(self, tqdm: Any) -> Any:  # noqa: ANN401
        return tqdm(total=self._total, initial=self._steps, desc=self._operation, unit="")


def _tqdm() -> Any:  # noqa: ANN401
    try:
        from tqdm.auto import tqdm  # noqa: PLC0415
    except ImportError as error:
        raise ConfigurationError("progress=True needs tqdm; install it with: pip install tqdm") from error
    return tqdm


def _is_watched() -> bool:
    """Whether there is a terminal or a notebook to draw in."""
    if (ipython := sys.modules.get("IPython")) is not None and hasattr(ipython.get_ipython(), "kernel"):
        return True
    return sys.stderr is not None and sys.stderr.isatty()
