"""`botdesk init`: asks for a key, tries it, and saves it as a profile."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from botdesk._cli import options, output
from botdesk._cli.profiles import PrivateKeyOfProfile, SecretOfProfile, check_path
from botdesk._native import (
    _PUBLISHED_BASE_URL,
    _check_profile_name,
    _default_profile,
    _profiles_file,
    _set_default_profile,
)
from botdesk.errors import BotdeskError, ConfigurationError

_SECRET, _PRIVATE_KEY = "secret", "private-key"
_NO_TERMINAL = "run it in a terminal, or use botdesk profile add NAME with --api-key-stdin"


def run(
    *,
    name: Annotated[str, typer.Argument(help="The name of the profile: letters, digits, - and _.")] = "main",
    base_url: Annotated[str, typer.Option(help="The base URL.")] = _PUBLISHED_BASE_URL,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Set up a key: ask for it, try it, and save it as a profile.

    The first profile becomes the default one, which commands and Client.from_profile() use.
    """
    _check_profile_name(name)
    key = _asked()
    client = key.client(base_url)
    output.print_note(f"trying the key at {base_url}")
    try:
        with client:
            is_valid = client.validate()
    except BotdeskError:
        output.print_note("nothing was saved, because the key was rejected, or could not be tried")
        raise
    if not is_valid:
        raise ConfigurationError("the service says that the key is not valid; nothing was saved")
    key.save(name, base_url)
    is_default = _default_profile() is None
    if is_default:
        _set_default_profile(name)
    if as_json:
        saved = {**key.public(name, base_url), "is_default": is_default, "file": str(_profiles_file())}
        output.show(saved, as_json=True)
        return
    option = "" if is_default else f" --profile {name}"
    output.print_note(f"the key works; saved as the profile {name} in {_profiles_file()}")
    output.print_note(f"list your bots with: botdesk bots list{option}")


def _kind(text: str) -> str:
    """Read a kind of key, or the beginning of one."""
    kinds = [kind for kind in (_SECRET, _PRIVATE_KEY) if text and kind.startswith(text.strip().lower())]
    if len(kinds) != 1:
        message = f"write {_SECRET} or {_PRIVATE_KEY}"
        raise typer.BadParameter(message)
    return kinds[0]


def _asked() -> SecretOfProfile | PrivateKeyOfProfile:
    """Ask for the kind of key, for the API key, and for the secret or the file of the private key."""
    options.check_terminal("the kind of the key", _NO_TERMINAL)
    output.print_note(
        "Create an API key at the service. A system-generated one has a secret; for a self-generated one, you have an "
        "RSA private key (botdesk keys new PATH makes one)."
    )
    question = f"Does it have a secret or a private key? ({_SECRET}, {_PRIVATE_KEY})"
    kind = typer.prompt(question, value_proc=_kind, err=True)
    api_key = options.ask_hidden("API key", _NO_TERMINAL).strip()
    if kind == _SECRET:
        return SecretOfProfile(api_key, options.ask_hidden("Secret", _NO_TERMINAL))
    path = Path(typer.prompt("File of the private key", err=True)).expanduser()
    check_path(path)
    path = path.absolute()
    try:
        PrivateKeyOfProfile(api_key, path, None).client(_PUBLISHED_BASE_URL)
    except ConfigurationError as error:
        if "is encrypted" not in str(error):
            raise
        return PrivateKeyOfProfile(api_key, path, options.ask_hidden("Password of the private key", _NO_TERMINAL))
    return PrivateKeyOfProfile(api_key, path, None)
