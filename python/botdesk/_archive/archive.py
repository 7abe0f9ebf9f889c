"""The class `Archive`. What needs `sqlite3` is imported with the first use: it takes longer than the package."""

from __future__ import annotations

# Stands in for `typing.TYPE_CHECKING`: importing `typing` takes as long as importing botdesk.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from os import PathLike
    from pathlib import Path
    from types import TracebackType
    from typing import Literal, Self

    from botdesk import ArrowTable, Client
    from botdesk._archive.compounding import CompoundPreview
    from botdesk._archive.results import ArchiveTable, SyncReport
    from botdesk._native import Record

    By = Literal["day", "month", "bot", "pair"]
    Decimals = Literal["decimal", "text", "float"]


class Archive:
    """An SQLite file that keeps what the service forgets: deals, SmartTrades, simple trades, grid profits and bots.

    The file is created by the first sync, and only your user can read it. It holds several accounts, and users of
    several keys: the columns `_source`, `_key` and `account_id` tell them apart. Secrets are replaced by placeholders.

    Args:
        path: The path of the file.
    """

    __module__ = "botdesk"
    __slots__ = ("_connection", "_path")

    _connection: sqlite3.Connection | None
    _path: Path

    def __init__(self, path: str | PathLike[str]) -> None:
        from pathlib import Path  # noqa: PLC0415 - see the top of the file

        self._path = Path(path).expanduser()
        self._connection = None

    def __repr__(self) -> str:
        from botdesk._native import _shown_path  # noqa: PLC0415 - this module is imported before it

        return f"<Archive {_shown_path(str(self._path))}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; a later call opens it again.

        Example:
            >>> import botdesk
            >>> botdesk.Archive("desk.sqlite").close()
        """
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def sync(self, client: Client, *, complete: bool = False) -> SyncReport:
        """Fetch what is new or changed since the last sync. One process at a time can do this.

        The first sync lists everything. Later ones list what changed last, until a record that was known and unchanged:
        one request for each of the five lists if nothing changed, and one for each grid bot that changed. Each page is
        stored as a whole. A sync that was interrupted continues; only the list of simple trades starts again.

        API reference: List deals, Get the list of SmartTrades, Simple trades history, Get the list of DCA Bots,
        Get the list of Grid Bots, Get profit details. Permissions BOTS_READ and SMART_TRADES_READ.

        Args:
            client: The client whose records to keep.
            complete: Whether to list everything again. Records that the service has no more are kept, with the time
                at which that was noticed in the column `_missing_since`.

        Returns:
            What was new, changed and missing, and the number of requests.

        Raises:
            ArchiveError: The file can't be used, or another sync writes it; the message says what to do.
            ApiError: The service returned an error. Pages before it are kept.
            TransportError: No response was received. Pages before it are kept.

        Example:
            >>> import botdesk, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
            ...     with botdesk.Archive(f"{folder}/desk.sqlite") as archive:
            ...         report = archive.sync(sandbox.client())
            ...         report.counts["grid_bots"]["new"] > 0
            True
        """
        from botdesk._archive import running  # noqa: PLC0415 - see the top of the file

        return running.sync(self._path, self._open, client, complete=complete)

    async def sync_async(self, client: Client, *, complete: bool = False) -> SyncReport:
        """Do what `sync` does, without blocking the event loop during requests.

        Args:
            client: The client whose records to keep.
            complete: Whether to list everything again. Records that the service has no more are kept, with the time
                at which that was noticed in the column `_missing_since`.

        Returns:
            What was new, changed and missing, and the number of requests.

        Raises:
            ArchiveError: The file can't be used, or another sync writes it; the message says what to do.
            ApiError: The service returned an error. Pages before it are kept.
            TransportError: No response was received. Pages before it are kept.

        Example:
            >>> import asyncio, botdesk, tempfile
            >>> async def keep(path, client):
            ...     with botdesk.Archive(path) as archive:
            ...         return await archive.sync_async(client)
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
            ...     report = asyncio.run(keep(f"{folder}/desk.sqlite", sandbox.client()))
            >>> report.counts["deals"]["new"] > 0
            True
        """
        from botdesk._archive import running  # noqa: PLC0415 - see the top of the file

        return await running.sync_async(self._path, self._open, client, complete=complete)

    def table(  # noqa: PLR0913 - what to select by
        self,
        name: Literal["deals", "smart_trades", "trades", "dca_bots", "grid_bots", "grid_profits"],
        *,
        year: int | None = None,
        bot: int | str | None = None,
        pair: str | None = None,
        account_id: int | None = None,
        decimals: Decimals | None = None,
    ) -> ArrowTable:
        """Return kept records as a table for pandas, polars, pyarrow and duckdb, as `to_arrow()` of a list does.

        Args:
            name: What to return.
            year: Only what was closed in this year, in UTC; of bots and grid profits, what was created in it.
            bot: Only records of this bot: its id or its name.
            pair: Only records on this pair, as `<QUOTE>_<BASE>`.
            account_id: Only records of this account.
            decimals: What decimals become: `"decimal"` (the default), `"text"` with every digit, or `"float"`.

        Returns:
            The table, by time.

        Raises:
            ValidationError: There is no such table, or it does not have the column to select by.
            ArchiveError: The file can't be used; the message says what to do.

        Example:
            >>> import botdesk, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Archive(f"{folder}/desk.sqlite") as archive:
            ...     archive.table("trades", year=2026)
            <ArrowTable rows=0 columns=...>
        """
        from botdesk._archive import reports  # noqa: PLC0415 - see the top of the file

        with self._reading() as connection:
            records = reports.records(connection, name, year=year, bot=bot, pair=pair, account_id=account_id)
            return records.to_arrow(decimals=decimals)

    def deals(
        self,
        *,
        year: int | None = None,
        bot: int | str | None = None,
        pair: str | None = None,
        account_id: int | None = None,
        decimals: Decimals | None = None,
    ) -> ArrowTable:
        """Return kept deals as a table: `table("deals", …)`.

        Args:
            year: Only deals closed in this year, in UTC.
            bot: Only deals of this bot: its id or its name.
            pair: Only deals on this pair, as `<QUOTE>_<BASE>`.
            account_id: Only deals of this account.
            decimals: What decimals become: `"decimal"` (the default), `"text"` with every digit, or `"float"`.

        Returns:
            The table, by time.

        Raises:
            ArchiveError: The file can't be used; the message says what to do.

        Example:
            >>> import botdesk, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Archive(f"{folder}/desk.sqlite") as archive:
            ...     archive.deals(year=2026)
            <ArrowTable rows=0 columns=...>
        """
        return self.table("deals", year=year, bot=bot, pair=pair, account_id=account_id, decimals=decimals)

    def sql(self, query: str, parameters: Sequence[object] = ()) -> ArchiveTable:
        """Run a query. It can't change the archive.

        Decimals are text. `decimal_sum(column)` adds them exactly; `sum(column)` of SQLite would round.

        Args:
            query: The query, in the SQL of SQLite.
            parameters: Values for the `?` in it.

        Returns:
            The rows.

        Raises:
            ArchiveError: The query has an error or would change something, or the file can't be used.

        Example:
            >>> import botdesk, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Archive(f"{folder}/desk.sqlite") as archive:
            ...     archive.sql("select decimal_sum(column1) as total from (values ('0.1'), ('0.2'))").to_dicts()
            [{'total': '0.3'}]
        """
        from botdesk._archive import reports  # noqa: PLC0415 - see the top of the file

        return reports.sql(self._open(), self._path, query, parameters)

    def report(self, by: By = "month", *, year: int | None = None) -> ArchiveTable:
        """Add up the profit of closed deals, closed SmartTrades and grids, in USD as the service reports it.

        A deal or SmartTrade that was cancelled or failed keeps its coins, so it has made no profit and does not count,
        unless a step of its take profit was filled before. What a grid bot has realized besides its profits, by a stop
        loss or by fees, is one more profit at the last change of the bot: a later note or edit moves it to another day.

        Args:
            by: What to add up: `"day"` and `"month"` are in UTC.
            year: Only what was closed in this year, in UTC.

        Returns:
            A row for each day, month, bot or pair, with the number of profits and their exact sum.

        Raises:
            ValidationError: `by` is none of the four.
            ArchiveError: The file can't be used; the message says what to do.

        Example:
            >>> import botdesk, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Archive(f"{folder}/desk.sqlite") as archive:
            ...     archive.report(by="pair").columns
            ('pair', 'profits', 'profit_usd', 'without_usd')
        """
        from botdesk._archive import reports  # noqa: PLC0415 - see the top of the file

        with self._reading() as connection:
            return reports.profit(connection, by, year)

    def equity(self, *, year: int | None = None) -> ArchiveTable:
        """Return the realized profit over time: the sum of all profits in USD, after each of them.

        The profits are those of `report`. `plot()` of the table draws it, with the drawdown shaded.

        Args:
            year: Only what was closed in this year, in UTC; the sum then begins at zero.

        Returns:
            The rows, by time, with `time`, `profit_usd`, the sum `realized_usd`, and `drawdown_usd`: how far the sum is
            below its highest value. Profits for which the service has no amount in USD are left out.

        Raises:
            ArchiveError: The file can't be used; the message says what to do.

        Example:
            >>> import botdesk, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Archive(f"{folder}/desk.sqlite") as archive:
            ...     archive.equity().columns
            ('time', 'profit_usd', 'realized_usd', 'drawdown_usd')
        """
        from botdesk._archive import reports  # noqa: PLC0415 - see the top of the file

        with self._reading() as connection:
            return reports.equity(connection, year)

    def open_deals(self) -> ArchiveTable:
        """Return the open deals by age and depth, as the latest sync found them; the oldest first.

        `plot()` of the table draws each deal by its age and its distance from the entry.

        Returns:
            The rows: `age_days` until now; `safety_orders` that were filled, of `max_safety_orders`; and
            `from_entry_percentage`, how far the price is from that of the base order, negative if against the deal.

        Raises:
            ArchiveError: The file can't be used; the message says what to do.

        Example:
            >>> import botdesk, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Archive(f"{folder}/desk.sqlite") as archive:
            ...     archive.open_deals().columns[4:8]
            ('age_days', 'safety_orders', 'max_safety_orders', 'from_entry_percentage')
        """
        from datetime import UTC, datetime  # noqa: PLC0415 - see the top of the file

        from botdesk._archive import reports  # noqa: PLC0415 - see the top of the file

        with self._reading() as connection:
            return reports.open_deals_at(connection, datetime.now(UTC))

    def funds_in_use(self) -> ArchiveTable:
        """Return the most funds in deals at once, for each day on which that changed, in each quote currency.

        A deal counts with its `bought_volume`, from its creation to its end, or until a complete listing lacked it. The
        service does not list when each safety order was filled, so a deal counts with all of them from its start. A
        short deal, whose funds are coins, does not count.

        Returns:
            The rows, with `day` in UTC, `currency` and `most`.

        Raises:
            ArchiveError: The file can't be used; the message says what to do.

        Example:
            >>> import botdesk, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Archive(f"{folder}/desk.sqlite") as archive:
            ...     archive.funds_in_use().columns
            ('day', 'currency', 'most')
        """
        from botdesk._archive import reports  # noqa: PLC0415 - see the top of the file

        with self._reading() as connection:
            return reports.funds_in_use(connection)

    def export(self, path: str | PathLike[str], *, year: int | None = None) -> int:
        """Write the closed deals, closed SmartTrades and grid profits to a CSV or Excel file, for the tax adviser.

        The profits are those of `report`. Times are in UTC. Cells that a spreadsheet would run as formulas begin with
        an apostrophe. In Excel files, numbers of more than 15 digits are text, because Excel would round them.

        Args:
            path: The path of the file, which ends with `.csv` or `.xlsx`. An existing file is replaced.
            year: Only what was closed in this year, in UTC.

        Returns:
            The number of rows.

        Raises:
            ValidationError: The path has another ending.
            ConfigurationError: openpyxl is not installed, or the file can't be written.
            ArchiveError: The archive can't be used; the message says what to do.

        Example:
            >>> import botdesk, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Archive(f"{folder}/desk.sqlite") as archive:
            ...     archive.export(f"{folder}/2026.csv", year=2026)
            0
        """
        from pathlib import Path  # noqa: PLC0415 - see the top of the file

        from botdesk._archive import exports  # noqa: PLC0415 - see the top of the file

        with self._reading() as connection:
            return exports.write(connection, Path(path).expanduser(), year)

    def _compound(self, bot: Record, profit_share: object) -> CompoundPreview:
        """Do what `bot.compound` does, whose module can't import this one."""
        from botdesk._archive import compounding  # noqa: PLC0415 - see the top of the file

        return compounding.preview(bot, profit_share, self)

    async def _compound_async(self, bot: Record, profit_share: object) -> CompoundPreview:
        """Do what `bot.compound_async` does."""
        from botdesk._archive import compounding  # noqa: PLC0415 - see the top of the file

        return await compounding.preview_async(bot, profit_share, self)

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Return a context whose errors are those of a file that can't be read."""
        from botdesk._archive import store  # noqa: PLC0415 - see the top of the file

        return store.reading(self._path, self._open)

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Return a context in which this is the only writer, for the modules of the package."""
        from botdesk._archive import store  # noqa: PLC0415 - see the top of the file

        return store.writing(self._path, self._open)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            from botdesk._archive import store  # noqa: PLC0415 - see the top of the file

            self._connection = store.connect(self._path)
        return self._connection
