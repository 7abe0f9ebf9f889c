"""The rows of a table: a file, a frame, or any iterable of mappings."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from contextlib import closing
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from botdesk._formulas import excel_cell, with_mark, without_mark
from botdesk._invalid import invalid
from botdesk._libraries import library
from botdesk._native import _shown_path
from botdesk._tables.cells import is_empty
from botdesk._whole_files import reason_of, written_whole
from botdesk.errors import ConfigurationError

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence

_EXCEL: Final = ".xlsx"
_INSTALL: Final = "pip install 'botdesk[excel]'; or use a .csv file"
# What openpyxl writes, although XML does not keep it: a carriage return is read as the end of a line.
_LOST_IN_XML: Final = frozenset("\r\ufffe\uffff")

Row = dict[str, Any]


def rows_of(table: object) -> list[Row]:
    """Return the rows of a table, each by the names of its columns."""
    if isinstance(table, (str, PathLike)):
        return _rows_in(Path(fspath(table)))
    rows = _listed(table)
    if rows is None or not all(isinstance(row, Mapping) for row in rows):
        what = "must be a frame, the path of a .csv or .xlsx file, or a list of dicts"
        raise invalid("table", what)
    return [{str(name): cell for name, cell in row.items()} for row in rows]


def _rows_in(path: Path) -> list[Row]:
    try:
        return list(_rows_of_file(path))
    except UnicodeDecodeError as error:
        raise _unreadable(path, "it is not UTF-8; save it as CSV UTF-8, or as .xlsx") from error
    except OSError as error:
        # Its own text has the path, which may be a secret.
        raise ConfigurationError(f"{_shown_path(str(path))}: {reason_of(error)}") from None


def _unreadable(path: Path, reason: str) -> ConfigurationError:
    return ConfigurationError(f"{_shown_path(path.name)}: {reason}")


def _listed(table: Any) -> list[Any] | None:  # noqa: ANN401
    """Return the rows of a frame or of an iterable; None if it is neither."""
    if isinstance(table, Mapping):
        return None
    # Frames of polars, tables of Arrow, frames of pandas.
    for method, arguments in (("to_dicts", ()), ("to_pylist", ()), ("to_dict", ("records",))):
        if hasattr(table, method):
            return list(getattr(table, method)(*arguments))
    return list(table) if hasattr(table, "__iter__") else None


def _rows_of_file(path: Path) -> Iterator[Row]:
    if path.suffix.lower() == _EXCEL:
        yield from _rows_of_workbook(path)
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        sample = file.read(4_096)
        file.seek(0)
        # Spreadsheets of some countries separate cells with semicolons.
        delimiter = ";" if sample.partition("\n")[0].count(";") > sample.partition("\n")[0].count(",") else ","
        reader = csv.DictReader(file, delimiter=delimiter)
        try:
            _check_names(path, reader.fieldnames or ())
            for row in reader:
                if None in row:
                    start = next(iter(value for value in row.values() if isinstance(value, str)), "")
                    message = f"the row that begins with {start!r} has more cells than the first line"
                    raise _unreadable(path, f"line {reader.line_num}: {message}")
                yield _row(path, row.items())
        except csv.Error as error:
            raise _unreadable(path, f"after line {reader.line_num}: {error}; save it as CSV again") from error


def _rows_of_workbook(path: Path) -> Iterator[Row]:
    names, rows = _cells_of_workbook(path)
    _check_names(path, names)
    for cells in rows:
        yield _row(path, zip(names, cells, strict=False))


def _row(path: Path, cells: Iterable[tuple[str, Any]]) -> Row:
    """Return a row without the columns that have no name, which spreadsheets leave at the right."""
    row = list(cells)
    nameless = next((cell for name, cell in row if not name and not is_empty(cell)), None)
    if nameless is not None:
        raise _unreadable(path, f"{nameless!r} is in a column without a name; write the name into the first row")
    return {name: without_mark(cell) for name, cell in row if name}


def numbered(rows: Iterable[Row]) -> Iterator[tuple[int, Row]]:
    """Yield each row with its number from 1, but those that are empty."""
    return ((number, row) for number, row in enumerate(rows, 1) if not all(map(is_empty, row.values())))


def _cells_of_workbook(path: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the names in the first row, and the cells of the other rows."""
    openpyxl = library("openpyxl", "an Excel file", _INSTALL)
    content = BytesIO(path.read_bytes())
    try:
        with closing(openpyxl.load_workbook(content, read_only=True, data_only=True)) as workbook:
            rows = workbook.active.iter_rows(values_only=True)
            names = [str(name) if name is not None else "" for name in next(rows, ())]
            # A cell far below would fill the rows in between.
            return names, [cells for cells in rows if any(cell is not None for cell in cells)]
    except MemoryError:
        raise
    except Exception as error:  # openpyxl has no error of its own for a damaged file
        raise _unreadable(path, "this is no workbook; save it as .xlsx again, or as CSV UTF-8") from error


def _check_names(path: Path, names: Sequence[str]) -> None:
    """Refuse an empty file, which was cut off, and a column that is there twice, of which one would be ignored."""
    given = [name for name in names if name]
    if not given:
        raise _unreadable(path, "it is empty; its first line must have the names of the columns")
    for name in given:
        if given.count(name) > 1:
            raise _unreadable(path, f"there are several columns {name!r}; keep one of them")


def write_rows(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write rows as CSV, or as a workbook if the name ends with `.xlsx`. Text that looks like a formula gets a mark."""
    with written_whole(path) as written:
        if path.suffix.lower() == _EXCEL:
            _write_workbook(written, path.name, names, rows)
        else:
            _write_csv(written, names, rows)


def _write_workbook(path: Path, shown: str, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    openpyxl = library("openpyxl", "an Excel file", _INSTALL)
    cells = [[excel_cell(cell) for cell in row] for row in rows]
    for row in cells:
        if any(isinstance(cell, str) and _is_lost(cell, openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE) for cell in row):
            # Without it, the row would be another one when it is read again.
            message = f"the row {row[0]} has a control character, which Excel files can't hold; use a .csv file"
            raise ConfigurationError(f"{shown}: {message}")
    workbook = openpyxl.Workbook(write_only=True)
    sheet = workbook.create_sheet("settings")
    for row in ([*names], *cells):
        sheet.append(row)
    workbook.save(path)


def _is_lost(text: str, illegal: re.Pattern[str]) -> bool:
    return illegal.search(text) is not None or not _LOST_IN_XML.isdisjoint(text)


def _write_csv(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([with_mark(cell) for cell in row] for row in rows)
