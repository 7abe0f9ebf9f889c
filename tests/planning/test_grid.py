"""The levels of a grid: by the published samples, and by hand."""

from __future__ import annotations

import inspect
import json
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import botdesk


# `Any`: tests pass arguments that the types forbid.
def five(**changes: Any) -> botdesk.GridPlan:  # noqa: ANN401
    """Levels at 100, 110, 120, 130 and 140."""
    fields: dict[str, Any] = {
        "lower_price": 100,
        "upper_price": 140,
        "grids_quantity": 5,
        "grid_type": "arithmetic",
        "quantity_per_grid": "0.5",
        "price": 121,
    }
    return botdesk.plan_grid(**{**fields, **changes})


def bot(**fields: Any) -> botdesk.GridBot:  # noqa: ANN401
    held = {
        "lower_price": "100",
        "upper_price": "140",
        "grids_quantity": "5",
        "grid_type": "arithmetic",
        "quantity_per_grid": "0.5",
        "order_currency_type": "base",
        "current_price": "121",
    }
    return botdesk.GridBot.from_json(json.dumps({**held, **fields}))


def refused(**changes: Any) -> dict[str, list[str]]:  # noqa: ANN401
    with pytest.raises(botdesk.ValidationError) as caught:
        five(**changes)
    return caught.value.errors


@pytest.mark.shows("fact arithmetic step", "fact levels at ticks")
def test_the_published_arithmetic_grid() -> None:
    grid = botdesk.plan_grid(
        lower_price=56000, upper_price=70000, grids_quantity=40, grid_type="arithmetic", tick="0.1"
    )
    assert str(grid.step) == "358.974358974358974358974358974358974359"
    assert [str(level.price) for level in grid][:5] == ["56000.0", "56359.0", "56717.9", "57076.9", "57435.9"]
    assert (len(grid), str(grid[-1].price)) == (40, "70000.0")


@pytest.mark.shows("fact geometric ratio")
def test_the_published_geometric_grid() -> None:
    grid = botdesk.plan_grid(
        lower_price="0.016352", upper_price="0.022503", grids_quantity=81, grid_type="geometric", tick="0.000001"
    )
    assert str(grid.step).startswith("1.00399920581210916146041542739112586575")
    assert (len(grid), grid[0].price, grid[80].price) == (81, Decimal("0.016352"), Decimal("0.022503"))


@pytest.mark.shows("fact sides of levels")
def test_levels_above_the_nearest_sell_and_those_below_it_buy() -> None:
    assert [level.side for level in five()] == ["buy", "buy", None, "sell", "sell"]
    assert [level.side for level in five(price=1)] == [None, "sell", "sell", "sell", "sell"]
    assert {level.side for level in five(price=None)} == {None}


def test_the_investment_is_quote_for_buys_and_base_for_sells() -> None:
    grid = five()
    assert grid.investment_quote_currency == Decimal("0.5") * (100 + 110)
    assert grid.investment_base_currency == Decimal("0.5") * 2
    assert grid.investment == 105 + 1 * 121


def test_without_a_price_or_a_quantity_the_investment_is_not_known() -> None:
    for grid in (five(price=None), five(quantity_per_grid=None)):
        assert (grid.investment, grid.investment_quote_currency, grid.investment_base_currency) == (None, None, None)


def test_a_grid_earns_its_step_times_the_quantity() -> None:
    grid = five()
    assert grid.profit_per_grid == grid.step * Decimal("0.5") == 5
    assert [level.profit for level in grid] == [None, 5, 5, 5, 5]
    assert five(quantity_per_grid=None).profit_per_grid is None


def test_the_fee_of_both_orders_is_taken_from_the_profit() -> None:
    grid = five(fee="0.001")
    # 0.5 * (10 - 0.001 * (100 + 110)), and so on up to 0.5 * (10 - 0.001 * (130 + 140))
    assert [str(level.profit) for level in grid][1:] == ["4.895", "4.885", "4.875", "4.865"]
    assert grid.profit_per_grid == Decimal("4.88")


def test_the_profit_of_a_geometric_grid_grows_with_the_price() -> None:
    grid = five(grid_type="geometric", lower_price=100, upper_price=400, grids_quantity=3)
    assert [level.price for level in grid] == [100, 200, 400]
    assert [level.profit for level in grid] == [None, 50, 100]
    assert grid.step == 2
    assert grid.profit_per_grid == 75


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        ({"price": 99}, "the price is below the grid"),
        ({"price": 141}, "the price is above the grid"),
        ({"tick": 50}, "the tick is so large that levels have the same price"),
        ({"fee": "0.05"}, "buying one level lower and selling at 110 makes no profit after the fee"),
        (
            {"lot": 1},
            "the order at 100 can't be placed: quantity_per_grid is less than a lot there, and those at 4 more levels",
        ),
    ],
)
def test_what_a_trader_should_know_is_a_warning(changes: dict[str, Any], warning: str) -> None:
    assert five().warnings == []
    assert warning in five(**changes).warnings


# Eight levels from 56 000 to 70 000: 56 000, 58 000, and so on.
OF_150_USDT: dict[str, Any] = {
    "lower_price": 56000,
    "upper_price": 70000,
    "grids_quantity": 8,
    "quantity_per_grid": 150,
    "order_currency_type": "quote",
    "price": 63000,
}


def test_orders_in_the_quote_currency_cost_their_quantity() -> None:
    grid = botdesk.plan_grid(**OF_150_USDT, lot="0.00000001")
    # Three levels buy for 150 each; four sell what 150 buys at 64 000, 66 000, 68 000 and 70 000.
    assert grid.investment_quote_currency == 450
    assert grid.investment_base_currency is not None
    assert grid.investment_base_currency == Decimal("0.00234375") + Decimal("0.00227272") + Decimal(
        "0.00220588"
    ) + Decimal("0.00214285")
    assert grid.profit_per_grid is not None
    assert round(grid.profit_per_grid, 2) == Decimal("4.86")
    assert grid.investment == 450 + grid.investment_base_currency * 63000
    assert [str(level.quantity) for level in grid][:2] == ["0.00267857", "0.0025862"]
    assert grid.warnings == []


def test_a_record_with_orders_in_the_quote_currency_is_planned_like_the_arguments() -> None:
    fields = {name: str(value) for name, value in OF_150_USDT.items() if name != "price"}
    assert bot(**fields, current_price="63000").levels() == botdesk.plan_grid(**OF_150_USDT)


@pytest.mark.parametrize(("price", "quantity"), [("0.016287", 1227), ("0.016352", 1223), ("0.02171", 921)])
def test_a_quantity_is_rounded_down_to_the_lot(price: str, quantity: int) -> None:
    grid = five(lower_price=price, upper_price="0.03", quantity_per_grid=20, order_currency_type="quote", lot=1)
    assert grid[0].quantity == quantity


@pytest.mark.parametrize(
    ("bounds", "price", "balancing", "investment"),
    [
        (("0.016287", "0.022414"), "0.021967", 4495, "1598.741665"),
        (("0.016352", "0.022503"), "0.022394", 888, "1599.885872"),
    ],
)
def test_the_published_investments(bounds: tuple[str, str], price: str, balancing: int, investment: str) -> None:
    grid = botdesk.plan_grid(
        lower_price=bounds[0],
        upper_price=bounds[1],
        grids_quantity=81,
        grid_type="geometric",
        quantity_per_grid=20,
        order_currency_type="quote",
        price=price,
        tick="0.000001",
        lot=1,
    )
    assert grid.investment_base_currency == balancing
    assert grid.investment == Decimal(investment)


def test_a_short_grid_needs_no_base_currency() -> None:
    short = five(mode="short", price=120)
    # Sells 0.5 at 130 and at 140, and sold 1 at 120 at its start.
    assert short.investment_quote_currency == 65 + 70 + 120
    assert short.investment_base_currency == 0
    assert short.investment == 255
    reversal = five(mode="reversal", price=120)
    assert reversal.investment == 50 + 55 + 65 + 70
    assert reversal.investment_base_currency == 0
    assert five(mode="long") == five(mode=None) == five()


def test_a_grid_prints_as_a_table() -> None:
    assert repr(five()).splitlines()[:3] == [
        "Grid: 5 levels, step 10, profit 5 a grid, investment 226 (105 of the quote currency, 1 of the base currency)",
        "price  side  profit",
        "  100   buy       -",
    ]
    assert repr(five()[2]) == "<GridLevel price=120 side=- profit=5>"


def test_all_that_is_missing_or_wrong_is_reported_at_once() -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        botdesk.plan_grid(price=0, fee=-1)
    assert list(caught.value.errors) == ["lower_price", "upper_price", "grids_quantity", "price", "fee"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"upper_price": 100}, "upper_price"),
        ({"lower_price": 0}, "lower_price"),
        ({"grids_quantity": 1}, "grids_quantity"),
        ({"grids_quantity": 10_001}, "grids_quantity"),
        ({"grids_quantity": "5"}, "grids_quantity"),
        ({"grid_type": "harmonic"}, "grid_type"),
        ({"order_currency_type": "USDT"}, "order_currency_type"),
        ({"mode": "sideways"}, "mode"),
        ({"lot": 0}, "lot"),
        ({"quantity_per_grid": -1}, "quantity_per_grid"),
        ({"grids": 5}, "grids"),
    ],
)
def test_an_impossible_grid_is_rejected(changes: dict[str, Any], field: str) -> None:
    assert list(refused(**changes)) == [field]


def test_a_bot_has_the_levels_of_its_fields_and_its_current_price() -> None:
    assert bot().levels() == five()
    market: dict[str, Any] = {"price": 139, "tick": 1, "lot": "0.1", "fee": "0.001"}
    assert bot().levels(**market) == five(**market)


@pytest.mark.parametrize("current", [None, "0.0", "NaN"])
def test_a_bot_whose_price_is_not_known_has_levels_without_sides(current: object) -> None:
    grid = bot(current_price=current).levels()
    assert list(grid) == list(five(price=None))
    assert grid.investment is None
    (warning,) = grid.warnings
    assert warning.startswith("the record")
    assert warning.endswith("; pass price= to get the side of each level")


def test_a_bot_without_bounds_has_no_levels_and_says_so() -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        bot(lower_price=None, grids_quantity=1).levels()
    assert list(caught.value.errors) == ["lower_price", "grids_quantity"]


def test_the_grid_of_the_sandbox_is_the_one_that_the_bot_has() -> None:
    with botdesk.Sandbox(odd_values=True) as sandbox:
        held = sandbox.client().grid_bots.set_note(203, "Plan")
    assert held.grid_lines is not None
    planned = held.levels(tick="0.01")
    assert [level.price for level in planned] == [line.price for line in held.grid_lines]


def test_the_arguments_are_those_of_an_edit() -> None:
    edit = [name for name in inspect.signature(botdesk.GridBot.edit).parameters if name not in {"self", "validate"}]
    assert list(inspect.signature(botdesk.plan_grid).parameters) == ["price", "tick", "lot", "fee", *edit]


@settings(derandomize=True, deadline=None)
@given(
    lower=st.integers(1, 10_000),
    width=st.integers(1, 10_000),
    levels=st.integers(2, 60),
    geometric=st.booleans(),
)
def test_levels_lie_between_the_bounds_in_order(lower: int, width: int, levels: int, geometric: bool) -> None:
    grid = botdesk.plan_grid(
        lower_price=lower,
        upper_price=lower + width,
        grids_quantity=levels,
        grid_type="geometric" if geometric else "arithmetic",
        quantity_per_grid=1,
    )
    prices = [Fraction(level.price) for level in grid]
    assert len(prices) == levels
    assert prices[0] == lower
    assert prices[-1] == lower + width
    assert prices == sorted(set(prices))
    step = Fraction(grid.step)
    for below, above in pairwise(prices):
        apart = above / below if geometric else above - below
        assert abs(apart - step) < Fraction(1, 10**30)
    assert grid.profit_per_grid is not None
    assert abs(Fraction(grid.profit_per_grid) - Fraction(width, levels - 1)) < Fraction(1, 10**40)
