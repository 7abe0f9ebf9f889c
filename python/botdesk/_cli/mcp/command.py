"""`botdesk mcp`: the operations as tools for an agent."""

from __future__ import annotations

import os
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from botdesk import Sandbox
from botdesk._cli import options, output, stop_signals
from botdesk._native import _destination, _profiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from botdesk import Client
    from botdesk._cli.mcp.desk import Desk
    from botdesk._cli.mcp.settings import Settings

T = TypeVar("T")

# If one of these is set, a client is configured, and must not be replaced by the sandbox if it is configured wrongly.
_CONFIGURING = (
    "BOTDESK_API_KEY",
    "BOTDESK_BASE_URL",
    "BOTDESK_PRIVATE_KEY",
    "BOTDESK_PRIVATE_KEY_FILE",
    "BOTDESK_PROFILE",
    "BOTDESK_SECRET",
)
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
    from botdesk._cli.mcp.settings import Settings, accounts_of, bots_of, volumes_of  # noqa: PLC0415 - the package is there

    if allow_dangerous and not allow_writes:
        raise typer.BadParameter("--allow-dangerous only adds to --allow-writes; pass both")
    if token_file is not None and http is None:
        raise typer.BadParameter("--token-file is for --http; pass both")
    settings = Settings(
        writes=allow_writes,
        dangerous=allow_dangerous,
        volumes=_read("--max-volume", volumes_of, max_volume or None),
        accounts=_read("--accounts", accounts_of, accounts),
        bots=_read("--bots", bots_of, bots),
        writes_per_hour=writes_per_hour,
        candles=tuple(candles or ()),
        archive=archive,
        tools=None if tools is None else tuple(name.strip() for name in tools.split(",")),
    )
    with ExitStack() as stack:
        mock = stack.enter_context(Sandbox())
        client, destination = _client(mock, profile, use_sandbox=sandbox)
        desk = _desk(mock, client, destination, settings, audit, state)
        stack.callback(desk.audit.close)
        _serve(desk, http, token_file)


def _client(mock: Sandbox, profile: str | None, *, use_sandbox: bool) -> tuple[Client, str]:
    """Return the client, and what every result says about where its data is from."""
    if use_sandbox and profile is not None:
        raise typer.BadParameter("--sandbox and --profile exclude each other; pass one of them")
    is_configured = profile is not None or any(map(os.environ.get, _CONFIGURING)) or bool(_profiles())
    if use_sandbox or not is_configured:
        reason = "as asked with --sandbox" if use_sandbox else "because there is no profile; run: botdesk init"
        return mock.client(), f"the sandbox, {reason}: invented data, no real money"
    client = options.client(profile)
    mode: Any = options.MODE.get()
    return client, f"{_destination(client)}{'' if mode is None else f', mode {mode}'}"


def _desk(  # noqa: PLR0917 - each is named by its type
    mock: Sandbox, client: Client, destination: str, settings: Settings, audit: Path | None, state: Path | None
) -> Desk:
    from botdesk._cli.mcp.audit import Audit  # noqa: PLC0415 - the package is there
    from botdesk._cli.mcp.catalog import Catalog  # noqa: PLC0415 - the package is there
    from botdesk._cli.mcp.desk import Desk  # noqa: PLC0415 - the package is there
    from botdesk._cli.mcp.schemas import Schemas  # noqa: PLC0415 - the package is there
    from botdesk._cli.mcp.state import State, state_folder  # noqa: PLC0415 - the package is there

    folder = state_folder()
    # The port of a sandbox is another one each time.
    name = destination if not destination.startswith("the sandbox") else "sandbox"
    return Desk(
        client,
        destination,
        # The sandbox has the schemas of all inputs, whichever service is served.
        Catalog(Schemas.of_sandbox(mock)),
        settings,
        audit=Audit((audit or folder / "mcp-audit.jsonl").expanduser(), name),
        state=State((state or folder / "mcp-writes.sqlite").expanduser(), name),
    )


def _serve(desk: Desk, port: int | None, token_file: Path | None) -> None:
    import anyio  # noqa: PLC0415 - the package is there

    from botdesk._cli.mcp import transports  # noqa: PLC0415 - the package is there
    from botdesk._cli.mcp.server import Agents, collect_warnings  # noqa: PLC0415 - the package is there

    try:
        agents = Agents(desk)
    except ValueError as error:
        message = f"--tools: {error}"
        raise typer.BadParameter(message) from error
    server = agents.server()
    collect_warnings()
    if port is None:
        _print_limits(desk)
        stop_signals.exit_at_once(agents.stop)
        anyio.run(transports.serve_stdio, server)
        return
    try:
        token, is_new = transports.token_of(token_file)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    with transports.bind(port) as listening:
        output.print_note(f"botdesk mcp: http://{transports.LOOPBACK}:{listening.getsockname()[1]}/mcp")
        _print_limits(desk)
        if is_new:
            typer.echo(f"token, shown once: {token}", err=True)
        anyio.run(transports.serve_http, server, listening, token)


def _print_limits(desk: Desk) -> None:
    """Print what the server serves, for the person who started it; hosts show it in their logs."""
    for line in (f"serving {desk.destination}", *desk.settings.described()):
        output.print_note(f"botdesk mcp: {line}")


def _read(option: str, read: Callable[[Any], T], given: Any) -> T | None:  # noqa: ANN401
    """Read the value of an option; None if it was not given."""
    if given is None:
        return None
    try:
        return read(given)
    except ValueError as error:
        message = f"{option}: {error}"
        raise typer.BadParameter(message) from error
