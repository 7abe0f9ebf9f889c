"""Combinations that break rules are listed, and arguments that fit no combination are errors."""

import pickle
from typing import Any

import numpy as np
import pytest

import botdesk


def test_combinations_that_break_a_rule_are_listed_and_not_run(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, {"stop_loss_percentage": [5, 9], "max_safety_orders": [1, 3]})
    assert len(sweep) + len(sweep.refused) == 4
    [refused] = sweep.refused
    assert refused.parameters == {"stop_loss_percentage": 5, "max_safety_orders": 3}
    assert list(refused.errors) == ["stop_loss_percentage"]
    assert repr(refused).startswith("<RefusedCombination stop_loss_percentage=5 max_safety_orders=3: ")
    assert pickle.loads(pickle.dumps(refused)) == refused  # noqa: S301


def test_the_reason_does_not_name_an_argument_that_a_sweep_lacks(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    [refused] = botdesk.sweep(bot, candles, {"take_profit": [-1, 1]}).refused
    assert refused.errors == {"take_profit": ["must be at least 0, not -1"]}


def test_a_sweep_without_a_valid_combination_is_empty(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, {"take_profit": [-1]}, folds=2)
    assert (len(sweep), len(sweep.best()), list(sweep.folds)) == (0, 0, [])
    assert not sweep.interrupted
    assert repr(sweep).endswith("! no combination was run")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "parameters: is empty; pass at least one setting and its values"),
        ({"take_profits": [1]}, "take_profits: is not a field of a DCA bot; did you mean take_profit?"),
        ({"take_profit": []}, "take_profit: has no values; pass at least one"),
        ({"take_profit": "1.5"}, "take_profit: expected a list of values, not str"),
        ({"take_profit": 1.5}, "take_profit: expected a list of values, not float"),
        ({"take_profit": [object()]}, "take_profit: "),
        ({1: [1]}, "parameters: the names of settings must be strings, not int"),
        ([1], "parameters: expected a dict from the name of a setting to its values, not list"),
        (
            {"take_profit": range(1, 1001), "cooldown": range(1001)},
            "parameters: make more than 1000000 combinations; pass fewer values",
        ),
    ],
)
def test_parameters_that_make_no_sweep_are_errors(
    candles: botdesk.Candles,
    bot: dict[str, Any],
    parameters: Any,  # noqa: ANN401
    message: str,
) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        botdesk.sweep(bot, candles, parameters)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"objective": "profits"}, "objective: 'profits' is not a figure of the summary; did you mean profit?"),
        ({"folds": 1}, "folds: must be at least 2, not 1"),
        ({"folds": -3}, "folds: must be at least 2, not -3"),
        ({"folds": 1000}, "folds: 1000 stretches are too many: a pair has no candle in stretch"),
        ({"folds": 1001}, "folds: must be at most 1000, not 1001"),
        ({"folds": 2**40}, "folds: must be at most 1000, not 1099511627776"),
        ({"folds": 2**80}, "folds: 1208925819614629174706176 is out of range"),
        ({"folds": -(2**80)}, "folds: must be at least 2, not -1208925819614629174706176"),
        ({"fee": 2}, "fee: "),
        ({"executor": 5}, "executor: expected an executor of concurrent.futures, not int"),
        ({"start": "x"}, "start: "),
    ],
)
def test_options_that_fit_no_combination_are_errors(
    candles: botdesk.Candles, bot: dict[str, Any], arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        botdesk.sweep(bot, candles, {"take_profit": [1, 2]}, **arguments)
    assert message in str(caught.value)


def test_a_gap_that_is_longer_than_a_stretch_is_an_error(bot: dict[str, Any]) -> None:
    rows = [[60_000 * minute, 100, 103, 99, 101] for minute in (0, 1, 2, 100)]
    with pytest.raises(
        botdesk.ValidationError, match="folds: 4 stretches are too many: a pair has no candle in stretch 2"
    ):
        botdesk.sweep(bot, botdesk.Candles(rows), {"take_profit": [1, 2]}, folds=4)


def test_volumes_in_percent_need_a_balance(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    percent = {**bot, "base_order_volume": 1, "base_order_volume_type": "percent"}
    with pytest.raises(botdesk.ValidationError, match="balance"):
        botdesk.sweep(percent, candles, {"take_profit": [1, 2]})
    assert len(botdesk.sweep(percent, candles, {"take_profit": [1, 2]}, balance=1000)) == 2


def test_a_bot_that_is_neither_a_record_nor_a_dict_is_an_error(candles: botdesk.Candles) -> None:
    wrong: Any = 41
    with pytest.raises(botdesk.ValidationError, match="bot: expected a DcaBot, a GridBot or a dict"):
        botdesk.sweep(wrong, candles, {"take_profit": [1]})


def test_a_malformed_field_of_the_record_is_an_error(candles: botdesk.Candles) -> None:
    bot = botdesk.DcaBot.from_json('{"id": 1, "max_safety_orders": {}, "pairs": ["USDT_BTC"]}')
    with pytest.raises(botdesk.DecodeError, match="max_safety_orders"):
        botdesk.sweep(bot, candles, {"take_profit": [1]})


def test_the_number_of_the_best_is_not_negative(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, {"take_profit": [1, 2]})
    assert len(sweep.best(0)) == 0
    with pytest.raises(botdesk.ValidationError, match="n: must be at least 0, not -1"):
        sweep.best(-1)
    with pytest.raises(botdesk.ValidationError, match="n: 1208925819614629174706176 is out of range"):
        sweep.best(2**80)


def test_integers_of_other_libraries_are_taken(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, {"take_profit": [1, 2]}, folds=np.int64(2))
    assert (len(sweep.folds), len(sweep.best(np.int64(1)))) == (1, 1)


def test_the_direction_of_a_record_can_not_be_swept(candles: botdesk.Candles) -> None:
    bot = botdesk.DcaBot.from_json('{"strategy": "long"}')
    with pytest.raises(botdesk.ValidationError, match="strategy: can't be changed by an edit; to try others, pass"):
        botdesk.sweep(bot, candles, {"strategy": ["long", "short"]})
