"""`botdesk profile`: lists, adds and removes profiles, and chooses the default one."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated

import typer

from botdesk import Client, PrivateKey
from botdesk._cli import help_layout, options, output
from botdesk._native import (
    _add_profile,
    _check_profile_name,
    _default_profile,
    _looks_like_key,
    _profiles,
    _profiles_file,
    _remove_profile,
    _set_default_profile,
    _shown_path,
)

# How the core lists a private key that is in the profile itself.
_KEY_IN_PROFILE = "in the profile"
_NO_TERMINAL = "pass an API key with --api-key-stdin"

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
    default = _default_profile()
    if as_json:
        output.show([{**profile, "is_default": profile["name"] == default} for profile in public], as_json=True)
        return
    for profile in public:
        mark = "  (default)" if profile["name"] == default else ""
        cells = (_shown_path(str(value or f"no {name}")) for name, value in profile.items())
        typer.echo("  ".join(cells) + mark)
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
    if _looks_like_key(str(private_key)) and not options.exists(private_key):
        raise typer.BadParameter("--private-key: this looks like a key; pass its path, or use BOTDESK_PRIVATE_KEY")
    api_key = _api_key(from_stdin=api_key_stdin)
    secret = options.ask_hidden("Password of the private key", _NO_TERMINAL) if password else None
    path = private_key.expanduser().absolute()
    # Raises an error for keys that no client can use, before anything is written.
    Client(api_key, PrivateKey.load(path, password=secret), base_url=base_url)
    _add_profile(name, api_key, str(path), base_url, secret)
    if as_json:
        output.show({**_public(name, base_url, str(path)), "file": str(_profiles_file())}, as_json=True)
        return
    output.print_note(f"saved the profile {name} in {_profiles_file()}; use it with --profile {name}")


@app.command("default", cls=help_layout.Command)
def default(
    *,
    name: Annotated[
        str | None,
        typer.Argument(
            help="The name of the profile; without it, the default profile is printed.",
            autocompletion=options.profile_names,
            show_default=False,
        ),
    ] = None,
    unset: Annotated[bool, typer.Option("--unset", help="Have no default profile.")] = False,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Choose the profile that commands use without --profile, BOTDESK_PROFILE and keys in the environment."""
    if name is not None and unset:
        raise typer.BadParameter("--unset goes without a name")
    if name is not None or unset:
        _set_default_profile(name)
        message = "there is no default profile any more" if name is None else f"{name} is the default profile"
        output.print_note(f"{message}; saved in {_profiles_file()}")
    found = _default_profile()
    if as_json:
        output.show({"default": found}, as_json=True)
    elif found is not None and not unset and name is None:
        typer.echo(_shown_path(found))
    elif found is None and not unset:
        output.print_note("there is no default profile; choose one with: botdesk profile default NAME")


@app.command("remove", cls=help_layout.Command)
def remove(
    *,
    name: Annotated[
        str,
        typer.Argument(help="The name of the profile.", autocompletion=options.profile_names, show_default=False),
    ],
    yes: Annotated[bool, options.YES] = False,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Remove a profile with its API key. The file of its private key stays."""
    removed = next((_public(*profile) for profile in _profiles() if profile[0] == name), None)
    was_default = _default_profile() == name
    if removed is not None:
        service = removed["base_url"] or "no base_url"
        what = f"Remove the profile {name} ({service}) and its API key"
        options.confirm(lambda: options.Question(what), yes=yes)
    # For an unknown name, it raises the error that lists the names.
    _remove_profile(name)
    remaining = [profile for profile, *_ in _profiles()]
    if as_json:
        output.show({"removed": removed, "was_default": was_default, "remaining": remaining}, as_json=True)
        return
    output.print_note(f"removed the profile {name} from {_profiles_file()}")
    output.print_note(_fate_of_key(removed["private_key"] if removed else None))
    if was_default:
        output.print_note("it was the default profile; choose another with: botdesk profile default NAME")
    output.print_note(f"profiles that remain: {', '.join(remaining) or 'none'}")


def _fate_of_key(private_key: object) -> str:
    """Say whether the private key of a removed profile was removed too."""
    if private_key == _KEY_IN_PROFILE:
        return "its private key was in the profile and is removed too"
    return f"the file of its private key was not removed: {private_key}" if private_key else "it had no private key"


def _api_key(*, from_stdin: bool) -> str:
    api_key = (sys.stdin.readline() if from_stdin else options.ask_hidden("API key", _NO_TERMINAL)).strip()
    if not api_key:
        raise typer.BadParameter("the API key is empty")
    return api_key


def _public(name: str, base_url: str | None, private_key: str | None) -> dict[str, object]:
    return {"name": name, "base_url": base_url, "private_key": private_key}
