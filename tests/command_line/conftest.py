"""Fixtures that run the command line inside this process, against a sandbox."""

from __future__ import annotations

import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import botdesk
from botdesk._cli.app import run

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path


COLUMNS = ("timestamp", "open", "high", "low", "close")


def write_candles(path: Path, rows: Sequence[Sequence[object]]) -> str:
    """Write a CSV file of candles, and return its path."""
    path.write_text("\n".join([",".join(COLUMNS), *(",".join(map(str, row)) for row in rows)]))
    return str(path)


class Ended(NamedTuple):
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        """Return the output, parsed as JSON."""
        return json.loads(self.out)


class Terminal(io.StringIO):
    """A terminal at which a user types these answers."""

    def isatty(self) -> bool:
        """Return that it is a terminal."""
        return True


@pytest.fixture
def sandbox() -> Generator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        yield sandbox


@pytest.fixture
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder for configuration, in an environment without keys."""
    for name in ("API_KEY", "PRIVATE_KEY", "PRIVATE_KEY_FILE", "PRIVATE_KEY_PASSWORD", "SECRET", "BASE_URL", "PROFILE"):
        monkeypatch.delenv(f"BOTDESK_{name}", raising=False)
    folder = tmp_path / "configuration"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return folder


@pytest.fixture
def profiles(configuration: Path) -> Path:
    """Return the path of the file of profiles."""
    return configuration / "botdesk" / "profiles.toml"


@pytest.fixture
def key_file(tmp_path: Path, private_key: str) -> str:
    """Return the path of a file with a private key that other users cannot read."""
    path = tmp_path / "private.pem"
    path.touch(mode=0o600)
    path.write_text(private_key)
    return str(path)


@pytest.fixture
def command(
    configuration: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ended]:
    """Return a function that runs a command; it has a terminal only if answers are given."""
    del configuration
    monkeypatch.setenv("COLUMNS", "120")

    def command(*arguments: str, answers: str | None = None, stdin: str = "") -> Ended:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin) if answers is None else Terminal(answers))
        code = run(list(arguments))
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return command


@pytest.fixture
def desk(
    command: Callable[..., Ended], sandbox: botdesk.Sandbox, private_key: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ended]:
    """Return a function that runs a command with the credentials and the URL of a sandbox in the environment."""
    key = botdesk.PrivateKey.load(private_key)
    monkeypatch.setenv("BOTDESK_API_KEY", sandbox.add_key(key.public_key_pem))
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY", private_key)
    monkeypatch.setenv("BOTDESK_BASE_URL", sandbox.url)
    return command


@pytest.fixture
def fixed_response(desk: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes], None]]:
    """Return a function that sets the body of the responses to all requests of the command."""
    del desk
    body = [b""]

    class Responses(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body[0])))
            self.end_headers()
            self.wfile.write(body[0])

        def do_POST(self) -> None:
            self.do_GET()

        def do_PATCH(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Responses) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("BOTDESK_BASE_URL", f"http://127.0.0.1:{server.server_port}")
        yield lambda content: body.__setitem__(0, content)
        server.shutdown()
        thread.join(30)
