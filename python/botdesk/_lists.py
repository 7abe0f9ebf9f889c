"""Lists of botdesk's objects as tables, in terminals and notebooks. Imported when a list is displayed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from botdesk._native import Record, _class_words, _duration_text, _places_shown, _records_html, _records_text
from botdesk._pairs import common_quote
from botdesk.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Sequence

# The most characters of a string, and of a number, which would be wrong without its last digits.
_WIDEST_TEXT = 32
_WIDEST_NUMBER = 120


class DisplayedList(list):  # type: ignore[type-arg]
    """A list that displays itself as a table, such as `bot.active_deals`; otherwise an ordinary list."""

    __slots__ = ()

    def __repr__(self) -> str:
        return text(self, None)

    def _repr_html_(self) -> str:
        return html(self, None)


def page_notes(records: Sequence[Any], full_page_from: int | None, more: str = "iter()") -> list[str]:
    """Say that a full page need not be the whole list, and how to get the rest."""
    if full_page_from is None:
        return []
    first, last = full_page_from + 1, full_page_from + len(records)
    which = f"the first {last}" if first == 1 else f"records {first} to {last}"
    return [f"{which}; there may be more: {more}"]


def text(records: Sequence[Any], kind: type | None, notes: Sequence[str] = ()) -> str:
    """Return a list as text: one record per line, the first and the last ones of a long list."""
    if not records:
        return "[]"
    columns = columns_of(records, kind)
    if columns is None:
        return _reprs(records)
    shown = [records[place] for place in _places_shown(len(records))]
    rows = [_cells(record, columns) for record in shown]
    return _records_text(columns, rows, len(records), *_figures(shown), list(notes))


def _reprs(records: Sequence[Any]) -> str:
    """Return a list that has no table as the `repr` of its elements, the first and the last ones of a long list."""
    places = _places_shown(len(records))
    shown = [repr(records[place]) for place in places]
    if hidden := len(records) - len(places):
        first = sum(place == index for index, place in enumerate(places))
        shown.insert(first, f"… {hidden} more …")
    return f"[{', '.join(shown)}]"


def html(records: Sequence[Any], kind: type | None, notes: Sequence[str] = ()) -> str:
    """Return a list as HTML, with the number of its records."""
    of = cast("Any", type(records[0]) if len(records) else kind)
    columns = columns_of(records, of)
    title = "Records" if of is None else _counted(of, len(records))
    places = _places_shown(len(records))
    if columns is None:
        rows = [[_one_line(repr(records[place]), _WIDEST_TEXT)] for place in places]
        return _records_html(title, ["record"], rows, len(records), [], None, list(notes))
    shown = [records[place] for place in places]
    rows = [_cells(record, columns) for record in shown]
    return _records_html(title, columns, rows, len(records), *_figures(shown), list(notes))


def _counted(kind: Any, count: int) -> str:  # noqa: ANN401
    """Return a number of records in words, such as `12 DCA bots`."""
    nouns: tuple[str, str] | None = getattr(kind, "_nouns", None)
    if nouns is None:
        words = _class_words(kind.__name__)
        return f"{count} {words}" if count == 1 or words.endswith("s") else f"{count} {_plural(words)}"
    one, several = nouns
    return f"{count} {one.partition(' ')[2] if count == 1 else several}"


def _plural(words: str) -> str:
    return f"{words.removesuffix('y')}ies" if words.endswith("y") else f"{words}s"


def columns_of(records: Sequence[Any], kind: type | None) -> list[str] | None:
    """Return the columns of a list; None for objects of several classes or of other packages."""
    kinds: set[Any] = {type(record) for record in records} or {kind}
    if len(kinds) > 1:
        return None
    (only,) = kinds
    # Another package may have attributes of these names.
    if getattr(only, "__module__", None) != "botdesk":
        return None
    shown: list[str] | None = getattr(only, "_shown", None)
    if shown is None and hasattr(only, "_list_columns"):
        shown = only._list_columns()  # noqa: SLF001
    return shown


def _figures(records: Sequence[Any]) -> tuple[list[str], str | None]:
    """Return the columns of figures, and the currency of their amounts; None if it is unknown or they have several."""
    figures: list[str] = list(getattr(records[0], "_figures", ())) if records else []
    quote = common_quote(map(_pair, records)) if figures else ""
    return figures, quote or None


def _pair(record: Any) -> str | None:  # noqa: ANN401
    try:
        pair = getattr(record, "pair", None)
    except DecodeError:
        return None
    return pair if isinstance(pair, str) else None


def _cells(record: Any, columns: Sequence[str]) -> list[str]:  # noqa: ANN401
    if hasattr(record, "_list_cells"):
        return [_one_line(cell, _WIDEST_TEXT) for cell in record._list_cells()]  # noqa: SLF001
    return [_cell(record, column) for column in columns]


def _cell(record: object, column: str) -> str:
    try:
        value: Any = getattr(record, column)
    except DecodeError:
        return "?"
    if value is None:
        return "-"
    if isinstance(value, timedelta):
        return _duration_text(value)
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    if isinstance(value, (list, Record)):
        return _one_line(cell_of_record(value), _WIDEST_TEXT)
    return _one_line(str(value), _WIDEST_TEXT if isinstance(value, str) else _WIDEST_NUMBER)


def cell_of_record(value: Any) -> str:  # noqa: ANN401
    """Return a record, or a list, in a cell: of a record the fields that stand for it."""
    if isinstance(value, Record):
        return value._cell()  # noqa: SLF001
    separator = "; " if value and isinstance(value[0], Record) else ", "
    return separator.join(cell_of_record(each) if isinstance(each, Record) else str(each) for each in value)


def _one_line(shown: str, widest: int) -> str:
    shown = " ".join(shown.split())
    return shown if len(shown) <= widest else shown[: widest - 1] + "…"
