"""The report on a grid bot, counted from its records: `report()` of `_methods.py` calls these functions."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation, localcontext
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from botdesk._exact import DIVISION
from botdesk._invalid import invalid
from botdesk._service_time import read_time, read_time_async

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from botdesk._api.grid_bots import GridBot, GridEvent, GridOrder, GridProfit
    from botdesk._native import Record

_CENT = Decimal("0.01")
_YEAR_IN_SECONDS = 365 * 86_400

# The messages of filled orders. The service documents those of a start; the others are those of the sandbox.
_FILLED = re.compile(r"(?:LIMIT order filled|Balancing order filled|Position closed)\..* Size: (\d+(?:\.\d+)?) ")
_MOVED = re.compile(r"(?:Trailing|Expansion) (?:up|down)\.")
_STARTED = "Bot turned on"
_EDITED = "Settings changed"


_Time = tuple[datetime | None, list[str]]


class LineProfit(NamedTuple):
    """The profit of a line of a grid."""

    line_id: int
    price: Decimal | None
    profits_count: int
    profit: Decimal


class GridReport(NamedTuple):
    """The profit of a grid bot: amounts in the currency of its profit, which is the quote currency unless it is set.

    Attributes:
        since: Time of the first start; the creation if no event tells of a start.
        until: Time of the report, by the clock of the service; if the bot is off, that of its last change.
        realized: Profit of the record, after fees: that of all steps or, on a futures account, of all that was closed.
        unrealized: Profit or loss of what the bot holds, at the current price.
        total: Both together.
        profits_count: Number of profits.
        by_line: Profit of each line, the highest price first.
        by_day: Profit of each day in UTC, the first day first.
        invested: Investment at the last start, in the quote currency; None if the records do not tell it.
        annualized: Realized profit in percent of the investment, for 365 days; None without an investment. A profit in
            the base currency is taken at the current price.
        holding: Profit of the same investment in the base currency since the last start, in the quote currency; None
            without an investment.
        fees: Fees of all filled orders; None without `fee=`.
        time_in_range: Percent of the candles that close within the range of the record; None without candles.
        warnings: What the records do not tell, each in a sentence.
    """

    since: datetime | None
    until: datetime | None
    realized: Decimal
    unrealized: Decimal
    total: Decimal
    profits_count: int
    by_line: tuple[LineProfit, ...]
    by_day: dict[date, Decimal]
    invested: Decimal | None
    annualized: Decimal | None
    holding: Decimal | None
    fees: Decimal | None
    time_in_range: Decimal | None
    warnings: tuple[str, ...]


class _Read(NamedTuple):
    """The records that a report is counted from."""

    bot: GridBot
    profits: Sequence[GridProfit]
    events: Sequence[GridEvent]
    balancing: Sequence[GridOrder]
    # The end of the report, and what to say of it.
    until: datetime | None
    warnings: list[str]


def report(record: Record, fee: Any, candles: Any) -> GridReport:  # noqa: ANN401 - as backtests take them
    """Read what a bot has done, and count it."""
    fraction = _fee(fee)
    bot = cast("GridBot", record).refresh()
    orders = bot.orders(limit=1000)
    profits, events = bot.profits(), list(bot.iter_events())
    # What is off has ended with its last change.
    time: _Time = read_time(bot._request) if bot.is_enabled else (bot.updated_at, [])  # noqa: SLF001 - for the package
    return _count(_Read(bot, profits, events, orders.balancing_orders or [], *time), fraction, candles)


async def report_async(record: Record, fee: Any, candles: Any) -> GridReport:  # noqa: ANN401 - as the blocking one
    """Read what a bot has done, and count it."""
    fraction = _fee(fee)
    bot = await cast("GridBot", record).refresh_async()
    orders = await bot.orders_async(limit=1000)
    profits = await bot.profits_async()
    events = [event async for event in bot.iter_events_async()]
    time: _Time = await read_time_async(bot._request_async) if bot.is_enabled else (bot.updated_at, [])  # noqa: SLF001
    return _count(_Read(bot, profits, events, orders.balancing_orders or [], *time), fraction, candles)


def _fee(fee: Any) -> Decimal | None:  # noqa: ANN401
    """Return a fee, such as 0.001 or "0.1%", as a fraction."""
    if fee is None:
        return None
    text = str(fee)
    try:
        fraction = Decimal(text.removesuffix("%"))
    except InvalidOperation:
        fraction = Decimal("NaN")
    fraction = fraction.scaleb(-2, DIVISION) if text.endswith("%") else fraction
    if not (fraction.is_finite() and 0 <= fraction < 1):
        message = f"must be a fraction from 0 to below 1, such as 0.001 or '0.1%', not {fee!r}"
        raise invalid("fee", message)
    return fraction


def _count(read: _Read, fee: Decimal | None, candles: Any) -> GridReport:  # noqa: ANN401
    with localcontext(DIVISION):
        return _counted(read, fee, candles)


def _counted(read: _Read, fee: Decimal | None, candles: Any) -> GridReport:  # noqa: ANN401
    bot, warnings = read.bot, read.warnings
    realized, unrealized = bot.current_profit or Decimal(0), bot.unrealized_profit_loss or Decimal(0)
    since = next((event.created_at for event in read.events if event.message == _STARTED), bot.created_at)
    if not bot.is_enabled:
        warnings.append("the bot is off: its record has no unrealized profit")
    recorded = sum((profit.profit or Decimal(0) for profit in read.profits), Decimal(0))
    if recorded != realized:
        warnings.append(
            f"the profits of the lines add up to {recorded:f}, not to {realized:f}: "
            "fees since the last profit and market orders that ended a step belong to no line"
        )
    invested = _invested(read, warnings)
    return GridReport(
        since=since,
        until=read.until,
        realized=realized,
        unrealized=unrealized,
        total=realized + unrealized,
        profits_count=len(read.profits),
        by_line=_by_line(read.profits),
        by_day=_by_day(read.profits),
        invested=invested,
        annualized=_annualized(_worth(bot, realized, warnings), invested, since, read.until),
        holding=_holding(bot, invested),
        fees=None if fee is None else _fees(read, fee, warnings),
        time_in_range=None if candles is None else _time_in_range(bot, since, candles, warnings),
        warnings=tuple(warnings),
    )


def _by_line(profits: Iterable[GridProfit]) -> tuple[LineProfit, ...]:
    lines: dict[int, LineProfit] = {}
    for made in profits:
        line, price = made.grid_line_id or 0, made.grid_line.price if made.grid_line else None
        known = lines.get(line, LineProfit(line, price, 0, Decimal(0)))
        lines[line] = known._replace(profits_count=known.profits_count + 1, profit=known.profit + (made.profit or 0))
    return tuple(sorted(lines.values(), key=lambda line: (line.price or Decimal(0), line.line_id), reverse=True))


def _by_day(profits: Iterable[GridProfit]) -> dict[date, Decimal]:
    days: defaultdict[date, Decimal] = defaultdict(Decimal)
    for made in profits:
        if made.created_at is not None:
            days[made.created_at.astimezone(UTC).date()] += made.profit or Decimal(0)
    return dict(sorted(days.items()))


def _invested(read: _Read, warnings: list[str]) -> Decimal | None:
    """Return the funds of the buy orders and of the balancing order at the last start."""
    bot = read.bot
    unknown = _why_no_investment(read)
    if unknown:
        warnings.append(f"the investment is not known: {unknown}")
        return None
    if bot.trailing_up_enabled or bot.expansion_down_enabled:
        # The words of the service for such an event are not documented, so that it may have gone unnoticed.
        warnings.append("the bot trails or expands: if its lines have moved since the start, the investment is another")
    start, size = bot.start_price or Decimal(0), bot.quantity_per_grid or Decimal(0)
    prices = sorted(line.price for line in bot.grid_lines or [] if line.price is not None)
    nearest = min(prices, key=lambda price: (abs(price - start), price))
    in_quote = bot.order_currency_type == "quote"
    buys = sum((size if in_quote else size * price for price in prices if price < nearest), Decimal(0))
    bought = read.balancing[0].total if nearest != prices[-1] else None
    return buys + (bought or Decimal(0))


def _why_no_investment(read: _Read) -> str | None:
    """Return the reason why the records do not tell the investment at the last start."""
    bot = read.bot
    messages = [event.message or "" for event in read.events]
    last = max((index for index, message in enumerate(messages) if message == _STARTED), default=-1)
    since = messages[last + 1 :]
    nearest_is_top = bool(bot.grid_lines) and (bot.start_price or 0) >= max(
        line.price or Decimal(0) for line in bot.grid_lines or []
    )
    reasons = [
        (not bot.start_price or not bot.grid_lines, "the bot never started"),
        (bot.mode not in {None, "long"}, f"the margin of a {bot.mode} grid is in no record"),
        (last < 0, "no event tells of a start"),
        (any(_MOVED.match(message) for message in since), "its lines moved since the start"),
        (_EDITED in since, "it was edited since the start"),
        (not read.balancing and not nearest_is_top, "no balancing order is listed"),
    ]
    return next((reason for applies, reason in reasons if applies), None)


def _worth(bot: GridBot, realized: Decimal, warnings: list[str]) -> Decimal:
    """Return the realized profit in the quote currency, as the investment is."""
    if bot.profit_currency_type != "base" or not realized:
        return realized
    warnings.append("the profit is in the base currency; `annualized` takes it at the current price")
    return realized * (bot.current_price or Decimal(0))


def _annualized(
    realized: Decimal, invested: Decimal | None, since: datetime | None, until: datetime | None
) -> Decimal | None:
    if not invested or since is None or until is None or until <= since:
        return None
    passed = until - since
    seconds = Decimal(passed.days * 86_400 + passed.seconds) + Decimal(passed.microseconds) / 1_000_000
    return (100 * realized / invested * _YEAR_IN_SECONDS / seconds).quantize(_CENT)


def _holding(bot: GridBot, invested: Decimal | None) -> Decimal | None:
    if invested is None or not bot.start_price or bot.current_price is None:
        return None
    profit = invested * (bot.current_price - bot.start_price) / bot.start_price
    return profit.quantize(Decimal("1e-8")).normalize()


def _fees(read: _Read, fee: Decimal, warnings: list[str]) -> Decimal | None:
    sizes = [Decimal(found[1]) for event in read.events if (found := _FILLED.match(event.message or ""))]
    if len(sizes) < len(read.profits):
        warnings.append("the fees are not known: the events do not tell of all filled orders")
        return None
    return fee * sum(sizes, Decimal(0))


def _time_in_range(bot: GridBot, since: datetime | None, candles: Any, warnings: list[str]) -> Decimal | None:  # noqa: ANN401
    from botdesk._native import Candles  # noqa: PLC0415 - a report without candles needs none

    prepared = candles if isinstance(candles, Candles) else Candles(candles)
    closes = [candle.close for candle in prepared if since is None or candle.time >= since]
    if not closes or bot.lower_price is None or bot.upper_price is None:
        warnings.append("no candle is later than the start, or the record has no range")
        return None
    within = sum(bot.lower_price <= close <= bot.upper_price for close in closes)
    return (Decimal(100 * within) / len(closes)).quantize(_CENT)
