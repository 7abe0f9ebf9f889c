"""`botdesk bots live` and the like: a table in the terminal that follows the records of a list."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Annotated

import typer

from botdesk import Records
from botdesk._cli import help_layout, options, output
from botdesk._cli.operations import Operation
from botdesk._widgets.record_table import RecordTable

if TYPE_CHECKING:
    from rich.console import Console

    from botdesk import StreamEvent

_INTERVAL = typer.Option("--interval", metavar="SECONDS", help="The time between polls, at least 1.")


def add_live(app: typer.Typer, resource: str) -> None:
    """Add the command that shows the records of a resource."""
    live = Operation(f"{resource}.list", "live")
    # "Show all DCA bots in a notebook as …"
    several = live.about.removeprefix("Show ").partition(" in a notebook")[0]

    def run(
        *,
        interval: Annotated[float, _INTERVAL] = 10.0,
        profile: Annotated[str | None, options.PROFILE] = None,
    ) -> None:
        # To import rich takes longer than many commands.
        from rich.console import Console  # noqa: PLC0415

        records = live.of(options.client(profile))
        table = RecordTable(records, resource, interval)
        console = Console()
        if console.is_terminal:
            _follow(table, console)
        else:
            output.show(Records(table.all()), as_json=False, empty=f"no {table.several}")

    about = f"Show {several} in a table that follows them, until Ctrl-C."
    app.command("live", help=about, cls=help_layout.Command)(run)


def _follow(table: RecordTable, console: Console) -> None:
    """Draw the table after each poll, and after each event that the service sends.

    A failure of the first poll ends the command, as that of `bots watch` does, and so does an error that no later poll
    can overcome.
    """
    from rich.live import Live  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from botdesk._cli import live_table  # noqa: PLC0415

    waiting: SimpleQueue[StreamEvent | None] = SimpleQueue()
    follower = None
    with Live(Text("waiting for the first poll"), console=console, auto_refresh=False) as live:
        while True:
            table.poll()
            # Before the first success there is nothing to show, and the key or the URL may be wrong.
            if table.failure is not None and (table.is_stopped or not table.polls):
                raise table.failure
            follower = follower or table.follow(waiting.put)
            live.update(live_table.drawn(table, console), refresh=True)
            with suppress(Empty):
                while table.wait:
                    table.take(waiting.get(timeout=table.wait))
                    live.update(live_table.drawn(table, console), refresh=True)
