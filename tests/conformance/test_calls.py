"""Each operation over a socket: the request that it sends, and what it makes of the response."""

from __future__ import annotations

import inspect
import json
import logging
import re
import traceback
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest
from sample_calls import owner_of

import botdesk
from botdesk._native import _short_forms

from .conftest import API_KEY, Request, Service
from .reference import INPUTS, OPERATIONS, RECORDS, Statement, call, valid

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

each_operation = pytest.mark.parametrize("name", OPERATIONS)
each_way = pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "asyncio"])
with_id = pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.id is not None])
# The class of each error by its code; the others have one of their status.
CODES: dict[str, type[botdesk.ApiError]] = {
    "record_invalid": botdesk.RecordInvalidError,
    "not_found": botdesk.NotFoundError,
    "Wrong param(s)": botdesk.WrongParamsError,
    "invalid_request": botdesk.RecordInvalidError,
    "unprocessable_entity": botdesk.WrongParamsError,
    "signature_invalid": botdesk.SignatureInvalidError,
    "account_not_deletable": botdesk.WrongParamsError,
    "bnb_dust_limit_error": botdesk.WrongParamsError,
    "Cant be cancelled": botdesk.WrongParamsError,
    "invalid_api_key": botdesk.InvalidApiKeyError,
    "unknown_market_api_error": botdesk.MarketApiError,
    "Not found": botdesk.NotFoundError,
    "The request type 'read' is not available with your current subscription plan": botdesk.PlanRestrictedError,
}
STATUSES: dict[int, type[botdesk.ApiError]] = {
    401: botdesk.AuthenticationError,
    403: botdesk.ForbiddenError,
    404: botdesk.NotFoundError,
    418: botdesk.IpBannedError,
    429: botdesk.RateLimitedError,
}
# What the wire facts add to the errors of each operation.
OF_ALL = [
    "401 signature_invalid",
    "401 api_key_invalid_or_expired",
    "403 Forbidden",
    "404 not_found",
    "418",
    "429",
    "429 The request type 'read' is not available with your current subscription plan",
    "500 unknown_error",
    "502",
]
WRONG_IDS: list[object] = [
    *(0, -1, -(2**63), 2**63, 2**64 - 1, 2**64, 1.5, 2.0**53, float("nan"), True, None),
    *("0", "41", "one", "", b"41", [1001]),
]


def prepare(service: Service, name: str, record_id: int | str | None = None) -> None:
    """Let the service respond with a whole record."""
    operation = OPERATIONS[name]
    service.body = operation.response(record_id)
    if "reads" in operation.sample:
        read = json.loads(operation.sample["reads"], parse_float=Decimal)
        service.read = json.dumps({**read, "id": record_id or operation.id}, default=str)


def class_of(error: str) -> type[botdesk.ApiError]:
    status, _, code = error.partition(" ")
    by_status = botdesk.ServerError if status.startswith("5") else STATUSES.get(int(status), botdesk.ApiError)
    return CODES.get(code, by_status)


@each_way
@each_operation
@pytest.mark.shows("common requests are signed", "common request URL", "common version segment")
@pytest.mark.shows("authentication 1", "authentication 2", "authentication 4 query", "authentication 4 JSON")
@pytest.mark.shows("fact a JSON body is signed as it is sent", "fact the bare path is signed")
@pytest.mark.shows("contradiction grid_quantity and grids_quantity")
def test_the_request_is_that_of_the_reference(
    client: botdesk.Client,
    service: Service,
    check_signature: Callable[[Request], None],
    *,
    name: str,
    awaited: bool,
) -> None:
    operation = OPERATIONS[name]
    prepare(service, name)
    call(client, name, awaited=awaited)
    *reads, request = service.requests
    assert [read.method for read in reads] == ["GET"] * ("reads" in operation.sample)
    sends = operation.sample["sends"]
    is_body = sends.startswith("{")
    assert (request.method, request.target) == (
        operation.method,
        operation.target() + ("" if is_body or not sends else f"?{sends}"),
    )
    assert request.body == (sends.encode() if is_body else b"")
    assert request.headers.get("content-type") == ("application/json" if is_body else None)
    # Proxies reject a POST without a length.
    length = None if request.method == "GET" else str(len(request.body))
    assert request.headers.get("content-length") == length
    if operation.security == "NONE":
        assert {"apikey", "signature"}.isdisjoint(request.headers)
    else:
        assert request.headers["apikey"] == API_KEY
        check_signature(request)


@with_id
def test_an_identifier_beyond_32_bits_is_sent_whole(client: botdesk.Client, service: Service, name: str) -> None:
    other = OPERATIONS[name].other_id
    prepare(service, name, other)
    call(client, name, record_id=other)
    assert service.requests[-1].target.partition("?")[0] == OPERATIONS[name].target(other)


@each_way
@with_id
def test_anything_but_an_identifier_is_rejected(
    client: botdesk.Client, service: Service, *, name: str, awaited: bool
) -> None:
    function = getattr(owner_of(client, name), name.partition(".")[2])
    for wrong in WRONG_IDS:
        with pytest.raises(botdesk.ValidationError) as caught:
            call(client, name, record_id=wrong, awaited=awaited)
        assert set(caught.value.errors) == {next(iter(inspect.signature(function).parameters))}, repr(wrong)
    assert service.requests == []


@pytest.mark.parametrize("statement", INPUTS, ids=lambda statement: statement.path)
def test_an_input_is_sent_under_its_name(client: botdesk.Client, service: Service, statement: Statement) -> None:
    prepare(service, statement.owner)
    value = valid(statement)
    call(client, statement.owner, {statement.argument: value})
    sent = sent_of(service.requests[-1], statement)
    # A query string has only strings; some decimals are numbers in a body.
    assert sent == value if type(sent) is type(value) else str(sent) == str(value).lower()


def sent_of(request: Request, statement: Statement) -> Any:  # noqa: ANN401
    """Return the value of an input in a request."""
    if statement.where == "body":
        return json.loads(request.body, parse_float=Decimal)[statement.name]
    (text,) = parse_qs(request.query, strict_parsing=True)[statement.name]
    return text


@each_way
@each_operation
@pytest.mark.shows("contradiction success 200 or 201", "fact any 2xx")
def test_any_success_is_read(client: botdesk.Client, service: Service, *, name: str, awaited: bool) -> None:
    prepare(service, name)
    for status in (200, 201, 202, 206, 299):
        service.status = status
        result = call(client, name, awaited=awaited)
        assert shown(result) == OPERATIONS[name].result(service.body), status


@each_operation
def test_the_sample_of_the_response_is_read_whole(client: botdesk.Client, service: Service, name: str) -> None:
    prepare(service, name)
    service.body = OPERATIONS[name].sample["response"]
    assert shown(call(client, name)) == OPERATIONS[name].result(service.body)


def shown(value: Any) -> Any:  # noqa: ANN401
    """Return a record or a list of records as plain values."""
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elements: list[Any] = value
    members: dict[str, Any] = value
    if isinstance(value, dict):
        return {name: shown(each) for name, each in members.items()}
    return [shown(each) for each in elements] if isinstance(value, botdesk.Records | list) else value


@each_way
@each_operation
@pytest.mark.shows("fact error is a sentence", "fact 401 of a key")
def test_an_error_has_its_class(client: botdesk.Client, service: Service, *, name: str, awaited: bool) -> None:
    prepare(service, name)
    for error in sorted({*OPERATIONS[name].errors, *OF_ALL}):
        status, _, code = error.partition(" ")
        body = {"error": code, "error_description": "Described", "error_attributes": {"name": ["is missing"]}}
        service.status, service.body = int(status), json.dumps(body) if code else "<html>no JSON at all</html>"
        raised = error_of(client, name, awaited=awaited)
        assert type(raised) is class_of(error), error
        assert (raised.status, raised.error, raised.method) == (int(status), code or None, OPERATIONS[name].method)
        assert (raised.error_description, raised.error_attributes) == (
            ("Described", {"name": ["is missing"]}) if code else (None, {})
        ), error
        assert (raised.body, raised.path) == (service.body, service.requests[-1].target.partition("?")[0]), error


def error_of(client: botdesk.Client, name: str, *, awaited: bool = False) -> Any:  # noqa: ANN401
    """Return what a call raises; None if it succeeds."""
    try:
        call(client, name, awaited=awaited)
    except (botdesk.ApiError, botdesk.DecodeError) as error:
        return error
    return None


@each_operation
def test_an_error_with_the_status_of_a_success_is_no_result(
    client: botdesk.Client, service: Service, name: str
) -> None:
    prepare(service, name)
    service.body = json.dumps({"error": "record_invalid", "error_description": "Described"})
    with pytest.raises(botdesk.DecodeError, match=r"record_invalid \(Described\)"):
        call(client, name)


each_of_one_record = pytest.mark.parametrize(
    "name", [name for name, each in OPERATIONS.items() if each.returns in RECORDS and "field" not in each.sample]
)


@each_way
@each_of_one_record
def test_a_whole_record_may_have_an_undocumented_error(
    client: botdesk.Client, service: Service, *, name: str, awaited: bool
) -> None:
    prepare(service, name)
    service.body = json.dumps({**json.loads(service.body), "error": "none"})
    assert call(client, name, awaited=awaited).extra["error"] == "none"


@each_way
@each_of_one_record
@pytest.mark.shows("promise a success that is not a record")
def test_an_error_body_is_not_a_record_however_many_of_its_fields_it_repeats(
    client: botdesk.Client, service: Service, *, name: str, awaited: bool
) -> None:
    prepare(service, name)
    record, members = (
        json.loads(service.body),
        {"error_description": "Invalid", "error_attributes": {"name": ["taken"]}},
    )
    for member, value in members.items():
        service.body = json.dumps({**record, "error": "record_invalid", member: value})
        with pytest.raises(botdesk.DecodeError, match="the body is an error: record_invalid"):
            call(client, name, awaited=awaited)


NO_RECORD = ["", "null", "true", "41", '"41"', "<html>", '{"id":41,"na', "{'id': 41}"]


@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.value != "nothing"])
def test_a_body_that_is_no_record_is_no_result(client: botdesk.Client, service: Service, name: str) -> None:
    prepare(service, name)
    # Some operations may return nothing in place of a record.
    nothing = {"", "null"} if "nothing" in OPERATIONS[name].returns else set[str]()
    for body in (*NO_RECORD, "{}" if OPERATIONS[name].is_list else "[]"):
        if body not in nothing:
            service.body = body
            raised = error_of(client, name)
            assert type(raised) is botdesk.DecodeError, body
            assert name in str(raised)
            assert (raised.body, raised.method) == (body, OPERATIONS[name].method)


@pytest.mark.parametrize("body", ['["USDT_BTC", null]', '["USDT_BTC", 5]', '{"pairs": []}', "null", '"USDT_BTC"'])
def test_pairs_of_another_type_are_no_result(client: botdesk.Client, service: Service, body: str) -> None:
    service.body = body
    with pytest.raises(botdesk.DecodeError, match="the response is not what the operation returns: expected an array"):
        client.markets.pairs("demo_spot")


@pytest.mark.parametrize("status", [200, 400, 401, 502])
@each_operation
def test_no_secret_is_shown(
    service: Service, private_key: str, caplog: pytest.LogCaptureFixture, name: str, status: int
) -> None:
    events: list[botdesk.RequestEvent] = []
    client = botdesk.Client(
        API_KEY,
        private_key,
        base_url=service.url,
        retries=0,
        rate_limit=None,
        on_request=events.append,
        on_response=events.append,
    )
    prepare(service, name)
    secrets = {each.argument: f"canary-{each.name}" for each in OPERATIONS[name].inputs.values() if each.is_secret}
    repeated = json.dumps({"error": "x", "error_description": " ".join([API_KEY, *secrets.values()]), **secrets})
    service.status, service.body = status, service.body if status == 200 else repeated
    with caplog.at_level(logging.DEBUG):
        try:
            result = repr(call(client, name, secrets))
        except botdesk.BotdeskError as error:
            result = "".join([str(error), repr(error), repr(vars(error)), *traceback.format_exception(error)])
    output = [result, repr(client), *map(repr, events), caplog.text, *(repr(vars(each)) for each in caplog.records)]
    signatures = [request.headers["signature"] for request in service.requests if "signature" in request.headers]
    for secret in (API_KEY, *secrets.values(), *signatures, *private_key.splitlines()[1:-1]):
        assert not [text for text in output if secret in text]


@each_operation
def test_a_method_takes_the_documented_inputs(client: botdesk.Client, name: str) -> None:
    parameters = inspect.signature(getattr(owner_of(client, name), name.partition(".")[2])).parameters
    inputs = {statement.argument for statement in OPERATIONS[name].inputs.values() if "." not in statement.name}
    short_forms = {argument for argument, *_ in _short_forms(name)}
    others = set(parameters) - inputs - short_forms - {"validate", "unknown", "wait"}
    assert (len(others), inputs - set(parameters)) == (OPERATIONS[name].path.count("{"), set())


@each_operation
def test_the_async_version_has_the_same_parameters(client: botdesk.Client, name: str) -> None:
    owner, verb = owner_of(client, name), name.partition(".")[2]
    blocking, awaited = (inspect.signature(getattr(owner, each)) for each in (verb, f"{verb}_async"))
    assert str(blocking).partition(" -> ")[0] == str(awaited).partition(" -> ")[0]
    assert inspect.iscoroutinefunction(getattr(owner, f"{verb}_async"))


@each_way
@each_operation
def test_a_recorded_call_is_replayed(
    client: botdesk.Client, service: Service, tmp_path: Path, *, name: str, awaited: bool
) -> None:
    prepare(service, name)
    with botdesk.record(tmp_path / "desk.har", client):
        recorded = shown(call(client, name, awaited=awaited))
    before = len(service.requests)
    with botdesk.Replay(tmp_path / "desk.har", strict=True) as replay:
        replayed = shown(call(replay.client(), name, awaited=awaited))
    assert without_secrets(replayed) == without_secrets(recorded)
    assert len(service.requests) == before


@pytest.mark.parametrize(("name", "error"), [(name, error) for name in OPERATIONS for error in OPERATIONS[name].errors])
def test_a_recorded_error_is_replayed(
    client: botdesk.Client, service: Service, tmp_path: Path, name: str, error: str
) -> None:
    prepare(service, name)
    status, _, code = error.partition(" ")
    body = {"error": code, "error_description": "Früh", "error_attributes": {"name": ["is missing"]}}
    service.status, service.body = int(status), json.dumps(body, ensure_ascii=False)
    with botdesk.record(tmp_path / "desk.har", client), pytest.raises(botdesk.ApiError) as recorded:
        call(client, name)
    with (
        botdesk.Replay(tmp_path / "desk.har", strict=True) as replay,
        pytest.raises(class_of(error), match=re.escape(code)) as replayed,
    ):
        call(replay.client(), name)
    assert (replayed.value.body, replayed.value.status) == (recorded.value.body, int(status))
    assert replayed.value.error_attributes == {"name": ["is missing"]}


def without_secrets(value: Any) -> Any:  # noqa: ANN401
    """Leave out the fields that a cassette does not hold."""
    return without(value, {"api_key", "customer_id", "url_secret", "address", "address_tag"})


def without(value: Any, names: set[str]) -> Any:  # noqa: ANN401
    """Leave fields out of a JSON value, at any depth."""
    # Narrowed by `isinstance`, the elements would have no type.
    if type(value).__name__ == "list":
        return [without(each, names) for each in value]
    if type(value).__name__ == "dict":
        return {name: without(each, names) for name, each in value.items() if name not in names}
    return value
