"""Ctrl-C at any moment of any call: none is lost.

Python runs the handler of a signal inside of whatever Python code runs next, such as the check of an argument's type.
What it raises there has to come out of the call.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import PATIENCE
from .interrupted import Steps

PROGRAM = Path(__file__).parent / "interrupted.py"

STEPS = [name for name, member in vars(Steps).items() if callable(member) and not name.startswith("_")]

# How many signals each step gets at random moments; `--repeat 20` makes it twenty times as many.
SIGNALS = 50


def interrupt(step: str, count: int) -> tuple[int, str]:
    """Interrupt a step; give how many interrupts there were, and what the program says of those that were lost."""
    command: list[str | Path] = [sys.executable, "-X", "faulthandler", PROGRAM, step, str(count)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=5 * PATIENCE, check=False)
    told = re.match(r"(\d+) of (\d+) interrupts lost\n(.*)", ended.stdout, re.DOTALL)
    assert told is not None, f"exit code {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    assert ended.returncode == 0, ended.stderr
    lost, interrupted, where = told.groups()
    return int(interrupted), where if int(lost) else ""


@pytest.mark.shows("promise ctrl-c is never lost")
@pytest.mark.parametrize("step", STEPS)
def test_an_interrupt_at_any_line_of_python_code_comes_out_of_the_call(step: str) -> None:
    interrupts, lost = interrupt(step, 0)
    assert interrupts > 0
    assert not lost


@pytest.mark.shows("promise ctrl-c is never lost")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer that sends a signal")
@pytest.mark.parametrize("step", STEPS)
def test_a_signal_at_a_random_moment_comes_out_of_the_call(step: str) -> None:
    interrupts, lost = interrupt(step, SIGNALS)
    assert interrupts == SIGNALS
    assert not lost
