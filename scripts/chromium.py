"""Finds the Chromium that draws pictures and drives the widgets."""

from __future__ import annotations

import os
import shutil

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find_chromium() -> str | None:
    """Return the path of the browser: that which BOTDESK_BROWSER names, or else the first one on the path."""
    return os.environ.get("BOTDESK_BROWSER") or next(filter(None, map(shutil.which, COMMANDS)), None)
