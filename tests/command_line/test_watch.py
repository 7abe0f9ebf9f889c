"""`botdesk bots watch`: one line for each change."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import botdesk
from botdesk._cli.watch import _slower

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Ended

    Desk = Callable[..., Ended]

# Seconds; longer than anything takes that does not hang.
TIMEOUT = 180


@pytest.fixture
def state(sandbox: botdesk.Sandbox, private_key: str, tmp_path: Path) -> Path:
    """Return the state of a watch with the key of the command line; a bot was edited after it."""
    path = tmp_path / "watch.json"
    key = botdesk.PrivateKey.load(private_key)
    client = botdesk.Client(sandbox.add_key(key.public_key_pem), key, base_url=sandbox.url)
    watch = client.dca_bots.watch()
    watch.poll()
    watch.save(path)
    client.dca_bots.edit(41, take_profit="2.50")
    return path


def watching(url: str, *arguments: str) -> subprocess.Popen[str]:
    """Start the command as a child process."""
    return subprocess.Popen(
        [sys.executable, "-m", "botdesk", "bots", "watch", "--every", "3600", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BOTDESK_BASE_URL": url},
    )


def first_line(process: subprocess.Popen[str], with_this: str = "") -> str:
    """Return the first line that contains a string, after sending Ctrl-C and waiting for the exit."""
    assert process.stdout is not None
    line = next(line for line in process.stdout if with_this in line)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, error) == (130, "")
    # More lines may follow.
    assert with_this or out == ""
    return line


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX")
@pytest.mark.usefixtures("desk")
class TestRunning:
    def test_a_change_is_a_line(self, sandbox: botdesk.Sandbox, state: Path) -> None:
        with watching(sandbox.url, "--state", str(state)) as process:
            line = first_line(process)
        assert line.endswith(" edited bot 41 “Steady ETH long”: take_profit: 1.0 → 2.50\n")

    def test_a_change_is_a_line_of_json(self, sandbox: botdesk.Sandbox, state: Path) -> None:
        with watching(sandbox.url, "--state", str(state), "--json") as process:
            change = json.loads(first_line(process))
        assert (change["kind"], change["bot_id"]) == ("edited", 41)
        assert change["fields"] == {"take_profit": {"old": "1.0", "new": "2.50"}}

    def test_the_next_run_continues(self, sandbox: botdesk.Sandbox, state: Path) -> None:
        with watching(sandbox.url, "--state", str(state)) as process:
            first_line(process)
        sandbox.client().dca_bots.disable(41)
        with watching(sandbox.url, "--state", str(state)) as process:
            # If Ctrl-C came before the first change was saved, it is printed again.
            assert first_line(process, "disabled").endswith(" disabled bot 41 “Steady ETH long”\n")


def test_an_invalid_state_is_an_error_in_one_line(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "watch.json"
    path.write_text("{}")
    ended = desk("bots", "watch", "--state", str(path))
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "not the state of a watch" in ended.err


def test_an_invalid_interval_is_an_error_in_one_line(desk: Desk) -> None:
    ended = desk("bots", "watch", "--every", "0")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("status", [401, 403, 418])
def test_a_permanent_error_ends_the_command(desk: Desk, sandbox: botdesk.Sandbox, status: int) -> None:
    sandbox.faults.add("dca_bots.list", kind="status", status=status)
    ended = desk("bots", "watch")
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert str(status) in ended.err
    assert len(sandbox.requests) == 1


def test_the_filters_are_those_of_the_method(desk: Desk) -> None:
    shown = desk("bots", "watch", "--help").out
    assert [name for name in ("--scope", "--account-id", "--quote", "--from", "--no-deals") if name not in shown] == []
    assert "--sort-by" not in shown


class TestSlower:
    def test_a_rate_limit_that_makes_polls_slower_is_reported(self) -> None:
        limit = "a poll takes 9 requests, and the rate limit allows 100 in 60 s"
        assert _slower(9, (100, 60.0), 1) == f"{limit}; polls come about every 5.4 s, not every 1 s"

    @pytest.mark.parametrize(("requests", "limit", "seconds"), [(1, (100, 60.0), 1), (9, (100, 60.0), 6), (9, None, 1)])
    def test_polls_that_come_as_wanted_are_not_reported(
        self, requests: int, limit: tuple[int, float] | None, seconds: float
    ) -> None:
        assert _slower(requests, limit, seconds) is None

    def test_the_command_says_so_after_the_first_poll(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        notes: list[str] = []

        def stop(note: str) -> None:
            notes.append(note)
            raise KeyboardInterrupt

        monkeypatch.setattr("botdesk._cli.watch.output.print_note", stop)
        assert desk("bots", "watch", "--every", "1").code == 130
        assert notes[0].startswith("a poll takes ")
        assert notes[0].endswith(", not every 1 s; --no-deals takes fewer requests")
