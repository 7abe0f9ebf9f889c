"""`botdesk sandbox`, run as users run it."""

from __future__ import annotations

import http.client
import json
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

import botdesk
from botdesk._cli import shells

if sys.platform == "win32":
    pytest.skip("the process is ended by POSIX signals", allow_module_level=True)

if TYPE_CHECKING:
    from collections.abc import Generator

# Seconds; longer than any call takes unless it hangs.
PATIENCE = 180
# The wide characters of a narrow terminal would break the lines that are to be pasted.
NARROW = {**os.environ, "COLUMNS": "20", "TERM": "dumb"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "botdesk", *arguments]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=PATIENCE, check=False, env=NARROW
    )


class Running:
    """A sandbox that the command line runs, and what it printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.lines: list[str] = []
        for line in process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("Ctrl-C"):
                break

    def printed(self, name: str) -> str:
        """Return what was printed after a name."""
        (value,) = [line.removeprefix(name).strip() for line in self.lines if line.startswith(f"{name} ")]
        return value

    @property
    def curl(self) -> str:
        """Return the line to paste."""
        (line,) = [line for line in self.lines if line.startswith("curl ")]
        return line

    def end(self, by: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """End it; give its exit code and what else it printed."""
        self.process.send_signal(by)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


@contextmanager
def sandbox(*options: str) -> Generator[Running]:
    """Run a sandbox as a child process."""
    arguments = command("sandbox", "--port", "0", *options)
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=NARROW) as process:
        try:
            yield Running(process)
        finally:
            # One that is killed at once leaves its private key behind.
            process.terminate()
            try:
                process.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("openssl")), reason="curl and openssl are needed")
def test_the_line_that_it_prints_works_when_pasted() -> None:
    with sandbox("--bots", "2") as running:
        response = subprocess.run(
            ["sh", "-c", running.curl], capture_output=True, text=True, timeout=PATIENCE, check=True
        )
        assert [bot["id"] for bot in json.loads(response.stdout)] == [42, 41]
        assert response.stderr == ""


def bare_environment() -> dict[str, str]:
    return {name: value for name, value in NARROW.items() if not name.startswith("BOTDESK_")}


def test_the_lines_that_it_prints_let_a_second_terminal_use_it(tmp_path: Path) -> None:
    path = tmp_path / "it's a key.pem"
    with sandbox("--bots", "2", "--shell", "sh", "--key-file", str(path)) as running:
        exports = [line for line in running.lines if line.startswith(("export ", "unset "))]
        assert len(exports) == 4
        # Variables of another account, which the lines replace.
        stale = {"BOTDESK_PROFILE": "live", "BOTDESK_PRIVATE_KEY": "x", "BOTDESK_PRIVATE_KEY_PASSWORD": "y"}
        script = "\n".join([*exports, f"exec {shlex.join(command('bots', 'list', '--json'))}"])
        done = subprocess.run(
            ["sh", "-c", script],
            env=bare_environment() | stale,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        assert [bot["id"] for bot in json.loads(done.stdout)] == [42, 41]


def test_the_lines_are_those_of_the_shell(tmp_path: Path) -> None:
    path = tmp_path / "it's.pem"
    for shell, first, quoted in (
        ("fish", "set -e BOTDESK_PROFILE ", "set -gx BOTDESK_PRIVATE_KEY_FILE '{}it\\'s.pem'"),
        ("powershell", "$env:BOTDESK_PROFILE = $null", "$env:BOTDESK_PRIVATE_KEY_FILE = '{}it''s.pem'"),
    ):
        with sandbox("--shell", shell, "--key-file", str(path)) as running:
            assert any(line.startswith(first) for line in running.lines)
            assert quoted.format(f"{tmp_path}/") in running.lines
        path.unlink()


@pytest.mark.parametrize(
    ("name", "shell"), [("/usr/bin/fish", "fish"), ("/bin/bash", "sh"), ("/opt/pwsh", "powershell"), ("", "sh")]
)
def test_the_shell_is_that_of_the_user(monkeypatch: pytest.MonkeyPatch, name: str, shell: str) -> None:
    monkeypatch.setenv("SHELL", name)
    assert shells.current() == shell


def test_typographic_quotes_are_quotes_to_powershell() -> None:
    (line,) = shells.lines(shells.Shell.POWERSHELL, {"NAME": "a\u2019b"}, [])
    assert line == "$env:NAME = 'a\u2019\u2019b'"


def test_the_page_that_it_prints_is_that_of_the_sandbox() -> None:
    with sandbox() as running:
        url, _, token = running.printed("page").partition("/#")
        assert url == running.printed("address")
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=PATIENCE)
        connection.request("GET", "/_sandbox/state", headers={"X-Botdesk-Token": token})
        assert json.load(connection.getresponse())["clock"]["follows_wall_clock"] is False
        connection.close()


def test_what_it_prints_makes_a_client() -> None:
    with sandbox("--seed", "7") as running:
        client = botdesk.Client(
            running.printed("API key"), running.printed("private key"), base_url=running.printed("address")
        )
        assert len(client.dca_bots.list()) == 12


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_cleanly_and_leaves_no_key(by: signal.Signals) -> None:
    with sandbox() as running:
        key = Path(running.printed("private key"))
        assert key.exists()
        assert running.end(by) == (0, "stopped\n", "")
        assert not key.parent.exists()


def test_the_private_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "a key.pem"
    with sandbox("--key-file", str(path)) as running:
        assert running.printed("private key") == str(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert running.end()[0] == 0
    assert path.read_text().startswith("-----BEGIN PRIVATE KEY-----\n")


def test_a_path_with_a_space_can_be_pasted_too(tmp_path: Path) -> None:
    with sandbox("--key-file", str(tmp_path / "a key.pem")) as running:
        response = subprocess.run(["sh", "-c", running.curl], capture_output=True, timeout=PATIENCE, check=True)
        assert len(json.loads(response.stdout)) == 3


def test_accounts_have_the_balances_of_the_options() -> None:
    with sandbox("--bots", "0", "--balance", "USDT=5", "--balance", "BTC=0.5") as running:
        client = botdesk.Client(
            running.printed("API key"), running.printed("private key"), base_url=running.printed("address")
        )
        assert {row.currency_code: str(row.position) for row in client.accounts.table_data(102)} == {
            "USDT": "5",
            "BTC": "0.5",
        }


def test_a_balance_that_is_none_is_reported() -> None:
    for given, message in [
        (["USDT"], "Invalid value: --balance: USDT is not CURRENCY=AMOUNT, such as USDT=10000"),
        (["USDT=1", "USDT=2"], "Invalid value: --balance: USDT is given twice"),
        (["USDT=-1"], "balances: the amount of USDT must be at least 0, not -1"),
    ]:
        ended = run("sandbox", "--port", "0", *(f"--balance={text}" for text in given))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert message in ended.stderr


def test_it_writes_over_no_file(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text("dear")
    ended = run("sandbox", "--port", "0", "--key-file", str(path))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"botdesk: the private key can't be written to {path}: ")
    assert ended.stderr.endswith("an existing key is never overwritten: choose another name\n")
    assert path.read_text() == "dear"


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    ended = run("sandbox", "--port", "0", "--key-file", str(tmp_path / "nowhere" / "key.pem"))
    assert ended.returncode == 2
    assert "No such file or directory" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_port_in_use_is_reported_in_one_line() -> None:
    with botdesk.Sandbox() as other:
        port = other.url.rpartition(":")[2]
        ended = run("sandbox", "--port", port)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.fullmatch(rf"botdesk: port {port}: .*port=0 takes any free port\n", ended.stderr)


def test_the_rate_limit_is_the_sandboxs() -> None:
    with sandbox("--rate-limit", "0") as running:
        client = botdesk.Client(
            running.printed("API key"), running.printed("private key"), base_url=running.printed("address")
        )
        with pytest.raises(botdesk.RateLimitedError):
            client.dca_bots.list()


@pytest.mark.parametrize(("options", "first"), [([], 52), (["--odd-values"], 2_376_446_537)])
def test_odd_values_are_an_option(options: list[str], first: int) -> None:
    with sandbox(*options) as running:
        client = botdesk.Client(
            running.printed("API key"), running.printed("private key"), base_url=running.printed("address")
        )
        assert client.dca_bots.list(limit=1)[0].id == first


def test_an_option_that_is_not_there_is_rejected() -> None:
    ended = run("sandbox", "--prot", "8080")
    assert (ended.returncode, "--prot" in ended.stderr) == (2, True)


def test_the_error_without_the_extra_explains_how_to_install_it() -> None:
    hidden = "from botdesk._cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-S", "-c", hidden],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**NARROW, "PYTHONPATH": str(Path(botdesk.__file__).parents[1])},
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    assert "pip install " in ended.stderr


def test_the_package_itself_needs_none_of_it() -> None:
    asked = "import sys, botdesk; print({'typer', 'rich', 'click'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "set()\n"


def test_a_program_reads_where_it_runs() -> None:
    with subprocess.Popen(command("sandbox", "--port", "0", "--json"), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = json.loads(process.stdout.readline())
        assert printed["page"].startswith(f"{printed['address']}/#")
        assert printed["environment"] == {
            "BOTDESK_API_KEY": printed["api_key"],
            "BOTDESK_PRIVATE_KEY_FILE": printed["private_key"],
            "BOTDESK_BASE_URL": printed["address"],
        }
        client = botdesk.Client(printed["api_key"], printed["private_key"], base_url=printed["address"])
        assert len(client.dca_bots.list()) == 12
        process.terminate()
        assert (process.wait(PATIENCE), process.stdout.read()) == (0, "")


CANDLES = """\
timestamp,open,high,low,close
2024-01-01 00:00:00,100.0,100.5,99.5,100.0
1704067260000,100.0,101.5,99.5,101.0
"""


def written(folder: Path, content: str) -> str:
    path = folder / "candles.csv"
    path.write_text(content)
    return str(path)


def test_it_plays_candles_and_prints_events(tmp_path: Path) -> None:
    # The open deal of the bot buys more as the price falls, and closes as it rises.
    content = "timestamp,open,high,low,close\n1704067200000,3000,3000,2990,3000\n1704067260000,3000,9000,2999,9000\n"
    options = ("--bots", "1", "--pair", "USDT_ETH", "--speed", "6000", "--play", written(tmp_path, content))
    with sandbox(*options) as running:
        assert running.process.stdout is not None
        lines: list[str] = []
        for line in running.process.stdout:
            lines.append(line)
            if "closed" in line:
                break
        assert re.match(
            r"2024-01-01 00:00:00  bot 41 USDT_ETH  deal \d+ (safety|base)_order( \d)?: buy \S+ at \S+\n", lines[0]
        )
        assert re.match(r"2024-01-01 00:01:30  bot 41 USDT_ETH  deal \d+ closed: take_profit\n", lines[-1])
        client = botdesk.Client(
            running.printed("API key"), running.printed("private key"), base_url=running.printed("address")
        )
        assert len(client.dca_bots.list()) == 1
        code, _, errors = running.end()
        assert (code, errors) == (0, "")


def test_it_plays_a_parquet_file_and_prints_json(tmp_path: Path) -> None:
    path = tmp_path / "candles.parquet"
    pl.DataFrame(
        {"time": [1704067200000], "open": [100.5], "high": [101.0], "low": [99.0], "close": [100.0]}
    ).write_parquet(path)
    arguments = command("sandbox", "--port", "0", "--bots", "1", "--json", "--pair", "USDT_ETH", "--play", str(path))
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "api_key" in json.loads(process.stdout.readline())
        event = json.loads(process.stdout.readline())
        assert (event["kind"], event["bot_id"], event["pair"]) == ("order_filled", 41, "USDT_ETH")
        process.terminate()
        assert process.wait(PATIENCE) == 0


def test_ctrl_c_ends_it_between_two_candles(tmp_path: Path) -> None:
    options = ("--bots", "1", "--pair", "USDT_ETH", "--speed", "0.001", "--play", written(tmp_path, CANDLES))
    with sandbox(*options) as running:
        assert running.process.stdout is not None
        running.process.stdout.readline()
        code, output, errors = running.end()
        assert (code, output.endswith("stopped\n"), errors) == (0, True, "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has no column timestamp, open, high, low, close"),
        ("timestamp,open,high,low\n", "has no column close"),
        (CANDLES.replace("99.5", "x", 1), "row 0: low 'x' is not a number"),
        (CANDLES.replace("99.5", "0", 1), "row 0: low 0"),
        (CANDLES + "1704067320000,1\n", "row 2: "),
        (CANDLES.replace("1704067260000", "yesterday"), "row 1: time 'yesterday' is neither"),
    ],
)
def test_a_file_without_candles_is_reported(tmp_path: Path, content: str, message: str) -> None:
    ended = run("sandbox", "--port", "0", "--pair", "USDT_ETH", "--play", written(tmp_path, content))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--play", "nowhere.csv", "--pair", "USDT_ETH"), "the candles can't be read from nowhere.csv: "),
        (("--play", "nowhere.csv"), "--play needs the pair of the candles"),
        (("--pair", "USDT_ETH"), "--pair goes with --play"),
        (("--speed", "60"), "--speed goes with --play"),
    ],
)
def test_options_that_do_not_go_together_are_rejected(options: tuple[str, ...], message: str) -> None:
    ended = run("sandbox", "--port", "0", *options)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr
