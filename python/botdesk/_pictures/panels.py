"""Divides axes into panels that share their times, and draws lines over time."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._pictures.canvas import Canvas

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from matplotlib.axes import Axes

# A line needs no more than two points in each column of a picture.
COLUMNS = 500
# matplotlib counts times in days.
_MINUTE = 1 / 1440


class Line(NamedTuple):
    """Values over time."""

    times: list[datetime]
    values: list[float]


def panels(ax: Axes | None, heights: Sequence[float], *, gap: float = 0.12, share_x: bool = True) -> list[Canvas]:
    """Divide the axes, or new ones, into panels of these heights. The first one is the axes themselves.

    `gap` is the space between panels, as a part of their mean height.
    """
    from matplotlib.gridspec import GridSpec  # noqa: PLC0415

    first = Canvas(ax, sum(heights))
    # `Any`: the types of matplotlib do not know that a grid may be in a subfigure, and that grids iterate.
    figure: Any = first.ax.figure
    place: Any = first.ax.get_subplotspec()
    if place is None:
        box = first.ax.get_position()
        place = GridSpec(1, 1, figure, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1)[0]
    top, *others = place.subgridspec(len(heights), 1, height_ratios=heights, hspace=gap)
    first.ax.set_subplotspec(top)
    below = [figure.add_subplot(part, sharex=first.ax if share_x else None) for part in others]
    for axes in below:
        axes.set_facecolor(first.ax.get_facecolor())
    return [first, *(Canvas(axes, 0) for axes in below)]


def finish_times(canvases: Sequence[Canvas]) -> None:
    """Label the shared time axis below the last panel."""
    from matplotlib import dates  # noqa: PLC0415

    # `Any`: matplotlib has no types for the formats of times.
    untyped: Any = dates
    locator = untyped.AutoDateLocator(tz=UTC)
    last = canvases[-1].ax
    start, end = last.dataLim.intervalx
    if start == end:
        # A single time would be in the middle of four years.
        last.set_xlim(start - _MINUTE, end + _MINUTE)
    else:
        last.margins(x=0.01)
    last.xaxis.set_major_locator(locator)
    last.xaxis.set_major_formatter(untyped.ConciseDateFormatter(locator, tz=UTC))
    last.set_xlabel("time, UTC")
    for canvas in canvases:
        canvas.number(canvas.ax.yaxis)
        canvas.ax.tick_params(labelbottom=canvas.ax is last)
    last.figure.align_ylabels([canvas.ax for canvas in canvases])


def shade_drawdown(canvas: Canvas, line: Line, *, step: str | None = None) -> None:
    """Shade what a profit has fallen from its highest value before."""
    import numpy as np  # noqa: PLC0415

    # Profits begin at zero.
    highest = np.maximum.accumulate(np.maximum(line.values, 0))
    # `Any`: matplotlib converts times, which its types do not know.
    times: Any = line.times
    style: dict[str, Any] = {"color": canvas.colours.loss, "alpha": 0.2, "linewidth": 0, "zorder": 1, "step": step}
    if (highest > np.asarray(line.values)).any():
        canvas.ax.fill_between(times, line.values, highest, label="drawdown", **style)


def outline(line: Line, columns: int = COLUMNS) -> Line:
    """Return a line with the extremes of each column, and with both ends: it looks the same as the whole line."""
    import numpy as np  # noqa: PLC0415

    count = len(line.values)
    if count <= 2 * columns:
        return line
    values = np.asarray(line.values)
    parts = np.array_split(np.arange(count), columns)
    extremes = {int(part[find(values[part])]) for part in parts for find in (np.argmin, np.argmax)}
    kept = sorted(extremes | {0, count - 1})
    return Line([line.times[index] for index in kept], [line.values[index] for index in kept])
