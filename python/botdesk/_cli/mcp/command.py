"""`botdesk mcp`: the operations as tools for an agent."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated

import typer

from botdesk._cli import options

_LIMITS = "Limits"
_HTTP = "HTTP"


def run(
    *,
    profile: Annotated[str | None, options.PROFILE] = None,
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Serve a sandbox, with invented data, even if there is a profile.")
    ] = False,
    allow_writes: Annotated[
        bool,
        typer.Option(
            "--allow-writes",
            help="Allow changes: each is previewed, and applied with a token that is valid once, for a minute.",
            rich_help_panel=_LIMITS,
        ),
    ] = False,
    allow_dangerous: Annotated[
        bool,
        typer.Option(
            "--allow-dangerous",
            help="With --allow-writes, allow expensive and irreversible changes too, such as closing a deal.",
            rich_help_panel=_LIMITS,
        ),
    ] = False,
    max_volume: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VOLUME",
            help="The most volume that the changes of an hour may add: 100 (in US dollars) or '0.01 BTC'; once for "
            "each currency.",
            rich_help_panel=_LIMITS,
            show_default=False,
        ),
    ] = None,
    accounts: Annotated[
        str | None,
        typer.Option(
            metavar="ID,…",
            help="The accounts that may be read and changed; all by default.",
            rich_help_panel=_LIMITS,
            show_default=False,
        ),
    ] = None,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="ID,…",
            help="The bots that may be read and changed: 41 for a DCA bot, grid:204 for a grid bot; all by default.",
            rich_help_panel=_LIMITS,
            show_default=False,
        ),
    ] = None,
    writes_per_hour: Annotated[
        int, typer.Option(metavar="N", min=1, help="The most changes in an hour.", rich_help_panel=_LIMITS)
    ] = 20,
    candles: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder whose files of candles backtests may read; repeatable.",
            file_okay=False,
            exists=True,
            show_default=False,
        ),
    ] = None,
    archive: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The archive that reports are made from.", exists=True, show_default=False),
    ] = None,
    tools: Annotated[
        str | None,
        typer.Option(
            metavar="all|NAME,…",
            help="all for a tool of each operation, or the names of the tools; by default one for each resource.",
            show_default=False,
        ),
    ] = None,
    audit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The log of all calls; mcp-audit.jsonl in the state folder by default.",
            show_default=False,
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The count of changes; mcp-writes.sqlite in the state folder by default.",
            rich_help_panel=_LIMITS,
            show_default=False,
        ),
    ] = None,
    http: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            min=0,
            max=65_535,
            help="Serve over HTTP on the loopback interface instead of standard input and output; 0 selects a port.",
            rich_help_panel=_HTTP,
            show_default=False,
        ),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file with the token of HTTP; by default BOTDESK_MCP_TOKEN, or a new one, which is printed once.",
            rich_help_panel=_HTTP,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve the operations as tools for an agent (Model Context Protocol); reads only, unless told otherwise."""
    if find_spec("mcp") is None:
        raise typer.BadParameter("botdesk mcp needs the package mcp; install with: pip install 'botdesk[mcp]'")
    if allow_dangerous and not allow_writes:
        raise typer.BadParameter("--allow-dangerous only adds to --allow-writes; pass both")
    if token_file is not None and http is None:
        raise typer.BadParameter("--token-file is for --http; pass both")
    if sandbox and profile is not None:
        raise typer.BadParameter("--sandbox and --profile exclude each other; pass one of them")
    from botdesk._cli.mcp import starting  # noqa: PLC0415 - no other command needs its packages

    settings = starting.settings_of(
        {"--max-volume": max_volume or None, "--accounts": accounts, "--bots": bots},
        writes=allow_writes,
        dangerous=allow_dangerous,
        writes_per_hour=writes_per_hour,
        candles=tuple(candles or ()),
        archive=archive,
        tools=None if tools is None else tuple(name.strip() for name in tools.split(",")),
    )
    with starting.opened(settings, profile, audit, state, use_sandbox=sandbox) as desk:
        starting.serve(desk, http, token_file)
