"""`botdesk bots live`: a table that follows the bots."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    import botdesk

    from .conftest import Ended

    Desk = Callable[..., Ended]

pty = pytest.importorskip("pty", reason="Windows has no pseudo-terminals")


def test_without_a_terminal_the_table_is_printed_once(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    ended = desk("bots", "live")
    assert (ended.code, ended.err) == (0, "")
    assert len(ended.out.splitlines()) == 1 + len(list(sandbox.client().dca_bots.iter()))


@pytest.mark.parametrize(
    ("group", "name"), [("grid", "grid_bots"), ("deals", "deals"), ("smart-trades", "smart_trades")]
)
def test_each_list_that_can_be_watched_has_a_table(desk: Desk, sandbox: botdesk.Sandbox, group: str, name: str) -> None:
    ended = desk(group, "live")
    assert (ended.code, ended.err) == (0, "")
    selection = {"deals": {"scope": "active"}, "smart_trades": {"status": "active"}}.get(name, {})
    records = getattr(sandbox.client(), name).iter(**selection)
    assert len(ended.out.splitlines()) == 1 + len(list(records))
    assert "<" not in ended.out


@pytest.mark.parametrize("seconds", ["0", "0.9", "86401", "nan"])
def test_an_interval_out_of_range_is_an_error(desk: Desk, seconds: str) -> None:
    ended = desk("bots", "live", "--interval", seconds)
    assert ended.code == 2
    assert "interval: must be between 1 and 86 400 seconds" in ended.err


def test_without_a_connection_and_a_terminal_the_command_fails(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOTDESK_BASE_URL", "http://127.0.0.1:1")
    assert desk("bots", "live").code == 3


def test_a_failure_of_the_first_poll_ends_the_command(
    desk: Desk, sandbox: botdesk.Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    del desk
    monkeypatch.setenv("BOTDESK_API_KEY", "unknown")
    live = Live()
    live.wait_for("api_key_invalid_or_expired")
    assert live.wait() == 1, live.shown
    assert len(sandbox.requests) == 1


class Live:
    """The command in a pseudo-terminal."""

    def __init__(self, group: str = "bots", interval: str = "1") -> None:
        self._terminal, output = pty.openpty()
        command = [sys.executable, "-m", "botdesk", group, "live", "--interval", interval]
        environment = {**os.environ, "COLUMNS": "500", "LINES": "50", "TERM": "xterm"}
        self._process = subprocess.Popen(command, stdin=output, stdout=output, stderr=output, env=environment)
        os.close(output)
        self.shown = ""

    def wait_for(self, text: str) -> None:
        """Read until the terminal shows a text."""
        while text not in self.shown:
            self.shown += os.read(self._terminal, 65_536).decode("utf-8", "replace")

    def stop(self) -> int:
        """Press Ctrl-C, and return the exit code."""
        self._process.send_signal(signal.SIGINT)
        # The cursor is visible again.
        self.shown = ""
        self.wait_for("\x1b[?25h")
        return self.wait()

    def wait(self) -> int:
        """Wait for the end of the command, and return the exit code."""
        code = self._process.wait(180)
        os.set_blocking(self._terminal, False)
        # Linux reports the end of a terminal that its last process has closed as an error.
        with suppress(OSError):
            self.shown += os.read(self._terminal, 65_536).decode("utf-8", "replace")
        os.close(self._terminal)
        return code


def test_a_terminal_follows_the_bots_until_ctrl_c(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    del desk
    live = Live()
    live.wait_for("Ctrl-C ends")
    sandbox.client().dca_bots.edit(41, name="[red]New[/red] name")
    live.wait_for("\x1b[7m[red]New[/red] name")
    assert live.stop() == 130, live.shown


def test_a_terminal_shows_deals_as_the_service_sends_them(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    del desk
    live = Live("deals", "86400")
    live.wait_for("Ctrl-C ends")
    # A safety order fills.
    sandbox.set_price("USDT_DOGE", "0.01")
    live.wait_for("-115.03")
    assert live.stop() == 130, live.shown


def test_a_failed_poll_is_shown_and_the_next_one_follows(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    del desk
    live = Live()
    live.wait_for("Ctrl-C ends")
    sandbox.faults.add("dca_bots.list", kind="status", status=501)
    live.wait_for("501 Not Implemented")
    live.shown = ""
    sandbox.client().dca_bots.edit(41, name="Afterwards")
    live.wait_for("Afterwards")
    assert live.stop() == 130, live.shown


@pytest.mark.parametrize(("status", "reason"), [(401, "401"), (403, "403"), (418, "418")])
def test_a_rejected_key_or_a_ban_ends_the_command_with_the_reason(
    desk: Desk, sandbox: botdesk.Sandbox, status: int, reason: str
) -> None:
    del desk
    live = Live()
    live.wait_for("Ctrl-C ends")
    sandbox.faults.add("dca_bots.list", kind="status", status=status)
    live.wait_for(reason)
    assert live.wait() == 1, live.shown
    assert [request.status for request in sandbox.requests].count(status) == 1
