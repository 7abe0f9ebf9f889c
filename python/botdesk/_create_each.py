"""New DCA bots from a table, previewed as a whole: `dca_bots.create_each`."""

# ruff: noqa: SLF001 - `Operation` and the previews have these methods for the modules of the package
# pyright: reportPrivateUsage=false

from __future__ import annotations

import re
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from botdesk import _new_bots
from botdesk._ending_errors import ends_all
from botdesk._exact import total
from botdesk._invalid import invalid
from botdesk._native import Record
from botdesk._new_records import Surroundings, account_read, balances_read, rates_read
from botdesk._tables.cells import CellError, is_empty, value_of
from botdesk._tables.edits import Problems, check_columns, current_value, settings_of
from botdesk._tables.files import numbered, rows_of
from botdesk._text import rounded_amounts, safe_lines
from botdesk._used_once import UNKNOWN_OUTCOMES, UsedOnce
from botdesk.errors import BotdeskError, BulkInterrupted, ValidationError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from decimal import Decimal

    from botdesk._api.dca_bots import DcaBot
    from botdesk._bulk import BulkItem, BulkResult
    from botdesk._native import Resource
    from botdesk._new_bots import NewBotPreview
    from botdesk._new_records import Read
    from botdesk._tables.files import Row

    Reads = Generator[Read, Any, "NewBotsPreview"]

_OPERATION = "dca_bots.create"
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class _Row(NamedTuple):
    """The settings of a new bot, and the body and the pairs that follow from them."""

    settings: dict[str, Any]
    body: dict[str, Any]
    pairs: list[str]


def create_each(
    bots: Any,  # noqa: ANN401 - the resource, whose class imports this module
    table: object,
    like: DcaBot | int | None,
    name: str | None,
    *,
    skip_existing: bool,
) -> NewBotsPreview:
    """Read the bots and what their budgets need, and return the preview."""
    rows = _rows(table, list(bots.iter()), like, name, skip_existing=skip_existing)
    reads = _previewed(bots, rows)
    try:
        read = next(reads)
        while True:
            read = reads.send(read.operation._ask(bots, read.inputs, *read.ids))
    except StopIteration as ended:
        preview: NewBotsPreview = ended.value
        return preview


async def create_each_async(
    bots: Any,  # noqa: ANN401 - the resource, whose class imports this module
    table: object,
    like: DcaBot | int | None,
    name: str | None,
    *,
    skip_existing: bool,
) -> NewBotsPreview:
    """Read the bots and what their budgets need, and return the preview: see `create_each`."""
    rows = _rows(table, [bot async for bot in bots.iter_async()], like, name, skip_existing=skip_existing)
    reads = _previewed(bots, rows)
    try:
        read = next(reads)
        while True:
            # A `StopIteration` can't leave a coroutine, so it does not come from the request.
            read = reads.send(await read.operation._ask_async(bots, read.inputs, *read.ids))
    except StopIteration as ended:
        preview: NewBotsPreview = ended.value
        return preview


def _rows(
    table: object,
    existing: Sequence[Any],
    like: DcaBot | int | None,
    name: str | None,
    *,
    skip_existing: bool,
) -> list[_Row]:
    """Check the whole table, and return what is created."""
    rows, types, problems = rows_of(table), settings_of(_OPERATION), Problems()
    base = _base(existing, like)
    check_columns(rows, types, _OPERATION, problems)
    problems.check()
    bots = {(bot.account_id, bot.name): f"the bot {bot.id}" for bot in existing}
    named: dict[tuple[Any, Any], str] = {}
    found: list[_Row] = []
    for number, row in numbered(rows):
        where = f"row {number}"
        settings = _settings(row, types, base, where, problems)
        template = settings.get("name") or name
        if template is None:
            problems.add(where, "has no name; add a column name, or pass name='{strategy} {pair} {n}'")
            continue
        settings["name"] = _named(str(template), settings, number, where, problems)
        key = (settings.get("account_id"), settings["name"])
        if key in named:
            problems.add(where, f"{named[key]} has the name {key[1]!r}; choose another")
        named[key] = where
        if key in bots and skip_existing:
            continue
        if key in bots:
            problems.add(where, f"{bots[key]} has the name {key[1]!r}; choose another, or pass skip_existing=True")
        found.extend(_checked(settings, where, problems))
    problems.check()
    return found


def _base(existing: Sequence[Any], like: DcaBot | int | None) -> Any:  # noqa: ANN401
    if like is None or not isinstance(like, int):
        return like
    found = next((bot for bot in existing if bot.id == like), None)
    if found is None:
        message = f"there is no DCA bot {like}"
        raise invalid("like", message)
    return found


def _settings(row: Row, types: dict[str, str], base: Any, where: str, problems: Problems) -> dict[str, Any]:  # noqa: ANN401
    changes: dict[str, Any] = {}
    for name, cell in row.items():
        if is_empty(cell):
            continue
        try:
            changes[name] = value_of(
                cell, types[name], None if base is None else current_value(base, name, types[name])
            )
        except CellError as error:
            problems.add(f"{where}.{name}", str(error))
    if base is None:
        return {"strategy_list": [], **changes}
    settings = _new_bots.settings_of(base, changes)
    return {name: value for name, value in settings.items() if value is not None}


def _named(template: str, settings: dict[str, Any], number: int, where: str, problems: Problems) -> str:
    pairs: Any = settings.get("pairs") or ""
    values = {
        "pair": pairs if isinstance(pairs, str) else " ".join(pairs),
        "strategy": str(settings.get("strategy") or "long"),
        "n": str(number),
    }

    def value(found: re.Match[str]) -> str:
        if found[1] not in values:
            known = ", ".join(f"{{{name}}}" for name in values)
            problems.add(f"{where}.name", f"{found[0]} is no placeholder; there are {known}")
        return values.get(found[1], "")

    return _PLACEHOLDER.sub(value, template)


def _checked(settings: dict[str, Any], where: str, problems: Problems) -> list[_Row]:
    try:
        body, pairs = _new_bots.checked(settings)
    except ValidationError as error:
        for field, messages in error.errors.items():
            for message in messages:
                problems.add(f"{where}.{field}", message)
        return []
    return [_Row(settings, body, pairs)]


def _previewed(bots: Resource, rows: Sequence[_Row]) -> Reads:
    """Yield the reads, each once, and return the preview."""
    accounts: dict[Any, Any] = {}
    balances: dict[Any, Any] = {}
    rates: dict[tuple[Any, str], Any] = {}
    previews: list[NewBotPreview] = []
    for settings, body, pairs in rows:
        account_id = body["account_id"]
        if account_id not in accounts:
            accounts[account_id] = yield account_read(account_id)
            balances[account_id] = yield balances_read(account_id)
        for pair in pairs:
            if (account_id, pair) not in rates:
                rates[account_id, pair] = yield rates_read(accounts[account_id], pair)
        own = {pair: rates[account_id, pair] for pair in pairs}
        around = Surroundings(accounts[account_id], balances[account_id], own)
        previews.append(_new_bots.NewBotPreview(bots, settings, body, around))
    return NewBotsPreview(previews)


class NewBotsPreview:
    """New DCA bots of a table, before they are created: iterate over it for the preview of each.

    Attributes:
        previews: A `NewBotPreview` for each bot.
        warnings: What speaks against the bots, together and each.
    """

    def __init__(self, previews: list[NewBotPreview]) -> None:
        """Add up the budgets. All was read before."""
        self.previews = previews
        self._once = UsedOnce(_Run(previews), "the preview was used before; use the result that it returned")
        self.warnings: list[str] = [
            f"{preview.body['name']}: {warning}" for preview in previews for warning in preview.warnings
        ]
        for account_id, currency, budget, available in self.budgets:
            if budget > available:
                needed, free = rounded_amounts([budget, available], currency)
                has = f"account {account_id} has {free} free"
                self.warnings.insert(0, f"the bots together need {needed} {currency}, and {has}")

    @property
    def budgets(self) -> list[tuple[int, str, Decimal, Decimal]]:
        """For each account and quote currency, what all new bots need together, and what is free.

        Bots whose orders can't be planned, and short bots on spot accounts, which sell coins, are not part of it; their
        own previews say so.
        """
        groups: dict[tuple[int, str], list[NewBotPreview]] = {}
        for preview in self.previews:
            if preview.needed is not None:
                groups.setdefault((preview.body["account_id"], preview.quote), []).append(preview)
        return [
            (*key, total(each.needed for each in group if each.needed is not None), group[0].available)
            for key, group in groups.items()
        ]

    def __len__(self) -> int:
        return len(self.previews)

    def __iter__(self) -> Iterator[NewBotPreview]:
        return iter(self.previews)

    def __getitem__(self, index: int) -> NewBotPreview:
        return self.previews[index]

    def create(self) -> BulkResult[DcaBot]:
        """Create the bots, one after the other. None is enabled.

        API reference: Create DCA bot. Permission BOTS_WRITE.

        Returns:
            A `BulkResult`; the id of a bot that was not created is 0. `retry_failed()` continues a run that was
            stopped, and never repeats a bot whose outcome is unknown.

        Raises:
            ConfigurationError: The preview was used before; nothing was sent.
            BulkInterrupted: Ctrl-C; `result` has the outcome of each bot.
        """
        with self._once as run:
            return cast("BulkResult[DcaBot]", run.again(None))

    async def create_async(self) -> BulkResult[DcaBot]:
        """Create the bots, one after the other; see `create`."""
        with self._once as run:
            return cast("BulkResult[DcaBot]", await run.again_async(None))

    def __str__(self) -> str:
        """Return the preview as text, a line for each bot."""
        lines = [f"Preview of {len(self)} new DCA bots"]
        lines += [f"  {_line(preview)}" for preview in self.previews]
        for account_id, currency, budget, available in self.budgets:
            needed, free = rounded_amounts([budget, available], currency)
            lines.append(f"budgets on account {account_id}: {needed} of {free} {currency} free")
        lines += [f"! {warning}" for warning in self.warnings]
        return safe_lines([*lines, "nothing is sent until create()"])

    __repr__ = __str__


def _line(preview: NewBotPreview) -> str:
    body = preview.body
    pairs = body["pairs"] if isinstance(body["pairs"], str) else " ".join(body["pairs"])
    budget = "unknown"
    if preview.budget is not None:
        budget = f"{rounded_amounts([preview.budget], preview.quote)[0]} {preview.quote}"
    steps = body.get("take_profit_steps")
    take_profit = f"in {len(steps)} steps" if steps else f"{body.get('take_profit')} %"
    return f"“{body['name']}”  {pairs}  take profit {take_profit}  budget {budget}"


def _bulk() -> Any:  # noqa: ANN401
    """Return the module of results, whose classes belong to records; those import the methods that import this one."""
    return import_module("botdesk._bulk")


class _Run:
    """Creates the bots that are not created yet; `BulkResult` calls it again for what failed."""

    def __init__(self, previews: Sequence[NewBotPreview]) -> None:
        self._previews = previews
        self._ended_by: BotdeskError | None = None
        self._items: list[BulkItem[Any]] = [
            _bulk().BulkItem(0, f"new bot “{each.body['name']}”", "not_started", None, None) for each in previews
        ]

    def again(self, progress: bool | None) -> BulkResult[DcaBot]:  # noqa: ARG002, FBT001 - `BulkResult` passes it
        """Create what failed or was not started, blocking."""
        try:
            for index in self._open():
                with self._tried(index) as made:
                    made.append(self._previews[index]._apply_again())
        except KeyboardInterrupt as interrupt:
            raise BulkInterrupted("stopped by Ctrl-C", self._result()) from interrupt
        return self._result()

    async def again_async(self, progress: bool | None) -> BulkResult[DcaBot]:  # noqa: ARG002, FBT001
        """Create what failed or was not started, in a coroutine."""
        try:
            for index in self._open():
                with self._tried(index) as made:
                    made.append(await self._previews[index]._apply_again_async())
        except BaseException as error:
            # A cancelled request may have been carried out; `BulkResult.behind(error)` finds the result.
            error.result = self._result()  # type: ignore[attr-defined]
            raise
        return self._result()

    def _open(self) -> Iterator[int]:
        """Yield what failed or was not started, until an error ends the run."""
        self._ended_by = None
        open_items = [index for index, item in enumerate(self._items) if item.status in {"failed", "not_started"}]
        for index in open_items:
            if self._ended_by is None:
                yield index

    @contextmanager
    def _tried(self, index: int) -> Generator[list[DcaBot]]:
        """Record the outcome of a request, which is unknown until it is over, such as after Ctrl-C."""
        self._set(index, "unknown", None, None)
        made: list[DcaBot] = []
        try:
            yield made
        except BotdeskError as error:
            self._set(index, "unknown" if isinstance(error, UNKNOWN_OUTCOMES) else "failed", None, error)
            self._ended_by = error if ends_all(error) else None
        else:
            self._set(index, "done", made[0], None)

    def _set(self, index: int, status: str, bot: DcaBot | None, error: BotdeskError | None) -> None:
        id_ = 0 if bot is None or bot.id is None else bot.id
        self._items[index] = _bulk().BulkItem(id_, self._items[index].title, status, bot, error)

    def _result(self) -> BulkResult[DcaBot]:
        records: list[Record] = [item.record for item in self._items if item.record is not None]
        kind: Any = type(records[0]) if records else Record
        result: BulkResult[DcaBot] = _bulk().BulkResult(_OPERATION, kind, list(self._items), self._ended_by, self)
        return result
