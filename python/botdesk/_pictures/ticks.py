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
        """Return the labels of all ticks, with the same number of decimal places."""
        labels = briefs([float(value) for value in values])
        if any("e" in label for label in labels):
            return labels
        places = max((len(label.partition(".")[2]) for label in labels), default=0)
        return [_with_places(label, places) for label in labels]


def _with_places(label: str, places: int) -> str:
    whole, _, decimals = label.partition(".")
    return f"{whole}.{decimals:0<{places}}" if places else whole
