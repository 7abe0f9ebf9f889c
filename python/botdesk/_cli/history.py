"""Candles of a file, played through the market of a sandbox."""

from __future__ import annotations

import csv
import time
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from botdesk import Candles
from botdesk._cli import output
from botdesk.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from botdesk import MarketEvent, Sandbox

_COLUMNS = ("timestamp", "open", "high", "low", "close")
_PARQUET = (".parquet", ".pq")


def read_candles(path: Path) -> Candles:
    """Read candles from a Parquet or CSV file.

    Raises:
        ConfigurationError: The file can't be read.
        ValidationError: A row is wrong.
    """
    path = path.expanduser()
    try:
        if path.suffix.lower() in _PARQUET:
            return Candles(_read_parquet(path))
        with path.open(newline="", encoding="utf-8-sig") as file:
            return Candles(_rows(path, csv.DictReader(file)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        message = f"the candles can't be read from {path}: {error}; pass a Parquet or CSV file"
        raise ConfigurationError(message) from error


def play(sandbox: Sandbox, candles: Candles, pair: str | None, speed: float, *, as_json: bool) -> None:
    """Play candles, and print each event. One second of wall time is `speed` seconds of candles."""
    begin: tuple[datetime, float] | None = None
    for moment in sandbox.play(candles, pair):
        first, started = begin = begin or (moment.time, time.monotonic())
        due = started + (moment.time - first).total_seconds() / speed
        time.sleep(max(0, due - time.monotonic()))
        for event in moment.events:
            typer.echo(output.dumps(event.to_dict()) if as_json else _line(event))


def _read_parquet(path: Path) -> object:
    try:
        # They have no type information.
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        message = f"{path} needs pyarrow: run `pip install pyarrow`, or pass a CSV file"
        raise ConfigurationError(message) from error
    try:
        table: object = parquet.read_table(path)
    except arrow.ArrowException as error:
        message = f"the candles can't be read from {path}: {error}; pass a Parquet or CSV file"
        raise ConfigurationError(message) from error
    return table


def _rows(path: Path, reader: csv.DictReader[str]) -> Iterator[list[int | str | None]]:
    names = {name.strip().lower(): name for name in reader.fieldnames or ()}
    missing = [name for name in _COLUMNS if name not in names]
    if missing:
        message = f"{path} has no column {', '.join(missing)}; its first line must name {', '.join(_COLUMNS)}"
        raise ConfigurationError(message)
    for row in reader:
        timestamp, *prices = (row[names[name]] for name in _COLUMNS)
        yield [_milliseconds(timestamp), *prices]


def _milliseconds(timestamp: str | None) -> int | str | None:
    """Convert a time in ISO 8601; without a timezone, it is in UTC. Candles check everything else."""
    try:
        moment = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return timestamp
    if timestamp and timestamp.strip().isdigit():
        return timestamp
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def _line(event: MarketEvent) -> str:
    deal = "" if event.deal_id is None else f"deal {event.deal_id} "
    if event.kind == "order_filled":
        number = "" if event.number is None else f" {event.number}"
        what = f"{event.order}{number}: {event.side} {event.quantity} at {event.price}"
    else:
        what = event.kind.rpartition("_")[2] + (f": {event.reason}" if event.reason else "")
    pair = f" {event.pair}" if event.pair else ""
    return f"{event.time:%Y-%m-%d %H:%M:%S}  bot {event.bot_id}{pair}  {deal}{what}"
