"""Ctrl-C at any moment of a call raises `KeyboardInterrupt`.

Python runs a signal handler in whatever Python code runs next, such as the check of an argument's type. The call must
raise what the handler raises there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import random_interrupts
from thorough import cases

from .conftest import PATIENCE
from .interrupted import Steps

PROGRAM = Path(__file__).parent / "interrupted.py"

STEPS = [name for name, member in vars(Steps).items() if callable(member) and not name.startswith("_")]

# The number of signals for each step, at random moments; where the system has no timer that sends them, none.
SIGNALS = cases(15, 50) if hasattr(signal, "setitimer") else 0


def interrupt(step: str) -> list[tuple[int, list[str]]]:
    """Run the script for a step; return the numbers of interrupts at lines and by signals, and where any were lost."""
    command: list[str | Path] = [sys.executable, "-X", "faulthandler", PROGRAM, step, str(SIGNALS)]
    environment = {**os.environ, "PYTHONPATH": str(Path(random_interrupts.__file__).parent)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=5 * PATIENCE, check=False)
    assert ended.returncode == 0, f"exit code {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    return [(interrupts, lost) for interrupts, lost in json.loads(ended.stdout)]


@pytest.mark.shows("promise ctrl-c is never lost")
@pytest.mark.parametrize("step", STEPS)
def test_an_interrupt_at_any_line_and_a_signal_at_any_moment_are_raised_by_the_call(step: str) -> None:
    (at_lines, lost), *by_signals = interrupt(step)
    assert at_lines > 0
    assert not lost
    assert by_signals == ([(SIGNALS, [])] if SIGNALS else [])
