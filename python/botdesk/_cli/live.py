"""`botdesk bots live`: a table in the terminal that follows the bots."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from botdesk import Records
from botdesk._cli import help_layout, live_table, options, output
from botdesk._widgets.bot_table import BotTable

_INTERVAL = typer.Option("--interval", metavar="SECONDS", help="The time between polls, at least 1.")


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
    """Draw the table after each poll. If the output is not a terminal, print it once.

    A failure of the first poll ends the command, as that of `bots watch` does, and so does an error that no later poll
    can overcome.
    """
    dca_bots = options.client(profile).dca_bots
    table = BotTable(dca_bots, interval)
    console = Console()
    if not console.is_terminal:
        output.show(Records(dca_bots.iter()), as_json=False, empty="no bots")
        return
    with Live(Text("waiting for the first poll"), console=console, auto_refresh=False) as live:
        while True:
            table.poll()
            # Before the first success there is nothing to show, and the key or the URL may be wrong.
            if table.failure is not None and (table.is_stopped or not table.polls):
                raise table.failure
            live.update(live_table.drawn(table, console), refresh=True)
            time.sleep(table.pause)
