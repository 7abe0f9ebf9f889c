"""Text in cells of CSV and Excel files that a spreadsheet would run as a formula."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

# What a spreadsheet takes for the start of a formula, also in the widths of East Asia.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
# An apostrophe in front says that a cell is text.
_MARK = "'"
# Excel rounds to as many digits.
_MOST_DIGITS = 15


def with_mark(cell: Any) -> Any:  # noqa: ANN401
    """Return the content of a cell with a mark if a spreadsheet would run it, or take its own mark for one."""
    return f"{_MARK}{cell}" if isinstance(cell, str) and _needs_mark(cell) else cell


def with_mark_unless_number(text: str) -> str:
    """Return text with a mark if a spreadsheet would run it; a number is none, also a negative one."""
    return text if _NUMBER.fullmatch(text) else str(with_mark(text))


def excel_cell(cell: Any) -> Any:  # noqa: ANN401
    """Return the content of a cell of an Excel file: with a mark, and as text if Excel would round the number."""
    is_rounded = isinstance(cell, Decimal) and len(cell.as_tuple().digits) > _MOST_DIGITS
    return with_mark(format(cell, "f") if is_rounded else cell)


def without_mark(cell: Any) -> Any:  # noqa: ANN401
    """Return what `with_mark` was given."""
    is_marked = isinstance(cell, str) and cell.startswith(_MARK) and _needs_mark(cell[1:])
    return cell[1:] if is_marked else cell


def _needs_mark(text: str) -> bool:
    return text.lstrip(" " + _MARK).startswith(_STARTS)
