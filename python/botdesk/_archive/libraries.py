"""Libraries that an archive needs for some of its methods only."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from botdesk.errors import ConfigurationError


def library(name: str, what: str, how: str) -> Any:  # noqa: ANN401
    """Import a library, or raise an error that says what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ConfigurationError(f"{what} needs {name}; install it with: {how}") from error
