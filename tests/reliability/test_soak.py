"""A short soak: the long one is `python -m benches.soak`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(
    not Path("/proc/self/status").is_file(), reason="only Linux reports the memory of a process in /proc"
)
def test_nothing_grows_and_every_write_is_accounted_for() -> None:
    command = [sys.executable, "-m", "benches.soak", "--requests", "2000", "--share", "0.2"]
    soak = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900)
    assert soak.returncode == 0, soak.stdout + soak.stderr
    assert "500 writes" in soak.stdout
