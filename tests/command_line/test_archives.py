"""`botdesk archive`: sync, report, export and sql."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Ended


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of an archive after its first sync."""
    path = tmp_path_factory.mktemp("kept") / "desk.sqlite"
    with botdesk.Sandbox() as sandbox, botdesk.Archive(path) as archive:
        archive.sync(sandbox.client())
    return str(path)


def test_a_sync_prints_what_is_new_and_a_second_one_finds_nothing(desk: Callable[..., Ended], tmp_path: Path) -> None:
    path = str(tmp_path / "desk.sqlite")
    assert desk("archive", "sync", path, "--json").json["counts"]["deals"]["new"] > 0
    ended = desk("archive", "sync", path)
    assert re.search(r"^deals +0 +0 +0$", ended.out, re.MULTILINE)
    assert ended.out.endswith("5 requests\n")


def test_a_report_has_the_same_total_by_anything_and_prints_every_row(command: Callable[..., Ended], kept: str) -> None:
    rows = {by: command("archive", "report", kept, "--by", by, "--json").json for by in ("day", "month", "bot", "pair")}
    with localcontext(prec=100):
        totals = {sum(Decimal(row["profit_usd"]) for row in found) for found in rows.values()}
    assert len(totals) == 1
    lines = command("archive", "report", kept, "--by", "day").out.splitlines()
    assert len(lines) == len(rows["day"]) + 1
    printed = csv.DictReader(io.StringIO(command("archive", "report", kept, "--by", "pair", "--csv").out))
    assert [row["profit_usd"] for row in printed] == [row["profit_usd"] for row in rows["pair"]]


def test_funds_in_use_are_by_day(command: Callable[..., Ended], kept: str) -> None:
    with botdesk.Archive(kept) as archive:
        expected = [{**row, "most": format(row["most"], "f")} for row in archive.funds_in_use()]
    assert command("archive", "report", kept, "--funds", "--json").json == expected
    assert command("archive", "report", kept, "--funds", "--year", "2026").code == 2


def test_an_export_says_how_many_rows_it_wrote(command: Callable[..., Ended], kept: str, tmp_path: Path) -> None:
    target = tmp_path / "tax.csv"
    ended = command("archive", "export", kept, str(target))
    rows = len(list(csv.DictReader(io.StringIO(target.read_text("utf-8")))))
    assert rows > 0
    assert ended.out == f"{rows} rows written to {target}\n"


def test_a_query_is_run_and_changes_nothing(command: Callable[..., Ended], kept: str) -> None:
    assert command("archive", "sql", kept, "select 1 as one", "--json").json == [{"one": 1}]
    ended = command("archive", "sql", kept, "delete from deals")
    assert (ended.code, "only reads" in ended.err) == (2, True)


def test_a_path_without_an_archive_is_an_error_that_creates_nothing(
    command: Callable[..., Ended], tmp_path: Path
) -> None:
    path = tmp_path / "desk.sqlit"
    ended = command("archive", "report", str(path))
    assert (ended.code, path.exists()) == (2, False)
    assert f"create it: botdesk archive sync {path}" in ended.err
