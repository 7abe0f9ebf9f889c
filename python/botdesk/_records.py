"""Lists of records that print as tables."""

from __future__ import annotations

from itertools import zip_longest

from botdesk.errors import DecodeError

_WIDEST_COLUMN = 32


class Records(list[object]):
    """A list of records. It is a list in all it does, and prints as a table."""

    def __repr__(self) -> str:
        """Show the records as a table, one in each line."""
        if not self:
            return "[]"
        columns = getattr(type(self[0]), "_shown", None)
        if columns is None:
            return super().__repr__()
        rows = [columns, *([_cell(record, column) for column in columns] for record in self)]
        widths = [max(len(cell) for cell in column) for column in zip_longest(*rows, fillvalue="")]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _cell(record: object, column: str) -> str:
    try:
        value = getattr(record, column)
    except DecodeError:
        return "?"
    if value is None:
        return "-"
    text = ", ".join(map(str, iter(value))) if isinstance(value, list) else str(value)  # pyright: ignore[reportUnknownArgumentType]
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST_COLUMN else text[: _WIDEST_COLUMN - 1] + "…"
