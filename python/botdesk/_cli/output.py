"""The output of the commands: tables and lines for people, JSON for programs, both without secrets."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import typer
from rich.console import Console
from rich.text import Text

from botdesk import Records
from botdesk._native import _without_secrets
from botdesk.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Iterable

_GAP = 2
# A number with a larger exponent is printed with it. Filling in the zeros could take gigabytes.
_MAX_EXPONENT = 5_000
_SURROGATE = re.compile("[\ud800-\udfff]")


def show(result: Any, *, as_json: bool, secrets: bool = False, empty: str = "nothing") -> None:  # noqa: ANN401
    """Print a record, a list of records or other values.

    Args:
        result: What to print.
        as_json: Whether to print JSON.
        secrets: Whether to print secrets too.
        empty: What to print for an empty list.
    """
    content = dumps(to_json_types(result), indent=2 if as_json else None)
    content = content if secrets else _without_secrets(content)
    if as_json:
        typer.echo(content)
    elif isinstance(result, Records):
        records = cast("Records[object]", result)
        typer.echo(repr(records) if records else empty)
    else:
        _print_lines(json.loads(content), result)


def print_note(message: str) -> None:
    """Print a message on standard error."""
    typer.echo(message, err=True)


def print_error(message: str) -> None:
    """Print an error in one line on standard error."""
    line = " ".join(message.split())
    Console(stderr=True, soft_wrap=True, highlight=False).print(Text.assemble(("botdesk: ", "red"), line))


def to_json_types(result: Any) -> Any:  # noqa: ANN401
    """Convert records to dicts, and lists of records to lists."""
    if isinstance(result, Records):
        return [to_json_types(record) for record in cast("Iterable[object]", result)]
    return result.to_dict() if hasattr(result, "to_dict") else result


def one_line(value: str) -> str:
    """Return a foreign string in one line, without control characters and secrets."""
    printable = "".join(character if character.isprintable() else " " for character in value)
    return _without_secrets(" ".join(printable.split()))


def dumps(value: Any, indent: int | None = None) -> str:  # noqa: ANN401
    """Return JSON in which decimals are strings, so that no reader rounds them."""
    return _escape_surrogates(json.dumps(value, indent=indent, ensure_ascii=False, default=_to_string))


def _escape_surrogates(content: str) -> str:
    """Escape lone surrogates, which can't be printed; in JSON the escapes mean the same."""
    return _SURROGATE.sub(lambda surrogate: f"\\u{ord(surrogate[0]):04x}", content)


def _to_string(value: object) -> str:
    is_short = isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= _MAX_EXPONENT
    return format(value, "f") if is_short else str(value)


def _print_lines(values: dict[str, Any], result: object) -> None:
    deals = _active_deals(result)
    width = max((len(name) for name in values), default=0) + _GAP
    for name, value in values.items():
        if not (deals and name == "active_deals"):
            typer.echo(_escape_surrogates(f"{name:<{width}}{_cell(value)}".rstrip()))
    if deals:
        typer.echo(f"\nactive_deals\n{Records(deals)!r}")


def _active_deals(result: object) -> Any:  # noqa: ANN401
    """Return the deals of a record; None if the field can't be read, so that its value is printed as it is."""
    try:
        return getattr(result, "active_deals", None)
    except DecodeError:
        return None


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return " ".join(value.split()) if isinstance(value, str) else dumps(value)
