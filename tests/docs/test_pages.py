"""The code on the pages works: every Python block, and the shell blocks that are marked `<!-- run -->`.

A block with prompts is a doctest, including its output; one without is run. The blocks of a page are one session, in
which `client` is a client of a sandbox. The shell blocks run in a folder with a key, with the credentials of a sandbox
in the environment.
"""

from __future__ import annotations

import ast
import asyncio
import doctest
import inspect
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Generator

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
# Most tables of real records have decimals that are rounded, which warns.
pytestmark = pytest.mark.filterwarnings("ignore:some decimals do not fit the table")

# A code fence, its language, and its content.
PYTHON = re.compile(r"(?ms)^```python\n(.*?)^```")
SHELL = re.compile(r"(?ms)^<!-- run -->\n```sh\n(.*?)^```")
# Seconds; longer than any call takes unless it hangs.
PATIENCE = 300


def with_blocks(kind: re.Pattern[str]) -> pytest.MarkDecorator:
    """Return the pages that have such blocks."""
    pages = [page for page in PAGES if kind.search(page.read_text("utf-8"))]
    return pytest.mark.parametrize("page", pages, ids=[page.name for page in pages])


@pytest.fixture
def sandbox() -> Generator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox


@with_blocks(PYTHON)
def test_the_python_of_a_page_works(
    page: Path, sandbox: botdesk.Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text("utf-8")
    session: dict[str, Any] = {"client": sandbox.client(), "__name__": page.stem}
    for block in PYTHON.finditer(text):
        line = text.count("\n", 0, block.start(1))
        if ">>>" in block[1]:
            examine(block[1], session, page, line)
        else:
            run(block[1], session, page, line)


def examine(block: str, session: dict[str, Any], page: Path, line: int) -> None:
    """Run the examples of a block and compare what they show."""
    examples = doctest.DocTestParser().get_doctest(block, session, page.name, str(page), line)
    # The next block continues the session.
    examples.globs = session
    output = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    result = runner.run(examples, out=output.write, clear_globs=False)
    assert result.attempted > 0
    assert result.failed == 0, output.getvalue()


def run(block: str, session: dict[str, Any], page: Path, line: int) -> None:
    """Run a block; it may await, as it may in a notebook."""
    code = compile("\n" * line + block, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    done = eval(code, session)  # noqa: S307 - the pages are ours
    if inspect.iscoroutine(done):
        asyncio.run(done)


@pytest.mark.skipif(sys.platform == "win32", reason="the pages speak to a POSIX shell")
@with_blocks(SHELL)
def test_the_shell_of_a_page_works(page: Path, sandbox: botdesk.Sandbox, private_key: str, tmp_path: Path) -> None:
    (tmp_path / "private.pem").touch(mode=0o600)
    (tmp_path / "private.pem").write_text(private_key)
    access = {
        "BOTDESK_API_KEY": sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem),
        "BOTDESK_PRIVATE_KEY_FILE": str(tmp_path / "private.pem"),
        "BOTDESK_BASE_URL": sandbox.url,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    done = subprocess.run(
        ["sh", "-euc", "\n".join(SHELL.findall(page.read_text("utf-8")))],
        cwd=tmp_path,
        env={**os.environ, **access},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
