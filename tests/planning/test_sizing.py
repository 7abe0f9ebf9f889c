"""Volumes that use a budget: the inverse of a ladder."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import botdesk

BUDGETS = st.decimals(min_value="0.5", max_value=1_000_000, places=6)


@given(
    BUDGETS,
    st.integers(0, 12),
    st.decimals(min_value="0.5", max_value="2.5", places=2),
    st.decimals(min_value="0.2", max_value=4, places=2),
    st.integers(1, 9),
)
@settings(max_examples=100)
def test_the_orders_use_the_budget_within_a_step_and_never_more(
    budget: Decimal, orders: int, coefficient: Decimal, ratio: Decimal, deals: int
) -> None:
    step = Decimal("0.000001")
    arguments: dict[str, Any] = {
        "max_safety_orders": orders,
        "max_active_deals": deals,
        "safety_order_step_percentage": "0.1",
        "martingale_volume_coefficient": coefficient,
    }
    smallest = budget / deals / (1 + ratio * sum(coefficient**number for number in range(orders)))
    assume(smallest * min(Decimal(1), ratio) > 2 * step)
    sized = botdesk.size_ladder(budget=budget, price=100, safety_ratio=ratio, step=step, **arguments)
    planned = botdesk.plan_ladder(price=100, **sized.settings)
    assert planned.bot_budget <= budget
    assert budget - planned.bot_budget < step * deals * 2
    assert planned == sized.ladder
    assert 0 <= sized.unused < step * 2


def test_rounding_up_to_lots_does_not_exceed_the_budget() -> None:
    for budget in range(300, 1500, 50):
        arguments: dict[str, Any] = {"max_safety_orders": 3, "safety_order_step_percentage": 1, "lot": "0.01"}
        sized = botdesk.size_ladder(budget=budget, price="2561.66", tick="0.01", **arguments)
        assert sized.ladder[-1].spent <= budget


def test_a_budget_is_divided_by_the_deals_that_the_pairs_allow() -> None:
    of_one: dict[str, Any] = {"max_active_deals": 5, "pairs": "USDT_ETH", "max_safety_orders": 0}
    assert botdesk.size_ladder(budget=1000, price=100, **of_one).base_order_volume == 1000
    of_two: dict[str, Any] = {**of_one, "pairs": ["USDT_ETH", "USDT_BTC"], "allowed_deals_on_same_pair": 2}
    sized = botdesk.size_ladder(budget=1000, price=100, **of_two)
    assert (sized.base_order_volume, sized.ladder.bot_budget) == (Decimal(250), Decimal(1000))


def test_the_result_is_what_an_edit_takes() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        rates = client.markets.rates("demo_spot", "USDT_ETH")
        bot = client.dca_bots.get(41)
        sized = botdesk.size_ladder(
            budget="500",
            rates=rates,
            max_safety_orders=3,
            safety_order_step_percentage=1,
            martingale_volume_coefficient="1.7",
            martingale_step_coefficient=2,
        )
        edited = client.dca_bots.edit(41, **sized.settings)
        assert bot.ladder(rates=rates).budget != edited.ladder(rates=rates).budget
        assert Decimal("499.9") < edited.ladder(rates=rates).budget <= 500
        assert sized.ladder.warnings == []


def test_an_order_below_the_minimum_is_refused_with_the_budget_that_is_needed() -> None:
    arguments: dict[str, Any] = {
        "price": 100,
        "max_safety_orders": 9,
        "safety_order_step_percentage": 1,
        "min_total": 5,
    }
    with pytest.raises(
        botdesk.ValidationError, match=r"order of 3, below the exchange's minimum of 5; about 50 is"
    ) as caught:
        botdesk.size_ladder(budget=30, **arguments)
    assert list(caught.value.errors) == ["budget"]
    assert botdesk.size_ladder(budget=50, **arguments).base_order_volume == 5


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"budget": 0}, "budget"),
        ({"budget": "much"}, "budget"),
        ({"budget": "nan"}, "budget"),
        ({"safety_ratio": -1}, "safety_ratio"),
        ({"step": 0}, "step"),
        ({"base_order_volume": 10}, "base_order_volume"),
        ({"max_safety_orders": "3"}, "max_safety_orders"),
        ({"custom_safety_steps": [{"deviation": -1, "size": 1}]}, "custom_safety_steps"),
        ({"martingale_volume_coefficient": "x"}, "martingale_volume_coefficient"),
        ({"budget": "0.00000001"}, "budget"),
        ({"lot": 100}, "budget"),
        ({"max_safety": 3}, "max_safety"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], name: str) -> None:
    given_: dict[str, Any] = {"budget": 1000, "price": 100, "max_safety_orders": 2, "safety_order_step_percentage": 1}
    with pytest.raises(botdesk.ValidationError) as caught:
        botdesk.size_ladder(**{**given_, **arguments})
    assert name in next(iter(caught.value.errors))
