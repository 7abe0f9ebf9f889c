"""Draws the tables of an archive: finds the picture for their columns, and reads their cells."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from botdesk import _pictures
from botdesk._archive.store import number
from botdesk._exact import EXACT
from botdesk._invalid import invalid
from botdesk._open_deals import OpenDeal
from botdesk.errors import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal

    from matplotlib.axes import Axes

_Row = dict[str, Any]


def draw(columns: Sequence[str], rows: Sequence[tuple[Any, ...]], ax: Axes | None, theme: object) -> Axes:
    """Draw a table."""
    found = next((each for each in _PICTURES if set(each[0]) <= set(columns)), None)
    if found is None:
        known = "; ".join(", ".join(each[0]) for each in _PICTURES)
        message = f"{', '.join(columns)}: there is no picture of these; tables with these can be drawn: {known}"
        raise invalid("columns", message)
    _, name, read = found
    return _pictures.draw(name, read([dict(zip(columns, row, strict=True)) for row in rows]), ax, theme)


def _by_day(rows: Sequence[_Row]) -> dict[date, Decimal]:
    return {_day(key): usd for key, usd in _sums("day")(rows).items()}


def _sums(column: str) -> Callable[[Sequence[_Row]], dict[str, Decimal]]:
    def read(rows: Sequence[_Row]) -> dict[str, Decimal]:
        found: dict[str, Decimal] = {}
        for row in rows:
            if row["profit_usd"] is not None:
                key = str(row[column] or "")
                found[key] = EXACT.add(found.get(key, EXACT.create_decimal(0)), number(row["profit_usd"]))
        return found

    return read


def _equity(rows: Sequence[_Row]) -> list[tuple[datetime, Decimal]]:
    return [(_time(row["time"]), number(row["realized_usd"])) for row in rows]


def _funds(rows: Sequence[_Row]) -> dict[str, list[tuple[datetime, Decimal]]]:
    found: dict[str, list[tuple[datetime, Decimal]]] = {}
    for row in rows:
        found.setdefault(row["currency"] or "", []).append((_time(row["day"]), number(row["most"])))
    return found


def _open_deals(rows: Sequence[_Row]) -> list[OpenDeal]:
    return [OpenDeal(*(row[name] for name in OpenDeal._fields)) for row in rows]


def _day(value: object) -> date:
    return _time(value).date()


def _time(value: object) -> datetime:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        raise ArchiveError(f"{value!r} is not a day or a time; select it as text such as '2026-03-01'") from None


# The columns that a table needs, the name of its picture, and how its rows are read.
_PICTURES: tuple[tuple[tuple[str, ...], str, Callable[[Sequence[_Row]], object]], ...] = (
    (OpenDeal._fields, "open_deals", _open_deals),
    (("time", "realized_usd"), "equity", _equity),
    (("day", "currency", "most"), "funds", _funds),
    (("day", "profit_usd"), "profit_by_day", _by_day),
    *(((name, "profit_usd"), "profits", _sums(name)) for name in ("month", "bot", "pair")),
)
