"""The end of JupyterLab, which the tests of the widgets start."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from jupyter_lab import end_group

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups are of POSIX")


def started(script: str) -> subprocess.Popen[str]:
    """Start a script that leads a process group, and wait for its first line."""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    return process


def test_a_server_that_ends_by_itself_is_not_killed() -> None:
    script = (
        "import signal; signal.signal(signal.SIGTERM, lambda *_: exit(7)); print('started', flush=True); signal.pause()"
    )
    with started(script) as process:
        end_group(process, grace=120)
        assert process.returncode == 7


def test_a_server_with_a_thread_that_waits_for_ever_is_killed_with_its_group() -> None:
    script = """
import signal, subprocess, sys, threading

signal.signal(signal.SIGTERM, lambda *_: exit())
threading.Thread(target=threading.Event().wait).start()
# It holds the output open, as a kernel does.
child = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('started', flush=True); signal.pause()"
subprocess.Popen([sys.executable, "-c", child])
signal.pause()
"""
    with started(script) as process:
        end_group(process, grace=0.5)
        assert process.returncode == -signal.SIGKILL
        assert process.stdout is not None
        assert process.stdout.read() == ""


def test_a_server_that_has_ended_stays_so() -> None:
    with started("print('started')") as process:
        process.wait()
        end_group(process, grace=120)
        assert process.returncode == 0
