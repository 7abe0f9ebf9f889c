"""Indices, slices, pickles and tables of candles."""

from __future__ import annotations

import copy
import pickle
from datetime import timedelta
from decimal import Decimal
from importlib import import_module
from typing import Any

import pytest

import botdesk
from botdesk import Candle, Candles, ValidationError

# Most of them bring no types.
duckdb: Any = import_module("duckdb")
np: Any = import_module("numpy")
pa: Any = import_module("pyarrow")
pd: Any = import_module("pandas")
pl: Any = import_module("polars")

MINUTE = 60_000


def candles(count: int, *, gap_after: int | None = None) -> Candles:
    """Return candles that rise by 0.25, beginning with 100."""
    rows: list[list[Any]] = []
    for number in range(count):
        late = gap_after is not None and number > gap_after
        price = Decimal(100) + number * Decimal("0.25")
        rows.append([(number + 5 * late) * MINUTE, price, price + Decimal("0.25"), price, price + Decimal("0.25")])
    return Candles(rows)


def test_an_index_is_a_candle() -> None:
    ten = candles(10)
    assert [ten[0].open, ten[-1].open, ten[np.int64(1)].open] == [Decimal(100), Decimal("102.25"), Decimal("100.25")]
    for index in (10, -11):
        with pytest.raises(IndexError, match=f"there are 10 candles, and none at {index}"):
            ten[index]
    with pytest.raises(TypeError):
        ten["0"]  # type: ignore[index]


def test_iterating_yields_the_candles() -> None:
    ten = candles(10)
    listed = list(ten)
    assert listed == [ten[index] for index in range(10)]
    assert all(isinstance(candle, Candle) for candle in listed)


def test_a_slice_is_candles_that_keep_the_interval_and_the_tick() -> None:
    ten = candles(10, gap_after=4)
    part = ten[4:6]
    assert [candle.time for candle in part] == [ten[4].time, ten[5].time]
    assert (part.interval, part.gaps, part.tick) == (timedelta(minutes=1), 1, Decimal("0.01"))
    assert (len(ten[:]), ten[:] == ten, ten[-3:][0] == ten[7], ten[8:99][-1] == ten[-1]) == (10, True, True, True)
    assert (ten[4:5].interval, ten[4:5].gaps) == (timedelta(minutes=1), 0)


@pytest.mark.parametrize("wrong", [slice(None, None, 2), slice(None, None, -1), slice(5, 5), slice(10, None)])
def test_a_slice_with_a_step_or_without_a_candle_is_refused(wrong: slice) -> None:
    with pytest.raises(ValidationError, match="index: "):
        candles(10)[wrong]


def test_candles_are_equal_if_all_of_them_are() -> None:
    assert candles(10) == candles(10)
    assert candles(10) != candles(9)
    assert candles(10) != candles(10, gap_after=3)
    assert candles(10)[0] == candles(2)[0]
    assert candles(10)[0] != candles(10)[1]
    assert candles(10) != [1]
    assert Candles(candles(10)) == candles(10)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_hold_everything(protocol: int) -> None:
    whole = candles(100, gap_after=50)
    for one in (whole, whole[20:60], whole[3:4], whole[3], Candles([[0, "12345678.123456789012", 10**20, "1e-15", 1]])):
        back = pickle.loads(pickle.dumps(one, protocol))  # noqa: S301
        assert (back, repr(back)) == (one, repr(one))
    assert copy.deepcopy(whole) == whole


def test_pickles_are_small() -> None:
    assert len(pickle.dumps(candles(10_000))) < 8 * 10_000
    whole = candles(1_000)
    assert len(pickle.dumps(whole[:10])) < 200


def test_a_pickle_that_holds_no_candles_is_refused() -> None:
    with pytest.raises(ValueError, match="the pickle holds no candles"):
        Candles._restore(b"\x01\x02\x03")


def test_the_repr_names_the_range_the_interval_and_the_gaps() -> None:
    assert repr(candles(10, gap_after=3)) == (
        "<Candles rows=10 start=1970-01-01T00:00:00Z end=1970-01-01T00:14:00Z interval=1m gaps=1>"
    )
    assert "interval=None" in repr(candles(1))
    assert repr(candles(1)[0]) == "<Candle time=1970-01-01T00:00:00Z open=100.00 high=100.25 low=100.00 close=100.25>"


def test_a_notebook_shows_the_first_and_the_last_candles() -> None:
    html = candles(100)._repr_html_()
    assert "Candles (100)" in html
    assert "… 90 more …" in html
    assert html.count("<tr>") == 1 + 5 + 1 + 5
    assert "1970-01-01T01:39:00Z" in html
    assert "Interval 1m, gaps 0, tick 0.01." in html
    assert candles(7)._repr_html_().count("<tr>") == 1 + 7
    assert candles(3)._repr_html_().count("<tr>") == 1 + 3
    assert "more …" not in candles(10)._repr_html_()
    assert "100.25" in candles(1)[0]._repr_html_()


def test_candles_become_a_table_of_every_library_and_candles_again() -> None:
    ten = candles(10)
    rows = [(candle.time, candle.open, candle.high, candle.low, candle.close) for candle in ten]
    columns = ["timestamp", "open", "high", "low", "close"]
    frame = pl.DataFrame(ten)
    assert (frame.columns, frame.rows()) == (columns, rows)
    assert frame.dtypes == [pl.Datetime("us", "UTC"), *[pl.Decimal(38, 18)] * 4]
    assert duckdb.sql("select max(high) from ten").fetchall() == [(Decimal("102.50"),)]
    for table in (frame, pa.table(ten), pd.DataFrame.from_arrow(ten), duckdb.sql("from ten")):
        assert Candles(table) == ten


def test_prices_that_do_not_fit_the_usual_columns_stay_exact() -> None:
    for prices in (["1e-25", "1", "1e-25", "1"], ["1", "1e25", "1", "1"], ["1", "1e25", "1", "1.25"]):
        one = Candles([[0, *prices]])
        assert pl.DataFrame(one)["high"][0] == Decimal(prices[1])
        assert Candles(pa.table(one)) == one


def test_pandas_and_numpy_do_not_make_a_column_of_objects() -> None:
    with pytest.raises(TypeError, match="from_arrow"):
        pd.DataFrame(candles(2))
    with pytest.raises(TypeError, match="from_arrow"):
        np.asarray(candles(2))


def test_candles_can_not_be_changed() -> None:
    with pytest.raises(AttributeError):
        candles(1).tick = Decimal(1)  # type: ignore[misc]
    names: list[str] = vars(botdesk)["__all__"]
    assert "Candles" in names
