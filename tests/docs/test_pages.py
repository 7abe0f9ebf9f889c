"""The code in the pages works: every block of Python, and the shell blocks that are marked `<!-- run -->`.

A block with prompts is a doctest; other blocks are run. The blocks of a page share one session, which is empty at the
start, so that a reader can paste them. The shell blocks run in a folder with a key, with the credentials of a
sandbox in the environment.
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
from typing import Any

import pytest

import botdesk

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
# Most tables of realistic records contain decimals that are rounded, which warns.
pytestmark = pytest.mark.filterwarnings("ignore:some decimals do not fit the table")

PYTHON = re.compile(r"(?ms)^```python\n(.*?)^```")
SHELL = re.compile(r"(?ms)^<!-- run -->\n```sh\n(.*?)^```")
# Seconds; longer than anything takes that does not hang.
TIMEOUT = 300


def with_blocks(kind: re.Pattern[str]) -> pytest.MarkDecorator:
    """Parametrise a test with the pages that contain such blocks."""
    pages = [page for page in PAGES if kind.search(page.read_text("utf-8"))]
    return pytest.mark.parametrize("page", pages, ids=[page.name for page in pages])


@with_blocks(PYTHON)
def test_the_python_of_a_page_works(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text("utf-8")
    session: dict[str, Any] = {"__name__": page.stem}
    for block in PYTHON.finditer(text):
        line = text.count("\n", 0, block.start(1))
        if ">>>" in block[1]:
            run_doctest(block[1], session, page, line)
        else:
            run(block[1], session, page, line)


def run_doctest(block: str, session: dict[str, Any], page: Path, line: int) -> None:
    """Run a block as a doctest."""
    examples = doctest.DocTestParser().get_doctest(block, session, page.name, str(page), line)
    # `DocTest` copies the session; the next block needs the original.
    examples.globs = session
    report = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    result = runner.run(examples, out=report.write, clear_globs=False)
    assert result.attempted > 0
    assert result.failed == 0, report.getvalue()


def run(block: str, session: dict[str, Any], page: Path, line: int) -> None:
    """Run a block; it may use `await` at the top level, as in a notebook."""
    code = compile("\n" * line + block, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    coroutine = eval(code, session)  # noqa: S307 - the pages are ours
    if inspect.iscoroutine(coroutine):
        asyncio.run(coroutine)


def test_the_comment_in_the_readme_is_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = PYTHON.findall((ROOT / "README.md").read_text("utf-8"))
    (comment,) = re.findall(r"print\(.*\)  # (.*)", block)
    run(block, {}, ROOT / "README.md", 0)
    assert capsys.readouterr().out == f"{comment}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="the pages speak to a POSIX shell")
@with_blocks(SHELL)
def test_the_shell_of_a_page_works(page: Path, sandbox: botdesk.Sandbox, private_key: str, tmp_path: Path) -> None:
    (tmp_path / "private.pem").touch(mode=0o600)
    (tmp_path / "private.pem").write_text(private_key)
    credentials = {
        "BOTDESK_API_KEY": sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem),
        "BOTDESK_PRIVATE_KEY_FILE": str(tmp_path / "private.pem"),
        "BOTDESK_BASE_URL": sandbox.url,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    process = subprocess.run(
        ["sh", "-euc", "\n".join(SHELL.findall(page.read_text("utf-8")))],
        cwd=tmp_path,
        env={**os.environ, **credentials},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert "Traceback" not in process.stderr
