"""Queries, and what is added up from them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from botdesk._archive.kinds import BY_NAME, DEALS, Kind, columns
from botdesk._archive.results import ArchiveTable
from botdesk._archive.store import errors_of, number
from botdesk._closed_deals import DEAL_MADE_PROFIT, SMART_TRADE_MADE_PROFIT
from botdesk._exact import EXACT
from botdesk._invalid import invalid
from botdesk._native import _shown_message
from botdesk._open_deals import OpenDeal, open_deals
from botdesk._pairs import DOLLARS
from botdesk._records import Records
from botdesk.errors import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

# The currencies of a pair.
_QUOTE = "nullif(substr(pair, 1, instr(pair, '_') - 1), '')"
_BASE = "nullif(substr(pair, instr(pair, '_') + 1), pair)"
_GRID_CURRENCY = f"CASE b.profit_currency_type WHEN 'quote' THEN {_QUOTE} WHEN 'base' THEN {_BASE} END"
# The service may convert a sum at another time than its parts, so that only in dollars their difference is known.
_DOLLARS = tuple(sorted(DOLLARS))
# The profits of all tables. Times are text in UTC; `profit_currency` is that of `profit`. What a grid bot has realized
# besides its profits is a row of its own: a stop loss, and fees of orders that closed no step.
PROFITS = f"""
SELECT 'deal' AS kind, _id AS id, account_id, account_name, bot_id, bot_name AS bot, pair, created_at AS opened_at,
    closed_at, status, bought_amount, bought_volume, sold_amount, sold_volume, from_currency AS quote_currency,
    final_profit AS profit,
    CASE profit_currency WHEN 'quote_currency' THEN from_currency WHEN 'base_currency' THEN to_currency END
        AS profit_currency,
    usd_final_profit AS profit_usd
FROM deals WHERE {DEAL_MADE_PROFIT}
UNION ALL
SELECT 'smart_trade', _id, account_id, account_name, NULL, NULL, pair, data_created_at, data_closed_at,
    status_basic_type, data_entered_amount, data_entered_total, data_closed_amount, data_closed_total, {_QUOTE},
    profit_volume, {_QUOTE}, profit_usd
FROM smart_trades WHERE {SMART_TRADE_MADE_PROFIT}
UNION ALL
SELECT 'grid_profit', p._id, b.account_id, b.account_name, p._bot_id, b.name, b.pair, NULL, p.created_at, NULL,
    NULL, NULL, NULL, NULL, {_QUOTE}, p.profit,
    {_GRID_CURRENCY}, p.usd_profit
FROM grid_profits AS p LEFT JOIN grid_bots AS b ON b._source = p._source AND b._id = p._bot_id
UNION ALL
SELECT 'grid_rest', _id, account_id, account_name, _id, name, pair, NULL, updated_at, NULL, NULL, NULL, NULL, NULL,
    {_QUOTE}, rest, {_GRID_CURRENCY}, CASE WHEN {_GRID_CURRENCY} IN {_DOLLARS} THEN rest END
FROM (
    SELECT g.*, decimal_rest(g.current_profit, p.profit) AS rest
    FROM grid_bots AS g LEFT JOIN grid_profits AS p ON p._source = g._source AND p._bot_id = g._id
    WHERE g.current_profit IS NOT NULL GROUP BY g._source, g._id
) AS b WHERE rest IS NULL OR CAST(rest AS REAL) <> 0
"""  # noqa: S608 - parts of this module
_KEYS = {
    "day": "substr(closed_at, 1, 10)",
    "month": "substr(closed_at, 1, 7)",
    # A grid bot may have the id of a DCA bot.
    "bot": "CASE WHEN bot_id IS NULL THEN 'no bot' ELSE coalesce(bot, '') || ' (' || "
    "CASE WHEN kind LIKE 'grid%' THEN 'grid ' ELSE '' END || bot_id || ')' END",
    "pair": "pair",
}


def in_year(year: int | None, column: str = "closed_at") -> tuple[str, list[str]]:
    """Return the condition for a year on a column with times, and its parameters."""
    if year is None:
        return "true", []
    return f"{column} >= ? AND {column} < ?", [f"{year:04}", f"{year + 1:04}"]


def profit(connection: sqlite3.Connection, by: str, year: int | None) -> ArchiveTable:
    """Add up the profits in USD."""
    if by not in _KEYS:
        raise invalid("by", f"{by!r} is none of {', '.join(map(repr, _KEYS))}")
    condition, parameters = in_year(year)
    rows = connection.execute(
        f"SELECT CAST({_KEYS[by]} AS TEXT), profit_usd FROM ({PROFITS}) WHERE {condition}",  # noqa: S608 - parts of this module
        parameters,
    )
    counts: dict[str, int] = defaultdict(int)
    unknown: dict[str, int] = defaultdict(int)
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for key, usd in rows:
        counts[key or ""] += 1
        if usd is None:
            unknown[key or ""] += 1
        else:
            sums[key or ""] = EXACT.add(sums[key or ""], number(usd))
    names = (by, "profits", "profit_usd", "without_usd")
    return ArchiveTable(names, [(key, counts[key], sums[key], unknown[key]) for key in sorted(counts)])


def equity(connection: sqlite3.Connection, year: int | None) -> ArchiveTable:
    """Return the sum of all profits in USD after each, and how far it is below its highest value."""
    condition, parameters = in_year(year)
    rows = connection.execute(
        f"SELECT CAST(closed_at AS TEXT), profit_usd FROM ({PROFITS}) "  # noqa: S608 - parts of this module
        f"WHERE {condition} AND closed_at IS NOT NULL AND profit_usd IS NOT NULL ORDER BY closed_at, kind, id",
        parameters,
    )
    found: list[tuple[str, Decimal, Decimal, Decimal]] = []
    realized = highest = Decimal(0)
    for time, usd in rows:
        gained = number(usd)
        realized = EXACT.add(realized, gained)
        highest = max(highest, realized)
        found.append((time, gained, realized, EXACT.subtract(highest, realized)))
    return ArchiveTable(("time", "profit_usd", "realized_usd", "drawdown_usd"), found)


def open_deals_at(connection: sqlite3.Connection, time: datetime) -> ArchiveTable:
    """Return the deals that are open, by age and depth."""
    rows = connection.execute(
        "SELECT CAST(_json AS TEXT) FROM deals "
        "WHERE closed_at IS NULL AND NOT coalesce(finished, 0) AND _missing_since IS NULL"
    )
    deals = DEALS.record_class().list_from_json(_joined(rows))
    return ArchiveTable(OpenDeal._fields, [tuple(deal) for deal in open_deals(deals, time)])


def funds_in_use(connection: sqlite3.Connection) -> ArchiveTable:
    """Return the most funds in deals for each day on which they changed."""
    deals = connection.execute(
        "SELECT CAST(from_currency AS TEXT), CAST(created_at AS TEXT), "
        # A deal that the service no longer lists ended at the latest when that was noticed.
        "CAST(coalesce(closed_at, _missing_since) AS TEXT), bought_volume FROM deals "
        # A short deal has sold coins, which are its funds; what it bought is its end.
        "WHERE created_at IS NOT NULL AND bought_volume IS NOT NULL AND coalesce(strategy, '') <> 'short'"
    )
    events: list[tuple[str, str, Decimal]] = []
    for currency, created, closed, volume in deals:
        events.append((created, currency or "", number(volume)))
        if closed is not None:
            events.append((closed, currency or "", -number(volume)))
    totals: dict[str, Decimal] = defaultdict(Decimal)
    most: dict[tuple[str, str], Decimal] = {}
    # At the same time, what ends comes first.
    for time, currency, volume in sorted(events):
        key = (time[:10], currency)
        before = most.get(key, totals[currency])
        totals[currency] = EXACT.add(totals[currency], volume)
        most[key] = max(before, totals[currency])
    return ArchiveTable(("day", "currency", "most"), [(*key, most[key]) for key in sorted(most)])


def records(  # noqa: PLR0913 - each is named
    connection: sqlite3.Connection,
    name: str,
    *,
    year: int | None,
    bot: int | str | None,
    pair: str | None,
    account_id: int | None,
) -> Records[Any]:
    """Return the records of a table."""
    kind = BY_NAME.get(name)
    if kind is None:
        raise invalid("name", f"{name!r} is none of {', '.join(map(repr, BY_NAME))}")
    condition, years = in_year(year, kind.time)
    conditions, parameters = [condition], list[object](years)
    if bot is not None:
        conditions.append(f"{_bot_column(kind, bot)} = ?")
        parameters.append(bot)
    for column, value in (("pair", pair), ("account_id", account_id)):
        if value is not None:
            conditions.append(f"{_column(kind, column)} = ?")
            parameters.append(value)
    rows = connection.execute(
        f"SELECT CAST(_json AS TEXT) FROM {kind.name} WHERE {' AND '.join(conditions)} ORDER BY {kind.time}, _id",  # noqa: S608
        parameters,
    )
    found = kind.record_class()
    return Records(found.list_from_json(_joined(rows)), kind=found)


def _joined(rows: Iterable[tuple[str | None]]) -> str:
    """Return the JSON of records as one list; a record that a damaged file lacks is null, which is no record."""
    return f"[{','.join(json or 'null' for (json,) in rows)}]"


def _bot_column(kind: Kind, bot: int | str) -> str:
    column = kind.bot_name if isinstance(bot, str) else kind.bot
    if column is None:
        raise invalid("bot", f"{kind.name} can't be selected by {'a name' if kind.bot else 'bot'}")
    return column


def _column(kind: Kind, name: str) -> str:
    if name not in {column for column, _, _ in columns(kind)}:
        raise invalid(name, f"{kind.name} have no such column; use {DEALS.name}, or sql()")
    return name


def sql(connection: sqlite3.Connection, path: Path, query: str, parameters: Sequence[Any]) -> ArchiveTable:
    """Run a query that can't change anything."""
    connection.execute("PRAGMA query_only = 1")
    connection.set_authorizer(_only_reads)
    try:
        with errors_of(path, is_query=True):
            cursor = connection.execute(query, tuple(parameters))
            names = [column[0] for column in cursor.description or ()]
            return ArchiveTable(names, cursor.fetchall())
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise ArchiveError(f"the query was not run: {_shown_message(str(error))}; sql() only reads") from error
    finally:
        connection.set_authorizer(None)
        connection.execute("PRAGMA query_only = 0")


_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def _only_reads(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY
