"""The picture of deals."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._api import DcaBot, Deal
from botdesk._invalid import invalid
from botdesk._pictures.canvas import Canvas
from botdesk._pictures.values import number, one_line, price, price_label, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

# A picture has no room for more deals.
_MAX_DEALS = 40


class _Mark(NamedTuple):
    label: str
    field: str
    form: str
    colour: str
    size: float


def deals_of(bot: DcaBot, ax: Axes | None) -> Axes:
    """Draw the open deals of a DCA bot."""
    held = _held(bot)
    return _draw(held, ax, f"{one_line(read(bot, 'name') or 'DCA bot')}: {_counted(held)}")


def deal(record: Deal, ax: Axes | None) -> Axes:
    """Draw a single deal."""
    name = " · ".join([one_line(read(record, "pair") or "?"), f"deal {read(record, 'id')}"])
    return _draw([record], ax, name)


def deals(records: Iterable[Any], ax: Axes | None) -> Axes:
    """Draw deals, or the deals of bots."""
    found: list[Deal] = []
    for record in records:
        if not isinstance(record, (DcaBot, Deal)):
            raise TypeError(f"plot() draws deals, DCA bots or accounts, not a {type(record).__name__}")
        found.extend([record] if isinstance(record, Deal) else _held(record))
    return _draw(found, ax, f"Deals: {_counted(found)}")


def _held(bot: DcaBot) -> list[Deal]:
    if "active_deals" not in bot.fields_set:
        missing = "a bot from a list has no deals; call refresh() to fetch them"
        raise invalid("active_deals", missing)
    return list(bot.active_deals or [])


def _draw(found: Sequence[Deal], ax: Axes | None, title: str) -> Axes:
    shown = found[:_MAX_DEALS]
    canvas = Canvas(ax, 1.9 + 0.42 * max(len(shown), 1))
    if not shown:
        canvas.finish(title)
        canvas.nothing(_counted(shown))
        return canvas.ax
    pairs = {read(deal, "pair") for deal in shown}
    is_relative = len(pairs) > 1
    for row, deal in enumerate(shown):
        _deal(canvas, row, deal, is_relative=is_relative)
    named = [_name(deal, is_relative=is_relative) for deal in shown]
    canvas.ax.set_yticks(range(len(shown)), named, parse_math=False)
    canvas.ax.set_ylim(len(shown) - 0.4, -0.6)
    canvas.ax.margins(x=0.12)
    canvas.number(canvas.ax.xaxis)
    label = "from the average price, %" if is_relative else price_label(next(iter(pairs), None))
    canvas.finish(title, x=label)
    canvas.legend()
    return canvas.ax


def _counted(found: Sequence[Deal]) -> str:
    if not found:
        return "no open deals"
    cut = f", the first {_MAX_DEALS} drawn" if len(found) > _MAX_DEALS else ""
    return f"{len(found)} open deal{'' if len(found) == 1 else 's'}{cut}"


def _deal(canvas: Canvas, row: int, deal: Deal, *, is_relative: bool) -> None:
    colours = canvas.colours
    # A short deal begins with a sale.
    entry = "sold_average_price" if read(deal, "strategy") == "short" else "bought_average_price"
    marks = [
        _Mark("average price", entry, "|", colours.average, 260),
        _Mark("stop loss", "stop_loss_price", "X", colours.loss, 60),
        _Mark("take profit", "take_profit_price", "D", colours.profit, 46),
        _Mark("price", "current_price", "o", colours.price, 60),
    ]
    average = price(deal, entry)
    if is_relative and average is None:
        return
    prices = {mark: at for mark in marks if (at := price(deal, mark.field)) is not None}
    places = {mark: (at / average - 1) * 100 if is_relative and average else at for mark, at in prices.items()}
    if places:
        ends = [min(places.values()), max(places.values())]
        canvas.ax.plot(ends, [row, row], color=colours.soft, linewidth=1.2, alpha=0.6, zorder=1)
    _gain(canvas, row, deal, (places.get(marks[0]), places.get(marks[-1])))
    named = canvas.ax.get_legend_handles_labels()[1]
    for mark, at in places.items():
        legend_label = None if mark.label in named else mark.label
        canvas.ax.scatter([at], [row], marker=mark.form, s=mark.size, color=mark.colour, zorder=3, label=legend_label)


def _gain(canvas: Canvas, row: int, deal: Deal, prices: tuple[float | None, float | None]) -> None:
    """Draw a bar from the average price to the current price, labelled with the profit."""
    bought, now = prices
    if bought is None or now is None:
        return
    gains = (now >= bought) != (read(deal, "strategy") == "short")
    colour = canvas.colours.profit if gains else canvas.colours.loss
    canvas.ax.plot([bought, now], [row, row], color=colour, linewidth=4, solid_capstyle="butt", zorder=2)
    gained = number(deal, "actual_profit_percentage")
    if gained is not None:
        canvas.text((now, row), f"{gained:+.2f} %", canvas.colours.profit if gained >= 0 else canvas.colours.loss, 11)


def _name(deal: Deal, *, is_relative: bool) -> str:
    name = f"deal {read(deal, 'id')}"
    return f"{one_line(read(deal, 'pair') or '?')} · {name}" if is_relative else name
