"""What the commands print: tables and lines for people, JSON for programs. Secrets are left out of both."""

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
# Where the first digit of a number lies further from its point than this, the zeros between are not filled in: a short
# answer can ask for gigabytes of them.
_LONGEST = 5_000
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


def show(answer: Any, *, as_json: bool, secrets: bool = False, none: str = "nothing") -> None:  # noqa: ANN401
    """Print a record, a list of records or other values; its secrets only where they are what was asked for.

    `none` is what people read where a list is empty.
    """
    text = dumps(plain(answer), indent=2 if as_json else None)
    text = text if secrets else _without_secrets(text)
    if as_json:
        typer.echo(text)
    elif isinstance(answer, Records):
        records = cast("Records[object]", answer)
        typer.echo(repr(records) if records else none)
    else:
        _lines(json.loads(text), answer)


def tell(text: str) -> None:
    """Say something beside the output."""
    typer.echo(text, err=True)


def complain(message: str) -> None:
    """Tell an error in one line."""
    line = " ".join(message.split())
    Console(stderr=True, soft_wrap=True, highlight=False).print(Text.assemble(("botdesk: ", "red"), line))


def plain(answer: Any) -> Any:  # noqa: ANN401
    """Give what JSON can hold: dicts for records, lists for lists of them."""
    if isinstance(answer, Records):
        return [plain(record) for record in cast("Iterable[object]", answer)]
    return answer.to_dict() if hasattr(answer, "to_dict") else answer


def one_line(text: str) -> str:
    """Give a text that is not ours in one line, without what a terminal would obey, and without secrets."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return _without_secrets(" ".join(printable.split()))


def dumps(value: Any, indent: int | None = None) -> str:  # noqa: ANN401
    """Write JSON in which a decimal is a text, so that no reader rounds it."""
    return _printable(json.dumps(value, indent=indent, ensure_ascii=False, default=_text))


def _printable(text: str) -> str:
    """Write the escapes of half a surrogate pair, which no terminal can show; in JSON they mean the same."""
    return _HALF_A_PAIR.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _text(value: object) -> str:
    is_short = isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= _LONGEST
    return format(value, "f") if is_short else str(value)


def _lines(values: dict[str, Any], answer: object) -> None:
    deals = _deals(answer)
    width = max((len(name) for name in values), default=0) + _GAP
    for name, value in values.items():
        if not (deals and name == "active_deals"):
            typer.echo(_printable(f"{name:<{width}}{_cell(value)}".rstrip()))
    if deals:
        typer.echo(f"\nactive_deals\n{Records(deals)!r}")


def _deals(answer: object) -> Any:  # noqa: ANN401
    """Give the deals of a record; none where it holds something else in their place, which is shown as it is."""
    try:
        return getattr(answer, "active_deals", None)
    except DecodeError:
        return None


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return " ".join(value.split()) if isinstance(value, str) else dumps(value)
