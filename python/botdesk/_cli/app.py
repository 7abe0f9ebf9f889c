"""The commands, and the output of their errors."""

from __future__ import annotations

import errno
import os
import re
import sys
import warnings
from functools import cache
from typing import TYPE_CHECKING, Annotated, TextIO, cast

import typer

from botdesk import __version__
from botdesk._cli import (
    archives,
    backtests,
    candles,
    doctor,
    exit_codes,
    help_layout,
    init,
    keys,
    options,
    output,
    overviews,
    profiles,
    requests,
    sandbox,
    stop_signals,
    sweeps,
)
from botdesk._cli.commands import Commands, Settings
from botdesk._cli.mcp import command as mcp_command
from botdesk._native import _shown_path
from botdesk.errors import BotdeskError

if TYPE_CHECKING:
    from collections.abc import Callable

# The base class of typer's errors about arguments; typer does not export it.
_UsageError = cast("type[Exception]", typer.BadParameter.__mro__[2])

# The number of standard output.
_STDOUT = 1
# An argument in the message of an error about it.
_QUOTED = re.compile("'([^']*)'")

_ABOUT = "Manage trading bots at 3Commas."

# The commands that are unlike the rows of their operations.
_UNLIKE = {
    "accounts.load_balances": Settings(prompt="Load the balances of {}", takes_one=True),
    "accounts.networks_info": Settings("networks"),
    # The deposit address is a secret elsewhere; this command is there to show it.
    "accounts.deposit_data": Settings("deposit", shows_secrets=True),
    "accounts.leverage_data": Settings("leverage"),
    "dca_bots.cancel_all_deals": Settings("cancel-deals", prompt="Cancel all deals of {}"),
    "dca_bots.close_all_deals": Settings("close-deals"),
    "grid_bots.set_note": Settings("note"),
    "smart_trades.reduce_funds_info": Settings("reduce-funds"),
    # Its word has been that of the reading operation since before there was a write.
    "smart_trades.reduce_funds": Settings("sell-part"),
    "smart_trades.set_note": Settings("note"),
}

app = typer.Typer(
    name="botdesk",
    help=_ABOUT,
    epilog=exit_codes.EPILOG,
    cls=help_layout.Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Its tables cut off long names; see `help_layout`.
    rich_markup_mode=None,
)


def _print_version(show: bool) -> None:  # noqa: FBT001 - typer calls it
    if show:
        typer.echo(f"botdesk {__version__}")
        raise typer.Exit


@app.callback(help=_ABOUT)
def _options(
    *,
    version: Annotated[  # noqa: ARG001 - its callback handles it
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="MODE",
            envvar="BOTDESK_MODE",
            show_envvar=False,
            help="paper or real: show only accounts of this kind; before the command. With paper, a change to a real "
            "account is not sent.",
            show_default=False,
        ),
    ] = None,
) -> None:
    options.MODE.set(mode)


app.command("init", cls=help_layout.Command)(init.run)
app.command("doctor", cls=help_layout.Command)(doctor.run)
app.command("overview", cls=help_layout.Command)(overviews.run)
app.command("sandbox", cls=help_layout.Command)(sandbox.run)
app.command("mcp", cls=help_layout.Command)(mcp_command.run)
app.add_typer(keys.app)
app.add_typer(profiles.app)
app.add_typer(archives.app)
app.add_typer(candles.app)

commands = Commands(app, _UNLIKE)
_bots = commands.group("dca_bots", "bots", "DCA bots.")
# In the order of the help.
for _name in ("dca_bots.list", "dca_bots.get", "dca_bots.edit"):
    commands.add(_name)
_bots.add(backtests.add)
commands.add_followers("dca_bots")
commands.group("deals", about="Deals of DCA bots.")
commands.group("grid_bots", "grid", "Grid bots.")
commands.group("accounts", about="Exchange accounts.")
commands.group("smart_trades", about="SmartTrades.")
sweeps.add(app)
commands.add_missing()
commands.add_missing_followers()

app.command("sign", cls=help_layout.Command)(requests.sign)
app.command("request", cls=help_layout.Command)(requests.request)
app.command("record", cls=help_layout.Command)(requests.record)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; print errors and warnings in one line each."""
    if sys.stdout is None:
        sys.stdout = _closed_output()
    try:
        with warnings.catch_warnings(), stop_signals.raised() as stop:
            warnings.showwarning = _print_warning
            try:
                code = _run(arguments)
            except KeyboardInterrupt:
                code = exit_codes.INTERRUPTED
            if code == exit_codes.INTERRUPTED:
                stop.report()
                return stop.exit_code
            return code
    except SystemExit as exit_:
        # typer exits this way if the reader of the output has closed it.
        if not isinstance(exit_.__context__, BrokenPipeError):
            raise
        _discard_output()
        return 0
    except BrokenPipeError:
        # A command prints at its end, so everything was done before the reader closed the output.
        _discard_output()
        return 0
    except OSError as error:
        # An error with a file name is not about the output, and so does not mean that the command succeeded.
        if error.filename is not None:
            output.print_error(f"{_shown_path(os.fsdecode(error.filename))}: {error.strerror}")
            return exit_codes.FAILED
        _discard_output()
        reason = "standard output is closed" if error.errno == errno.EBADF else error.strerror or error
        output.print_error(f"the command succeeded, but its output could not be written: {reason}")
        return exit_codes.NO_OUTPUT


def _closed_output() -> TextIO:
    """Return an output whose writes fail, for one that the shell has closed: Python would drop them without an error.

    It also takes the place of the closed file, so that no connection gets the number of standard output.
    """
    nowhere = os.open(os.devnull, os.O_RDONLY)
    if nowhere != _STDOUT:
        os.dup2(nowhere, _STDOUT)
        os.close(nowhere)
    return open(_STDOUT, "w", encoding="utf-8", closefd=False)


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    output.print_error(f"warning: {message}")


def _discard_output() -> None:
    """Redirect standard output to nowhere, because Python would report the same error again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), _STDOUT)


@cache
def _command() -> Callable[..., object]:
    """Return the application; to put it together takes longer than most commands."""
    return typer.main.get_command(app)


def _run(arguments: list[str] | None) -> int:
    try:
        code: object = _command()(arguments, prog_name="botdesk", standalone_mode=False)
        sys.stdout.flush()
    except BotdeskError as error:
        # The error names the argument of the method.
        output.print_error(str(error).replace("validate=False sends", "edit --no-validate sends"))
        return exit_codes.of_error(error)
    except typer.Abort:
        output.print_error("cancelled; nothing was sent")
        return exit_codes.FAILED
    except _UsageError as error:
        return _print_usage_error(error)
    return code if isinstance(code, int) else 0


def _print_usage_error(error: BaseException) -> int:
    message = str(getattr(error, "format_message", lambda: error)())
    context = getattr(error, "ctx", None)
    if context and message == context.get_help():
        # A group without a command shows its help.
        typer.echo(message, err=True)
    # Older versions of typer have printed the help, and the error has no message.
    elif message:
        hint = f"; see: {context.command_path} --help" if context else ""
        message = _QUOTED.sub(lambda quoted: f"'{_shown_path(quoted[1])}'", message)
        output.print_error(f"{message.rstrip('.')}{hint}")
    return exit_codes.USAGE
