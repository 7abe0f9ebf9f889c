"""CSV and Excel files of an archive. No cell is run as a formula."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from botdesk._archive.reports import PROFITS, in_year
from botdesk._archive.store import number
from botdesk._formulas import excel_cell, with_mark
from botdesk._invalid import invalid
from botdesk._libraries import library
from botdesk._native import _shown_path
from botdesk._whole_files import written_whole

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from pathlib import Path

_NUMBERS = {"bought_amount", "bought_volume", "sold_amount", "sold_volume", "profit", "profit_usd"}


def write(connection: sqlite3.Connection, path: Path, year: int | None) -> int:
    """Write the profits to a file, and return their number."""
    writers = {".csv": _write_csv, ".xlsx": _write_excel}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise invalid("path", f"{_shown_path(str(path))} ends neither with .csv nor with .xlsx")
    condition, parameters = in_year(year)
    cursor = connection.execute(
        f"SELECT * FROM ({PROFITS}) WHERE {condition} ORDER BY closed_at, kind, id",  # noqa: S608 - parts of this module
        parameters,
    )
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    with written_whole(path) as written:
        writer(written, names, rows)
    return len(rows)


def _write_csv(path: Path, names: list[str], rows: Iterable[tuple[Any, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_csv_cell(name, cell) for name, cell in zip(names, row, strict=True)] for row in rows)


def _csv_cell(name: str, value: Any) -> Any:  # noqa: ANN401
    if value is not None and name in _NUMBERS:
        return format(number(value), "f")
    return with_mark(value)


def _write_excel(path: Path, names: list[str], rows: Iterable[tuple[Any, ...]]) -> None:
    openpyxl = library("openpyxl", "export() to .xlsx", "pip install 'botdesk[excel]'")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("profits (UTC)")
    sheet.append(names)
    illegal = openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE
    for row in rows:
        sheet.append([_excel_cell(name, cell, illegal) for name, cell in zip(names, row, strict=True)])
    book.save(path)


def _excel_cell(name: str, value: Any, illegal: Any) -> Any:  # noqa: ANN401
    if value is not None and name in _NUMBERS:
        return excel_cell(number(value))
    return excel_cell(illegal.sub("", value)) if isinstance(value, str) else value
