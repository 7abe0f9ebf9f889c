"""`botdesk bots live`: a table in the terminal that follows the bots."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from botdesk import Records
from botdesk._cli import help_layout, options, output
from botdesk._widgets.bot_table import BotTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from botdesk._widgets.bot_table import Row

_INTERVAL = typer.Option("--interval", metavar="SECONDS", help="The time between polls, at least 1.")
# The heights of a line that is drawn with characters.
_BARS = "▁▂▃▄▅▆▇█"
_WIDTH_OF_LINE = 16


def add_live(app: typer.Typer) -> None:
    """Add `bots live`."""
    app.command("live", help="Show all DCA bots in a table that follows them, until Ctrl-C.", cls=help_layout.Command)(
        run
    )


def run(
    *,
    interval: Annotated[float, _INTERVAL] = 10.0,
    profile: Annotated[str | None, options.PROFILE] = None,
) -> None:
    """Draw the table after each poll. If the output is not a terminal, print it once."""
    dca_bots = options.client(profile).dca_bots
    table = BotTable(dca_bots, interval)
    console = Console()
    if not console.is_terminal:
        output.show(Records(dca_bots.iter()), as_json=False, empty="no bots")
        return
    # Names may contain what rich would read as markup, so every cell is a `Text`.
    with Live(Text("waiting for the first poll"), console=console, auto_refresh=False) as live:
        while True:
            table.poll()
            live.update(_drawn(table), refresh=True)
            Event().wait(table.pause)


def _drawn(table: BotTable) -> Group:
    drawn = Table(box=None, pad_edge=False)
    for column in (*table.columns, "profit over time"):
        drawn.add_column(Text(column), no_wrap=True, overflow="ellipsis")
    for row in table.rows:
        drawn.add_row(*_cells(row), Text(_line(row.profits[-_WIDTH_OF_LINE:])))
    state = Text(f"{len(table.rows)} bots, every {table.pause:g} s; Ctrl-C ends", style="dim")
    return Group(drawn, state, *([Text(table.error, style="red")] if table.error else []))


def _cells(row: Row) -> list[Text]:
    marked = ["reverse" if place in row.changed else "" for place in range(len(row.cells))]
    faint = "dim strike" if row.is_missing else ""
    return [Text(output.one_line(cell), style=style or faint) for cell, style in zip(row.cells, marked, strict=True)]


def _line(profits: Sequence[float]) -> str:
    """Draw values as a line of characters."""
    low, high = min(profits, default=0), max(profits, default=0)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0
    return "".join(_BARS[round((profit - low) * scale)] for profit in profits)
