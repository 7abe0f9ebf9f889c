"""CSV files of candles. Python opens and splits them, the core recognizes and checks their rows."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from botdesk._native import _candles_of_csv, _shown_path
from botdesk.errors import ConfigurationError, ValidationError

if TYPE_CHECKING:
    from pathlib import Path

    from botdesk._native import Candles

_ARCHIVES = (".zip", ".gz", ".xz", ".zst", ".7z")


def read_csv(path: Path) -> Candles:
    """Read candles from a CSV file.

    Raises:
        ConfigurationError: The file can't be read.
        ValidationError: It has no candles, or a row is wrong; the message names the file.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return _candles_of_csv(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise unreadable(path, error) from error
    except ValidationError as error:
        raise in_file(path, error) from error


def unreadable(path: Path, error: Exception) -> ConfigurationError:
    """Return the error of a file that can't be read."""
    # The message of the system repeats the path.
    reason = getattr(error, "strerror", None) or error
    advice = "unpack it first" if path.suffix.lower() in _ARCHIVES else "pass a Parquet or CSV file"
    return ConfigurationError(f"the candles can't be read from {_shown_path(str(path))}: {reason}; {advice}")


def in_file(path: Path, error: ValidationError) -> ValidationError:
    """Return the error with the file in place of the argument, which a user of the command line does not know."""
    messages = [message for messages in error.errors.values() for message in messages]
    file = _shown_path(str(path))
    return ValidationError(f"{file}: {'; '.join(messages)}", errors={file: messages})
