"""Plans of records whose fields are absent, null or unreadable: none of them is guessed silently."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

import botdesk

DCA_BOT: dict[str, Any] = {
    "strategy": "long",
    "base_order_volume": "80",
    "base_order_volume_type": "quote_currency",
    "safety_order_volume": "30",
    "safety_order_volume_type": "quote_currency",
    "max_safety_orders": 3,
    "safety_order_step_percentage": "1",
    "martingale_step_coefficient": "4",
    "martingale_volume_coefficient": "1.7",
    "take_profit": "1",
    "take_profit_type": "total",
    "stop_loss_percentage": "22",
    "max_active_deals": 1,
    "trailing_enabled": False,
    "tsl_enabled": False,
    "reinvesting_percentage": None,
    "risk_reduction_percentage": None,
    "pairs": ["USDT_ETH"],
}
GRID_BOT: dict[str, Any] = {
    "lower_price": "100",
    "upper_price": "140",
    "grids_quantity": "5",
    "grid_type": "arithmetic",
    "quantity_per_grid": "0.5",
    "order_currency_type": "base",
    "current_price": "121",
    "pair": "USDT_BTC",
}
LONE_SURROGATE = "\ud83d"
NUMBERS = [
    "base_order_volume",
    "safety_order_volume",
    "safety_order_step_percentage",
    "martingale_step_coefficient",
    "martingale_volume_coefficient",
    "take_profit",
    "stop_loss_percentage",
    "reinvesting_percentage",
    "risk_reduction_percentage",
]
COUNTS = ["max_safety_orders", "max_active_deals"]
TEXTS = ["strategy", "base_order_volume_type", "safety_order_volume_type", "take_profit_type"]
FLAGS = ["trailing_enabled", "tsl_enabled"]
NO_NUMBERS: list[Any] = ["many", "", True, [], {}, LONE_SURROGATE]
NO_TEXTS: list[Any] = [5, False, [], {}, LONE_SURROGATE]
NO_FLAGS: list[Any] = [1, "yes", [], LONE_SURROGATE]
UNREADABLE: list[tuple[str, Any]] = [
    *product([*NUMBERS, *COUNTS], NO_NUMBERS),
    *product(TEXTS, NO_TEXTS),
    *product(FLAGS, NO_FLAGS),
    *product(COUNTS, [1.5]),
]
GRID_NUMBERS = ["lower_price", "upper_price", "grids_quantity", "quantity_per_grid", "current_price"]
GRID_UNREADABLE: list[tuple[str, Any]] = [
    *product(GRID_NUMBERS, NO_NUMBERS),
    *product(["grid_type", "order_currency_type", "mode"], NO_TEXTS),
    ("grids_quantity", 1.5),
]


def without(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return {field: value for field, value in fields.items() if field != name}


def dca_bot(fields: dict[str, Any]) -> botdesk.DcaBot:
    return botdesk.DcaBot.from_json(json.dumps(fields))


def grid_bot(fields: dict[str, Any]) -> botdesk.GridBot:
    return botdesk.GridBot.from_json(json.dumps(fields))


def ladder_of(**changes: Any) -> botdesk.Ladder:  # noqa: ANN401
    return dca_bot({**DCA_BOT, **changes}).ladder(2561)


def levels_of(**changes: Any) -> botdesk.GridPlan:  # noqa: ANN401
    return grid_bot({**GRID_BOT, **changes}).levels()


def test_a_whole_record_is_planned_without_a_warning() -> None:
    assert ladder_of().warnings == []
    assert levels_of().warnings == []


@pytest.mark.shows("promise plans never guess")
@pytest.mark.parametrize(("field", "value"), UNREADABLE)
def test_a_field_that_cannot_be_read_is_the_error_of_reading_it(field: str, value: object) -> None:
    bot = dca_bot({**DCA_BOT, field: value})
    with pytest.raises(botdesk.DecodeError) as reading:
        getattr(bot, field)
    with pytest.raises(botdesk.DecodeError) as planning:
        bot.ladder(2561)
    assert (planning.value.record, planning.value.field, planning.value.text) == (
        "DcaBot",
        field,
        reading.value.text,
    )
    assert str(planning.value) == f"{reading.value}; botdesk.plan_ladder takes it as {field}="


@pytest.mark.shows("promise plans never guess")
@pytest.mark.parametrize(("field", "value"), GRID_UNREADABLE)
def test_a_field_of_a_grid_bot_that_cannot_be_read_is_the_error_of_reading_it(field: str, value: object) -> None:
    bot = grid_bot({**GRID_BOT, field: value})
    with pytest.raises(botdesk.DecodeError) as reading:
        getattr(bot, field)
    with pytest.raises(botdesk.DecodeError) as planning:
        bot.levels()
    advice = "pass price=" if field == "current_price" else f"botdesk.plan_grid takes it as {field}="
    assert str(planning.value) == f"{reading.value}; {advice}"
    assert planning.value.field == field


def test_the_price_of_a_caller_stands_for_one_that_cannot_be_read() -> None:
    bot = grid_bot({**GRID_BOT, "current_price": []})
    assert bot.levels(price=121) == levels_of()


@pytest.mark.parametrize(
    ("steps", "field"),
    [
        ("half", "take_profit_steps"),
        ([{"amount_percentage": 100, "profit_percentage": "much"}], "profit_percentage"),
        ([5], "profit_percentage"),
    ],
)
def test_take_profit_steps_that_cannot_be_read_are_not_left_out(steps: object, field: str) -> None:
    with pytest.raises(botdesk.DecodeError, match=r"botdesk\.plan_ladder takes it as take_profit_steps=") as planning:
        ladder_of(take_profit=None, take_profit_steps=steps)
    assert planning.value.field == field


def test_a_step_is_planned_if_what_the_ladder_does_not_need_of_it_cannot_be_read() -> None:
    steps = [{"id": "first", "amount_percentage": LONE_SURROGATE, "profit_percentage": "2.5"}]
    (warning,) = ladder_of(take_profit=None, take_profit_steps=steps).warnings
    assert warning == "profit is taken in 1 steps; the take-profit prices are those of the first"


@pytest.mark.parametrize("text", ["Infinity", "-Infinity", "NaN", "1e5000"])
@pytest.mark.parametrize("field", NUMBERS)
def test_a_number_that_cannot_be_calculated_with_is_rejected(field: str, text: str) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        ladder_of(**{field: text})
    assert list(caught.value.errors) == [field]
    assert caught.value.errors[field] == [f"is {text} in the record, which can't be calculated with"]


def test_a_value_that_a_message_cuts_ends_with_an_ellipsis() -> None:
    long = "1." + "0" * 90 + "e5000"
    with pytest.raises(botdesk.ValidationError) as caught:
        ladder_of(base_order_volume=long)
    message = f"is {long[:80]}… in the record, which can't be calculated with"
    assert caught.value.errors == {"base_order_volume": [message]}
    (warning,) = levels_of(current_price=long).warnings
    assert warning == f"the record's current_price is {long[:80]}…; pass price= to get the side of each level"


def test_a_step_that_cannot_be_calculated_with_is_rejected() -> None:
    steps = [{"amount_percentage": 100, "profit_percentage": "Infinity"}]
    with pytest.raises(botdesk.ValidationError, match="the profit_percentage of the first step is Infinity"):
        ladder_of(take_profit=None, take_profit_steps=steps)
    with pytest.raises(botdesk.ValidationError, match="the first step has no profit_percentage"):
        ladder_of(take_profit="0", take_profit_steps=[{"amount_percentage": 100}])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("strategy", "sideways"),
        ("base_order_volume_type", "lots"),
        ("safety_order_volume_type", "lots"),
        ("take_profit_type", "most"),
    ],
)
def test_an_undocumented_value_is_rejected(field: str, value: str) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        ladder_of(**{field: value})
    assert list(caught.value.errors) == [field]
    with pytest.raises(botdesk.ValidationError, match="grid_type: must be one of geometric, arithmetic"):
        levels_of(grid_type="harmonic")
    with pytest.raises(botdesk.ValidationError, match="order_currency_type: must be one of quote, base"):
        levels_of(order_currency_type="USDT")
    with pytest.raises(botdesk.ValidationError, match="mode: must be one of long, short, reversal"):
        levels_of(mode="sideways")


def test_a_bot_on_a_spot_account_has_no_direction() -> None:
    assert levels_of(mode=None) == levels_of() == levels_of(mode="long")


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize(
    "field",
    [
        "base_order_volume",
        "safety_order_volume",
        "safety_order_step_percentage",
        "martingale_step_coefficient",
        "martingale_volume_coefficient",
        "max_safety_orders",
        "take_profit_type",
        "strategy",
    ],
)
def test_a_required_field_that_is_not_there_is_not_assumed(field: str, missing: bool) -> None:
    fields = without(DCA_BOT, field) if missing else {**DCA_BOT, field: None}
    with pytest.raises(botdesk.ValidationError) as caught:
        dca_bot(fields).ladder(2561)
    message = f"is required, but missing in the record; botdesk.plan_ladder takes it as {field}="
    assert caught.value.errors == {field: [message]}


@pytest.mark.shows("promise plans never guess")
@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize(
    ("field", "assumption"),
    [
        ("base_order_volume_type", "quote_currency is assumed"),
        ("safety_order_volume_type", "quote_currency is assumed"),
        ("max_active_deals", "1 is assumed"),
        ("stop_loss_percentage", "no stop loss is assumed"),
        ("tsl_enabled", "false is assumed"),
    ],
)
def test_what_is_assumed_is_a_warning(field: str, assumption: str, missing: bool) -> None:
    fields = without(DCA_BOT, field) if missing else {**DCA_BOT, field: None}
    assert dca_bot(fields).ladder(2561).warnings == [f"the record has no {field}; {assumption}"]


@pytest.mark.parametrize(
    ("field", "assumption"),
    [
        ("trailing_enabled", "false is assumed"),
        ("reinvesting_percentage", "0 is assumed"),
        ("risk_reduction_percentage", "0 is assumed"),
    ],
)
def test_a_field_that_may_be_null_is_only_assumed_if_it_is_absent(field: str, assumption: str) -> None:
    warning = f"the record has no {field}; {assumption}"
    assert dca_bot(without(DCA_BOT, field)).ladder(2561).warnings == [warning]
    assert ladder_of(**{field: None}).warnings == []


def test_a_take_profit_is_required_unless_there_are_steps() -> None:
    fields = without(DCA_BOT, "take_profit")
    with pytest.raises(botdesk.ValidationError) as caught:
        dca_bot(fields).ladder(2561)
    message = "is required, but missing in the record; botdesk.plan_ladder takes it as take_profit="
    assert caught.value.errors == {"take_profit": [message]}
    steps = [{"amount_percentage": 100, "profit_percentage": "2.5"}]
    ladder = dca_bot({**fields, "take_profit_steps": steps}).ladder(2561)
    assert ladder.warnings == ["profit is taken in 1 steps; the take-profit prices are those of the first"]


def test_a_take_profit_that_is_null_is_none() -> None:
    ladder = ladder_of(take_profit=None)
    assert (ladder.warnings, ladder[0].take_profit_price) == ([], None)


def test_a_coefficient_that_multiplies_nothing_is_not_looked_at() -> None:
    one = without(without(DCA_BOT, "martingale_step_coefficient"), "martingale_volume_coefficient")
    assert len(dca_bot({**one, "max_safety_orders": 1}).ladder(2561)) == 2


def test_what_a_grid_does_not_say_is_a_warning() -> None:
    for field, outcome in [
        ("grid_type", "arithmetic is assumed"),
        ("quantity_per_grid", "the investment and the profit are unknown"),
        ("order_currency_type", "base is assumed"),
        ("current_price", "pass price= to get the side of each level"),
    ]:
        warning = f"the record has no {field}; {outcome}"
        assert grid_bot(without(GRID_BOT, field)).levels().warnings == [warning]
        assert levels_of(**{field: None}).warnings == [warning]


def test_a_pair_that_cannot_be_read_is_a_warning() -> None:
    ladder, grid = ladder_of(pairs={}), levels_of(pair=5)
    assert (ladder.pair, grid.pair) == (None, None)
    assert ladder.warnings == ["DcaBot.pairs is not an array: {}; the ladder has no pair"]
    assert grid.warnings == ["GridBot.pair is not a text: 5; the grid has no pair"]


def test_an_assumed_coefficient_counts_for_the_stop_loss_as_well() -> None:
    ladder = botdesk.plan_ladder(
        price=100,
        base_order_volume=80,
        safety_order_volume=30,
        max_safety_orders=3,
        safety_order_step_percentage=1,
        stop_loss_percentage=3,
    )
    assert ladder.warnings == ["stop_loss_percentage must be below the last safety order, so more than 3 %, not 3 %"]
