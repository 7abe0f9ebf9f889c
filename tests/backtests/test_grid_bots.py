"""Grid bots: orders in either currency, and the three directions."""

from __future__ import annotations

import json
import pickle
from decimal import Decimal
from typing import Any

import pytest

import botdesk

from .conftest import each, hours

# 100 → 112.
RISE = hours((100, 100, 100, 100), (100, 110, 100, 110), (110, 114, 109, 112))
# Eight levels from 56 000 to 70 000.
OF_150_USDT = {
    "lower_price": "56000",
    "upper_price": "70000",
    "grids_quantity": "8",
    "quantity_per_grid": "150",
    "order_currency_type": "quote",
}


def grid_bot(**fields: object) -> botdesk.GridBot:
    """Return a bot with levels at 90, 95, 100, 105 and 110, and orders of 1."""
    held: dict[str, object] = {
        "pair": "USDT_BTCUSDT",
        "grid_type": "arithmetic",
        "lower_price": "90",
        "upper_price": "110",
        "grids_quantity": "5",
        "quantity_per_grid": "1",
        "order_currency_type": "base",
    }
    return botdesk.GridBot.from_json(json.dumps({**held, **fields}))


def test_the_same_rise_is_a_gain_or_a_loss_by_direction() -> None:
    def profits(mode: str | None) -> tuple[object, ...]:
        run = grid_bot(mode=mode).backtest(RISE)
        assert run.not_simulated == []
        return each(run.summary.profit, run.summary.open_profit)

    # Bought 2 a tick of 1 below 100; sold them at 105 and at 110.
    assert profits(None) == (10, 7)
    # The profit of futures is measured from the entry of the position.
    assert profits("long") == (6 + 11, 0)
    # Sold 2 a tick above 100, and 1 each at 105 and at 110; owes 4 at 112.
    assert profits("short") == (0, -31)
    # Sold 1 each at 105 and at 110; owes 2 at 112.
    assert profits("reversal") == (0, -9)


def test_a_short_grid_earns_with_each_buy_order() -> None:
    run = grid_bot(mode="short").backtest(hours((100, 110, 100, 100), (100, 100, 90, 90)), fee="0.001")
    assert [each(order.side, order.price) for order in run.orders] == [
        ("sell", 101),
        ("sell", 105),
        ("sell", 110),
        ("buy", 105),
        ("buy", 100),
        ("buy", 95),
        ("buy", 90),
    ]
    # 4 were sold at 104.25 on average. The first one was bought back for more.
    fees = (2 * 101 + 105 + 110 + 105 + 100 + 95 + 90) * Decimal("0.001")
    assert run.summary.profit == Decimal("-0.75") + Decimal("4.25") + Decimal("9.25") + Decimal("14.25") - fees
    assert run.summary.open_profit == 0


def test_the_capital_of_a_short_grid_is_the_margin_of_its_orders_and_its_start() -> None:
    assert grid_bot(mode="short").backtest(RISE).summary.budget == 105 + 110 + 2 * 101
    assert grid_bot(mode="reversal").backtest(RISE).summary.budget == 90 + 95 + 105 + 110


def test_a_stop_loss_buys_back_what_a_short_grid_owes() -> None:
    bot = grid_bot(
        mode="short",
        upper_stop_loss_enabled=True,
        upper_stop_loss_price="113",
        upper_stop_loss_action="stop_bot_and_close_position",
    )
    run = bot.backtest(RISE)
    assert each(run.orders[-1].side, run.orders[-1].kind, run.orders[-1].price) == ("buy", "stop_loss", 113)
    assert each(run.summary.profit, run.summary.open_profit) == (2 * (101 - 113) + (105 - 113) + (110 - 113), 0)


def test_a_bot_with_orders_in_the_quote_currency_uses_that_much() -> None:
    rows = hours((63000, 63000, 63000, 63000), (63000, 66000, 63000, 66000), (66000, 66000, 61000, 61000))
    run = grid_bot(**OF_150_USDT).backtest(rows)
    # Bought for the four sell orders; sold at 64 000 and 66 000, bought at 64 000 and 62 000.
    expected = ["0.0089652", "0.00234375", "0.00227272", "0.00234375", "0.00241935"]
    assert [order.quantity for order in run.orders] == [Decimal(quantity) for quantity in expected]
    # The steps from 62 000 and from 64 000, with their quantities.
    assert run.summary.profit == 2000 * (Decimal("0.00241935") + Decimal("0.00234375"))
    plan = grid_bot(**OF_150_USDT).levels(price=63000, lot="0.00000001")
    assert plan.investment_quote_currency == 450
    # The plan values what is bought at the price; the bot buys it a tick of 1 below.
    assert (
        run.summary.budget == run.summary.most_capital == (plan.investment or 0) - (plan.investment_base_currency or 0)
    )


def test_the_lot_of_the_pair_rounds_the_quantities_down() -> None:
    rows = hours((63000, 63000, 63000, 63000), (63000, 66000, 63000, 66000))
    run = grid_bot(**OF_150_USDT).backtest(rows, lot="0.0001")
    assert [order.quantity for order in run.orders] == [Decimal("0.0088"), Decimal("0.0023"), Decimal("0.0022")]


def test_orders_of_less_than_a_lot_are_a_warning() -> None:
    rows = hours((63000, 63000, 63000, 63000), (63000, 66000, 63000, 66000))
    run = grid_bot(**OF_150_USDT).backtest(rows, lot="0.0023")
    assert run.warnings == [
        "the order at 66000 can't be placed: quantity_per_grid is less than a lot there, and those at 2 more levels"
    ]
    assert [each(order.price, order.quantity) for order in run.orders[1:]] == [(64000, Decimal("0.0023"))]


def test_the_currency_of_a_record_without_one_is_a_warning() -> None:
    run = grid_bot(order_currency_type=None).backtest(RISE)
    assert run.warnings == ["the record has no order_currency_type; base is assumed"]
    assert run.summary.profit == 10


@pytest.mark.parametrize(("field", "value"), [("mode", "sideways"), ("order_currency_type", "USDT")])
def test_a_value_that_is_not_known_is_rejected(field: str, value: str) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        grid_bot(**{field: value}).backtest(RISE)
    assert list(caught.value.errors) == [field]


def test_an_edit_of_the_currency_or_the_direction_is_compared() -> None:
    with botdesk.Sandbox() as sandbox:
        bot = sandbox.client().grid_bots.edit(
            204,
            lower_price=90,
            upper_price=110,
            grids_quantity=5,
            grid_type="arithmetic",
            quantity_per_grid=1,
            order_currency_type="base",
            upper_stop_loss_enabled=False,
            lower_stop_loss_enabled=False,
            expansion_down_enabled=False,
            max_active_buy_lines=5,
            max_active_sell_lines=5,
        )
        both = bot.preview_edit(mode="short").backtest(RISE)
        assert [run.summary.open_profit for run in (both.before, both.after)] == [0, -31]
        both = bot.preview_edit(order_currency_type="quote", quantity_per_grid=100).backtest(RISE)
    assert [order.quantity for order in both.after.orders[1:]] == [Decimal("0.95238095"), Decimal("0.90909090")]


def test_a_sweep_runs_all_directions() -> None:
    sweep = botdesk.sweep(grid_bot(), RISE, {"mode": ["long", "short", "reversal"]})
    found: dict[Any, Decimal] = {row.parameters["mode"]: row.summary.open_profit for row in sweep}
    assert found == {"long": 0, "short": -31, "reversal": -9}


def test_a_sweep_over_bounds_levels_and_trailing_runs_each_grid() -> None:
    rows = hours((100, 100, 100, 100), (100, 130, 100, 130), (130, 130, 118, 118))
    grid: dict[str, list[Any]] = {
        "upper_price": ["110", "115"],
        "grids_quantity": [3, 6],
        "trailing_up_enabled": [False, True],
    }
    sweep = botdesk.sweep(grid_bot(), rows, grid)
    assert len(sweep) == 8
    for row in sweep:
        fields = {name: str(value).lower() for name, value in row.parameters.items()}
        assert row.summary == grid_bot(**fields).backtest(rows).summary, fields
    profits = {trails: {row.summary.profit for row in sweep if row.parameters["trailing_up_enabled"] is trails}
               for trails in (False, True)}  # fmt: skip
    assert max(profits[False]) < min(profits[True])


def test_a_pickle_keeps_the_direction_and_the_currency() -> None:
    run = grid_bot(**OF_150_USDT, mode="short").backtest(
        hours((63000, 63000, 63000, 63000), (63000, 66000, 63000, 66000))
    )
    again = pickle.loads(pickle.dumps(run))  # noqa: S301
    assert (again, again.summary) == (run, run.summary)
