"""Fixtures of the tests of secrets: the canaries, and a service that knows them all and repeats each request."""

from __future__ import annotations

import json
import re
import urllib.request
from contextlib import closing
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import quote

import pytest
from loopback import LoopbackServer, received
from thorough import THOROUGH

import botdesk

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterable, Iterator

# The kinds of response of the service.
Mode = Literal["success", "error", "signature", "page", "cut", "odd", "bytes", "redirect", "silence"]


def in_turns(operations: Iterable[str], every: int = 1) -> list[tuple[str, Mode, bool]]:
    """Return each operation with each kind of response, in turns blocking and under asyncio, which share all else.

    Outside of thorough runs, an operation has one in so many kinds of responses, and the next operations have the rest.
    """
    modes = enumerate(get_args(Mode))
    cases = product(enumerate(operations), modes, (False, True))
    return [
        (operation, mode, awaited)
        for (number, operation), (kind, mode), awaited in cases
        if THOROUGH or ((number // every + kind) % 2 == awaited and (number + kind // 2) % every == 0)
    ]


def untyped(thing: Any) -> Any:  # noqa: ANN401
    """Return the argument as `Any`, so that type checkers do not check it."""
    return thing


def names_in(schema: Any) -> Iterator[str]:  # noqa: ANN401
    """Return the names of the properties that a description marks as secrets."""
    if isinstance(schema, list):
        for element in untyped(schema):
            yield from names_in(element)
    if isinstance(schema, dict):
        for name, member in untyped(schema).items():
            if isinstance(member, dict) and ("format", "password") in member.items():
                # The schema of a parameter has no name of its own.
                yield schema["name"] if name == "schema" else name
            yield from names_in(member)


@cache
def document() -> dict[str, Any]:
    """Return the OpenAPI document of the sandbox."""
    with botdesk.Sandbox(odd_values=True) as sandbox, urllib.request.urlopen(f"{sandbox.url}/openapi.json") as response:  # noqa: S310
        found: dict[str, Any] = json.load(response)
        return found


def answer(method: str, path: str, record: dict[str, Any]) -> object:
    """Return a body of the type that an operation returns; a record if it is none of the document."""
    # A path of words alone is also one with an identifier in place of a word.
    for template, operations in sorted(document()["paths"].items(), key=lambda path: path[0].count("{")):
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path) and method.lower() in operations:
            responses = operations[method.lower()]["responses"]
            success = next(response for status, response in responses.items() if status.startswith("2"))
            content = success.get("content", {"application/json": {"schema": {}}})
            return value_of(content["application/json"]["schema"], record)
    return record


def value_of(schema: dict[str, Any], record: dict[str, Any]) -> object:
    """Return a value of a schema in which all records are the same."""
    if "$ref" in schema:
        fields = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]].get("properties", {})
        return {**dict.fromkeys(fields), **record}
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return value_of(schema[several][0], record)
    if schema.get("type") == "array":
        return [value_of(schema["items"], record)]
    if "additionalProperties" in schema:
        return {"code": value_of(schema["additionalProperties"], record)}
    if schema.get("type") == "object":
        return {name: value_of(schema["properties"][name], record) for name in schema.get("required", ())}
    return "USDT_BTC"


@pytest.fixture(scope="session")
def secret_names() -> list[str]:
    """Return the names of all secret fields, from the OpenAPI document, which marks them."""
    return sorted(set(names_in(document())))


@pytest.fixture(scope="session")
def canaries(secret_names: list[str]) -> dict[str, str]:
    """Return a secret for each field; it is written otherwise in JSON, in a query and in a page."""
    return {name: f"canary/{name}+0a1b2c3d" for name in secret_names}


@pytest.fixture
def api_key() -> str:
    """Return the API key of the client."""
    return "canary-of-the-clients-api-key"


# A response that suits every operation; an edit can start from it.
BODY: dict[str, Any] = {
    "id": 41,
    "name": "first",
    "is_enabled": True,
    "type": "Bot::SingleBot",
    "strategy": "long",
    "pairs": ["USDT_BTC"],
    "base_order_volume": "20.0",
    "take_profit": "1.5",
    "safety_order_volume": "10.0",
    "martingale_volume_coefficient": "1.0",
    "martingale_step_coefficient": "1.0",
    "max_safety_orders": 3,
    "active_safety_orders_count": 1,
    "safety_order_step_percentage": "1.0",
    "take_profit_type": "total",
    "strategy_list": [{"strategy": "manual"}],
    "stop_loss_percentage": "0.0",
    "max_reduce_funds_amount": "0.5",
    "valid": True,
    "market_code": "demo_spot",
    "last": "62818.7",
}


class EchoService(LoopbackServer):
    """A service that knows all secrets of its user, and repeats all that a request held."""

    def __init__(self, canaries: dict[str, str]) -> None:
        self._canaries = canaries
        self.mode: Mode = "success"
        # What was signed with, each a secret as long as it is good for the same request.
        self.signatures: set[str] = set()
        super().__init__()

    def handle(self, connection: socket.socket) -> None:
        """Repeat a request."""
        if request := received(connection):
            connection.sendall(self._answer(request))

    def _answer(self, request: bytes) -> bytes:
        head, _, body = request.decode("ascii").partition("\r\n\r\n")
        lines = head.split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        if "signature" in headers:
            self.signatures.add(headers["signature"])
        target = lines[0].split(" ")[1]
        request_text = f"{head}\n{body}"
        known = {**BODY, **self._canaries}
        error = {"error": "record_invalid", "error_description": request_text, "bot": known, "log": json.dumps(known)}
        about = {name: [f"is wrong in {body}"] for name in self._canaries}
        # A record is identified by the number or by the UUID in the path.
        record = {**known, "uuid": next(iter(re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", target)), "")}
        success = answer(lines[0].split(" ")[0], target.partition("?")[0], record)
        whole = json.dumps({"request_text": request_text, **known})
        redirect = f"Location: {self.url}/{quote(request_text)}"
        answers: dict[Mode, bytes] = {
            "success": written(200, json.dumps(success)),
            "error": written(
                400, json.dumps({**error, "error_attributes": about}), f"X-Request-Id: {headers.get('apikey')}"
            ),
            "signature": written(401, json.dumps({"error": "signature_invalid", "error_description": request_text})),
            "page": written(502, f"<html><pre>{request_text}</pre></html>"),
            "cut": written(200, whole)[: -len(whole) // 2],
            "odd": written(200, f"<html>{request_text} {whole}</html>"),
            "bytes": written(200, f"{request_text} {whole}").replace(b"first", b"\xff\xfe\xff\xfe\xff"),
            "redirect": written(302, request_text, redirect),
            "silence": b"",
        }
        return answers[self.mode]


class Repeater(LoopbackServer):
    """A service whose responses a test makes from the signature that it receives."""

    def __init__(self) -> None:
        self.response: Callable[[str], bytes] = lambda _signature: b""
        super().__init__()

    def handle(self, connection: socket.socket) -> None:
        """Send the response to a request."""
        head = received(connection).partition(b"\r\n\r\n")[0].decode("ascii")
        signature = re.search(r"(?im)^signature: (\S+)", head)
        connection.sendall(self.response(signature[1] if signature else ""))


def written(status: int, body: str, *headers: str) -> bytes:
    """Write a response."""
    lines = (f"HTTP/1.1 {status} Status", "Connection: close", f"Content-Length: {len(body.encode())}", *headers)
    return ("\r\n".join(lines) + f"\r\n\r\n{body}").encode()


@pytest.fixture
def echo(canaries: dict[str, str]) -> Iterator[EchoService]:
    """Run a service that repeats each request."""
    with closing(EchoService(canaries)) as echo:
        yield echo
