"""Each operation of the API reference over a socket: its request, its success and its errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from sample_calls import SAMPLES, prepare

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Request, Service

    IsSigned = Callable[[Request], bool]
    Prepare = Callable[..., Callable[[], object]]


class Operation(NamedTuple):
    """An operation as the API reference describes it."""

    title: str
    method: str
    path: str
    permission: str
    takes: str
    success: int
    errors: list[tuple[int, str]]


FIXTURES = Path(__file__).parents[1] / "fixtures"
OPERATIONS: dict[str, Operation] = {
    name: Operation(*row) for name, row in json.loads((FIXTURES / "documented_operations.json").read_text()).items()
}
# Of each error: its status, what it is called, and the class that it raises.
ERRORS: dict[tuple[int, str], str] = {
    (status, error): name
    for status, error, name, _ in json.loads((FIXTURES / "documented_errors.json").read_text("utf-8"))
}
BODIES: dict[str, dict[str, Any]] = {
    "record_invalid": {"error_description": "Invalid parameters", "error_attributes": {"name": ["is missing"]}},
    "unknown_market_api_error": {"error_description": "Deposits are closed for this network"},
    "signature_invalid": {"error_description": "Provided signature is invalid"},
}
LISTS = {"accounts.networks_info", "accounts.leverage_data", "dca_bots.list"}
ID = 2_376_446_537
# What a response holds, besides the identifier, of records that have none.
UNIDENTIFIED = {"accounts.deposit_data": "address", "smart_trades.reduce_funds_info": "max_reduce_funds_amount"}


def success(name: str) -> bytes:
    """Write the shortest response body of the operation."""
    if name in LISTS:
        return b"[]"
    return json.dumps({UNIDENTIFIED[name]: "1"} if name in UNIDENTIFIED else {"id": ID}).encode()


@pytest.fixture(name="prepare")
def prepare_with_service(client: botdesk.Client, service: Service, bot_json: bytes) -> Prepare:
    """Prepare the sample call of an operation; the service responds to the read before an edit of a DCA bot."""

    def prepare_with_service(name: str, *, awaited: bool = False) -> Callable[[], object]:
        if name == "dca_bots.edit":
            service.responds(body=bot_json.replace(b'"id":41', f'"id":{ID}'.encode()))
        act = prepare(client, name, record_id=ID, awaited=awaited)
        if name == "dca_bots.edit":
            service.request()
        return act

    return prepare_with_service


def test_an_operation_takes_an_id_if_its_path_has_one() -> None:
    assert {name for name, operation in OPERATIONS.items() if "{" in operation.path} == {
        name for name, sample in SAMPLES.items() if sample.record_id is not None
    }


def rows_of(name: str) -> pytest.MarkDecorator:
    identifier = [f"input {name}.{{id}}"] if SAMPLES[name].record_id is not None else []
    return pytest.mark.shows(f"operation {name}", *identifier)


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "asyncio"])
@pytest.mark.parametrize("name", [pytest.param(name, marks=rows_of(name)) for name in OPERATIONS])
@pytest.mark.shows("common every endpoint is signed", "common request URL", "common version segment")
@pytest.mark.shows("authentication 1", "authentication 2")
def test_an_operation_sends_the_documented_request(
    service: Service, prepare: Prepare, is_signed: IsSigned, api_key: str, *, name: str, awaited: bool
) -> None:
    act = prepare(name, awaited=awaited)
    operation = OPERATIONS[name]
    service.responds(operation.success, success(name))
    act()
    request = service.request()
    path = f"/public/api{operation.path}"
    for placeholder in ("{account_id}", "{bot_id}", "{id}"):
        path = path.replace(placeholder, str(ID))
    assert (request.method, request.target.partition("?")[0]) == (operation.method, path)
    assert (request.body != b"") == (operation.takes == "json")
    assert request.query == "" or operation.takes == "query"
    assert request.headers["apikey"] == api_key
    assert is_signed(request)


@pytest.mark.parametrize("status", [200, 201, 202])
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.shows("contradiction success 200 or 201", "fact any 2xx")
def test_an_operation_takes_any_success(service: Service, prepare: Prepare, name: str, status: int) -> None:
    act = prepare(name)
    service.responds(status, success(name))
    assert act() is not None


@pytest.mark.parametrize(
    ("name", "status", "error"),
    [
        pytest.param(name, status, error, marks=pytest.mark.shows(f"error {status} {error} of {name}"))
        for name, operation in OPERATIONS.items()
        for status, error in operation.errors
    ],
)
def test_an_operation_raises_the_documented_errors(
    service: Service, prepare: Prepare, name: str, status: int, error: str
) -> None:
    act = prepare(name)
    body = {"error": error, **BODIES.get(error, {})}
    service.responds(status, json.dumps(body).encode())
    with pytest.raises(botdesk.ApiError) as caught:
        act()
    assert type(caught.value).__name__ == ERRORS[status, error]
    assert (caught.value.status, caught.value.error) == (status, error)
    assert caught.value.error_description == body.get("error_description")
    assert caught.value.error_attributes == body.get("error_attributes", {})
    assert caught.value.method == OPERATIONS[name].method


@pytest.mark.parametrize(
    ("status", "error"),
    [
        pytest.param(*operation, marks=pytest.mark.shows(f"error {operation[0]} {operation[1]}".strip()))
        for operation in ERRORS
    ],
)
def test_an_error_has_its_class(client: botdesk.Client, service: Service, status: int, error: str) -> None:
    body = json.dumps({"error": error, **BODIES.get(error, {})}).encode() if error else b"<html>no JSON at all</html>"
    service.responds(status, body)
    with pytest.raises(botdesk.ApiError) as caught:
        client.dca_bots.get(ID)
    assert type(caught.value).__name__ == ERRORS[status, error]
    assert (caught.value.status, caught.value.error) == (status, error or None)
    assert caught.value.body == body.decode()
