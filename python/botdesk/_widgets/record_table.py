"""The records of a list as polls find them: their values, what changed, and their profits over time."""

from __future__ import annotations

from collections import deque
from decimal import Decimal, InvalidOperation
from math import isfinite
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import botdesk
from botdesk._exact import total
from botdesk._lists import cell_of_record
from botdesk._native import Record, _operation, _shown_column, _watched
from botdesk._records import Records
from botdesk._widgets.follower import Follower
from botdesk._widgets.settings import current_value, text_of
from botdesk.errors import ApiError, BotdeskError, ConfigurationError, IpBannedError, PlanRestrictedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from botdesk import StreamEvent

_PAGE = 100
_SHORTEST, _LONGEST = 1, 86_400
# After failures in a row the pause doubles, up to this.
_LONGEST_PAUSE = 300
# The key is rejected, or the IP address is banned: further polls can't succeed, and prolong a ban.
_FINAL_STATUSES = (401, 403, 418)
# The profit line shows as many polls as this.
_HISTORY = 60
# The column with the account, which follows those that identify a record.
_ACCOUNT, _IDENTIFYING = "account_name", 3
# Numbers with larger exponents are left out of totals.
_MAX_EXPONENT = 40
# A list in this order does not shift when a record is added.
_ORDER = ("created_at", "ASC")


def _percent_to(end: str) -> Callable[[object], str]:
    """Return the distance from the price of a record to an end of its range, in percent of the price, as a cell."""

    def cell(record: object) -> str:
        price, bound = current_value(record, "current_price"), current_value(record, end)
        if not (isinstance(price, Decimal) and isinstance(bound, Decimal) and price):
            return "-"
        return f"{100 * (bound - price) / price:.2f}"

    return cell


# The columns that are calculated from a record, by resource.
_CALCULATED: dict[str, dict[str, Callable[[object], str]]] = {
    "grid_bots": {"percent_to_lower": _percent_to("lower_price"), "percent_to_upper": _percent_to("upper_price")}
}


class Row(NamedTuple):
    """A record in the table: its cells, the numbers of those that changed, and its profits at the latest polls.

    `shown` are the cells as people read them; `cells` have every digit.
    """

    id: int
    cells: list[str]
    shown: list[str]
    changed: list[int]
    profits: list[float]
    is_missing: bool


class Listing:
    """The pages of a list, of the records that are followed."""

    def __init__(self, records: Any, name: str) -> None:  # noqa: ANN401 - any resource
        """Look up the inputs of the list of a resource, such as `deals`."""
        kind, self.noun, selection, self.profits = _watched(name)
        # Its class attributes are set by the native module.
        self.record: Any = getattr(botdesk, kind)
        inputs = {name: choices for name, _, choices, _ in _operation(f"{name}.list")[0]}
        self.is_numbered = "per_page" in inputs
        self._limit, self._position = ("per_page", "page") if self.is_numbered else ("limit", "offset")
        order = {name: value for name, choices in inputs.items() for value in _ORDER if value in choices}
        self._selection = dict(selection)
        self._given = {**order, **self._selection}
        self.resource = records

    def page(self, position: int, limit: int) -> Any:  # noqa: ANN401
        """Request the page after so many pages if they are numbered, else after so many records."""
        position += self.is_numbered
        return self.resource.list(**{self._limit: limit, self._position: position}, **self._given)

    def iter(self) -> Any:  # noqa: ANN401
        """Iterate over the records."""
        return self.resource.iter(**self._selection)

    def profit(self, record: Any) -> float | None:  # noqa: ANN401
        """Return the profit of a record in USD; None if it is unknown."""
        profits = [_at(record, path) for path in self.profits]
        known = [float(profit) for profit in profits if profit is not None]  # type: ignore[arg-type]
        # Infinite numbers can be neither drawn nor sent to a page.
        return found if known and isfinite(found := sum(known)) else None


class RecordTable:
    """The records of a list. `poll` updates it; a failed poll leaves the rows as they are.

    Attributes:
        rows: A row for each record.
        error: The message of the latest poll if it failed; empty otherwise.
        failure: The error of the latest poll; None if it succeeded.
        polls: The number of polls that succeeded.
        pause: The seconds from the latest poll to the next.
        is_stopped: True after an error that no later poll can overcome. `poll` then sends nothing.
        several: The noun for the records, such as `bots`.
        totals: For each column the exact sum of all records, as people read it; empty for columns that are not summed.
    """

    def __init__(self, records: object, name: str, interval: float, now: Callable[[], float] = monotonic) -> None:
        """Check the interval; nothing is requested yet.

        Args:
            records: The resource, such as `client.deals`.
            name: Its name.
            interval: The seconds between two polls.
            now: The clock.
        """
        if not _SHORTEST <= interval <= _LONGEST:
            raise ConfigurationError(f"interval: must be between 1 and 86 400 seconds, not {interval:g}")
        self._listing, self._name = Listing(records, name), name
        self.several = f"{self._listing.noun}s"
        profits = (path for path in self._listing.profits if "." not in path)
        self._calculated = _CALCULATED.get(name, {})
        shown = self._listing.record._shown  # noqa: SLF001
        account = [_ACCOUNT] if hasattr(self._listing.record, _ACCOUNT) else []
        columns = (*shown[:_IDENTIFYING], *account, *shown[_IDENTIFYING:], *self._calculated, *profits)
        self.columns: list[str] = list(dict.fromkeys(columns))
        self.totals: list[str] = [""] * len(self.columns)
        self.rows: list[Row] = []
        self.error = ""
        self.failure: Exception | None = None
        self.polls = 0
        self.pause = interval
        self.is_stopped = False
        self._interval = interval
        self._now = now
        self._due = now()
        self._failures = 0
        self._full_page: int | None = None
        self._records: dict[int, Any] = {}
        self._accounts: set[object] = set()
        self._profits: dict[int, deque[float]] = {}

    @property
    def wait(self) -> float:
        """The seconds until the next poll is due; 0 if it is."""
        return max(0, self._due - self._now())

    def records(self, ids: list[int]) -> Records[Any]:
        """Return the records with these ids, in the order of the table."""
        wanted = set(ids)
        found = [record for record_id, record in self._records.items() if record_id in wanted]
        return Records(found, self._listing.record)

    @property
    def disable_many(self) -> Callable[..., Any] | None:
        """The method that disables records; None if they can't be disabled."""
        return getattr(self._listing.resource, "disable_many", None)

    def all(self) -> Any:  # noqa: ANN401
        """Iterate over all records as they are now; errors are raised."""
        return self._listing.iter()

    def poll(self) -> None:
        """Request all pages, and note what changed.

        An error is stored, and does not end the table: nobody would notice that its values are old.
        """
        if self.is_stopped:
            return
        try:
            self._update(self._request())
        except BotdeskError as error:
            self._fail(error, str(error))
            self.is_stopped = _is_final(error)
        except Exception as error:  # noqa: BLE001
            self._fail(error, f"unexpected error: {type(error).__name__}: {error}; please report it.")
        else:
            self.error, self.failure, self._failures, self.pause = "", None, 0, self._interval
        self._due = self._now() + self.pause

    def _fail(self, error: Exception, message: str) -> None:
        self._failures += 1
        retry_after = getattr(error, "retry_after", None) or 0
        slower = min(self._interval * 2 ** (self._failures - 1), max(self._interval, _LONGEST_PAUSE))
        self.error, self.failure, self.pause = message, error, max(slower, retry_after)

    def _request(self) -> dict[int, Any]:
        found: dict[int, Any] = {}
        position = 0
        while page := self._listing.page(position, _PAGE):
            found.update((record.id, record) for record in page if record.id is not None)
            position += 1 if self._listing.is_numbered else len(page)
            if self._full_page is not None and len(page) < self._full_page:
                break
            if self._full_page is None and len(page) < _PAGE:
                # A service may return shorter pages than asked for, so the first time one more request finds the end.
                self._full_page = _PAGE if self._ends_at(position) else len(page)
                if self._full_page == _PAGE:
                    break
        return found

    def _ends_at(self, position: int) -> bool:
        # The size of a numbered page says where it begins.
        return not self._listing.page(position, _PAGE if self._listing.is_numbered else 1)

    def _update(self, found: dict[int, Any]) -> None:
        before = {row.id: row for row in self.rows}
        # A record that is missing once may have moved to an earlier page while the pages were requested.
        missing = [row.id for row in self.rows if row.id not in found and not row.is_missing]
        is_first = not self.polls
        self.polls += 1
        self._records = {**{record_id: self._records[record_id] for record_id in missing}, **found}
        self._accounts.update(map(_account_of, found.values()))
        for record_id, record in found.items():
            self._remember(record_id, record)
        rows = [
            self._row(record_id, record, before.get(record_id), is_missing=record_id not in found, is_first=is_first)
            for record_id, record in self._records.items()
        ]
        self._set_rows(rows)

    def follow(self, take: Callable[[StreamEvent | None], None]) -> Follower:
        """Pass what the service sends about the records to a function, on another thread."""
        return Follower(self._listing.resource, self._name, self._interval, take)

    def take(self, event: StreamEvent | None) -> None:
        """Show a record that the service sent between two polls; one that has ended leaves the table.

        Without an event, the next poll is due now: the service sends what changes from here on.
        """
        record = event and event.record
        if event is None:
            self._due = self._now()
        elif self.polls and record is not None and record.id is not None and self._is_listed(record):
            self._put(record.id, record, has_ended=event.kind == "closed")

    def _is_listed(self, record: Any) -> bool:  # noqa: ANN401
        """Return whether the list has a record: the service sends those of paper and of real accounts alike.

        The first record of an account waits for the next poll, which tells.
        """
        return record.id in self._records or _account_of(record) in self._accounts

    def _put(self, record_id: int, record: object, *, has_ended: bool) -> None:
        rows = {row.id: row._replace(changed=[]) for row in self.rows}
        before = rows.pop(record_id, None)
        if has_ended:
            self._records.pop(record_id, None)
        else:
            self._records[record_id] = record
            self._remember(record_id, record)
            rows[record_id] = self._row(record_id, record, before, is_missing=False, is_first=False)
        self._set_rows([rows[known] for known in self._records if known in rows])

    def _set_rows(self, rows: list[Row]) -> None:
        self.rows = [row._replace(shown=shown) for row, shown in zip(rows, self._shown(rows), strict=True)]
        self.totals = [self._total(name, place) for place, name in enumerate(self.columns)]

    def _shown(self, rows: list[Row]) -> list[list[str]]:
        """Return the cells of rows as people read them; different values of a column stay different."""
        columns = [
            _shown_column(name, [row.cells[place] for row in rows], name in self._listing.record._figures, None)  # noqa: SLF001
            for place, name in enumerate(self.columns)
        ]
        return [list(cells) for cells in zip(*columns, strict=True)]

    def _total(self, name: str, place: int) -> str:
        """Return the sum of a column: of counts, and of amounts in USD. Other amounts may be in several currencies."""
        if not (name.endswith("_count") or "usd" in name.split("_")):
            return ""
        numbers = [_number(row.cells[place]) for row in self.rows if not row.is_missing]
        whole = format(total([number for number in numbers if number is not None]), "f")
        return _shown_column(name, [whole], name in self._listing.record._figures, "USD")[0]  # noqa: SLF001

    def _remember(self, record_id: int, record: object) -> None:
        if (profit := self._listing.profit(record)) is not None:
            self._profits.setdefault(record_id, deque(maxlen=_HISTORY)).append(profit)

    def _row(self, record_id: int, record: object, before: Row | None, *, is_missing: bool, is_first: bool) -> Row:
        cells = [self._cell(record, column) for column in self.columns]
        old = before.cells if before else [] if is_first else [""] * len(cells)
        changed = [place for place, (was, cell) in enumerate(zip(old, cells, strict=False)) if was != cell]
        return Row(record_id, cells, cells, changed, list(self._profits.get(record_id, ())), is_missing)

    def _cell(self, record: object, column: str) -> str:
        calculated = self._calculated.get(column)
        return calculated(record) if calculated else _cell(record, column)


def _number(cell: str) -> Decimal | None:
    """Return the number in a cell; None for a dash, and for what is too large to be added."""
    try:
        number = Decimal(cell)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) <= _MAX_EXPONENT else None


def _is_final(error: BotdeskError) -> bool:
    """Return True if no later poll can succeed unless the user does something first."""
    # A request that the client holds back because of a ban has no status. A closed client raises `ConfigurationError`.
    if isinstance(error, (ConfigurationError, IpBannedError, PlanRestrictedError)):
        return True
    return isinstance(error, ApiError) and error.status in _FINAL_STATUSES


def _account_of(record: object) -> object:
    """Return the identifier of the account of a record."""
    account_id = _at(record, "account_id")
    return _at(record, "account.id") if account_id is None else account_id


def _at(record: Any, path: str) -> object:  # noqa: ANN401
    """Return the value of a field, or of a field of a record in it; None if there is none."""
    value: Any = record
    for name in path.split("."):
        if value is None:
            return None
        value = current_value(value, name)
    return value


def _cell(record: object, column: str) -> str:
    value = current_value(record, column)
    if isinstance(value, (list, Record)):
        return cell_of_record(value)
    return text_of(value) or "-"
