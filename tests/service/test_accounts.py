"""Exchange accounts: requests, results, and rejected arguments."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import BotSandbox, Service

    Call = Callable[..., Any]

NEW: dict[str, Any] = {
    "type": "binance",
    "name": "Mein Börsenkonto",
    "api_key": "exchange-key-4711",
    "secret": "exchange-secret-4712",
    "types_to_create": ["binance_margin"],
}
SECRETS: dict[str, str] = {
    "api_key": "exchange-key-4711",
    "secret": "exchange-secret-4712",
    "passphrase": "exchange-phrase-4713",
    "customer_id": "exchange-customer-4714",
    "address": "0xexchange-address-4715",
}


class TestAdding:
    def test_the_new_account_can_be_used_at_once(self, context: BotSandbox, call: Call) -> None:
        added = call(context.client.accounts, "add", **NEW)
        assert added.rename("Renamed").id == added.id

    @pytest.mark.shows("response duplicate API key")
    def test_a_key_that_is_connected_already_is_rejected_by_the_service(self, context: BotSandbox, call: Call) -> None:
        context.client.accounts.add(**NEW)
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            call(context.client.accounts, "add", **NEW)
        assert (caught.value.status, caught.value.error) == (400, "record_invalid")
        assert set(caught.value.error_attributes) == {"api_key"}
        assert "already connected" in str(caught.value)


class TestNetworksInfo:
    @pytest.mark.shows("fact one network info")
    def test_a_single_object_reads_as_a_list_of_one(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        service.respond = lambda _: '{"currency":"XRP","network_list":[{"network":"XRP","withdrawMax":"10"}]}'
        (only,) = call(service_client.accounts, "networks_info", 1001)
        assert (only.currency, only.network_list[0].withdraw_max) == ("XRP", Decimal(10))

    def test_no_permission_is_suggested_if_the_account_is_the_problem(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.ForbiddenError) as caught:
            context.client.accounts.networks_info(104)
        assert "permission" not in str(caught.value)


class TestDepositData:
    @pytest.mark.shows("response message of the exchange")
    def test_the_error_for_a_closed_network_has_the_message_of_the_exchange(
        self, context: BotSandbox, call: Call
    ) -> None:
        with pytest.raises(botdesk.MarketApiError, match="SOL") as caught:
            call(context.client.accounts, "deposit_data", 1001, currency="SOL", network="SOL")
        assert (caught.value.status, caught.value.error) == (422, "unknown_market_api_error")
        assert str(caught.value.error_description) in str(caught.value)


class TestLeverageData:
    @pytest.mark.shows("contradiction page required with a default")
    def test_a_pair_alone_requests_the_first_page(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service.respond = lambda _: "[]"
        service_client.accounts.leverage_data(1002, pair="USDT_BTC")
        assert parse_qsl(service.sent[0].target.partition("?")[2]) == [("page", "1"), ("pair", "USDT_BTC")]

    def test_the_bounds_have_one_of_two_names(self) -> None:
        for name in ("valid", "value"):
            read = botdesk.LeverageType.from_json(json.dumps({"code": "cross", name: {"min": 1, "max": "125.0"}}))
            assert read.valid == {"min": 1, "max": "125.0"}

    def test_a_page_of_none_is_the_first(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service.respond = lambda _: "[]"
        service_client.accounts.leverage_data(1002, page=None)
        assert service.sent[0].target.endswith("?page=1")


class TestSecrets:
    """Keys, phrases, customer identifiers and addresses can be read as attributes, and are shown nowhere."""

    def test_a_record_reads_its_key_and_does_not_show_it(self) -> None:
        account = botdesk.Account.from_json(json.dumps({"id": 1, "api_key": "k-4711", "customer_id": "c-4714"}))
        assert (account.api_key, account.customer_id) == ("k-4711", "c-4714")
        for shown in (repr(account), str(account), f"{account}", repr([account])):
            assert "4711" not in shown
            assert "4714" not in shown

    def test_deposit_data_reads_its_address_and_does_not_show_it(self) -> None:
        data = botdesk.DepositData.from_json(json.dumps({"address": "a-4715", "address_tag": "t-4716"}))
        assert (data.address, data.address_tag) == ("a-4715", "t-4716")
        for shown in (repr(data), str(data), repr([data])):
            assert "4715" not in shown
            assert "4716" not in shown

    @pytest.mark.parametrize(
        ("record", "field"),
        [
            ("Account", "api_key"),
            ("Account", "customer_id"),
            ("DepositData", "address"),
            ("DepositData", "address_tag"),
        ],
    )
    def test_a_secret_that_cannot_be_read_is_not_shown(self, record: str, field: str) -> None:
        made = getattr(botdesk, record).from_json(json.dumps({field: {"hidden": "x-4711"}}))
        with pytest.raises(botdesk.DecodeError) as caught:
            getattr(made, field)
        assert "4711" not in f"{caught.value!s}{caught.value!r}{caught.value.body}"

    def test_an_error_of_something_else_does_not_show_a_secret(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            context.client.accounts.add(**{**NEW, **SECRETS, "name": ""})
        output = f"{caught.value!s}{caught.value!r}"
        assert [secret for secret in SECRETS.values() if secret in output] == []

    def test_the_sandbox_keeps_what_is_no_secret(self, context: BotSandbox) -> None:
        context.client.accounts.add(**{**NEW, **SECRETS})
        assert context.body["name"] == NEW["name"]
        assert set(context.body) == {*NEW, *SECRETS}

    def test_an_address_that_the_service_gives_is_not_shown(self, context: BotSandbox) -> None:
        data = context.client.accounts.deposit_data(1001, currency="USDT", network="TRX")
        assert data.address
        assert data.address not in f"{data!r}{data!s}{context.sent!r}"
