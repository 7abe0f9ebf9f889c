"""The picture of the plan of a SmartTrade."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING

from botdesk._pictures.canvas import Canvas
from botdesk._pictures.values import amount, briefs, percent, price_label, quote_of

if TYPE_CHECKING:
    from decimal import Decimal

    from matplotlib.axes import Axes

    from botdesk._smart_plan import SmartTradePlan


def smart_trade_plan(plan: SmartTradePlan, ax: Axes | None) -> Axes:
    """Draw the prices of a SmartTrade, with what each target and the stop loss earn or lose."""
    canvas = Canvas(ax, 4.2)
    quote, colours = quote_of(plan.pair), canvas.colours
    marks: list[tuple[str, Decimal, str, str]] = [
        ("entry", plan.entry.price, colours.order, amount(plan.entry.total, quote))
    ]
    for index, target in enumerate(plan.targets):
        gain = f"{amount(target.profit, quote)}, {percent(target.percent)}"
        marks.append((f"target {index + 1}", target.price, colours.profit, gain))
    if plan.stop is not None:
        loss = f"{amount(plan.stop.profit, quote)}, {percent(plan.stop.percent)}"
        marks.append(("stop loss", plan.stop.price, colours.loss, loss))
    if plan.break_even != plan.entry.price:
        marks.append(("break even", plan.break_even, colours.average, ""))
    shown = briefs([price for _, price, _, _ in marks])
    for (name, price, colour, text), at in zip(marks, shown, strict=True):
        canvas.ax.axhline(float(price), color=colour, linewidth=1.6, label=f"{name} {at}")
        if text:
            canvas.text((0.5, float(price)), text, colour, 9)
    canvas.ax.set_xlim(0, 1)
    canvas.ax.set_xticks([])
    canvas.number(canvas.ax.yaxis)
    canvas.ax.margins(y=0.15)
    risk = "" if plan.risk is None or plan.risk < 0 else f", risks {amount(plan.risk, quote)}"
    canvas.finish(f"SmartTrade: {plan.side} for {amount(plan.entry.total, quote)}{risk}", y=price_label(plan.pair))
    canvas.legend(above=True)
    return canvas.ax
