"""The edits that follow from a table: the rows, the records that they are about, and the cells that differ."""

from __future__ import annotations

import difflib
import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._native import _operation
from botdesk._tables.cells import NULL, CellError, is_empty, is_list, is_same, text_of, value_of
from botdesk._tables.files import Row, numbered, rows_of, write_rows
from botdesk._types import UNSET
from botdesk.errors import ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

ID, NAME = "id", "name"
# More unknown columns than these are those of another table.
_MOST_TYPOS = 4


class Problems:
    """The errors of edits, by the row and the column, or the record and the setting."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}

    def add(self, where: str, message: str) -> None:
        """Add an error."""
        self.found.setdefault(where, []).append(message)

    def check(self) -> None:
        """Raise an error that lists all of them, if there are any."""
        if self.found:
            lines = [f"{where}: {message}" for where, messages in self.found.items() for message in messages]
            raise ValidationError(f"validation failed: {'; '.join(lines)}", errors=self.found)


class EditTable(NamedTuple):
    """The rows of a table of edits, whose columns are settings."""

    # The types of the settings, by their names, as the core names them.
    settings: dict[str, str]
    # The column that says which record a row is about: `id` or `name`.
    key: str
    rows: list[Row]

    @classmethod
    def read(cls, operation: str, table: object) -> EditTable:
        """Read a table, and check its columns."""
        rows, settings = rows_of(table), settings_of(operation)
        columns = {str(name): None for row in rows for name in row}
        # Records of some kinds have no name, such as deals.
        keys = [key for key in (ID, NAME) if key == ID or key in settings]
        key = next((key for key in keys if key in columns), keys[-1])
        problems = Problems()
        if rows and key not in columns:
            problems.add("table", f"needs a column {' or '.join(keys)}, which says which record a row is about")
        check_columns(rows, settings, operation, problems, {ID, key})
        problems.check()
        return cls(settings, key, rows)

    def changes(self, records: Iterable[Any]) -> tuple[list[Any], list[list[Any]]]:
        """Return the records that change, and for each the values of all settings, unset if they stay as they are."""
        known = self._by_key(records)
        problems, seen = Problems(), set[int]()
        targets: list[Any] = []
        inputs: list[list[Any]] = []
        for number, row in numbered(self.rows):
            record = self._record(number, row, known, problems)
            if record is None:
                continue
            if record.id in seen:
                problems.add(f"row {number}", f"{record.id} has a row already; write all of its settings into one")
            seen.add(record.id)
            values = self._values(record, row, problems)
            if any(value is not UNSET for value in values):
                targets.append(record)
                inputs.append(values)
        problems.check()
        return targets, inputs

    def _by_key(self, records: Iterable[Any]) -> dict[str, list[Any]]:
        known: dict[str, list[Any]] = {}
        for record in records:
            known.setdefault(str(getattr(record, self.key)), []).append(record)
        return known

    def _record(self, number: int, row: Row, known: dict[str, list[Any]], problems: Problems) -> Any:  # noqa: ANN401
        cell = row.get(self.key)
        if is_empty(cell):
            problems.add(f"row {number}", f"has no {self.key}")
            return None
        # Names may differ by white space alone.
        key = text_of(cell) if self.key == NAME else text_of(cell).strip()
        # A float may be the name 7 or 7.0.
        keys = {key, str(cell)} if isinstance(cell, float) else {key}
        found = [record for each in sorted(keys) for record in known.get(each, ())]
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(str(record.id) for record in found)
            problems.add(f"row {number}", f"{len(found)} records have the name {key!r} ({ids}); add a column {ID}")
        else:
            nearest = difflib.get_close_matches(key.strip(), known, 1)
            hint = f"; did you mean {nearest[0]!r}?" if nearest and self.key == NAME else ""
            problems.add(f"row {number}", f"there is none with the {self.key} {key!r}{hint}")
        return None

    def _values(self, record: Any, row: Row, problems: Problems) -> list[Any]:  # noqa: ANN401
        return [
            self._value(record, name, type_, row.get(name), problems) if name != self.key else UNSET
            for name, type_ in self.settings.items()
        ]

    def _value(self, record: Any, name: str, type_: str, cell: Any, problems: Problems) -> Any:  # noqa: ANN401
        if is_empty(cell):
            return UNSET
        current = current_value(record, name, type_)
        if isinstance(cell, str) and cell == current:
            # Text may be anything, also the word for null.
            return UNSET
        try:
            value = value_of(cell, type_, current)
        except CellError as error:
            problems.add(f"{record.id}.{name}", str(error))
            return UNSET
        return UNSET if is_same(value, current) else value


def check_columns(
    rows: Iterable[Row], settings: Iterable[str], operation: str, problems: Problems, others: Iterable[str] = ()
) -> None:
    """Report the columns of a table that are no settings."""
    columns = dict.fromkeys(name for row in rows for name in row)
    unknown = [column for column in columns if column not in settings and column not in others]
    if len(unknown) > _MOST_TYPOS:
        listed = ", ".join(unknown[:_MOST_TYPOS])
        what = f"has {len(unknown)} columns that {operation} does not take, such as {listed}"
        problems.add("table", f"{what}; export(path) writes a table that has only settings")
        return
    for column in unknown:
        nearest = difflib.get_close_matches(column, settings, 1)
        hint = f"; did you mean {nearest[0]}?" if nearest else ""
        problems.add(f"column {column}", f"is not a setting that {operation} takes{hint}")


def write_settings(operation: str, records: Iterable[Any], path: str | PathLike[str]) -> int:
    """Write the settings of records as a table that `edit_each` reads, and return the number of records."""
    settings = settings_of(operation)
    rows: list[list[object]] = []
    shown: list[str] | None = None
    for record in records:
        shown = shown or [name for name in settings if hasattr(record, name)]
        rows.append([record.id, *(_cell(current_value(record, name, settings[name])) for name in shown)])
    write_rows(Path(path), [ID, *(shown or settings)], rows)
    return len(rows)


def write_changes(changes: Sequence[tuple[int, Iterable[Any]]], path: str | PathLike[str]) -> int:
    """Write the new values of edits as a table that `edit_each` reads, and return the number of records."""
    found = [(id_, {field: new for field, _, new in each}) for id_, each in changes]
    names = list(dict.fromkeys(name for _, values in found for name in values))
    rows = [[id_, *(_new_cell(values, name) for name in names)] for id_, values in found]
    write_rows(Path(path), [ID, *names], rows)
    return len(rows)


def _new_cell(values: dict[str, Any], name: str) -> object:
    """Return the cell of a new value; empty if it does not change, and the word for null."""
    if name not in values:
        return None
    return NULL if values[name] is None else _cell(values[name])


def settings_of(operation: str) -> dict[str, str]:
    """Return the types of the inputs of an operation, by their names and in their order."""
    return {name: type_ for name, type_, _, _ in _operation(operation)[0]}


def current_value(record: Any, name: str, type_: str) -> Any:  # noqa: ANN401
    """Return the value that a record has; None if it has none, or not the field."""
    value = getattr(record, name, None)
    return record.to_dict().get(name) if type_ == "json" and value is not None else value


def _cell(value: Any) -> object:  # noqa: ANN401
    """Return the cell of a value; decimals keep their digits as text would, and are numbers for a spreadsheet."""
    # An empty cell would change nothing.
    if is_list(value) and value and all(isinstance(each, str) for each in value):
        return " ".join(value)
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, default=str)
    return value if value is None or isinstance(value, (str, int, float, Decimal)) else str(value)
