"""The pictures of accounts and currencies: amounts as bars."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from botdesk._pictures.canvas import Canvas
from botdesk._pictures.values import amount, amounts, brief, briefs, number, one_line, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from botdesk._api import Account, DepositData, Network, NetworkInfo

# The period of a profit, its field, and its field in percent.
_GAINS = (
    ("day", "day_profit_usd", "day_profit_usd_percentage"),
    ("month", "usd_profit", "usd_profit_percentage"),
    ("since the beginning", "total_usd_profit", None),
)
# A picture has no room for more bars.
MOST_BARS = 40


class Bar(NamedTuple):
    """A bar with its name."""

    name: str
    length: float | None
    colour: str
    # What follows the number in the label.
    note: str = ""


def account(record: Account, ax: Axes | None) -> Axes:
    """Draw the profits of an account."""
    canvas = Canvas(ax, 2.8)
    draw_bars(canvas, [_gain(canvas, record, *gain) for gain in _GAINS])
    held = number(record, "usd_amount")
    name = one_line(read(record, "name") or "Account")
    canvas.finish(name if held is None else f"{name}: holds {amount(held, 'USD')}", x="profit, USD")
    return canvas.ax


def accounts(records: Sequence[Account], ax: Axes | None) -> Axes:
    """Draw the balance of each account."""
    shown = records[:MOST_BARS]
    canvas = Canvas(ax, height_of_bars(shown))
    held = [number(record, "usd_amount") for record in records]
    named = [one_line(read(record, "name") or f"account {read(record, 'id')}") for record in shown]
    bars = [Bar(name, length, canvas.colours.order) for name, length in zip(named, held, strict=False)]
    draw_bars(canvas, bars)
    cut = f", the first {len(shown)} drawn" if len(shown) < len(records) else ""
    whole = amount(sum(length or 0 for length in held), "USD")
    counted = f"{len(records)} account{'' if len(records) == 1 else 's'}"
    canvas.finish(f"{counted}: {whole}{cut}", x="held, USD")
    return canvas.ax


def deposit_data(record: DepositData, ax: Axes | None) -> Axes:
    """Draw the free balance of a currency, and the balance in orders."""
    canvas = Canvas(ax, 2.2)
    free = Bar("free", number(record, "available_balance"), canvas.colours.profit)
    draw_bars(canvas, [free, Bar("in orders", number(record, "in_orders"), canvas.colours.average)])
    whole = number(record, "total_balance")
    title = "What the account holds" if whole is None else f"The account holds {brief(whole)}"
    canvas.finish(title, x="amount")
    return canvas.ax


def network_info(record: NetworkInfo, ax: Axes | None) -> Axes:
    """Draw the withdrawal fee of each network."""
    networks: list[Network] = read(record, "network_list") or []
    shown = networks[:MOST_BARS]
    canvas = Canvas(ax, height_of_bars(shown))
    draw_bars(canvas, [_fee(canvas, network) for network in shown])
    currency = one_line(read(record, "currency") or "currency")
    counted = f"{len(networks)} network{'' if len(networks) == 1 else 's'}"
    cut = f", the first {len(shown)} drawn" if len(shown) < len(networks) else ""
    canvas.finish(f"{currency}: {counted}{cut}", x=f"fee of a withdrawal, {currency}")
    return canvas.ax


def height_of_bars(shown: Sequence[object]) -> float:
    """Return the height that bars need."""
    return 1.3 + 0.42 * max(len(shown), 1)


def _gain(canvas: Canvas, record: Account, name: str, field: str, percentage: str | None) -> Bar:
    gained = number(record, field)
    bar = Bar(name, gained, canvas.colours.loss if (gained or 0) < 0 else canvas.colours.profit)
    part = number(record, percentage) if percentage is not None and gained is not None else None
    return bar if part is None else bar._replace(note=f" ({part:.2f} %)")


def _fee(canvas: Canvas, network: Network) -> Bar:
    name = one_line(read(network, "network") or "?")
    is_open = read(network, "withdraw_enable") is not False
    bar = Bar(name, number(network, "withdraw_fee"), canvas.colours.order if is_open else canvas.colours.soft)
    return bar if is_open else bar._replace(note=", closed")


def draw_bars(canvas: Canvas, bars: Sequence[Bar], currency: str = "") -> None:
    """Draw the bars from top to bottom, each with its label: an amount if there is a currency."""
    drawn = canvas.ax.barh(
        range(len(bars)),
        [bar.length or 0 for bar in bars],
        color=[bar.colour for bar in bars],
        height=0.55,
    )
    # Labels with few digits, but so many that different bars have different ones.
    lengths = [bar.length for bar in bars if bar.length is not None]
    numbers = iter(amounts(lengths, currency) if currency else briefs(lengths))
    labels = ["not known" if bar.length is None else next(numbers) + bar.note for bar in bars]
    canvas.ax.bar_label(drawn, labels, padding=4, fontsize="small")
    canvas.ax.axvline(0, color=canvas.colours.soft, linewidth=1)
    canvas.ax.set_yticks(range(len(bars)), [bar.name for bar in bars], parse_math=False)
    canvas.ax.set_ylim(max(len(bars), 1) - 0.5, -0.5)
    canvas.ax.set_xlim(*_limits([bar.length or 0 for bar in bars]))
    canvas.number(canvas.ax.xaxis)


def _limits(lengths: Sequence[float]) -> tuple[float, float]:
    """Leave room for the labels at the ends of bars; a side of zero without bars needs none."""
    least, most = min(lengths, default=0), max(lengths, default=0)
    least, most = min(least, 0), max(most, 0)
    room = 0.4 * ((most - least) or 1)
    return (least - room if least < 0 else 0, most + room if most > 0 or least == 0 else 0)
