"""What comes of doing the same to many records: looked at first, carried out, and taken up again where it ended."""

from __future__ import annotations

from botdesk._native import _record_html, _table_html
from botdesk._records import Records
from botdesk.errors import BotdeskError, BulkError, ConfigurationError, ValidationError

# What `typing` would say; importing it takes longer than the rest of the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# How the outcomes are called, in the order in which they are counted.
_OUTCOMES = ("done", "failed", "unknown", "not_started")
# How many errors are looked at behind the one that was caught.
_DEEPEST = 20


class BulkItem:
    """One of many records, and what became of it.

    Attributes:
        id: Its identifier.
        title: What it is, in a few words.
        status: `done`, `failed`, `unknown` or `not_started`.
        record: The record after it was done; before that the record that was given, None where only an identifier was.
        error: Why it failed, or why nobody knows; None otherwise. That of an unknown outcome is mostly an
            `OutcomeUnknownError`, whose `check()` looks at a bot again.
    """

    def __init__(self, id: int, title: str, status: str, record: Any, error: Any) -> None:  # noqa: A002, ANN401
        """Keep what is known."""
        self.id = id
        self.title = title
        self.status = status
        self.record = record
        self.error = error

    def __repr__(self) -> str:
        told = f" {type(self.error).__name__}" if self.error is not None else ""
        return f"<BulkItem {self.title} {_named(self.status)}{told}>"

    def _repr_html_(self) -> str:
        title, status, told = _cells(self)
        shown = [("outcome", status), *([("error", told)] if told else [])]
        return _record_html(title, shown)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BulkItem):
            return NotImplemented
        same = (self.id, self.status, self.record) == (other.id, other.status, other.record)
        return same and repr(self.error) == repr(other.error)

    def __hash__(self) -> int:
        return hash((self.id, self.status))


class PlannedCall:
    """A call that a preview shows, before it is sent.

    Attributes:
        id: The identifier of the record that it is for.
        record: The record, where it was given; otherwise None.
        method: The method of the request.
        path: Its path, from `/public/api` on.
    """

    def __init__(self, id: int, record: Any, method: str, path: str) -> None:  # noqa: A002, ANN401
        """Keep what would be sent."""
        self.id = id
        self.record = record
        self.method = method
        self.path = path

    def __repr__(self) -> str:
        return f"<PlannedCall {self.method} {self.path}>"

    def _repr_html_(self) -> str:
        return _record_html("PlannedCall", [("method", self.method), ("path", self.path)])


class _Once:
    """What may be carried out once: done again, it would send again what was sent."""

    def __init__(self, run: Any, done: str) -> None:  # noqa: ANN401
        self._run = run
        self._done = done
        # Taken out by the first who carries it out; a list gives its last element to one thread alone.
        self._turns = [True]

    def __enter__(self) -> Any:  # noqa: ANN401
        try:
            self._turns.pop()
        except IndexError:
            message = f"{self._done} already; go on with the result that it gave, or make another call"
            raise ConfigurationError(message) from None
        return self._run

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        # These are raised before anything is sent.
        if isinstance(error, (ConfigurationError, ValidationError)):
            self._turns.append(True)


class BulkResult:
    """What became of each of many records.

    It iterates over its `BulkItem`s, in the order in which the records were given. Nothing is lost: each record is
    either done, failed, unknown or not started. Nothing is sent twice: what is unknown, because the service may have
    carried it out, is never sent again by `retry_failed()`. It can be pickled; in another process it can't be retried.

    Attributes:
        operation: What was done, such as `dca_bots.edit`.
        ended_by: The error after which the rest was not started: the service kept the client out, or the client was
            closed. None if there was no such error.
    """

    def __init__(
        self, operation: str, kind: type, items: list[BulkItem], ended_by: BotdeskError | None, run: object
    ) -> None:
        """Keep what became of each."""
        self.operation = operation
        self.ended_by = ended_by
        self._kind = kind
        self._items = items
        self._run = None if run is None else _Once(run, f"what failed in this result of {operation} was sent again")

    @property
    def done(self) -> Any:  # noqa: ANN401
        """The records that are done, as the service answered, in the order in which they were given."""
        return Records((item.record for item in self._with("done")), self._kind)

    @property
    def failed(self) -> list[BulkItem]:
        """What was not carried out, each with its error."""
        return self._with("failed")

    @property
    def unknown(self) -> list[BulkItem]:
        """What may have been carried out, and no answer tells. Look at it before you repeat it."""
        return self._with("unknown")

    @property
    def not_started(self) -> list[BulkItem]:
        """What was not sent, because the run ended before."""
        return self._with("not_started")

    @property
    def is_complete(self) -> bool:
        """Whether all is done."""
        return all(item.status == "done" for item in self._items)

    def raise_for_failures(self) -> None:
        """Raise an error unless all is done.

        Raises:
            BulkError: Something failed, is unknown or was not started; it holds this result.

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
        # Type checkers know this class by its stub.
        result: Any = self
        errors = [item for item in self._items if item.error is not None]
        if not errors:
            raise BulkError(self._summary(), result) from self.ended_by
        title, _, told = _cells(errors[0])
        message = f"{self._summary()}; the first error, of {title}: {told.partition(': ')[2]}"
        raise BulkError(message, result) from errors[0].error

    def retry_failed(self, *, progress: bool | None = None) -> Any:  # noqa: ANN401
        """Send again what failed, and what was not started. What is unknown is never sent again.

        Bots of an edit of which only the identifier was given are read again first; what a preview showed is sent as it
        was shown. Once the outcome of what is unknown is settled, do the rest of that by another call.

        API reference: Edit DCA Bot, Disable DCA Bot, Cancel all deals of DCA Bot, Load balances for specified exchange.
        As in the first run: Permission BOTS_WRITE, with BOTS_READ where bots are read, or ACCOUNTS_WRITE.

        Args:
            progress: Whether a bar shows how far it is; None where it takes long, as in the first run.

        Returns:
            A new result of the whole: what was done before is in it as well.

        Raises:
            ValidationError: An edit breaks rules, told all at once; nothing was sent.
            ConfigurationError: It was called before, the result has travelled to another process, or a bar is wanted
                and tqdm is not installed; nothing was sent.

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
        with self._once() as run:
            return run.again(progress)

    async def retry_failed_async(self, *, progress: bool | None = None) -> Any:  # noqa: ANN401
        """Send again what failed, and what was not started: the `_async` version of `retry_failed`.

        API reference: Edit DCA Bot, Disable DCA Bot, Cancel all deals of DCA Bot, Load balances for specified exchange.
        As in the first run: Permission BOTS_WRITE, with BOTS_READ where bots are read, or ACCOUNTS_WRITE.

        Args:
            progress: Whether a bar shows how far it is; None where it takes long, as in the first run.

        Returns:
            A new result of the whole: what was done before is in it as well.

        Raises:
            ValidationError: An edit breaks rules, told all at once; nothing was sent.
            ConfigurationError: It was called before, the result has travelled to another process, or a bar is wanted
                and tqdm is not installed; nothing was sent.

        Example:
            >>> import asyncio
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.faults.add("dca_bots.disable", kind="status", status=404)
            ...     result = sandbox.client().dca_bots.disable_many([41, 43])
            ...     asyncio.run(result.retry_failed_async())
            <BulkResult dca_bots.disable of 2: 2 done>
        """
        with self._once() as run:
            return await run.again_async(progress)

    @staticmethod
    def behind(error: BaseException) -> BulkResult | None:
        """Give the result of the run that an error has ended.

        Ctrl-C ends a blocking run with a `BulkInterrupted`; a coroutine that is cancelled ends with the
        `CancelledError` that came, and may be met as the `TimeoutError` of `asyncio.timeout` or the
        `KeyboardInterrupt` of `asyncio.run`. Whichever it is, the result is found on it or behind it.

        Args:
            error: The error that was caught.

        Returns:
            The result; None where no run stands behind the error.

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
        for _ in range(_DEEPEST):
            if found is None:
                break
            if isinstance(result := getattr(found, "result", None), BulkResult):
                return result
            found = found.__cause__ or found.__context__
        return None

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[BulkItem]:
        return iter(self._items)

    def __getitem__(self, index: int) -> BulkItem:
        return self._items[index]

    def __repr__(self) -> str:
        return f"<BulkResult {self._summary()}>"

    def __str__(self) -> str:
        """Show what became of each, one in each line."""
        return "\n".join([self._summary(), *_aligned([_cells(item) for item in self._items]), *self._notes()])

    def _repr_html_(self) -> str:
        heads = (self._kind.__name__, "outcome", "error")
        rows = [_cells(item) for item in self._items]
        return _table_html(self._summary(), heads, rows, self._notes())

    def __reduce__(self) -> tuple[Any, ...]:
        return BulkResult, (self.operation, self._kind, self._items, self.ended_by, None)

    def _with(self, status: str) -> list[BulkItem]:
        return [item for item in self._items if item.status == status]

    def _once(self) -> _Once:
        if self._run is None:
            raise ConfigurationError(
                f"this result of {self.operation} has travelled to another process; do the rest where it was made, or "
                "by another call with the identifiers of what failed and what was not started"
            )
        return self._run

    def _summary(self) -> str:
        counts = [f"{count} {_named(status)}" for status in _OUTCOMES if (count := len(self._with(status)))]
        return f"{self.operation} of {len(self)}: {', '.join(counts) or 'nothing to do'}"

    def _notes(self) -> list[str]:
        notes = [] if self.ended_by is None else [f"ended by {_told(self.ended_by)}"]
        if self.unknown:
            notes.append("what is unknown may have been carried out: look at it before you repeat it")
        return notes


class BulkPreview:
    """What would be sent for many records. Nothing is sent until `apply()`.

    It prints as a readable diff, and as a table in a notebook. It iterates over what would be sent for each record: the
    previews of edits, otherwise `PlannedCall`s.

    Attributes:
        operation: What would be done, such as `dca_bots.edit`.
    """

    def __init__(self, operation: str, kind: type, items: list[BulkItem], planned: list[Any], run: object) -> None:
        """Keep what would be sent."""
        self.operation = operation
        self._kind = kind
        self._items = items
        self._planned = [_Planned(item, plan) for item, plan in zip(items, planned, strict=True) if plan is not None]
        self._run = _Once(run, f"this preview of {operation} was applied")

    @property
    def failed(self) -> list[BulkItem]:
        """The bots that could not be read, each with its error. `apply()` sends nothing for them."""
        return [item for item in self._items if item.status == "failed"]

    def apply(self, *, force: bool = False, progress: bool | None = None) -> Any:  # noqa: ANN401
        """Send what the preview shows, and nothing else.

        Each bot of an edit is read again first. Where a field that can be edited has changed since, nothing is sent for
        it, and it failed with an `EditConflictError`.

        API reference: Edit DCA Bot, Disable DCA Bot, Cancel all deals of DCA Bot, Load balances for specified exchange.
        Permissions BOTS_READ and BOTS_WRITE, or ACCOUNTS_WRITE.

        Args:
            force: Whether to send edits without reading the bots again.
            progress: Whether a bar shows how far it is; None where it takes long.

        Returns:
            A `BulkResult`. What could not be read for the preview is in it, as failed.

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
            return run.apply(force, progress)

    async def apply_async(self, *, force: bool = False, progress: bool | None = None) -> Any:  # noqa: ANN401
        """Send what the preview shows, and nothing else: the `_async` version of `apply`.

        API reference: Edit DCA Bot, Disable DCA Bot, Cancel all deals of DCA Bot, Load balances for specified exchange.
        Permissions BOTS_READ and BOTS_WRITE, or ACCOUNTS_WRITE.

        Args:
            force: Whether to send edits without reading the bots again.
            progress: Whether a bar shows how far it is; None where it takes long.

        Returns:
            A `BulkResult`. What could not be read for the preview is in it, as failed.

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
            return await run.apply_async(force, progress)

    def __len__(self) -> int:
        return len(self._planned)

    def __iter__(self) -> Iterator[Any]:
        return (planned.shown for planned in self._planned)

    def __getitem__(self, index: int) -> Any:  # noqa: ANN401
        return self._planned[index].shown

    def __repr__(self) -> str:
        """Show what would change, one record in each line."""
        lines = [(planned.title, "; ".join(planned.told)) for planned in self._planned]
        return "\n".join([f"Preview of {self._summary()}", *_aligned(lines), *self._notes()])

    def _repr_html_(self) -> str:
        rows = [(planned.title, *cells) for planned in self._planned for cells in planned.cells]
        heads = (self._kind.__name__, *(("field", "old", "new") if self._is_edit() else ("request",)))
        return _table_html(f"Preview of {self._summary()}", heads, rows, self._notes())

    def _is_edit(self) -> bool:
        return self.operation.endswith(".edit")

    def _summary(self) -> str:
        return f"{self.operation} of {len(self._items)}"

    def _notes(self) -> list[str]:
        same = [str(planned.id) for planned in self._planned if not planned.cells]
        notes = [f"nothing changes, and is sent all the same: {', '.join(same)}"] if same else []
        notes += [f"can't be read, and nothing is sent for it: {': '.join(_cells(item)[::2])}" for item in self.failed]
        return [*notes, "nothing is sent until apply()"]


class _Planned:
    """What would be sent for one record, and how it is shown."""

    def __init__(self, item: BulkItem, plan: Any) -> None:  # noqa: ANN401
        self.id = item.id
        self.cells: list[tuple[str, ...]]
        if len(plan) == 3:  # noqa: PLR2004 - an edit: its record, its preview, its changes
            self.title, self.shown, self.cells = plan
            self.told = [f"{field}: {old} → {new}" for field, old, new in self.cells] or ["nothing changes"]
        else:
            self.title = item.title
            self.shown = PlannedCall(item.id, item.record, *plan)
            self.told = [" ".join(plan)]
            self.cells = [(self.told[0],)]


def _cells(item: BulkItem) -> tuple[str, str, str]:
    """Give what a table shows of an item."""
    return item.title, _named(item.status), "" if item.error is None else _told(item.error)


def _named(status: str) -> str:
    return status.replace("_", " ")


def _told(error: BaseException) -> str:
    """Say in one line what an error says; no secret is in the errors of botdesk."""
    told = f": {' '.join(str(error).split())}" if isinstance(error, BotdeskError) else ""
    return f"{type(error).__name__}{told}"


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Give lines whose columns stand below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [f"  {'  '.join(map(str.ljust, row, widths))}".rstrip() for row in rows]
