"""The start of `botdesk mcp`: the client, the files, and the transport."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import anyio
import typer

from botdesk import Sandbox
from botdesk._cli import options, output, stop_signals
from botdesk._cli.mcp import transports
from botdesk._cli.mcp.audit import Audit
from botdesk._cli.mcp.catalog import Catalog
from botdesk._cli.mcp.desk import Desk
from botdesk._cli.mcp.refused import RefusedError
from botdesk._cli.mcp.schemas import Schemas
from botdesk._cli.mcp.server import Agents, collect_warnings
from botdesk._cli.mcp.settings import Settings, accounts_of, bots_of, volumes_of
from botdesk._cli.mcp.state import State, state_folder
from botdesk._native import _destination, _profiles

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

    from botdesk import Client

# If one of these is set, a client is configured, and must not be replaced by the sandbox if it is configured wrongly.
_CONFIGURING = (
    "BOTDESK_API_KEY",
    "BOTDESK_BASE_URL",
    "BOTDESK_PRIVATE_KEY",
    "BOTDESK_PRIVATE_KEY_FILE",
    "BOTDESK_PROFILE",
    "BOTDESK_SECRET",
)
_SANDBOX = "the sandbox"


def settings_of(limits: Mapping[str, Any], **others: Any) -> Settings:  # noqa: ANN401
    """Return the settings, with the limits that are read from the values of options; None for an option without one."""
    read = {
        "volumes": _read("--max-volume", volumes_of, limits),
        "accounts": _read("--accounts", accounts_of, limits),
        "bots": _read("--bots", bots_of, limits),
    }
    return Settings(**read, **others)


@contextmanager
def opened(
    settings: Settings, profile: str | None, audit: Path | None, state: Path | None, *, use_sandbox: bool
) -> Generator[Desk]:
    """Open the client, the log and the count of writes."""
    with ExitStack() as stack:
        mock = stack.enter_context(Sandbox())
        # The sandbox has the schemas of all inputs, whichever service is served.
        catalog = Catalog(Schemas.of_sandbox(mock))
        client, destination = _client(mock, profile, use_sandbox=use_sandbox)
        # A sandbox has another port each time.
        name = _SANDBOX if destination.startswith(_SANDBOX) else destination
        if name is not _SANDBOX:
            stack.close()
        log = Audit((audit or state_folder() / "mcp-audit.jsonl").expanduser(), name)
        stack.callback(log.close)
        try:
            count = State((state or state_folder() / "mcp-writes.sqlite").expanduser(), name)
        except RefusedError as error:
            raise typer.BadParameter(str(error)) from error
        yield Desk(client, destination, catalog, settings, audit=log, state=count)


def serve(desk: Desk, port: int | None, token_file: Path | None) -> None:
    """Serve over HTTP if there is a port, and else over standard input and output."""
    try:
        agents = Agents(desk)
    except ValueError as error:
        message = f"--tools: {error}"
        raise typer.BadParameter(message) from error
    collect_warnings()
    if port is not None:
        _serve_http(agents, desk, port, token_file)
        return
    _print_limits(desk)
    stop_signals.exit_at_once(agents.stop)
    anyio.run(transports.serve_stdio, agents.server())


def _serve_http(agents: Agents, desk: Desk, port: int, token_file: Path | None) -> None:
    try:
        token, is_new = transports.token_of(token_file)
        listening = transports.bind(port)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    except OSError as error:
        message = f"--http: port {port}: {os.strerror(error.errno or 0)}; pass another port, or 0 for a free one"
        raise typer.BadParameter(message) from error
    with listening:
        output.print_note(f"botdesk mcp: http://{transports.LOOPBACK}:{listening.getsockname()[1]}/mcp")
        _print_limits(desk)
        if is_new:
            typer.echo(f"token, shown once: {token}", err=True)
        anyio.run(transports.serve_http, agents.server(), listening, token)


def _client(mock: Sandbox, profile: str | None, *, use_sandbox: bool) -> tuple[Client, str]:
    """Return the client, and what every result says about where its data is from."""
    is_configured = profile is not None or any(map(os.environ.get, _CONFIGURING)) or bool(_profiles())
    if use_sandbox or not is_configured:
        reason = "as asked with --sandbox" if use_sandbox else "because there is no profile; run: botdesk init"
        return mock.client(), f"{_SANDBOX}, {reason}: invented data, no real money"
    client = options.client(profile)
    mode: Any = options.MODE.get()
    return client, f"{_destination(client)}{'' if mode is None else f', mode {mode}'}"


def _print_limits(desk: Desk) -> None:
    """Print what the server serves, for the person who started it; hosts show it in their logs."""
    for line in (f"serving {desk.destination}", *desk.settings.described()):
        output.print_note(f"botdesk mcp: {line}")


def _read(option: str, read: Callable[[Any], object], given: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Read the value of an option; None if it was not given."""
    if given[option] is None:
        return None
    try:
        return read(given[option])
    except ValueError as error:
        message = f"{option}: {error}"
        raise typer.BadParameter(message) from error
