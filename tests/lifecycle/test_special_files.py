"""Files that are pipes, devices or directories: they are refused, or read so that Ctrl-C ends the wait."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from .conftest import Scripts

if sys.platform == "win32":
    pytest.skip("Windows has no named pipes in folders", allow_module_level=True)

# Each reads the file `path`, and must neither wait for a writer nor read without an end.
READS = {
    "profiles": """
        os.makedirs(folder + "/botdesk")
        os.symlink(path, folder + "/botdesk/profiles.toml")
        os.environ["XDG_CONFIG_HOME"] = folder
        botdesk.Client.from_profile("demo")
    """,
    "ca_file": """
        key = botdesk.PrivateKey.generate(bits=2048)
        botdesk.Client("k", key, base_url="https://x.invalid", ca_file=path)
    """,
    "cassette": "botdesk.Replay(path)",
    "sandbox": "botdesk.Sandbox(state=path)",
    "watch": "botdesk.Sandbox().client().dca_bots.watch(since=pathlib.Path(path))",
}

READ = """
    import os
    import pathlib
    import sys
    import textwrap
    import botdesk
    code, folder, path = {code!r}, {folder!r}, {path!r}
    try:
        exec(textwrap.dedent(code))
    except botdesk.BotdeskError as error:
        print(error)
"""


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Make a named pipe."""
    path = tmp_path / "pipe"
    os.mkfifo(path, 0o600)
    return path


@pytest.mark.parametrize("read", READS)
def test_a_named_pipe_is_rejected_before_it_is_opened(read: str, scripts: Scripts, pipe: Path, tmp_path: Path) -> None:
    child = scripts.start_bare(READ.format(code=READS[read], folder=str(tmp_path / "folder"), path=str(pipe)))
    assert "it is a named pipe, not a regular file" in child.output()


@pytest.mark.parametrize("read", READS)
def test_an_endless_device_is_rejected(read: str, scripts: Scripts, tmp_path: Path) -> None:
    child = scripts.start_bare(READ.format(code=READS[read], folder=str(tmp_path / "folder"), path="/dev/zero"))
    assert "it is a device, not a regular file" in child.output()


class TestPrivateKey:
    @pytest.mark.parametrize("kind", [str, Path])
    def test_a_key_is_read_from_a_pipe(
        self, kind: type[str | Path], scripts: Scripts, pipe: Path, private_key: str
    ) -> None:
        child = scripts.start_bare(f"""
            from pathlib import Path
            import botdesk
            print(botdesk.PrivateKey.load({kind.__name__}({str(pipe)!r})).fingerprint)
        """)
        pipe.write_text(private_key)
        assert child.output() == botdesk.PrivateKey.load(private_key).fingerprint

    def test_ctrl_c_ends_the_wait_for_a_pipe_and_other_threads_run(self, scripts: Scripts, pipe: Path) -> None:
        child = scripts.start_bare(f"""
            import pathlib
            import sys
            import threading
            import botdesk
            threading.Thread(target=lambda: print(sys.stdin.readline().strip(), flush=True), daemon=True).start()
            try:
                botdesk.PrivateKey.load(pathlib.Path({str(pipe)!r}))
            except KeyboardInterrupt:
                print("interrupted")
        """)
        # It is opened once the script reads it.
        with pipe.open("wb"):
            child.send_line("runs")
            assert child.read_line() == "runs"
            child.interrupt()
            assert child.output() == "interrupted"

    @pytest.mark.parametrize("kind", [str, Path])
    def test_a_folder_is_named_as_such(self, kind: type[str | Path], tmp_path: Path) -> None:
        with pytest.raises(botdesk.ConfigurationError, match="can't be read: it is a directory"):
            botdesk.PrivateKey.load(kind(tmp_path))

    def test_a_device_without_an_end_is_not_read_for_ever(self) -> None:
        with pytest.raises(botdesk.ConfigurationError, match="can't be read: it has 1048576 bytes or more"):
            botdesk.PrivateKey.load(Path("/dev/zero"))
