"""Tables in terminals of several widths: what does not fit is left out and named."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")

BOTS = ["-m", "botdesk", "bots", "list"]
IN_PYTHON = ["-c", "import botdesk; print(botdesk.Client.from_env().dca_bots.list())"]


@pytest.fixture
def sandbox() -> Generator[botdesk.Sandbox]:
    """Run a sandbox with ordinary values."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment without keys."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BOTDESK_")}
    kept.pop("COLUMNS", None)
    return {**kept, "XDG_CONFIG_HOME": str(tmp_path)}


@pytest.fixture
def account(environment: dict[str, str], sandbox: botdesk.Sandbox, private_key: str) -> dict[str, str]:
    """Return an environment with the keys of a sandbox."""
    keys = {
        "BOTDESK_API_KEY": sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem),
        "BOTDESK_PRIVATE_KEY": private_key,
        "BOTDESK_BASE_URL": sandbox.url,
    }
    return {**environment, **keys}


def in_terminal(arguments: list[str], width: int, environment: dict[str, str]) -> list[str]:
    """Run Python with a pseudo-terminal of this width as its output, and return the lines."""
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    received = b""
    try:
        while piece := os.read(ours, 65_536):
            received += piece
    except OSError:
        # Linux reports the end of a pseudo-terminal as an error.
        pass
    os.close(ours)
    assert process.wait(60) == 0, received.decode()
    return received.decode().splitlines()


@pytest.mark.parametrize("arguments", [BOTS, IN_PYTHON], ids=["command line", "print"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_list_of_bots_fits(arguments: list[str], width: int, account: dict[str, str]) -> None:
    lines = in_terminal(arguments, width, account)
    table = [line for line in lines if not line.startswith("! ")]
    assert max(map(len, table)) <= width
    # What a bot is and what it has earned is shown in any of them.
    assert any(line.split()[:1] == ["id"] and "name" in line for line in table)
    assert any("41" in line and "Steady ETH long" in line and "42.18" in line for line in table)
    hidden = [line for line in lines if "hidden" in line]
    assert len(hidden) == (width < 120)
    assert all("pairs" in line and line.endswith("a wider terminal shows more") for line in hidden)


@pytest.mark.parametrize("arguments", [BOTS, IN_PYTHON], ids=["command line", "print"])
def test_a_pipe_gets_every_column(arguments: list[str], account: dict[str, str]) -> None:
    environment = {**account, "COLUMNS": "60"}
    out = subprocess.run(
        [sys.executable, *arguments], env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert "pairs" in out.splitlines()[0]
    assert "hidden" not in out


def test_columns_that_the_user_chose_are_not_left_out(account: dict[str, str]) -> None:
    wanted = "import botdesk; botdesk.display(columns=20); print(botdesk.Client.from_env().dca_bots.list())"
    lines = in_terminal(["-c", wanted], 60, account)
    assert "finished_deals_profit_usd" in lines[0]
