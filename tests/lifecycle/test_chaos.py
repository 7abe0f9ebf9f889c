"""Every public callable at exit, and signals into all that block: a short run of `just chaos`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if sys.platform != "linux":
    pytest.skip("children are watched through descriptors of Linux", allow_module_level=True)

import chaos
from thorough import cases

import botdesk

if TYPE_CHECKING:
    from collections.abc import Sequence

EXITS, SIGNALS = cases(50, 120), 400
# Of these exits, in a newly started interpreter: 2 %.
STARTED = EXITS // 50

# Replaces the calls that a program makes, and the signal that ends the process.
CRASHES = [("os.abort", signal.SIGABRT), ("lambda: ctypes.string_at(0)", signal.SIGSEGV)]


@pytest.fixture
def python(pytestconfig: pytest.Config) -> str:
    """Return the interpreter that exits."""
    return pytestconfig.getoption("--python", default=sys.executable) or sys.executable


def run_script(script: str, options: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run a script that changes a program and runs it; return the report."""
    path = folder / "script.py"
    path.write_text(f"import ctypes, os, time\n{script}")
    environment = {**os.environ, "PYTHONPATH": str(chaos.FOLDER)}
    ended = subprocess.run(
        [sys.executable, path, json.dumps(options)], env=environment, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    report: dict[str, Any] = json.loads(ended.stdout)
    return report


def exit_options(folder: Path, callables: Sequence[str]) -> dict[str, Any]:
    """Return the options of a program that exits, whose client calls nothing."""
    key = folder / "key.pem"
    botdesk.PrivateKey.generate(bits=2048).save(key)
    return {
        "url": "http://127.0.0.1:1",
        "api_key": "an-api-key",
        "key": str(key),
        "folder": str(folder),
        "seed": 1,
        "callables": callables,
    }


def test_the_process_exits_while_daemon_threads_call_everything(
    python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = chaos.main(["--exits", str(EXITS), "--signals", "0", "--python", python, "--seed", str(os.getpid())])
    printed = capsys.readouterr()
    assert not failed, printed.err
    assert printed.err == ""
    assert f"{Path(python).name}, forked: {EXITS - STARTED}" in printed.out
    assert f"{Path(python).name}, started: {STARTED}" in printed.out


def test_a_signal_at_a_random_moment_interrupts_each_blocking_call(capsys: pytest.CaptureFixture[str]) -> None:
    failed = chaos.main(["--exits", "0", "--signals", str(SIGNALS), "--seed", str(os.getpid())])
    printed = capsys.readouterr()
    assert not failed, printed.err
    assert f"signals: {SIGNALS}" in printed.out


@pytest.mark.parametrize(("crash", "number"), CRASHES)
def test_a_crash_is_reported_with_its_stacks(crash: str, number: signal.Signals, tmp_path: Path) -> None:
    script = f"""
import chaos_exits
chaos_exits.Program.prepare = lambda self, path: {crash}
chaos_exits.main()
"""
    report = run_script(script, exit_options(tmp_path, ["repr"]), tmp_path)
    (failure,) = report["failures"]
    assert failure["status"] == -number
    assert failure["call"] == "repr"
    assert "Fatal Python error" in failure["errors"]
    assert "call_for_ever" in failure["errors"]


def test_an_exit_that_hangs_is_reported_with_its_stacks(tmp_path: Path) -> None:
    script = """
import chaos_exits
chaos_exits.PATIENCE = 0.1
chaos_exits.Program.prepare = lambda self, path: lambda: None
chaos_exits.choose = lambda numbers: chaos_exits.Moment(1, 0.0, 0.005, True, (1.0,) * 4)
chaos_exits.Slow.wait = lambda self: time.sleep(3_600 * self.seconds)
chaos_exits.main()
"""
    report = run_script(script, exit_options(tmp_path, ["repr"]), tmp_path)
    (failure,) = report["failures"]
    assert failure["hung"]
    assert failure["status"] == -signal.SIGABRT
    assert "in <lambda>" in failure["errors"]


def test_a_lost_signal_is_reported_by_the_call(tmp_path: Path) -> None:
    script = """
import chaos_signals
def swallow():
    try:
        time.sleep(0.001)
    except KeyboardInterrupt:
        pass
chaos_signals.Examples.prepare = lambda self, found: swallow
chaos_signals.main()
"""
    report = run_script(script, {"seed": 1, "signals": 40, "callables": ["DcaBot.edit"]}, tmp_path)
    assert report["delivered"] == report["signals"] == 40
    assert sum(report["lost"]["DcaBot.edit"].values()) > 0


def test_a_pattern_that_matches_nothing_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        chaos.main(["--calls", "NoSuchClass"])
    assert "'NoSuchClass' matches no public callable" in capsys.readouterr().err


def test_an_interpreter_that_does_not_start_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert chaos.main(["--exits", "0", "--signals", "0", "--python", "no-such-python"])
    assert "no-such-python: not found, or does not start" in capsys.readouterr().err
