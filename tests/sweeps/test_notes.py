"""Sweeps list settings that are not simulated, and warnings."""

import pickle
from typing import Any

import pytest

import botdesk


def test_a_setting_that_is_not_simulated_is_listed_once(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, {"reinvesting_percentage": [0, 50, 100]})
    [setting] = sweep.not_simulated
    assert setting.field == "reinvesting_percentage"
    assert f"! not simulated: reinvesting_percentage: {setting.reason}" in repr(sweep).splitlines()
    assert setting.reason in sweep._repr_html_()
    assert pickle.loads(pickle.dumps(sweep)).not_simulated == sweep.not_simulated  # noqa: S301
    assert botdesk.sweep(bot, candles, {"take_profit": [1]}).not_simulated == []


def test_the_warnings_of_the_combinations_are_listed_and_the_first_are_shown(
    candles: botdesk.Candles, bot: dict[str, Any]
) -> None:
    volumes = [50, 200, 300, 400, 500, 600]
    sweep = botdesk.sweep(bot, candles, {"base_order_volume": volumes}, balance=100)
    assert [warning.split(",")[0] for warning in sweep.warnings] == [
        f"the first order takes {volume}" for volume in volumes[1:]
    ]
    assert repr(sweep).splitlines()[-2:] == [f"! {sweep.warnings[2]}", "! 2 more warnings; see warnings"]
    assert all(set(point.backtest().warnings) <= set(sweep.warnings) for point in sweep)


def test_combinations_without_a_deal_have_a_reason(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, {"strategy_list": [[{"strategy": "manual"}]]})
    assert [point.summary.deals for point in sweep] == [0]
    assert sweep.warnings == ["no deal was opened: the signals of its strategies are not known; pass signals="]


@pytest.mark.parametrize("interval", [60, 3_600, 86_400])
def test_times_in_seconds_have_a_warning(bot: dict[str, Any], interval: int) -> None:
    rows = [[1_704_067_200 + number * interval, 100, 100, 100, 100] for number in range(10)]
    note = "the candles are from 1970; if their times are in seconds, pass milliseconds"
    sweep = botdesk.sweep(bot, rows, {"take_profit": [1, 2]})
    assert sweep.warnings == sweep[0].backtest().warnings == [note]


def test_the_best_none_of_a_sweep_are_not_called_a_sweep_that_did_not_run(
    candles: botdesk.Candles, bot: dict[str, Any]
) -> None:
    sweep = botdesk.sweep(bot, candles, {"take_profit": [1]})
    assert repr(sweep).startswith("Sweep of 1 combination by profit, without a fee\n")
    assert "no combination was run" not in repr(sweep.best(0))
