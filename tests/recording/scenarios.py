"""One scenario per operation and outcome: the calls, and their expected result.

The same scenarios run against the sandbox and against cassettes of it. `just cassettes` runs this file, which records
the cassettes again; those that have not changed stay the same, byte for byte.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from sample_calls import SAMPLES

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[..., Any]
    Run = Callable[[botdesk.Client, Call], None]

FIXTURES = Path(__file__).parents[1] / "fixtures"
CASSETTES = FIXTURES / "cassettes"
KEYS = FIXTURES / "keys"
# Secrets of clients, exchanges and people, which no cassette may hold.
SECRETS = {
    "api_key": "exchange-key-4711",
    "secret": "exchange-secret-4712",
    "customer_id": "exchange-customer-4714",
}
ACCOUNT: dict[str, Any] = {"type": "binance", "name": "Mein Börsenkonto", "types_to_create": ["binance_margin"]}
GRID = SAMPLES["grid_bots.edit"].arguments


def permitted(*permissions: str) -> Callable[[botdesk.Sandbox], botdesk.Client]:
    """Make clients with only these permissions; they use a test key, because generating one takes long."""

    def make(sandbox: botdesk.Sandbox) -> botdesk.Client:
        api_key = sandbox.add_key((KEYS / "public.pem").read_text("utf-8"), list(permissions))
        return botdesk.Client(
            api_key, (KEYS / "rsa_2048.pem").read_bytes(), base_url=sandbox.url, retries=0, rate_limit=None
        )

    return make


everything = permitted("ACCOUNTS_READ", "ACCOUNTS_WRITE", "BOTS_READ", "BOTS_WRITE", "SMART_TRADES_WRITE")


def nothing_before(_client: botdesk.Client) -> None:
    """Send no request before the recording."""


class Scenario(NamedTuple):
    """The calls of a client that one cassette holds, and their expected outcome."""

    name: str
    run: Run
    client: Callable[[botdesk.Sandbox], botdesk.Client] = everything
    before: Callable[[botdesk.Client], None] = nothing_before

    @property
    def cassette(self) -> Path:
        """The path of its cassette."""
        return CASSETTES / f"{self.name}.har"


SCENARIOS: list[Scenario] = []


def scenario(
    name: str,
    client: Callable[[botdesk.Sandbox], botdesk.Client] = everything,
    before: Callable[[botdesk.Client], None] = nothing_before,
) -> Callable[[Run], Run]:
    """Register a scenario."""

    def note(run: Run) -> Run:
        SCENARIOS.append(Scenario(name, run, client, before))
        return run

    return note


def badly_signing(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Make a client whose private key is not the pair of the public key in the sandbox."""
    api_key = sandbox.add_key((KEYS / "public.pem").read_text("utf-8"))
    return botdesk.Client(
        api_key, (KEYS / "rsa_3072.pem").read_bytes(), base_url=sandbox.url, retries=0, rate_limit=None
    )


def unknown(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Make a client that the sandbox does not know."""
    return botdesk.Client(
        "unknown-api-key", (KEYS / "rsa_2048.pem").read_bytes(), base_url=sandbox.url, retries=0, rate_limit=None
    )


@scenario("accounts.add")
def add_an_account(client: botdesk.Client, call: Call) -> None:
    added = call(client.accounts, "add", **ACCOUNT, **SECRETS)
    assert (added.name, added.market_code) == ("Mein Börsenkonto", "binance")


def already_added(client: botdesk.Client) -> None:
    """Add the account before it is added."""
    add_an_account(client, blocking)


@scenario("accounts.add.record_invalid", before=already_added)
def add_an_account_twice(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        call(client.accounts, "add", **ACCOUNT, **SECRETS)
    assert list(caught.value.error_attributes) == ["api_key"]


@scenario("accounts.add.forbidden", client=permitted("ACCOUNTS_READ"))
def add_an_account_without_permission(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.ForbiddenError, match="ACCOUNTS_WRITE"):
        call(client.accounts, "add", **ACCOUNT, **SECRETS)


@scenario("accounts.rename")
def rename_an_account(client: botdesk.Client, call: Call) -> None:
    assert call(client.accounts, "rename", 1001, "Früh & spät").name == "Früh & spät"


@scenario("accounts.rename.signature_invalid", client=badly_signing)
def rename_an_account_with_another_key(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.SignatureInvalidError):
        call(client.accounts, "rename", 1001, "Renamed")


@scenario("accounts.load_balances")
def load_balances(client: botdesk.Client, call: Call) -> None:
    account = call(client.accounts, "load_balances", 1001)
    assert (account.id, account.api_key_invalid) == (1001, False)
    assert account.usd_amount > 0


@scenario("accounts.load_balances.invalid_api_key")
def load_balances_with_an_old_key(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.InvalidApiKeyError):
        call(client.accounts, "load_balances", 101)


@scenario("accounts.networks_info")
def list_networks(client: botdesk.Client, call: Call) -> None:
    networks = call(client.accounts, "networks_info", 1001)
    assert "BTC" in [info.currency for info in networks]
    depositable = call(client.accounts, "networks_info", 1001, purpose="deposit")
    assert all(info.deposit_enable for info in depositable)


@scenario("accounts.networks_info.forbidden")
def list_networks_of_futures(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.ForbiddenError, match="Unavailable for this account"):
        call(client.accounts, "networks_info", 1002)


@scenario("accounts.deposit_data")
def ask_where_to_deposit(client: botdesk.Client, call: Call) -> None:
    data = call(client.accounts, "deposit_data", 1001, currency="BTC", network="BTC")
    assert data.address
    assert data.total_balance == data.available_balance + data.in_orders


@scenario("accounts.deposit_data.unknown_market_api_error")
def ask_where_to_deposit_over_no_network(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.MarketApiError, match="XXX"):
        call(client.accounts, "deposit_data", 1001, currency="BTC", network="XXX")


@scenario("accounts.leverage_data")
def list_leverages(client: botdesk.Client, call: Call) -> None:
    kinds = call(client.accounts, "leverage_data", 1002, pair="USDT_BTC")
    assert {"none", "cross", "isolated"} == {kind.code for kind in kinds}
    assert call(client.accounts, "leverage_data", 1002, page=99) == []


@scenario("dca_bots.list")
def list_bots(client: botdesk.Client, call: Call) -> None:
    page = call(client.dca_bots, "list", limit=3)
    rest = call(client.dca_bots, "list", limit=3, offset=3)
    assert len({bot.id for bot in [*page, *rest]}) == 6
    enabled = call(client.dca_bots, "list", scope="enable", sort_by="created_at", order_direction="ASC")
    assert enabled[0].id == 41
    assert all(bot.is_enabled for bot in enabled)


@scenario("dca_bots.list.api_key_invalid_or_expired", client=unknown)
def list_bots_as_nobody(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.AuthenticationError):
        call(client.dca_bots, "list")


@scenario("dca_bots.get")
def get_a_bot(client: botdesk.Client, call: Call) -> None:
    bot = call(client.dca_bots, "get", 41)
    assert (bot.id, bot.is_enabled, bot.pairs) == (41, True, ["USDT_ETH"])
    assert len(bot.active_deals) == bot.active_deals_count
    assert call(bot, "refresh") == bot


@scenario("dca_bots.get.not_found")
def get_no_bot(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.NotFoundError):
        call(client.dca_bots, "get", 999)


@scenario("dca_bots.edit")
def edit_a_bot(client: botdesk.Client, call: Call) -> None:
    bot = call(client.dca_bots, "edit", 41, take_profit="1.50", name="Ruhig")
    assert (bot.take_profit, bot.name) == (Decimal("1.5"), "Ruhig")


@scenario("dca_bots.edit.record_invalid")
def edit_a_bot_against_the_rules(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.RecordInvalidError, match="below the last safety order") as caught:
        call(client.dca_bots, "edit", 41, stop_loss_percentage="5", validate=False)
    assert list(caught.value.error_attributes) == ["stop_loss_percentage"]


@scenario("dca_bots.disable")
def disable_a_bot(client: botdesk.Client, call: Call) -> None:
    before = call(client.dca_bots, "get", 41)
    assert call(client.dca_bots, "disable", 41).is_enabled is False
    after = call(client.dca_bots, "get", 41)
    assert (before.is_enabled, after.is_enabled) == (True, False)
    assert after.active_deals_count == before.active_deals_count


@scenario("dca_bots.disable.forbidden", client=permitted("BOTS_READ"))
def disable_a_bot_without_permission(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.ForbiddenError, match="BOTS_WRITE"):
        call(client.dca_bots, "disable", 41)


@scenario("dca_bots.cancel_all_deals")
def cancel_all_deals(client: botdesk.Client, call: Call) -> None:
    bot = call(client.dca_bots, "cancel_all_deals", 41)
    assert bot.is_enabled is False
    assert {deal.status for deal in bot.active_deals} == {"cancel_pending"}


@scenario("grid_bots.edit")
def edit_a_grid_bot(client: botdesk.Client, call: Call) -> None:
    bot = call(client.grid_bots, "edit", 201, name="Wide", **GRID)
    assert (bot.id, bot.upper_price, bot.grids_quantity) == (201, Decimal(70000), 40)


@scenario("grid_bots.edit.record_invalid")
def edit_a_grid_bot_against_the_rules(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        call(client.grid_bots, "edit", 201, name="Wide", **{**GRID, "upper_price": "1"}, validate=False)
    assert list(caught.value.error_attributes) == ["upper_price"]


@scenario("grid_bots.set_note")
def set_a_note(client: botdesk.Client, call: Call) -> None:
    assert call(client.grid_bots, "set_note", 201, "bis Montag").note == "bis Montag"


@scenario("grid_bots.set_note.not_found")
def set_a_note_on_nothing(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.NotFoundError):
        call(client.grid_bots, "set_note", 999, "bis Montag")


@scenario("grid_bots.enable")
def enable_a_grid_bot(client: botdesk.Client, call: Call) -> None:
    assert call(client.grid_bots, "enable", 203).is_enabled is True


@scenario("smart_trades.reduce_funds_info")
def ask_for_reducible_funds(client: botdesk.Client, call: Call) -> None:
    assert call(client.smart_trades, "reduce_funds_info", 301).max_reduce_funds_amount > 0


@scenario("smart_trades.reduce_funds_info.wrong_params")
def ask_for_reducible_funds_at_the_wrong_time(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.WrongParamsError, match="not allowed in the current status"):
        call(client.smart_trades, "reduce_funds_info", 302)


@scenario("smart_trades.reduce_funds_info.not_found")
def ask_for_reducible_funds_of_nothing(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.NotFoundError, match="Smart Trade not found"):
        call(client.smart_trades, "reduce_funds_info", 999)


def blocking(owner: object, operation: str, *args: object, **named: object) -> Any:  # noqa: ANN401
    """Call an operation and wait for it."""
    return getattr(owner, operation)(*args, **named)


def record(scenario: Scenario, path: Path) -> None:
    """Record a scenario from a sandbox."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        client = scenario.client(sandbox)
        scenario.before(client)
        with botdesk.record(path, client, overwrite=True, reproducible=True):
            scenario.run(client, blocking)


if __name__ == "__main__":
    CASSETTES.mkdir(exist_ok=True)
    for each in SCENARIOS:
        record(each, each.cassette)
