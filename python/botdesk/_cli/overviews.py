"""`botdesk overview`: one view of accounts, balances, bots, deals and profits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from botdesk._cli import options, output
from botdesk._service_time import LAST_ERRORS
from botdesk.errors import BotdeskError, PlanRestrictedError

if TYPE_CHECKING:
    from botdesk import Client

_WATCH = typer.Option("--watch", help="Read it again and again, until Ctrl-C.")
_EVERY = typer.Option("--every", metavar="SECONDS", min=10, help="The time between two reads.")
# What the next read would get as well.
_FINAL = (*LAST_ERRORS, PlanRestrictedError)


def run(
    *,
    watch: Annotated[bool, _WATCH] = False,
    every: Annotated[float, _EVERY] = 60,
    profile: Annotated[str | None, options.PROFILE] = None,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Show accounts, balances, bots, deals and profits in one view."""
    if watch and as_json:
        raise typer.BadParameter("--watch and --json exclude each other; pass one of them")
    client = options.client(profile)
    view = client.overview()
    if as_json:
        output.show(view.to_dict(), as_json=True)
    elif not watch:
        output.print_lines(str(view))
    else:
        _follow(client, str(view), every)


def _follow(client: Client, view: str, every: float) -> None:
    # Only `--watch` needs rich, which takes long to import.
    from rich.console import Console  # noqa: PLC0415
    from rich.live import Live  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    with Live(Text(view), console=Console(), auto_refresh=False) as live:
        while True:
            time.sleep(every)
            live.update(Text(_next(client, view)), refresh=True)


def _next(client: Client, before: str) -> str:
    """Return the next view, or the error below the one before; the next read may succeed."""
    try:
        return str(client.overview())
    except _FINAL:
        raise
    except BotdeskError as error:
        return f"{before}\n\n{output.one_line(str(error))}"
