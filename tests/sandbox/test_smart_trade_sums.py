"""Orders, profits and balances of SmartTrades add up, whatever the user does with them in between."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    # Type checkers know that any field of a record may be None.
    Client = Any
    Record = Any

PAIR = "USDT_ETH"
SPOT, FUTURES = 1001, 1002


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox without bots, whose price of ETH is 1000, with a fee of 0.1 % and limited balances."""
    with botdesk.Sandbox(bots=0, fee="0.001", balances={"USDT": "100000", "ETH": "100"}) as sandbox:
        sandbox.set_price(PAIR, "1000")
        yield sandbox


def bought(client: Client, *targets: tuple[str, int], account: int = SPOT, **given: Any) -> Record:  # noqa: ANN401
    """Buy 2 ETH at the market price, to be sold at these targets."""
    trade = {"side": "buy", "units": "2", "order": "market", "take_profit": [*targets] or None, **given}
    return client.smart_trades.create(account_id=account, pair=PAIR, **trade).refresh()


TWO = (("1100", 50), ("1200", 50))


def codes(trade: Record) -> tuple[str, list[str]]:
    return trade.status.basic_type, [step.status.basic_type for step in trade.take_profit.steps]


def amounts(trade: Record) -> list[Decimal]:
    return [step.units.value for step in trade.take_profit.steps]


def realised(client: Client, trade: Record) -> dict[str, tuple[Decimal, Decimal]]:
    """Return the filled quantities and values of its trades, by what they are for."""
    found: dict[str, tuple[Decimal, Decimal]] = {}
    for order in client.smart_trades.trades(trade.id):
        amount, total = found.get(order.trade_purpose, (Decimal(0), Decimal(0)))
        found[order.trade_purpose] = (amount + order.realised_amount, total + (order.realised_total or 0))
    return found


def in_usdt(client: Client, account: int = SPOT) -> Decimal:
    return sum((row.position for row in client.accounts.table_data(account) if row.currency_code == "USDT"), Decimal(0))


def test_the_stop_loss_closes_what_the_targets_left_and_its_trade_says_so(
    sandbox: botdesk.Sandbox, client: Client
) -> None:
    trade = bought(client, *TWO, stop_loss="950")
    sandbox.move_price(PAIR, "1100")
    sandbox.set_price(PAIR, "900")
    assert realised(client, trade) == {
        "position": (Decimal("1.998"), 2000),
        "take_profit": (Decimal("0.999"), Decimal("1098.9")),
        # Past its trigger, because the price jumped.
        "stop_loss": (Decimal("0.999"), Decimal("899.1")),
    }


def test_the_profit_of_a_trade_with_a_cancelled_target_is_that_of_what_it_closed(
    sandbox: botdesk.Sandbox, client: Client
) -> None:
    before = in_usdt(client)
    trade = bought(client, ("1100", 35), ("1150", 30), ("1200", 35))
    trade = client.smart_trades.cancel_trade(trade.id, trade.take_profit.steps[1].id)
    sandbox.move_price(PAIR, "1300")
    trade = trade.refresh()
    assert codes(trade) == ("finished", ["finished", "finished"])
    sold = Fraction("0.6993")
    earned = sold * (1100 + 1200) * Fraction("0.999")
    assert trade.data.closed_total == Decimal("1606.78161")
    assert Fraction(trade.profit.volume) == earned - Fraction(2000) * (2 * sold) / Fraction("1.998")
    assert trade.profit.volume == Decimal("206.78161")
    assert in_usdt(client) == before - 2000 + trade.data.closed_total


def test_a_cancelled_target_stays_out_of_what_the_others_close(sandbox: botdesk.Sandbox, client: Client) -> None:
    trade = bought(client, ("1100", 35), ("1150", 30), ("1200", 35), order="990")
    trade = client.smart_trades.cancel_trade(trade.id, trade.take_profit.steps[1].id)
    sandbox.move_price(PAIR, "980")
    trade = trade.refresh()
    assert amounts(trade) == [Decimal("0.6993"), Decimal("0.6993")]
    trade = trade.edit(stop_loss="900").refresh()
    assert amounts(trade) == [Decimal("0.6993"), Decimal("0.6993")]
    trade = client.smart_trades.add_funds(trade.id, order_type="market", units={"value": "1"})
    assert amounts(trade) == [Decimal("1.04895"), Decimal("1.04895")]
    trade = client.smart_trades.reduce_funds(trade.id, order_type="market", units={"value": "0.997"})
    sandbox.clock.advance(1)
    assert amounts(trade.refresh()) == [Decimal("0.7"), Decimal("0.7")]
    trade = trade.edit(take_profit=[("1300", 50), ("1400", 50)]).refresh()
    assert amounts(trade) == [1, 1]


def test_without_a_target_that_waits_a_trade_is_cancelled(sandbox: botdesk.Sandbox, client: Client) -> None:
    trade = bought(client, *TWO)
    sandbox.move_price(PAIR, "1110")
    trade = client.smart_trades.cancel_trade(trade.id, trade.take_profit.steps[1].id)
    assert trade.status.basic_type == "cancellation_pending"
    sandbox.clock.advance(1)
    assert trade.refresh().status.basic_type == "cancelled"


@pytest.mark.parametrize("act", ["add_funds", "reduce_funds"])
def test_funds_change_while_a_target_is_being_closed(sandbox: botdesk.Sandbox, client: Client, act: str) -> None:
    trade = bought(client, *TWO)
    client.smart_trades.close_trade(trade.id, trade.take_profit.steps[0].id)
    getattr(client.smart_trades, act)(trade.id, order_type="market", units={"value": "0.5"})
    sandbox.set_price(PAIR, "1001")
    trade = trade.refresh()
    assert codes(trade) == ("waiting_targets", ["panic_sold", "order_placed"])
    sandbox.move_price(PAIR, "1300")
    trade = trade.refresh()
    assert codes(trade) == ("finished", ["panic_sold", "finished"])
    assert trade.data.closed_amount == trade.data.entered_amount


def test_a_reduction_leaves_less_to_a_target_that_is_being_closed(sandbox: botdesk.Sandbox, client: Client) -> None:
    trade = bought(client, *TWO)
    client.smart_trades.close_trade(trade.id, trade.take_profit.steps[0].id)
    client.smart_trades.reduce_funds(trade.id, order_type="market", units={"value": "1.5"})
    sandbox.clock.advance(1)
    trade = trade.refresh()
    assert codes(trade) == ("finished", ["panic_sold", "cancelled"])
    assert (amounts(trade)[0], trade.data.closed_amount) == (Decimal("0.498"), Decimal("1.998"))


@pytest.mark.parametrize(("act", "status"), [("close", "panic_sold"), ("cancel", "cancelled")])
def test_a_reduction_ends_with_its_trade(sandbox: botdesk.Sandbox, client: Client, act: str, status: str) -> None:
    trade = bought(client, *TWO, stop_loss="950")
    client.smart_trades.reduce_funds(trade.id, order_type="market", units={"value": "0.5"})
    getattr(client.smart_trades, act)(trade.id)
    sandbox.clock.advance(1)
    trade = trade.refresh()
    (step,) = trade.reduce_funds.steps
    assert (trade.status.basic_type, step.status.basic_type, step.data.cancelable) == (status, "cancelled", False)
    assert not [order for order in client.smart_trades.trades(trade.id) if order.cancelable]


def test_a_reduction_does_not_wait_for_the_timeout_of_the_stop_loss(sandbox: botdesk.Sandbox, client: Client) -> None:
    trade = bought(client, stop_loss=botdesk.StopLoss("950", timeout=60))
    sandbox.set_price(PAIR, "940")
    sandbox.clock.advance(59.5)
    client.smart_trades.reduce_funds(trade.id, order_type="market", units={"value": "0.5"})
    sandbox.clock.advance(0.9)
    assert trade.refresh().status.basic_type == "pending_reduce_funds"
    sandbox.clock.advance(0.1)
    trade = trade.refresh()
    assert (trade.status.basic_type, trade.data.closed_amount) == ("stop_loss_finished", Decimal("1.998"))


def test_a_target_in_percent_follows_the_average_when_funds_are_added(sandbox: botdesk.Sandbox, client: Client) -> None:
    trade = bought(client, ("1100", 50), ("20%", 50))
    assert [(step.price.value, step.price.percent) for step in trade.take_profit.steps] == [
        (1100, None),
        # 2000 ÷ 1.998 and 20 %, at the tick.
        (Decimal("1201.2"), 20),
    ]
    sandbox.set_price(PAIR, "980")
    trade = client.smart_trades.add_funds(trade.id, order_type="market", units={"value": "1"})
    # 2980 ÷ 2.997 and 20 %.
    assert [step.price.value for step in trade.take_profit.steps] == [1100, Decimal("1193.19")]
    sandbox.move_price(PAIR, "1300")
    trade = trade.refresh()
    assert trade.data.closed_total == Decimal("1.4985") * (1100 + Decimal("1193.19")) * Decimal("0.999")


def test_the_average_without_fees_and_the_quantity_of_the_entry_count_added_funds(
    sandbox: botdesk.Sandbox, client: Client
) -> None:
    trade = bought(client)
    sandbox.set_price(PAIR, "980")
    trade = client.smart_trades.add_funds(trade.id, order_type="market", units={"value": "1"})
    assert trade.data.average_enter_price_without_commission == Decimal("993.33")
    assert client.smart_trades.trades(trade.id)[0].initial_amount == 3
    leverage = {"enabled": True, "type": "isolated", "value": 5}
    trade = bought(client, account=FUTURES, leverage=leverage)
    assert client.smart_trades.trades(trade.id)[0].initial_amount == 2


def test_a_futures_account_earns_the_profit_of_the_trade(sandbox: botdesk.Sandbox, client: Client) -> None:
    before = in_usdt(client, FUTURES)
    trade = bought(client, *TWO, account=FUTURES, leverage={"enabled": True, "type": "isolated", "value": 5})
    sandbox.move_price(PAIR, "1110")
    client.smart_trades.add_funds(trade.id, order_type="market", units={"value": "1"})
    sandbox.move_price(PAIR, "1250")
    profit = Fraction("0.999") * (1100 + 2 * 1200) - Fraction("1.001") * (2000 + 1110)
    assert Fraction(trade.refresh().profit.volume) == profit
    assert Fraction(in_usdt(client, FUTURES) - before) == profit


def test_the_fee_of_a_purchase_on_futures_is_in_the_quote_currency_without_leverage_too(
    sandbox: botdesk.Sandbox, client: Client
) -> None:
    trade = bought(client, account=FUTURES, order="1000")
    assert (trade.data.entered_amount, trade.data.entered_total) == (2, 2002)
    assert client.smart_trades.trades(trade.id)[0].initial_amount == 2
    waiting = bought(client, account=FUTURES, order="900")
    run = botdesk.backtest([[0, 900, 900, 900, 900]], smart_trade=waiting, fee="0.001")
    sandbox.move_price(PAIR, "900")
    data = waiting.refresh().data
    [deal] = run.deals
    assert (deal.quantity, deal.volume) == (data.entered_amount, data.entered_total) == (2, Decimal("1801.8"))


def test_edits_keep_all_filled_targets_and_give_the_others_new_identifiers(
    sandbox: botdesk.Sandbox, client: Client
) -> None:
    trade = bought(client, ("1010", 30), ("1200", 70))
    sandbox.move_price(PAIR, "1011")
    trade = trade.edit(take_profit=[("1020", 50), ("1200", 50)]).refresh()
    client.smart_trades.close_trade(trade.id, trade.take_profit.steps[1].id)
    sandbox.clock.advance(1)
    known = {step.id for step in trade.refresh().take_profit.steps}
    trade = trade.edit(take_profit=[("1030", 50), ("1200", 50)]).refresh()
    assert codes(trade)[1] == ["finished", "panic_sold", "order_placed", "order_placed"]
    first, second, *new = (step.id for step in trade.take_profit.steps)
    assert {first, second} < known
    assert not {*new} & known
    sandbox.move_price(PAIR, "1300")
    trade = trade.refresh()
    closings = realised(client, trade)["take_profit"]
    assert closings[0] == trade.data.closed_amount == trade.data.entered_amount
    assert closings[1] * Decimal("0.999") == trade.data.closed_total


def test_the_identifier_of_a_replaced_target_is_never_that_of_another(
    sandbox: botdesk.Sandbox, client: Client, tmp_path: Path
) -> None:
    trade = bought(client, *TWO)
    stale = {step.id for step in trade.take_profit.steps}
    client.smart_trades.cancel_trade(trade.id, trade.take_profit.steps[1].id)
    for price in ("1300", "1400", "1500"):
        edited = trade.edit(take_profit=[price]).refresh()
        [step] = edited.take_profit.steps
        assert step.id not in stale
        stale.add(step.id)
    sandbox.dump(tmp_path / "state.json")
    with botdesk.Sandbox(state=tmp_path / "state.json") as loaded:
        again: Client = loaded.client()
        [step] = again.smart_trades.edit(trade.id, take_profit=["1600"]).take_profit.steps
    assert step.id not in stale
    with pytest.raises(botdesk.NotFoundError):
        client.smart_trades.close_trade(trade.id, min(stale))


def test_the_filled_targets_of_a_cancelled_trade_are_still_among_its_trades(
    sandbox: botdesk.Sandbox, client: Client, tmp_path: Path
) -> None:
    trade = bought(client, *TWO)
    sandbox.move_price(PAIR, "1100")
    client.smart_trades.cancel(trade.id)
    sandbox.clock.advance(1)
    assert codes(trade.refresh()) == ("cancelled", [])
    assert realised(client, trade)["take_profit"] == (Decimal("0.999"), Decimal("1098.9"))
    sandbox.dump(tmp_path / "state.json")
    with botdesk.Sandbox(state=tmp_path / "state.json") as loaded:
        assert realised(loaded.client(), trade)["take_profit"] == (Decimal("0.999"), Decimal("1098.9"))


def test_a_target_that_an_edit_puts_below_the_price_fills_and_counts(client: Client) -> None:
    trade = bought(client, *TWO)
    trade = trade.edit(take_profit=[("999", 50), ("1200", 50)]).refresh()
    assert codes(trade)[1] == ["finished", "order_placed"]
    # Half is sold at the market price, which is better than 999, and half would be sold at the bid.
    assert Fraction(trade.profit.volume) == Fraction("0.999") ** 2 * (1000 + Fraction("999.99")) - 2000


def test_a_cancelled_entry_is_not_on_the_exchange(sandbox: botdesk.Sandbox, client: Client) -> None:
    trade = bought(client, order="900", stop_loss="800")
    client.smart_trades.cancel(trade.id)
    sandbox.clock.advance(1)
    trade = trade.refresh()
    assert (trade.status.basic_type, trade.position.status.basic_type) == ("cancelled", "cancelled")
    assert not [order for order in client.smart_trades.trades(trade.id) if order.cancelable]


def test_an_entry_is_forced_once(client: Client) -> None:
    trade = bought(client, order="900")
    client.smart_trades.force_start(trade.id)
    trade = client.smart_trades.add_funds(trade.id, order_type="market", units={"value": "1"})
    assert trade.data.force_start_available is False
