"""The picture of a ladder."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING

from botdesk._pictures.canvas import Canvas
from botdesk._pictures.values import amount, briefs, price, price_label, quote_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from botdesk._native import Ladder, Rung

# With more orders, their prices are not written (_MOST_NUMBERED), nor their sizes (_MOST_NAMED).
_MOST_NUMBERED = 10
_MOST_NAMED = 12


def ladder(plan: Ladder, ax: Axes | None) -> Axes:
    """Draw the orders of a deal, with the average price and the take profit after each."""
    canvas = Canvas(ax, 4.2)
    # An order at or below zero is never placed.
    rungs = [rung for rung in plan if rung.price > 0]
    _bars(canvas, rungs, "average_price", "average price", canvas.colours.average)
    _bars(canvas, rungs, "take_profit_price", "take profit", canvas.colours.profit)
    _orders(canvas, rungs)
    if len(rungs) <= _MOST_NUMBERED:
        for rung, named in zip(rungs, briefs([rung.price for rung in rungs]), strict=True):
            _numbers(canvas, rung, named)
    canvas.line(price(plan, "stop_loss_price"), "stop loss")
    _axis_of_orders(canvas, rungs, quote_of(plan.pair))
    canvas.number(canvas.ax.yaxis)
    canvas.ax.margins(x=0.08, y=0.12)
    canvas.finish(f"Ladder: a deal takes {amount(plan.budget, quote_of(plan.pair))}", y=price_label(plan.pair))
    canvas.legend()
    return canvas.ax


def _bars(canvas: Canvas, rungs: Sequence[Rung], name: str, label: str, colour: str) -> None:
    """Draw a price that changes with each order as short lines."""
    found = [(rung.number, value) for rung in rungs if (value := price(rung, name)) is not None]
    for at, value in found:
        legend_label = label if at == found[0][0] else None
        canvas.ax.plot([at - 0.38, at + 0.38], [value, value], color=colour, linewidth=2, zorder=2, label=legend_label)


def _orders(canvas: Canvas, rungs: Sequence[Rung]) -> None:
    """Draw each order at its price, with a dotted line to the take profit."""
    sizes = [float(rung.size) for rung in rungs]
    largest = max(sizes, default=0) or 1
    canvas.ax.scatter(
        [rung.number for rung in rungs],
        [float(rung.price) for rung in rungs],
        s=[30 + 130 * size / largest for size in sizes],
        color=canvas.colours.order,
        zorder=3,
        label="order, as large as its size",
    )
    for rung in rungs:
        if (target := price(rung, "take_profit_price")) is not None:
            way = [float(rung.price), target]
            canvas.ax.plot([rung.number] * 2, way, color=canvas.colours.profit, linewidth=1, linestyle=":", zorder=1)


def _numbers(canvas: Canvas, rung: Rung, named: str) -> None:
    """Write the price of an order, and the distance to its take profit."""
    target = price(rung, "take_profit_price")
    up = 1 if target is None or target >= rung.price else -1
    canvas.text((rung.number, float(rung.price)), named, canvas.colours.order, -13 * up)
    if target is not None and rung.move_to_close is not None:
        canvas.text((rung.number, target), f"{rung.move_to_close:+.2f} %", canvas.colours.profit, 9 * up)


def _axis_of_orders(canvas: Canvas, rungs: Sequence[Rung], quote: str) -> None:
    if len(rungs) > _MOST_NAMED:
        canvas.ax.set_xlabel("safety order; 0 is the base order")
        return
    sizes = briefs([rung.size for rung in rungs])
    named = [f"{rung.number or 'base'}\n{size}" for rung, size in zip(rungs, sizes, strict=True)]
    canvas.ax.set_xticks([rung.number for rung in rungs], named)
    canvas.ax.set_xlabel(f"order, and its size{' in ' if quote else ''}{quote}", parse_math=False)
