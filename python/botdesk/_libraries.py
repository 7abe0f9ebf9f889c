"""Libraries that some methods alone need."""

from __future__ import annotations

from importlib import import_module

from botdesk.errors import ConfigurationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def library(name: str, what: str, how: str) -> Any:  # noqa: ANN401
    """Import a library, or raise an error that says what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ConfigurationError(f"{what} needs {package}; install it with: {how}") from error
