"""Put profits into the volumes of a bot: `bot.compound`. An archive says which deals were counted before."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import ROUND_FLOOR, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._archive.kinds import as_time
from botdesk._archive.store import number, transaction
from botdesk._budgets import budget_of
from botdesk._closed_deals import DEAL_MADE_PROFIT
from botdesk._exact import EXACT, plain, total
from botdesk._invalid import invalid
from botdesk._pairs import common_quote
from botdesk._sizing import rounded_down
from botdesk._text import safe_lines
from botdesk._used_once import UNKNOWN_OUTCOMES
from botdesk.errors import ArchiveError, BotdeskWarning, ConfigurationError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Generator

    from botdesk import Archive
    from botdesk._api.dca_bots import DcaBot

_TABLES = (
    """CREATE TABLE IF NOT EXISTS _compounds (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, bot_id INTEGER NOT NULL, started_at TEXT NOT NULL,
    -- Set as soon as it is certain that the bot has the new volumes.
    is_done INTEGER NOT NULL DEFAULT 0, volumes_before TEXT NOT NULL, volumes_after TEXT NOT NULL
) STRICT""",
    """CREATE TABLE IF NOT EXISTS _compounded (
    source TEXT NOT NULL, deal_id TEXT NOT NULL, compound INTEGER NOT NULL, PRIMARY KEY (source, deal_id)
) STRICT""",
)
_DIVISION = Context(prec=60, rounding=ROUND_FLOOR)


class _Deals(NamedTuple):
    """The closed deals that were not counted before."""

    ids: list[str]
    profit: Decimal
    # In another currency than that of the bot's volumes.
    others: int


class CompoundPreview:
    """What compounding would change. Nothing is sent until `apply()`.

    Attributes:
        bot: The bot, as it was read.
        deals: The number of closed deals that were not counted before.
        profit: Their profit together, in the quote currency.
        added: What of it is added to the budget: the share, and nothing of a loss.
        budget_before: The funds that all deals of the bot need at once.
        budget_after: The same with the new volumes, which are rounded down.
        edit: The preview of the edit; None if nothing changes.
        warnings: What was not counted, and what else uses the profits.
    """

    def __init__(self, bot: Any, share: Decimal, archive: Archive) -> None:  # noqa: ANN401 - a DcaBot
        """Plan the edit from the archive."""
        self.bot: DcaBot = bot
        self._archive = archive
        # A preview says where it would be sent.
        self._source = str(bot.preview_edit(name=bot.name, validate=False).destination).partition(", ")[0]
        self._quote = _quote(bot)
        with _opened_for_writing(archive) as connection:
            _settle(connection, self._source, bot)
            self._deals = _uncounted(connection, self._source, bot.id, self._quote)
        self.deals: int = len(self._deals.ids)
        self.profit: Decimal = self._deals.profit
        self.added: Decimal = plain(EXACT.multiply(max(self.profit, Decimal(0)), share))
        self.budget_before: Decimal = _budget(bot)
        self.warnings: list[str] = []
        if self._deals.others:
            self.warnings.append(f"{self._deals.others} deals have a profit in another currency and are not counted")
        if bot.reinvesting_percentage:
            self.warnings.append(
                f"reinvesting_percentage: the bot puts {plain(bot.reinvesting_percentage):f} % of its profits into new "
                "deals by itself; these profits are used twice"
            )
        if bot.custom_safety_steps:
            self.warnings.append("custom_safety_steps: their sizes stay as they are")
        self._before = {name: getattr(bot, name) for name in ("base_order_volume", "safety_order_volume")}
        self._after = {name: self._grown(volume) for name, volume in self._before.items() if volume}
        changes: dict[str, Any] = {name: new for name, new in self._after.items() if new != self._before[name]}
        self.edit: Any = bot.preview_edit(**changes) if changes else None
        self.budget_after: Decimal = (
            self.budget_before if self.edit is None else self.edit._plan(price=1).bot_budget  # noqa: SLF001
        )

    def _grown(self, volume: Decimal) -> Decimal:
        grown = EXACT.multiply(volume, EXACT.add(self.budget_before, self.added))
        return max(volume, rounded_down(_DIVISION.divide(grown, self.budget_before)))

    def apply(self) -> DcaBot:
        """Send the edit, and keep in the archive which deals it counts.

        The bot is read again first; if someone has changed it, nothing is sent. If the outcome is unknown, the next
        `compound` finds out from the volumes of the bot.

        API reference: Edit DCA Bot. Permissions BOTS_READ and BOTS_WRITE.

        Returns:
            The bot after the edit; the bot as it is if nothing changes.

        Raises:
            EditConflictError: The bot has changed since. Nothing was sent.
            OutcomeUnknownError: The outcome is unknown.
            ConfigurationError: Its deals were counted meanwhile. Nothing was sent.
            ApiError: The service returned an error; nothing was changed.
        """
        if self.edit is None:
            return self.bot
        compound = self._begin()
        try:
            edited: DcaBot = self.edit.apply()
        except UNKNOWN_OUTCOMES:
            raise
        except Exception:
            self._end(compound, is_done=False)
            raise
        self._end(compound, is_done=True)
        return edited

    async def apply_async(self) -> DcaBot:
        """Send the edit, and keep in the archive which deals it counts; see `apply`."""
        if self.edit is None:
            return self.bot
        compound = self._begin()
        try:
            edited: DcaBot = await self.edit.apply_async()
        except UNKNOWN_OUTCOMES:
            raise
        except Exception:
            self._end(compound, is_done=False)
            raise
        self._end(compound, is_done=True)
        return edited

    def _begin(self) -> int:
        """Keep what is about to be sent, so that no deal is counted twice."""
        with _writing(self._archive) as connection:
            if set(_uncounted(connection, self._source, self.bot.id, self._quote).ids) != set(self._deals.ids):
                raise ConfigurationError("deals of the bot were counted or synced meanwhile; call compound() again")
            texts = [_volumes(volumes) for volumes in (self._before, {**self._before, **self._after})]
            cursor = connection.execute(
                "INSERT INTO _compounds (source, bot_id, started_at, volumes_before, volumes_after) "
                "VALUES (?, ?, ?, ?, ?)",
                (self._source, self.bot.id, as_time(datetime.now(UTC)), *texts),
            )
            compound = int(cursor.lastrowid or 0)
            connection.executemany(
                "INSERT INTO _compounded VALUES (?, ?, ?)",
                [(self._source, deal, compound) for deal in self._deals.ids],
            )
        return compound

    def _end(self, compound: int, *, is_done: bool) -> None:
        try:
            with _writing(self._archive) as connection:
                _close(connection, compound, is_done=is_done)
        except ArchiveError as error:
            # The outcome of the edit says more: whether the bot has changed.
            what = "the bot has its new volumes" if is_done else "the bot was not changed"
            message = f"{what}, and the archive does not know it yet ({error}); the next compound() finds out"
            warnings.warn(BotdeskWarning(message), stacklevel=3)

    def __str__(self) -> str:
        """Return the preview as text."""
        lines = [
            f"Compounding of DcaBot {self.bot.id} “{self.bot.name}”",
            f"  {self.deals} closed deals, profit {self.profit:f} {self._quote}, added {self.added:f}",
            f"  budget: {plain(self.budget_before):f} → {plain(self.budget_after):f} {self._quote}",
            *(f"  {field}: {old} → {new}" for field, old, new in (self.edit.changes if self.edit else ())),
            *(f"! {warning}" for warning in self.warnings),
            "nothing is sent until apply()" if self.edit else "nothing changes",
        ]
        return safe_lines(lines)

    __repr__ = __str__


def preview(bot: Any, profit_share: Any, archive: Archive) -> CompoundPreview:  # noqa: ANN401
    """Read the bot again, and plan the edit."""
    return CompoundPreview(bot.refresh(), _share(profit_share), archive)


async def preview_async(bot: Any, profit_share: Any, archive: Archive) -> CompoundPreview:  # noqa: ANN401
    """Read the bot again, and plan the edit."""
    return CompoundPreview(await bot.refresh_async(), _share(profit_share), archive)


def _share(given: Any) -> Decimal:  # noqa: ANN401
    text = str(given).strip()
    is_percent = text.endswith("%")
    try:
        found = Decimal(text.removesuffix("%").strip())
    except InvalidOperation:
        found = Decimal(-1)
    share = EXACT.multiply(found, Decimal("0.01")) if is_percent and found.is_finite() else found
    if isinstance(given, bool) or not share.is_finite() or not 0 < share <= 1:
        message = f"must be a share of more than 0 and at most 1, such as '50%' or '0.5', not {given!r}"
        raise invalid("profit_share", message)
    return share


def _quote(bot: DcaBot) -> str:
    quote = common_quote(bot.pairs or ())
    if not quote:
        raise ConfigurationError("the pairs of the bot have several quote currencies, or there are none")
    return quote


def _budget(bot: DcaBot) -> Decimal:
    budget = budget_of(bot)
    if budget is None or budget <= 0:
        message = "its budget depends on prices; compounding needs volumes in the quote currency"
        raise ConfigurationError(f"DcaBot {bot.id}: {message}")
    return budget


def _uncounted(connection: sqlite3.Connection, source: str, bot_id: int | None, quote: str) -> _Deals:
    if not connection.execute("SELECT 1 FROM deals WHERE _source = ? LIMIT 1", (source,)).fetchone():
        raise ArchiveError(f"the archive has no deals of {source}; sync it first: archive.sync(client)")
    rows = connection.execute(
        "SELECT _id, final_profit, profit_currency, from_currency FROM deals WHERE _source = ? AND bot_id = ? "  # noqa: S608
        f"AND {DEAL_MADE_PROFIT} AND final_profit IS NOT NULL "
        "AND _id NOT IN (SELECT deal_id FROM _compounded WHERE source = ?)",
        (source, bot_id, source),
    ).fetchall()
    own = [row for row in rows if row[2] == "quote_currency" and row[3] == quote]
    return _Deals([row[0] for row in own], plain(total(number(row[1]) for row in own)), len(rows) - len(own))


def _settle(connection: sqlite3.Connection, source: str, bot: DcaBot) -> None:
    """Find out from the volumes of the bot what became of an edit whose outcome was unknown."""
    row = connection.execute(
        "SELECT id, volumes_before, volumes_after FROM _compounds WHERE source = ? AND bot_id = ? AND NOT is_done",
        (source, bot.id),
    ).fetchone()
    if row is None:
        return
    compound, before, after = row
    now = _volumes({name: getattr(bot, name) for name in ("base_order_volume", "safety_order_volume")})
    if now not in {before, after}:
        raise ConfigurationError(
            f"DcaBot {bot.id}: the outcome of the last compounding is unknown, and its volumes ({now}) are neither "
            f"those before ({before}) nor those after it ({after}); set one of them, and call compound() again"
        )
    with transaction(connection):
        _close(connection, compound, is_done=now == after)


def _close(connection: sqlite3.Connection, compound: int, *, is_done: bool) -> None:
    if is_done:
        connection.execute("UPDATE _compounds SET is_done = 1 WHERE id = ?", (compound,))
        return
    connection.execute("DELETE FROM _compounded WHERE compound = ?", (compound,))
    connection.execute("DELETE FROM _compounds WHERE id = ?", (compound,))


def _volumes(volumes: dict[str, Decimal | None]) -> str:
    return " ".join("none" if volume is None else f"{plain(volume):f}" for volume in volumes.values())


@contextmanager
def _opened_for_writing(archive: Archive) -> Generator[sqlite3.Connection]:
    """Open the archive as its only writer."""
    kept: Any = archive
    with kept._writing() as connection:  # noqa: SLF001 - for the modules of the package
        for table in _TABLES:
            connection.execute(table)
        yield connection


@contextmanager
def _writing(archive: Archive) -> Generator[sqlite3.Connection]:
    """Write in one transaction."""
    with _opened_for_writing(archive) as connection, transaction(connection):
        yield connection
