"""Finds the user's code on the stack, for warnings."""

from __future__ import annotations

import sys

# A warning names the line of the user's code, not one in these packages.
_LIBRARIES = {"asyncio", "botdesk", "duckdb", "pandas", "polars", "pyarrow"}


def caller() -> int:
    """Count the frames from the caller of this function to the user's code."""
    level = 1
    frame = sys._getframe(1)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] in _LIBRARIES:
        frame = frame.f_back
        level += 1
    return level
