"""The drawing of `botdesk bots live` in terminals of several sizes."""

from __future__ import annotations

import io
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from botdesk._cli import live_table
from botdesk._widgets.record_table import RecordTable

if TYPE_CHECKING:
    import botdesk


@pytest.fixture
def table(sandbox: botdesk.Sandbox) -> RecordTable:
    table = RecordTable(sandbox.client().with_options(retries=0).dca_bots, "dca_bots", 10)
    table.poll()
    return table


def lines(table: RecordTable, width: int, height: int = 100) -> list[str]:
    """Return the lines that a terminal shows."""
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=width, height=height)
    with console.capture() as capture:
        console.print(live_table.drawn(table, console))
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200, 500])
def test_every_width_shows_which_bot_it_is(table: RecordTable, width: int) -> None:
    shown = lines(table, width)
    assert max(map(len, shown)) <= width
    starts = [line.split()[:2] for line in shown]
    for row in table.rows:
        assert row.cells[:2] in starts


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_profits_are_shown_with_two_decimal_places(table: RecordTable, width: int) -> None:
    place = table.columns.index("finished_deals_profit_usd")
    shown = lines(table, width)
    for row in table.rows:
        (line,) = [line for line in shown if line.split()[:2] == row.cells[:2]]
        assert row.shown[place] in line.split()
        if row.cells[place] != "-" and abs(profit := Decimal(row.cells[place])) >= 1:
            assert row.shown[place] == f"{profit:.2f}"


def test_a_narrow_terminal_counts_the_hidden_columns(table: RecordTable) -> None:
    assert "columns are hidden" in " ".join(lines(table, 80)[:2])
    assert "hidden" not in " ".join(lines(table, 500)[:2])


@pytest.mark.parametrize("height", [10, 12, 14])
def test_a_low_terminal_shows_the_error_and_counts_the_hidden_bots(
    table: RecordTable, sandbox: botdesk.Sandbox, height: int
) -> None:
    sandbox.faults.add("dca_bots.list", kind="status", status=501)
    table.poll()
    shown = lines(table, 80, height)
    assert len(shown) <= height
    assert "501" in " ".join(shown[:5])
    listed = sum(line.split()[:2] in [row.cells[:2] for row in table.rows] for line in shown)
    assert shown[-1] == f"… {len(table.rows) - listed} more; a taller terminal shows them"


def test_numbers_are_aligned_to_the_right(table: RecordTable) -> None:
    shown = lines(table, 500)
    place = table.columns.index("active_deals_count")
    ends: set[int] = set()
    for row in table.rows:
        (line,) = [line for line in shown if line.split()[:2] == row.cells[:2]]
        pairs = row.cells[table.columns.index("pairs")]
        start = line.index(pairs) + len(pairs)
        found = line.index(row.cells[place], start)
        ends.add(found + len(row.cells[place]))
    assert len(ends) == 1


def test_an_account_without_bots_has_a_head(sandbox: botdesk.Sandbox) -> None:
    table = RecordTable(sandbox.client().dca_bots, "dca_bots", 10)
    assert any(line.split()[:1] == ["id"] for line in lines(table, 80))


def test_the_last_line_has_the_totals(table: RecordTable) -> None:
    for width in (80, 200):
        last = lines(table, width)[-1].split()
        assert last[0] == "all"
        assert table.totals[table.columns.index("finished_deals_profit_usd")] in last


def test_a_narrow_terminal_shortens_the_pairs_before_the_name(table: RecordTable) -> None:
    shown = "\n".join(lines(table, 130))
    names = [row.cells[table.columns.index("name")] for row in table.rows]
    pairs = [row.cells[table.columns.index("pairs")] for row in table.rows]
    assert all(name in shown for name in names)
    assert not all(pair in shown for pair in pairs)
