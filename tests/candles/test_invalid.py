"""Data that is refused, with an error that names the row."""

from __future__ import annotations

import signal
from datetime import datetime
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from botdesk import Candles, ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Most of them bring no types.
np: Any = import_module("numpy")
pa: Any = import_module("pyarrow")
pd: Any = import_module("pandas")
pl: Any = import_module("polars")

FLAT = [1, 1, 1, 1]
EXPECTED = "expected a table of polars, pyarrow, pandas or duckdb, or a list of [milliseconds, open, high, low, close]"
NO_TIMES = "no column has one of the names timestamp, time, datetime, date, ts, open_time"


def rows(*last: object) -> list[list[object]]:
    return [[0, *FLAT], [60_000, *FLAT], list(last)]


def table(**columns: object) -> Any:  # noqa: ANN401
    return pl.DataFrame({"timestamp": [0, 60_000], "open": 1.0, "high": 2.0, "low": 1.0, "close": [1.0, 2.0]} | columns)


INVALID: dict[str, tuple[Any, str]] = {
    "nothing": ([], "there are no candles; pass at least one"),
    "an empty table": (table().clear(), "there are no candles; pass at least one"),
    "columns without types": (
        pl.DataFrame({name: [] for name in table().columns}),
        "the column 'timestamp' has no values; each candle needs one",
    ),
    "NaN": (rows(120_000, 1, 1, 1, float("nan")), "row 2: close NaN is not a number"),
    "infinity": (table(high=[2.0, float("inf")]), "row 1: high inf is not a number"),
    "a decimal NaN": (rows(120_000, 1, 1, Decimal("NaN"), 1), "row 2: low 'NaN' is not a number"),
    "None": (rows(120_000, 1, 1, 1, None), "row 2: close None is not a number"),
    "a bool": (rows(120_000, 1, 1, 1, True), "row 2: close True is not a number"),
    "a word": (table(low=["1", "one"]), "row 1: low 'one' is not a number"),
    "null": (table(low=[1.0, None]), "row 1: low is null"),
    "a time that is null": (table(timestamp=[None, 60_000]), "row 0: time is null"),
    "zero": (rows(120_000, 1, 1, 0, 1), "row 2: low 0 is not above 0"),
    "a negative price": (table(open=[-1.5, 1.0]), "row 0: open -1.5 is not above 0"),
    "a high below the low": (rows(120_000, "1.25", "1.2", "1.3", "1.25"), "row 2: high 1.2 is below low 1.3"),
    "an open below the low": (rows(120_000, 1, 3, 2, 2), "row 2: open 1 is below low 2"),
    "a close above the high": (table(close=[1.0, 2.5]), "row 1: close 2.5 is above high 2"),
    "times that fall": (rows(30_000, *FLAT), "row 2: time 30000 is before 60000 of row 1; sort the candles by time"),
    "a duplicate": (rows(60_000, *FLAT), "row 2: time 60000 is a duplicate of row 1"),
    "microseconds": (
        table(timestamp=[1_735_689_600_000_000, 1_735_689_660_000_000]),
        "row 0: time 1735689600000000 is not in the years 1 to 9999; times are milliseconds since 1970",
    ),
    "a part of a millisecond": (
        table(timestamp=[0.0, 0.5]),
        "row 1: time 0.5 (Float64) is not a whole number of milliseconds",
    ),
    "no time": (rows("now", *FLAT), "row 2: time 'now' is neither whole milliseconds since 1970 nor a datetime"),
    "a naive datetime": (
        rows(datetime(2024, 1, 1), *FLAT),  # noqa: DTZ001
        "row 2: time must be a datetime with a timezone, such as datetime.now(timezone.utc)",
    ),
    "too few values": (rows(120_000, 1), "row 2: expected [milliseconds, open, high, low, close], not 2 values"),
    "no row": ([5], "row 0: expected [milliseconds, open, high, low, close], not int"),
    "dicts": ([{"open": 1}], "row 0: expected [milliseconds, open, high, low, close], not dict"),
    "times as text": (
        table(timestamp=["2024-01-01", "2024-01-02"]),
        "the times are of type Utf8View; convert them to timestamps, or to integers: milliseconds since 1970",
    ),
    "a column of bools": (
        table(low=[True, True]),
        "low is of type Boolean; convert it to decimals, floats, integers or strings",
    ),
    "a column that is missing": (
        table().drop("low"),
        "no column has one of the names low, l; the columns are 'timestamp', 'open', 'high', 'close'",
    ),
    "row numbers for times": (
        table().drop("timestamp").to_pandas().set_index(pd.Index([7, 7])),
        f"{NO_TIMES}; the columns are 'open', 'high', 'low', 'close', '__index_level_0__'",
    ),
    "two columns of a name": (table(Open=1.0), "two columns are named 'open': 'open' and 'Open'; drop one"),
    "too many digits": (
        rows(120_000, 1, 10**40, 1, 1),
        f"row 2: high '{10**40}' has too many digits: all prices need to fit into 38, at their smallest decimal place",
    ),
    "too many digits together": (
        [[0, "1e-30", 1, "1e-30", 1], [1, 1, 10**12, 1, 1]],
        "row 1: high has too many digits: all prices need to fit into 38, at their smallest decimal place",
    ),
    "a number": (
        3,
        f"{EXPECTED}, not int",
    ),
    "a text": (
        "candles.csv",
        f"{EXPECTED}, not str",
    ),
}


@pytest.mark.parametrize(("data", "message"), INVALID.values(), ids=INVALID)
def test_invalid_data_is_refused(data: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(ValidationError) as refused:
        Candles(data)
    assert refused.value.errors == {"data": [message]}


def test_another_column_without_values_is_named_if_the_stream_fails() -> None:
    with pytest.raises(ValidationError, match=r"the Arrow stream failed: .*; if the cause is the column 'notes'"):
        Candles(table(notes=[None, None]))


def test_the_row_counts_across_the_batches_of_a_table() -> None:
    first, second = table().to_arrow(), table(timestamp=[120_000, 180_000], close=[1.0, None]).to_arrow()
    with pytest.raises(ValidationError, match="row 3: close is null"):
        Candles(pa.concat_tables([first, second]))


def test_a_stream_that_fails_is_reported() -> None:
    def batches() -> Iterator[Any]:
        yield from table().to_arrow().to_batches()
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(table().to_arrow().schema, batches())
    with pytest.raises(ValidationError, match=r"the Arrow stream failed: .*the disk is gone"):
        Candles(reader)


def test_what_an_iterator_raises_is_raised() -> None:
    def failing() -> Iterator[list[int]]:
        yield [0, *FLAT]
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        Candles(failing())


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX")
def test_ctrl_c_ends_the_conversion() -> None:
    times = pa.array(np.arange(10_000_000))
    prices = pa.array(np.full(len(times), 1.5))
    columns = pa.table({"ts": times, "open": prices, "high": prices, "low": prices, "close": prices})
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            Candles(columns)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
