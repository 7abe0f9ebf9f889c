"""Files of candles and signals."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from botdesk import Candles
from botdesk._candle_files import in_file, unreadable
from botdesk._cli import output
from botdesk._native import _shown_path
from botdesk.errors import ConfigurationError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_PARQUET = (".parquet", ".pq")
# Letters and digits of any script, as coins have them, but no lower-case ones, which names of files have.
_PAIR = re.compile(r"[^\W_a-z][^\W_a-z.-]*_[^\W_a-z][^\W_a-z._-]*")
# What the documentation of the command line describes.
_PLAIN = re.compile(
    r"CSV file, times in (milliseconds|ISO 8601( and milliseconds)?) \(column timestamp\)(, oldest row first)?"
)


def read_candles(path: Path) -> Candles:
    """Read candles from a Parquet or CSV file; print what was recognized, unless it is the plain format.

    Raises:
        ConfigurationError: The file can't be read.
        ValidationError: A row is wrong.
    """
    path = path.expanduser()
    if path.suffix.lower() in _PARQUET:
        return _read_parquet(path)
    candles = Candles.read_csv(path)
    if not _PLAIN.fullmatch(candles.file_format or ""):
        output.print_note(f"{output.one_line(str(path))}: {candles.file_format}")
    return candles


def read_signals(path: Path) -> list[int | str | None]:
    """Read a file with a time in each line.

    Raises:
        ConfigurationError: The file can't be read.
    """
    path = path.expanduser()
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        # The message of the system repeats the path.
        reason = error.strerror if isinstance(error, OSError) else error
        message = (
            f"the signals can't be read from {_shown_path(str(path))}: {reason}; pass a file with a time in each line"
        )
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


def _read_parquet(path: Path) -> Candles:
    try:
        # They have no type information.
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        message = f"{_shown_path(str(path))} needs pyarrow: run `pip install pyarrow`, or pass a CSV file"
        raise ConfigurationError(message) from error
    try:
        return Candles(parquet.read_table(path))
    except (OSError, arrow.ArrowException) as error:
        raise unreadable(path, error) from error
    except ValidationError as error:
        raise in_file(path, error) from error
