"""The plans, previews and backtests of changed settings."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

import botdesk
from botdesk._widgets.plans import described
from botdesk._widgets.tuning import Tuning

CANDLES = [[60_000 * minute, 3500, 3510 + minute, 3400, 3500 + minute % 50] for minute in range(100)]


@pytest.mark.parametrize(
    "values",
    [
        {"max_safety_orders": "5", "martingale_step_coefficient": "1.25"},
        {"base_order_volume": "33.3", "take_profit": "2", "max_active_deals": "1"},
        {"stop_loss_percentage": "30", "take_profit_type": "base"},
        {},
    ],
)
def test_the_ladder_is_that_of_the_edited_bot(bot: botdesk.DcaBot, values: dict[str, str]) -> None:
    planned = Tuning(bot, None).plan(values, {"price": "2500", "tick": "0.01", "fee": None})
    assert planned.preview is not None
    edited = planned.preview.apply() if values else bot
    assert isinstance(edited, botdesk.DcaBot)
    assert planned.shown["plan"] == described(edited.ladder("2500", tick="0.01"))
    assert [field for field, *_ in planned.shown["changes"]] == [change.field for change in planned.preview.changes]


def test_the_ladder_of_the_bot_as_it_is_follows_the_market(bot: botdesk.DcaBot) -> None:
    tuning = Tuning(bot, None)
    for price in ("2500", "100"):
        unchanged = tuning.plan({}, {"price": price}).shown
        assert unchanged["before"] is None
        assert tuning.plan({"max_safety_orders": "5"}, {"price": price}).shown["before"] == unchanged["plan"]


def test_a_bot_without_a_plan_can_be_given_one(client: botdesk.Client) -> None:
    bot = client.dca_bots.edit(
        41, base_order_volume_type="percent", base_order_volume="5", safety_order_volume_type="percent"
    )
    values = {"base_order_volume_type": "quote_currency", "safety_order_volume_type": "quote_currency"}
    planned = Tuning(bot, None).plan(values, {"price": "100"})
    assert (planned.shown["errors"], planned.shown["before"]) == ({}, None)
    assert len(planned.shown["plan"]["rungs"]) == 4


def test_the_levels_are_those_of_the_edited_bot(grid_bot: botdesk.GridBot) -> None:
    planned = Tuning(grid_bot, None).plan({"grids_quantity": "11", "upper_price": "4000"}, {"price": "3400"})
    assert planned.preview is not None
    edited = planned.preview.apply()
    assert isinstance(edited, botdesk.GridBot)
    assert planned.shown["plan"] == described(edited.levels(price="3400"))


def shown_figures(plan: dict[str, Any]) -> dict[str, str]:
    return {name: shown for name, shown, _ in plan["figures"]}


def test_every_digit_of_a_figure_is_at_hand(bot: botdesk.DcaBot) -> None:
    plan = Tuning(bot, None).plan({"safety_order_step_percentage": "1.23456"}, {"price": "100"}).shown["plan"]
    ((shown, whole),) = [(shown, whole) for name, shown, whole in plan["figures"] if name == "Deepest price covered"]
    assert shown.partition(", ")[2].removesuffix(" % away") == f"{float(whole.split(', ')[1].split()[0]):.2f}"
    assert len(whole) > len(shown)


def test_figures_name_the_budget_and_the_deepest_price(bot: botdesk.DcaBot) -> None:
    figures = shown_figures(Tuning(bot, None).plan({}, {"price": "100"}).shown["plan"])
    assert figures["Budget of a deal"] == "247.70 USDT"
    assert figures["Deepest price covered"] == "93 USDT, 7 % away"


def test_values_that_break_a_rule_are_planned_and_not_sent(bot: botdesk.DcaBot) -> None:
    planned = Tuning(bot, None).plan({"martingale_volume_coefficient": "11"}, {"price": "100"})
    assert planned.preview is None
    assert planned.shown["errors"] == {"martingale_volume_coefficient": ["must be between 0.1 and 10, not 11"]}
    assert len(planned.shown["plan"]["rungs"]) == 4


def test_values_that_are_no_numbers_are_neither_planned_nor_sent(bot: botdesk.DcaBot) -> None:
    planned = Tuning(bot, None).plan({"max_safety_orders": "many", "take_profit": "1,5"}, {"price": "100"})
    assert planned.preview is None
    assert planned.shown["errors"]["max_safety_orders"] == ['must be a whole number, not "many"']
    assert "must be a decimal" in planned.shown["errors"]["take_profit"][0]
    assert planned.shown["plan"] is None


def test_the_fee_of_tune_is_in_its_field_and_in_its_plans(bot: botdesk.DcaBot) -> None:
    tuning = Tuning(bot, CANDLES, "0.1%")
    market = {control["name"]: control["value"] for control in tuning.market_controls()}
    assert market["fee"] == "0.1%"
    assert tuning.plan({}, market).shown["errors"] == {}
    assert tuning.backtest({"take_profit": "2"}, market) == tuning.backtest(
        {"take_profit": "2"}, {**market, "fee": "0.001"}
    )


@pytest.mark.parametrize(
    ("market", "field"),
    [
        ({"price": ""}, "price"),
        ({"price": "-1"}, "price"),
        ({"price": "1", "fee": "2"}, "fee"),
        ({"price": "x"}, "price"),
    ],
)
def test_an_invalid_market_is_explained(bot: botdesk.DcaBot, market: dict[str, str], field: str) -> None:
    planned = Tuning(bot, None).plan({"take_profit": "2"}, market)
    assert list(planned.shown["errors"]) == [field]
    assert planned.shown["changes"] == [["take_profit", "1.0", "2"]]


def test_volumes_in_percent_have_no_ladder_but_can_be_sent(bot: botdesk.DcaBot) -> None:
    values = {"base_order_volume_type": "percent", "base_order_volume": "5"}
    planned = Tuning(bot, None).plan(values, {"price": "100"})
    assert planned.preview is not None
    assert planned.shown["plan"] is None
    assert "percent" in planned.shown["errors"]["base_order_volume_type"][0]


def test_a_value_that_is_cleared_is_sent_as_null(bot: botdesk.DcaBot) -> None:
    planned = Tuning(bot, None).plan({"cooldown": None}, {"price": "100"})
    assert planned.preview is not None
    assert [(change.field, change.new) for change in planned.preview.changes] == [("cooldown", None)]


def test_names_that_are_no_settings_are_not_sent(bot: botdesk.DcaBot) -> None:
    values: dict[str, Any] = {"name": "Other", "account_id": "7", "strategy_list": "[]"}
    planned = Tuning(bot, None).plan(values, {"price": "100"})
    assert planned.preview is not None
    assert planned.preview.changes == []


def test_the_price_is_that_of_the_candles_or_of_a_deal(bot: botdesk.DcaBot, client: botdesk.Client) -> None:
    def price(tuning: Tuning) -> object:
        return {control["name"]: control["value"] for control in tuning.market_controls()}["price"]

    assert price(Tuning(bot, CANDLES)) == "3549"
    assert price(Tuning(bot, None)) == "3492.99"
    assert price(Tuning(client.dca_bots.list(limit=1)[0], None)) == "100"


def test_a_backtest_compares_the_bot_before_and_after(bot: botdesk.DcaBot) -> None:
    found = Tuning(bot, CANDLES).backtest({"take_profit": "2"}, {"fee": "0.001", "price": "5"})
    expected = bot.preview_edit(take_profit="2").backtest(CANDLES, fee="0.001")
    rows = {row[0][0]: row[1:] for row in found["rows"]}
    deals = [shown for shown, _, _ in rows["deals"][:2]]
    assert deals == [str(expected.before.summary.deals), str(expected.after.summary.deals)]
    shown, whole, _ = rows["profit"][1]
    assert Decimal(whole or shown) == expected.after.summary.profit
    assert len(shown.partition(".")[2]) in (0, 2)
    end = expected.after.equity[-1]
    assert found["lines"]["after"][-1][1] == float(end.realized_profit + end.unrealized_profit)


def test_a_backtest_of_a_grid_bot_has_no_balance(grid_bot: botdesk.GridBot) -> None:
    tuning = Tuning(grid_bot, CANDLES)
    assert "balance" not in [control["name"] for control in tuning.market_controls()]
    assert tuning.backtest({"grids_quantity": "11"}, {"fee": "0.001", "lot": "0.0001"})["errors"] == {}


def test_the_axes_name_their_units(client: botdesk.Client, bot: botdesk.DcaBot, grid_bot: botdesk.GridBot) -> None:
    several = client.dca_bots.get(42)
    tuned: dict[Any, Any] = {bot: CANDLES, grid_bot: CANDLES, several: dict.fromkeys(several.pairs or [], CANDLES)}
    labels = [
        (tuning.plan({}, {"price": "3500"}).shown["plan"]["price_label"], tuning.backtest({}, {})["profit_label"])
        for tuning in (Tuning(each, candles) for each, candles in tuned.items())
    ]
    known = ("price, USDT per ETH", "profit, USDT")
    assert labels == [known, known, ("price", "profit, USDC")]


def test_a_backtest_that_fails_is_explained(bot: botdesk.DcaBot) -> None:
    errors = Tuning(bot, CANDLES).backtest({"take_profit": "2"}, {"fee": "7"})["errors"]
    assert list(errors) == ["fee"]


def test_a_bot_of_several_pairs_takes_a_mapping(client: botdesk.Client) -> None:
    bot = client.dca_bots.get(42)
    pairs = bot.pairs or []
    found = Tuning(bot, dict.fromkeys(pairs, CANDLES)).backtest({}, {})
    assert found["errors"] == {}


@pytest.mark.parametrize("candles", [[[1, 2]], "candles", {"USDT_ETH": [[1]]}])
def test_candles_that_cannot_be_read_are_an_error_at_once(bot: botdesk.DcaBot, candles: object) -> None:
    with pytest.raises(botdesk.ValidationError):
        Tuning(bot, candles)


def test_a_record_without_the_fields_of_a_plan_is_explained() -> None:
    bot = botdesk.DcaBot.from_json('{"id": 7, "take_profit": [1]}')
    planned = Tuning(bot, None).plan({}, {"price": "100"})
    assert planned.preview is None
    assert planned.shown["plan"] is None
    assert planned.shown["errors"]


def test_the_title_is_one_line_for_any_name(client: botdesk.Client) -> None:
    bot = client.dca_bots.edit(41, name="<b>\n\u202ex" * 30)
    title = Tuning(bot, None).title()
    assert title.startswith("DcaBot 41 ")
    assert len(title.splitlines()) == 1


def test_a_bot_without_a_client_is_explained(bot: botdesk.DcaBot) -> None:
    planned = Tuning(botdesk.DcaBot.from_json(bot.to_json()), None).plan({}, {"price": "100"})
    assert planned.preview is None
    assert "was not made by a client" in planned.shown["errors"][""][0]


def test_orders_that_cannot_be_placed_are_not_covered(bot: botdesk.DcaBot) -> None:
    plan = Tuning(bot, None).plan({"max_safety_orders": "7"}, {"price": "3500"}).shown["plan"]
    assert [rung["number"] for rung in plan["rungs"]] == [0, 1, 2, 3, 4, 5, 6]
    deepest = plan["rungs"][-1]["price"]
    assert deepest > 0
    assert shown_figures(plan)["Deepest price covered"] == f"{deepest:g} USDT, 63 % away"
    assert plan["warnings"] == [
        "safety order 7 has a price of zero or less; neither it nor the orders after it can be placed"
    ]


def test_a_figure_without_a_currency_has_no_space_for_it(client: botdesk.Client) -> None:
    plan = Tuning(client.dca_bots.get(42), None).plan({}, {"price": "100"}).shown["plan"]
    assert shown_figures(plan)["Deepest price covered"] == "93, 7 % away"


@pytest.mark.parametrize("value", ["1e400", "1e-400", "1e100", "123456789012345678901234567890.123456789"])
@pytest.mark.parametrize("field", ["base_order_volume", "take_profit"])
def test_extreme_values_are_planned_and_previewed(bot: botdesk.DcaBot, field: str, value: str) -> None:
    tuning = Tuning(bot, CANDLES)
    planned = tuning.plan({field: value}, {"price": "3500"})
    assert planned.preview is not None
    # The messages to a page hold no infinite numbers.
    json.dumps([planned.shown, tuning.backtest({field: value}, {})], allow_nan=False)


@pytest.mark.parametrize("price", ["1e400", "1e100", "1e-200"])
def test_a_plan_that_cannot_be_drawn_says_so(bot: botdesk.DcaBot, grid_bot: botdesk.GridBot, price: str) -> None:
    grid = {"upper_price": price, "lower_price": "1e-500"}
    for plan in (
        Tuning(bot, None).plan({}, {"price": price}).shown["plan"],
        Tuning(grid_bot, None).plan(grid, {"price": price}).shown["plan"],
    ):
        assert plan.get("rungs", plan.get("levels")) == []
        assert plan["warnings"][-1] == "the plan is not drawn, because its numbers are too large or too small"


def test_an_integer_of_many_digits_is_explained(bot: botdesk.DcaBot) -> None:
    errors = Tuning(bot, None).plan({"max_safety_orders": "9" * 5000}, {"price": "100"}).shown["errors"]
    assert list(errors) == ["max_safety_orders"]


def test_the_profit_line_has_some_points_of_the_equity_and_the_last_one(bot: botdesk.DcaBot) -> None:
    hours = [[3_600_000 * hour, 3500 + hour % 97, 3600, 3300, 3500 + hour % 97] for hour in range(24 * 60)]
    backtest = bot.backtest(hours, fee="0.001", tick="0.01", lot="0.0001")
    equity = [
        (round(point.time.timestamp() * 1000), float(point.realized_profit + point.unrealized_profit))
        for point in backtest.equity
    ]
    assert len(equity) > 40
    line = backtest._profit_line(20)
    assert 10 < len(line) < 40
    assert set(line) <= set(equity)
    assert line[-1] == equity[-1]
    assert backtest._profit_line(10**6)[:-1] == equity
    assert backtest._profit_line(0)[-1] == equity[-1]


def test_settings_are_in_the_groups_of_a_trader(bot: botdesk.DcaBot, grid_bot: botdesk.GridBot) -> None:
    groups = {control["name"]: control["group"] for control in Tuning(bot, None).controls()}
    assert list(dict.fromkeys(groups.values())) == [
        "Base order",
        "Safety orders",
        "Take profit",
        "Stop loss",
        "Other settings",
    ]
    for name, group in (
        ("base_order_volume", "Base order"),
        ("martingale_step_coefficient", "Safety orders"),
        ("trailing_deviation", "Take profit"),
        ("tsl_enabled", "Stop loss"),
        ("cooldown", "Other settings"),
    ):
        assert groups[name] == group
    of_grid = [control["group"] for control in Tuning(grid_bot, None).controls()]
    assert list(dict.fromkeys(of_grid)) == ["Range", "Stop loss", "Other settings"]
