"""The picture of profits by day: a calendar with one cell for each day."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._pictures.canvas import Canvas
from botdesk._pictures.values import amount

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from decimal import Decimal

    from matplotlib.axes import Axes

WEEKDAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
# The shades of a colour, from the smallest profits to the largest. Text stays readable on each.
SHADES = (0.16, 0.32, 0.5)
# A calendar of more weeks has a block for each year, and no room for amounts in its cells.
_MOST_WEEKS = 14
_HEIGHT, _HEIGHT_OF_YEAR, _AROUND = 2.9, 1.35, 1.1
# Between the blocks of two years.
_GAP = 1.2
_THOUSAND = 1_000
_NONE_ALPHA = 0.12


class _Cell(NamedTuple):
    day: date
    column: float
    row: float


def profit_by_day(days: Mapping[date, Decimal], ax: Axes | None) -> Axes:
    """Draw the profit of each day in USD; days without one are empty."""
    canvas = Canvas(ax, height_of(days))
    draw_days(canvas, days)
    return canvas.ax


def height_of(days: Mapping[date, Decimal]) -> float:
    """Return the height that a calendar needs."""
    return _AROUND + (_HEIGHT if _is_short(days) else _HEIGHT_OF_YEAR * len(_years(days)))


def draw_days(canvas: Canvas, days: Mapping[date, Decimal]) -> None:
    """Draw a calendar with a title that says its best and its worst day."""
    canvas.finish(title_of(days))
    if not days:
        canvas.nothing("no profits")
        return
    cells = list(_cells(days))
    limits, is_short = shade_limits(list(days.values())), _is_short(days)
    for cell in cells:
        _draw(canvas, cell, days.get(cell.day), limits, is_large=is_short)
    _axes(canvas, cells, days)
    _legend(canvas, days, limits)


def title_of(days: Mapping[date, Decimal]) -> str:
    """Say in words what the days add up to."""
    from botdesk._exact import total  # noqa: PLC0415 - only calendars need it

    if not days:
        return "Profit by day"
    first, last = min(days), max(days)
    best, worst = max(days, key=days.__getitem__), min(days, key=days.__getitem__)
    span = f"{first}" if first == last else f"{first} to {last}"
    whole = f"Profit by day, {span}: {_usd(total(days.values()))} on {len(days)} day{'' if len(days) == 1 else 's'}"
    return f"{whole}\nbest {best}: {_usd(days[best])}, worst {worst}: {_usd(days[worst])}"


def shade_limits(profits: Sequence[Decimal]) -> list[Decimal]:
    """Return the sizes from which on the second and the third shade are used: as many days have each."""
    sizes = sorted({abs(profit) for profit in profits})
    return [sizes[len(sizes) * part // len(SHADES)] for part in range(1, len(SHADES))] if len(sizes) > 1 else []


def shade_of(profit: Decimal, limits: Sequence[Decimal]) -> float:
    """Return the opacity of a profit."""
    return SHADES[sum(abs(profit) >= limit for limit in limits)]


def short_amount(profit: Decimal) -> str:
    """Write a profit with its sign and two decimal places, or none if it is large."""
    return f"{profit:+,.0f}" if abs(profit) >= _THOUSAND else f"{profit:+.2f}"


def _usd(profit: Decimal) -> str:
    return amount(profit, "USD")


def _years(days: Mapping[date, Decimal]) -> list[int]:
    return sorted({day.year for day in days})


def monday_of(day: date) -> date:
    """Return the first day of a week."""
    return day - timedelta(days=day.weekday())


def _is_short(days: Mapping[date, Decimal]) -> bool:
    return not days or (monday_of(max(days)) - monday_of(min(days))).days < 7 * _MOST_WEEKS


def _cells(days: Mapping[date, Decimal]) -> Iterator[_Cell]:
    """Yield all days from the first to the last, with their places: a column for each week, a row for each weekday."""
    first, last = min(days), max(days)
    is_short, years = _is_short(days), _years(days)
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        if is_short:
            yield _Cell(day, (monday_of(day) - monday_of(first)).days / 7, day.weekday())
        elif day.year in years:
            start = monday_of(date(day.year, 1, 1))
            block = years.index(day.year) * (7 + _GAP)
            yield _Cell(day, (monday_of(day) - start).days / 7, block + day.weekday())


def _draw(canvas: Canvas, cell: _Cell, profit: Decimal | None, limits: Sequence[Decimal], *, is_large: bool) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    colours = canvas.colours
    edge = 0.03 if is_large else 0.08
    style: dict[str, Any] = {"color": colours.soft, "alpha": _NONE_ALPHA, "linewidth": 0}
    if profit is not None:
        colour = colours.loss if profit < 0 else colours.profit
        style = {**style, "color": colour, "alpha": shade_of(profit, limits)}
    box = Rectangle((cell.column + edge, cell.row + edge), 1 - 2 * edge, 1 - 2 * edge, **style)
    canvas.ax.add_patch(box)
    canvas.hover(box, f"{cell.day}: {'no profit' if profit is None else _usd(profit)}")
    middle = cell.column + 0.5
    written: dict[str, Any] = {"ha": "center", "va": "center", "color": colours.price}
    if is_large:
        canvas.ax.text(cell.column + 0.1, cell.row + 0.28, str(cell.day.day), fontsize=6, color=colours.price)
        if profit is not None:
            canvas.ax.text(middle, cell.row + 0.6, short_amount(profit), fontsize=8, **written)
    elif profit is not None and profit < 0:
        # A loss differs from a profit without its colour too.
        canvas.ax.text(middle, cell.row + 0.5, "−", fontsize=8, **written)  # noqa: RUF001 - a minus


def _axes(canvas: Canvas, cells: Sequence[_Cell], days: Mapping[date, Decimal]) -> None:
    ax = canvas.ax
    columns = max(cell.column for cell in cells) + 1
    rows = max(cell.row for cell in cells) // 1 + 1
    is_short = _is_short(days)
    ax.set(xlim=(0, max(columns, 5) if is_short else 53), ylim=(max(rows, 7), 0))
    if is_short:
        ax.set_yticks([row + 0.5 for row in range(7)], WEEKDAYS)
    else:
        years = _years(days)
        ax.set_yticks([place * (7 + _GAP) + 3.5 for place in range(len(years))], [str(year) for year in years])
    block = [cell for cell in cells if cell.row < len(WEEKDAYS)]
    starts = {cell.day.replace(day=1): cell.column for cell in reversed(block)}
    if not is_short:
        # The months of all years are at about the same place.
        starts = {date(2001, month, 1): (date(2001, month, 1).timetuple().tm_yday - 1) / 7 for month in range(1, 13)}
    named = [f"{month:%b %Y}" if is_short else f"{month:%b}" for month in starts]
    ax.set_xticks([column + 0.5 for column in starts.values()], named)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def _legend(canvas: Canvas, days: Mapping[date, Decimal], limits: Sequence[Decimal]) -> None:
    """Name the shades that occur, below the calendar."""
    from matplotlib.patches import Patch  # noqa: PLC0415

    occurring = {(profit < 0, shade_of(profit, limits)) for profit in days.values()}
    handles: list[Any] = []
    for is_loss, shade in sorted(occurring, reverse=True):
        colour = canvas.colours.loss if is_loss else canvas.colours.profit
        label = f"{'loss' if is_loss else 'profit'} {_sizes(SHADES.index(shade), limits)}".strip()
        handles.append(Patch(color=colour, alpha=shade, linewidth=0, label=label))
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, 0), "ncols": 3, "borderpad": 0.2}
    spacing: dict[str, Any] = {"handlelength": 1, "columnspacing": 1.2, "handletextpad": 0.5}
    canvas.ax.legend(handles=handles, frameon=False, fontsize="small", **place, **spacing)


def _sizes(shade: int, limits: Sequence[Decimal]) -> str:
    """Say which amounts have a shade."""
    if shade < len(limits):
        return f"below {_usd(limits[shade])}"
    return f"from {_usd(limits[-1])}" if limits else ""
