"""Edits of SmartTrades in a sandbox: the given parts are replaced, and the prices fill the new orders."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

PAIR = "USDT_ETH"


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox() as sandbox:
        sandbox.set_price(PAIR, 3000)
        yield sandbox


def target(price: int, volume: int = 100) -> dict[str, Any]:
    """Return a take-profit step."""
    return {"order_type": "limit", "volume": volume, "price": {"value": price}}


def trade_of(sandbox: botdesk.Sandbox, **position: object) -> botdesk.SmartTrade:
    """Create a SmartTrade that buys 1 ETH and sells it at 3300."""
    return sandbox.client().smart_trades.create(
        account_id=1001,
        pair=PAIR,
        position={"type": "buy", "order_type": "market", "units": {"value": 1}, **position},
        take_profit={"enabled": True, "steps": [target(3300)]},
        stop_loss={"enabled": True, "order_type": "market", "conditional": {"price": {"value": 2700}}},
    )


def targets(trade: botdesk.SmartTrade) -> list[tuple[int | None, Decimal | None, str | None]]:
    """Return the identifier, the price and the status of each target."""
    steps = (trade.take_profit.steps if trade.take_profit else None) or []
    return [
        (step.id, step.price.value if step.price else None, step.status.basic_type if step.status else None)
        for step in steps
    ]


def test_targets_are_replaced_by_others(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox)
    before = [identifier for identifier, *_ in targets(trade.refresh())]
    edited = trade.edit(take_profit={"enabled": True, "steps": [target(3200, 40), target(3400, 60)]})
    assert [(price, status) for _, price, status in targets(edited)] == [
        (Decimal(3200), "idle"),
        (Decimal(3400), "idle"),
    ]
    assert not {*before} & {identifier for identifier, *_ in targets(edited)}
    assert [status for *_, status in targets(trade.refresh())] == ["order_placed", "order_placed"]


def test_the_price_fills_the_new_target(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox)
    trade.edit(take_profit={"enabled": True, "steps": [target(3100)]})
    sandbox.move_price(PAIR, 3150)
    over = trade.refresh()
    assert over.status is not None
    assert over.status.basic_type == "finished"
    assert over.data is not None
    assert over.data.average_close_price_without_commission == 3100


def test_what_is_not_given_stays(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox)
    held = trade.refresh()
    edited = trade.edit(stop_loss={"enabled": False})
    assert edited.stop_loss is not None
    assert edited.stop_loss.enabled is False
    assert targets(trade.refresh()) == targets(held)
    sandbox.move_price(PAIR, 2500)
    still = trade.refresh()
    assert still.status is not None
    assert still.status.basic_type == "waiting_targets"


def test_an_entry_that_waits_gets_another_price(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox, order_type="limit", price={"value": 2800})
    trade.edit(position={"price": {"value": 2900}})
    sandbox.move_price(PAIR, 2890)
    entered = trade.refresh()
    assert entered.data is not None
    assert entered.data.average_enter_price_without_commission == 2900


def test_an_entry_at_a_price_that_fills_at_once_fills_at_the_better_market_price(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox, order_type="limit", price={"value": 2800})
    trade.edit(position={"price": {"value": 3100}})
    entered = trade.refresh()
    assert entered.data is not None
    assert entered.data.average_enter_price_without_commission == 3000


def test_a_target_at_a_price_that_fills_at_once_fills_at_the_better_market_price(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox)
    sandbox.set_price(PAIR, 3200)
    trade.edit(take_profit={"enabled": True, "steps": [target(3100)]})
    closed = trade.refresh()
    assert closed.data is not None
    assert closed.data.average_close_price_without_commission == 3200


def test_an_entry_that_waits_gets_another_quantity_and_reserves_it() -> None:
    def on_orders(sandbox: botdesk.Sandbox) -> Any:  # noqa: ANN401
        rows = sandbox.client().accounts.table_data(1001)
        return next(row.on_orders for row in rows if row.currency_code == "USDT")

    with botdesk.Sandbox(balances={"USDT": "100000"}, fee="0", bots=0) as sandbox:
        sandbox.set_price(PAIR, 3000)
        before = on_orders(sandbox)
        trade = trade_of(sandbox, order_type="limit", price={"value": 2800})
        trade.edit(position={"units": {"value": 2}})
        edited: Any = trade.refresh()
        assert (edited.position.units.value, edited.position.total.value) == (2, 5600)
        assert on_orders(sandbox) - before == 5600
        sandbox.move_price(PAIR, 2800)
        entered: Any = trade.refresh()
        assert entered.data.entered_amount == 2


def test_the_quantity_of_a_filled_entry_stays(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox)
    before: Any = trade.refresh()
    trade.edit(position={"units": {"value": 2}})
    after: Any = trade.refresh()
    assert after.position.units == before.position.units


def test_the_price_of_a_position_that_was_held_is_edited_with_its_total(sandbox: botdesk.Sandbox) -> None:
    trade = sandbox.client().smart_trades.create(
        account_id=1001, pair=PAIR, side="buy", units="1", order="market", skip_enter_step=True, take_profit="3300"
    )
    edited: Any = trade.refresh().edit(position={"price": {"value": "800"}})
    assert edited.position.price.value == 800
    assert edited.position.total.value == 800 * edited.position.units.value


def test_a_limit_entry_refuses_a_condition(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox, order_type="limit", price={"value": 2800})
    conditional = {"order_type": "limit", "price": {"value": 3100}}
    with pytest.raises(botdesk.RecordInvalidError, match="only for an entry whose order_type is conditional") as caught:
        sandbox.client().request(
            "PATCH",
            f"/v2/smart_trades/{trade.id}",
            json={"position": {"price": {"value": 3110}, "conditional": conditional}},
        )
    assert caught.value.status == 400
    same: Any = trade.refresh()
    assert (same.status.basic_type, same.position.price.value) == ("waiting_position", 2800)


def test_a_filled_target_stays_filled(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox)
    trade.edit(take_profit={"enabled": True, "steps": [target(3100, 50), target(3400, 50)]})
    sandbox.move_price(PAIR, 3110)
    trade.edit(take_profit={"enabled": True, "steps": [target(3200)]})
    assert [(price, status) for _, price, status in targets(trade.refresh())] == [
        (Decimal(3100), "finished"),
        (Decimal(3200), "order_placed"),
    ]
    sandbox.move_price(PAIR, 3210)
    over = trade.refresh()
    assert over.data is not None
    assert over.data.closed_amount == over.data.entered_amount


def test_steps_that_do_not_cover_the_position_are_not_sent(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox)
    requests = len(sandbox.requests)
    with pytest.raises(botdesk.ValidationError, match="must add up to 100, not 90"):
        trade.edit(take_profit={"enabled": True, "steps": [target(3100, 90)]})
    assert len(sandbox.requests) == requests


def test_a_smart_trade_that_is_over_can_not_be_edited(sandbox: botdesk.Sandbox) -> None:
    trade = trade_of(sandbox)
    sandbox.move_price(PAIR, 3400)
    with pytest.raises(botdesk.WrongParamsError, match="Edit is not allowed in the current status"):
        trade.edit(take_profit={"enabled": True, "steps": [target(3100)]})
