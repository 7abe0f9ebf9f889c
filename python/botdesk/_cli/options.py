"""The options that many commands have, and what they stand for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from botdesk import Client
from botdesk._native import _profiles
from botdesk.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable


def _profile_names(incomplete: str) -> list[str]:
    """Give the names of profiles that begin so, for the shell to complete; none where the file can't be read."""
    try:
        return [name for name, *_ in _profiles() if name.startswith(incomplete)]
    except ConfigurationError:
        return []


PROFILE = typer.Option(
    "--profile",
    metavar="NAME",
    help="The profile with the keys and the address; if left out, the environment has them (BOTDESK_API_KEY …).",
    show_default=False,
    autocompletion=_profile_names,
)
JSON = typer.Option("--json", help="Print JSON; decimals are texts with every digit.")
YES = typer.Option("--yes", "-y", help="Do not ask before something is changed.")
IDENTIFIER = typer.Argument(metavar="ID", help="Its identifier.", min=0, show_default=False)
IDENTIFIERS = typer.Argument(metavar="ID…", help="Its identifier, or those of several.", min=0, show_default=False)


def client(profile: str | None) -> Client:
    """Make the client that a command asks with."""
    return Client.from_env() if profile is None else Client.from_profile(profile)


def ask(question: Callable[[], str], *, yes: bool) -> None:
    """Ask before something is changed; no answer but yes lets the command go on.

    The question is put together only where it is asked: it may take a request.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter("something would be changed and nobody is there to be asked; --yes goes on unasked")
    typer.confirm(question(), abort=True, err=True)
