"""`botdesk profile`: lists profiles and adds them."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated

import typer

from botdesk import Client, PrivateKey
from botdesk._cli import options, output
from botdesk._native import _add_profile, _check_profile_name, _profiles, _profiles_file

app = typer.Typer(name="profile", help="Profiles: keys and an address under a name.", no_args_is_help=True)


@app.command("list")
def list_(
    *,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """List the profiles, without their keys."""
    shown = [_shown(*profile) for profile in _profiles()]
    if as_json:
        output.show(shown, as_json=True)
        return
    for profile in shown:
        typer.echo("  ".join(str(value) for value in profile.values()))
    if not shown:
        output.tell(f"there is no profile in {_profiles_file()}; botdesk profile add NAME makes one")


@app.command("add")
def add(
    *,
    name: Annotated[str, typer.Argument(help="What to call it: letters, digits, - and _.", show_default=False)],
    private_key: Annotated[
        Path, typer.Option(help="The file of the private key; it stays where it is.", show_default=False)
    ],
    base_url: Annotated[str, typer.Option(help="The address of the service, https://….", show_default=False)],
    api_key_stdin: Annotated[
        bool, typer.Option("--api-key-stdin", help="Read the API key from the standard input, and do not ask for it.")
    ] = False,
    password: Annotated[
        bool, typer.Option("--password", help="The private key has a password: ask for it, and keep it as well.")
    ] = False,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Add a profile. The API key is asked for, so that it stands in no history of a shell."""
    # Before a secret is asked for.
    _check_profile_name(name)
    api_key = _api_key(from_stdin=api_key_stdin)
    secret = _hidden("Password of the private key") if password else None
    path = private_key.expanduser().absolute()
    # Nothing is written that no client could be made of.
    Client(api_key, PrivateKey.load(path, password=secret), base_url=base_url)
    _add_profile(name, api_key, str(path), base_url, secret)
    if as_json:
        output.show({**_shown(name, base_url, str(path)), "file": str(_profiles_file())}, as_json=True)
        return
    output.tell(f"the profile {name} is in {_profiles_file()}; use it with --profile {name}")


def _api_key(*, from_stdin: bool) -> str:
    api_key = (sys.stdin.readline() if from_stdin else _hidden("API key")).strip()
    if not api_key:
        raise typer.BadParameter("the API key is empty")
    return api_key


def _hidden(what: str) -> str:
    if not sys.stdin.isatty():
        raise typer.BadParameter(f"nobody is there to be asked: {what}; an API key is read with --api-key-stdin")
    return str(typer.prompt(what, hide_input=True, err=True))


def _shown(name: str, base_url: str | None, private_key: str | None) -> dict[str, object]:
    return {"name": name, "base_url": base_url, "private_key": private_key}
