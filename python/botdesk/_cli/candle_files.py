"""Files of candles and signals."""

from __future__ import annotations

import csv
import re
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from botdesk import Candles
from botdesk.errors import ConfigurationError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

_COLUMNS = ("timestamp", "open", "high", "low", "close")
_PARQUET = (".parquet", ".pq")
_PAIR = re.compile(r"[A-Z0-9]+_[A-Z0-9._-]+")


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
    except ValidationError as error:
        # The core names its argument, but a user knows the file.
        messages = [message for messages in error.errors.values() for message in messages]
        raise ValidationError(f"{path}: {'; '.join(messages)}", errors={str(path): messages}) from error


def read_signals(path: Path) -> list[int | str | None]:
    """Read a file with a time in each line.

    Raises:
        ConfigurationError: The file can't be read.
    """
    path = path.expanduser()
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        message = f"the signals can't be read from {path}: {error}; pass a file with a time in each line"
        raise ConfigurationError(message) from error
    return [milliseconds(line.strip()) for line in lines if line.strip()]


def read_each(option: str, arguments: list[str], read: Callable[[Path], T]) -> T | dict[str, T]:
    """Read the one FILE of an option, or each PAIR=FILE."""
    if len(arguments) == 1 and not _pair_of(arguments[0]):
        return read(Path(arguments[0]))
    pairs = [_pair_of(argument) for argument in arguments]
    if not all(pairs):
        message = f"{option}: with several files, write each as PAIR=FILE, such as USDT_BTC=btc.csv"
        raise typer.BadParameter(message)
    if len(set(pairs)) < len(pairs):
        message = f"{option}: each pair may have one file"
        raise typer.BadParameter(message)
    files = (argument.partition("=")[2] for argument in arguments)
    return {pair: read(Path(file)) for pair, file in zip(pairs, files, strict=True)}


def _pair_of(argument: str) -> str:
    """Return the pair of PAIR=FILE; empty if the argument is a file, whose name may contain = too."""
    pair, separator, _ = argument.partition("=")
    return pair if separator and _PAIR.fullmatch(pair) else ""


def milliseconds(timestamp: str | None) -> int | str | None:
    """Convert a time in ISO 8601; without a timezone, it is in UTC. The core checks everything else."""
    try:
        moment = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return timestamp
    if timestamp and timestamp.strip().isdigit():
        return timestamp
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


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
    found = [name.strip().lower() for name in reader.fieldnames or ()]
    names = dict(zip(found, reader.fieldnames or (), strict=True))
    missing = [name for name in _COLUMNS if name not in names]
    if missing:
        message = f"{path} has no column {', '.join(missing)}; its first line must name {', '.join(_COLUMNS)}"
        raise ConfigurationError(message)
    if twice := [name for name in _COLUMNS if found.count(name) > 1]:
        message = f"{path} has the column {twice[0]} twice; pass a file that has each column once"
        raise ConfigurationError(message)
    for number, row in enumerate(reader):
        # A price with a decimal comma would be two values, and move all others.
        if None in row:
            message = (
                f"{path}: row {number} has more values than the first line has names; write prices with a decimal point"
            )
            raise ConfigurationError(message)
        timestamp, *prices = (row[names[name]] for name in _COLUMNS)
        yield [milliseconds(timestamp), *prices]
