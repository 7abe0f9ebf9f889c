"""Files that botdesk writes and reads: only regular files are replaced, and only the owner can read a private key."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
import warnings
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import botdesk
from botdesk._cli.app import run
from botdesk.errors import BotdeskError, ConfigurationError

if sys.platform == "win32":
    pytest.skip("modes, named pipes and /dev are of POSIX", allow_module_level=True)

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[Path], object]


@pytest.fixture
def dump(sandbox: botdesk.Sandbox) -> Write:
    """Write the state of a sandbox."""
    return sandbox.dump


@pytest.fixture
def record(sandbox: botdesk.Sandbox) -> Write:
    """Record a request."""
    client = sandbox.client()

    def record(path: Path) -> None:
        with botdesk.record(path, client, overwrite=True):
            client.dca_bots.get(41)

    return record


@pytest.fixture
def save(sandbox: botdesk.Sandbox) -> Write:
    """Write the state of a watch."""
    watch = sandbox.client().dca_bots.watch()
    watch.poll()
    return watch.save


@pytest.fixture
def add_profile(
    monkeypatch: pytest.MonkeyPatch, key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Write:
    """Add a profile to the file of profiles at the end of the path."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    monkeypatch.setattr("sys.stdin", io.StringIO("an-api-key\n" * 10))
    profiles = tmp_path / "configuration" / "botdesk" / "profiles.toml"
    profiles.parent.mkdir(parents=True)

    def add(path: Path) -> None:
        profiles.unlink(missing_ok=True)
        profiles.symlink_to(path)
        command = [
            "profile",
            "add",
            "demo",
            "--private-key",
            str(key_file),
            "--base-url",
            "https://service.example",
            "--api-key-stdin",
        ]
        if run(command) != 0:
            stderr = capsys.readouterr().err
            raise ConfigurationError(stderr.replace(str(profiles), f"{profiles} to {path}"))
        assert profiles.is_symlink()

    return add


@pytest.fixture(params=["dump", "record", "save", "add_profile"])
def write(request: pytest.FixtureRequest) -> Write:
    """Return each function that replaces a file."""
    made: Write = request.getfixturevalue(request.param)
    return made


def make_directory(path: Path) -> None:
    path.mkdir()


def make_socket(path: Path) -> None:
    # The path of a socket is short, so its name is relative.
    before = Path.cwd()
    os.chdir(path.parent)
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(path.name)
    os.chdir(before)


SPECIAL: dict[str, Callable[[Path], None]] = {
    "a directory": make_directory,
    "a named pipe": os.mkfifo,
    "a socket": make_socket,
}


@pytest.fixture(params=SPECIAL)
def special(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """Make something that is not a file, and return what it is."""
    path = tmp_path / "special"
    SPECIAL[request.param](path)
    return path, request.param


def inode(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_ino, found.st_mode


class TestReplaced:
    @pytest.mark.shows("promise files that are replaced")
    def test_a_value_that_is_not_a_file_is_kept_and_named(self, write: Write, special: tuple[Path, str]) -> None:
        path, what = special
        before = inode(path)
        with pytest.raises(BotdeskError, match=f"it is {what}, and only a regular file can be replaced") as caught:
            write(path)
        assert str(path) in str(caught.value)
        assert inode(path) == before

    def test_the_target_of_a_link_is_checked(self, write: Write, special: tuple[Path, str], tmp_path: Path) -> None:
        path, what = special
        link = tmp_path / "link"
        link.symlink_to(path)
        with pytest.raises(BotdeskError, match=f"it is {what}, "):
            write(link)
        assert link.is_symlink()

    @pytest.mark.shows("promise files that are replaced")
    @pytest.mark.parametrize("there", [True, False], ids=["a file", "nothing"])
    def test_a_link_stays_and_leads_to_the_new_file(self, write: Write, tmp_path: Path, *, there: bool) -> None:
        target, link = tmp_path / "target", tmp_path / "link"
        if there:
            target.write_text("# before")
        link.symlink_to(target.name)
        write(link)
        assert link.is_symlink()
        assert target.read_text() not in ("", "# before")
        assert target.stat().st_mode & 0o777 == 0o600

    def test_a_private_key_replaces_nothing(self, special: tuple[Path, str], private_key: str) -> None:
        path, what = special
        before = inode(path)
        with pytest.raises(ConfigurationError, match=f"{path}: it is {what}, "):
            botdesk.PrivateKey.load(private_key).save(path)
        assert inode(path) == before

    @pytest.mark.parametrize("overwrite", [True, False])
    def test_a_recording_is_rejected_before_any_request(
        self, special: tuple[Path, str], sandbox: botdesk.Sandbox, *, overwrite: bool
    ) -> None:
        path, what = special
        with pytest.raises(botdesk.RecordingError, match=f"it is {what}, "):
            botdesk.record(path, sandbox.client(), overwrite=overwrite).__enter__()
        assert sandbox.requests == []

    def test_a_device_is_rejected_before_a_recording_begins(self, sandbox: botdesk.Sandbox) -> None:
        with pytest.raises(botdesk.RecordingError, match="/dev/null can't be written: it is a device, "):
            botdesk.record("/dev/null", sandbox.client(), overwrite=True).__enter__()


@pytest.fixture
def load(key_file: Path, private_key: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], object]]:
    """Return the ways to load a key file, in a directory whose name needs quotes in a shell."""
    del private_key
    folder = key_file.parent / "it's a directory"
    folder.mkdir()
    path = key_file.rename(folder / key_file.name)
    monkeypatch.setenv("BOTDESK_API_KEY", "an-api-key")
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY_FILE", str(path))
    monkeypatch.setenv("BOTDESK_BASE_URL", "https://service.example")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    profiles = folder / "botdesk" / "profiles.toml"
    profiles.parent.mkdir()
    profiles.touch(mode=0o600)
    profiles.write_text("[demo]\napi_key='k'\nprivate_key='../private.pem'\nbase_url='https://service.example'\n")
    return {
        "PrivateKey.load": lambda: botdesk.PrivateKey.load(path),
        "Client": lambda: botdesk.Client("an-api-key", path, base_url="https://service.example"),
        "Client.from_env": botdesk.Client.from_env,
        "Client.from_profile": lambda: botdesk.Client.from_profile("demo"),
    }


LOADED = ["PrivateKey.load", "Client", "Client.from_env", "Client.from_profile"]


@pytest.fixture
def shared(load: object, key_file: Path) -> Path:
    """Return a key file that others can read."""
    del load
    path = key_file.parent / "it's a directory" / key_file.name
    path.chmod(0o644)
    return path


class TestSharedKeys:
    @pytest.mark.shows("promise shared private keys")
    @pytest.mark.parametrize("way", LOADED)
    def test_a_key_that_others_can_read_is_loaded_with_a_warning(
        self, way: str, load: dict[str, Callable[[], object]], shared: Path
    ) -> None:
        with pytest.warns(UserWarning, match="can be read by other users of this machine; run: chmod 600 ") as warned:
            assert load[way]()
        (warning,) = warned
        assert warning.filename == __file__
        subprocess.run(
            ["sh", "-c", str(warning.message).partition("run: ")[2]], check=True, cwd=shared.parent / "botdesk"
        )
        assert shared.stat().st_mode & 0o777 == 0o600
        assert load[way]()

    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
    def test_every_access_of_others_counts(
        self, mode: int, load: dict[str, Callable[[], object]], shared: Path
    ) -> None:
        shared.chmod(mode)
        with pytest.warns(UserWarning, match="chmod 600"):
            load["Client"]()

    def test_a_warning_comes_once_for_a_line(self, load: dict[str, Callable[[], object]], shared: Path) -> None:
        del shared
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("default")
            for _ in range(3):
                load["Client.from_env"]()
        assert len(warned) == 1

    def test_a_warning_may_be_an_error(self, load: dict[str, Callable[[], object]], shared: Path) -> None:
        del shared
        with pytest.raises(UserWarning, match="chmod 600"):
            load["PrivateKey.load"]()

    def test_a_pipe_has_no_readers_to_warn_of(self, private_key: str) -> None:
        reader, writer = os.pipe()
        with closing(os.fdopen(writer, "w")) as stream:
            stream.write(private_key)
        assert botdesk.PrivateKey.load(Path(f"/dev/fd/{reader}")).fingerprint
        os.close(reader)

    def test_the_command_line_prints_it_in_one_line(
        self, shared: Path, capsys: pytest.CaptureFixture[str], load: object
    ) -> None:
        del load
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            assert run(["sign", "GET", "/ver1/bots"]) == 0
        stderr = capsys.readouterr().err
        assert (
            stderr
            == f"botdesk: warning: the private key {shared} can be read by other users of this machine; run: "
            + (stderr.partition("run: ")[2])
        )
        assert stderr.count("\n") == 1
