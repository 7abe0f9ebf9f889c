"""Settings that a backtest does not simulate are listed with a reason, and shown."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import botdesk

from .conftest import DIP, STEADY, hours, steady

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
    "trailing_up_enabled": "true",
    "trailing_down_enabled": "true",
    "expansion_up_enabled": "true",
    "expansion_down_enabled": "true",
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
    assert field in setting._repr_html_().replace("<wbr>", "")
    assert pickle.loads(pickle.dumps(result)).not_simulated == result.not_simulated  # noqa: S301
    assert pickle.loads(pickle.dumps(setting)) == setting  # noqa: S301


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


def test_values_that_the_service_would_reject_are_a_warning() -> None:
    fields: dict[str, Any] = {**STEADY, "cooldown": 2_592_001}
    result = botdesk.backtest(hours(*DIP), **fields)
    assert any("cooldown" in warning for warning in result.warnings)
