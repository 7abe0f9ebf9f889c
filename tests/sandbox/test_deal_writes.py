"""Writes of one deal of a sandbox: each has its effect, and the figures stay exact."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A long deal on USDT_ETH at 3506.67 with one target, and a deal with two targets.
LONG, IN_STEPS = 410, 421
PAIR = "USDT_ETH"
STEPS: list[dict[str, Any]] = [
    {"id": 0, "amount_percentage": 50, "profit_percentage": 1},
    {"id": 1, "amount_percentage": 50, "profit_percentage": 2},
]


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def deal(sandbox: botdesk.Sandbox) -> botdesk.Deal:
    """Return an open long deal."""
    return sandbox.client().deals.get(LONG)


def of(deal: botdesk.Deal, kind: str) -> list[botdesk.Order]:
    """Return the orders of a kind."""
    return [order for order in deal.orders() if order.deal_order_type == kind]


def messages(deal: botdesk.Deal) -> list[str]:
    """Return the beginnings of the messages of a deal."""
    return [(event.message or "").partition(". ")[0] for event in deal.refresh().bot_events or []]


class TestClose:
    def test_the_deal_is_closing_first_and_sold_then(self, deal: botdesk.Deal) -> None:
        closing = deal.close()
        assert (closing.status, closing.panic_sellable, closing.add_fundable) == ("panic_sell_pending", False, False)
        sold = closing.wait_closed(every=0.01)
        assert (sold.status, sold.finished, sold.sold_amount) == ("panic_sold", True, deal.bought_amount)

    def test_the_profit_is_that_of_the_market_price(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        deal.close()
        sandbox.set_price(PAIR, 4000)
        sold = deal.refresh()
        assert sold.bought_amount is not None
        assert sold.bought_volume is not None
        fee = Fraction("0.001")
        earned = Fraction(sold.bought_amount) * 4000 * (1 - fee) - Fraction(sold.bought_volume)
        assert earned > 0
        assert Fraction(sold.final_profit or 0) == earned

    def test_a_preview_says_what_it_takes_and_earns(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        requests = len(sandbox.requests)
        preview = deal.preview_close()
        assert [request.method for request in sandbox.requests[requests:]] == ["GET"]
        assert (preview.amount, preview.profit) == (deal.bought_amount, deal.actual_profit)
        assert f"sells: {deal.bought_amount} ETH for about 157.55307003 USDT" in str(preview)
        assert preview.close().status == "panic_sell_pending"
        with pytest.raises(botdesk.ConfigurationError, match="used before"):
            preview.close()

    def test_a_deal_that_is_over_can_be_neither_previewed_nor_closed(self, deal: botdesk.Deal) -> None:
        deal.close().wait_closed(every=0.01)
        with pytest.raises(botdesk.ConfigurationError, match="can't be closed: its status is panic_sold"):
            deal.preview_close()
        with pytest.raises(botdesk.ForbiddenError):
            deal.close()

    def test_waiting_ends_with_its_timeout(self, deal: botdesk.Deal) -> None:
        with pytest.raises(TimeoutError, match=f"deal {LONG} is still bought after 0.01 s"):
            deal.wait_closed(0.01, every=0.01)
        with pytest.raises(botdesk.ValidationError, match="every: must be greater than 0, not 0"):
            deal.wait_closed(every=0)

    def test_an_error_while_it_waits_says_that_only_a_read_failed(
        self, sandbox: botdesk.Sandbox, deal: botdesk.Deal
    ) -> None:
        sandbox.faults.add("deals.get", kind="status", status=404)
        with pytest.raises(botdesk.NotFoundError) as caught:
            deal.close(wait=True)
        assert caught.value.__notes__ == [
            "a read failed, which says nothing about the write before it; call wait_closed() again to wait longer"
        ]

    def test_a_coroutine_waits_too(self, deal: botdesk.Deal) -> None:
        async def close() -> str | None:
            return (await (await deal.close_async()).wait_closed_async(every=0.01)).status

        assert asyncio.run(close()) == "panic_sold"

    def test_several_are_closed_in_one_run(self, sandbox: botdesk.Sandbox) -> None:
        items = sandbox.client().deals.close_many([LONG, IN_STEPS])
        assert [item.record.status for item in items if item.record] == ["panic_sell_pending"] * 2


class TestCancel:
    def test_the_coins_stay(self, deal: botdesk.Deal) -> None:
        cancelling = deal.cancel()
        assert (cancelling.status, cancelling.cancellable) == ("cancel_pending", False)
        cancelled = cancelling.wait_closed(every=0.01)
        assert (cancelled.status, cancelled.sold_amount, cancelled.bought_amount) == (
            "cancelled",
            Decimal(0),
            deal.bought_amount,
        )

    def test_a_deal_that_is_being_closed_can_still_be_cancelled(self, deal: botdesk.Deal) -> None:
        deal.close()
        assert deal.cancel().wait_closed(every=0.01).status == "cancelled"


class TestEdit:
    def test_only_what_was_given_is_sent(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        edited = deal.edit(take_profit="2.5", note="Raised")
        assert sandbox.requests[-1].body == '{"take_profit":2.5,"note":"Raised"}'
        assert (edited.take_profit, edited.note, edited.max_safety_orders) == (
            Decimal("2.5"),
            "Raised",
            deal.max_safety_orders,
        )

    def test_the_target_moves_with_the_take_profit(self, deal: botdesk.Deal) -> None:
        (before,) = of(deal, "Take Profit")
        (after,) = of(deal.edit(take_profit="2.5"), "Take Profit")
        assert before.rate is not None
        assert after.rate is not None
        assert after.rate > before.rate
        assert messages(deal)[-3:] == [
            "Deal settings changed",
            "Cancelling TakeProfit trade",
            "Placing TakeProfit trade",
        ]

    def test_a_negative_take_profit_is_refused(self, deal: botdesk.Deal) -> None:
        with pytest.raises(botdesk.RecordInvalidError, match="take_profit: must be greater than or equal to 0"):
            deal.edit(take_profit="-0.9", validate=False)

    def test_a_negative_stop_loss_sells_in_profit(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        sandbox.set_price(PAIR, 3600)
        edited = deal.refresh().edit(stop_loss_percentage=-1, take_profit=20)
        assert edited.stop_loss_price is not None
        assert edited.base_order_average_price is not None
        assert Fraction(edited.stop_loss_price) == Fraction(edited.base_order_average_price) * Fraction("1.01")

    def test_a_preview_sends_nothing(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        preview = deal.preview_edit(take_profit="2.5")
        assert [(change.field, change.old, change.new) for change in preview.changes] == [
            ("take_profit", Decimal("1.0"), Decimal("2.5"))
        ]
        assert all(request.method == "GET" for request in sandbox.requests)

    def test_an_edit_of_a_deal_that_is_over_is_not_sent(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        over = deal.close().wait_closed(every=0.01)
        requests = len(sandbox.requests)
        with pytest.raises(botdesk.ValidationError, match="only while it is bought or close_strategy_activated"):
            over.edit(take_profit="2.5")
        assert {request.method for request in sandbox.requests[requests:]} <= {"GET"}

    def test_a_change_by_others_in_between_is_a_conflict(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        preview = deal.preview_edit(take_profit="2.5")
        sandbox.client().deals.edit(LONG, take_profit="3.5")
        with pytest.raises(botdesk.EditConflictError, match="take_profit"):
            preview.apply()

    def test_a_change_of_what_is_not_sent_is_none(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        preview = deal.preview_edit(take_profit="2.5")
        sandbox.client().deals.edit(LONG, note="Meanwhile")
        assert preview.apply().note == "Meanwhile"

    def test_fewer_safety_orders_than_are_filled_are_refused(
        self, sandbox: botdesk.Sandbox, deal: botdesk.Deal
    ) -> None:
        with pytest.raises(botdesk.ValidationError, match="max_safety_orders: must be at least 2"):
            deal.edit(max_safety_orders=1)
        with pytest.raises(botdesk.ApiError, match="must be greater than or equal to 2"):
            deal.edit(max_safety_orders=1, validate=False)
        with pytest.raises(botdesk.ApiError, match="must be greater than or equal to 2"):
            sandbox.client().deals.set_max_safety_orders(LONG, 1)

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"take_profit": 2, "take_profit_steps": STEPS}, "take_profit: must be 0 if there are several"),
            ({"take_profit": 0, "take_profit_steps": [{**STEPS[0], "amount_percentage": 60}, STEPS[1]]}, "not 110 %"),
            ({"sl_to_breakeven_enabled": True}, "sl_to_breakeven_enabled: needs at least two take_profit_steps"),
            (
                {"sl_to_breakeven_data": {"upper_breakeven_limit": 3}},
                "sl_to_breakeven_data: needs upper_breakeven_limit",
            ),
            (
                {"custom_safety_steps": [{"deviation": -101, "size": 10}]},
                "each deviation must be between -100 and 10000 %",
            ),
        ],
    )
    @pytest.mark.shows("rule deals.edit: no_take_profit_beside_steps")
    @pytest.mark.shows("rule deals.edit: steps_cover_the_position")
    @pytest.mark.shows("rule deals.edit: breakeven_needs_two_steps")
    @pytest.mark.shows("rule deals.edit: breakeven_limit_is_known")
    @pytest.mark.shows("rule deals.edit: safety_steps_are_in_range")
    def test_what_breaks_a_rule_is_not_sent(
        self, sandbox: botdesk.Sandbox, deal: botdesk.Deal, settings: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(botdesk.ValidationError, match=message):
            deal.edit(**settings)
        assert {request.method for request in sandbox.requests} == {"GET"}
        with pytest.raises(botdesk.RecordInvalidError):
            deal.edit(**settings, validate=False)


class TestSafetyOrders:
    def test_more_are_placed(self, deal: botdesk.Deal) -> None:
        deal.edit(active_safety_orders_count=3)
        changed = deal.set_max_safety_orders(5)
        assert changed.max_safety_orders == 5
        assert len([order for order in of(deal, "Safety") if order.status_string == "Active"]) == 3

    def test_fewer_cancel_the_farthest(self, deal: botdesk.Deal) -> None:
        deal.set_max_safety_orders(2)
        assert not [order for order in of(deal, "Safety") if order.status_string == "Active"]


class TestAddFunds:
    def test_a_market_order_is_part_of_the_average_soon(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        assert deal.add_funds(quantity="0.02", is_market=True) is None
        assert of(deal, "Manual Safety")[0].status_string == "Active"
        sandbox.clock.advance(2)
        larger = deal.refresh()
        assert larger.bought_amount == (deal.bought_amount or 0) + Decimal("0.02")
        assert (larger.completed_manual_safety_orders_count, larger.active_manual_safety_orders) == (1, 0)
        assert "Manual safety trade executed" in messages(deal)

    def test_a_limit_order_waits_for_its_price(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        order = deal.add_funds(quantity="0.02", is_market=False, rate=3450, response_type="market_order")
        assert isinstance(order, botdesk.Order)
        sandbox.set_price(PAIR, 3460)
        assert deal.refresh().active_manual_safety_orders == 1
        sandbox.set_price(PAIR, 3449)
        filled = of(deal, "Manual Safety")[0]
        assert (filled.order_id, filled.status_string, filled.rate) == (order.order_id, "Filled", Decimal(3450))

    def test_an_order_that_stands_can_be_cancelled_once(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        deal.add_funds(quantity="0.02", is_market=False, rate=3450)
        number = of(deal, "Manual Safety")[0].order_id or 0
        orders = deal.cancel_order(number)
        assert (orders[0].status_string, orders[0].quantity_remaining) == ("Cancelled", Decimal("0.02"))
        with pytest.raises(botdesk.ApiError, match="Cant be cancelled"):
            deal.cancel_order(number)
        sandbox.set_price(PAIR, 3449)
        assert deal.refresh().bought_amount == deal.bought_amount

    def test_the_exchange_rejects_what_is_too_small(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        deal.add_funds(quantity="0.0001", is_market=True)
        sandbox.clock.advance(2)
        order = of(deal, "Manual Safety")[0]
        assert (order.status_string, order.quantity, order.cancellable) == ("Inactive", Decimal(0), False)
        assert deal.refresh().bought_amount == deal.bought_amount

    @pytest.mark.shows("rule deals.add_funds: limit_order_has_a_rate")
    def test_a_limit_order_needs_a_price(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        requests = len(sandbox.requests)
        with pytest.raises(botdesk.ValidationError, match="rate: is missing"):
            deal.add_funds(quantity="0.02", is_market=False)
        assert len(sandbox.requests) == requests

    def test_a_lost_answer_is_not_repeated(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        sandbox.faults.add("deals.add_funds", "close_after")
        with pytest.raises(botdesk.OutcomeUnknownError, match="may have been carried out; look before you repeat it"):
            deal.add_funds(quantity="0.02", is_market=True)
        assert len(of(deal, "Manual Safety")) == 1

    def test_a_volume_is_rounded_down_to_the_lot(self, deal: botdesk.Deal) -> None:
        deal.add_volume(50)
        order = of(deal, "Manual Safety")[0]
        assert (order.quantity, order.status_string) == (Decimal("0.01425854"), "Active")

    def test_a_distance_is_counted_from_the_average(self, deal: botdesk.Deal) -> None:
        order = deal.add_volume(50, below_average="2%")
        assert order is not None
        assert order.rate == Decimal("3515.23")

    @pytest.mark.parametrize(
        ("volume", "more", "message"),
        [
            (1, {}, "volume: 1 is below the smallest order"),
            (10**9, {}, "volume: 1000000000 is more than is free on the account"),
            ("much", {}, "volume: must be a number, not 'much'"),
            (50, {"below_average": "100%"}, "below_average: must be less than 100 %"),
            (50, {"below_average": "2%", "rate": 3400}, "below_average: can't be given together with rate"),
        ],
    )
    def test_a_volume_that_can_not_be_placed_is_not_sent(
        self, sandbox: botdesk.Sandbox, deal: botdesk.Deal, volume: str | int, more: dict[str, str | int], message: str
    ) -> None:
        with pytest.raises(botdesk.ValidationError, match=message):
            deal.add_volume(volume, **more)
        assert {request.method for request in sandbox.requests} == {"GET"}


def steps_of(deal: botdesk.Deal) -> list[botdesk.DealStep]:
    """Return the take-profit steps of a deal."""
    return deal.take_profit_steps or []


class TestSteps:
    @pytest.fixture
    def in_steps(self, sandbox: botdesk.Sandbox) -> botdesk.Deal:
        """Return a deal with two targets."""
        return sandbox.client().deals.get(IN_STEPS)

    def test_a_step_is_closed_at_the_market_price(self, sandbox: botdesk.Sandbox, in_steps: botdesk.Deal) -> None:
        first = steps_of(in_steps)[0]
        closing = in_steps.close_step(first.trade_id or 0)
        assert [step.status for step in steps_of(closing)] == ["Panic closing", "Placed"]
        sandbox.clock.advance(2)
        after = in_steps.refresh()
        assert (after.status, after.sold_amount) == ("bought", first.initial_amount)
        assert [step.status for step in steps_of(after)] == ["Panic sold", "Placed"]

    def test_the_last_step_ends_the_deal(self, sandbox: botdesk.Sandbox, in_steps: botdesk.Deal) -> None:
        for step in steps_of(in_steps):
            in_steps.close_step(step.trade_id or 0)
            sandbox.clock.advance(2)
        over = in_steps.refresh()
        assert (over.status, over.sold_amount) == ("panic_sold", in_steps.bought_amount)

    def test_a_step_that_does_not_exist_is_not_found(self, in_steps: botdesk.Deal) -> None:
        with pytest.raises(botdesk.NotFoundError):
            in_steps.close_step(1)

    def test_a_closed_step_can_not_be_closed_again(self, in_steps: botdesk.Deal) -> None:
        step = steps_of(in_steps)[0].trade_id or 0
        in_steps.close_step(step)
        with pytest.raises(botdesk.ForbiddenError):
            in_steps.close_step(step)


class TestConversion:
    def test_the_smart_trade_has_the_coins_and_the_target(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        trade = deal.convert_to_smart_trade(stop_bot=False)
        assert trade.position is not None
        assert trade.position.units is not None
        assert trade.position.units.value == deal.bought_amount
        assert trade.take_profit is not None
        assert [step.price.value for step in trade.take_profit.steps or [] if step.price] == [deal.take_profit_price]
        client = sandbox.client()
        assert client.smart_trades.get(trade.id or 0).pair == deal.pair
        assert deal.wait_closed(every=0.01).status == "cancelled"
        assert client.dca_bots.get(deal.bot_id or 0).is_enabled

    def test_the_bot_stops_with_it(self, sandbox: botdesk.Sandbox, deal: botdesk.Deal) -> None:
        deal.convert_to_smart_trade(stop_bot=True)
        assert not sandbox.client().dca_bots.get(deal.bot_id or 0).is_enabled


def test_orders_by_hand_survive_a_state_file(sandbox: botdesk.Sandbox, deal: botdesk.Deal, tmp_path: Path) -> None:
    deal.add_funds(quantity="0.02", is_market=False, rate=3450)
    sandbox.dump(tmp_path / "state.json")
    with botdesk.Sandbox(state=tmp_path / "state.json") as again:
        same = again.client().deals.get(LONG)
        assert same.bot_events == deal.refresh().bot_events
        again.set_price(PAIR, 3449)
        assert same.refresh().completed_manual_safety_orders_count == 1


# Each is a price, and the quantity that is added by hand before the price moves there.
MOVES = st.lists(st.tuples(st.integers(330_000, 355_000), st.integers(0, 5)), min_size=1, max_size=6)


@settings(max_examples=25, deadline=None)
@given(moves=MOVES, take_profit=st.integers(10, 40))
def test_the_arithmetic_of_a_deal_holds_at_every_moment(moves: list[tuple[int, int]], take_profit: int) -> None:
    with botdesk.Sandbox(bots=1) as sandbox:
        deal = sandbox.client().deals.get(LONG).edit(take_profit=take_profit, stop_loss_percentage=30)
        for cents, hundredths in moves:
            if hundredths:
                deal.add_funds(quantity=Decimal(hundredths) / 100, is_market=True)
            sandbox.move_price(PAIR, Decimal(cents) / 100)
            check(deal.refresh())


def check(deal: botdesk.Deal) -> None:
    """Check the formulas of the service with fractions."""
    fee = Fraction("0.001")
    entries = [order for order in deal.orders() if order.order_type == "BUY" and order.status_string == "Filled"]
    amount = sum((Fraction(order.quantity or 0) for order in entries), Fraction(0))
    volume = sum((Fraction(order.total or 0) for order in entries), Fraction(0))
    assert volume == sum(Fraction(order.quantity or 0) * Fraction(order.rate or 0) * (1 + fee) for order in entries)
    price = Fraction(deal.current_price or 0)
    assert (Fraction(deal.bought_amount or 0), Fraction(deal.bought_volume or 0)) == (amount, volume)
    assert abs(Fraction(deal.bought_average_price or 0) - volume / amount) <= Fraction(1, 2 * 10**27)
    assert Fraction(deal.actual_profit or 0) == amount * price * (1 - fee) - volume
    assert Fraction(deal.stop_loss_price or 0) == Fraction(deal.base_order_average_price or 0) * Fraction("0.7")
    target = volume / amount * (1 + Fraction(deal.take_profit or 0) / 100) / (1 - fee)
    tick = Fraction("0.01")
    assert Fraction(deal.take_profit_price or 0) == -(-target // tick) * tick
