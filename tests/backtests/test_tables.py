"""The deals, orders and equity of a backtest as tables, and all results as pickles."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from importlib import import_module
from typing import Any

import pytest

import botdesk

from .conftest import DIP, STEADY, hours, steady

# Most of them bring no types.
pa: Any = import_module("pyarrow")
pd: Any = import_module("pandas")
pl: Any = import_module("polars")

DEALS = (
    "pair direction opened_at closed_at status base_price average_price exit_price safety_orders quantity volume fee "
    "profit profit_percentage drawdown_percentage duration"
)
ORDERS = "deal time side kind price quantity volume fee"
EQUITY = "time realized_profit unrealized_profit capital"


@pytest.fixture(scope="module")
def result() -> botdesk.Backtest:
    return botdesk.backtest(hours(*DIP, *DIP), pairs="USDT_BTC", fee="0.001", **steady(cooldown=0))


@pytest.mark.parametrize(("name", "columns"), [("deals", DEALS), ("orders", ORDERS), ("equity", EQUITY)])
def test_a_list_is_a_table_with_its_columns(result: botdesk.Backtest, name: str, columns: str) -> None:
    rows = getattr(result, name)
    names = columns.split()
    assert pl.DataFrame(rows).columns == names
    assert pa.table(rows).column_names == names
    assert list(rows.to_pandas().columns) == names
    for row, cells in zip(rows, rows.to_polars().iter_rows(named=True), strict=True):
        assert {column: getattr(row, column) for column in names} == cells
    assert repr(rows).splitlines()[0].split() == names
    assert len(rows[:1]) == 1


def test_columns_have_the_types_of_the_attributes(result: botdesk.Backtest) -> None:
    deals = result.deals.to_polars().schema
    assert deals["opened_at"] == deals["closed_at"] == pl.Datetime("us", "UTC")
    assert (deals["duration"], deals["safety_orders"]) == (pl.Duration("us"), pl.Int64)
    assert (deals["profit"], deals["exit_price"]) == (pl.Decimal(38, 18), pl.Decimal(38, 18))
    assert (deals["pair"], deals["status"]) == (pl.String, pl.String)
    assert pa.table(result.equity.to_arrow(decimals="text"))["capital"].to_pylist()[0] == "100.1"


def test_the_last_deal_has_nulls_where_it_is_open(result: botdesk.Backtest) -> None:
    last = result.deals.to_polars().row(-1, named=True)
    assert (last["status"], last["closed_at"], last["exit_price"]) == ("open", None, None)


def test_a_bot_without_a_deal_has_empty_tables() -> None:
    result = botdesk.backtest(hours(*DIP), signals=[], **STEADY, strategy_list=[{"strategy": "manual"}])
    assert (result.deals.to_polars().shape, result.orders.to_polars().shape) == ((0, 16), (0, 8))


def test_summaries_are_a_table(result: botdesk.Backtest) -> None:
    table = botdesk.Records([result.summary, result.bounds().low_first]).to_polars()
    assert table.height == 2
    assert table["profit"][0] == result.summary.profit


def test_results_come_back_from_a_pickle(result: botdesk.Backtest) -> None:
    for value in (result, result.summary, result.bounds(), result.deals, result.orders, result.equity, result.deals[0]):
        back = pickle.loads(pickle.dumps(value))  # noqa: S301
        assert back == value
        assert repr(back) == repr(value)
    assert copy.deepcopy(result).summary == result.summary


def test_the_pickle_of_a_backtest_has_no_results() -> None:
    candles = hours(*DIP * 500)
    result = botdesk.backtest(candles, **steady(cooldown=0))
    before = len(pickle.dumps(result))
    assert len(result.deals) > 500
    assert len(pickle.dumps(result)) == before < len(pickle.dumps(candles)) + 2_000


def test_the_pickle_of_a_grid_bot_and_of_several_pairs_comes_back(grid_bot: botdesk.GridBot) -> None:
    candles = hours((3000, 3100, 2990, 3050), (3050, 3400, 3040, 3390))
    grid = grid_bot.backtest(candles, fee="0.001")
    pairs = {"USDT_BTC": hours(*DIP), "USDT_ETH": hours(*DIP)}
    several = botdesk.backtest(
        pairs, max_active_deals=2, balance=1000, signals={"USDT_ETH": [True, False, True]}, **STEADY
    )
    for result in (grid, several):
        back = pickle.loads(pickle.dumps(result))  # noqa: S301
        assert back == result
        assert (back.summary, back.orders, back.warnings) == (result.summary, result.orders, result.warnings)


def test_a_value_that_is_not_a_backtest_is_rejected() -> None:
    with pytest.raises(ValueError, match="the pickle has no backtest"):
        botdesk.Backtest._restore("{}", [])


def test_backtests_are_equal_if_bot_market_and_candles_are(result: botdesk.Backtest) -> None:
    fields: dict[str, Any] = {**STEADY, "cooldown": 0, "pairs": "USDT_BTC"}
    candles = hours(*DIP, *DIP)
    assert botdesk.backtest(candles, fee=Decimal("0.0010"), **fields) == result
    assert botdesk.backtest(candles, fee="0.002", **fields) != result
    assert botdesk.backtest(candles[1:], fee="0.001", **fields) != result
    assert botdesk.backtest(candles, fee="0.001", **steady(cooldown=0, pairs="USDT_BTC", take_profit=2)) != result
    assert result != result.summary
