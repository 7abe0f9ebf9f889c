"""Candles from CSV files, as exchanges and charts export them."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from botdesk import Candles, ConfigurationError, ValidationError

MILLISECONDS = 1735689600000
ROWS: list[list[object]] = [
    [MILLISECONDS, "93576.00000000", "93610.93000000", "93537.50000000", "93610.93000000"],
    [MILLISECONDS + 60_000, "93610.93000000", "93652.00000000", "93606.20000000", "93606.20000001"],
]
CANDLES = Candles(ROWS)
HEADER = "timestamp,open,high,low,close"


def binance(unit: int) -> str:
    """Return an export of Binance, whose times are these many to a millisecond."""
    lines: list[str] = []
    for time, *prices in ROWS:
        assert isinstance(time, int)
        open_time, close_time = time * unit, (time + 60_000) * unit - 1
        lines.append(
            ",".join(map(str, [open_time, *prices, "8.2", close_time, "768978.5", 2631, "3.9", "370757.5", 0]))
        )
    return "\n".join(lines) + "\n"


def crypto_data_download(unit: int) -> str:
    """Return an export of CryptoDataDownload, whose times are these many milliseconds."""
    lines = [
        "https://www.CryptoDataDownload.com",
        "unix,date,symbol,open,high,low,close,Volume BTC,Volume USDT,tradecount",
    ]
    for time, *prices in reversed(ROWS):
        assert isinstance(time, int)
        date = datetime.fromtimestamp(time // 1000, UTC)
        cells = [time // unit, f"{date:%Y-%m-%d %H:%M:%S}", "BTC/USDT", *prices, "8.2", "768978.5", 2631]
        lines.append(",".join(map(str, cells)))
    return "\r\n".join(lines) + "\r\n"


def trading_view(form: str) -> str:
    """Return an export of TradingView."""
    lines = ["time,open,high,low,close,Volume,MA,MA"]
    for time, *prices in ROWS:
        assert isinstance(time, int)
        date = datetime.fromtimestamp(time // 1000, UTC)
        lines.append(",".join(map(str, [time // 1000 if form == "seconds" else f"{date:%FT%TZ}", *prices, 8, "", ""])))
    return "\ufeff" + "\n".join(lines)


EXPORTS = {
    "Binance export, times in milliseconds, oldest row first": binance(1),
    "Binance export, times in microseconds, oldest row first": binance(1000),
    "CryptoDataDownload export, times in seconds (column unix), newest row first": crypto_data_download(1000),
    "CryptoDataDownload export, times in milliseconds (column unix), newest row first": crypto_data_download(1),
    "TradingView export, times in seconds (column time), oldest row first": trading_view("seconds"),
    "TradingView export, times in ISO 8601 (column time), oldest row first": trading_view("ISO 8601"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a file to write."""
    return tmp_path / "btc.csv"


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(("recognized", "text"), EXPORTS.items(), ids=EXPORTS)
def test_an_export_is_read_as_it_is(path: Path, recognized: str, text: str) -> None:
    candles = Candles.read_csv(written(path, text))
    assert candles == CANDLES
    assert candles[1].close == Decimal("93606.20000001")
    assert candles.file_format == recognized
    assert (candles.start, candles.interval) == (datetime(2025, 1, 1, tzinfo=UTC), timedelta(minutes=1))


@pytest.mark.parametrize("form", [str, Path])
def test_the_path_is_text_or_a_path(path: Path, form: type[str | Path]) -> None:
    assert Candles.read_csv(form(written(path, binance(1)))) == CANDLES


def test_a_path_may_begin_with_the_home_folder(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(written(path, binance(1)).parent))
    monkeypatch.setenv("USERPROFILE", str(path.parent))
    assert Candles.read_csv(f"~/{path.name}") == CANDLES


def test_prices_keep_every_digit(path: Path) -> None:
    digits = "0.12345678901234567890123456789012345678"
    candles = Candles.read_csv(written(path, f"{HEADER}\n2025-01-01,{digits},{digits},{digits},{digits}"))
    assert candles[0].open == Decimal(digits)


def test_a_value_in_quotes_may_have_commas_and_lines(path: Path) -> None:
    text = f'note,{HEADER}\n"one, two\nthree",2025-01-01,"1",2,1,2\n,2025-01-02,1,x,1,2'
    with pytest.raises(ValidationError, match=r"btc\.csv: row 1: high 'x' is not a number \(line 4\)"):
        Candles.read_csv(written(path, text))


def test_what_was_recognized_stays_with_slices_copies_and_pickles(path: Path) -> None:
    candles = Candles.read_csv(written(path, binance(1)))
    for same in (candles[:1], Candles(candles), copy.copy(candles), pickle.loads(pickle.dumps(candles))):  # noqa: S301
        assert same.file_format == candles.file_format
    assert CANDLES.file_format is None
    assert "Binance export" in candles._repr_html_()


ISO = "in ISO 8601, such as 2024-01-31T12:30:00Z"
NAMES = "timestamp, open, high, low, close"
MIXED = "and that of row 0 in milliseconds; pass a file for each unit, or convert one part"
NO_NAMES = "no line names the columns, and these are not the 12 of a Binance export; add a first line such as"
UNSORTED = "and the times before rise; sort the file by time"
EITHER = "1970-01-12T13:46:40Z in seconds or 1970-01-01T00:16:40Z in milliseconds"
# A file, its row and line, and what is wrong there.
REFUSED = {
    "two units": (
        binance(1) + binance(1000).replace("17356896", "17356897"),
        f"row 2: time 1735689700000000 is in microseconds, {MIXED} (line 3)",
    ),
    "no order": (
        f"{HEADER}\n2025-01-01,1,1,1,1\n2025-01-03,1,1,1,1\n2025-01-02,1,1,1,1",
        f"row 2: time 2025-01-02T00:00:00Z is before 2025-01-03T00:00:00Z of row 1, {UNSORTED} (line 4)",
    ),
    "a time twice": (
        f"{HEADER}\n2025-01-02,1,1,1,1\n2025-01-01,1,1,1,1\n2025-01-01,1,1,1,1",
        "row 2: time 2025-01-01T00:00:00Z is a duplicate of row 1; delete one of the two rows (line 4)",
    ),
    "seconds or milliseconds": (
        f"{HEADER}\n1000000,1,1,1,1\n1000007,1,1,1,1",
        f"row 0: time 1000000 may be {EITHER}; write the times {ISO} (line 2)",
    ),
    "months before days": (
        f"{HEADER}\n01/02/2025,1,1,1,1",
        f"row 0: time '01/02/2025' is neither a whole number since 1970 nor a date {ISO} (line 2)",
    ),
    "no names": (
        "1735689600000,1,2,1,2,5",
        f"row 0: {NO_NAMES} timestamp,open,high,low,close,volume, in the order of the file (line 1)",
    ),
    "semicolons": (
        f"{HEADER}\n2025-01-01,1,1,1,1".replace(",", ";"),
        f"has no column {NAMES}; its first line must name {NAMES}, separated by commas (line 1)",
    ),
    "decimal commas": (
        f"{HEADER}\n2025-01-01,1,5,1,6,1,4,1,5",
        "row 0 has more values than the first line has names; write prices with a decimal point (line 2)",
    ),
    "the row of the file, newest first": (
        f"{HEADER}\n2025-01-02,1,1,2,1\n2025-01-01,1,1,1,1",
        "row 0: high 1 is below low 2 (line 2)",
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_what_can_be_read_in_two_ways_is_refused_with_its_row(path: Path, text: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Candles.read_csv(written(path, text))
    assert refused.value.errors == {str(path): [message]}
    assert f"{path}: {message}" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("btc.csv", None, "No such file or directory; pass a Parquet or CSV file"),
        ("btc.csv", b"\xff\xfet\x00", "can't decode byte 0xff"),
        ("btc.zip", b"PK\x03\x04\xff", "unpack it first"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported(path: Path, name: str, content: bytes | None, message: str) -> None:
    file = path.with_name(name)
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigurationError) as failed:
        Candles.read_csv(file)
    assert f"the candles can't be read from {file}: " in str(failed.value)
    assert message in str(failed.value)


def test_a_path_is_needed() -> None:
    with pytest.raises(TypeError):
        Candles.read_csv(7)  # type: ignore[arg-type]
