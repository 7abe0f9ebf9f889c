"""New SmartTrades in the sandbox: what creates them, and how prices fill their entries, targets and stop losses."""

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
    Record = Any

    Create = Callable[..., Record]

TAKE_PROFIT: dict[str, Any] = {
    "enabled": True,
    "steps": [
        {"order_type": "limit", "volume": 60, "price": {"value": "4000"}},
        {"order_type": "market", "volume": 40, "price": {"percent": "20"}},
    ],
}
STOP_LOSS: dict[str, Any] = {"enabled": True, "order_type": "market", "conditional": {"price": {"value": "3000"}}}


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox without bots and without fees, whose price of ETH is 3500."""
    with botdesk.Sandbox(bots=0, fee="0") as sandbox:
        sandbox.set_price("USDT_ETH", "3500")
        yield sandbox


def position(price: str | None = None, side: str = "buy") -> dict[str, Any]:
    """Return an entry for one ETH: a limit order, or a market order."""
    limit = {} if price is None else {"price": {"value": price}}
    return {"type": side, "order_type": "limit" if limit else "market", "units": {"value": "1"}, **limit}


@pytest.fixture
def create(client: Client) -> Create:
    """Return a function that creates a SmartTrade, and returns it as it is afterwards."""

    def create(**given: Any) -> Record:  # noqa: ANN401
        trade = client.smart_trades.create(**{"account_id": 1001, "pair": "USDT_ETH", "position": position(), **given})
        assert (trade.status.basic_type, trade.position.status.basic_type) == ("created", "to_process")
        return trade.refresh()

    return create


def test_a_market_entry_fills_at_once_and_its_targets_wait(create: Create) -> None:
    trade = create(take_profit=TAKE_PROFIT, stop_loss=STOP_LOSS, note="A try")
    assert (trade.status.basic_type, trade.data.type, trade.note) == ("waiting_targets", "smart_trade", "A try")
    first, second = trade.take_profit.steps
    assert (first.status.basic_type, first.units.value, first.price.value) == ("order_placed", Decimal("0.6"), 4000)
    assert (second.status.basic_type, second.units.value, second.price.value) == ("to_process", Decimal("0.4"), 4200)
    assert trade.stop_loss.status.basic_type == "to_process"


def test_prices_fill_the_entry_and_the_targets(sandbox: botdesk.Sandbox, create: Create) -> None:
    trade = create(position=position("3400"), take_profit=TAKE_PROFIT, stop_loss=STOP_LOSS)
    assert trade.status.basic_type == "waiting_position"
    sandbox.move_price("USDT_ETH", "3300")
    assert trade.refresh().data.average_enter_price == 3400
    sandbox.move_price("USDT_ETH", "4500")
    trade = trade.refresh()
    assert (trade.status.basic_type, trade.data.finished) == ("finished", True)
    # 0.6 at 4000, and 0.4 at 20 % above the entry.
    assert trade.data.closed_total == 2400 + Decimal("0.4") * 4080
    assert trade.profit.volume == trade.data.closed_total - 3400


def test_a_stop_loss_fires_at_its_trigger(sandbox: botdesk.Sandbox, create: Create) -> None:
    trade = create(take_profit=TAKE_PROFIT, stop_loss=STOP_LOSS)
    sandbox.move_price("USDT_ETH", "2000")
    trade = trade.refresh()
    assert (trade.status.basic_type, trade.profit.volume) == ("stop_loss_finished", -500)


def test_a_short_trade_profits_from_a_falling_price(sandbox: botdesk.Sandbox, create: Create) -> None:
    step = {"order_type": "limit", "volume": 100, "price": {"value": "3000"}}
    trade = create(position=position(side="sell"), take_profit={"enabled": True, "steps": [step]})
    assert trade.data.type == "smart_cover"
    sandbox.move_price("USDT_ETH", "2900")
    assert trade.refresh().profit.volume == 500


def test_a_conditional_entry_follows_the_price(sandbox: botdesk.Sandbox, create: Create) -> None:
    conditional = {
        "order_type": "market",
        "price": {"value": "3600", "type": "last"},
        "trailing": {"enabled": True, "percent": "1"},
    }
    entry = {"type": "buy", "order_type": "conditional", "units": {"value": "1"}, "conditional": conditional}
    trade = create(position=entry, take_profit=TAKE_PROFIT)
    sandbox.move_price("USDT_ETH", "3600")
    assert trade.refresh().position.status.basic_type == "trailing_activated"
    sandbox.move_price("USDT_ETH", "3000")
    sandbox.move_price("USDT_ETH", "3100")
    assert trade.refresh().data.average_enter_price == 3030


def test_a_simple_buy_is_over_once_it_is_filled(create: Create) -> None:
    trade = create(instant=True)
    assert (trade.data.type, trade.status.basic_type, trade.data.entered_total) == ("simple_buy", "finished", 3500)


def test_a_position_that_is_held_already_has_no_entry(sandbox: botdesk.Sandbox, create: Create) -> None:
    trade = create(skip_enter_step=True, take_profit=TAKE_PROFIT)
    assert (trade.data.type, trade.position.status.basic_type) == ("smart_sell", "smart_sell")
    assert (trade.status.basic_type, trade.data.average_enter_price) == ("waiting_targets", None)
    sandbox.move_price("USDT_ETH", "4100")
    assert trade.refresh().data.closed_amount == Decimal("0.6")


def test_a_stop_loss_that_waits_survives_a_state_file(sandbox: botdesk.Sandbox, create: Create, tmp_path: Path) -> None:
    trade = create(stop_loss={**STOP_LOSS, "timeout": {"enabled": True, "value": 60}})
    sandbox.set_price("USDT_ETH", "2900")
    sandbox.dump(tmp_path / "state.json")
    with botdesk.Sandbox(state=tmp_path / "state.json") as loaded:
        loaded.clock.advance(60)
        client: Client = loaded.client()
        assert client.smart_trades.get(trade.id).status.basic_type == "stop_loss_finished"


def test_a_price_that_recovers_ends_the_timeout_of_a_stop_loss(sandbox: botdesk.Sandbox, create: Create) -> None:
    trade = create(stop_loss={**STOP_LOSS, "timeout": {"enabled": True, "value": 60}})
    for price, seconds in (("2900", 30), ("3500", 20), ("2900", 59)):
        sandbox.set_price("USDT_ETH", price)
        sandbox.clock.advance(seconds)
    assert trade.refresh().status.basic_type == "waiting_targets"
    sandbox.clock.advance(1)
    assert trade.refresh().status.basic_type == "stop_loss_finished"


def with_steps(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"take_profit": {"enabled": True, "steps": list(steps)}}


STEP: dict[str, Any] = {"order_type": "limit", "volume": 50, "price": {"value": 4000}}
FOLLOWING: dict[str, Any] = {**STEP, "trailing": {"enabled": True, "percent": 1}}


@pytest.mark.parametrize(
    ("arguments", "field", "message"),
    [
        ({"position": None}, "position", "is required"),
        ({"position": {"type": "buy", "order_type": "market"}}, "position.units", "is required"),
        ({"position": {**position(), "order_type": "limit"}}, "position.price", "is required for a limit order"),
        ({"position": {**position(), "order_type": "conditional"}}, "position.conditional", "is required"),
        ({"instant": True, "stop_loss": STOP_LOSS}, "stop_loss", "beside instant"),
        ({"instant": True, "skip_enter_step": True}, "skip_enter_step", "beside instant"),
        ({"skip_enter_step": True}, "take_profit", "there must be a target"),
        ({"take_profit": {"enabled": True}}, "take_profit", "has no steps"),
        (with_steps(STEP), "take_profit", "must add up to 100, not 50"),
        (with_steps(FOLLOWING, STEP), "take_profit", "only the last step"),
        (
            with_steps({**STEP, "price": {"value": 1, "percent": 1}}, STEP),
            "take_profit.steps[0].price.value",
            "mutually exclusive",
        ),
        (with_steps({**STEP, "price": {}}, STEP), "take_profit.steps[0].price.value", "mutually exclusive"),
        (
            with_steps(STEP, {**STEP, "trailing": {"enabled": True}}),
            "take_profit.steps[1].trailing.percent",
            "is required",
        ),
        ({"stop_loss": {"enabled": True}}, "stop_loss.order_type", "is required when enabled is true"),
        ({"stop_loss": {"enabled": True, "order_type": "market"}}, "stop_loss.conditional", "either value or percent"),
        ({"stop_loss": {**STOP_LOSS, "order_type": "limit"}}, "stop_loss.price", "is required for a limit order"),
        ({"stop_loss": {**STOP_LOSS, "breakeven": True}}, "stop_loss", "at least two"),
        ({"pair": "ETH/USDT"}, "pair", "write it as"),
    ],
)
def test_what_does_not_go_together_is_not_sent(
    sandbox: botdesk.Sandbox, client: Client, arguments: dict[str, Any], field: str, message: str
) -> None:
    given: dict[str, Any] = {"account_id": 1001, "pair": "USDT_ETH", "position": position(), **arguments}
    with pytest.raises(botdesk.ValidationError) as caught:
        client.smart_trades.create(**given)
    assert message in "".join(caught.value.errors[field])
    assert sandbox.requests == []
    with pytest.raises(botdesk.RecordInvalidError) as refused:
        client.smart_trades.create(**given, validate=False)
    assert refused.value.status == (422 if "add up" in message else 400)


def test_leverage_on_a_spot_account_is_dropped(create: Create) -> None:
    trade = create(leverage={"enabled": True, "type": "isolated", "value": 5})
    assert trade.leverage.enabled is False


def test_added_funds_average_the_price(sandbox: botdesk.Sandbox, client: Client, create: Create) -> None:
    trade = create(take_profit=TAKE_PROFIT)
    sandbox.set_price("USDT_ETH", "3000")
    trade = client.smart_trades.add_funds(trade.id, order_type="market", units={"value": "1"})
    assert (trade.data.entered_amount, trade.data.entered_total, trade.data.average_enter_price) == (2, 6500, 3250)
    assert [step.units.value for step in trade.take_profit.steps] == [Decimal("1.2"), Decimal("0.8")]


def test_an_entry_that_waits_is_enlarged(sandbox: botdesk.Sandbox, client: Client, create: Create) -> None:
    trade = create(position=position("3000"))
    assert (
        client.smart_trades.add_funds(trade.id, order_type="market", units={"value": "1"}).position.total.value == 6000
    )
    sandbox.move_price("USDT_ETH", "2900")
    assert trade.refresh().data.entered_amount == 2


def test_funds_are_reduced_at_the_next_price(sandbox: botdesk.Sandbox, client: Client, create: Create) -> None:
    trade = create(take_profit=TAKE_PROFIT)
    pending = client.smart_trades.reduce_funds(trade.id, order_type="market", units={"value": "0.5"})
    assert (pending.status.basic_type, pending.reduce_funds.steps[0].status.basic_type) == (
        "pending_reduce_funds",
        "idle",
    )
    sandbox.set_price("USDT_ETH", "3600")
    trade = trade.refresh()
    assert (trade.status.basic_type, trade.data.closed_amount, trade.data.closed_total) == (
        "waiting_targets",
        Decimal("0.5"),
        1800,
    )
    assert [step.units.value for step in trade.take_profit.steps] == [Decimal("0.3"), Decimal("0.2")]
    assert client.smart_trades.reduce_funds_info(trade.id).max_reduce_funds_amount == Decimal("0.5")


@pytest.mark.parametrize("act", ["add_funds", "reduce_funds"])
def test_a_limit_order_for_funds_needs_its_price(client: Client, act: str) -> None:
    with pytest.raises(botdesk.ValidationError, match="price: is required for a limit order"):
        getattr(client.smart_trades, act)(301, order_type="limit", units={"value": "0.5"})


def test_funds_cannot_be_reduced_to_nothing(client: Client, create: Create) -> None:
    trade = create(take_profit=TAKE_PROFIT)
    with pytest.raises(botdesk.RecordInvalidError, match="Too small"):
        client.smart_trades.reduce_funds(trade.id, order_type="market", units={"value": "1"})
