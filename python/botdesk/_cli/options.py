"""The options that many commands share, and the client and the confirmation that they control."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from botdesk._cli import output
from botdesk._native import _chosen_client, _profiles, _shown_message
from botdesk.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from botdesk import Client


# The mode of all requests of the command, from the option before its name.
MODE: ContextVar[str | None] = ContextVar("mode", default=None)


def profile_names(incomplete: str) -> list[str]:
    """Return the profiles that the shell may complete to; none if the file can't be read."""
    try:
        return [name for name, *_ in _profiles() if name.startswith(incomplete)]
    except ConfigurationError:
        return []


PROFILE = typer.Option(
    "--profile",
    metavar="NAME",
    help="The profile with the keys and the base URL. Without it: the environment (BOTDESK_API_KEY …), then "
    "BOTDESK_PROFILE, then the default profile.",
    show_default=False,
    autocompletion=profile_names,
)
JSON = typer.Option("--json", help="Print JSON; decimals are strings with every digit.")
CSV = typer.Option("--csv", help="Print CSV; nested fields are JSON.")
YES = typer.Option("--yes", "-y", help="Do not ask for confirmation.")
IDENTIFIER = typer.Argument(metavar="ID", help="The id of the record.", min=0, show_default=False)
IDENTIFIERS = typer.Argument(metavar="ID…", help="The ids of one or more records.", min=0, show_default=False)


def identifier(name: str) -> Any:  # noqa: ANN401 - typer does not export the type
    """Return the argument for one of several ids, such as `order_id`."""
    what = name.removesuffix("_id").replace("_", " ")
    return typer.Argument(metavar=name.upper(), help=f"The id of the {what}.", min=0, show_default=False)


def exists(path: Path) -> bool:
    """Return whether a file exists. What can't be the name of a file, such as a key, does not."""
    try:
        return path.expanduser().exists()
    except (OSError, RuntimeError):
        return False


def client(profile: str | None) -> Client:
    """Return the client of a profile; without a name, that of the environment or of the chosen profile."""
    chosen = _chosen_client(profile)
    mode: Any = MODE.get()
    return chosen if mode is None else chosen.with_options(mode=mode)


def check_terminal(what: str, without_terminal: str) -> None:
    """Raise an error if there is no terminal to ask for something; `without_terminal` says what to do then."""
    if not sys.stdin.isatty():
        raise typer.BadParameter(f"no terminal to ask for: {what}; {without_terminal}")


def ask_hidden(what: str, without_terminal: str) -> str:
    """Ask for a secret, without showing it; `without_terminal` says what to do if there is no terminal."""
    check_terminal(what, without_terminal)
    return str(typer.prompt(what, hide_input=True, err=True))


class Question(NamedTuple):
    """A question before a change: what is asked, where the change goes, and the details, each in a line."""

    what: str
    destination: str = ""
    details: Sequence[str] = ()


def confirm(question: Callable[[], Question], *, yes: bool) -> None:
    """Ask for confirmation of a change, and abort the command unless the reply is yes.

    The question comes first. Below its details, which may be many lines, it is asked again.

    The question is only built if it is asked, because that may take a request.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter("no terminal to confirm this change; pass --yes")
    asked = question()
    # A question is one line too, whatever the names in it are.
    where = f" at {asked.destination}" if asked.destination else ""
    prompt = _shown_message(f"{asked.what}{where}?")
    if asked.details:
        typer.echo(prompt, err=True)
        output.print_details(asked.details)
        prompt = _shown_message(f"{asked.what}?")
    typer.confirm(prompt, abort=True, err=True)
