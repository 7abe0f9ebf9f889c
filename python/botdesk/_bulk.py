"""Previews and results of bulk operations, and the retry of what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from botdesk._native import _changes_html, _one_line, _record_html, _table_html
from botdesk._records import Records
from botdesk._used_once import UsedOnce
from botdesk.errors import BotdeskError, BulkError, ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from botdesk._budgets import BudgetChange
    from botdesk._bulk_backtests import BulkBacktest

_Record = TypeVar("_Record")

# In the order in which a summary counts them.
_OUTCOMES = ("done", "failed", "unknown", "not_started")
# The most characters of the message of an error in a table.
_LONGEST_MESSAGE = 1_000
# Bounds the search along `__cause__` and `__context__`, which may form a circle.
_MAX_CHAIN = 20


class BulkItem(Generic[_Record]):
    """One record of a bulk operation, and its outcome.

    Attributes:
        id: Its identifier.
        title: A short description.
        status: `done`, `failed`, `unknown` or `not_started`.
        record: The record after the call if it is done; otherwise the record that was passed, or None if only an
            identifier was.
        error: Why it failed, or why its outcome is unknown; None otherwise. The error of an unknown outcome is usually
            an `OutcomeUnknownError`, whose `check()` reads the bot again.
    """

    def __init__(
        self,
        id: int | str,  # noqa: A002
        title: str,
        status: Literal["done", "failed", "unknown", "not_started"],
        record: _Record | None,
        error: BotdeskError | None,
    ) -> None:
        """Store the outcome."""
        self.id = id
        self.title = title
        self.status = status
        self.record = record
        self.error = error

    def __repr__(self) -> str:
        error = f" {type(self.error).__name__}" if self.error is not None else ""
        return f"<BulkItem {self.title} {_named(self.status)}{error}>"

    def _repr_html_(self) -> str:
        title, status, error = _cells(self)
        rows = [("outcome", status), *([("error", error)] if error else [])]
        return _record_html(title, rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BulkItem):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash((self.id, self.status))

    def _compared(self) -> tuple[object, ...]:
        return self.id, self.status, self.record, repr(self.error)


class PlannedCall:
    """A request that a preview shows before it is sent.

    Attributes:
        id: The identifier of its record.
        record: The record if it was passed; otherwise None.
        method: The method of the request.
        path: The path of the request, starting with `/public/api`.
    """

    def __init__(self, id: int | str, record: object, method: str, path: str) -> None:  # noqa: A002
        """Store the request."""
        self.id = id
        self.record = record
        self.method = method
        self.path = path

    def __repr__(self) -> str:
        return f"<PlannedCall {self.method} {self.path}>"

    def _repr_html_(self) -> str:
        return _record_html("PlannedCall", [("method", self.method), ("path", self.path)])


class BulkResult(Generic[_Record]):
    """The outcome of each record of a bulk operation.

    It iterates over its `BulkItem`s, in the order in which the records were passed. Nothing is lost: each record is
    either done, failed, unknown or not started. Nothing is sent twice: `retry_failed()` never repeats a write whose
    outcome is unknown, because the service may have carried it out. It can be pickled, but not retried in another
    process.

    Attributes:
        operation: The operation, such as `dca_bots.edit`.
        ended_by: The error that ended the run before the remaining records: the service rejected the client, or the
            client was closed. None if the run was not ended.
    """

    def __init__(
        self,
        operation: str,
        kind: type[_Record],
        items: list[BulkItem[_Record]],
        ended_by: BotdeskError | None,
        run: object,
    ) -> None:
        """Store the outcomes."""
        self.operation = operation
        self.ended_by = ended_by
        self._kind = kind
        self._items = items
        self._run = None if run is None else UsedOnce(run, _used(f"this result of {operation} was retried"))

    @property
    def done(self) -> Records[_Record]:
        """The records that are done, as the service returned them, in the order they were passed."""
        # What is done has a record.
        records: list[Any] = [item.record for item in self._with("done")]
        return Records(records, self._kind)

    @property
    def failed(self) -> list[BulkItem[_Record]]:
        """The items that failed, each with its error."""
        return self._with("failed")

    @property
    def unknown(self) -> list[BulkItem[_Record]]:
        """The items that may have been carried out: no response says so. Check them before you repeat them."""
        return self._with("unknown")

    @property
    def not_started(self) -> list[BulkItem[_Record]]:
        """The items that were not sent because the run ended first. A write rejected with a 429 is in `failed`."""
        return self._with("not_started")

    @property
    def is_complete(self) -> bool:
        """True if every record is done."""
        return all(item.status == "done" for item in self._items)

    def raise_for_failures(self) -> None:
        """Raise an error unless every record is done.

        Raises:
            BulkError: A record failed, is unknown or was not started; the error holds this result.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     result = sandbox.client().dca_bots.disable_many([41, 999])
            >>> try:
            ...     result.raise_for_failures()
            ... except botdesk.BulkError as error:
            ...     print(repr(error.result), type(error.__cause__).__name__)
            <BulkResult dca_bots.disable of 2: 1 done, 1 failed> NotFoundError
        """
        if self.is_complete:
            return
        errors = [item for item in self._items if item.error is not None]
        if not errors:
            raise BulkError(self._summary(), self) from self.ended_by
        title, _, error = _cells(errors[0])
        message = f"{self._summary()}; the first error, of {title}: {error.partition(': ')[2]}"
        raise BulkError(message, self) from errors[0].error

    def retry_failed(self, *, progress: bool | None = None) -> BulkResult[_Record]:
        """Retry what failed and what was not started. What is unknown is never sent again.

        Edits of bots that were passed as identifiers read the bots again first; the requests of a preview are sent as
        they were shown. Once you know the outcome of the unknown items, repeat those that need it with another call.

        API reference: Edit DCA Bot, Disable DCA Bot, Cancel all deals of DCA Bot, Load balances for specified exchange.
        As in the first run: Permission BOTS_WRITE, with BOTS_READ if bots are read, or ACCOUNTS_WRITE.

        Args:
            progress: Show a progress bar; None shows one if the run takes long, as in the first run.

        Returns:
            A new result of all records, including those that were done before.

        Raises:
            ValidationError: An edit breaks rules; the error lists them all. Nothing was sent.
            ConfigurationError: It was called before, the result was pickled to another process, or a bar is wanted and
                tqdm is not installed; nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     sandbox.faults.add("dca_bots.disable", kind="status", status=404)
            ...     result = client.dca_bots.disable_many([41, 43])
            ...     result
            ...     result.retry_failed()
            <BulkResult dca_bots.disable of 2: 1 done, 1 failed>
            <BulkResult dca_bots.disable of 2: 2 done>
        """
        with self._single_use() as run:
            result: BulkResult[_Record] = run.again(progress)
        return result

    async def retry_failed_async(self, *, progress: bool | None = None) -> BulkResult[_Record]:
        """Retry what failed and what was not started: the `_async` version of `retry_failed`.

        API reference: Edit DCA Bot, Disable DCA Bot, Cancel all deals of DCA Bot, Load balances for specified exchange.
        As in the first run: Permission BOTS_WRITE, with BOTS_READ if bots are read, or ACCOUNTS_WRITE.

        Args:
            progress: Show a progress bar; None shows one if the run takes long, as in the first run.

        Returns:
            A new result of all records, including those that were done before.

        Raises:
            ValidationError: An edit breaks rules; the error lists them all. Nothing was sent.
            ConfigurationError: It was called before, the result was pickled to another process, or a bar is wanted and
                tqdm is not installed; nothing was sent.

        Example:
            >>> import asyncio
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.faults.add("dca_bots.disable", kind="status", status=404)
            ...     result = sandbox.client().dca_bots.disable_many([41, 43])
            ...     asyncio.run(result.retry_failed_async())
            <BulkResult dca_bots.disable of 2: 2 done>
        """
        with self._single_use() as run:
            result: BulkResult[_Record] = await run.again_async(progress)
        return result

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the outcomes as rows of a table: `pandas.DataFrame(result.to_dicts())`.

        Returns:
            A dict for each record, with `id`, `title`, `outcome` and `error`, which is None if there was none.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     result = sandbox.client().dca_bots.edit_each([{"id": 41, "cooldown": 60}])
            >>> result.to_dicts()
            [{'id': 41, 'title': 'DcaBot 41 “Steady ETH long”', 'outcome': 'done', 'error': None}]
        """
        return [
            {"id": item.id, "title": title, "outcome": item.status, "error": error or None}
            for item in self._items
            for title, _, error in (_cells(item),)
        ]

    @staticmethod
    def behind(error: BaseException) -> BulkResult[Any] | None:
        """Return the result of the run that an error ended.

        Ctrl-C ends a blocking run with a `BulkInterrupted`. A cancelled coroutine ends with its `CancelledError`, which
        `asyncio.timeout` turns into a `TimeoutError` and `asyncio.run` into a `KeyboardInterrupt`. The result is found
        on any of them, or on one of their causes.

        Args:
            error: The error that was caught.

        Returns:
            The result; None if the error did not end a run.

        Example:
            >>> import asyncio
            >>> import botdesk
            >>> async def disable(client, bots):
            ...     try:
            ...         async with asyncio.timeout(60):
            ...             return await client.dca_bots.disable_many_async(bots)
            ...     except TimeoutError as error:
            ...         return botdesk.BulkResult.behind(error)
        """
        found: BaseException | None = error
        for _ in range(_MAX_CHAIN):
            if found is None:
                break
            result: BulkResult[Any] | None = getattr(found, "result", None)
            if isinstance(result, BulkResult):
                return result
            found = found.__cause__ or found.__context__
        return None

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[BulkItem[_Record]]:
        return iter(self._items)

    def __getitem__(self, index: int) -> BulkItem[_Record]:
        return self._items[index]

    def __repr__(self) -> str:
        return f"<BulkResult {self._summary()}>"

    def __str__(self) -> str:
        """Show the outcome of each record, one per line."""
        return "\n".join([self._summary(), *_aligned([_cells(item) for item in self._items]), *self._notes()])

    def _repr_html_(self) -> str:
        headings = (self._kind.__name__, "outcome", "error")
        rows = [_cells(item) for item in self._items]
        return _table_html(self._summary(), headings, rows, self._notes())

    def __reduce__(self) -> tuple[Any, ...]:
        return BulkResult, (self.operation, self._kind, self._items, self.ended_by, None)

    def _with(self, status: str) -> list[BulkItem[_Record]]:
        return [item for item in self._items if item.status == status]

    def _single_use(self) -> UsedOnce:
        if self._run is None:
            raise ConfigurationError(
                f"this result of {self.operation} was pickled to another process and can't be retried; retry it in "
                "the process that made it, or make another call with the identifiers of `failed` and `not_started`"
            )
        return self._run

    def _summary(self) -> str:
        counts = [f"{count} {_named(status)}" for status in _OUTCOMES if (count := len(self._with(status)))]
        return f"{self.operation} of {len(self)}: {', '.join(counts) or 'nothing to do'}"

    def _notes(self) -> list[str]:
        notes = [] if self.ended_by is None else [f"ended by {_describe(self.ended_by)}"]
        if self.unknown:
            notes.append("what is unknown may have been carried out: check it before you repeat it")
        return notes


class BulkPreview:
    """The requests that a bulk operation would send. Nothing is sent until `apply()`.

    It prints as a readable diff, and as a table in a notebook. It iterates over the previews of edits, or over the
    `PlannedCall`s of other operations, one per record.

    Attributes:
        operation: The operation, such as `dca_bots.edit`.
        destination: The URL of the service, the profile or the fingerprint of the key, and the
            accounts of the records that are known.
    """

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        operation: str,
        kind: type,
        items: list[BulkItem[Any]],
        planned: list[Any],
        run: object,
        destination: str,
    ) -> None:
        """Store the previews."""
        self.operation = operation
        self.destination = destination
        self._kind = kind
        self._items = items
        self._planned = [_Planned(item, plan) for item, plan in zip(items, planned, strict=True) if plan is not None]
        self._run = UsedOnce(run, _used(f"this preview of {operation} was applied"))

    @property
    def failed(self) -> list[BulkItem[Any]]:
        """The bots that could not be read, each with its error. `apply()` sends nothing for them."""
        return [item for item in self._items if item.status == "failed"]

    @property
    def warnings(self) -> list[str]:
        """The changes that may be mistakes: a volume or a price changes by more than a factor of ten."""
        return [f"{planned.title}: {warning}" for planned in self._planned for warning in planned.warnings]

    @property
    def budgets(self) -> list[BudgetChange]:
        """The budget of each DCA bot before and after the edit, as a `BudgetChange`; empty for other operations."""
        if self.operation != "dca_bots.edit":
            return []
        from botdesk._budgets import budget_change  # noqa: PLC0415 - most previews are of other operations

        bots: list[Any] = self._planned
        return [budget_change(bot.id, bot.shown) for bot in bots]

    def backtest(self, candles: object, **options: Any) -> BulkBacktest:  # noqa: ANN401
        """Run each bot over candles without its edit and with it, and add the profits up.

        Nothing is sent. Each bot runs on its own: they share no funds. A bot without candles of its pairs, or whose
        settings can't be backtested with these arguments, is skipped, and the result says why.

        Args:
            candles: A mapping from pair to candles, or candles for all bots.
            options: Arguments of `DcaBot.backtest`, such as `fee="0.1%"`.

        Returns:
            A `BulkBacktest`: the backtests of each bot, and the profits of all together for each quote currency.

        Raises:
            ConfigurationError: The preview is not one of edits of bots.
            ValidationError: The candles can't be read.

        Example:
            >>> import botdesk
            >>> candles = {"USDT_ETH": [[0, 2500, 2500, 2490, 2495], [60000, 2495, 2530, 2470, 2525]]}
            >>> with botdesk.Sandbox() as sandbox:
            ...     preview = sandbox.client().dca_bots.edit_many([41, 43], take_profit="2.5", preview=True)
            >>> preview.backtest(candles)
            Backtests of 2 edits
            bot                          currency  profit before  after   difference  deals before  after
            DcaBot 41 “Steady ETH long”  USDT         1.14133368      0  -1.14133368             1      0
            DcaBot 43 “Quick XRP short”  USDT                  -      -            -             -      -
            1 bot: 1.14133368 → 0 USDT, -1.14133368
            ! DcaBot 43 “Quick XRP short”: skipped, there are no candles of USDT_XRP
        """
        from botdesk._bulk_backtests import backtest  # noqa: PLC0415 - it takes long

        return backtest(self._planned, self.operation, candles, options)

    async def backtest_async(self, candles: object, **options: Any) -> BulkBacktest:  # noqa: ANN401
        """Run each bot over candles without its edit and with it, and add the profits up.

        Nothing is sent. Each bot runs on its own: they share no funds. A bot without candles of its pairs, or whose
        settings can't be backtested with these arguments, is skipped, and the result says why.

        Args:
            candles: A mapping from pair to candles, or candles for all bots.
            options: Arguments of `DcaBot.backtest`, such as `fee="0.1%"`.

        Returns:
            A `BulkBacktest`: the backtests of each bot, and the profits of all together for each quote currency.

        Raises:
            ConfigurationError: The preview is not one of edits of bots.
            ValidationError: The candles can't be read.

        Example:
            >>> import asyncio, botdesk
            >>> candles = {"USDT_ETH": [[0, 2500, 2500, 2490, 2495], [60000, 2495, 2530, 2470, 2525]]}
            >>> with botdesk.Sandbox() as sandbox:
            ...     preview = sandbox.client().dca_bots.edit_many([41, 43], take_profit="2.5", preview=True)
            >>> asyncio.run(preview.backtest_async(candles)).profits[0].bots
            1
        """
        from botdesk._bulk_backtests import backtest_async  # noqa: PLC0415 - it takes long

        return await backtest_async(self._planned, self.operation, candles, options)

    def export(self, path: str | PathLike[str]) -> int:
        r"""Write the new values of an edit to a file that `edit_each` reads: a row for each record.

        The file has no calculations, only their results. Sending it again changes nothing that was done before, so it
        continues a run that was stopped, also in another process.

        Args:
            path: The file to write: .xlsx for a workbook, CSV otherwise. An existing one is replaced.

        Returns:
            The number of rows.

        Raises:
            ConfigurationError: The operation is no edit, the file can't be written, or a workbook is wanted and
                openpyxl is not installed.

        Example:
            >>> import botdesk, pathlib, tempfile
            >>> plan = pathlib.Path(tempfile.mkdtemp()) / "plan.csv"
            >>> with botdesk.Sandbox() as sandbox:
            ...     bots = sandbox.client().dca_bots
            ...     bots.edit_each([{"id": 41, "base_order_volume": "*1.1"}], preview=True).export(plan)
            ...     bots.edit_each(plan)
            ...     bots.edit_each(plan)
            1
            <BulkResult dca_bots.edit of 1: 1 done>
            <BulkResult dca_bots.edit of 0: nothing to do>
            >>> plan.read_text()
            'id,base_order_volume\n41,88\n'
        """
        if not self._is_edit():
            raise ConfigurationError(f"a preview of {self.operation} has no values to export; only edits have")
        from botdesk._tables.edits import write_changes  # noqa: PLC0415 - it takes long

        edits: list[Any] = self._planned
        return write_changes([(edit.id, edit.shown.changes) for edit in edits], path)

    def apply(self, *, force: bool = False, progress: bool | None = None) -> BulkResult[Any]:
        """Send what the preview shows, and nothing else.

        Each bot of an edit is read again first. If one of its editable fields has changed since, nothing is sent for
        it, and it fails with an `EditConflictError`.

        API reference: Edit DCA Bot, Disable DCA Bot, Cancel all deals of DCA Bot, Load balances for specified exchange.
        Permissions BOTS_READ and BOTS_WRITE, or ACCOUNTS_WRITE.

        Args:
            force: Send edits without reading the bots again.
            progress: Show a progress bar; None shows one if the run takes long.

        Returns:
            A `BulkResult`. Bots that could not be read for the preview are in it as failed.

        Raises:
            ConfigurationError: It was applied before, or a bar is wanted and tqdm is not installed; nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bots = sandbox.client().dca_bots
            ...     preview = bots.edit_many([41, 43], cooldown=60, preview=True)
            ...     preview.apply()
            <BulkResult dca_bots.edit of 2: 2 done>
        """
        with self._run as run:
            result: BulkResult[Any] = run.apply(force, progress)
        return result

    async def apply_async(self, *, force: bool = False, progress: bool | None = None) -> BulkResult[Any]:
        """Send what the preview shows, and nothing else: the `_async` version of `apply`.

        API reference: Edit DCA Bot, Disable DCA Bot, Cancel all deals of DCA Bot, Load balances for specified exchange.
        Permissions BOTS_READ and BOTS_WRITE, or ACCOUNTS_WRITE.

        Args:
            force: Send edits without reading the bots again.
            progress: Show a progress bar; None shows one if the run takes long.

        Returns:
            A `BulkResult`. Bots that could not be read for the preview are in it as failed.

        Raises:
            ConfigurationError: It was applied before, or a bar is wanted and tqdm is not installed; nothing was sent.

        Example:
            >>> import asyncio
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     preview = sandbox.client().dca_bots.disable_many([41, 43], preview=True)
            ...     asyncio.run(preview.apply_async())
            <BulkResult dca_bots.disable of 2: 2 done>
        """
        with self._run as run:
            result: BulkResult[Any] = await run.apply_async(force, progress)
        return result

    def __len__(self) -> int:
        return len(self._planned)

    def __iter__(self) -> Iterator[Any]:
        return (planned.shown for planned in self._planned)

    def __getitem__(self, index: int) -> Any:  # noqa: ANN401
        return self._planned[index].shown

    def __repr__(self) -> str:
        """Show what would change, one record per line."""
        budgets = self._changed_budgets()
        lines = [
            (planned.title, "; ".join([*planned.changes, *(f"budget: {old} → {new}" for old, new in budgets[index])]))
            for index, planned in enumerate(self._planned)
        ]
        warnings = [f"! {warning}" for warning in self.warnings]
        head = [f"Preview of {self._summary()}", f"at {self.destination}"]
        return "\n".join([*head, *_aligned(lines), *warnings, *self._notes()])

    def _repr_html_(self) -> str:
        budgets = self._changed_budgets()
        rows = [
            (planned.title, *cells)
            for index, planned in enumerate(self._planned)
            for cells in (*planned.cells, *(("budget", *change) for change in budgets[index]))
        ]
        headings = (self._kind.__name__, *(("field", "old", "new") if self._is_edit() else ("request",)))
        show = _changes_html if self._is_edit() else _table_html
        notes = [*self.warnings, f"at {self.destination}", *self._notes()]
        return show(f"Preview of {self._summary()}", headings, rows, notes)

    def _changed_budgets(self) -> list[list[tuple[str, str]]]:
        """Return the old and the new budget of each record whose budget changes, for people."""
        found: list[list[tuple[str, str]]] = [[] for _ in self._planned]
        for change, shown in zip(self.budgets, found, strict=False):
            if change.before != change.after:
                from botdesk._budgets import shown_budget  # noqa: PLC0415 - most previews are of other operations

                shown.append((shown_budget(change.before, ""), shown_budget(change.after, change.currency)))
        return found

    def _is_edit(self) -> bool:
        return self.operation.endswith(".edit")

    def _summary(self) -> str:
        return f"{self.operation} of {len(self._items)}"

    def _notes(self) -> list[str]:
        same = [str(planned.id) for planned in self._planned if not planned.cells]
        notes = [f"nothing changes, but the request is sent: {', '.join(same)}"] if same else []
        notes += self._budget_notes()
        notes += [f"can't be read; nothing is sent for it: {': '.join(_cells(item)[::2])}" for item in self.failed]
        return [*notes, "nothing is sent until apply()"]

    def _budget_notes(self) -> list[str]:
        budgets = self.budgets
        if len(budgets) < 2:  # noqa: PLR2004 - one is shown with its bot
            return []
        from botdesk._budgets import lines_of  # noqa: PLC0415 - most previews are of other operations

        return lines_of(budgets)


class _Planned:
    """The planned request of one record, with its lines and table cells."""

    def __init__(self, item: BulkItem[Any], plan: Any) -> None:  # noqa: ANN401
        self.id = item.id
        self.cells: list[tuple[str, ...]]
        if len(plan) == 3:  # noqa: PLR2004 - an edit: its record, its preview, its changes
            self.title, self.shown, self.cells = plan
            self.warnings: list[str] = self.shown.warnings
            self.changes = [f"{field}: {old} → {new}" for field, old, new in self.cells] or ["nothing changes"]
        else:
            self.title = item.title
            self.warnings = []
            self.shown = PlannedCall(item.id, item.record, *plan)
            self.changes = [" ".join(plan)]
            self.cells = [(self.changes[0],)]


def _cells(item: BulkItem[Any]) -> tuple[str, str, str]:
    """Return the table cells of an item."""
    return item.title, _named(item.status), "" if item.error is None else _describe(item.error)


def _used(what: str) -> str:
    """Return the message of the error at a second use."""
    return f"{what} already; use the result that it returned, or make another call"


def _named(status: str) -> str:
    return status.replace("_", " ")


def _describe(error: BaseException) -> str:
    """Describe an error in one line; the message only of botdesk's own errors, which hold no secrets."""
    message = (
        f": {_one_line(' '.join(str(error).split()), _LONGEST_MESSAGE)}" if isinstance(error, BotdeskError) else ""
    )
    return f"{type(error).__name__}{message}"


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the rows as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [f"  {'  '.join(map(str.ljust, row, widths))}".rstrip() for row in rows]
