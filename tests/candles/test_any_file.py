"""Any CSV file ends in candles, or in an error that names it; candles that are written are read again."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from thorough import cases

import botdesk
from botdesk import Candles

if TYPE_CHECKING:
    from decimal import Decimal
    from pathlib import Path

NAMES = ["time", "open", "high", "low", "close", "volume"]
START = 1_704_067_200
CELLS = st.one_of(
    st.sampled_from(["1704067200", "1704067260000", "2024-01-01 00:00", "2024-13-01", "1e999999999", "nan", "-1", '"']),
    st.text(max_size=6),
    st.integers().map(str),
    st.decimals().map(str),
)
SETTINGS = settings(
    max_examples=cases(100, 2_000),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def check(path: Path) -> None:
    try:
        candles = Candles.read_csv(path)
    except (botdesk.ValidationError, botdesk.ConfigurationError) as raised:
        error = raised
    else:
        assert candles.file_format
        return
    assert path.name in str(error)


@given(data=st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
@example(data=b"")
@example(data=b"time,open,high,low,close\n1704067200,1,1,1,\xff")
@SETTINGS
@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "candles.csv"
    path.write_bytes(data)
    check(path)


@given(rows=st.lists(st.lists(CELLS, min_size=4, max_size=7), min_size=1, max_size=4), first=st.sampled_from([0, 1]))
@SETTINGS
@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_any_cells(tmp_path: Path, rows: list[list[str]], first: int) -> None:
    path = tmp_path / "candles.csv"
    whole = [[str(START + 60 * number), "1", "1", "1", "1", "1"][:first] + row for number, row in enumerate(rows)]
    path.write_text("\n".join(",".join(row) for row in [NAMES, *whole]), "utf-8")
    check(path)


PRICES = st.decimals(min_value="1e-12", max_value="1e12", places=12)


@given(prices=st.lists(st.lists(PRICES, min_size=4, max_size=4).map(sorted), min_size=2, max_size=5))
@SETTINGS
def test_what_is_written_is_read_again(tmp_path: Path, prices: list[list[Decimal]]) -> None:
    # The lowest first: low, open, close, high.
    rows = [(START + 60 * number, open_, high, low, close) for number, (low, open_, close, high) in enumerate(prices)]
    path = tmp_path / "candles.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([NAMES[:5], *rows])
    candles = Candles.read_csv(path)
    assert [(each.open, each.high, each.low, each.close) for each in candles] == [row[1:] for row in rows]
