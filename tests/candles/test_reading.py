"""Candles from the tables and lists that people have."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import botdesk
from botdesk import Candles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Most of them bring no types.
duckdb: Any = import_module("duckdb")
np: Any = import_module("numpy")
pa: Any = import_module("pyarrow")
pd: Any = import_module("pandas")
pl: Any = import_module("polars")

# As ccxt returns them, with the volume. The minute 00:02 is missing.
ROWS: list[list[float]] = [
    [1704067200000, 42283.58, 42298.62, 42261.02, 42298.61, 35.92],
    [1704067260000, 42298.62, 42320.0, 42298.61, 42320, 21.16],
    [1704067380000, 42320.0, 42330.5, 42310.25, 42325.5, 18.04],
]
CANDLES = Candles(ROWS)
NAMES = ["timestamp", "open", "high", "low", "close", "volume"]
PRICES = NAMES[1:5]


def frame(**replaced: Any) -> Any:  # noqa: ANN401
    return (
        pl.DataFrame(ROWS, schema=NAMES, orient="row")
        .with_columns(pl.col("timestamp").cast(pl.Int64))
        .with_columns(**replaced)
    )


def times(unit: str = "ms", zone: str | None = "UTC") -> Any:  # noqa: ANN401
    return pl.col("timestamp").cast(pl.Datetime("ms", zone)).cast(pl.Datetime(unit, zone))


def indexed_by_time(name: str | None) -> Any:  # noqa: ANN401
    table = frame(timestamp=times()).to_pandas()
    return table.set_index("timestamp").rename_axis(name)


def from_duckdb() -> Any:  # noqa: ANN401
    rows = frame()  # duckdb finds it by the name of the variable.
    assert rows.height == len(CANDLES)
    return duckdb.sql("select to_timestamp(timestamp / 1000) as time, open, high, low, close from rows order by time")


def batches() -> Iterator[Any]:
    yield from frame().to_arrow().to_batches(max_chunksize=1)


TABLES: dict[str, Callable[[], Any]] = {
    "ccxt": lambda: ROWS,
    "tuples": lambda: tuple(tuple(row[:5]) for row in ROWS),
    "generator": lambda: (row for row in ROWS),
    "numpy": lambda: np.array(ROWS),
    "candles": lambda: CANDLES,
    "polars": frame,
    "polars that is lazy": lambda: frame().lazy(),
    "pyarrow": lambda: frame().to_arrow(),
    "pyarrow in batches": lambda: pa.RecordBatchReader.from_batches(frame().to_arrow().schema, batches()),
    "pandas": lambda: frame().to_pandas(),
    "pandas with an index": lambda: indexed_by_time("Date"),
    "pandas with an index without a name": lambda: indexed_by_time(None),
    "pandas that was filtered": lambda: frame().to_pandas().iloc[[0, 1, 2]].set_index(pd.Index([5, 7, 12])),
    "duckdb": from_duckdb,
    "seconds": lambda: (
        frame()
        .to_arrow()
        .set_column(0, "ts", frame(timestamp=times("ms"))["timestamp"].to_arrow().cast("timestamp[s]"))
    ),
    "microseconds": lambda: frame(timestamp=times("us")),
    "nanoseconds": lambda: frame(timestamp=times("ns")),
    "another timezone": lambda: frame(timestamp=times("us").dt.convert_time_zone("Asia/Tokyo")),
    "no timezone": lambda: frame(timestamp=times("us", None)),
    "float times": lambda: frame(timestamp=pl.col("timestamp").cast(pl.Float64)),
    "unsigned times": lambda: frame(timestamp=pl.col("timestamp").cast(pl.UInt64)),
    "text": lambda: frame(**{name: pl.col(name).cast(pl.String) for name in PRICES}),
    "large text": lambda: frame(**{name: pl.col(name).cast(pl.String) for name in PRICES}).to_arrow(
        compat_level=pl.CompatLevel.oldest()
    ),
    "decimals": lambda: frame(**{name: pl.col(name).cast(pl.String).cast(pl.Decimal(38, 18)) for name in PRICES}),
    "short decimals": lambda: frame(**{name: pl.col(name).cast(pl.String).cast(pl.Decimal(9, 2)) for name in PRICES}),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_all_tables_with_the_same_candles_are_the_same(table: Callable[[], Any]) -> None:
    candles = Candles(table())
    assert candles == CANDLES
    assert candles.tick == Decimal("0.01")


def test_the_candles_are_those_of_the_rows() -> None:
    assert len(CANDLES) == 3
    assert (CANDLES.start, CANDLES.end) == (datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, 0, 3, tzinfo=UTC))
    assert (CANDLES.interval, CANDLES.gaps) == (timedelta(minutes=1), 1)
    first = CANDLES[0]
    assert isinstance(first, botdesk.Candle)
    assert (first.time, first.open, first.high) == (CANDLES.start, Decimal("42283.58"), Decimal("42298.62"))
    assert (first.low, first.close) == (Decimal("42261.02"), Decimal("42298.61"))


@pytest.mark.parametrize("name", ["timestamp", "Time", "datetime", "DATE", "ts", "open_time", " timestamp "])
def test_the_times_have_one_of_several_names(name: str) -> None:
    assert Candles(frame().rename({"timestamp": name})) == CANDLES


def test_the_prices_have_short_names_too() -> None:
    assert Candles(frame().rename({"open": "o", "high": "H", "low": "Low", "close": "C"})) == CANDLES


def test_the_first_of_the_names_counts() -> None:
    assert Candles(frame(date=pl.lit("yesterday"), c=pl.lit(True))) == CANDLES


def test_days_are_dates() -> None:
    table = pl.DataFrame({"date": [date(2024, 1, 1), date(2024, 1, 2)], "open": 1, "high": 2, "low": 1, "close": 2})
    candles = Candles(table)
    assert (candles.start, candles.interval) == (datetime(2024, 1, 1, tzinfo=UTC), timedelta(days=1))
    assert candles.tick == 1
    assert Candles(table.with_columns(pl.col("open", "high").cast(pl.UInt8))) == candles


def test_a_row_may_hold_any_type_of_number() -> None:
    row = [np.int64(60_000), np.float32(0.1), Decimal("0.30"), "1E-1", 0.2]
    candles = Candles(
        [[datetime(1970, 1, 1, tzinfo=UTC), 1, np.float64(1), "1", Decimal(1)], row, ["120000", 1, 1, 1, 1]]
    )
    candle = candles[1]
    assert [candle.open, candle.high, candle.low, candle.close] == [
        Decimal(text) for text in ("0.1", "0.3", "0.1", "0.2")
    ]
    assert (candles.tick, candles.interval, candles.gaps) == (Decimal("0.1"), timedelta(minutes=1), 0)


def test_a_short_float_is_its_shortest_text() -> None:
    table = frame(**{name: pl.lit(0.1, pl.Float32) for name in PRICES})
    assert Candles(table)[0].close == Decimal("0.1")


def test_prices_of_12_decimals_and_of_8_integer_digits_are_exact() -> None:
    prices = ["12345678.123456789012", "99999999.999999999999", "0.000000000001", "1"]
    candle = Candles([[0, *prices]])[0]
    assert [candle.open, candle.high, candle.low, candle.close] == [Decimal(price) for price in prices]
    wide = pa.array([Decimal("1e-30")], pa.decimal256(76, 40))
    table = pa.table({"ts": [0], "o": wide, "h": ["0.5"], "l": wide, "c": wide})
    assert Candles(table)[0].open == Decimal("1e-30")


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=20))
def test_every_float_is_its_repr(floats: list[float]) -> None:
    table = pa.table({"ts": range(len(floats)), **dict.fromkeys(PRICES, floats)})
    exact = [Decimal(repr(price)) for price in floats]
    rows = [[time, *[price] * 4] for time, price in enumerate(floats)]
    for candles in (Candles(table), Candles(rows)):
        assert [candle.close for candle in candles] == exact
        assert candles.tick == Decimal(1).scaleb(-max(map(places, exact)))


def places(price: Decimal) -> int:
    return len(f"{price.normalize():f}".partition(".")[2])


def test_a_single_candle_has_no_interval() -> None:
    candles = Candles(ROWS[:1])
    assert (candles.interval, candles.gaps, candles.start) == (None, 0, candles.end)


SECONDS = [[row[0] / 1000, *row[1:]] for row in ROWS]
IN_SECONDS = "the candles are from 1970; if their times are in seconds, pass milliseconds"


@pytest.mark.parametrize(
    "seconds",
    [SECONDS, pl.DataFrame(SECONDS, schema=NAMES, orient="row"), pl.LazyFrame(SECONDS, schema=NAMES, orient="row")],
    ids=["rows", "a table", "a lazy table"],
)
def test_times_in_seconds_are_warned_of(seconds: Any) -> None:  # noqa: ANN401
    with pytest.warns(UserWarning, match=IN_SECONDS) as warned:
        candles = Candles(seconds)
    assert [(str(warning.message), warning.filename) for warning in warned] == [(IN_SECONDS, __file__)]
    assert (
        botdesk.backtest(candles, base_order_volume=100, max_safety_orders=0, take_profit=1).warnings[-1] == IN_SECONDS
    )


def test_candles_are_copied_without_another_warning(recwarn: pytest.WarningsRecorder) -> None:
    with pytest.warns(UserWarning, match=IN_SECONDS):
        candles = Candles(SECONDS)
    assert Candles(candles) == candles
    assert not recwarn.list


def test_what_a_lazy_table_raises_is_raised() -> None:
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        Candles(frame().lazy().select("missing"))
