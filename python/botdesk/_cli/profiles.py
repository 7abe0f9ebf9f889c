"""`botdesk profile`: lists profiles, and adds them to their file without changing the rest of it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated, cast

import typer

from botdesk import Client, PrivateKey
from botdesk._cli import help_layout, options, output
from botdesk._cli.profile_file import parse, read
from botdesk._native import _is_key_file, _profiles_file, _write_profiles
from botdesk.errors import ConfigurationError

app = typer.Typer(
    name="profile", help="Profiles: saved keys and base URLs.", cls=help_layout.Group, no_args_is_help=True
)

# Needs no quotes, neither in TOML nor in a shell.
_NAME = re.compile(r"[A-Za-z0-9_-]+")


@app.command("list", cls=help_layout.Command)
def list_(
    *,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """List the profiles, without their keys."""
    entries = parse(read()).items()
    public = [_public(name, cast("dict[str, object]", entry)) for name, entry in entries if isinstance(entry, dict)]
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
    if not _NAME.fullmatch(name):
        raise typer.BadParameter(f"{name!r} is not a profile name; use letters, digits, - and _")
    content = read()
    if name in parse(content):
        raise typer.BadParameter(f"the profile {name!r} already exists in {_profiles_file()}; choose another name")
    api_key = _api_key(from_stdin=api_key_stdin)
    secret = _ask_hidden("Password of the private key") if password else None
    path = private_key.expanduser().absolute()
    # Raises an error for keys that no client can use, before anything is written.
    Client(api_key, PrivateKey.load(path, password=secret), base_url=base_url)
    settings = {"api_key": api_key, "private_key": str(path), "base_url": base_url}
    _write(content, name, settings if secret is None else {**settings, "password": secret})
    if as_json:
        output.show({**_public(name, dict(settings)), "file": str(_profiles_file())}, as_json=True)
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


def _public(name: str, profile: dict[str, object]) -> dict[str, object]:
    location = _location(profile.get("private_key"))
    return {"name": name, "base_url": profile.get("base_url"), "private_key": location}


def _location(private_key: object) -> str | None:
    """Return the path of the private key; a key in the profile itself is not shown."""
    if not isinstance(private_key, str):
        return None
    return private_key if _is_key_file(private_key) else "in the profile"


def _write(content: str, name: str, settings: dict[str, str]) -> None:
    """Append a profile to the content, and replace the file atomically."""
    lines = [f"[{name}]", *(f"{key} = {_quoted(value)}" for key, value in settings.items())]
    added = "\n".join(lines) + "\n"
    separated = content if not content or content.endswith("\n") else f"{content}\n"
    whole = f"{separated}\n{added}" if separated else added
    if parse(whole).get(name) != settings:
        raise ConfigurationError(f"the profile can't be appended to {_profiles_file()}; add it by hand")
    folder = _profiles_file().parent
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ConfigurationError(f"{folder} can't be created: {error.strerror}") from error
    _write_profiles(whole)


def _quoted(value: str) -> str:
    # TOML has the escapes of JSON, and needs one for DEL too.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
