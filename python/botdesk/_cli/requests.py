"""Any path of the API: `botdesk sign`, `botdesk request` and `botdesk record`."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated, Any, cast

import typer

import botdesk
from botdesk._cli import exits, options, output
from botdesk._native import _without_secrets

_METHOD = typer.Argument(help="GET, POST, PATCH, PUT or DELETE.", show_default=False)
_PATH = typer.Argument(
    help="As the document writes it, such as /ver1/bots; /public/api is put before it.", show_default=False
)
_QUERY = typer.Option("--query", "-q", metavar="NAME=VALUE", help="A parameter of the query; may be repeated.")
_BODY = typer.Option("--body", metavar="JSON", help="The JSON body.", show_default=False)
_FILE = typer.Argument(help="The recording to write, as HAR.", show_default=False)
_OVERWRITE = typer.Option("--overwrite", help="Take the place of a file that is there.")


def sign(
    *,
    method: Annotated[str, _METHOD],
    path: Annotated[str, _PATH],
    query: Annotated[list[str] | None, _QUERY] = None,
    body: Annotated[str | None, _BODY] = None,
    profile: Annotated[str | None, options.PROFILE] = None,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Sign a request and send nothing: print what is signed, the signature, and a curl command."""
    signed = options.client(profile).sign(method, path, _parameters(query), _json(body))
    shown = {
        "payload": signed.payload,
        "signature": signed.signature,
        "fingerprint": signed.fingerprint,
        "curl": signed.curl,
    }
    output.show(shown, as_json=as_json, secrets=True)


def request(
    *,
    method: Annotated[str, _METHOD],
    path: Annotated[str, _PATH],
    query: Annotated[list[str] | None, _QUERY] = None,
    body: Annotated[str | None, _BODY] = None,
    profile: Annotated[str | None, options.PROFILE] = None,
    as_json: Annotated[bool, options.JSON] = False,
    yes: Annotated[bool, options.YES] = False,
) -> None:
    """Send a signed request to any path of the API and print the answer."""
    client, asked = options.client(profile), (method, path, query, body)
    _ask(client, asked, yes=yes)
    _send(client, asked, as_json=as_json)


def record(
    *,
    file: Annotated[Path, _FILE],
    method: Annotated[str, _METHOD],
    path: Annotated[str, _PATH],
    query: Annotated[list[str] | None, _QUERY] = None,
    body: Annotated[str | None, _BODY] = None,
    overwrite: Annotated[bool, _OVERWRITE] = False,
    profile: Annotated[str | None, options.PROFILE] = None,
    as_json: Annotated[bool, options.JSON] = False,
    yes: Annotated[bool, options.YES] = False,
) -> None:
    """Send a signed request, print the answer, and keep both in a file for botdesk.Replay, secrets taken out."""
    client = options.client(profile)
    if file.exists() and not overwrite:
        raise typer.BadParameter(f"{file} is there already; --overwrite replaces it")
    asked = (method, path, query, body)
    _ask(client, asked, yes=yes)
    answered = False
    try:
        with botdesk.record(file, client, overwrite=overwrite):
            _send(client, asked, as_json=as_json)
            answered = True
    except botdesk.RecordingError as error:
        if not answered:
            raise
        output.complain(f"it was done, and could not be recorded: {error}")
        raise typer.Exit(exits.UNSHOWN) from error
    output.tell(f"recorded in {file}")


# The method, the path, the parameters and the body, as they were typed.
_Asked = tuple[str, str, list[str] | None, str | None]


def _ask(client: botdesk.Client, asked: _Asked, *, yes: bool) -> None:
    method, path, query, body = asked
    # What can't be sent is told before anybody is asked.
    client.sign(method, path, _parameters(query), _json(body))
    if method.upper() != "GET":
        options.ask(lambda: f"{method.upper()} {path}: go on?", yes=yes)


def _send(client: botdesk.Client, asked: _Asked, *, as_json: bool) -> None:
    method, path, query, body = asked
    answer = client.request(method, path, _parameters(query), _json(body))
    if as_json:
        output.show(answer.json(), as_json=True)
    else:
        typer.echo(_without_secrets(answer.body))


def _parameters(given: list[str] | None) -> dict[str, list[str]]:
    parameters: dict[str, list[str]] = {}
    for parameter in given or ():
        name, equals, value = parameter.partition("=")
        if not (name and equals):
            raise typer.BadParameter(f"a parameter is NAME=VALUE, not {parameter!r}")
        parameters.setdefault(name, []).append(value)
    return parameters


def _json(text: str | None) -> Any:  # noqa: ANN401
    if text is None:
        return None
    try:
        body = json.loads(text, parse_float=Decimal)
    except ValueError as error:
        raise typer.BadParameter(f"--body is not JSON: {error}") from error
    if not isinstance(body, (dict, list)):
        raise typer.BadParameter("--body is a JSON object or array")
    return cast("Any", body)
