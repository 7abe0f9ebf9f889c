"""The pictures of backtests: the price with its orders, the profit and the capital over time."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._pictures.panels import COLUMNS, Line, finish_times, outline, panels, shade_drawdown
from botdesk._pictures.values import amount, amounts, common_quote, one_line, price_label, quote_of, rounded_price

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from matplotlib.axes import Axes

    from botdesk._native import Backtest, BacktestComparison, BacktestOrder
    from botdesk._pictures.canvas import Canvas

# A picture has no room for more pairs.
_MAX_PAIRS = 6
# The heights of panels, in inches.
_PRICE, _PRICE_OF_SEVERAL, _PROFIT, _CAPITAL, _DIFFERENCE = 3.2, 2.1, 1.8, 1.2, 1.2
# More orders than this are thin lines. matplotlib's numbers of markers: lines below and above their place.
_MOST_SYMBOLS = 100
_SYMBOLS: dict[str, Any] = {"buy": "^", "sell": "v"}
_THIN_SYMBOLS: dict[str, Any] = {"buy": 3, "sell": 2}
_SIZE = 42


class _Equity(NamedTuple):
    realized: Line
    total: Line
    capital: Line


class _Pair(NamedTuple):
    name: str | None
    price: Line
    orders: list[BacktestOrder]
    average: Line
    take_profit: Line


def backtest(result: Backtest, ax: Axes | None) -> Axes:
    """Draw a backtest: a panel with the price of each pair, one with the profit, and one with the capital."""
    pairs = _pairs(result)
    shown = pairs[:_MAX_PAIRS]
    height = _PRICE if len(shown) == 1 else _PRICE_OF_SEVERAL
    canvases = panels(ax, [height] * len(shown) + [_PROFIT, _CAPITAL])
    *prices, profit, capital = canvases
    for canvas, pair in zip(prices, shown, strict=True):
        _price(canvas, pair)
    quote = common_quote(pair.name for pair in pairs)
    equity = _equity(result)
    _line(profit, equity.realized, profit.colours.profit, "realized", drawstyle="steps-post")
    _line(profit, equity.total, profit.colours.order, "total")
    shade_drawdown(profit, equity.total)
    if (held := _buy_and_hold(result, pairs)) is not None:
        _line(profit, held, profit.colours.soft, "buy and hold", linewidth=1)
    _line(capital, equity.capital, capital.colours.average, "in use", drawstyle="steps-post")
    _finish_equity(profit, capital, quote)
    canvases[0].finish(_title(result, pairs, quote))
    finish_times(canvases)
    return canvases[0].ax


def backtest_comparison(comparison: BacktestComparison, ax: Axes | None) -> Axes:
    """Draw the profit and the capital of a bot before and after an edit."""
    profit, difference, capital = canvases = panels(ax, [_PRICE, _DIFFERENCE, _CAPITAL])
    pairs = comparison.after._price_lines(1)  # noqa: SLF001
    quote = common_quote(name for name, _ in pairs)
    lines: list[Line] = []
    # The dashes are drawn over the other line, so that both are visible where they are equal.
    dashed: dict[str, Any] = {"linestyle": "--", "zorder": 3}
    for name, result, colour, style in (
        ("before", comparison.before, profit.colours.average, dashed),
        ("after", comparison.after, profit.colours.order, {}),
    ):
        equity = _equity(result)
        _line(profit, equity.total, colour, name, **style)
        _line(capital, equity.capital, colour, name, drawstyle="steps-post", **style)
        lines.append(equity.total)
    _line(difference, _difference(*lines), difference.colours.profit, "after − before")  # noqa: RUF001 - a minus
    difference.ax.axhline(0, color=difference.colours.soft, linewidth=1, zorder=1)
    difference.finish("", y=_with_unit("difference", quote))
    difference.legend(above=True)
    _finish_equity(profit, capital, quote)
    before, after = amounts([line.values[-1] for line in lines], quote)
    profit.finish(f"Profit at the end: before {before}, after {after}")
    finish_times(canvases)
    return profit.ax


def _pairs(result: Backtest) -> list[_Pair]:
    """Return the price, the orders and the deals of each pair."""
    pair_of_deal = {number: deal.pair for number, deal in enumerate(result.deals, 1)}
    lines = result._price_lines(COLUMNS)  # noqa: SLF001
    # Only bots with deals have several pairs, so that any other order is one of the first pair.
    first = lines[0][0] if lines else None
    orders: dict[str | None, list[BacktestOrder]] = {}
    for order in result.orders:
        orders.setdefault(first if order.deal is None else pair_of_deal[order.deal], []).append(order)
    averages, targets = _deal_lines(result, pair_of_deal)
    nothing = Line([], [])
    return [
        _Pair(
            name,
            Line([time for time, _ in points], [float(price) for _, price in points]),
            orders.get(name, []),
            averages.get(name, nothing),
            targets.get(name, nothing),
        )
        for name, points in lines
    ]


def _deal_lines(
    result: Backtest, pair_of_deal: dict[int, str | None]
) -> tuple[dict[str | None, Line], dict[str | None, Line]]:
    """Return the average prices and the take profits of the deals of each pair, with a gap after each deal."""
    averages: dict[str | None, Line] = {}
    targets: dict[str | None, Line] = {}
    before = None
    for deal, start, end, average, target in result._deal_lines():  # noqa: SLF001
        for lines, price in ((averages, average), (targets, target)):
            line = lines.setdefault(pair_of_deal[deal], Line([], []))
            if before is not None and deal != before:
                line.times.append(start)
                line.values.append(nan)
            line.times.extend([start, end])
            line.values.extend([nan if price is None else float(price)] * 2)
        before = deal
    return averages, targets


def _price(canvas: Canvas, pair: _Pair) -> None:
    colours = canvas.colours
    _line(canvas, pair.price, colours.price, "price", linewidth=0.7)
    for line, name, colour in (
        (pair.average, "average price", colours.average),
        (pair.take_profit, "take profit", colours.profit),
    ):
        if not all(isnan(value) for value in line.values):
            _line(canvas, line, colour, name)
    is_thin = len(pair.orders) > _MOST_SYMBOLS
    for side, colour in (("buy", colours.profit), ("sell", colours.loss)):
        found = [order for order in pair.orders if order.side == side]
        if found:
            marker = (_THIN_SYMBOLS if is_thin else _SYMBOLS)[side]
            symbol: dict[str, Any] = {"marker": marker, "s": _SIZE, "color": colour, "zorder": 3}
            times: Any = [order.time for order in found]
            prices = [float(order.price) for order in found]
            drawn = canvas.ax.scatter(times, prices, label=side, linewidths=0.9 if is_thin else 0, **symbol)
            canvas.hover_each(drawn, partial(_about, quote_of(pair.name)), found)
    canvas.finish("", y=price_label(pair.name))
    canvas.legend(above=True)


def _about(quote: str, order: BacktestOrder) -> str:
    price = rounded_price(order.price, quote)
    return f"{order.side} of {amount(order.volume, quote)} at {price}, {order.time:%Y-%m-%d %H:%M} UTC"


def _equity(result: Backtest) -> _Equity:
    points = list(result.equity)
    times = [point.time for point in points]
    realized = [float(point.realized_profit) for point in points]
    total = [float(point.realized_profit + point.unrealized_profit) for point in points]
    capital = [float(point.capital) for point in points]
    return _Equity(*(outline(Line(times, values)) for values in (realized, total, capital)))


def _difference(before: Line, after: Line) -> Line:
    """Return how much more the one line has than the other, at the times of both."""
    import numpy as np  # noqa: PLC0415

    times = sorted({*before.times, *after.times})
    # Of several values at a time, the last one counts.
    before, after = (_line_of(dict(zip(*line, strict=True))) for line in (before, after))
    seconds = [time.timestamp() for time in times]
    heights = [np.interp(seconds, [at.timestamp() for at in line.times], line.values) for line in (before, after)]
    return Line(times, [float(height) for height in heights[1] - heights[0]])


def _line_of(values: dict[datetime, float]) -> Line:
    return Line(list(values), list(values.values()))


def _buy_and_hold(result: Backtest, pairs: Sequence[_Pair]) -> Line | None:
    """Return the profit of buying with the most capital in use, in equal parts of all pairs, and holding."""
    import numpy as np  # noqa: PLC0415

    capital = float(result.summary.most_capital)
    lines = [pair.price for pair in pairs if pair.price.values and pair.price.values[0] > 0]
    if not capital or not lines:
        return None
    times = sorted({time for line in lines for time in line.times})
    seconds = [time.timestamp() for time in times]
    ratios = [
        np.interp(seconds, [time.timestamp() for time in line.times], np.asarray(line.values) / line.values[0])
        for line in lines
    ]
    mean = np.mean(ratios, axis=0)
    # The figure of the summary has the fees of buying and of selling, which are a part of both prices.
    end = float(result.summary.buy_and_hold) / capital
    fee = (mean[-1] - 1 - end) / (mean[-1] + 1)
    return Line(times, [float(capital * (ratio - 1 - fee * (ratio + 1))) for ratio in mean])


def _finish_equity(profit: Canvas, capital: Canvas, quote: str) -> None:
    """Set the labels of the panels of the profit and the capital."""
    profit.ax.axhline(0, color=profit.colours.soft, linewidth=1, zorder=1)
    profit.finish("", y=_with_unit("profit", quote))
    profit.legend(above=True)
    capital.ax.set_ylim(bottom=0)
    capital.finish("", y=_with_unit("capital", quote))
    capital.legend(above=True)


def _line(canvas: Canvas, line: Line, colour: str, label: str, **style: Any) -> None:  # noqa: ANN401
    # matplotlib converts times, which its types do not know.
    times: Any = line.times
    whole_style: dict[str, Any] = {"color": colour, "label": label, "linewidth": 1.3, "zorder": 2, **style}
    canvas.ax.plot(times, line.values, **whole_style)


def _title(result: Backtest, pairs: Sequence[_Pair], quote: str) -> str:
    """Describe the result of a backtest."""
    summary = result.summary
    orders = _counted(sum(len(pair.orders) for pair in pairs), "order")
    counted = f"{_counted(summary.deals, 'finished deal')}, {orders}" if result.deals else orders
    figures = {
        "profit": summary.profit,
        "open": summary.open_profit,
        "drawdown": summary.drawdown,
        "fees": summary.fees,
        "buy and hold": summary.buy_and_hold,
    }
    shown = ", ".join(f"{name} {amount(value, quote)}" for name, value in figures.items())
    return f"Backtest{_on(pairs)}: {counted}, {result._fee_text}\n{shown}"  # noqa: SLF001


def _on(pairs: Sequence[_Pair]) -> str:
    if len(pairs) == 1:
        return f" on {one_line(pairs[0].name)}" if pairs[0].name else ""
    cut = f", the first {_MAX_PAIRS} drawn" if len(pairs) > _MAX_PAIRS else ""
    return f" on {len(pairs)} pairs{cut}"


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _with_unit(name: str, quote: str) -> str:
    return f"{name}, {quote}" if quote else name
