"""The picture of a grid."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._pictures.canvas import Canvas
from botdesk._pictures.values import brief, briefs, one_line, price, price_label, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from botdesk._api import GridBot, GridLine
    from botdesk._native import GridPlan

_HEIGHT = 4.6
# With more levels, only some have a label at the axis.
_MOST_NAMED = 12


class _Level(NamedTuple):
    price: float
    side: str | None
    placed: bool = True

    @property
    def label(self) -> str:
        return f"{self.side or 'no order'}{'' if self.placed or self.side is None else ', not placed'}"


def grid_plan(plan: GridPlan, ax: Axes | None) -> Axes:
    """Draw the levels of a planned grid against the price."""
    canvas = Canvas(ax, _HEIGHT)
    now = price(plan, "price")
    levels = _planned(plan)
    _draw(canvas, levels, now)
    canvas.finish(f"Grid of {len(levels)} levels{_sides(levels, now, ': ')}", y=price_label(plan.pair))
    canvas.legend(above=True)
    return canvas.ax


def grid_bot(bot: GridBot, ax: Axes | None) -> Axes:
    """Draw the levels of a grid bot against its price."""
    canvas = Canvas(ax, _HEIGHT)
    now = price(bot, "current_price")
    lines: list[GridLine] = read(bot, "grid_lines") or []
    levels = [level for line in lines if (level := _placed(line))] or _planned(bot.levels())
    _draw(canvas, levels, now)
    for end in ("lower", "upper"):
        if read(bot, f"{end}_stop_loss_enabled"):
            canvas.line(price(bot, f"{end}_stop_loss_price"), "stop loss")
    name = one_line(read(bot, "name") or "Grid bot")
    canvas.finish(f"{name}: {len(levels)} levels{_sides(levels, now, ', ')}", y=price_label(read(bot, "pair")))
    canvas.legend(above=True)
    return canvas.ax


def _planned(plan: GridPlan) -> list[_Level]:
    return [_Level(at, level.side) for level in plan if (at := price(level, "price")) is not None]


def _placed(line: GridLine) -> _Level | None:
    at = price(line, "price")
    return None if at is None else _Level(at, read(line, "side"), read(line, "order_placed") is not False)


def _draw(canvas: Canvas, levels: Sequence[_Level], now: float | None) -> None:
    colours = {"buy": canvas.colours.profit, "sell": canvas.colours.loss}
    named: set[str] = set()
    for level in levels:
        legend_label = None if level.label in named else level.label
        named.add(level.label)
        style = "-" if level.placed and level.side else ":"
        colour = colours.get(level.side or "", canvas.colours.soft)
        canvas.ax.plot([0, 1], [level.price] * 2, color=colour, linewidth=1.2, linestyle=style, label=legend_label)
    if now is not None and levels:
        _price(canvas, levels, now)
    canvas.ax.set_xlim(0, 1)
    canvas.ax.set_xticks([])
    ticks = [level.price for level in levels[:: ceil(len(levels) / _MOST_NAMED) or 1]]
    canvas.ax.set_yticks(ticks, briefs(ticks))


def _price(canvas: Canvas, levels: Sequence[_Level], now: float) -> None:
    """Draw the price, and the areas of buy and sell orders."""
    lowest, highest = min(level.price for level in levels), max(level.price for level in levels)
    inside = min(max(now, lowest), highest)
    colours = canvas.colours
    canvas.ax.axhspan(lowest, inside, color=colours.profit, alpha=0.08, linewidth=0)
    canvas.ax.axhspan(inside, highest, color=colours.loss, alpha=0.08, linewidth=0)
    canvas.ax.axhline(now, color=colours.price, linewidth=2.2, label="price", zorder=3)
    box = {"boxstyle": "round,pad=0.3", "facecolor": colours.price, "edgecolor": "none"}
    middle: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "small", "zorder": 4, "bbox": box}
    canvas.ax.text(0.5, now, f"price {brief(now)}", color=colours.on_price, **middle)


def _sides(levels: Sequence[_Level], now: float | None, before: str) -> str:
    """Describe the number of orders on either side of the price."""
    if now is None:
        return ""
    buying, selling = (sum(level.side == side for level in levels) for side in ("buy", "sell"))
    return f"{before}{buying} buy below {brief(now)}, {selling} sell above"
