"""What users depend on stays the same while the inside is rebuilt."""

from __future__ import annotations

import difflib
import sys

import pytest

from .public_api import FOLDER, SECTIONS


# Other versions of Python write some signatures differently.
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the files are written with Python 3.11")
@pytest.mark.parametrize("name", SECTIONS)
def test_nothing_has_changed(name: str) -> None:
    before = (FOLDER / name).read_text("utf-8").splitlines()
    now = SECTIONS[name]().rstrip().splitlines()
    changes = list(difflib.unified_diff(before, now, "before", "now", lineterm="", n=1))
    assert changes == [], "\n".join(changes[:200]) + "\n\nIf a change is wanted, run: just freeze"
