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
NO_IDENTIFIERS = [0, -1, "0", "one", "", 1.5, True, None, 2**63, 2**64 - 1, 2**64, [1001]]


def errors_of(operation: Callable[[], object]) -> dict[str, list[str]]:
    """Return the errors that are raised before anything is sent."""
    with pytest.raises(botdesk.ValidationError) as caught:
        operation()
    return caught.value.errors


@pytest.fixture
def account(context: BotSandbox) -> Any:  # noqa: ANN401
    """Return the sandbox's account on a spot market."""
    return context.client.accounts.load_balances(1001)


class TestAdding:
    def test_it_posts_the_fields_that_are_given(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        call(service_client.accounts, "add", **NEW)
        (sent,) = service.sent
        assert (sent.method, sent.target) == ("POST", "/public/api/ver1/accounts/new")
        assert json.loads(sent.body) == NEW

    def test_it_sends_every_optional_field_too(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        call(service_client.accounts, "add", **{**NEW, **SECRETS})
        assert json.loads(service.sent[0].body) == {**NEW, **SECRETS}

    def test_characters_beyond_ascii_are_escaped(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service_client.accounts.add(**{**NEW, "name": "Бот 🤖"})
        assert service.sent[0].body.isascii()
        assert json.loads(service.sent[0].body)["name"] == "Бот 🤖"

    def test_an_empty_list_of_types_to_create_is_sent(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service_client.accounts.add(**{**NEW, "types_to_create": []})
        assert json.loads(service.sent[0].body)["types_to_create"] == []

    def test_the_new_account_comes_back(self, context: BotSandbox, call: Call) -> None:
        added = call(context.client.accounts, "add", **NEW)
        assert type(added) is botdesk.Account
        assert added.name == NEW["name"]

    def test_the_new_account_can_be_used_at_once(self, context: BotSandbox, call: Call) -> None:
        added = call(context.client.accounts, "add", **NEW)
        assert added.rename("Renamed").id == added.id

    @pytest.mark.parametrize("field", ["type", "name", "api_key", "secret", "types_to_create"])
    def test_a_required_field_that_is_missing_is_reported(self, context: BotSandbox, field: str) -> None:
        given = {name: value for name, value in NEW.items() if name != field}
        assert errors_of(lambda: context.client.accounts.add(**given)) == {field: ["is required"]}
        assert context.sent == []

    @pytest.mark.parametrize("field", ["type", "name", "api_key", "secret", "types_to_create"])
    def test_a_required_field_cannot_be_none(self, context: BotSandbox, field: str) -> None:
        assert set(errors_of(lambda: context.client.accounts.add(**{**NEW, field: None}))) == {field}
        assert context.sent == []

    @pytest.mark.parametrize("field", ["type", "name", "api_key", "secret"])
    def test_a_required_text_cannot_be_empty(self, context: BotSandbox, field: str) -> None:
        assert set(errors_of(lambda: context.client.accounts.add(**{**NEW, field: ""}))) == {field}
        assert context.sent == []

    def test_all_that_is_missing_is_reported_at_once(self, context: BotSandbox, call: Call) -> None:
        assert set(errors_of(lambda: call(context.client.accounts, "add"))) == set(NEW)
        assert context.sent == []

    @pytest.mark.parametrize("address", [{}, {"address": None}, {"address": ""}], ids=["missing", "None", "empty"])
    @pytest.mark.shows("rule accounts.add.address: required when type is ethereumwallet")
    def test_a_wallet_needs_its_address(self, context: BotSandbox, address: dict[str, Any]) -> None:
        errors = errors_of(lambda: context.client.accounts.add(**{**NEW, "type": "ethereumwallet", **address}))
        assert list(errors) == ["address"]
        assert "ethereumwallet" in errors["address"][0]
        assert context.sent == []

    @pytest.mark.shows("rule accounts.add.address: required when type is ethereumwallet")
    def test_a_wallet_with_its_address_is_added(self, context: BotSandbox) -> None:
        added = context.client.accounts.add(**{**NEW, "type": "ethereumwallet", "address": SECRETS["address"]})
        assert added.market_code == "ethereumwallet"

    @pytest.mark.parametrize("types", ["margin", [1], [None], {"margin": 1}, 5], ids=repr)
    def test_types_to_create_are_a_list_of_texts(self, context: BotSandbox, types: object) -> None:
        assert set(errors_of(lambda: context.client.accounts.add(**{**NEW, "types_to_create": types}))) == {
            "types_to_create"
        }
        assert context.sent == []

    @pytest.mark.shows("response duplicate API key")
    def test_a_key_that_is_connected_already_is_rejected_by_the_service(self, context: BotSandbox, call: Call) -> None:
        context.client.accounts.add(**NEW)
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            call(context.client.accounts, "add", **NEW)
        assert (caught.value.status, caught.value.error) == (400, "record_invalid")
        assert set(caught.value.error_attributes) == {"api_key"}
        assert "already connected" in str(caught.value)


class TestRenaming:
    def test_it_posts_the_name_in_the_query(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        call(service_client.accounts, "rename", 1001, "Main")
        (sent,) = service.sent
        assert sent == ("POST", "/public/api/ver1/accounts/1001/rename?name=Main", "")

    @pytest.mark.parametrize(
        "name", ["Mein Börsenkonto", "Бот 🤖", "a b+c", "a&b=c#d?e/f%20", "[x|y]", "'\"<>\\", "~-._"]
    )
    @pytest.mark.shows("contradiction name typed integer")
    def test_a_name_travels_whole(self, context: BotSandbox, name: str, call: Call) -> None:
        assert call(context.client.accounts, "rename", 1001, name).name == name
        query = context.sent[-1].query
        assert query.isascii()
        assert parse_qsl(query.lstrip("?")) == [("name", name)]

    def test_what_is_not_plain_is_percent_encoded_as_utf_8(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service_client.accounts.rename(1001, "Fr\u00fch & 10% +")
        assert service.sent[0].target.partition("?")[2] == "name=Fr%C3%BCh%20%26%2010%25%20%2B"

    def test_a_record_is_renamed_by_its_own_identifier(self, context: BotSandbox, account: Any, call: Call) -> None:  # noqa: ANN401
        renamed = call(account, "rename", "Main")
        assert (renamed.id, renamed.name) == (1001, "Main")
        assert (context.sent[-1].method, context.sent[-1].status) == ("POST", 201)

    def test_a_record_that_was_renamed_keeps_its_name(self, account: Any) -> None:  # noqa: ANN401
        before = account.name
        account.rename("Main")
        assert account.name == before

    @pytest.mark.parametrize("name", [None, "", 5, ["Main"]], ids=repr)
    @pytest.mark.shows("contradiction name typed integer")
    def test_a_name_is_a_string_with_something_in_it(self, context: BotSandbox, name: object, call: Call) -> None:
        assert set(errors_of(lambda: call(context.client.accounts, "rename", 1001, name))) == {"name"}
        assert context.sent == []

    def test_a_name_is_validated_alike_on_a_record(self, context: BotSandbox, account: Any, call: Call) -> None:  # noqa: ANN401
        before = len(context.sent)
        assert set(errors_of(lambda: call(account, "rename", ""))) == {"name"}
        assert len(context.sent) == before

    @pytest.mark.shows("authentication 7")
    def test_a_wrong_signature_is_reported(
        self, sandbox: botdesk.Sandbox, other_public_pem: str, private_pem: str
    ) -> None:
        other = botdesk.Client(sandbox.add_key(other_public_pem), private_pem, base_url=sandbox.url)
        with pytest.raises(botdesk.SignatureInvalidError) as caught:
            other.accounts.rename(1001, "Main")
        assert (caught.value.status, caught.value.error) == (401, "signature_invalid")


class TestLoadingBalances:
    def test_it_posts_nothing_but_the_path(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        call(service_client.accounts, "load_balances", 1001)
        assert service.sent == [("POST", "/public/api/ver1/accounts/1001/load_balances", "")]

    def test_the_account_comes_back(self, context: BotSandbox, call: Call) -> None:
        loaded = call(context.client.accounts, "load_balances", 1001)
        assert (type(loaded), loaded.id) == (botdesk.Account, 1001)
        assert type(loaded.primary_display_currency_amount) is botdesk.Money

    def test_a_record_loads_its_own(self, context: BotSandbox, account: Any, call: Call) -> None:  # noqa: ANN401
        assert call(account, "load_balances").id == 1001
        assert context.sent[-1].path == "/public/api/ver1/accounts/1001/load_balances"

    def test_a_key_that_the_exchange_rejects_is_reported(self, context: BotSandbox, call: Call) -> None:
        with pytest.raises(botdesk.InvalidApiKeyError) as caught:
            call(context.client.accounts, "load_balances", 101)
        assert (caught.value.status, caught.value.error) == (422, "invalid_api_key")


class TestNetworksInfo:
    def test_it_asks_without_a_query(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        service.respond = lambda _: "[]"
        call(service_client.accounts, "networks_info", 1001)
        assert service.sent == [("GET", "/public/api/ver1/accounts/1001/networks_info", "")]

    def test_a_purpose_of_none_is_not_sent(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        service.respond = lambda _: "[]"
        call(service_client.accounts, "networks_info", 1001, purpose=None)
        assert service.sent[0].target.endswith("/networks_info")

    @pytest.mark.parametrize("purpose", ["deposit", "withdraw"])
    @pytest.mark.shows("contradiction purpose typed integer")
    def test_a_purpose_is_sent(self, context: BotSandbox, purpose: str, call: Call) -> None:
        networks = call(context.client.accounts, "networks_info", 1001, purpose=purpose)
        assert context.sent[-1].query.lstrip("?") == f"purpose={purpose}"
        assert all(getattr(network, f"{purpose}_enable") for network in networks)

    @pytest.mark.parametrize("purpose", ["Deposit", "both", 1, ["deposit"]], ids=repr)
    @pytest.mark.shows("contradiction purpose typed integer")
    def test_any_other_purpose_is_rejected(self, context: BotSandbox, purpose: object, call: Call) -> None:
        errors = errors_of(lambda: call(context.client.accounts, "networks_info", 1001, purpose=purpose))
        assert list(errors) == ["purpose"]
        assert context.sent == []

    def test_an_error_shows_the_purposes_there_are(self, context: BotSandbox) -> None:
        ((message,),) = errors_of(lambda: context.client.accounts.networks_info(1001, purpose="both")).values()
        assert "deposit" in message
        assert "withdraw" in message

    def test_records_of_networks_come_back(self, context: BotSandbox, call: Call) -> None:
        networks = call(context.client.accounts, "networks_info", 1001)
        assert {type(network) for network in networks} == {botdesk.NetworkInfo}
        assert {type(one) for network in networks for one in network.network_list} == {botdesk.Network}

    def test_a_record_requests_its_own(self, context: BotSandbox, account: Any, call: Call) -> None:  # noqa: ANN401
        assert call(account, "networks_info", purpose="deposit")[0].currency == "BTC"
        assert context.sent[-1].path == "/public/api/ver1/accounts/1001/networks_info"
        assert context.sent[-1].query.lstrip("?") == "purpose=deposit"

    @pytest.mark.shows("fact one network info")
    def test_a_single_object_reads_as_a_list_of_one(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        service.respond = lambda _: '{"currency":"XRP","network_list":[{"network":"XRP","withdrawMax":"10"}]}'
        (only,) = call(service_client.accounts, "networks_info", 1001)
        assert (only.currency, only.network_list[0].withdraw_max) == ("XRP", Decimal(10))

    @pytest.mark.parametrize("account_id", [104, 1002])
    @pytest.mark.shows("response exchanges with networks")
    def test_an_account_without_networks_is_rejected_by_the_service(
        self, context: BotSandbox, account_id: int, call: Call
    ) -> None:
        with pytest.raises(botdesk.ForbiddenError) as caught:
            call(context.client.accounts, "networks_info", account_id)
        assert (caught.value.status, caught.value.error) == (403, "Forbidden. Unavailable for this account.")

    def test_no_permission_is_suggested_if_the_account_is_the_problem(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.ForbiddenError) as caught:
            context.client.accounts.networks_info(104)
        assert "permission" not in str(caught.value)


class TestDepositData:
    def test_it_requests_the_currency_and_the_network(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        call(service_client.accounts, "deposit_data", 1001, currency="USDT", network="TRX")
        target = "/public/api/ver1/accounts/1001/deposit_data?currency=USDT&network=TRX"
        assert service.sent == [("GET", target, "")]

    def test_its_query_is_percent_encoded(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service_client.accounts.deposit_data(1001, currency="Ü&", network="a b")
        assert service.sent[0].target.partition("?")[2] == "currency=%C3%9C%26&network=a%20b"

    def test_the_deposit_data_comes_back(self, context: BotSandbox, call: Call) -> None:
        data = call(context.client.accounts, "deposit_data", 1001, currency="USDT", network="TRX")
        assert type(data) is botdesk.DepositData
        assert data.address
        amounts = [data.available_balance, data.in_orders, data.total_balance]
        assert {type(amount) for amount in amounts} == {Decimal}

    def test_a_record_requests_its_own(self, context: BotSandbox, account: Any, call: Call) -> None:  # noqa: ANN401
        call(account, "deposit_data", currency="USDT", network="TRX")
        assert context.sent[-1].path == "/public/api/ver1/accounts/1001/deposit_data"
        assert context.sent[-1].query.lstrip("?") == "currency=USDT&network=TRX"

    @pytest.mark.parametrize("value", [None, "", 5], ids=repr)
    def test_currency_and_network_are_texts_with_something_in_them(
        self, context: BotSandbox, value: object, call: Call
    ) -> None:
        errors = errors_of(lambda: call(context.client.accounts, "deposit_data", 1001, currency=value, network=value))
        assert set(errors) == {"currency", "network"}
        assert context.sent == []

    def test_currency_and_network_are_given_by_name(self, context: BotSandbox) -> None:
        with pytest.raises(TypeError):
            context.client.accounts.deposit_data(1001, "USDT", "TRX")
        assert context.sent == []

    @pytest.mark.shows("response message of the exchange")
    def test_the_error_for_a_closed_network_has_the_message_of_the_exchange(
        self, context: BotSandbox, call: Call
    ) -> None:
        with pytest.raises(botdesk.MarketApiError, match="SOL") as caught:
            call(context.client.accounts, "deposit_data", 1001, currency="SOL", network="SOL")
        assert (caught.value.status, caught.value.error) == (422, "unknown_market_api_error")
        assert str(caught.value.error_description) in str(caught.value)


class TestLeverageData:
    @pytest.mark.shows("rule accounts.leverage_data.page: default 1", "contradiction page required with a default")
    def test_it_requests_the_first_page(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        service.respond = lambda _: "[]"
        call(service_client.accounts, "leverage_data", 1002)
        assert service.sent == [("GET", "/public/api/ver1/accounts/1002/leverage_data?page=1", "")]

    def test_page_and_pair_are_sent(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        service.respond = lambda _: "[]"
        call(service_client.accounts, "leverage_data", 1002, page=2, pair="USDT_BTC")
        assert parse_qsl(service.sent[0].target.partition("?")[2]) == [("page", "2"), ("pair", "USDT_BTC")]

    def test_a_pair_alone_requests_the_first_page(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service.respond = lambda _: "[]"
        service_client.accounts.leverage_data(1002, pair="USDT_BTC")
        assert parse_qsl(service.sent[0].target.partition("?")[2]) == [("page", "1"), ("pair", "USDT_BTC")]

    def test_a_page_of_none_is_the_first(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service.respond = lambda _: "[]"
        service_client.accounts.leverage_data(1002, page=None)
        assert service.sent[0].target.endswith("?page=1")

    def test_the_kinds_of_leverage_come_back(self, context: BotSandbox, call: Call) -> None:
        kinds = call(context.client.accounts, "leverage_data", 1002)
        assert [kind.code for kind in kinds] == ["none", "cross", "isolated"]
        assert {type(kind) for kind in kinds} == {botdesk.LeverageType}

    def test_a_record_requests_its_own(self, context: BotSandbox, account: Any, call: Call) -> None:  # noqa: ANN401
        assert [kind.code for kind in call(account, "leverage_data", page=1)] == ["none"]
        assert context.sent[-1].path == "/public/api/ver1/accounts/1001/leverage_data"
        assert context.sent[-1].query.lstrip("?") == "page=1"

    @pytest.mark.parametrize("page", [0, -1, 1.5, "one", True], ids=repr)
    def test_a_page_is_a_whole_number_from_1_on(self, context: BotSandbox, page: object, call: Call) -> None:
        assert set(errors_of(lambda: call(context.client.accounts, "leverage_data", 1002, page=page))) == {"page"}
        assert context.sent == []

    def test_a_pair_is_a_string(self, context: BotSandbox) -> None:
        assert set(errors_of(lambda: context.client.accounts.leverage_data(1002, pair=5))) == {"pair"}
        assert context.sent == []


OF_ONE_ACCOUNT: dict[str, dict[str, Any]] = {
    "rename": {"name": "Main"},
    "load_balances": {},
    "networks_info": {},
    "deposit_data": {"currency": "USDT", "network": "TRX"},
    "leverage_data": {},
}
PERMISSIONS = {
    "add": "ACCOUNTS_WRITE",
    "rename": "ACCOUNTS_READ",
    "load_balances": "ACCOUNTS_WRITE",
    "networks_info": "ACCOUNTS_READ",
    "deposit_data": "ACCOUNTS_READ",
    "leverage_data": "ACCOUNTS_READ",
}


class TestEachOperation:
    @pytest.mark.parametrize("operation", OF_ONE_ACCOUNT)
    @pytest.mark.parametrize("account_id", NO_IDENTIFIERS, ids=repr)
    def test_it_needs_an_identifier(self, context: BotSandbox, operation: str, account_id: object, call: Call) -> None:
        named = OF_ONE_ACCOUNT[operation]
        assert set(errors_of(lambda: call(context.client.accounts, operation, account_id, **named))) == {"account_id"}
        assert context.sent == []

    @pytest.mark.parametrize("operation", OF_ONE_ACCOUNT)
    def test_an_account_that_is_not_there_is_reported(self, context: BotSandbox, operation: str, call: Call) -> None:
        with pytest.raises(botdesk.NotFoundError) as caught:
            call(context.client.accounts, operation, 9_999, **OF_ONE_ACCOUNT[operation])
        assert caught.value.status == 404

    @pytest.mark.parametrize("operation", PERMISSIONS)
    @pytest.mark.shows("contradiction permission of Rename", "authentication 6")
    def test_it_is_rejected_without_its_permission(
        self, sandbox: botdesk.Sandbox, client_of: Call, operation: str, call: Call
    ) -> None:
        others = {*PERMISSIONS.values(), "BOTS_READ", "BOTS_WRITE", "SMART_TRADES_WRITE"} - {PERMISSIONS[operation]}
        accounts = client_of(sandbox, sorted(others)).accounts
        arguments: tuple[object, ...] = () if operation == "add" else (1001,)
        with pytest.raises(botdesk.ForbiddenError, match=PERMISSIONS[operation]):
            call(accounts, operation, *arguments, **OF_ONE_ACCOUNT.get(operation, NEW))

    @pytest.mark.parametrize("operation", OF_ONE_ACCOUNT)
    def test_a_record_that_no_client_made_has_none_to_call(self, operation: str, call: Call) -> None:
        account = botdesk.Account.from_json('{"id":1001}')
        with pytest.raises(botdesk.ConfigurationError):
            call(account, operation, **OF_ONE_ACCOUNT[operation])

    @pytest.mark.parametrize("operation", OF_ONE_ACCOUNT)
    def test_an_identifier_past_32_bits_is_sent_whole(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        operation: str,
    ) -> None:
        if operation in {"networks_info", "leverage_data"}:
            service.respond = lambda _: "[]"
        getattr(service_client.accounts, operation)(2_376_446_537, **OF_ONE_ACCOUNT[operation])
        assert f"/accounts/2376446537/{operation}" in service.sent[0].target


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

    @pytest.mark.parametrize(
        "field",
        [pytest.param(name, marks=pytest.mark.shows(f"rule accounts.add.{name}: never shown")) for name in SECRETS],
    )
    def test_an_error_does_not_show_a_secret(self, context: BotSandbox, field: str) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            context.client.accounts.add(**{**NEW, **SECRETS, field: [SECRETS[field]]})
        assert list(caught.value.errors) == [field]
        output = f"{caught.value!s}{caught.value!r}{caught.value.errors}"
        assert [secret for secret in SECRETS.values() if secret in output] == []

    def test_an_error_of_something_else_does_not_show_a_secret(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            context.client.accounts.add(**{**NEW, **SECRETS, "name": ""})
        output = f"{caught.value!s}{caught.value!r}"
        assert [secret for secret in SECRETS.values() if secret in output] == []

    @pytest.mark.parametrize("field", SECRETS)
    def test_an_error_of_the_service_does_not_show_a_secret(self, context: BotSandbox, field: str) -> None:
        context.client.accounts.add(**{**NEW, **SECRETS})
        with pytest.raises(botdesk.ApiError) as caught:
            context.client.accounts.add(**{**NEW, **SECRETS})
        assert SECRETS[field] not in f"{caught.value!s}{caught.value!r}{caught.value.args}"

    @pytest.mark.parametrize("field", SECRETS)
    @pytest.mark.parametrize("status", [400, 422, 502])
    def test_an_error_that_repeats_a_secret_does_not_show_it(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        field: str,
        status: int,
    ) -> None:
        service.status = status
        said = f"{SECRETS[field]} is bad"
        service.respond = lambda _: json.dumps(
            {"error": "record_invalid", "error_description": said, "error_attributes": {field: [said]}}
        )
        with pytest.raises(botdesk.ApiError) as caught:
            service_client.accounts.add(**{**NEW, **SECRETS})
        error = caught.value
        output = f"{error!s}{error!r}{error.body}{error.error_description}{error.error_attributes}"
        assert SECRETS[field] not in output

    @pytest.mark.parametrize("field", SECRETS)
    def test_an_unreadable_response_that_repeats_a_secret_does_not_show_it(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        field: str,
    ) -> None:
        service.respond = lambda _: f"<html>{SECRETS[field]}</html>"
        with pytest.raises(botdesk.DecodeError) as caught:
            service_client.accounts.add(**{**NEW, **SECRETS})
        assert SECRETS[field] not in f"{caught.value!s}{caught.value!r}{caught.value.body}"

    @pytest.mark.parametrize("field", SECRETS)
    def test_the_sandbox_does_not_keep_a_secret_among_its_requests(self, context: BotSandbox, field: str) -> None:
        context.client.accounts.add(**{**NEW, **SECRETS})
        (request,) = context.sent
        assert SECRETS[field] not in f"{request!r}{request.body}{request.query}{request.path}"

    def test_the_sandbox_keeps_what_is_no_secret(self, context: BotSandbox) -> None:
        context.client.accounts.add(**{**NEW, **SECRETS})
        assert context.body["name"] == NEW["name"]
        assert set(context.body) == {*NEW, *SECRETS}

    def test_an_address_that_the_service_gives_is_not_shown(self, context: BotSandbox) -> None:
        data = context.client.accounts.deposit_data(1001, currency="USDT", network="TRX")
        assert data.address
        assert data.address not in f"{data!r}{data!s}{context.sent!r}"
