"""Ctrl-C at any moment of a call raises `KeyboardInterrupt`.

Python runs a signal handler in whatever Python code runs next, such as the check of an argument's type. The call must
raise what the handler raises there.
"""

from __future__ import annotations

import os
import re
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

# The number of signals for each step, at random moments; `--repeat 20` runs each test 20 times.
SIGNALS = cases(15, 50)


def interrupt(step: str, count: int) -> tuple[int, str]:
    """Run the script for a step; return the number of interrupts, and the places of the lost ones."""
    command: list[str | Path] = [sys.executable, "-X", "faulthandler", PROGRAM, step, str(count)]
    environment = {**os.environ, "PYTHONPATH": str(Path(random_interrupts.__file__).parent)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=5 * PATIENCE, check=False)
    printed = re.match(r"(\d+) of (\d+) interrupts lost\n(.*)", ended.stdout, re.DOTALL)
    assert printed is not None, f"exit code {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    assert ended.returncode == 0, ended.stderr
    lost, interrupted, where = printed.groups()
    return int(interrupted), where if int(lost) else ""


@pytest.mark.shows("promise ctrl-c is never lost")
@pytest.mark.parametrize("step", STEPS)
def test_an_interrupt_at_any_line_of_python_code_is_raised_by_the_call(step: str) -> None:
    interrupts, lost = interrupt(step, 0)
    assert interrupts > 0
    assert not lost


@pytest.mark.shows("promise ctrl-c is never lost")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer that sends a signal")
@pytest.mark.parametrize("step", STEPS)
def test_a_signal_at_a_random_moment_is_raised_by_the_call(step: str) -> None:
    interrupts, lost = interrupt(step, SIGNALS)
    assert interrupts == SIGNALS
    assert not lost
