"""The terminal to which tables are printed. Imported when a table is displayed."""

from __future__ import annotations

import sys
from shutil import get_terminal_size


def width() -> int | None:
    """Return the width of the terminal; None if standard output is a file, a pipe or a notebook."""
    # A program may replace it by anything that has a `write`.
    isatty = getattr(sys.stdout, "isatty", None)
    try:
        return get_terminal_size().columns if isatty is not None and isatty() else None
    except ValueError:
        # It is closed.
        return None
