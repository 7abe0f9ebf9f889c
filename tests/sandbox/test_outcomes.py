"""Each outcome that the API reference documents can be reached in the sandbox, through the client."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from sample_calls import SAMPLES, call

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Reach = Callable[[botdesk.Sandbox, botdesk.Client], object]

FIXTURES = Path(__file__).parents[1] / "fixtures"
# For each operation: its title, method, path, permission, the place of its inputs, the status of success, its errors.
OPERATIONS: dict[str, Any] = json.loads((FIXTURES / "documented_operations.json").read_text("utf-8"))
# The class that the client raises for a status and a code.
ERRORS: dict[str, str] = {
    f"{status} {error}".strip(): name
    for status, error, name, _ in json.loads((FIXTURES / "documented_errors.json").read_text("utf-8"))
}
LISTED: dict[str, dict[str, str]] = tomllib.loads((FIXTURES / "sandbox_outcomes.toml").read_text("utf-8"))
EVERY_OPERATION = "every operation"


def connected_twice(_: botdesk.Sandbox, client: botdesk.Client) -> object:
    call(client, "accounts.add")
    return call(client, "accounts.add")


def networks_of_a_type_that_lists_one(sandbox: botdesk.Sandbox, client: botdesk.Client) -> object:
    return client.accounts.networks_info(sandbox.add_account(market_code="quay_regional"))


def edit_of_an_unknown_bot(_: botdesk.Sandbox, client: botdesk.Client) -> object:
    return client.request("PATCH", "/ver1/bots/999/update", json={"name": "Calm"})


def funds_of_a_finished_trade(sandbox: botdesk.Sandbox, client: botdesk.Client) -> object:
    return client.smart_trades.reduce_funds_info(sandbox.add_smart_trade(status="finished"))


def without_permission(sandbox: botdesk.Sandbox, client: botdesk.Client) -> object:
    del client
    return call(client_with(sandbox, permissions=["BOTS_READ"]), "dca_bots.disable")


REFUSALS: dict[str, Reach] = {
    "accounts.add: 400 record_invalid": connected_twice,
    "accounts.rename: 401 signature_invalid": lambda sandbox, _: call(forger(sandbox), "accounts.rename"),
    "accounts.load_balances: 422 invalid_api_key": lambda _, client: client.accounts.load_balances(101),
    "accounts.networks_info: 400 record_invalid": networks_of_a_type_that_lists_one,
    "accounts.networks_info: 403 Forbidden. Unavailable for this account.": lambda _, client: (
        client.accounts.networks_info(1002)
    ),
    "accounts.deposit_data: 400 record_invalid": lambda _, client: client.request(
        "GET", "/ver1/accounts/1001/deposit_data"
    ),
    "accounts.deposit_data: 422 unknown_market_api_error": lambda _, client: client.accounts.deposit_data(
        1001, currency="SOL", network="SOL"
    ),
    "dca_bots.get: 404 Not found": lambda _, client: client.dca_bots.get(999),
    "dca_bots.edit: 400 record_invalid": lambda _, client: client.dca_bots.edit(41, cooldown=-1, validate=False),
    "dca_bots.edit: 404 Not found": edit_of_an_unknown_bot,
    "dca_bots.disable: 403 Forbidden": without_permission,
    "dca_bots.disable: 404 Not found": lambda _, client: client.dca_bots.disable(999),
    "dca_bots.cancel_all_deals: 404 Not found": lambda _, client: client.dca_bots.cancel_all_deals(999),
    "smart_trades.reduce_funds_info: 400 Wrong param(s)": funds_of_a_finished_trade,
    "smart_trades.reduce_funds_info: 404 Not found": lambda _, client: client.smart_trades.reduce_funds_info(999),
}


def key_file(keys: Path, name: str = "rsa_2048.pem") -> str:
    return (keys / name).read_text()


KEYS = FIXTURES / "keys"
PRIVATE_KEY = key_file(KEYS)


def public_pem() -> str:
    key = load_pem_private_key(PRIVATE_KEY.encode(), None).public_key()
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def connect(sandbox: botdesk.Sandbox, api_key: str, private_key: str = PRIVATE_KEY) -> botdesk.Client:
    return botdesk.Client(api_key, private_key, base_url=sandbox.url, retries=0, rate_limit=None)


def client_with(sandbox: botdesk.Sandbox, permissions: list[str] | None = None) -> botdesk.Client:
    return connect(sandbox, sandbox.add_key(public_pem(), permissions))


def forger(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Return a client whose private key is not the pair of the public key that was registered."""
    return connect(sandbox, sandbox.add_key(public_pem()), key_file(KEYS, "rsa_3072.pem"))


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(bots=1) as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Return a client that does not ask again."""
    return client_with(sandbox)


def shows(outcome: str) -> pytest.MarkDecorator:
    return pytest.mark.shows(f"outcome {outcome}")


def sent(sandbox: botdesk.Sandbox, operation: str) -> Any:  # noqa: ANN401
    """Return the last request, and check that it is of the operation."""
    _, method, path, *_ = OPERATIONS[operation]
    request = sandbox.requests[-1]
    literal = [part for part in path.split("/") if not part.startswith("{")]
    assert request.method == method
    assert [part for part in request.path.removeprefix("/public/api").split("/") if not part.isdigit()] == literal
    return request


@pytest.mark.parametrize(
    "operation", [pytest.param(name, marks=shows(f"{name}: {OPERATIONS[name][5]}")) for name in OPERATIONS]
)
def test_every_operation_succeeds(operation: str, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    call(client, operation)
    assert sent(sandbox, operation).status == OPERATIONS[operation][5]


@pytest.mark.parametrize("outcome", [pytest.param(name, marks=shows(name)) for name in REFUSALS])
def test_every_documented_error_can_be_reached(outcome: str, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    operation, _, error = outcome.partition(": ")
    with pytest.raises(botdesk.ApiError) as caught:
        REFUSALS[outcome](sandbox, client)
    assert f"{caught.value.status} {caught.value.error}" == error
    assert type(caught.value).__name__ == ERRORS[error]
    assert sent(sandbox, operation).carried_out is False


def test_networks_info_names_what_is_missing(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        networks_of_a_type_that_lists_one(sandbox, client)
    assert caught.value.error_attributes == {"currency": ["is required"], "network": ["is required"]}


def test_every_listed_outcome_has_its_way() -> None:
    listed = {f"{name}: {outcome}" for name, outcomes in LISTED.items() for outcome in outcomes}
    of_one = {outcome for outcome in listed if not outcome.startswith(EVERY_OPERATION)}
    assert of_one == set(REFUSALS) | {f"{name}: {row[5]}" for name, row in OPERATIONS.items()}


def fault(sandbox: botdesk.Sandbox, operation: str, **options: Any) -> botdesk.Client:  # noqa: ANN401
    sandbox.faults.add(operation, kind="status", **options)
    return client_with(sandbox)


PERMISSIONS: list[str] = sorted({row[3] for row in OPERATIONS.values()})
PLAN = "429 The request type 'read' is not available with your current subscription plan"
# How to reach each error that every operation can return: a function that makes the client to call it with.
OF_EVERY_OPERATION: dict[str, Callable[[botdesk.Sandbox, str], botdesk.Client]] = {
    "401 signature_invalid": lambda sandbox, _: forger(sandbox),
    "401 api_key_invalid_or_expired": lambda sandbox, _: connect(sandbox, "unknown"),
    "403 Forbidden": lambda sandbox, operation: client_with(
        sandbox, [name for name in PERMISSIONS if name != OPERATIONS[operation][3]]
    ),
    "418": lambda sandbox, operation: fault(sandbox, operation, status=418),
    "429": lambda sandbox, operation: fault(sandbox, operation, status=429),
    PLAN: lambda sandbox, operation: fault(sandbox, operation, plan=True),
    "502": lambda sandbox, operation: fault(sandbox, operation, status=502),
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    "error", [pytest.param(error, marks=shows(f"{EVERY_OPERATION}: {error}")) for error in OF_EVERY_OPERATION]
)
def test_an_error_of_every_operation_can_be_reached_for_each(
    operation: str, error: str, sandbox: botdesk.Sandbox
) -> None:
    client = OF_EVERY_OPERATION[error](sandbox, operation)
    _, method, path, *_ = OPERATIONS[operation]
    path = re.sub(r"\{\w+\}", str(SAMPLES[operation].record_id), path)
    with pytest.raises(botdesk.ApiError) as caught:
        client.request(method, path)
    assert type(caught.value).__name__ == ERRORS[error]
    status, _, code = error.partition(" ")
    assert caught.value.status == int(status)
    assert error == PLAN or (caught.value.error or "").startswith(code)
    assert sent(sandbox, operation).carried_out is False


@pytest.mark.parametrize("operation", ["accounts.networks_info", "accounts.deposit_data"])
def test_a_fault_of_400_names_the_currency_and_the_network(
    operation: str, sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    sandbox.faults.add(operation, kind="status", status=400)
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        call(client, operation)
    assert caught.value.error_attributes == {"currency": ["is required"], "network": ["is required"]}


@pytest.mark.parametrize(
    ("operation", "status", "words"),
    [
        ("accounts.networks_info", 403, ("Forbidden. Unavailable for this account.", None)),
        ("accounts.rename", 403, ("Forbidden", None)),
        ("smart_trades.reduce_funds_info", 404, ("Not found", "Smart Trade not found")),
        ("dca_bots.get", 404, ("Not found", None)),
    ],
)
def test_a_fault_has_the_words_of_the_reference(
    operation: str, status: int, words: tuple[str, str | None], sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    sandbox.faults.add(operation, kind="status", status=status)
    with pytest.raises(botdesk.ApiError) as caught:
        call(client, operation)
    assert (caught.value.error, caught.value.error_description) == words
