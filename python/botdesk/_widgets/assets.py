"""Reads the scripts and the styles of the widgets, which are files of the package."""

from __future__ import annotations

from importlib.resources import files


def read(*names: str) -> str:
    """Return the content of files, one after the other."""
    folder = files(__package__ or "botdesk._widgets")
    return "\n".join((folder / name).read_text("utf-8") for name in names)
