"""Accounts of a sandbox whose balances the user gave: their money moves, and it can run out."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SPOT = 1001
REFUSED = "Account has insufficient balance for requested action"


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Yield a sandbox whose accounts have 1000 USDT, and one account without bots."""
    with botdesk.Sandbox(bots=0, balances={"USDT": "1000", "BTC": Decimal("0.5"), "XRP": 100}) as sandbox:
        yield sandbox


@pytest.fixture
def account(sandbox: botdesk.Sandbox) -> int:
    """Return an account of its own: no bot of the seed trades on it."""
    return sandbox.add_account(name="Own", balances={"USDT": "1000", "XRP": "100"})


def held(client: botdesk.Client, account: int, currency: str) -> tuple[Any, Any]:
    """Return what is free, and what is in orders."""
    rows: Any = client.accounts.table_data(account)
    found = [(row.position_available, row.on_orders) for row in rows if row.currency_code == currency]
    return found[0] if found else (Decimal(0), Decimal(0))


def bot_with(sandbox: botdesk.Sandbox, account: int, **changes: object) -> int:
    sandbox.set_price("USDT_XRP", "0.5")
    settings: dict[str, object] = {
        "account_id": account,
        "pairs": ["USDT_XRP"],
        "is_enabled": True,
        "strategy": "long",
        "strategy_list": [{"strategy": "manual", "options": {}}],
        "base_order_volume": "100",
        "safety_order_volume": "100",
        "max_safety_orders": 1,
        "active_safety_orders_count": 1,
        "take_profit": "2",
    }
    return sandbox.add_dca_bot(**(settings | changes))


def smart_trade(side: str, units: str, price: str | None = None) -> dict[str, Any]:
    position: dict[str, Any] = {"type": side, "units": {"value": units}, "order_type": "limit" if price else "market"}
    if price:
        position["price"] = {"value": price}
    return {"pair": "USDT_XRP", "position": position}


def test_every_account_has_the_given_balances(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    rows: Any = client.accounts.table_data(102)
    amounts = {row.currency_code: row.position for row in rows}
    assert amounts == {"USDT": 1000, "BTC": Decimal("0.5"), "XRP": 100}
    added: Any = client.accounts.load_balances(sandbox.add_account(name="Later"))
    assert {row.currency_code for row in added.table_data()} == {"USDT", "BTC", "XRP"}


def test_a_deal_reserves_spends_and_brings_back(sandbox: botdesk.Sandbox, client: botdesk.Client, account: int) -> None:
    bot = bot_with(sandbox, account)
    deal: Any = client.dca_bots.start_deal(bot)
    free, on_orders = held(client, account, "USDT")
    # The base order of 100 with its fee is paid, and the safety order reserves about as much.
    assert free + on_orders == Decimal("899.9")
    assert Decimal("99.9") < on_orders < Decimal("100.2")
    assert held(client, account, "XRP") == (100, 200)
    sandbox.move_price("USDT_XRP", "0.6")
    closed: Any = client.deals.get(deal.id)
    assert (closed.status, closed.finished) == ("completed", True)
    free, on_orders = held(client, account, "USDT")
    assert (free, on_orders) == (1000 + closed.final_profit, 0)
    assert held(client, account, "XRP") == (100, 0)


def test_the_displays_of_an_account_agree_after_fills(
    sandbox: botdesk.Sandbox, client: botdesk.Client, account: int
) -> None:
    client.dca_bots.start_deal(bot_with(sandbox, account))
    sandbox.move_price("USDT_XRP", "0.49")
    found: Any = client.accounts.get(account)
    rows: Any = client.accounts.table_data(account)
    shares: Any = client.accounts.pie_chart_data(account)
    points: Any = client.accounts.balance_chart_data(account, "2020-01-01")
    assert round(sum(row.usd_value for row in rows), 2) == found.usd_amount == points[-1].usd
    assert {row.currency_code: row.position for row in rows} == {share.code: share.amount for share in shares}
    deposit: Any = client.accounts.deposit_data(account, currency="USDT", network="TRX")
    assert (deposit.available_balance, deposit.in_orders) == held(client, account, "USDT")


def test_a_deal_beyond_the_balance_is_not_started(
    sandbox: botdesk.Sandbox, client: botdesk.Client, account: int
) -> None:
    bot = bot_with(sandbox, account, base_order_volume="1000")
    with pytest.raises(botdesk.ApiError) as caught:
        client.dca_bots.start_deal(bot)
    assert (caught.value.status, caught.value.error_attributes) == (422, {"base": [REFUSED]})
    assert held(client, account, "USDT") == (1000, 0)


def test_a_deal_of_a_bot_beyond_the_balance_fails(
    sandbox: botdesk.Sandbox, client: botdesk.Client, account: int
) -> None:
    bot = bot_with(sandbox, account, base_order_volume="2000", strategy_list=[{"strategy": "nonstop", "options": {}}])  # pyright: ignore[reportUnknownArgumentType]
    sandbox.set_price("USDT_XRP", "0.51")
    (deal,) = client.deals.list(bot_id=bot, scope="failed")
    failed: Any = deal
    assert (failed.status, failed.error_message, failed.deal_has_error) == ("failed", REFUSED, True)
    assert (failed.finished, failed.bought_amount) == (True, 0)
    told: Any = client.deals.get(failed.id)
    assert told.bot_events[-1].message == f"Deal failed. {REFUSED}"
    assert held(client, account, "USDT") == (1000, 0)
    assert client.dca_bots.get(bot).is_enabled


def test_added_funds_beyond_the_balance_are_rejected_by_the_exchange(
    sandbox: botdesk.Sandbox, client: botdesk.Client, account: int
) -> None:
    deal: Any = client.dca_bots.start_deal(bot_with(sandbox, account))
    client.deals.add_funds(deal.id, quantity="5000", is_market=False, rate="0.4")
    orders: Any = client.deals.orders(deal.id)
    assert [order.status_string for order in orders if order.deal_order_type == "Manual Safety"] == ["Inactive"]
    before = held(client, account, "USDT")
    client.deals.add_funds(deal.id, quantity="500", is_market=False, rate="0.4")
    after = held(client, account, "USDT")
    assert (before[0] - after[0], after[1] - before[1]) == (Decimal("200.2"), Decimal("200.2"))


def test_a_smart_trade_beyond_the_balance_fails_with_its_text(
    sandbox: botdesk.Sandbox, client: botdesk.Client, account: int
) -> None:
    sandbox.set_price("USDT_XRP", "0.5")
    for side, units, price in [("buy", "3000", None), ("buy", "3000", "0.4"), ("sell", "101", None)]:
        created: Any = client.smart_trades.create(account_id=account, **smart_trade(side, units, price))
        failed: Any = client.smart_trades.get(created.id)
        assert (failed.status.basic_type, failed.status.error) == ("failed", REFUSED), (side, units, price)
        assert (failed.position.status.basic_type, failed.position.status.error) == ("failed", REFUSED)
        assert failed.data.closed_at is not None
    assert (held(client, account, "USDT"), held(client, account, "XRP")) == ((1000, 0), (100, 0))


def test_a_smart_trade_reserves_its_entry_until_it_is_cancelled(
    sandbox: botdesk.Sandbox, client: botdesk.Client, account: int
) -> None:
    sandbox.set_price("USDT_XRP", "0.5")
    created: Any = client.smart_trades.create(account_id=account, **smart_trade("buy", "500", "0.4"))
    assert held(client, account, "USDT") == (800, 200)
    with pytest.raises(botdesk.ApiError) as caught:
        client.smart_trades.add_funds(created.id, units={"value": "2500"}, order_type="market")
    assert caught.value.error_attributes == {"base": [REFUSED]}
    client.smart_trades.cancel(created.id)
    sandbox.set_price("USDT_XRP", "0.51")
    assert held(client, account, "USDT") == (1000, 0)


def test_a_simple_trade_swaps_currencies_or_fails(
    sandbox: botdesk.Sandbox, client: botdesk.Client, account: int
) -> None:
    sandbox.set_price("USDT_XRP", "0.5")

    def trade(side: str, units: str) -> botdesk.SimpleTrade:
        order = {"type": "market", "side": side, "position_side": "both"}
        made: Any = client.trades.create(account_id=account, pair="USDT_XRP", order=order, units={"value": units})
        return client.trades.get(made.uuid)

    sold: Any = trade("sell", "100")
    assert sold.status.value == "finished"
    # The fee is 0.1 %.
    assert (held(client, account, "USDT"), held(client, account, "XRP")) == ((Decimal("1049.95"), 0), (0, 0))
    failed: Any = trade("sell", "1")
    assert (failed.status.value, failed.status.error) == ("failed", REFUSED)


def test_a_grid_bot_buys_its_coins_and_needs_the_money(
    sandbox: botdesk.Sandbox, client: botdesk.Client, account: int
) -> None:
    sandbox.set_price("USDT_XRP", "0.5")
    grid: dict[str, object] = {
        "account_id": account,
        "pair": "USDT_XRP",
        "lower_price": "0.4",
        "upper_price": "0.6",
        "grids_quantity": 5,
        "is_enabled": False,
    }
    bot = sandbox.add_grid_bot(**grid, quantity_per_grid="200")
    client.grid_bots.enable(bot)
    # It buys 400 for the two levels above the price, a tick below it, and reserves what the two levels below cost.
    # Each has its fee.
    assert held(client, account, "XRP") == (100, 400)
    assert held(client, account, "USDT") == (1000 - Decimal("200.15996") - Decimal("170.17"), Decimal("170.17"))
    client.grid_bots.disable(bot)
    assert held(client, account, "USDT")[1] == held(client, account, "XRP")[1] == 0
    large = sandbox.add_grid_bot(**grid, quantity_per_grid="2000")
    with pytest.raises(botdesk.ApiError) as caught:
        client.grid_bots.enable(large)
    assert caught.value.error_attributes == {"base": [REFUSED]}
    assert not client.grid_bots.get(large).is_enabled


def test_a_futures_account_needs_the_margin_and_gains_the_profit(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    account = sandbox.add_account(market_code="demo_futures", balances={"USDT": "50"})
    bot = bot_with(sandbox, account, strategy="short", leverage_type="cross", leverage_custom_value="10")
    deal: Any = client.dca_bots.start_deal(bot)
    free, on_orders = held(client, account, "USDT")
    assert free + on_orders == 50
    assert Decimal(19) < on_orders < Decimal(21)
    sandbox.move_price("USDT_XRP", "0.4")
    closed: Any = client.deals.get(deal.id)
    assert closed.final_profit > 0
    assert held(client, account, "USDT") == (50 + closed.final_profit, 0)


def test_an_account_without_given_balances_has_enough_for_every_order() -> None:
    with botdesk.Sandbox(bots=0) as sandbox:
        client = sandbox.client()
        before = held(client, SPOT, "USDT")
        deal: Any = client.dca_bots.start_deal(bot_with(sandbox, SPOT, base_order_volume="1000000"))
        assert client.deals.get(deal.id).status == "bought"
        assert sum(held(client, SPOT, "USDT")) < sum(before)


def test_a_state_file_keeps_the_balances(
    sandbox: botdesk.Sandbox, client: botdesk.Client, account: int, tmp_path: Path
) -> None:
    client.dca_bots.start_deal(bot_with(sandbox, account))
    sandbox.dump(tmp_path / "desk.json")
    with botdesk.Sandbox(state=tmp_path / "desk.json") as again:
        restored = again.client()
        for currency in ("USDT", "XRP"):
            assert held(restored, account, currency) == held(client, account, currency)
        created: Any = restored.smart_trades.create(account_id=account, **smart_trade("buy", "5000"))
        failed: Any = restored.smart_trades.get(created.id)
        assert failed.status.basic_type == "failed"


@pytest.mark.parametrize(
    ("balances", "message"),
    [
        ({"usdt": "1"}, "balances: 'usdt' is not a currency; write it in capitals, such as 'USDT'"),
        ({5: "1"}, "balances: a currency must be a str, such as 'USDT', not 5"),
        ({"USDT": "-1"}, "balances: the amount of USDT must be at least 0, not -1"),
        ({"USDT": 0.1}, "balances: the amount of USDT must be a str, a Decimal or an int, not 0.1"),
        ({"USDT": "much"}, "balances: the amount of USDT must be a str, a Decimal or an int, not 'much'"),
        ("USDT", "balances: expected a dict from currencies to amounts, such as {'USDT': '10000'}, not str"),
    ],
)
def test_invalid_balances_are_named(balances: object, message: str) -> None:
    with pytest.raises(botdesk.ConfigurationError, match=re.escape(message)):
        botdesk.Sandbox(balances=cast("Any", balances))


def test_balances_do_not_go_with_a_state_file(sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
    sandbox.dump(tmp_path / "desk.json")
    with pytest.raises(botdesk.ConfigurationError, match="balances: they can't be combined with state"):
        botdesk.Sandbox(state=tmp_path / "desk.json", balances={"USDT": 1})


def test_invalid_balances_of_an_added_account_are_named(sandbox: botdesk.Sandbox) -> None:
    for given, message in [
        ({"usdt": "1"}, "'usdt' is not a currency"),
        ({"USDT": "-1"}, "must be at least 0, not -1"),
        ({"USDT": "much"}, "the amount of USDT must be a number"),
        (["USDT"], "must have an amount of each currency"),
    ]:
        with pytest.raises(botdesk.ValidationError, match=re.escape(message)):
            sandbox.add_account(balances=given)
    with pytest.raises(botdesk.ValidationError, match="usd_amount: follows from balances"):
        sandbox.add_account(balances={"USDT": "1"}, usd_amount="1")
