"""`botdesk profile`: lists profiles, and adds them."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated

import typer

from botdesk import Client, PrivateKey
from botdesk._cli import help_layout, options, output
from botdesk._native import _add_profile, _check_profile_name, _profiles, _profiles_file

app = typer.Typer(
    name="profile", help="Profiles: saved keys and base URLs.", cls=help_layout.Group, no_args_is_help=True
)


@app.command("list", cls=help_layout.Command)
def list_(
    *,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """List the profiles, without their keys."""
    public = [_public(*profile) for profile in _profiles()]
    if as_json:
        output.show(public, as_json=True)
        return
    for profile in public:
        typer.echo("  ".join(str(value) for value in profile.values()))
    if not public:
        output.print_note(f"no profiles in {_profiles_file()}; add one with: botdesk profile add NAME")


@app.command("add", cls=help_layout.Command)
def add(
    *,
    name: Annotated[str, typer.Argument(help="The name: letters, digits, - and _.", show_default=False)],
    private_key: Annotated[
        Path, typer.Option(help="The file of the private key; it is not copied.", show_default=False)
    ],
    base_url: Annotated[str, typer.Option(help="The base URL, https://api.3commas.io.", show_default=False)],
    api_key_stdin: Annotated[
        bool, typer.Option("--api-key-stdin", help="Read the API key from standard input.")
    ] = False,
    password: Annotated[
        bool, typer.Option("--password", help="Ask for the password of the private key, and save it.")
    ] = False,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Add a profile. The command asks for the API key, to keep it out of the shell history."""
    # Before a secret is asked for.
    _check_profile_name(name)
    api_key = _api_key(from_stdin=api_key_stdin)
    secret = _ask_hidden("Password of the private key") if password else None
    path = private_key.expanduser().absolute()
    # Raises an error for keys that no client can use, before anything is written.
    Client(api_key, PrivateKey.load(path, password=secret), base_url=base_url)
    _add_profile(name, api_key, str(path), base_url, secret)
    if as_json:
        output.show({**_public(name, base_url, str(path)), "file": str(_profiles_file())}, as_json=True)
        return
    output.print_note(f"saved the profile {name} in {_profiles_file()}; use it with --profile {name}")


def _api_key(*, from_stdin: bool) -> str:
    api_key = (sys.stdin.readline() if from_stdin else _ask_hidden("API key")).strip()
    if not api_key:
        raise typer.BadParameter("the API key is empty")
    return api_key


def _ask_hidden(what: str) -> str:
    if not sys.stdin.isatty():
        raise typer.BadParameter(f"no terminal to ask for: {what}; pass an API key with --api-key-stdin")
    return str(typer.prompt(what, hide_input=True, err=True))


def _public(name: str, base_url: str | None, private_key: str | None) -> dict[str, object]:
    return {"name": name, "base_url": base_url, "private_key": private_key}
