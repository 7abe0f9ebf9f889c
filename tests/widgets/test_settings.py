"""The controls of settings: their limits come from the API, and their values lose no digit."""

from __future__ import annotations

from decimal import Decimal

import pytest

import botdesk
from botdesk._native import _tuning_inputs
from botdesk._widgets.settings import current_value, has_setting, settings, text_of

EDIT = settings(_tuning_inputs("dca_bots.edit")[0])


def test_the_limits_are_those_of_the_rules() -> None:
    limits = {
        name: (EDIT[name].least, EDIT[name].most) for name in ("max_safety_orders", "base_order_volume", "cooldown")
    }
    assert limits == {
        "max_safety_orders": (("0", True), ("200", True)),
        "base_order_volume": (("0", False), None),
        "cooldown": (("0", True), ("2592000", True)),
    }


def test_only_numbers_booleans_and_choices_are_settings() -> None:
    assert {setting.type for setting in EDIT.values() if not setting.choices} == {"decimal", "integer", "bool"}
    assert not {"name", "pairs", "strategy_list", "account_id"} & EDIT.keys()


def test_an_unknown_operation_has_no_settings() -> None:
    with pytest.raises(KeyError, match=r"dca_bots\.disable"):
        _tuning_inputs("dca_bots.disable")


@pytest.mark.parametrize(
    ("name", "value", "slider"),
    [
        ("max_safety_orders", 3, {"low": 0, "high": 9, "step": 1, "digits": 0}),
        ("max_safety_orders", 150, {"low": 0, "high": 200, "step": 1, "digits": 0}),
        ("max_safety_orders", 0, {"low": 0, "high": 100, "step": 1, "digits": 0}),
        ("take_profit", Decimal("1.0"), {"low": 0, "high": 300, "step": 1, "digits": 2}),
        ("base_order_volume", Decimal("1e-7"), {"low": 1, "high": 300, "step": 1, "digits": 9}),
        ("base_order_volume", Decimal(90_000), {"low": 1000, "high": 270_000, "step": 1000, "digits": 0}),
        ("martingale_volume_coefficient", Decimal("1.7"), {"low": 10, "high": 510, "step": 1, "digits": 2}),
        ("trailing_deviation", Decimal(60), {"low": 0, "high": 999, "step": 1, "digits": 1}),
        ("min_price_percentage", Decimal(-20), {"low": -949, "high": 600, "step": 1, "digits": 1}),
        ("min_profit_percentage", Decimal(-2), {"low": -600, "high": 600, "step": 1, "digits": 2}),
        ("take_profit", Decimal("Infinity"), None),
        ("take_profit", Decimal("0E-30"), {"low": 0, "high": 1000, "step": 1, "digits": 1}),
        ("take_profit", Decimal("1e999999"), None),
        ("take_profit", Decimal("1e-999999"), None),
        # JavaScript would round the positions.
        ("base_order_volume", Decimal(9007199254740993), None),
        ("take_profit", None, None),
        ("tsl_enabled", True, None),
    ],
)
def test_a_slider_reaches_from_the_lowest_value_past_the_current_one(name: str, value: object, slider: object) -> None:
    assert EDIT[name].control(value)["slider"] == slider


@pytest.mark.parametrize("value", ["0.1", "1.50", "100", "0.00000001", "12345678901234567890.123456789", "1E+2", "-3"])
def test_a_decimal_keeps_every_digit(value: str) -> None:
    text = text_of(Decimal(value))
    assert text is not None
    assert "E" not in text
    assert Decimal(text) == Decimal(value)


@pytest.mark.parametrize(
    ("name", "value", "argument"),
    [
        ("max_safety_orders", " 5 ", 5),
        ("max_safety_orders", "-1", -1),
        ("max_safety_orders", "5.5", "5.5"),
        ("max_safety_orders", "1_000", "1_000"),
        ("max_safety_orders", "٣", "٣"),
        ("take_profit", "1.50", "1.50"),
        ("take_profit", "", None),
        ("take_profit", None, None),
        ("tsl_enabled", True, True),
        ("take_profit_type", "base", "base"),
    ],
)
def test_a_control_becomes_an_argument(name: str, value: str | bool | None, argument: object) -> None:
    found = EDIT[name].argument(value)
    assert (found, type(found)) == (argument, type(argument))


@pytest.mark.parametrize("value", ["1E+999999", "-1E-999999", "NaN", "Infinity"])
def test_an_extreme_decimal_keeps_its_exponent(value: str) -> None:
    assert text_of(Decimal(value)) == value


def test_an_unreadable_field_has_no_value() -> None:
    bot = botdesk.DcaBot.from_json('{"take_profit": [1], "sl_to_breakeven_enabled": true}')
    assert current_value(bot, "take_profit") is None
    assert current_value(bot, "sl_to_breakeven_enabled") is True
    assert has_setting(bot, "sl_to_breakeven_enabled")
    assert not has_setting(bot, "ignore_warnings")
