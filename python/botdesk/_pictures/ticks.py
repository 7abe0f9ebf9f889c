"""The labels of axes. Imported when the first axis is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import Formatter

from botdesk._pictures.values import brief, briefs

if TYPE_CHECKING:
    from collections.abc import Sequence


class BriefTicks(Formatter):
    """Labels with few digits, but so many that no two ticks have the same label."""

    def __call__(self, value: float, _position: int | None = None) -> str:
        """Return the label of a single value, such as that at the pointer."""
        return brief(value)

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Return the labels of all ticks."""
        return briefs([float(value) for value in values])
