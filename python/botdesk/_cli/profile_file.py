"""Reading the file of the profiles."""

from __future__ import annotations

import tomllib
from typing import Any

from botdesk._native import _profiles_file
from botdesk.errors import ConfigurationError


def read() -> str:
    """Return the content of the file, with its line ends; an empty string if there is no file."""
    try:
        return _profiles_file().read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{_profiles_file()} can't be read: {error}") from error


def parse(content: str) -> dict[str, Any]:
    """Return the profiles by name."""
    try:
        return tomllib.loads(content)
    except tomllib.TOMLDecodeError:
        # The message of this error may contain a key.
        raise ConfigurationError(f"{_profiles_file()} is not valid TOML; correct it first") from None
