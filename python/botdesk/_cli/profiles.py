"""`botdesk profile`: lists, adds and removes profiles, and chooses the default one."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated, NamedTuple

import typer

from botdesk import Client, PrivateKey
from botdesk._cli import help_layout, options, output
from botdesk._native import (
    _PUBLISHED_BASE_URL,
    _add_profile,
    _add_secret_profile,
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
        has_secret = profile.pop("has_secret", False)
        cells = [_shown_path(str(value or f"no {name}")) for name, value in profile.items()]
        typer.echo("  ".join([*cells[:-1], "secret in the profile" if has_secret else cells[-1]]) + mark)
    if not public:
        output.print_note(f"no profiles in {_profiles_file()}; add one with: botdesk init, or botdesk profile add NAME")


@app.command("add", cls=help_layout.Command)
def add(
    *,
    name: Annotated[str, typer.Argument(help="The name: letters, digits, - and _.", show_default=False)],
    private_key: Annotated[
        Path | None,
        typer.Option(help="The file of the private key of a self-generated key; it is not copied.", show_default=False),
    ] = None,
    secret: Annotated[
        bool, typer.Option("--secret", help="Ask for the secret of a system-generated key, and save it.")
    ] = False,
    base_url: Annotated[str, typer.Option(help="The base URL.")] = _PUBLISHED_BASE_URL,
    api_key_stdin: Annotated[
        bool,
        typer.Option(
            "--api-key-stdin",
            help="Read the API key from standard input, and with --secret the secret from the line after it.",
        ),
    ] = False,
    password: Annotated[
        bool, typer.Option("--password", help="Ask for the password of the private key, and save it.")
    ] = False,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Add a profile. The command asks for the API key and the secret, to keep them out of the shell history."""
    # Before a secret is asked for.
    _check_profile_name(name)
    if secret == (private_key is not None):
        raise typer.BadParameter(
            "pass one of --secret, for a system-generated key, and --private-key, for a self-generated one"
        )
    if secret and password:
        raise typer.BadParameter("--password goes with --private-key; a secret has no password")
    key: SecretOfProfile | PrivateKeyOfProfile
    if private_key is None:
        key = SecretOfProfile(_ask("API key", from_stdin=api_key_stdin), _ask("secret", from_stdin=api_key_stdin))
    else:
        check_path(private_key)
        api_key = _ask("API key", from_stdin=api_key_stdin)
        word = options.ask_hidden("Password of the private key", _NO_TERMINAL) if password else None
        key = PrivateKeyOfProfile(api_key, private_key.expanduser().absolute(), word)
    # Raises an error for keys that no client can use, before anything is written.
    key.client(base_url)
    key.save(name, base_url)
    if as_json:
        output.show({**key.public(name, base_url), "file": str(_profiles_file())}, as_json=True)
        return
    output.print_note(f"saved the profile {name} in {_profiles_file()}; use it with --profile {name}")


class SecretOfProfile(NamedTuple):
    """A system-generated key for a profile."""

    api_key: str
    secret: str

    def client(self, base_url: str) -> Client:
        """Return a client with the key."""
        return Client(self.api_key, secret=self.secret, base_url=base_url)

    def save(self, name: str, base_url: str) -> None:
        """Add a profile with the key."""
        _add_secret_profile(name, self.api_key, self.secret, base_url)

    def public(self, name: str, base_url: str) -> dict[str, object]:
        """Return the profile without its secrets."""
        return _public(name, base_url, None, has_secret=True)

    def __repr__(self) -> str:
        """Return a text without secrets."""
        return "<SecretOfProfile>"


class PrivateKeyOfProfile(NamedTuple):
    """A self-generated key for a profile: its private key is in a file."""

    api_key: str
    path: Path
    password: str | None

    def client(self, base_url: str) -> Client:
        """Return a client with the key."""
        return Client(self.api_key, PrivateKey.load(self.path, password=self.password), base_url=base_url)

    def save(self, name: str, base_url: str) -> None:
        """Add a profile with the key."""
        _add_profile(name, self.api_key, str(self.path), base_url, self.password)

    def public(self, name: str, base_url: str) -> dict[str, object]:
        """Return the profile without its secrets."""
        return _public(name, base_url, str(self.path), has_secret=False)

    def __repr__(self) -> str:
        """Return a text without secrets."""
        return "<PrivateKeyOfProfile>"


def check_path(private_key: Path) -> None:
    """Raise an error if a key is given in place of its path."""
    if _looks_like_key(str(private_key)) and not options.exists(private_key):
        raise typer.BadParameter("--private-key: this looks like a key; pass its path, or use BOTDESK_PRIVATE_KEY")


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
    """Remove a profile with its API key and its secret. The file of its private key stays."""
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
    output.print_note(_fate_of_key(removed or {}))
    if was_default:
        output.print_note("it was the default profile; choose another with: botdesk profile default NAME")
    output.print_note(f"profiles that remain: {', '.join(remaining) or 'none'}")


def _fate_of_key(removed: dict[str, object]) -> str:
    """Say whether the key of a removed profile was removed too."""
    private_key = removed.get("private_key")
    if removed.get("has_secret"):
        return "its secret was in the profile and is removed too; delete the key at the service if nothing else uses it"
    if private_key == _KEY_IN_PROFILE:
        return "its private key was in the profile and is removed too"
    return f"the file of its private key was not removed: {private_key}" if private_key else "it had no private key"


def _ask(what: str, *, from_stdin: bool) -> str:
    question = f"{what[0].upper()}{what[1:]}"
    text = (sys.stdin.readline() if from_stdin else options.ask_hidden(question, _NO_TERMINAL)).strip()
    if not text:
        message = f"the {what} is empty"
        raise typer.BadParameter(message)
    return text


def _public(name: str, base_url: str | None, private_key: str | None, has_secret: bool) -> dict[str, object]:  # noqa: FBT001 - it is a row of the core
    public: dict[str, object] = {"name": name, "base_url": base_url, "private_key": private_key}
    return {**public, "has_secret": True} if has_secret else public
