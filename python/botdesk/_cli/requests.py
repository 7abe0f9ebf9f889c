"""`botdesk sign`, `botdesk request` and `botdesk record`, for any path of the API."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated, Any, cast

import typer

import botdesk
from botdesk._cli import exit_codes, options, output
from botdesk._native import _destination

_METHOD = typer.Argument(help="GET, POST, PATCH, PUT or DELETE.", show_default=False)
_PATH = typer.Argument(help="The path without /public/api, such as /ver1/bots.", show_default=False)
_QUERY = typer.Option("--query", "-q", metavar="NAME=VALUE", help="A query parameter; repeatable.")
_BODY = typer.Option("--body", metavar="JSON", help="The JSON body.", show_default=False)
_FILE = typer.Argument(help="The recording to write, in HAR format.", show_default=False)
_OVERWRITE = typer.Option("--overwrite", help="Replace an existing file.")


def sign(
    *,
    method: Annotated[str, _METHOD],
    path: Annotated[str, _PATH],
    query: Annotated[list[str] | None, _QUERY] = None,
    body: Annotated[str | None, _BODY] = None,
    profile: Annotated[str | None, options.PROFILE] = None,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Sign a request without sending it, and print the payload, the signature and a curl command."""
    signed = options.client(profile).sign(method, path, _parameters(query), _json(body))
    parts = {
        "payload": signed.payload,
        "signature": signed.signature,
        "fingerprint": signed.fingerprint,
        "curl": signed.curl,
    }
    output.show(parts, as_json=as_json, secrets=True)


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
    """Send a signed request to any path of the API and print the response."""
    client, call = options.client(profile), (method, path, query, body)
    _confirm(client, call, yes=yes)
    _send(client, call, as_json=as_json)


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
    """Send a signed request, print the response, and record both for botdesk.Replay, without secrets."""
    client = options.client(profile)
    if not overwrite and options.exists(file):
        raise typer.BadParameter(f"{file} already exists; pass --overwrite to replace it")
    call = (method, path, query, body)
    _confirm(client, call, yes=yes)
    sent = False
    try:
        with botdesk.record(file, client, overwrite=overwrite):
            _send(client, call, as_json=as_json)
            sent = True
    except botdesk.RecordingError as error:
        if not sent:
            raise
        output.print_error(f"the command succeeded, but could not be recorded: {error}")
        raise typer.Exit(exit_codes.NO_OUTPUT) from error
    output.print_note(f"recorded in {file}")


# The method, the path, the query parameters and the body, as they were typed.
_Call = tuple[str, str, list[str] | None, str | None]


def _confirm(client: botdesk.Client, call: _Call, *, yes: bool) -> None:
    method, path, query, body = call
    # Raises an error for a request that can't be sent, before the question is asked.
    client.sign(method, path, _parameters(query), _json(body))
    if method.upper() != "GET":
        what = f"Send {method.upper()} {output.one_line(path)}"
        options.confirm(lambda: options.Question(what, _destination(client)), yes=yes)


def _send(client: botdesk.Client, call: _Call, *, as_json: bool) -> None:
    method, path, query, body = call
    response = client.request(method, path, _parameters(query), _json(body))
    if as_json:
        output.show(response.json(), as_json=True)
    else:
        output.print_lines(response.body)


def _parameters(query: list[str] | None) -> dict[str, list[str]]:
    parameters: dict[str, list[str]] = {}
    for parameter in query or ():
        name, equals, value = parameter.partition("=")
        if not (name and equals):
            raise typer.BadParameter(f"--query {parameter!r} is not NAME=VALUE")
        parameters.setdefault(name, []).append(value)
    return parameters


def _json(argument: str | None) -> Any:  # noqa: ANN401
    if argument is None:
        return None
    try:
        body = json.loads(argument, parse_float=Decimal)
    except ValueError as error:
        raise typer.BadParameter(f"--body is not JSON: {error}") from error
    if not isinstance(body, (dict, list)):
        raise typer.BadParameter("--body must be a JSON object or array")
    return cast("Any", body)
