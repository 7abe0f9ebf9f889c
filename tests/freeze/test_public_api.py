"""The public API stays the same while the inside is rebuilt."""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
FILES = sorted(
    path.name for path in FOLDER.iterdir() if path.suffix in {".txt", ".json"} and path.stem != "description"
)

# Other versions of Python write some signatures differently.
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the files are written with Python 3.11")


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Describe the package in a process of its own, in which no other test has imported or set anything."""
    folder = tmp_path_factory.mktemp("freeze")
    environment = {**os.environ, "PYTHONPATH": str(FOLDER.parent / "library")}
    subprocess.run([sys.executable, FOLDER / "public_api.py", folder], env=environment, check=True)
    return folder


@pytest.mark.parametrize("name", FILES)
def test_nothing_has_changed(name: str, now: Path) -> None:
    before, after = ((folder / name).read_text("utf-8").splitlines() for folder in (FOLDER, now))
    changes = list(difflib.unified_diff(before, after, "before", "now", lineterm="", n=1))
    assert changes == [], "\n".join(changes[:200]) + "\n\nIf a change is wanted, run: just freeze"
