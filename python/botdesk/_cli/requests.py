"""Any path of the API: `botdesk sign`, `botdesk request` and `botdesk record`."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated, Any, cast

import typer

import botdesk
from botdesk._cli import options, output
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
    _send(options.client(profile), (method, path, query, body), as_json=as_json, yes=yes)


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
    with botdesk.record(file, client, overwrite=overwrite):
        _send(client, (method, path, query, body), as_json=as_json, yes=yes)
    output.tell(f"recorded in {file}")


def _send(
    client: botdesk.Client, asked: tuple[str, str, list[str] | None, str | None], *, as_json: bool, yes: bool
) -> None:
    method, path, query, body = asked
    arguments = (method, path, _parameters(query), _json(body))
    # What can't be sent is told before anybody is asked.
    client.sign(*arguments)
    if method.upper() != "GET":
        options.ask(f"{method.upper()} {path}: go on?", yes=yes)
    answer = client.request(*arguments)
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
