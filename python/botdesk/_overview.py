"""One view of accounts, balances, bots, deals and profits: `client.overview()`."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, localcontext
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from botdesk._closed_deals import made_profit
from botdesk._exact import DIVISION, EXACT, total
from botdesk._native import _printable, _table_html
from botdesk._new_records import free_amount
from botdesk._open_deals import OpenDeal, open_deals
from botdesk._pictures.calendars import WEEKDAYS, monday_of
from botdesk._service_time import read_time, read_time_async
from botdesk._text import aligned

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

    from matplotlib.axes import Axes

    from botdesk import Client
    from botdesk._api.deals import Deal

# The most rows of a table; the others are counted.
_MOST_ROWS = 20
_Rows = list[tuple[str, ...]]
_Closed = tuple[datetime, Decimal | None]
# The ages of deals, in days.
_AGES = (
    ("under a day", Decimal("-Infinity"), Decimal(1)),
    ("1 to 7 days", Decimal(1), Decimal(7)),
    ("7 to 30 days", Decimal(7), Decimal(30)),
    ("30 days or more", Decimal(30), Decimal("Infinity")),
)
_WEEKS_BEFORE = 4


class Funds(NamedTuple):
    """What a currency is used for.

    Attributes:
        currency: The code of the currency.
        in_deals: What the open deals of DCA bots have spent and not got back: on futures, their margin.
        free: What is free on all accounts.
    """

    currency: str
    in_deals: Decimal
    free: Decimal


class Overview:
    """Accounts, balances, bots, deals and profits at a time.

    Attributes:
        time: When it was read, in UTC, by the clock of the service; by that of this machine if a warning says so.
        warnings: What is not known, each as a sentence: the time of the service, profits in USD.
        accounts: The accounts, each with its id, its name and its worth in USD; None if the service does not know it.
        funds: For each quote currency of open deals, and the most valuable others, what is in deals and what is free.
        dca_bots: The number of DCA bots that are enabled, and of all.
        grid_bots: The number of grid bots that are enabled, and of all.
        active_deals: The number of open deals.
        deals_in_profit: How many of them have a profit now.
        open_deals: For each of them its age, its safety orders, and how far the price is from the entry; the oldest
            first.
        open_profit: The profit that they have now, in USD, without the deals whose profit is unknown.
        open_without_profit: The number of open deals whose profit in USD the service does not know.
        profit_today: The profit of DCA bots today, in USD; None if the service does not know it.
        profit_month: The profit of deals that were closed this month, in USD. A deal that was cancelled or failed
            before a part of it was closed has made none.
        profit_by_day: For each day of this week, of the four weeks before and of this month on which deals were
            closed, their profit in USD.
        closed_without_profit: The number of deals closed in that time whose profit in USD the service does not know.
            They are not in `profit_month` and `profit_by_day`.
    """

    __module__ = "botdesk"

    def __init__(self, parts: _Parts) -> None:
        """Count what was read."""
        self.time: datetime = parts.time
        self.accounts: list[tuple[int, str, Decimal | None]] = [
            (account.id, account.name or "", account.usd_amount) for account in parts.accounts
        ]
        self.dca_bots: tuple[int, int] = _enabled(parts.dca_bots)
        self.grid_bots: tuple[int, int] = _enabled(parts.grid_bots)
        profits = [deal.actual_usd_profit for deal in parts.deals if deal.actual_usd_profit is not None]
        self.active_deals: int = len(parts.deals)
        self.deals_in_profit: int = sum(profit > 0 for profit in profits)
        self.open_profit: Decimal = total(profits)
        self.open_without_profit: int = len(parts.deals) - len(profits)
        self.open_deals: list[OpenDeal] = open_deals(parts.deals, parts.time)
        self.funds: list[Funds] = _funds(parts.deals, parts.balances)
        stats: dict[str, Any] = parts.stats.to_dict().get("profits_in_usd") or {}
        today = stats.get("today_usd_profit")
        self.profit_today: Decimal | None = None if today is None else Decimal(str(today))
        closed = [(time, profit) for time, profit in parts.profits if profit is not None]
        self.profit_month: Decimal = total(profit for time, profit in closed if time >= _month_of(parts.time))
        self.profit_by_day: dict[date, Decimal] = _by_day(closed)
        self.closed_without_profit: int = len(parts.profits) - len(closed)
        self.warnings: list[str] = [*parts.warnings, *self._unknown_profits()]

    def _unknown_profits(self) -> Iterator[str]:
        if self.profit_today is None:
            yield "the service does not know today's profit in USD"
        if self.open_without_profit:
            yield f"{_without(self.open_without_profit, 'open deal')} not in the profit of open deals"
        if self.closed_without_profit:
            since = f"closed since {_start(self.time):%Y-%m-%d}"
            yield f"{_without(self.closed_without_profit, 'deal', since)} not in the profits of days and of the month"

    def _tables(self) -> list[tuple[str, Sequence[str], _Rows]]:
        accounts: _Rows = [(str(id_), name, _usd(worth)) for id_, name, worth in self.accounts]
        funds: _Rows = [
            (each.currency, _short(each.in_deals), _short(each.free), _share(each.in_deals, each.free))
            for each in self.funds
        ]
        return [
            (
                "Profit in USD",
                ("today", "this month", "in open deals"),
                [(_usd(self.profit_today), _usd(self.profit_month), _usd(self.open_profit))],
            ),
            (
                "Bots and deals",
                ("", "enabled", "all"),
                [
                    ("DCA bots", *map(str, self.dca_bots)),
                    ("grid bots", *map(str, self.grid_bots)),
                    ("open deals, in profit", str(self.deals_in_profit), str(self.active_deals)),
                ],
            ),
            *self._deals_by_age(),
            ("Funds", ("currency", "in deals", "free", "in use"), funds),
            (f"{len(accounts)} accounts", ("id", "name", "USD"), accounts),
        ]

    def _deals_by_age(self) -> Iterator[tuple[str, Sequence[str], _Rows]]:
        found: _Rows = []
        for name, least, most in _AGES:
            deals = [deal for deal in self.open_deals if deal.age_days is not None and least <= deal.age_days < most]
            depths = [deal.from_entry_percentage for deal in deals if deal.from_entry_percentage is not None]
            if deals:
                profits = [deal.profit_usd for deal in deals if deal.profit_usd is not None]
                spent = sum(deal.is_spent for deal in deals)
                deepest = f"{min(depths)} %" if depths else "-"
                found.append((name, str(len(deals)), str(spent), deepest, _usd(total(profits) if profits else None)))
        if found:
            heads = ("age", "deals", "all safety orders filled", "deepest from entry", "profit, USD")
            yield "Open deals by age", heads, found

    def _weeks(self) -> tuple[str, Sequence[str], _Rows]:
        """Return the profits by day as a table with a row for each week."""
        rows: _Rows = []
        for monday in sorted({monday_of(day) for day in self.profit_by_day}):
            days = [self.profit_by_day.get(monday + timedelta(days=number)) for number in range(7)]
            rows.append((f"{monday}", *("-" if profit is None else f"{profit:+,.2f}" for profit in days)))
        return "Profit by day in USD", ("week of", *WEEKDAYS), rows

    def __str__(self) -> str:
        """Return the view as text."""
        lines = [f"Overview at {self.time:%Y-%m-%d %H:%M:%S} UTC", *(f"! {warning}" for warning in self.warnings)]
        first, *others = self._tables()
        weeks = [self._weeks()] if self.profit_by_day else []
        for title, heads, rows in (first, *weeks, *others):
            lines += ["", title, *_lines(heads, rows[:_MOST_ROWS])]
            if len(rows) > _MOST_ROWS:
                lines.append(f"  … {len(rows) - _MOST_ROWS} more")
        return _printable("\n".join(lines), secrets=False)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts: list[str] = []
        for place, (title, heads, rows) in enumerate(self._tables()):
            notes = [f"… {len(rows) - _MOST_ROWS} more"] if len(rows) > _MOST_ROWS else []
            notes += [] if place else self.warnings
            parts.append(_table_html(title, list(heads), [list(row) for row in rows[:_MOST_ROWS]], notes))
            if not place:
                parts.append(self._calendar())
        return "".join(parts)

    def _calendar(self) -> str:
        """Return the profits by day as HTML: shaded cells with their amounts."""
        from botdesk._pictures import calendar_html  # noqa: PLC0415 - only notebooks need it

        first, last = _start(self.time).date(), self.time.date()
        return calendar_html.weeks(first, last, self.profit_by_day) if self.profit_by_day else ""

    def plot(self, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = "auto") -> Axes:
        """Draw the profit of each of the latest days as a calendar, and below it the open deals by age and depth.

        The place of the axes is divided into two panels, and the axes become those of the calendar.

        Args:
            ax: The matplotlib axes to draw in; by default new ones.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one is
                set.

        Returns:
            The axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `theme` is none of the three.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     ax = sandbox.client().overview().plot()
            >>> ax.get_figure().axes[1].get_xlabel()
            'age, days'
        """
        from botdesk import _pictures  # noqa: PLC0415 - only this method needs it

        return _pictures.draw("overview", (self.profit_by_day, self.open_deals), ax, theme)

    def to_dict(self) -> dict[str, Any]:
        """Return the view as JSON types; decimals stay `Decimal`.

        Returns:
            A dict with the attributes.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().overview().to_dict()["grid_bots"]
            {'enabled': 3, 'all': 5}
        """
        return {
            "time": self.time.isoformat(),
            "warnings": self.warnings,
            "profit_today": self.profit_today,
            "profit_month": self.profit_month,
            "open_profit": self.open_profit,
            "open_without_profit": self.open_without_profit,
            "closed_without_profit": self.closed_without_profit,
            "dca_bots": dict(zip(("enabled", "all"), self.dca_bots, strict=True)),
            "grid_bots": dict(zip(("enabled", "all"), self.grid_bots, strict=True)),
            "active_deals": self.active_deals,
            "deals_in_profit": self.deals_in_profit,
            "open_deals": [deal._asdict() for deal in self.open_deals],
            "profit_by_day": {day.isoformat(): profit for day, profit in self.profit_by_day.items()},
            "funds": [each._asdict() for each in self.funds],
            "accounts": [dict(zip(("id", "name", "usd_amount"), each, strict=True)) for each in self.accounts],
        }


class _Parts(NamedTuple):
    """What an overview counts."""

    time: datetime
    accounts: list[Any]
    dca_bots: list[Any]
    grid_bots: list[Any]
    deals: list[Any]
    balances: list[Any]
    stats: Any
    # Of deals that were closed since `_start`: the time of each, and its profit in USD.
    profits: list[_Closed]
    # Why the time may be wrong.
    warnings: list[str]


def read(client: Client) -> Overview:
    """Read everything; `Client.overview` calls it."""
    time, warnings = read_time(client.request)
    return Overview(
        _Parts(
            time,
            list(client.accounts.iter()),
            list(client.dca_bots.iter()),
            list(client.grid_bots.iter()),
            list(client.deals.iter(scope="active")),
            list(client.accounts.table_data("summary")),
            client.dca_bots.stats(),
            list(profits_since(client, _start(time))),
            warnings,
        )
    )


async def read_async(client: Client) -> Overview:
    """Read everything; `Client.overview_async` calls it."""
    time, warnings = await read_time_async(client.request_async)
    return Overview(
        _Parts(
            time,
            [account async for account in client.accounts.iter_async()],
            [bot async for bot in client.dca_bots.iter_async()],
            [bot async for bot in client.grid_bots.iter_async()],
            [deal async for deal in client.deals.iter_async(scope="active")],
            list(await client.accounts.table_data_async("summary")),
            await client.dca_bots.stats_async(),
            [profit async for profit in _profits_since_async(client, _start(time))],
            warnings,
        )
    )


def _by_day(profits: Iterable[tuple[datetime, Decimal]]) -> dict[date, Decimal]:
    found: dict[date, Decimal] = {}
    for time, profit in sorted(profits, key=itemgetter(0)):
        day = time.astimezone(UTC).date()
        found[day] = EXACT.add(found.get(day, Decimal(0)), profit)
    return found


def _month_of(time: datetime) -> datetime:
    return time.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _start(time: datetime) -> datetime:
    """Return since when profits are read: this month, this week and the four weeks before."""
    day = time.replace(hour=0, minute=0, second=0, microsecond=0)
    return min(_month_of(time), day - timedelta(days=day.weekday() + 7 * _WEEKS_BEFORE))


def _enabled(bots: Sequence[Any]) -> tuple[int, int]:
    return sum(bool(bot.is_enabled) for bot in bots), len(bots)


def _funds(deals: Iterable[Any], balances: Iterable[Any]) -> list[Funds]:
    spent: dict[str, list[Decimal]] = {}
    for deal in deals:
        volume = _in_deal(deal)
        if deal.from_currency is not None and volume is not None:
            spent.setdefault(deal.from_currency, []).append(volume)
    listed = list(balances)
    worth = sorted(listed, key=lambda balance: balance.usd_value or Decimal(0), reverse=True)
    currencies = dict.fromkeys([*sorted(spent), *(balance.currency_code for balance in worth[:_MOST_ROWS])])
    return [
        Funds(str(currency), total(spent.get(currency, [])), free_amount(listed, currency))
        for currency in currencies
        if currency
    ]


def _in_deal(deal: Deal) -> Decimal | None:
    """Return what the open part of a deal has taken of the quote currency; None if that is coins or unknown."""
    is_short, is_futures = deal.strategy == "short", deal.market_type == "futures"
    if is_short and not is_futures:
        return None
    opened, closed = (deal.sold_amount, deal.bought_amount) if is_short else (deal.bought_amount, deal.sold_amount)
    volume = deal.sold_volume if is_short else deal.bought_volume
    if volume is None:
        return None
    with localcontext(DIVISION):
        if opened and closed:
            volume -= volume * closed / opened
        has_leverage = is_futures and deal.leverage_type in {"cross", "isolated"}
        # The rest of a position with leverage is the exchange's.
        return volume / (deal.leverage_custom_value or 1) if has_leverage else volume


# The newest first, so that reading ends at the first one that is too old.
_CLOSED: dict[str, Any] = {"scope": "finished", "order": "closed_at", "order_direction": "DESC"}


def profits_since(client: Any, start: datetime) -> Iterator[_Closed]:  # noqa: ANN401
    """Yield the time and the profit in USD of each deal that was closed since a time."""
    for deal in client.deals.iter(**_CLOSED):
        if deal.closed_at is not None and deal.closed_at < start:
            return
        if deal.closed_at is not None and made_profit(deal):
            yield deal.closed_at, deal.usd_final_profit


async def _profits_since_async(client: Any, start: datetime) -> AsyncIterator[_Closed]:  # noqa: ANN401
    async for deal in client.deals.iter_async(**_CLOSED):
        if deal.closed_at is not None and deal.closed_at < start:
            return
        if deal.closed_at is not None and made_profit(deal):
            yield deal.closed_at, deal.usd_final_profit


def _without(count: int, deal: str, which: str = "") -> str:
    deals = f"{count} {deal}{'s' if count > 1 else ''} {which}".rstrip()
    return f"{deals} without a USD profit {'are' if count > 1 else 'is'}"


def _usd(number: Decimal | None) -> str:
    return "-" if number is None else f"{number:z,.2f}"


def _short(number: Decimal) -> str:
    """Return an amount for people: two decimals, more if it is small."""
    if number == 0 or abs(number) >= 1:
        return _usd(number)
    return f"{number:.8f}".rstrip("0")


def _share(part: Decimal, rest: Decimal) -> str:
    whole = part + rest
    return f"{part / whole * 100:.0f} %" if whole > 0 else "-"


def _lines(heads: Sequence[str], rows: _Rows) -> list[str]:
    # Beside names, figures are easier to read at the left.
    names = len(heads) if "name" in heads else 1
    return [f"  {line}" for line in aligned([heads, *rows], names)]
