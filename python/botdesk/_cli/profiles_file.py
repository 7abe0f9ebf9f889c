"""The file of the profiles, as it is read."""

from __future__ import annotations

import tomllib
from typing import Any

from botdesk._native import _profiles_file
from botdesk.errors import ConfigurationError


def read() -> str:
    """Give its text; none where there is no file."""
    try:
        # Line ends stay as they are.
        return _profiles_file().read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the profiles in {_profiles_file()} can't be read: {error}") from error


def profiles(text: str) -> dict[str, Any]:
    """Give the profiles of a text by their names."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        # Its message may show a key.
        raise ConfigurationError(f"{_profiles_file()} is not TOML; put it right first") from None
