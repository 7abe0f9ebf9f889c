"""The commands, and how their errors are shown."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, cast

import typer

from botdesk import __version__
from botdesk._cli import bots, edits, exits, keys, operations, output, profiles, requests, sandbox, watching
from botdesk.errors import BotdeskError

# What typer raises for a wrong command line; it has no name of its own there.
_WrongUsage = cast("type[Exception]", typer.BadParameter.__mro__[2])

app = typer.Typer(
    name="botdesk",
    help="A desk for automated trading bots.",
    epilog=exits.EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:  # noqa: FBT001 - typer calls it
    if asked:
        typer.echo(f"botdesk {__version__}")
        raise typer.Exit


@app.callback()
def _every(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it and end.")
    ] = False,
) -> None:
    """A desk for automated trading bots."""


def _group(name: str, about: str) -> typer.Typer:
    group = typer.Typer(name=name, help=about, no_args_is_help=True)
    # A group of one command keeps the command's name.
    group.callback()(lambda: None)
    app.add_typer(group)
    return group


app.command("sandbox")(sandbox.run)
app.add_typer(keys.app)
app.add_typer(profiles.app)

_bots = _group("bots", "DCA bots.")
bots.add_list(_bots)
operations.add(_bots, "show", "dca_bots.get")
bots.add_edit(_bots)
watching.add_watch(_bots)
bots.add_many(_bots, "disable", "dca_bots.disable")
bots.add_many(_bots, "cancel-deals", "dca_bots.cancel_all_deals")

_grid = _group("grid", "Grid bots.")
edits.add_grid(_grid)
operations.add(_grid, "note", "grid_bots.set_note")
operations.add(_grid, "enable", "grid_bots.enable")

_accounts = _group("accounts", "Exchange accounts.")
operations.add(_accounts, "rename", "accounts.rename")
operations.add(_accounts, "load-balances", "accounts.load_balances")
operations.add(_accounts, "networks", "accounts.networks_info")
# The address is a secret elsewhere; here it is what was asked for.
operations.add(_accounts, "deposit", "accounts.deposit_data", secrets=True)
operations.add(_accounts, "leverage", "accounts.leverage_data")

_smart_trades = _group("smart-trades", "SmartTrades.")
operations.add(_smart_trades, "reduce-funds", "smart_trades.reduce_funds_info")

app.command("sign")(requests.sign)
app.command("request")(requests.request)
app.command("record")(requests.record)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; an error or a warning is printed in one line."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            return _run(arguments)
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except SystemExit as ended:
        # So typer ends where whoever reads the output has closed it.
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        _silence()
        return 0
    except BrokenPipeError:
        # Whoever read the output has seen enough, and what was to be done is done: a command prints at its end.
        _silence()
        return 0
    except OSError as error:
        # What names a file is no failure to print, so nothing says that anything was done.
        if error.filename is not None:
            raise
        _silence()
        output.complain(f"it was done, but what came of it can't be printed: {error.strerror or error}")
        return exits.UNSHOWN


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    output.complain(f"warning: {message}")


def _silence() -> None:
    """Print nothing more; Python would complain once more while it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _run(arguments: list[str] | None) -> int:
    try:
        code = app(arguments, prog_name="botdesk", standalone_mode=False)
        # There is none where the shell has closed it.
        if sys.stdout:
            sys.stdout.flush()
    except BotdeskError as error:
        output.complain(str(error))
        return exits.code(error)
    except typer.Abort:
        output.complain("nothing was sent")
        return exits.REFUSED
    except _WrongUsage as error:
        return _told(error)
    return code if isinstance(code, int) else 0


def _told(error: BaseException) -> int:
    message = str(getattr(error, "format_message", lambda: error)())
    # Without a message, its help was shown.
    if message:
        context = getattr(error, "ctx", None)
        seek = f"; see: {context.command_path} --help" if context else ""
        output.complain(f"{message.rstrip('.')}{seek}")
    return exits.USAGE
