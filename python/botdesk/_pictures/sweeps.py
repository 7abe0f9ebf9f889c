"""The pictures of sweeps: the objective over one setting or two, and the best combination of each stretch."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._pictures.colours import text_colour_on
from botdesk._pictures.panels import panels
from botdesk._pictures.values import amount, brief, common_quote, duration, one_line, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from botdesk._native import Sweep
    from botdesk._pictures.canvas import Canvas

_LINE, _FOLDS = 3.2, 1.9
# The height of a heat map: of its rows, and of its least and most.
_ROW, _LEAST_MAP, _MOST_MAP = 0.36, 3.4, 6.0
# An axis has no room for more labels, and a cell of a larger map none for its value.
_MOST_LABELS = 12
_BAR = 0.38
# A float has no more digits.
_MAX_DIGITS = 17
_SECONDS_OF_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


class _Pattern(NamedTuple):
    """The marks of combinations without a figure: in a heat map, and below a line."""

    name: str
    hatch: str
    marker: str


# The reasons why combinations have no figure.
_EMPTY = {
    "refused": _Pattern("hatched", "////", "x"),
    "not run": _Pattern("dotted", "..", "|"),
    "without a value": _Pattern("crossed", "xx", "+"),
}
_BEST = {"marker": "*", "linestyle": "none", "markersize": 13, "zorder": 4, "clip_on": False}
_OWN: dict[str, Any] = {"marker": "o", "markersize": 8, "markerfacecolor": "none", "markeredgewidth": 1.6}
# A title has no room for longer lines.
_LONGEST_LINE = 96
# Durations are in the largest unit of which the longest has at least as many.
_FEWEST = 2


class _Setting(NamedTuple):
    """A setting on an axis, with its values in the order in which they are drawn."""

    name: str
    label: str
    values: list[str]
    # The index of the value of each place of the sweep.
    order: dict[int, int]
    # None if the values are not numbers.
    numbers: list[float] | None
    # Where the bot's own value is among them: between two numbers, too. None if it is outside, or if the bot has none.
    own: float | None


class _Figure(NamedTuple):
    """The objective: its name, its unit, and what a number of it means."""

    name: str
    unit: str
    # Divides durations, which are drawn in the unit.
    seconds: float
    less_is_better: bool

    @property
    def label(self) -> str:
        return f"{self.name}, {self.unit}" if self.unit else self.name

    def number(self, value: Decimal | timedelta | int | None) -> float:
        """Return the number that is drawn; NaN for None."""
        if value is None:
            return nan
        return value.total_seconds() / self.seconds if isinstance(value, timedelta) else float(value)

    def shown(self, value: Decimal | timedelta | int | None) -> str:
        if isinstance(value, timedelta):
            return duration(value)
        if self.unit == "%" and value is not None:
            return percent(value)
        return amount(value, self.unit) if isinstance(value, Decimal) else str(value)

    def better(self, one: float, other: float) -> bool:
        return one < other if self.less_is_better else one > other


class _Cells(NamedTuple):
    """The best number of each cell, and why others are empty."""

    numbers: dict[tuple[int, int], float]
    empty: dict[tuple[int, int], str]


def sweep(result: Sweep, ax: Axes | None, x: int, y: int | None) -> Axes:
    """Draw the objective over the settings at these places, and the folds below."""
    figure = _figure(result)
    settings = [_setting(*each, own) for each, own in zip(result._settings, result._own, strict=True)]  # noqa: SLF001
    shown = settings[x], (None if y is None else settings[y])
    cells = _cells(result, figure, x, y, settings)
    heights = [_LINE if shown[1] is None else _map_height(shown[1])]
    folds = list(result.folds)
    canvases = panels(ax, [*heights, _FOLDS] if folds else heights, gap=0.3, share_x=False)
    canvas = canvases[0]
    if shown[1] is None:
        _line(canvas, cells, figure, shown[0])
    else:
        _heat_map(canvas, cells, figure, (shown[0], shown[1]))
    labels = {"x": shown[0].label, "y": shown[1].label if shown[1] else figure.label}
    title = _title(result, figure, settings, (x, y))
    canvas.finish(_wrapped([*title, _empty(cells)] if shown[1] else title), **labels)
    canvas.legend()
    if folds:
        _walk_forward(canvases[1], folds, figure)
    return canvas.ax


def _figure(result: Sweep) -> _Figure:
    name = result.objective
    values = [getattr(point.summary, name) for point in result]
    durations = [value.total_seconds() for value in values if isinstance(value, timedelta)]
    less: bool = result._less_is_better  # noqa: SLF001
    if durations:
        longest = max(durations)
        unit, seconds = next(
            (each for each in _SECONDS_OF_UNITS if longest >= _FEWEST * each[1]), _SECONDS_OF_UNITS[-1]
        )
        return _Figure(name, unit, seconds, less)
    if "percentage" in name or name == "time_in_market":
        return _Figure(name, "%", 1, less)
    is_amount = any(isinstance(value, Decimal) for value in values)
    return _Figure(name, common_quote(result._pairs) if is_amount else "", 1, less)  # noqa: SLF001


def _setting(name: str, unit: str | None, values: Sequence[str], own: str | None) -> _Setting:
    """Return a setting; numbers are drawn from the least to the largest."""
    numbers = _numbers(values)
    order = list(range(len(values))) if numbers is None else sorted(range(len(values)), key=numbers.__getitem__)
    return _Setting(
        name,
        f"{name}, {unit}" if unit and numbers else name,
        [one_line(values[place]) for place in order],
        {place: index for index, place in enumerate(order)},
        None if numbers is None else [numbers[place] for place in order],
        _place_of(own, values, numbers),
    )


def _place_of(own: str | None, values: Sequence[str], numbers: Sequence[float] | None) -> float | None:
    """Return the place of a value among others."""
    import numpy as np  # noqa: PLC0415

    if own is None or numbers is None:
        return float(values.index(own)) if own in values else None
    number = (_numbers([own]) or [nan])[0]
    if not min(numbers) <= number <= max(numbers):
        return None
    return float(np.interp(number, sorted(numbers), range(len(numbers))))


def _numbers(values: Iterable[str]) -> list[float] | None:
    try:
        return [float(value) for value in values]
    except ValueError:
        return None


def _cells(result: Sweep, figure: _Figure, x: int, y: int | None, settings: Sequence[_Setting]) -> _Cells:
    """Return the cells: of combinations that differ in other settings only, the best one counts."""
    done, refused, missing = result._places  # noqa: SLF001

    def cell(places: Sequence[int]) -> tuple[int, int]:
        return settings[x].order[places[x]], 0 if y is None else settings[y].order[places[y]]

    numbers: dict[tuple[int, int], float] = {}
    empty: dict[tuple[int, int], str] = {}
    for reason, combinations in (("refused", refused), ("not run", missing)):
        empty.update((cell(places), reason) for places in combinations)
    for places, point in zip(done, result, strict=True):
        at, number = cell(places), figure.number(getattr(point.summary, figure.name))
        if number != number:  # noqa: PLR0124 (it is not a number)
            empty[at] = "without a value"
        elif at not in numbers or figure.better(number, numbers[at]):
            numbers[at] = number
    return _Cells(numbers, {at: reason for at, reason in empty.items() if at not in numbers})


def _best(cells: _Cells, figure: _Figure) -> tuple[int, int] | None:
    """Return the best cell; of equal ones the first."""
    best = None
    for at, number in sorted(cells.numbers.items()):
        if best is None or figure.better(number, cells.numbers[best]):
            best = at
    return best


def _line(canvas: Canvas, cells: _Cells, figure: _Figure, setting: _Setting) -> None:
    import numpy as np  # noqa: PLC0415

    places = setting.numbers or [float(place) for place in range(len(setting.values))]
    found = sorted(cells.numbers.items())
    style: dict[str, Any] = {"marker": "o", "markersize": 4, "linewidth": 1.3, "zorder": 2}
    if setting.numbers is None:
        # Nothing is drawn between values that are not numbers.
        style["linestyle"] = "none"
        canvas.ax.set_xticks(*_labels(setting))
    else:
        canvas.number(canvas.ax.xaxis)
    numbers = [number for _, number in found]
    canvas.ax.plot([places[at] for (at, _), _ in found], numbers, color=canvas.colours.order, **style)
    if (best := _best(cells, figure)) is not None:
        star: dict[str, Any] = {**_BEST, "color": canvas.colours.average, "label": "best"}
        canvas.ax.plot([places[best[0]]], [cells.numbers[best]], **star)
    if setting.own is not None:
        own = float(np.interp(setting.own, range(len(places)), places))
        line: dict[str, Any] = {"color": canvas.colours.profit, "linestyle": "--", "linewidth": 1.3, "zorder": 1}
        canvas.ax.axvline(own, label="the bot's own setting", **line)
    if numbers and min(numbers) < 0 < max(numbers):
        canvas.ax.axhline(0, color=canvas.colours.soft, linewidth=1, zorder=1)
    for reason, pattern in _EMPTY.items():
        if at := [places[place] for (place, _), found in sorted(cells.empty.items()) if found == reason]:
            below: dict[str, Any] = {"marker": pattern.marker, "linestyle": "none", "color": canvas.colours.loss}
            canvas.ax.plot(at, [0.03] * len(at), label=reason, transform=canvas.ax.get_xaxis_transform(), **below)
    canvas.number(canvas.ax.yaxis)


def _heat_map(canvas: Canvas, cells: _Cells, figure: _Figure, settings: tuple[_Setting, _Setting]) -> None:
    import numpy as np  # noqa: PLC0415
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    columns, rows = (len(setting.values) for setting in settings)
    numbers = np.full((rows, columns), nan)
    for (column, row), number in cells.numbers.items():
        numbers[row, column] = number
    # The brighter, the better.
    colours = "viridis_r" if figure.less_is_better else "viridis"
    mesh = canvas.ax.pcolormesh(np.ma.masked_invalid(numbers), cmap=colours)
    if cells.numbers:
        # `Any`: the types of matplotlib do not know the border of a colour bar.
        drawn: Any = canvas.ax.figure
        bar = drawn.colorbar(mesh, ax=canvas.ax)
        canvas.number(bar.ax.yaxis)
        bar.set_label(figure.label, parse_math=False)
        bar.outline.set_visible(False)
    for place, reason in cells.empty.items():
        hatch = _EMPTY[reason].hatch
        style: dict[str, Any] = {"fill": False, "hatch": hatch, "edgecolor": canvas.colours.soft, "linewidth": 0}
        canvas.ax.add_patch(Rectangle(place, 1, 1, **style))
    if (best := _best(cells, figure)) is not None:
        frame: dict[str, Any] = {"fill": False, "edgecolor": canvas.colours.loss, "linewidth": 2, "zorder": 4}
        canvas.ax.add_patch(Rectangle(best, 1, 1, clip_on=False, **frame))
    _mark_own(canvas, settings)
    if columns <= _MOST_LABELS and rows <= _MOST_LABELS:
        _write_numbers(canvas, cells, mesh)
    canvas.ax.set_xticks(*_labels(settings[0], middle=0.5))
    canvas.ax.set_yticks(*_labels(settings[1], middle=0.5))
    canvas.ax.set(xlim=(0, columns), ylim=(0, rows))


def _mark_own(canvas: Canvas, settings: tuple[_Setting, _Setting]) -> None:
    """Mark the settings that the bot has."""
    column, row = (setting.own for setting in settings)
    if column is None or row is None:
        return
    # A ring around the number of a cell, in two colours, which are visible on every colour of the map.
    for size, colour in ((30, canvas.colours.paper), (26, canvas.colours.price)):
        ring: dict[str, Any] = {"marker": "o", "markersize": size, "markerfacecolor": "none", "markeredgewidth": 1.6}
        canvas.ax.plot([column + 0.5], [row + 0.5], color=colour, zorder=4, linestyle="none", **ring)
    canvas.ax.plot([], [], color=canvas.colours.price, linestyle="none", label="the bot's own setting", **_OWN)


def _write_numbers(canvas: Canvas, cells: _Cells, mesh: Any) -> None:  # noqa: ANN401
    """Write the number into each cell, in the colour that is easier to read on it."""
    texts = _shorts(list(cells.numbers.values()))
    for ((column, row), number), text in zip(cells.numbers.items(), texts, strict=True):
        style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "x-small"}
        colour = text_colour_on(mesh.to_rgba(number))
        canvas.ax.text(column + 0.5, row + 0.5, text, color=colour, **style)


def _shorts(numbers: Sequence[float], digits: int = 3) -> list[str]:
    """Format numbers with three digits, or more if two different ones would look the same, and without an exponent."""
    places = max(0, digits - 3)
    whole = 10 ** (digits - 1)
    texts = [
        f"{number:.{places}f}" if abs(number) >= whole else brief(float(f"{number:.{digits}g}")) for number in numbers
    ]
    return texts if len(set(texts)) == len(set(numbers)) or digits >= _MAX_DIGITS else _shorts(numbers, digits + 1)


def _walk_forward(canvas: Canvas, folds: Sequence[Any], figure: _Figure) -> None:
    """Draw the figure of the best combination of each stretch, and beside it that on the next stretch."""
    for side, name, attribute, colour, hatch in (
        (-1, "where it was chosen", "value", canvas.colours.order, None),
        (1, "on the next stretch", "next_value", canvas.colours.average, "////"),
    ):
        numbers = [figure.number(getattr(fold, attribute)) for fold in folds]
        places = [number + side * _BAR / 2 for number in range(len(folds))]
        style: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": canvas.ax.get_facecolor(), "label": name}
        canvas.ax.bar(places, numbers, width=_BAR, linewidth=0, **style)
    canvas.ax.axhline(0, color=canvas.colours.soft, linewidth=1)
    step = _step(len(folds))
    canvas.ax.set_xticks(range(0, len(folds), step), [f"{fold.start:%Y-%m-%d}" for fold in folds[::step]])
    canvas.number(canvas.ax.yaxis)
    canvas.finish(
        "The best of each stretch, and the same settings on the next", x="start of the stretch, UTC", y=figure.label
    )
    canvas.legend(above=True)


def _empty(cells: _Cells) -> str:
    """Say what the patterns of cells mean."""
    reasons = set(cells.empty.values())
    return ", ".join(f"{pattern.name}: {reason}" for reason, pattern in _EMPTY.items() if reason in reasons)


def _wrapped(lines: Iterable[str]) -> str:
    from textwrap import wrap  # noqa: PLC0415

    return "\n".join(part for line in lines for part in wrap(line, _LONGEST_LINE))


def _title(result: Sweep, figure: _Figure, settings: Sequence[_Setting], axes: tuple[int, int | None]) -> list[str]:
    """Say what is drawn, and which combination is the best of all."""
    shown = " and ".join(settings[place].name for place in axes if place is not None)
    others = [setting.name for place, setting in enumerate(settings) if place not in axes]
    rest = f", the best over {', '.join(others)}" if others else ""
    best = result.best(1)
    if not len(best):
        return [f"Sweep: {figure.name} over {shown}{rest}", "no combination was run"]
    value = getattr(best[0].summary, figure.name)
    named = ", ".join(f"{name}={one_line(str(setting))}" for name, setting in best[0].parameters.items())
    return [f"Sweep: {figure.name} over {shown}{rest}", f"best {figure.shown(value)} at {named}"]


def _labels(setting: _Setting, middle: float = 0) -> tuple[list[float], list[str]]:
    """Return the places of the labels of an axis, and the labels: as many as there is room for."""
    step = _step(len(setting.values))
    return [place + middle for place in range(0, len(setting.values), step)], setting.values[::step]


def _step(count: int) -> int:
    return -(-count // _MOST_LABELS)


def _map_height(setting: _Setting) -> float:
    return min(max(_LEAST_MAP, 1 + _ROW * len(setting.values)), _MOST_MAP)
