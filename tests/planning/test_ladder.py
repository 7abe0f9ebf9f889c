"""The ladder of a DCA bot: by the published samples, by hand, and against fractions."""

from __future__ import annotations

import inspect
import json
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import botdesk

# Published samples: base order, deviations, sizes, stop loss.
PUBLISHED: dict[str, Any] = {
    "price": "2561.66911",
    "tick": "0.01",
    "base_order_volume": 80,
    "safety_order_volume": 30,
    "max_safety_orders": 3,
    "safety_order_step_percentage": 1,
    "martingale_step_coefficient": 4,
    "martingale_volume_coefficient": "1.7",
    "stop_loss_percentage": 22,
    "take_profit": 1,
    "max_active_deals": 3,
}

# Fields of a record of the service besides those of the sample.
SAID: dict[str, Any] = {
    "strategy": "long",
    "base_order_volume_type": "quote_currency",
    "safety_order_volume_type": "quote_currency",
    "take_profit_type": "total",
    "trailing_enabled": False,
    "tsl_enabled": False,
    "reinvesting_percentage": None,
    "risk_reduction_percentage": None,
}


# `Any`: tests pass arguments that the types forbid.
def plan(**changes: Any) -> botdesk.Ladder:  # noqa: ANN401
    return botdesk.plan_ladder(**{**PUBLISHED, **changes})


def refused(**changes: Any) -> dict[str, list[str]]:  # noqa: ANN401
    with pytest.raises(botdesk.ValidationError) as caught:
        plan(**changes)
    return caught.value.errors


def bot(**fields: Any) -> botdesk.DcaBot:  # noqa: ANN401
    held = {name: value for name, value in PUBLISHED.items() if name not in {"price", "tick"}}
    return botdesk.DcaBot.from_json(json.dumps({**SAID, **held, **fields}))


@pytest.mark.parametrize(("coefficient", "deviations"), [(4, [0, 1, 5, 21]), (2, [0, 1, 3, 7])])
def test_the_published_deviations(coefficient: int, deviations: list[int]) -> None:
    assert [rung.deviation for rung in plan(martingale_step_coefficient=coefficient)] == deviations


def test_the_published_price() -> None:
    assert plan()[3].price == Decimal("2023.71")


def test_the_published_sizes_and_budgets() -> None:
    ladder = plan()
    assert [str(rung.size) for rung in ladder] == ["80", "30", "51", "86.7"]
    assert ladder.budget == ladder[-1].spent == Decimal("247.7")
    assert ladder.bot_budget == Decimal("743.1")


def test_the_published_stop_loss() -> None:
    assert plan().stop_loss_price == Decimal("1998.1019058")
    assert plan(stop_loss_percentage=0).stop_loss_price is None


def test_the_published_take_profit() -> None:
    # The published average of 2516.2882 has the fee in it.
    price = Fraction("2516.2882") / Fraction("1.001")
    exact = Decimal(price.numerator) / Decimal(price.denominator)
    ladder = plan(price=exact, max_safety_orders=0, fee="0.001", tick=None)
    assert ladder[0].take_profit_price is not None
    assert ladder[0].take_profit_price.quantize(Decimal("0.0001")) == Decimal("2543.9951")
    rounded = plan(price=exact, max_safety_orders=0, fee="0.001", tick="0.1")
    assert str(rounded[0].take_profit_price) == "2544.0"


def test_the_fee_is_in_averages_and_in_what_is_measured_from_them() -> None:
    # At the exchange, the published base order was filled at 2559.11: 2559.11 * 1.001 = 2561.66911.
    ladder = plan(price="2559.11", fee="0.001", lot="0.0001")
    assert [str(rung.price) for rung in ladder] == ["2559.11", "2536.05", "2433.58", "2023.71"]
    assert ladder[0].average_price == Decimal("2561.66911")
    assert ladder[0].spent == Decimal("0.0313") * Decimal("2561.66911")
    assert ladder.stop_loss_price == Decimal("1998.1019058")


def test_a_stop_loss_above_the_last_safety_order_is_a_warning() -> None:
    assert plan(martingale_step_coefficient=2, stop_loss_percentage=8).warnings == []
    (warning,) = plan(martingale_step_coefficient=2, stop_loss_percentage=7).warnings
    assert warning == "stop_loss_percentage must be below the last safety order, so more than 7 %, not 7 %"


def test_a_ladder_is_a_sequence_of_rungs() -> None:
    ladder = plan()
    assert len(ladder) == 4
    assert list(ladder) == [ladder[0], ladder[1], ladder[2], ladder[3]]
    assert (ladder[-1], ladder[-4]) == (ladder[3], ladder[0])
    assert [rung.number for rung in ladder] == [0, 1, 2, 3]
    for index in (4, -5):
        with pytest.raises(IndexError, match=f"index {index} is out of range for 4 rungs"):
            ladder[index]


def test_a_ladder_prints_as_a_table() -> None:
    lines = repr(plan(stop_loss_percentage=7, lot="0.0001")).splitlines()
    assert lines[0] == "Ladder, long: a deal takes 247.7, all deals of the bot 743.1; stop loss at 2382.35227"
    assert lines[1].split()[:5] == ["order", "deviation", "price", "size", "quantity"]
    assert [line.split()[0] for line in lines[2:6]] == ["base", "1", "2", "3"]
    assert lines[6].startswith("! stop_loss_percentage must be below the last safety order")
    assert repr(plan()[1]).startswith("<Rung order=1 deviation=1% price=2536.05 size=30 ")


def test_a_lot_makes_orders_a_little_larger() -> None:
    ladder = plan(lot="0.0001")
    assert [str(rung.quantity) for rung in ladder] == ["0.0313", "0.0119", "0.021", "0.0429"]
    assert ladder[0].spent == Decimal("0.0313") * Decimal("2561.66911")
    assert ladder.budget == Decimal("247.7")


def test_a_coarse_lot_that_takes_more_than_the_budget_is_a_warning() -> None:
    ladder = plan(lot="0.02")
    (warning,) = [warning for warning in ladder.warnings if "budget" in warning]
    assert warning.startswith(f"the lot is large: rounded up to it, a deal costs {ladder[3].spent:f}"[:60])
    assert ladder[3].spent > ladder.budget
    assert not [warning for warning in plan(lot="0.0001").warnings if "budget" in warning]


def test_a_short_bot_is_the_other_way_round() -> None:
    ladder = plan(strategy="short", fee="0.001")
    # All prices are measured from what the sale brings in, 2561.66911 * 0.999 = 2559.10744….
    assert [str(rung.price) for rung in ladder] == ["2561.66911", "2584.70", "2687.07", "3096.53"]
    assert ladder.stop_loss_price == Decimal("3122.1110778858")
    # 2559.10744… * 0.99 / 1.001 = 2530.9854…
    assert ladder[0].take_profit_price == Decimal("2530.98")
    assert ladder[0].move_to_close is not None
    assert ladder[0].move_to_close < 0


def test_a_take_profit_of_the_base_order_is_that_part_of_its_volume() -> None:
    ladder = plan(
        price=100,
        base_order_volume=100,
        safety_order_volume=90,
        safety_order_step_percentage=10,
        martingale_step_coefficient=1,
        max_safety_orders=1,
        take_profit=10,
        take_profit_type="base",
    )
    # 1 bought at 100 and 1 at 90: at 100, they are worth 10 more than they cost.
    assert [rung.take_profit_price for rung in ladder] == [Decimal(110), Decimal(100)]
    assert [rung.average_price for rung in ladder] == [Decimal(100), Decimal(95)]


def test_the_move_to_close_is_counted_from_the_order() -> None:
    ladder = plan(price=100, tick=None, max_safety_orders=0, take_profit="2.5")
    assert ladder[0].move_to_close == Decimal("2.5")


def test_without_a_take_profit_there_is_no_target() -> None:
    rung = plan(take_profit=None)[0]
    assert (rung.take_profit_price, rung.move_to_close) == (None, None)


def test_profit_in_steps_is_planned_for_the_first_step_with_a_warning() -> None:
    steps = [{"amount_percentage": 50, "profit_percentage": p} for p in ("2.5", 4)]
    ladder = plan(price=100, tick=None, take_profit=0, take_profit_steps=steps)
    assert ladder[0].take_profit_price == Decimal("102.5")
    assert ladder.warnings == ["profit is taken in 2 steps; the take-profit prices are those of the first"]


def test_what_trails_the_price_is_reported() -> None:
    warnings = plan(trailing_enabled=True, trailing_deviation="0.2", tsl_enabled=True).warnings
    assert [warning.partition(";")[0] for warning in warnings] == [
        "the take profit trails the price",
        "the stop loss trails the price",
    ]


@pytest.mark.parametrize("field", ["reinvesting_percentage", "risk_reduction_percentage"])
def test_deals_that_differ_from_each_other_are_reported(field: str) -> None:
    (warning,) = plan(**{field: 50}).warnings
    assert warning.startswith("profits and losses change the size of later deals")


def test_an_order_at_or_below_zero_is_a_warning() -> None:
    ladder = plan(max_safety_orders=6)
    assert ladder[5].quantity == 0
    assert ladder[5].move_to_close is None
    assert ladder[5].price < 0
    assert (
        "safety order 5 has a price of zero or less; neither it nor the orders after it can be placed"
        in ladder.warnings
    )


def test_a_coefficient_past_its_limit_is_a_warning() -> None:
    assert plan(martingale_volume_coefficient=11, stop_loss_percentage=0).warnings == [
        "martingale_volume_coefficient must be between 0.1 and 10, not 11"
    ]


def test_volumes_in_percent_have_no_ladder() -> None:
    errors = refused(base_order_volume_type="percent")
    assert list(errors) == ["base_order_volume_type"]
    assert "have no ladder without a balance" in errors["base_order_volume_type"][0]


def test_all_that_is_missing_or_wrong_is_reported_at_once() -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        botdesk.plan_ladder(tick=0, lot=-1, fee=1)
    assert caught.value.errors == {
        "price": ["is required"],
        "tick": ["must be more than 0, not 0"],
        "lot": ["must be more than 0, not -1"],
        "fee": ['must be a fraction below 1, such as 0.001 or "0.1%", not 1'],
        "base_order_volume": ["is required"],
        "max_safety_orders": ["is required; pass 0 for the base order alone"],
    }


@pytest.mark.parametrize("name", ["martingale_step_coefficient", "martingale_volume_coefficient"])
@pytest.mark.parametrize("coefficient", ["1e7", "1e-9", "1" + "0" * 400])
def test_a_coefficient_without_measure_is_rejected(name: str, coefficient: str) -> None:
    assert refused(**{name: coefficient}) == {
        name: ["is too large or too small for a ladder; it must be between 0.1 and 10"]
    }


def test_a_take_profit_that_no_price_reaches_is_a_warning() -> None:
    ladder = plan(strategy="short", take_profit=120, max_safety_orders=0)
    assert ladder.warnings == ["the take profit of the base order is zero or less, so it is never reached"]


def test_a_stop_loss_that_no_price_reaches_is_a_warning() -> None:
    ladder = plan(stop_loss_percentage=100)
    assert "the stop loss is zero or less, so it is never reached" in ladder.warnings


def test_the_error_for_an_unknown_name_suggests_the_nearest() -> None:
    assert refused(take_proft=1) == {"take_proft": ["is not a field of a DCA bot; did you mean take_profit?"]}


@pytest.mark.parametrize("price", ["NaN", "twelve", float("inf"), True, []])
def test_a_value_that_is_not_a_number_is_rejected(price: object) -> None:
    assert list(refused(price=price)) == ["price"]


def test_a_float_is_taken_by_its_shortest_text() -> None:
    assert plan(price=2561.66911, martingale_volume_coefficient=1.7, tick=0.01) == plan()


def test_the_arguments_are_those_of_an_edit() -> None:
    edit = [name for name in inspect.signature(botdesk.DcaBot.edit).parameters if name not in {"self", "validate"}]
    market, last = ["price", "tick", "lot", "fee", "strategy"], edit.pop()
    assert list(inspect.signature(botdesk.plan_ladder).parameters) == [*market, *edit, "rates", last]


def test_each_argument_is_described() -> None:
    text = inspect.getdoc(botdesk.plan_ladder) or ""
    for name in inspect.signature(botdesk.plan_ladder).parameters:
        assert name == "unknown" or f"\n    {name}: " in text


def test_a_bot_has_the_ladder_of_its_fields() -> None:
    assert bot().ladder("2561.66911", tick="0.01") == plan()
    assert bot(strategy="short").ladder(Decimal("2561.66911"), "0.01") == plan(strategy="short")


def test_numbers_of_a_bot_may_be_texts_of_any_length() -> None:
    long = "1." + "7" * 60
    ladder = bot(martingale_volume_coefficient=long, max_safety_orders="2").ladder(100)
    assert ladder[2].size == Fraction(long) * 30


def test_every_plain_bot_of_the_sandbox_has_a_ladder() -> None:
    with botdesk.Sandbox(odd_values=True) as sandbox:
        for held in sandbox.client().dca_bots.iter():
            assert held.max_safety_orders is not None
            assert len(held.ladder(100)) == held.max_safety_orders + 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"custom_safety_steps": [{"volume": 1}]}, "custom_safety_steps"),
        ({"safety_order_volume_type": "percent"}, "safety_order_volume_type"),
        ({"base_order_volume": None}, "base_order_volume"),
        ({"base_order_volume": "Infinity"}, "base_order_volume"),
        ({"strategy": "sideways"}, "strategy"),
        ({"max_safety_orders": None}, "max_safety_orders"),
        ({"max_safety_orders": 201}, "max_safety_orders"),
    ],
)
def test_the_error_for_a_bot_without_a_ladder_names_the_field(fields: dict[str, object], field: str) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        bot(**fields).ladder(100)
    assert list(caught.value.errors) == [field]


def test_fields_that_a_ladder_does_not_need_may_be_null_or_odd() -> None:
    ladder = bot(name=5, strategy_list="?", take_profit=None, stop_loss_percentage="0", max_active_deals=1).ladder(100)
    assert (ladder[0].take_profit_price, ladder.stop_loss_price, ladder.warnings) == (None, None, [])
    assert ladder.bot_budget == ladder.budget


def test_a_bot_without_safety_orders_needs_nothing_of_them() -> None:
    ladder = bot(max_safety_orders=0, safety_order_volume=None, safety_order_step_percentage="0").ladder(100)
    assert len(ladder) == 1
    assert ladder.budget == 80


def hundredths(least: int, most: int) -> st.SearchStrategy[Decimal]:
    return st.decimals(Decimal(least) / 100, Decimal(most) / 100, places=2)


@settings(derandomize=True, deadline=None)
@given(
    price=hundredths(100, 10_000_000),
    base=hundredths(1, 100_000),
    safety=hundredths(1, 100_000),
    step=hundredths(1, 500),
    steps=hundredths(10, 150),
    volumes=hundredths(10, 300),
    profit=hundredths(0, 1_000),
    count=st.integers(0, 12),
    short=st.booleans(),
)
def test_a_ladder_is_what_fractions_give(  # noqa: PLR0917
    price: Decimal,
    base: Decimal,
    safety: Decimal,
    step: Decimal,
    steps: Decimal,
    volumes: Decimal,
    profit: Decimal,
    count: int,
    short: bool,
) -> None:
    tick, lot, fee = Fraction("0.01"), Fraction("0.001"), Fraction("0.001")
    ladder = botdesk.plan_ladder(
        strategy="short" if short else "long",
        price=price,
        tick="0.01",
        lot="0.001",
        fee="0.001",
        base_order_volume=base,
        safety_order_volume=safety,
        safety_order_step_percentage=step,
        martingale_step_coefficient=steps,
        martingale_volume_coefficient=volumes,
        max_safety_orders=count,
        take_profit=profit,
    )
    way = -1 if short else 1
    spent, held = Fraction(0), Fraction(0)
    for rung in ladder:
        n = rung.number
        away = sum((Fraction(step) * Fraction(steps) ** k for k in range(n)), Fraction(0))
        exact = Fraction(price) * (1 + way * fee) * (1 - way * away / 100)
        at = Fraction(price) if n == 0 else (ceil if short else floor)(exact / tick) * tick
        size = Fraction(safety) * Fraction(volumes) ** (n - 1) if n else Fraction(base)
        quantity = ceil(size / at / lot) * lot if at > 0 else Fraction(0)
        spent, held = spent + quantity * at * (1 + way * fee), held + quantity
        actual = [Fraction(each) for each in (rung.deviation, rung.price, rung.size, rung.quantity, rung.spent)]
        assert actual == [away, at, size, quantity, spent]
        assert abs(Fraction(rung.average_price) - spent / held) <= Fraction(1, 2 * 10**27)
        target = spent / held * (1 + way * Fraction(profit) / 100) / (1 - way * fee)
        assert rung.take_profit_price == (floor if short else ceil)(target / tick) * tick


STEPS: list[dict[str, Any]] = [{"deviation": "-1.5", "size": 40}, {"deviation": "-6", "size": 90}]


def test_custom_safety_steps_are_orders_of_their_own_distance_and_size() -> None:
    ladder = bot(custom_safety_steps=STEPS).ladder(3500, tick="0.01")
    assert [(str(rung.price), rung.size) for rung in ladder] == [
        ("3500", Decimal(80)),
        ("3447.50", Decimal(40)),
        ("3290.00", Decimal(90)),
    ]
    assert ladder.budget == 210
    assert ladder.warnings == []
    assert [(rung.price, rung.size) for rung in plan(price=3500, custom_safety_steps=STEPS)] == [
        (rung.price, rung.size) for rung in ladder
    ]


def test_custom_safety_steps_of_a_short_bot_rise() -> None:
    steps = [{"deviation": "1.5", "size": 40}, {"deviation": 6, "size": 90}]
    ladder = bot(strategy="short", custom_safety_steps=steps, stop_loss_percentage="0").ladder(3500, tick="0.01")
    assert [(str(rung.price), rung.size) for rung in list(ladder)[1:]] == [
        ("3552.50", Decimal(40)),
        ("3710.00", Decimal(90)),
    ]


def test_orders_that_cannot_be_placed_are_not_in_the_budget() -> None:
    ladder = plan(price=100, max_safety_orders=5, safety_order_step_percentage=60, stop_loss_percentage=None,
                  base_order_volume=100, safety_order_volume=100, martingale_volume_coefficient=1,
                  martingale_step_coefficient=1, max_active_deals=1)  # fmt: skip
    assert ladder.budget == ladder.bot_budget == ladder[-1].spent == 200
    assert ladder.warnings == [
        "safety order 2 has a price of zero or less; neither it nor the orders after it can be placed"
    ]


def test_orders_after_one_that_cannot_be_placed_are_not_in_the_budget() -> None:
    ladder = botdesk.plan_ladder(
        price=100, base_order_volume=100, take_profit=1, max_safety_orders=2, safety_order_volume=10,
        custom_safety_steps=[{"deviation": -100, "size": 50}, {"deviation": -2, "size": 30}],
    )  # fmt: skip
    assert [rung.spent for rung in ladder] == [100, 100, 100]
    assert ladder.budget == ladder.bot_budget == 100


def test_a_pair_that_is_listed_twice_is_one_pair() -> None:
    ladder = botdesk.plan_ladder(
        price=100, base_order_volume=100, max_safety_orders=0, max_active_deals=2, pairs=["USDT_BTC", "USDT_BTC"]
    )
    assert ladder.bot_budget == 100


def test_a_tick_that_puts_orders_at_one_price_is_a_warning() -> None:
    ladder = botdesk.plan_ladder(
        price="0.00000150",
        tick="0.00000001",
        lot=1,
        base_order_volume=10,
        safety_order_volume=10,
        max_safety_orders=5,
        safety_order_step_percentage="0.2",
        take_profit="0.3",
    )
    sharing, far = ladder.warnings
    assert sharing == (
        "the tick is large: rounded to it, safety orders 1 to 3 share the price 0.00000149, and others share theirs"
    )
    assert far == (
        "the tick is large: rounded to it, the take profit of safety order 5 is 0.786 % away from the average price, "
        "not 0.3 %"
    )
    assert all(warning in repr(ladder) for warning in ladder.warnings)


def test_a_tick_that_moves_a_target_far_away_is_a_warning() -> None:
    ladder = botdesk.plan_ladder(price="0.00000001", tick="0.00000001", base_order_volume=10, max_safety_orders=0,
                                 take_profit=1)  # fmt: skip
    assert ladder.warnings == [
        (
            "the tick is large: rounded to it, the take profit of the base order is 100 % away from the average price, "
            "not 1 %"
        )
    ]


@pytest.mark.parametrize(
    ("fields", "deals"),
    [
        ({}, 3),
        ({"pairs": "USDT_ETH"}, 1),
        ({"pairs": ["USDT_ETH", "USDT_BTC"]}, 2),
        ({"pairs": ["USDT_ETH", "USDT_BTC"], "allowed_deals_on_same_pair": 2}, 3),
    ],
)
def test_the_budget_is_of_the_deals_that_can_be_open(fields: dict[str, Any], deals: int) -> None:
    ladder = plan(**fields)
    assert ladder.bot_budget == ladder.budget * deals
    assert ["at most" in warning for warning in ladder.warnings] == [True] * (deals < 3)
