"""Accounts of a sandbox that are edited, sold and converted."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    with botdesk.Sandbox(fee=0) as sandbox:
        yield sandbox


def held(client: botdesk.Client, account: int) -> dict[str, Decimal]:
    """Return the balances of an account, by currency."""
    rows: Any = client.accounts.table_data(account)
    return {row.currency_code: row.position for row in rows}


def test_a_new_name_appears_in_the_records_of_the_account(client: botdesk.Client) -> None:
    client.accounts.edit(1001, name="Main")
    assert client.accounts.get(1001).name == "Main"
    assert client.grid_bots.get(201).account_name == "Main"


def test_new_keys_connect_an_account_again(client: botdesk.Client) -> None:
    before = client.accounts.get(101)
    assert (before.api_key_invalid, before.api_keys_state) == (True, "expired")
    after = client.accounts.edit(101, api_key="new-key", secret="new-secret", passphrase="words")
    assert (after.api_key_invalid, after.api_keys_state, after.name) == (False, "ok", before.name)


def test_an_exchange_requires_its_passphrase_beside_new_keys(client: botdesk.Client) -> None:
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        client.accounts.edit(101, api_key="new-key", secret="new-secret")
    assert caught.value.error_attributes == {"passphrase": ["is required"]}


def test_the_key_of_another_account_is_refused(client: botdesk.Client) -> None:
    client.accounts.edit(1001, api_key="the-same-key", secret="secret")
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        client.accounts.edit(1002, api_key="the-same-key", secret="secret")
    assert caught.value.error_attributes == {"api_key": ["This account is already connected"]}
    assert "the-same-key" not in str(caught.value)


@pytest.mark.shows("rule accounts.edit: keys_are_given_together")
@pytest.mark.parametrize(("given", "missing"), [("api_key", "secret"), ("secret", "api_key")])
def test_one_key_alone_is_not_sent(sandbox: botdesk.Sandbox, client: botdesk.Client, given: str, missing: str) -> None:
    keys: Any = {given: "a-credential"}
    with pytest.raises(botdesk.ValidationError) as caught:
        client.accounts.edit(1001, **keys)
    assert set(caught.value.errors) == {missing}
    assert "a-credential" not in str(caught.value)
    assert sandbox.requests == []
    with pytest.raises(botdesk.RecordInvalidError) as refused:
        client.request("POST", "/ver1/accounts/update", json={"account_id": 1001, **keys})
    assert set(refused.value.error_attributes) == {missing}


def test_an_edit_without_a_change_is_not_sent(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    with pytest.raises(botdesk.ValidationError, match=r"nothing is changed.*client\.request sends it anyway"):
        client.accounts.edit(1001)
    assert sandbox.requests == []


def test_a_summary_counts_an_account_as_its_setting_says(client: botdesk.Client) -> None:
    before: Any = client.accounts.get("summary").usd_amount
    assert client.accounts.edit(1001, include_in_summary=False).include_in_summary is False
    assert client.accounts.get("summary").usd_amount < before


def test_everything_is_closed_and_sold(client: botdesk.Client) -> None:
    before: Any = client.accounts.get(1001).usd_amount
    others = client.accounts.active_trading_entities(1002)
    account = client.accounts.sell_all_to_usd(1001)
    counts = client.accounts.active_trading_entities(1001)
    assert {*counts.to_dict().values()} == {0}
    assert client.accounts.active_trading_entities(1002).to_dict() == others.to_dict()
    assert not any(bot.is_enabled for bot in client.dca_bots.iter(account_id=1001))
    assert [*held(client, 1001)] == ["USDT"]
    assert account.usd_amount == client.accounts.get(1001).usd_amount
    assert abs(account.usd_amount - before) < Decimal("0.02")


def test_a_sale_for_bitcoin_leaves_bitcoin_less_the_costs(tmp_path: Path) -> None:
    with botdesk.Sandbox(fee="0.001") as sandbox:
        client = sandbox.client()
        before = held(client, 102)
        value: Any = client.accounts.get(102).usd_amount
        client.accounts.sell_all_to_btc(102)
        after = held(client, 102)
        assert [*after] == ["BTC"]
        assert after["BTC"] > before["BTC"]
        assert Decimal("0.9985") < client.accounts.get(102).usd_amount / value < 1
        assert client.accounts.load_balances(102).btc_amount == after["BTC"]
        sandbox.dump(tmp_path / "state.json")
        with botdesk.Sandbox(state=tmp_path / "state.json") as loaded:
            assert held(loaded.client(), 102) == after


def test_an_account_that_cannot_sell_everything_is_left_alone(client: botdesk.Client) -> None:
    before = held(client, 104)
    with pytest.raises(botdesk.ForbiddenError):
        client.accounts.sell_all_to_usd(104)
    assert held(client, 104) == before


def test_small_balances_become_bnb_once_in_six_hours(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    before: Any = client.accounts.get(1001).usd_amount
    result: Any = client.accounts.convert_dust_to_bnb(1001, ["XRP", "DOGE"])
    assert result.total_transfered == sum(each.transfered_amount for each in result.transfer_result)
    assert held(client, 1001)["BNB"] == result.total_transfered
    assert client.accounts.get(1001).usd_amount < before
    with pytest.raises(botdesk.ApiError, match="bnb_dust_limit_error"):
        client.accounts.convert_dust_to_bnb(1001, ["SOL"])
    sandbox.clock.advance(seconds=6 * 3600)
    client.accounts.convert_dust_to_bnb(1001, ["SOL"])
    assert held(client, 1001)["BNB"] > result.total_transfered


@pytest.mark.parametrize("codes", [[], ["BNB"]])
def test_a_conversion_of_nothing_is_not_sent(
    sandbox: botdesk.Sandbox, client: botdesk.Client, codes: list[str]
) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        client.accounts.convert_dust_to_bnb(1001, codes)
    assert set(caught.value.errors) == {"codes"}
    assert sandbox.requests == []
