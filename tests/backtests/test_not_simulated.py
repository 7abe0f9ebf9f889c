"""Settings that a backtest does not simulate are listed with a reason, and shown."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

import botdesk

from .conftest import DIP, START, STEADY, hours, steady

RULES: dict[str, Any] = {
    "reinvesting_percentage": 50,
    "risk_reduction_percentage": 10,
    "leverage_type": "cross",
    "min_volume_btc_24h": 5,
    "close_strategy_list": [{"strategy": "rsi"}],
    "min_price_percentage": 5,
    "max_price_percentage": 5,
    "profit_currency": "base_currency",
    "strategy_list": [{"strategy": "manual"}],
}
# Fields of a record that an edit does not have.
OF_RECORDS: dict[str, Any] = {"btc_price_limit": '"60000"', "safety_strategy_list": '[{"strategy": "rsi"}]'}
GRID_RULES: dict[str, str] = {
    "leverage_type": '"isolated"',
    "profit_currency_type": '"base"',
}


@pytest.mark.parametrize("field", RULES)
def test_a_field_that_is_not_simulated_is_listed_and_shown(field: str) -> None:
    result = botdesk.backtest(hours(*DIP), **steady(**{field: RULES[field]}))
    (setting,) = result.not_simulated
    assert setting.field == field
    assert setting.reason
    note = f"not simulated: {field}: {setting.reason}"
    assert f"! {note}" in repr(result)
    assert f"not simulated: {field}" in result._repr_html_()
    assert field in repr(setting)
    assert field in setting._repr_html_()
    assert pickle.loads(pickle.dumps(result)).not_simulated == result.not_simulated  # noqa: S301
    assert pickle.loads(pickle.dumps(setting)) == setting  # noqa: S301


STEPS = [{"amount_percentage": 50, "profit_percentage": 1}, {"amount_percentage": 50, "profit_percentage": 2}]


@pytest.mark.parametrize(
    ("field", "others"),
    [
        ("trailing_enabled", {"take_profit": 0, "take_profit_steps": STEPS, "trailing_deviation": "0.2"}),
        ("sl_to_breakeven_enabled", {"take_profit": 0, "take_profit_steps": STEPS}),
    ],
)
def test_a_switch_whose_effect_is_not_documented_is_listed(field: str, others: dict[str, Any]) -> None:
    assert botdesk.backtest(hours(*DIP), **steady(**others)).not_simulated == []
    [setting] = botdesk.backtest(hours(*DIP), **steady(**others, **{field: True})).not_simulated
    assert setting.field == field


@pytest.mark.parametrize("field", OF_RECORDS)
def test_a_field_of_a_record_that_is_not_simulated_is_listed(field: str) -> None:
    record = (
        '{"pairs": ["USDT_BTC"], "strategy": "long", "strategy_list": [{"strategy": "nonstop"}], "take_profit": "1",'
        ' "base_order_volume": "100", "max_safety_orders": 0, "take_profit_type": "total", "max_active_deals": 1,'
        f' "{field}": {OF_RECORDS[field]}}}'
    )
    result = botdesk.DcaBot.from_json(record).backtest(hours(*DIP))
    assert [setting.field for setting in result.not_simulated] == [field]


@pytest.mark.parametrize("field", GRID_RULES)
def test_a_field_of_a_grid_bot_that_is_not_simulated_is_listed(field: str) -> None:
    record = (
        '{"lower_price": "80", "upper_price": "120", "grids_quantity": "5", "quantity_per_grid": "1",'
        f' "{field}": {GRID_RULES[field]}}}'
    )
    result = botdesk.GridBot.from_json(record).backtest(hours(*DIP))
    assert [setting.field for setting in result.not_simulated] == [field]
    assert f"! not simulated: {field}: " in repr(result)


GRID = {
    "lower_price": "80",
    "upper_price": "120",
    "grids_quantity": "5",
    "grid_type": "arithmetic",
    "quantity_per_grid": "1",
}


@pytest.mark.parametrize(
    ("fields", "assumed"),
    [
        ({"trailing_up_enabled": "true"}, None),
        ({"trailing_down_enabled": "true"}, "trailing down is assumed to mirror trailing up"),
        ({"expansion_up_enabled": "true", "expansion_up_stop_price": "150"}, "an expansion is assumed to add lines"),
        ({"expansion_down_enabled": True, "expansion_down_stop_price": "50"}, "an expansion is assumed to add lines"),
        (
            {
                "upper_stop_loss_enabled": True,
                "upper_stop_loss_price": "130",
                "upper_stop_loss_action": "stop_bot_and_buy",
            },
            "stop_bot_and_buy is assumed to spend the funds of the buy orders",
        ),
    ],
)
def test_a_grid_bot_of_a_spot_account_is_simulated_and_what_is_assumed_is_a_warning(
    fields: dict[str, Any], assumed: str | None
) -> None:
    bot = botdesk.GridBot.from_json(json.dumps(GRID | {"order_currency_type": "base"} | fields))
    result = bot.backtest(hours((100, 100, 100, 100), (100, 110, 100, 110)))
    assert result.not_simulated == []
    assert [warning.startswith(assumed or "") for warning in result.warnings] == [True] * (assumed is not None)


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        (
            {"expansion_up_enabled": "true"},
            {"expansion_up_stop_price": "is required when expansion_up_enabled is true"},
        ),
        (
            {"lower_stop_loss_enabled": True, "lower_stop_loss_price": "95"},
            {"lower_stop_loss_price": "must be below lower_price (80), not 95"},
        ),
        (
            {"upper_stop_loss_enabled": True, "upper_stop_loss_price": "120"},
            {"upper_stop_loss_price": "must be above upper_price (120), not 120"},
        ),
        ({"upper_price": "79"}, {"upper_price": "must be above lower_price (80), not 79"}),
        (
            {"grids_quantity": "50"},
            {"grids_quantity": "two levels have the same price, 82, at the tick of the pair (1)"},
        ),
    ],
)
def test_a_grid_that_cannot_be_is_an_error_that_names_the_field(fields: dict[str, Any], errors: dict[str, str]) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        botdesk.GridBot.from_json(json.dumps(GRID | fields)).backtest(hours((100, 100, 100, 100)))
    assert {field: "; ".join(messages) for field, messages in caught.value.errors.items()} == errors


@pytest.mark.parametrize(("mode", "reached"), [("long", True), ("short", False)])
def test_the_price_at_which_futures_are_liquidated_is_a_warning_if_the_candles_reach_it(
    mode: str, reached: bool
) -> None:
    fields = {"leverage_type": "isolated", "leverage_custom_value": "5", "mode": mode, "order_currency_type": "base"}
    result = botdesk.GridBot.from_json(json.dumps(GRID | fields)).backtest(
        hours((100, 100, 100, 100), (100, 100, 70, 70))
    )
    found = [warning for warning in result.warnings if "liquidates" in warning]
    assert len(found) == reached
    # Two bought at 99, one each at 90 and at 80: 92 on average, of which a fifth is the margin.
    assert not reached or "at a leverage of 5 the exchange liquidates the position of all orders near 73.6" in found[0]


def test_a_field_that_does_not_matter_is_not_listed() -> None:
    result = botdesk.backtest(hours(*DIP), reinvesting_percentage=0, leverage_custom_value=3, **STEADY)
    assert result.not_simulated == []


def test_what_is_simulated_is_no_warning() -> None:
    trailing: dict[str, Any] = {
        "trailing_enabled": True,
        "trailing_deviation": "0.2",
        "stop_loss_percentage": 5,
        "tsl_enabled": True,
    }
    assert botdesk.backtest(hours(*DIP), **STEADY, **trailing).warnings == []


@pytest.mark.parametrize(
    ("fields", "warning"),
    [
        ({"cooldown": 2_592_001}, "cooldown must be between 0 and 2592000"),
        (
            {"take_profit_steps": STEPS},
            "take_profit must be 0 if there are several take_profit_steps, and there are 2",
        ),
        (
            {"take_profit": 0, "take_profit_steps": [*STEPS, {"amount_percentage": 50, "profit_percentage": 3}]},
            "take_profit_steps the amounts must add up to 100 %, not 150 %",
        ),
        (
            {"sl_to_breakeven_enabled": True, "sl_to_breakeven_data": {"upper_breakeven_limit": 0}},
            "sl_to_breakeven_enabled needs at least two take_profit_steps; there are 0",
        ),
        ({"stop_loss_percentage": 2}, "stop_loss_percentage must be below the last safety order"),
    ],
)
def test_values_that_the_service_would_reject_are_a_warning(fields: dict[str, Any], warning: str) -> None:
    [found] = botdesk.backtest(hours(*DIP), **steady(**fields)).warnings
    assert found.startswith(warning)


def test_several_pairs_of_a_nonstop_bot_are_a_warning() -> None:
    candles = {pair: hours(*DIP) for pair in ("USDT_BTC", "USDT_ETH")}
    [warning] = botdesk.backtest(candles, pairs=list(candles), **STEADY).warnings
    assert warning == "strategy_list nonstop is only for a bot with one pair, and there are 2"


@pytest.mark.parametrize("fields", [{}, {"pairs": ["USDT_BTC", "BUSD_ETH"], "strategy_list": []}])
def test_pairs_of_several_quote_currencies_are_a_warning(fields: dict[str, Any]) -> None:
    candles = {pair: hours(*DIP) for pair in ("USDT_BTC", "BUSD_ETH")}
    warnings = botdesk.backtest(candles, **steady(**fields)).warnings
    message = "must have the same quote currency, and these have USDT and BUSD; pass only pairs of one of them"
    assert [warning for warning in warnings if "quote" in warning] == [f"pairs {message}"]


def test_steps_that_do_not_rise_are_a_warning() -> None:
    fields = steady(take_profit=0, take_profit_steps=STEPS[::-1])
    [warning] = botdesk.backtest(hours(*DIP), **fields).warnings
    assert warning == ("the profit of take-profit step 2 is below that of step 1; steps fill in the order of the list")


def test_signals_for_a_nonstop_bot_are_a_warning() -> None:
    fields = steady(strategy_list=[{"strategy": "nonstop"}], max_active_deals=2, allowed_deals_on_same_pair=2)
    result = botdesk.backtest(hours(*DIP), signals=[START], **fields)
    [warning] = result.warnings
    assert warning == "the strategy is nonstop: deals open by themselves, and each signal asks for one more"
    first, second = result.deals
    assert first.opened_at == second.opened_at
