"""Exit codes, one line on standard error for each error, and no traceback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import botdesk
from botdesk._native import _profiles_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Ended

    Desk = Callable[..., Ended]

# Seconds; longer than anything takes that does not hang.
TIMEOUT = 180


def test_success_is_0(desk: Desk) -> None:
    assert desk("bots", "show", "41").code == 0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 422])
def test_an_error_response_is_1(desk: Desk, sandbox: botdesk.Sandbox, status: int) -> None:
    sandbox.faults.add("dca_bots.disable", kind="status", status=status)
    ended = desk("bots", "disable", "41", "--yes")
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)


def test_missing_keys_are_2(command: Desk) -> None:
    ended = command("bots", "list")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "BOTDESK_API_KEY" in ended.err


@pytest.mark.parametrize("group", [(), ("bots",), ("profile",)])
def test_without_a_command_the_help_is_printed(command: Desk, group: tuple[str, ...]) -> None:
    ended = command(*group)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.rstrip("\n") == command(*group, "--help").out.rstrip("\n")
    assert len(ended.err.splitlines()) > 5


def test_a_missing_profile_is_2(command: Desk) -> None:
    ended = command("bots", "list", "--profile", "demo")
    assert (ended.code, ended.err.count("\n")) == (2, 1)


def test_no_connection_is_3(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        # Bound but not listening, so that connections to this port are refused.
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("BOTDESK_BASE_URL", f"http://127.0.0.1:{taken.getsockname()[1]}")
        ended = desk("bots", "disable", "41", "--yes")
    assert (ended.code, ended.out, ended.err.count("\n")) == (3, "", 1)


@pytest.mark.parametrize("status", [408, 409, 425, 499, 500, 502, 503, 504])
def test_a_write_with_an_unclear_status_is_4(desk: Desk, sandbox: botdesk.Sandbox, status: int) -> None:
    sandbox.faults.add("dca_bots.disable", kind="status", status=status)
    ended = desk("bots", "disable", "41", "--yes")
    assert (ended.code, ended.out, ended.err.count("\n")) == (4, "", 1)


@pytest.mark.parametrize(
    ("status", "code"), [(408, 1), (409, 1), (425, 1), (499, 1), (500, 3), (502, 3), (503, 3), (504, 3)]
)
def test_a_read_is_3_after_a_5xx_and_1_after_any_other_error_status(
    desk: Desk, sandbox: botdesk.Sandbox, status: int, code: int
) -> None:
    sandbox.faults.add("dca_bots.get", kind="status", times=None, status=status)
    assert desk("bots", "show", "41").code == code


def test_a_redirect_is_1_for_a_read_and_4_for_a_write(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("*", kind="redirect", times=None)
    assert desk("bots", "show", "41").code == 1
    assert desk("bots", "disable", "41", "--yes").code == 4


@pytest.mark.parametrize("name", [rb"a\ud83db", b"a\xffb"], ids=["half an emoji", "not UTF-8"])
@pytest.mark.parametrize(
    "arguments", [["bots", "disable", "41", "--yes"], ["bots", "show", "41"], ["bots", "list"]], ids=" ".join
)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_invalid_unicode_is_printed_as_an_escape(
    desk: Desk, fixed_response: Callable[[bytes], None], arguments: list[str], name: bytes, *, as_json: bool
) -> None:
    bot = b'{"id":41,"active_deals":[],"name":"%s"}' % name
    fixed_response(bot if "list" not in arguments else b"[%s]" % bot)
    ended = desk(*arguments, *(["--json"] if as_json else []))
    assert (ended.code, ended.err) == (0, "")
    # The others show a name that can be read, or none.
    if as_json or arguments[1] == "show":
        assert ("\\ud83d" if b"ud83d" in name else "\\udcff") in ended.out


def test_a_read_with_an_invalid_response_is_3(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("dca_bots.get", kind="wrong_json")
    ended = desk("bots", "show", "41")
    assert (ended.code, ended.out, ended.err.count("\n")) == (3, "", 1)


@pytest.mark.parametrize(("method", "path", "code"), [("get", "show", 3), ("POST", "disable", 4)])
def test_a_response_without_json_is_3_for_a_read_and_4_for_a_write(
    desk: Desk, fixed_response: Callable[[bytes], None], method: str, path: str, code: int
) -> None:
    fixed_response(b"a page of a proxy")
    ended = desk("request", method, f"/ver1/bots/41/{path}", "--yes", "--json")
    assert (ended.code, ended.out, ended.err.count("\n")) == (code, "", 1)


def test_invalid_deals_are_printed_unchanged(desk: Desk, fixed_response: Callable[[bytes], None]) -> None:
    fixed_response(b'{"id": 41, "active_deals": "soon"}')
    ended = desk("bots", "show", "41")
    assert (ended.code, ended.err) == (0, "")
    assert "soon" in ended.out


@pytest.mark.parametrize("kind", ["close_before", "close_after", "wrong_json"])
def test_an_unknown_outcome_is_4(desk: Desk, sandbox: botdesk.Sandbox, kind: str) -> None:
    sandbox.faults.add("dca_bots.disable", kind=kind)
    ended = desk("bots", "disable", "41", "--yes")
    assert (ended.code, ended.out, ended.err.count("\n")) == (4, "", 1)


def test_an_unknown_command_is_2(command: Desk) -> None:
    ended = command("bots", "lst")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "Did you mean 'list'" in ended.err


def test_a_group_without_a_command_shows_its_help(command: Desk) -> None:
    ended = command("bots")
    assert (ended.code, "cancel-deals" in ended.out + ended.err) == (2, True)


def child(url: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a command as a child process."""
    return subprocess.Popen(
        [sys.executable, "-m", "botdesk", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BOTDESK_BASE_URL": url},
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX")
@pytest.mark.usefixtures("desk")
def test_ctrl_c_is_130() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(TIMEOUT)
        with (
            child(f"http://127.0.0.1:{silent.getsockname()[1]}", "bots", "list") as process,
            silent.accept()[0] as asked,
        ):
            asked.recv(1)
            process.send_signal(signal.SIGINT)
            assert (process.wait(TIMEOUT), *process.communicate()) == (130, "", "")


@pytest.mark.usefixtures("desk")
def test_a_reader_that_closes_the_output_is_not_an_error(sandbox: botdesk.Sandbox) -> None:
    with child(sandbox.url, "bots", "show", "41") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(TIMEOUT) == 0
        assert process.stderr.read() == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.usefixtures("desk")
def test_a_change_that_could_not_be_printed_is_reported_as_made(sandbox: botdesk.Sandbox) -> None:
    command = [sys.executable, "-m", "botdesk", "bots", "disable", "41", "--yes", "--json"]
    with Path("/dev/full").open("w") as full:
        environment = {**os.environ, "BOTDESK_BASE_URL": sandbox.url}
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment, check=False, text=True)
    assert (ended.returncode, ended.stderr.count("\n")) == (5, 1)
    assert [request.carried_out for request in sandbox.requests] == [True]


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of POSIX closes it")
@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("command", ["bots list", "bots list --json", "bots disable 41 --yes --json", "--version"])
def test_a_closed_output_is_reported_like_a_full_disk(sandbox: botdesk.Sandbox, command: str) -> None:
    script = f'"{sys.executable}" -m botdesk {command} >&-'
    environment = {**os.environ, "BOTDESK_BASE_URL": sandbox.url}
    ended = subprocess.run(["sh", "-c", script], stderr=subprocess.PIPE, env=environment, check=False, text=True)
    message = "botdesk: the command succeeded, but its output could not be written: standard output is closed\n"
    assert (ended.returncode, ended.stderr) == (5, message)
    assert all(request.carried_out for request in sandbox.requests)


@pytest.mark.usefixtures("desk")
def test_no_traceback_is_shown(sandbox: botdesk.Sandbox) -> None:
    out, err = (process := child(sandbox.url, "bots", "show", "999")).communicate(timeout=TIMEOUT)
    assert (process.returncode, out, err.count("\n"), "Traceback" in err) == (1, "", 1, False)


def test_version_is_printed(command: Desk) -> None:
    assert command("--version").out == f"botdesk {botdesk.__version__}\n"


@pytest.mark.usefixtures("configuration")
def test_the_shell_completes_the_names_of_profiles() -> None:
    _profiles_file().parent.mkdir(parents=True)
    _profiles_file().write_text("[demo]\n[desk]\n[other]\n", "utf-8")
    request = {"_BOTDESK_COMPLETE": "complete_bash", "COMP_WORDS": "botdesk bots list --profile de", "COMP_CWORD": "4"}
    command = [sys.executable, "-c", "from botdesk._cli import main; main()"]
    completed = subprocess.check_output(command, text=True, env={**os.environ, **request}).split()
    assert completed == ["demo", "desk"]


@pytest.mark.usefixtures("configuration")
def test_the_shell_completes_commands_options_and_values() -> None:
    def completed(*words: str) -> list[str]:
        request = {
            "_BOTDESK_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(words),
            "COMP_CWORD": str(len(words) - 1),
        }
        command = [sys.executable, "-c", "from botdesk._cli import main; main()"]
        return subprocess.check_output(command, text=True, env={**os.environ, **request}).split()

    assert "cancel-deals" in completed("botdesk", "bots", "can")
    assert "--take-profit-type" in completed("botdesk", "bots", "edit", "41", "--take-profit-t")
    assert completed("botdesk", "bots", "edit", "41", "--take-profit-type", "to") == ["total"]
