"""The pictures of a desk: profits by month, bot or pair, equity over time, funds in use, and open deals by age."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botdesk._pictures.bars import MOST_BARS, Bar, draw_bars, height_of_bars
from botdesk._pictures.calendars import draw_days, height_of
from botdesk._pictures.canvas import Canvas
from botdesk._pictures.panels import Line, finish_times, outline, panels, shade_drawdown
from botdesk._pictures.values import amount, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date, datetime
    from decimal import Decimal

    from matplotlib.axes import Axes

    from botdesk._open_deals import OpenDeal

_EQUITY, _FUNDS, _DEALS = 3.2, 1.9, 3.4
# A picture has no room for more.
_MOST_CURRENCIES = 6
# The room of a name, as parts of the ranges of ages and depths.
_NAME_WIDTH, _NAME_HEIGHT = 0.17, 0.11
# Ages that differ by more are drawn on a scale of powers.
_LARGE_RANGE = 30


def profits(sums: Mapping[str, Decimal], ax: Axes | None) -> Axes:
    """Draw the profit in USD of each month, bot or pair."""
    from botdesk._exact import total  # noqa: PLC0415 - only reports need it

    shown = list(sums.items())[-MOST_BARS:]
    canvas = Canvas(ax, height_of_bars(shown))
    colours = {True: canvas.colours.loss, False: canvas.colours.profit}
    draw_bars(canvas, [Bar(one_line(name) or "none", float(usd), colours[usd < 0]) for name, usd in shown], "USD")
    cut = f", the last {MOST_BARS} drawn" if len(shown) < len(sums) else ""
    canvas.finish(f"Profit: {amount(total(sums.values()), 'USD')}{cut}", x="profit, USD")
    return canvas.ax


def equity(points: Sequence[tuple[datetime, Decimal]], ax: Axes | None) -> Axes:
    """Draw realized profit over time, with the drawdown shaded."""
    canvas = Canvas(ax, _EQUITY)
    if not points:
        canvas.finish("Realized profit")
        canvas.nothing("no profits")
        return canvas.ax
    line = outline(Line([time for time, _ in points], [float(value) for _, value in points]))
    # `Any`: matplotlib converts times, which its types do not know.
    times: Any = line.times
    style: dict[str, Any] = {"drawstyle": "steps-post", "linewidth": 1.4, "zorder": 2}
    canvas.ax.plot(times, line.values, color=canvas.colours.profit, label="realized profit", **style)
    shade_drawdown(canvas, line, step="post")
    canvas.ax.axhline(0, color=canvas.colours.soft, linewidth=1, zorder=1)
    deepest, when = _deepest(points)
    fell = f"\nlargest drawdown {amount(deepest, 'USD')} on {when:%Y-%m-%d}" if deepest else "\nno drawdown"
    canvas.finish(f"Realized profit: {amount(points[-1][1], 'USD')} from {len(points)} profits{fell}", y="profit, USD")
    finish_times([canvas])
    canvas.legend()
    return canvas.ax


def _deepest(points: Sequence[tuple[datetime, Decimal]]) -> tuple[Decimal, datetime]:
    """Return the deepest fall from the highest value before, and its time."""
    top = points[0][1] * 0
    deepest, when = top, points[0][0]
    for time, value in points:
        top = max(top, value)
        if top - value > deepest:
            deepest, when = top - value, time
    return deepest, when


def funds(lines: Mapping[str, Sequence[tuple[datetime, Decimal]]], ax: Axes | None) -> Axes:
    """Draw the most funds in deals over time, in a panel for each currency."""
    shown = sorted(lines, key=lambda currency: len(lines[currency]), reverse=True)[:_MOST_CURRENCIES]
    canvases = panels(ax, [_FUNDS] * max(len(shown), 1))
    cut = f", {len(shown)} of {len(lines)} currencies drawn" if len(shown) < len(lines) else ""
    canvases[0].finish(f"Most funds in deals{cut}")
    if not shown:
        canvases[0].nothing("no deals")
        return canvases[0].ax
    for canvas, currency in zip(canvases, shown, strict=True):
        times: Any = [time for time, _ in lines[currency]]
        values = [float(value) for _, value in lines[currency]]
        style: dict[str, Any] = {"drawstyle": "steps-post", "linewidth": 1.4, "color": canvas.colours.average}
        canvas.ax.plot(times, values, **style)
        canvas.ax.set_ylim(bottom=0)
        canvas.finish(canvas.ax.get_title("left"), y=f"funds, {one_line(currency)}" if currency else "funds")
    finish_times(canvases)
    return canvases[0].ax


def open_deals(deals: Sequence[OpenDeal], ax: Axes | None) -> Axes:
    """Draw open deals by age and depth."""
    canvas = Canvas(ax, _DEALS)
    _draw_deals(canvas, deals)
    return canvas.ax


def overview(parts: tuple[Mapping[date, Decimal], Sequence[OpenDeal]], ax: Axes | None) -> Axes:
    """Draw the profits by day, and below them the open deals."""
    days, deals = parts
    top, below = panels(ax, [height_of(days), _DEALS], gap=0.3, share_x=False)
    draw_days(top, days)
    _draw_deals(below, deals)
    return top.ax


def _draw_deals(canvas: Canvas, deals: Sequence[OpenDeal]) -> None:
    known = [deal for deal in deals if deal.age_days is not None and deal.from_entry_percentage is not None]
    canvas.finish(_title(deals, known))
    if not known:
        canvas.nothing("no open deals" if not deals else "no open deals with a price")
        return
    colours = canvas.colours
    for stage, marker, colour in (
        ("no safety order filled", "o", colours.order),
        ("some filled", "^", colours.average),
        ("all filled", "s", colours.loss),
    ):
        found = [deal for deal in known if _stage(deal) == stage]
        if found:
            style: dict[str, Any] = {"marker": marker, "s": 46, "color": colour, "label": stage, "zorder": 3}
            places = [_place(deal) for deal in found]
            drawn = canvas.ax.scatter([age for age, _ in places], [depth for _, depth in places], linewidths=0, **style)
            canvas.hover_each(drawn, _about, found)
    ages = [age for age, _ in map(_place, known)]
    if max(ages) > _LARGE_RANGE * max(min(ages), 1 / 24):
        canvas.ax.set_xscale("log")
    canvas.ax.axhline(0, color=colours.soft, linewidth=1, zorder=1)
    canvas.ax.margins(x=0.08, y=0.18)
    canvas.ax.autoscale_view()
    _name(canvas, known)
    canvas.number(canvas.ax.xaxis)
    canvas.number(canvas.ax.yaxis)
    canvas.finish(_title(deals, known), x="age, days", y="from entry, %")
    canvas.legend()


def _stage(deal: OpenDeal) -> str:
    if deal.is_spent:
        return "all filled"
    return "some filled" if deal.safety_orders else "no safety order filled"


def _place(deal: OpenDeal) -> tuple[float, float]:
    # A scale of powers has no zero.
    return max(float(deal.age_days or 0), 1 / 24), float(deal.from_entry_percentage or 0)


def _name(canvas: Canvas, deals: Sequence[OpenDeal]) -> None:
    """Name deals, the deepest first, with how many safety orders they have used, where there is room."""
    to_axes = (canvas.ax.transData + canvas.ax.transAxes.inverted()).transform
    named: list[tuple[float, float]] = []
    for deal in sorted(deals, key=lambda deal: deal.from_entry_percentage or 0):
        x, y = (float(each) for each in to_axes(_place(deal)))
        if all(abs(x - left) >= _NAME_WIDTH or abs(y - low) >= _NAME_HEIGHT for left, low in named):
            named.append((x, y))
            used = f" {deal.safety_orders or 0}/{deal.max_safety_orders}" if deal.max_safety_orders is not None else ""
            canvas.text(_place(deal), f"{one_line(deal.pair or '?')}{used}", canvas.colours.price, -11)


def _about(deal: OpenDeal) -> str:
    used = f"{deal.safety_orders or 0} of {deal.max_safety_orders} safety orders filled"
    about = (
        f"{one_line(deal.pair or '?')}, deal {deal.id}: {deal.age_days} days, {deal.from_entry_percentage} % from entry"
    )
    return f"{about}, {used}"


def _title(deals: Sequence[OpenDeal], known: Sequence[OpenDeal]) -> str:
    """Say in words how many deals there are, and which are the oldest and the deepest."""
    if not deals:
        return "Open deals by age and depth"
    counted = f"{len(deals)} open deal{'' if len(deals) == 1 else 's'} by age and depth"
    if not known:
        return counted
    oldest = max(known, key=lambda deal: deal.age_days or 0)
    deepest = min(known, key=lambda deal: deal.from_entry_percentage or 0)
    spent = sum(deal.is_spent for deal in deals)
    ends = f"oldest {oldest.age_days} days, deepest {deepest.from_entry_percentage} % from entry"
    return f"{counted}\n{ends}, {spent} with all safety orders filled"
