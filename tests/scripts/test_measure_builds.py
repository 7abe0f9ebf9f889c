"""The script that measures builds: its edits apply to the source, and its table shows the measurements."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import measure_builds
import pytest
from measure_builds import EDITS, ROOT, ROWS, Edit

if TYPE_CHECKING:
    from pathlib import Path

CONTRIBUTING = ROOT / "CONTRIBUTING.md"


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edit_changes_or_adds_one_line(edit: Edit, tmp_path: Path) -> None:
    before = (ROOT / edit.file).read_text("utf-8")
    copy = tmp_path / edit.file
    copy.parent.mkdir(parents=True)
    copy.write_text(before, "utf-8")
    edit.apply(tmp_path)
    lines = before.splitlines()
    assert len([line for line in copy.read_text("utf-8").splitlines() if line not in lines]) == 1


def test_an_edit_that_no_longer_fits_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "lib.rs").write_text("", "utf-8")
    with pytest.raises(ValueError, match=r"lib\.rs: found no line to edit"):
        Edit("lib.rs", re.compile("fn"), "").apply(tmp_path)


@pytest.mark.parametrize(("seconds", "written"), [(8.6, "9 s"), (59.4, "59 s"), (59.6, "1:00"), (256.2, "4:16")])
def test_a_duration_is_written_in_seconds_or_minutes(seconds: float, written: str) -> None:
    assert measure_builds.duration(seconds) == written


def test_the_table_has_the_measured_rows_in_their_order() -> None:
    assert measure_builds.table({"bridge": 20.0, "quickstart": 250.0}) == (
        "| | measured |\n|---|---|\n"
        "| `./scripts/quickstart`, bare clone | 4:10 |\n"
        "| `just build` after an edit of the bridge | 20 s |\n"
    )


def test_contributing_has_the_rows_of_the_table() -> None:
    text = CONTRIBUTING.read_text("utf-8")
    assert [row.title for row in ROWS.values() if f"| {row.title} |" not in text] == []


def test_an_unknown_row_is_rejected_with_those_there_are() -> None:
    command = [sys.executable, measure_builds.__file__, "bridges"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no row is named bridges; the rows are quickstart, pip, ci" in done.stderr
