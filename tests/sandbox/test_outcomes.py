"""The words of errors in the sandbox. `tests/conformance` reaches every documented error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sample_calls import call

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Raw


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(bots=1) as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: botdesk.Sandbox, private_key: str) -> botdesk.Client:
    """Return a client that does not ask again."""
    api_key = sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem)
    return botdesk.Client(api_key, private_key, base_url=sandbox.url, retries=0, rate_limit=None)


def test_networks_info_names_what_is_missing(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        client.accounts.networks_info(sandbox.add_account(market_code="quay_regional"))
    assert caught.value.error_attributes == {"currency": ["is required"], "network": ["is required"]}


@pytest.mark.shows("response missing currency and network")
@pytest.mark.parametrize(
    ("query", "missing"),
    [("", {"currency", "network"}), ("?currency=USDT", {"network"}), ("?network=TRX", {"currency"})],
)
def test_deposit_data_names_what_is_missing(raw: Raw, query: str, missing: set[str]) -> None:
    assert set(raw.send("GET", f"/ver1/accounts/1001/deposit_data{query}").messages()) == missing


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
