"""The output of the commands: tables and lines for people, JSON for programs, both without secrets.

Every string that a service or a user wrote goes through `one_line`, `print_lines` or `dumps`, so that none is a command
of the terminal or a line of its own.
"""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import typer

from botdesk import Records
from botdesk._formulas import with_mark_unless_number
from botdesk._lists import page_notes, text
from botdesk._native import _one_line, _printable, _shown_line, _shown_message
from botdesk.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

_GAP = 2
# A number with a larger exponent is printed with it. Filling in the zeros could take gigabytes.
_MAX_EXPONENT = 5_000
_SURROGATE = re.compile("[\ud800-\udfff]")
# The maximum number of characters of a string in a line; --json prints all.
_LONGEST = 1_000
_prints_csv = ContextVar("prints_csv", default=False)
# No limit, for the strings that a command is there to print.
_UNLIMITED = 2**62


def show(result: Any, *, as_json: bool, secrets: bool = False, empty: str = "nothing") -> None:  # noqa: ANN401
    """Print a record, a list of records or other values.

    Args:
        result: What to print.
        as_json: Whether to print JSON.
        secrets: Whether to print secrets too.
        empty: What to print for an empty list.
    """
    if as_json:
        print_json(result, indent=2, secrets=secrets)
    elif isinstance(result, Records):
        records = cast("Records[object]", result)
        print_lines(repr(records) if records else empty)
    elif isinstance(result, list | bool):
        values = cast("list[object]", result) if isinstance(result, list) else [result]
        lines = [one_line(value) if isinstance(value, str) else dumps(value) for value in values]
        print_lines("\n".join(lines or [empty]))
    else:
        content = _printable(dumps(to_json_types(result)), secrets=secrets)
        _print_fields(json.loads(content), result, longest=_UNLIMITED if secrets else _LONGEST)


def show_page(records: Records[Any], *, as_json: bool, empty: str) -> None:
    """Print a page of a list, or `empty`, and say if it need not be the whole list."""
    notes = page_notes(records, records._full_page_from, "--all")  # noqa: SLF001
    if not as_json:
        print_lines(text(records, None, notes) if records else empty)
        return
    show(records, as_json=True)
    for note in notes:
        print_note(note)


def print_json(value: Any, *, indent: int | None = None, secrets: bool = False) -> None:  # noqa: ANN401
    """Print JSON, or CSV inside of `as_csv`; characters that control a terminal are escaped."""
    content = _printable(dumps(to_json_types(value), indent), secrets=secrets)
    typer.echo(_csv(json.loads(content)) if _prints_csv.get() else content, nl=not _prints_csv.get())


@contextmanager
def as_csv() -> Generator[None]:
    """Print CSV in place of JSON."""
    token = _prints_csv.set(True)
    try:
        yield
    finally:
        _prints_csv.reset(token)


def _csv(value: Any) -> str:  # noqa: ANN401
    """Return records, or a single one, as CSV with a column for each field, in the order of the fields."""
    elements: list[Any] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
    records: list[dict[str, Any]] = [each if isinstance(each, dict) else {"value": each} for each in elements]
    file = io.StringIO()
    columns = dict.fromkeys(name for record in records for name in record)
    writer = csv.writer(file, lineterminator="\n")
    # The service may send fields of any name.
    writer.writerow([with_mark_unless_number(name) for name in columns])
    writer.writerows([_csv_cell(record.get(name)) for name in columns] for record in records)
    return file.getvalue()


def _csv_cell(value: Any) -> str:  # noqa: ANN401
    """Return a string, nothing for null, and JSON for any other value; no spreadsheet runs it as a formula."""
    if value is None:
        return ""
    return with_mark_unless_number(value if isinstance(value, str) else dumps(value))


def print_lines(text: str) -> None:
    """Print lines that may hold strings of the service, without secrets and characters that control a terminal."""
    typer.echo(_printable(_escape_surrogates(text), secrets=False))


def print_note(message: str) -> None:
    """Print a message in one line on standard error."""
    typer.echo(_shown_message(_escape_surrogates(message)), err=True)


def print_details(lines: Iterable[str]) -> None:
    """Print the details of a question on standard error."""
    typer.echo(_printable(_escape_surrogates("\n".join(lines)), secrets=False), err=True)


def print_error(message: str) -> None:
    """Print an error in one line on standard error."""
    # To import rich takes longer than many commands.
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    line = " ".join(_shown_message(_escape_surrogates(message)).split())
    Console(stderr=True, soft_wrap=True, highlight=False).print(Text.assemble(("botdesk: ", "red"), line))


def to_json_types(result: Any) -> Any:  # noqa: ANN401
    """Convert records to dicts, and lists and dicts of records to those of dicts."""
    if isinstance(result, Records):
        return [to_json_types(record) for record in cast("Iterable[object]", result)]
    if isinstance(result, dict):
        return {name: to_json_types(value) for name, value in cast("dict[str, object]", result).items()}
    return result.to_dict() if hasattr(result, "to_dict") else result


def one_line(value: str, longest: int = _LONGEST) -> str:
    """Return a foreign string in one line, without secrets and control characters; a long one is cut."""
    return " ".join(_shown_line(_escape_surrogates(value), longest).split())


def dumps(value: Any, indent: int | None = None) -> str:  # noqa: ANN401
    """Return JSON in which decimals are strings, so that no reader rounds them."""
    return _escape_surrogates(json.dumps(value, indent=indent, ensure_ascii=False, default=_to_string))


def _escape_surrogates(content: str) -> str:
    """Escape lone surrogates, which can't be printed; in JSON the escapes mean the same."""
    return _SURROGATE.sub(lambda surrogate: f"\\u{ord(surrogate[0]):04x}", content)


def _to_string(value: object) -> str:
    is_short = isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= _MAX_EXPONENT
    return format(value, "f") if is_short else str(value)


def _print_fields(values: dict[str, Any], result: object, *, longest: int) -> None:
    deals = _active_deals(result)
    # The service may send fields of any name.
    names = {name: one_line(name) for name in values if not (deals and name == "active_deals")}
    width = max(map(len, names.values()), default=0) + _GAP
    for name, shown in names.items():
        typer.echo(f"{shown:<{width}}{_cell(values[name], longest)}".rstrip())
    if deals:
        print_lines(f"\nactive_deals\n{Records(deals)!r}")


def _active_deals(result: object) -> Any:  # noqa: ANN401
    """Return the deals of a record; None if the field can't be read, so that its value is printed as it is."""
    try:
        return getattr(result, "active_deals", None)
    except DecodeError:
        return None


def _cell(value: object, longest: int) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return " ".join(_one_line(_escape_surrogates(value), longest).split())
    # The JSON was printable before it was read.
    return _printable(dumps(value), secrets=True)
