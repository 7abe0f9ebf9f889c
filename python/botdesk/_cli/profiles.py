"""`botdesk profile`: the file of the profiles; what stands in it already stays as it is."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated, cast

import typer

from botdesk import Client, PrivateKey
from botdesk._cli import options, output
from botdesk._cli.profiles_file import profiles, read
from botdesk._native import _is_key_file, _profiles_file, _write_profiles
from botdesk.errors import ConfigurationError

app = typer.Typer(name="profile", help="Profiles: keys and an address under a name.", no_args_is_help=True)

# A name that needs no quotes, in the file as in a shell.
_NAME = re.compile(r"[A-Za-z0-9_-]+")


@app.command("list")
def list_(
    *,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """List the profiles, without their keys."""
    entries = profiles(read()).items()
    shown = [_shown(name, cast("dict[str, object]", entry)) for name, entry in entries if isinstance(entry, dict)]
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
    if not _NAME.fullmatch(name):
        raise typer.BadParameter("the name of a profile is made of letters, digits, - and _")
    text = read()
    if name in profiles(text):
        raise typer.BadParameter(f"there is a profile {name!r} in {_profiles_file()} already; choose another name")
    api_key = _api_key(from_stdin=api_key_stdin)
    secret = _hidden("Password of the private key") if password else None
    path = private_key.expanduser().absolute()
    # Nothing is written that no client could be made of.
    Client(api_key, PrivateKey.load(path, password=secret), base_url=base_url)
    settings = {"api_key": api_key, "private_key": str(path), "base_url": base_url}
    _write(text, name, settings if secret is None else {**settings, "password": secret})
    if as_json:
        output.show({**_shown(name, dict(settings)), "file": str(_profiles_file())}, as_json=True)
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


def _shown(name: str, profile: dict[str, object]) -> dict[str, object]:
    location = _location(profile.get("private_key"))
    return {"name": name, "base_url": profile.get("base_url"), "private_key": location}


def _location(private_key: object) -> str | None:
    """Give the path of a key; a key that stands in the profile itself is not shown."""
    if not isinstance(private_key, str):
        return None
    return private_key if _is_key_file(private_key) else "in the profile"


def _write(text: str, name: str, settings: dict[str, str]) -> None:
    """Put a profile behind the text, in a file that takes the place of the old one at once."""
    lines = [f"[{name}]", *(f"{key} = {_quoted(value)}" for key, value in settings.items())]
    added = "\n".join(lines) + "\n"
    separated = text if not text or text.endswith("\n") else f"{text}\n"
    whole = f"{separated}\n{added}" if separated else added
    if profiles(whole).get(name) != settings:
        raise ConfigurationError(f"a profile can't be added to {_profiles_file()} as it is; write it there by hand")
    folder = _profiles_file().parent
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ConfigurationError(f"{folder} can't be created: {error.strerror}") from error
    _write_profiles(whole)


def _quoted(value: str) -> str:
    # The escapes of JSON are escapes of TOML as well, but for DEL, which JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
