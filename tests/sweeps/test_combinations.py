"""Every combination runs once, and the sweep is a table of them."""

import asyncio
import pickle
from decimal import Decimal
from itertools import count
from typing import Any

import polars as pl
import pytest

import botdesk

GRID: dict[str, Any] = {"take_profit": ["1", "1.5"], "max_safety_orders": range(1, 4)}


def test_each_combination_has_the_figures_of_its_own_backtest(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, GRID, fee="0.001")
    assert len(sweep) == 6
    for point in sweep:
        fields: dict[str, Any] = {**bot, **point.parameters}
        assert point.summary == botdesk.backtest(candles, fee="0.001", **fields).summary
        assert point.summary == point.backtest().summary


def test_the_async_version_of_a_backtest_returns_the_same(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    point = botdesk.sweep(bot, candles, GRID)[1]
    assert asyncio.run(point.backtest_async()) == point.backtest()
    assert asyncio.run(point.backtest_async()).summary == point.summary


def test_signals_outside_of_start_and_end_are_noted(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    times = [candles[index].time for index in (10, 50, 200)]
    sweep = botdesk.sweep(bot, candles, {"take_profit": [1]}, signals=times, end=candles[100].time, folds=2)
    note = "1 of 3 signals is before start or not before end; it asks for no deal"
    assert repr(sweep).splitlines()[-1] == f"! {note}"
    assert note in sweep[0].backtest().warnings
    assert note in pickle.loads(pickle.dumps(sweep))[0].backtest().warnings  # noqa: S301


def test_prices_of_many_digits_are_exact(bot: dict[str, Any]) -> None:
    low, high = "12345678.123456789012", "99999999.999999999999"
    rows = [[0, low, high, low, high], [60000, high, high, low, low], [120000, low, high, low, low]]
    for point in botdesk.sweep(bot, rows, GRID, fee="0.001"):
        fields: dict[str, Any] = {**bot, **point.parameters}
        expected = botdesk.backtest(rows, fee="0.001", **fields)
        assert point.summary == expected.summary
        profits = sum(deal.profit for deal in expected.deals if deal.status != "open")
        assert point.summary.profit == profits


def test_combinations_are_in_the_order_of_nested_loops(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, GRID)
    found = [(str(point.parameters["take_profit"]), point.parameters["max_safety_orders"]) for point in sweep]
    assert found == [("1", 1), ("1", 2), ("1", 3), ("1.5", 1), ("1.5", 2), ("1.5", 3)]
    assert sweep[-1] == list(sweep)[5]
    with pytest.raises(IndexError, match="index 6 is out of range for 6 combinations"):
        sweep[6]


def test_a_value_that_is_passed_twice_is_tried_once(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    assert len(botdesk.sweep(bot, candles, {"max_safety_orders": [1, 2, 1], "take_profit": [Decimal(1), "1"]})) == 2


def test_equal_decimals_are_one_value(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    values = [1, "1", Decimal("1.0"), 1.0, "1.00", "10e-1", "1.5"]
    sweep = botdesk.sweep(bot, candles, {"take_profit": values})
    assert [str(point.parameters["take_profit"]) for point in sweep] == ["1", "1.5"]


def test_a_generator_without_an_end_is_refused(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    with pytest.raises(botdesk.ValidationError, match="take_profit: has more than 1000000 values; pass fewer"):
        botdesk.sweep(bot, candles, {"take_profit": count(1)})


def test_the_settings_of_a_record_are_kept_apart_from_those_of_the_combination() -> None:
    rows = [[0, 2500, 2600, 2400, 2550], [60000, 2550, 2700, 2500, 2600]]
    with botdesk.Sandbox() as sandbox:
        bot = sandbox.client().dca_bots.get(41)
        sweep = botdesk.sweep(bot, rows, {"take_profit": ["1.5", "2.5"]}, signals=[0])
        for point in sweep:
            preview = point.preview(bot)
            assert isinstance(preview, botdesk.DcaBotEditPreview)
            after = preview.backtest(rows, signals=[0]).after
            assert after.summary == point.summary
        assert [str(change) for change in sweep[1].preview(bot).changes] == ["<FieldChange take_profit: 1.0 → 2.5>"]


def test_a_grid_bot_is_swept(candles: botdesk.Candles) -> None:
    bot = botdesk.GridBot.from_json(
        '{"lower_price": "90", "upper_price": "110", "grids_quantity": "5", "quantity_per_grid": "2", "name": "g"}'
    )
    sweep = botdesk.sweep(bot, candles, {"grids_quantity": [3, 5, 9]})
    assert [point.parameters["grids_quantity"] for point in sweep] == [3, 5, 9]
    assert sweep[1].summary == bot.backtest(candles).summary


def test_a_table_has_the_settings_and_the_figures(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, GRID)
    table = pl.DataFrame(sweep)
    assert table.columns[:4] == ["take_profit", "max_safety_orders", "profit", "open_profit"]
    assert table["max_safety_orders"].to_list() == [1, 2, 3, 1, 2, 3]
    assert table["profit"].to_list() == [point.summary.profit for point in sweep]


def test_the_column_of_a_boolean_has_booleans(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    values = [True, False, None]
    table = pl.DataFrame(botdesk.sweep({**bot, "trailing_deviation": 1}, candles, {"trailing_enabled": values}))
    assert table["trailing_enabled"].dtype == pl.Boolean
    assert table["trailing_enabled"].to_list() == values


def test_no_setting_has_the_name_of_a_figure() -> None:
    figures = {name for name in dir(botdesk.BacktestSummary) if not name.startswith("_")}
    fields = set(vars(botdesk.DcaBot)) | set(vars(botdesk.GridBot))
    edited = {"take_profit", "max_safety_orders", "base_order_volume", "grids_quantity"}
    assert edited <= fields
    assert not figures & edited


def test_the_best_come_first(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, GRID)
    profits = [point.summary.profit for point in sweep.best(3)]
    assert profits == sorted((point.summary.profit for point in sweep), reverse=True)[:3]
    deepest = botdesk.sweep(bot, candles, GRID, objective="drawdown")
    drawdowns = [point.summary.drawdown for point in deepest.best(6)]
    assert drawdowns == sorted(drawdowns)


def test_a_sweep_prints_its_settings_and_figures(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, {"take_profit": ["1", "-1"]}, objective="won")
    lines = repr(sweep).splitlines()
    assert lines[0] == "Sweep of 2 combinations by won, without a fee"
    assert lines[1].split()[:3] == ["take_profit", "won", "profit"]
    assert lines[-1] == "! 1 combination breaks rules; see refused"
    assert "<table" in sweep._repr_html_()
    assert repr(sweep[0]).startswith("<SweepPoint take_profit=1 profit=")


def test_a_sweep_is_equal_after_pickling(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    sweep = botdesk.sweep(bot, candles, GRID, folds=3)
    restored = pickle.loads(pickle.dumps(sweep))  # noqa: S301
    assert restored == sweep
    assert restored[0].backtest() == sweep[0].backtest()
    assert pickle.loads(pickle.dumps(sweep[0])) == sweep[0]  # noqa: S301
    assert restored.folds == sweep.folds


def test_the_async_version_returns_the_same(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    async def main() -> botdesk.Sweep:
        return await botdesk.sweep_async(bot, candles, GRID)

    assert asyncio.run(main()) == botdesk.sweep(bot, candles, GRID)


def test_pairs_can_be_swept(bot: dict[str, Any], candles: botdesk.Candles) -> None:
    other = candles[:100]
    assert isinstance(other, botdesk.Candles)
    by_pair = {"USDT_BTC": candles, "USDT_ETH": other}
    sweep = botdesk.sweep(bot, by_pair, {"pairs": ["USDT_BTC", "USDT_ETH", ["USDT_BTC", "USDT_ETH"]]})
    assert sweep[1].backtest().candles == other
    assert sweep[1].summary == botdesk.backtest(other, **bot).summary
    assert sweep[2].backtest().candles == by_pair


def test_signals_start_and_end_limit_every_combination(bot: dict[str, Any], candles: botdesk.Candles) -> None:
    times = [candles[day].time for day in (10, 20, 300)]
    sweep = botdesk.sweep(bot, candles, {"take_profit": [1, 2]}, signals=times, end=candles[100].time)
    fields: dict[str, Any] = bot | {"take_profit": 2}
    expected = botdesk.backtest(candles, **fields, signals=times, end=candles[100].time)
    assert sweep[1].backtest() == expected
