"""Writes of SmartTrades in a sandbox: they are pending first, and carried out then."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    # Type checkers know that any field of a record may be None.
    Client = Any


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox without bots and without fees."""
    with botdesk.Sandbox(bots=0, fee="0") as sandbox:
        yield sandbox


def test_a_note_is_kept(client: Client) -> None:
    trade = client.smart_trades.set_note(301, "Out before the weekend")
    assert (trade.note, trade.note_raw) == ("Out before the weekend",) * 2
    assert client.smart_trades.get(301).note == trade.note


def test_a_closed_trade_is_pending_first_and_then_sold(sandbox: botdesk.Sandbox, client: Client) -> None:
    before = client.smart_trades.get(301)
    trade = client.smart_trades.close(301)
    assert (trade.status.basic_type, trade.data.panic_sell_available) == ("panic_sell_pending", False)
    assert trade.market_close.id is None
    sandbox.clock.advance(seconds=2)
    trade = trade.refresh()
    assert (trade.status.basic_type, trade.data.finished) == ("panic_sold", True)
    assert trade.data.closed_amount == trade.data.entered_amount == before.data.entered_amount
    price = before.data.current_price.last
    assert trade.market_close.price.value_without_commission == price
    assert trade.profit.volume == price * before.data.entered_amount - before.data.entered_total
    assert {step.status.basic_type for step in trade.take_profit.steps} == {"cancelled"}
    assert client.smart_trades.trades(301)[-1].trade_purpose == "market_close"


def test_a_pending_close_is_sold_at_the_next_price(sandbox: botdesk.Sandbox, client: Client) -> None:
    client.smart_trades.close(301)
    sandbox.set_price("USDT_ETH", "3000")
    assert client.smart_trades.get(301).market_close.price.value_without_commission == 3000


def test_a_cancelled_trade_keeps_what_it_bought(sandbox: botdesk.Sandbox, client: Client) -> None:
    before = client.smart_trades.get(301)
    trade = client.smart_trades.cancel(301)
    assert (trade.status.basic_type, len(trade.take_profit.steps)) == ("cancellation_pending", 3)
    sandbox.clock.advance(seconds=2)
    trade = trade.refresh()
    assert (trade.status.basic_type, trade.data.finished, trade.profit.volume) == ("cancelled", False, None)
    assert (trade.data.entered_amount, trade.data.closed_amount) == (before.data.entered_amount, 0)
    assert (trade.take_profit.enabled, trade.take_profit.steps) == (True, [])
    assert trade.data.closed_at is not None


def test_a_script_that_waits_for_the_end_does_not_wait_forever(client: Client) -> None:
    trade = client.smart_trades.cancel(301)
    for _ in range(10):
        trade = trade.refresh()
    assert trade.status.basic_type == "cancelled"


def test_many_trades_are_cancelled_each_with_its_outcome(client: Client) -> None:
    result = client.smart_trades.cancel_many([301, 292])
    assert [(item.id, item.status) for item in result] == [(301, "done"), (292, "failed")]


def test_a_forced_start_enters_at_the_market_price(sandbox: botdesk.Sandbox, client: Client) -> None:
    trade = client.smart_trades.force_start(300)
    assert (trade.status.basic_type, trade.position.status.basic_type) == ("waiting_position", "panic_sell_pending")
    assert trade.data.force_start_available is False
    sandbox.set_price("USDT_ETH", "3000")
    trade = trade.refresh()
    assert (trade.status.basic_type, trade.position.status.basic_type) == ("waiting_targets", "finished")
    assert trade.data.entered_total == 3000 * trade.data.entered_amount
    (step,) = trade.take_profit.steps
    assert (step.status.basic_type, step.units.value) == ("to_process", trade.data.entered_amount)
    assert step.price.value == Decimal(3180)


def test_a_step_is_closed_at_the_market_price_alone(sandbox: botdesk.Sandbox, client: Client) -> None:
    step = client.smart_trades.get(301).take_profit.steps[0]
    trade = client.smart_trades.close_trade(301, step.id)
    assert [each.status.basic_type for each in trade.take_profit.steps] == [
        "panic_sell_pending",
        "order_placed",
        "order_placed",
    ]
    sandbox.clock.advance(seconds=2)
    trade = trade.refresh()
    assert (trade.status.basic_type, trade.data.closed_amount) == ("waiting_targets", step.units.value)
    assert trade.data.closed_total == step.units.value * trade.data.current_price.last
    order = next(order for order in client.smart_trades.trades(301) if order.id == step.id)
    assert (order.status, order.realised_amount, order.realised_total) == (
        "panic_sold",
        step.units.value,
        trade.data.closed_total,
    )


def test_a_cancelled_step_disappears(client: Client) -> None:
    trade = client.smart_trades.cancel_trade(301, 30112)
    assert [(step.volume, step.position) for step in trade.take_profit.steps] == [(50, 1), (25, 3)]
    assert trade.status.basic_type == "waiting_targets"


def order_of(client: Client, trade: int, purpose: str) -> int:
    found = next(order for order in client.smart_trades.trades(trade) if order.trade_purpose == purpose)
    return int(found.id)


@pytest.mark.parametrize(("trade", "purpose"), [(301, "stop_loss"), (298, "take_profit")])
def test_without_its_stop_loss_or_its_last_step_a_trade_is_cancelled(client: Client, trade: int, purpose: str) -> None:
    cancelled = client.smart_trades.cancel_trade(trade, order_of(client, trade, purpose))
    assert cancelled.status.basic_type == "cancellation_pending"


REFUSED: list[tuple[str, Callable[[Client], object]]] = [
    ("Close at market price", lambda client: client.smart_trades.close(300)),
    ("Cancel", lambda client: client.smart_trades.cancel(292)),
    ("Force start", lambda client: client.smart_trades.force_start(301)),
    ("Close by market of this trade", lambda client: client.smart_trades.close_trade(301, 30101)),
    ("Cancel of this trade", lambda client: client.smart_trades.cancel_trade(301, 30101)),
]


@pytest.mark.parametrize(("action", "act"), REFUSED)
def test_a_status_that_forbids_an_action_is_named(client: Client, action: str, act: Callable[[Client], object]) -> None:
    with pytest.raises(botdesk.WrongParamsError, match=f"{action} is not allowed in the current status"):
        act(client)


def test_an_unknown_order_of_a_trade_is_not_found(client: Client) -> None:
    for act in (client.smart_trades.close_trade, client.smart_trades.cancel_trade):
        with pytest.raises(botdesk.NotFoundError):
            act(301, 999)


def test_what_is_pending_survives_a_state_file(sandbox: botdesk.Sandbox, client: Client, tmp_path: Path) -> None:
    client.smart_trades.close(301)
    sandbox.dump(tmp_path / "state.json")
    with botdesk.Sandbox(state=tmp_path / "state.json") as loaded:
        loaded.clock.advance(seconds=2)
        client = loaded.client()
        assert client.smart_trades.get(301).status.basic_type == "panic_sold"
