"""The examples run. The notebooks are committed without output, because the build of the pages runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Seconds; longer than any call takes unless it hangs.
PATIENCE = 300


@pytest.mark.parametrize("example", sorted(path.name for path in (ROOT / "examples").glob("*.py")))
def test_an_example_runs(example: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / example)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Exception ignored" not in done.stderr
    assert "never awaited" not in done.stderr
    assert done.stdout


@pytest.mark.parametrize("notebook", sorted(path.name for path in (ROOT / "docs" / "notebooks").glob("*.ipynb")))
def test_a_notebook_is_kept_without_what_it_shows(notebook: str) -> None:
    cells = json.loads((ROOT / "docs" / "notebooks" / notebook).read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 3
    assert [cell["source"] for cell in code if cell["outputs"] or cell["execution_count"]] == []
