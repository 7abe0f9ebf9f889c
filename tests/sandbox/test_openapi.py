"""The OpenAPI document of the sandbox: valid, complete, and in agreement with its responses."""

# schemathesis names some of its types without their arguments.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import base64
import functools
import itertools
import json
import re
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import schemathesis
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from requests.auth import AuthBase
from rsa_keys import loaded, public_pem
from sample_calls import SAMPLES, SECRETS, call
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from thorough import cases

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from requests import PreparedRequest

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def described(sandbox: botdesk.Sandbox) -> dict[str, Any]:
    with urllib.request.urlopen(f"{sandbox.url}/openapi.json") as response:  # noqa: S310
        document: dict[str, Any] = json.load(response)
        return document


with botdesk.Sandbox(bots=0, odd_values=True) as _sandbox:
    DOCUMENT = described(_sandbox)
# The permission of each operation; None if every key has it.
REQUIRED: dict[str, str | None] = {
    operation["operationId"]: next(iter(re.findall(r"permission ([A-Z_]+)", operation.get("description", ""))), None)
    for path in DOCUMENT["paths"].values()
    for operation in path.values()
}
PERMISSIONS = sorted({permission for permission in REQUIRED.values() if permission})


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox, one for each operation: a write may end what another operation is about."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """Return the OpenAPI document of the sandbox."""
    return DOCUMENT


class Signed(AuthBase):
    """Signs each request over the bytes that are about to be sent."""

    def __init__(self, sandbox: botdesk.Sandbox, private_key: str, permission: str) -> None:
        self._key = loaded(private_key)
        self._api_key = sandbox.add_key(public_pem(private_key), [permission])

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        url = urlsplit(request.url or "")
        body = request.body or b""
        payload = f"{url.path}?{url.query}" if url.query else url.path
        signed = payload.encode() + (body if isinstance(body, bytes) else body.encode())
        request.headers["Apikey"] = self._api_key
        request.headers["Signature"] = base64.b64encode(self._key.sign(signed, padding.PKCS1v15(), SHA256())).decode()
        return request


@pytest.fixture
def single_permission_keys(sandbox: botdesk.Sandbox, private_key: str) -> dict[str, Signed]:
    """Return what signs requests with keys that have a single permission, by the permission."""
    return {permission: Signed(sandbox, private_key, permission) for permission in PERMISSIONS}


@functools.cache
def sent(operation: str) -> botdesk.ReceivedRequest:
    """Return the request of the sample of an operation, which succeeds."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        call(sandbox.client(), operation)
        return sandbox.requests[-1]


def operation_of(context: Any) -> str:  # noqa: ANN401
    name: str = context.operation.definition.raw["operationId"]
    return name


def map_path_parameters(context: Any, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:  # noqa: ANN401
    """Use the identifiers of the sample in most requests whose identifiers are of the right type."""
    if not path_parameters or sum(map(ord, str(path_parameters))) % 4 == 0:
        return path_parameters
    arguments, record_id = SAMPLES[operation_of(context)]
    known = {name: arguments.get(name, record_id) for name in path_parameters}
    return {name: known[name] if type(value) is type(known[name]) else value for name, value in path_parameters.items()}


def map_query(context: Any, query: dict[str, Any] | None) -> dict[str, Any] | None:  # noqa: ANN401
    """Use the values of the sample in most requests."""
    if query is None or len(str(query)) % 4 == 0:
        return query
    of_sample = dict(parse_qsl(sent(operation_of(context)).query))
    return {name: of_sample.get(name, value) for name, value in query.items()}


def map_body(context: Any, body: Any) -> Any:  # noqa: ANN401
    """Make most bodies differ from that of the sample in at most one field."""
    operation = operation_of(context)
    of_sample = sent(operation).body
    if not of_sample or not isinstance(body, dict) or len(body) % 4 == 0:
        return body
    # The request that the sandbox keeps has no secrets.
    secrets = {name: value for name, value in SAMPLES[operation].arguments.items() if name in SECRETS}
    fields: dict[str, Any] = json.loads(of_sample) | secrets
    # Half of the fields that differ are others than those of the sample.
    names = sorted(body if len(str(body)) % 2 else body.keys() - fields.keys())
    one = len(names) // 2
    return {**fields, **{name: body[name] for name in names[one : one + 1]}}


@pytest.fixture(scope="module")
def api_schema(document: dict[str, Any]) -> Any:  # noqa: ANN401
    """Load the description into schemathesis."""
    schema = schemathesis.openapi.from_dict(document)
    schema.hook(map_path_parameters)
    schema.hook(map_query)
    schema.hook(map_body)
    return schema


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("operation", REQUIRED)
def test_the_sandbox_responds_as_described(
    *,
    operation: str,
    mode: GenerationMode,
    api_schema: Any,  # noqa: ANN401
    single_permission_keys: dict[str, Signed],
    sandbox: botdesk.Sandbox,
    tmp_path: Path,
) -> None:
    required = REQUIRED[operation]
    others = [key for permission, key in single_permission_keys.items() if required not in {None, permission}]
    sufficient = itertools.cycle([single_permission_keys[required]] if required else single_permission_keys.values())
    # Without a valid path there is nothing that a key could lack a permission for.
    cases_with_all_keys = iter(range(cases(1, 2) if mode is GenerationMode.POSITIVE else 0))
    earlier = len(sandbox.requests)
    generated = api_schema.find_operation_by_id(operation).as_strategy(generation_mode=mode)

    @settings(
        # What is made up is seldom about something that is there, so that few examples of an operation succeed.
        max_examples=cases(5, 15) if mode is GenerationMode.POSITIVE else cases(2, 15),
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    @given(case=generated)
    def ask(case: schemathesis.Case[Any]) -> None:
        if next(cases_with_all_keys, None) is not None:
            check_it_is_refused(case, others, sandbox, tmp_path / "state.json")
        response = case.call(base_url=sandbox.url, auth=next(sufficient))
        # At the service, this is a 500, too.
        if b"OpenDealPresentForThisPair" not in response.content:
            case.validate_response(response, checks=CHECKS)

    try:
        ask()
    except Unsatisfiable:
        pytest.skip("the operation takes nothing that could be wrong")
    if mode is GenerationMode.POSITIVE:
        assert any(request.carried_out for request in sandbox.requests[earlier:])


def check_it_is_refused(case: schemathesis.Case[Any], keys: list[Signed], sandbox: botdesk.Sandbox, path: Path) -> None:
    sandbox.dump(path)
    before = path.read_bytes()
    for key in keys:
        response = case.call_and_validate(base_url=sandbox.url, auth=key, checks=CHECKS)
        assert (response.status_code, response.json()["error"]) == (403, "Forbidden")
    sandbox.dump(path)
    assert path.read_bytes() == before


def test_the_description_is_valid(document: dict[str, Any]) -> None:
    # Every process collects this module, and this import takes three seconds.
    from openapi_spec_validator import OpenAPIV31SpecValidator

    assert document["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(document).validate()


def test_every_request_is_signed(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]
    assert {(scheme["type"], scheme["in"], scheme["name"]) for scheme in schemes.values()} == {
        ("apiKey", "header", "Apikey"),
        ("apiKey", "header", "Signature"),
    }
    assert document["security"] == [{"Apikey": [], "Signature": []}]


def test_neither_faults_nor_limits_keep_the_description_back() -> None:
    with botdesk.Sandbox(rate_limit=0, odd_values=True) as sandbox:
        sandbox.faults.add("*", kind="stall", times=None)
        assert described(sandbox)["info"]["title"] == "botdesk sandbox"


def test_no_key_is_needed_to_read_it(sandbox: botdesk.Sandbox) -> None:
    assert described(sandbox)["openapi"]
    (request,) = [request for request in sandbox.requests if request.path == "/openapi.json"][-1:]
    assert (request.method, request.status, request.fault) == ("GET", 200, None)


def test_the_pattern_of_a_pair_accepts_coins_of_any_script(document: dict[str, Any]) -> None:
    body = document["paths"]["/public/api/ver1/bots/{id}/update"]["patch"]["requestBody"]["content"]["application/json"]
    pattern = body["schema"]["properties"]["pairs"]["anyOf"][0]["pattern"]
    for pair in ("USDT_BTC", "USDC_币安人生", "USDT_ÄTH", "BTC_ETHUSD_PERP", "USD_BTC-PERP", "USDT_BRK.B", "A_1"):
        assert re.search(pattern, pair), pair
    for text in (
        "",
        "BTC",
        "USDT_",
        "_BTC",
        "usdt_btc",
        "USDT BTC",
        "USDT__BTC",
        "USDT_BTC-",
        "-USDT_BTC",
        "USDT_B,C",
        "A_B_",
    ):
        assert not re.search(pattern, text), text
