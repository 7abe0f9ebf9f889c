"""What an archive keeps: a row for each list of the service, and the columns that follow from the records' classes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from botdesk import _api
from botdesk._native import _printable
from botdesk._records import Records
from botdesk.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLASS = re.compile(r"^Attribute\[(\w+)(?: \| None)?\]$")
_PAGES = {"offset": "limit", "page": "per_page"}


@dataclass(frozen=True, eq=False)
class Kind:
    """A list of the service, and how it is read."""

    # The name of the table.
    name: str
    record: str
    # The operation that lists the records; None for grid profits, which are listed for each bot.
    method: str | None = None
    # The most records that the service returns at once.
    size: int = 1000
    pages: str = "offset"
    # Arguments that list the records that changed last first.
    newest: Mapping[str, str] = field(default_factory=dict[str, str])
    # Arguments that list them in the order in which they were created; without them, `from_` can't select any.
    oldest: Mapping[str, str] = field(default_factory=dict[str, str])
    # The fields with the times.
    changed: str = "updated_at"
    created: str = "created_at"
    # The column with the time by which years are selected, and the one with the bot.
    time: str = "created_at"
    bot: str | None = None
    bot_name: str | None = None
    identifier: str = "id"
    # Whether earlier versions of a record are kept.
    snapshots: bool = False

    @property
    def size_argument(self) -> str:
        """The argument for the size of a page."""
        return _PAGES[self.pages]

    def record_class(self) -> Any:  # noqa: ANN401
        """Return the class of the records."""
        return getattr(_api, self.record)

    def id_of(self, record: object) -> str | None:
        """Return the id of a record; None if it can't be read."""
        value = read(record, self.identifier)
        return None if value is None else str(value)

    def time_of(self, record: object, name: str) -> str | None:
        """Return a time of a record in UTC, as text that sorts by time."""
        return as_time(read(record, name))


DEALS = Kind(
    "deals",
    "Deal",
    "deals.list",
    newest={"order": "updated_at", "order_direction": "DESC"},
    oldest={"order": "created_at", "order_direction": "ASC"},
    time="closed_at",
    bot="bot_id",
    bot_name="bot_name",
)
SMART_TRADES = Kind(
    "smart_trades",
    "SmartTrade",
    "smart_trades.list",
    size=100,
    pages="page",
    newest={"status": "all", "order_by": "updated_at", "order_direction": "DESC"},
    oldest={"status": "all", "order_by": "created_at", "order_direction": "ASC"},
    changed="data.updated_at",
    created="data.created_at",
    time="data_closed_at",
)
TRADES = Kind(
    "trades",
    "SimpleTrade",
    "trades.history",
    size=100,
    newest={"order_by": "closed_at", "order_direction": "desc"},
    changed="closed_at",
    time="closed_at",
    identifier="uuid",
)
DCA_BOTS = Kind(
    "dca_bots",
    "DcaBot",
    "dca_bots.list",
    size=100,
    newest={"sort_by": "updated_at", "order_direction": "DESC"},
    oldest={"sort_by": "created_at", "order_direction": "ASC"},
    bot="id",
    bot_name="name",
    snapshots=True,
)
GRID_BOTS = Kind(
    "grid_bots",
    "GridBot",
    "grid_bots.list",
    newest={"sort_by": "updated_at", "sort_direction": "DESC"},
    oldest={"sort_by": "created_at", "sort_direction": "ASC"},
    bot="id",
    bot_name="name",
    snapshots=True,
)
GRID_PROFITS = Kind("grid_profits", "GridProfit", changed="created_at", bot="_bot_id")

KINDS = (DEALS, SMART_TRADES, TRADES, DCA_BOTS, GRID_BOTS, GRID_PROFITS)
BY_NAME = {kind.name: kind for kind in KINDS}


@cache
def columns(kind: Kind) -> tuple[tuple[str, str, str], ...]:
    """Return the columns of the fields: each with its name, its SQL type, and the path of the field.

    A field that is a record has a column for each field of that record. Other lists and objects are JSON.
    """
    found: list[tuple[str, str, str]] = []
    for name, annotation in kind.record_class().__annotations__.items():
        match = _CLASS.match(annotation)
        nested = getattr(_api, match[1], None) if match else None
        inner = getattr(nested, "__annotations__", {})
        if inner and nested is not None and hasattr(nested, "from_json"):
            found.extend((f"{name}_{each}", _sql_type(of), f"{name}.{each}") for each, of in inner.items())
        else:
            found.append((name, _sql_type(annotation), name))
    # SQLite does not tell columns apart by case; the first one keeps the name.
    return tuple({column[0].lower(): column for column in reversed(found)}.values())[::-1]


def _sql_type(annotation: str) -> str:
    return "INTEGER" if annotation in {"Attribute[int | None]", "Attribute[bool | None]"} else "TEXT"


def read(record: object, path: str) -> Any:  # noqa: ANN401
    """Return the value of a field, or of a field of a field; None if it is absent or can't be read.

    The JSON of the record keeps what can't be read.
    """
    value: Any = record
    try:
        for name in path.split("."):
            if value is None:
                return None
            value = getattr(value, name)
    except DecodeError:
        return None
    return value


def as_sql(value: Any) -> str | int | None:  # noqa: ANN401
    """Return a value as SQLite keeps it without loss: decimals and times as text, lists and objects as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        # SQLite has integers of 64 bits.
        return int(value) if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, datetime):
        return as_time(value)
    return _printable(json.dumps(_plain(value), ensure_ascii=False, default=str), secrets=False)


def as_time(value: object) -> str | None:
    """Return a time as ISO 8601 in UTC with microseconds, so that text sorts by time."""
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            value = datetime.fromtimestamp(value, UTC)
        except (OverflowError, OSError, ValueError):
            return None
    if not isinstance(value, datetime):
        return None
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def without_secrets(record: Any) -> str:  # noqa: ANN401
    """Return the JSON of a record as it came, with a placeholder for each secret, such as the one of a bot's URL."""
    return _printable(record.to_json(), secrets=False)


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, list | tuple | Records):
        return [_plain(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    return value.to_dict() if hasattr(value, "to_dict") else value
