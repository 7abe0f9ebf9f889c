"""Candles of an exchange, kept in a file that is extended and not fetched again."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

import botdesk
from botdesk import Candles
from botdesk._cli.app import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HOUR = 3_600_000
DAY = 24
MONDAY = 4 * DAY * HOUR
# 2026-01-01, and a half hour later, when the candle of this hour is not over.
NOW = 1_767_225_600_000 + HOUR // 2


class BaseError(Exception):
    pass


class BadSymbol(BaseError):  # noqa: N818 - the name in ccxt
    pass


class NetworkError(BaseError):
    pass


class Exchange:
    """An exchange that has a candle for each hour, as those of ccxt are."""

    id = "standin"
    timeframes = {"1h": "1h", "1d": "1d", "1w": "1w"}  # noqa: RUF012 - as ccxt has it

    def __init__(self, _: object = None) -> None:
        self.now = NOW
        self.listed = 0
        self.most = 1000
        self.fetched: list[tuple[int, int]] = []
        self.fails_after: int | None = None

    def milliseconds(self) -> int:
        return self.now

    def parse_timeframe(self, timeframe: str) -> int:
        return {"1h": 3600, "1d": 86400, "1w": 7 * 86400}[timeframe]

    def fetch_ohlcv(self, symbol: str, timeframe: str, since: int, limit: int) -> list[list[float]]:
        if symbol != "ETH/USDT":
            raise BadSymbol(symbol)
        if self.fails_after is not None and len(self.fetched) >= self.fails_after:
            raise NetworkError("the line is dead\nand more")
        self.fetched.append((since, limit))
        step = self.parse_timeframe(timeframe) * 1000
        # Binance returns what comes after `since`, also if that is later than a page.
        start = max(since, self.listed)
        # Weeks begin on Monday, and the count of time on a Thursday.
        shift = MONDAY if timeframe == "1w" else 0
        times = range(start - (start - shift) % step, self.now, step)[: min(limit, self.most)]
        return [[time, 3000.1, 3010.25, 2990, 3005.5, 12.75] for time in times]


@pytest.fixture
def exchange(monkeypatch: pytest.MonkeyPatch) -> Exchange:
    """Return an exchange, in place of those of ccxt, which takes long to import."""
    exchange = Exchange()

    def standin(_: object) -> Exchange:
        return exchange

    fake = SimpleNamespace(
        exchanges=["standin"],
        standin=standin,
        BaseError=BaseError,
        BadSymbol=BadSymbol,
        NetworkError=NetworkError,
    )
    monkeypatch.setitem(__import__("sys").modules, "ccxt", fake)
    return exchange


@pytest.fixture
def fetch(exchange: Exchange, tmp_path: Path) -> Callable[..., Candles]:
    del exchange

    def fetch(days: float = 90, pair: str = "USDT_ETH", **options: Any) -> Candles:  # noqa: ANN401
        return Candles.fetch(pair, days=days, folder=tmp_path, **{"exchange": "standin", **options})

    return fetch


def test_a_history_is_fetched_page_after_page(fetch: Callable[..., Candles], exchange: Exchange) -> None:
    candles = fetch(90)
    assert len(candles) == 90 * DAY
    assert (candles.gaps, len(exchange.fetched)) == (0, 3)
    assert (candles[0].low, candles[0].high, candles[0].close) == (Decimal(2990), Decimal("3010.25"), Decimal("3005.5"))
    # The candle of now is not over.
    assert round(candles.end.timestamp() * 1000) == NOW // HOUR * HOUR - HOUR


def test_what_is_kept_is_not_fetched_again(fetch: Callable[..., Candles], exchange: Exchange) -> None:
    first = fetch(10)
    exchange.fetched.clear()
    assert fetch(10) == first
    assert fetch(5) == first[-5 * DAY :]
    assert exchange.fetched == []
    exchange.now += 3 * HOUR
    assert len(fetch(10)) == 10 * DAY
    assert exchange.fetched == [(NOW // HOUR * HOUR, 3)]
    exchange.fetched.clear()
    assert len(fetch(12)) == 12 * DAY
    assert sum(limit for _, limit in exchange.fetched) < 2 * DAY


def test_a_history_that_begins_later_is_said_to(fetch: Callable[..., Candles], exchange: Exchange) -> None:
    exchange.listed = NOW // HOUR * HOUR - 20 * HOUR
    with pytest.warns(botdesk.BotdeskWarning, match="has candles of USDT_ETH from 2025-12-31 04:00 UTC on only"):
        candles = fetch(90)
    assert len(candles) == 20


def test_a_week_that_is_not_over_is_not_kept(fetch: Callable[..., Candles], exchange: Exchange) -> None:
    # NOW is a Thursday; the week of Monday is not over, although seven days since a Thursday are.
    week = 7 * DAY * HOUR
    last = [candle.time for candle in fetch(days=28, interval="1w")][-1]
    assert last.timestamp() * 1000 == NOW - HOUR // 2 - 3 * DAY * HOUR - week
    exchange.now += week
    assert [candle.time for candle in fetch(days=28, interval="1w")][-1] - last == timedelta(days=7)


def test_a_candle_without_a_price_is_not_kept(
    fetch: Callable[..., Candles], exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    candle: list[Any] = [NOW - HOUR // 2 - HOUR, 1, 1, 1, None, 1]

    def one(*_: object) -> list[list[Any]]:
        return [candle]

    monkeypatch.setattr(exchange, "fetch_ohlcv", one)
    for price in (None, float("nan")):
        candle[4] = price
        with pytest.raises(botdesk.ConfigurationError, match="a candle without a price"):
            fetch(days=1)


def test_an_exchange_with_small_pages_lists_the_same(fetch: Callable[..., Candles], exchange: Exchange) -> None:
    exchange.most = 100
    assert len(fetch(30)) == 30 * DAY


def test_candles_before_an_error_are_kept(fetch: Callable[..., Candles], exchange: Exchange) -> None:
    exchange.fails_after = 2
    with pytest.raises(botdesk.ConnectionFailedError, match="standin: the line is dead; candles before it are kept"):
        fetch(90)
    exchange.fails_after = None
    exchange.fetched.clear()
    assert len(fetch(90)) == 90 * DAY
    assert len(exchange.fetched) == 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"pair": "ETH/USDT"}, botdesk.ValidationError, "write it as 'USDT_ETH'"),
        ({"pair": "../../X_Y"}, botdesk.ValidationError, "is not a pair"),
        ({"pair": "USDT_NONE"}, botdesk.ValidationError, "standin does not trade NONE/USDT"),
        ({"exchange": "nowhere"}, botdesk.ValidationError, "ccxt knows no exchange 'nowhere'"),
        ({"interval": "7m"}, botdesk.ValidationError, "has no candles of '7m'; it has 1h, 1d"),
        ({"days": 0}, botdesk.ValidationError, "days: must be more than 0"),
        ({"days": float("nan")}, botdesk.ValidationError, "days: must be more than 0"),
        ({"days": 0.01}, botdesk.ValidationError, "have no whole candle"),
    ],
)
def test_what_is_wrong_is_named(
    fetch: Callable[..., Candles], arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        fetch(**arguments)


def test_a_damaged_file_is_named_and_not_overwritten(fetch: Callable[..., Candles], tmp_path: Path) -> None:
    fetch(1)
    (path,) = tmp_path.rglob("*.parquet")
    path.write_bytes(b"nothing")
    with pytest.raises(botdesk.ConfigurationError, match="remove it, and fetch again"):
        fetch(1)
    assert path.read_bytes() == b"nothing"


@pytest.mark.usefixtures("exchange")
def test_the_command_prints_the_file_that_backtests_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["candles", "fetch", "USDT_ETH", "--days", "2", "--exchange", "standin", "--folder", str(tmp_path)]
    assert run(arguments) == 0
    assert "<Candles rows=48 " in capsys.readouterr().out
    assert run([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["candles"], printed["file"]) == (48, str(tmp_path / "standin" / "USDT_ETH-1h.parquet"))
    assert run(["candles", "fetch", "ETHUSDT", "--folder", str(tmp_path)]) == 2


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """Run a stand-in of an exchange with the paths of Binance; return its URL and the paths that were requested."""
    paths: list[str] = []

    class Binance(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            paths.append(parts.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            body = json.dumps(_candles(query) if parts.path.endswith("/klines") else _MARKETS).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Binance) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/api/v3", paths
        server.shutdown()
        thread.join(30)


_MARKETS = {
    "symbols": [
        {
            "symbol": "ETHUSDT",
            "status": "TRADING",
            "baseAsset": "ETH",
            "quoteAsset": "USDT",
            "baseAssetPrecision": 8,
            "quoteAssetPrecision": 8,
            "permissions": ["SPOT"],
            "filters": [],
            "isSpotTradingAllowed": True,
            "isMarginTradingAllowed": False,
            "orderTypes": ["LIMIT"],
        }
    ]
}


def _candles(query: dict[str, str]) -> list[list[object]]:
    start, count = int(query["startTime"]), int(query["limit"])
    return [
        [time, "3000.10", "3010.25", "2990", "3005.5", "12.75", time + HOUR - 1, "0", 1, "0", "0", "0"]
        for time in range(start, start + count * HOUR, HOUR)
    ]


def test_ccxt_itself_reads_the_candles(server: tuple[str, list[str]], tmp_path: Path) -> None:
    ccxt = pytest.importorskip("ccxt", reason="ccxt is not installed")
    url, paths = server
    exchange = ccxt.binance({"options": {"fetchMarkets": {"types": ["spot"]}, "fetchCurrencies": False}})
    exchange.urls["api"]["public"] = url
    exchange.milliseconds = lambda: NOW
    candles = Candles.fetch("USDT_ETH", days=2, exchange=exchange, folder=tmp_path)
    assert len(candles) == 48
    assert candles[0].open == Decimal("3000.1")
    assert paths.count("/api/v3/klines") == 1
    Candles.fetch("USDT_ETH", days=2, exchange=exchange, folder=tmp_path)
    assert paths.count("/api/v3/klines") == 1
