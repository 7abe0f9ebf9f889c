"""Candles of exchanges through ccxt, kept in Parquet files, which are extended and not fetched again."""

from __future__ import annotations

import os
import re
import sys
import warnings
from bisect import bisect_left
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._frames import caller
from botdesk._invalid import invalid
from botdesk._libraries import library
from botdesk._native import Candles, _shown_message, _shown_path
from botdesk._whole_files import reason_of, written_whole
from botdesk.errors import BotdeskWarning, ConfigurationError, ConnectionFailedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_INSTALL = "pip install 'botdesk[candles]'"
_MS_OF_DAY = 86_400_000
_MS_OF_LONGEST_MONTH = 31 * _MS_OF_DAY
# The most candles that most exchanges return at once; others return fewer.
_PAGE = 1_000
_PAIR = re.compile(r"[^\W_]+_[^\W_]+")
_TIME = "timestamp"
_COLUMNS = (_TIME, "open", "high", "low", "close", "volume")

# A candle: its time, its prices and its volume; numbers as text, with every digit.
_Row = tuple[int, str, str, str, str, str]


class _Span(NamedTuple):
    """A time span: the times of its first candle, and of the one after its last."""

    start: int
    end: int


def fetch(pair: str, days: float, exchange: object, interval: str, folder: Path | None) -> Candles:
    """Return the candles of the last days; what the file of the pair lacks is fetched and added to it."""
    if not _PAIR.fullmatch(pair):
        raise invalid("pair", f"{pair!r} is not a pair; write it as 'USDT_ETH'")
    if not 0 < days <= 36_500:  # noqa: PLR2004 - a century; NaN is refused too
        raise invalid("days", f"must be more than 0 and at most 36500, not {days}")
    arrow = library("pyarrow", "Candles.fetch", _INSTALL)
    library("pyarrow.parquet", "Candles.fetch", _INSTALL)
    source = _Source(exchange, pair, interval)
    # The candle of now is not over.
    end = source.now() // source.step * source.step
    wanted = _Span(end - round(days * _MS_OF_DAY) // source.step * source.step, end)
    if wanted.start >= wanted.end:
        raise invalid("days", f"{days:g} days have no whole candle of {interval}")
    path = file_of(pair, source.name, interval, folder)
    chosen = _between(_extended(path, source, wanted, arrow), wanted)
    if not chosen.num_rows:
        raise ConfigurationError(f"{source.name} has no candles of {pair} in the last {days:g} days")
    first = chosen[_TIME][0].as_py()
    # Weeks and months begin within the first step.
    if first >= wanted.start + source.step:
        begins = datetime.fromtimestamp(first / 1000, UTC)
        message = f"{source.name} has candles of {pair} from {begins:%Y-%m-%d %H:%M} UTC on only, not of {days:g} days"
        warnings.warn(message, BotdeskWarning, stacklevel=caller())
    return Candles(chosen)


def _extended(path: Path, source: _Source, wanted: _Span, arrow: Any) -> Any:  # noqa: ANN401 - tables of pyarrow
    """Return what is kept and what was fetched, which is kept from now on."""
    kept = _read(path, arrow)
    if not kept.num_rows:
        return _fetched(path, source, wanted, kept, arrow)
    first, last = (kept[_TIME][index].as_py() for index in (0, -1))
    if wanted.start < first:
        # It is kept as a whole: a part would leave a gap before the candles that are there.
        before = [_table(page, arrow) for page in source.pages(_Span(wanted.start, first))]
        if before:
            kept = arrow.concat_tables([*before, kept])
            _write(path, kept, arrow)
    return _fetched(path, source, _Span(last + source.step, wanted.end), kept, arrow)


def _fetched(path: Path, source: _Source, span: _Span, kept: Any, arrow: Any) -> Any:  # noqa: ANN401
    """Append the candles of a span; those that came before an error are kept too."""
    # Each page becomes a table at once: rows of Python take ten times the memory.
    pages: list[Any] = []
    try:
        for page in source.pages(span):
            pages.append(_table(page, arrow))  # noqa: PERF401 - those before an error are kept
    finally:
        if pages:
            kept = arrow.concat_tables([kept, *pages])
            _write(path, kept, arrow)
    return kept


def _between(table: Any, span: _Span) -> Any:  # noqa: ANN401
    """Return the candles of a span."""
    times = table[_TIME].to_pylist()
    start, end = (bisect_left(times, time) for time in span)
    return table.slice(start, end - start)


class _Source:
    """A pair at an exchange."""

    def __init__(self, exchange: object, pair: str, interval: str) -> None:
        self._ccxt = library("ccxt", "Candles.fetch", _INSTALL)
        self._exchange = self._of(exchange)
        self.name = str(self._exchange.id)
        quote, _, base = pair.partition("_")
        self._symbol = f"{base}/{quote}"
        self._interval = interval
        known: dict[str, Any] = getattr(self._exchange, "timeframes", None) or {}
        if interval not in known:
            raise invalid(
                "interval", f"{self.name} has no candles of {interval!r}; it has {', '.join(known) or 'none'}"
            )
        self.step = int(self._exchange.parse_timeframe(interval)) * 1000

    def _of(self, exchange: object) -> Any:  # noqa: ANN401
        """Return an exchange of ccxt by its name; another object is one."""
        if not isinstance(exchange, str):
            return exchange
        if exchange not in self._ccxt.exchanges:
            message = f"ccxt knows no exchange {exchange!r}; its names are in ccxt.exchanges, such as 'binance'"
            raise invalid("exchange", message)
        return getattr(self._ccxt, exchange)({"enableRateLimit": True})

    def now(self) -> int:
        """Return the time of this computer, in milliseconds."""
        return int(self._exchange.milliseconds())

    def pages(self, span: _Span) -> Iterator[list[_Row]]:
        """Yield the candles of a span, page after page, without repetitions and in order."""
        position = span.start
        while position < span.end:
            limit = max(1, min(_PAGE, (span.end - position) // self.step))
            page = self._page(position, limit)
            found = [row for row in page if position <= row[0] < span.end and self._is_over(row[0])]
            # Where nobody traded, before a listing or later, a page may be empty.
            position = found[-1][0] + self.step if found else position + limit * self.step
            if found:
                yield found

    def _is_over(self, time: int) -> bool:
        """Return whether a candle is over, which weeks and months need not be that begin before `span.end`."""
        step = _MS_OF_LONGEST_MONTH if self._interval.endswith("M") else self.step
        return time + step <= self.now()

    def _page(self, since: int, limit: int) -> list[_Row]:
        ccxt = self._ccxt
        try:
            page: list[Sequence[Any]] = self._exchange.fetch_ohlcv(self._symbol, self._interval, since, limit)
        except ccxt.BadSymbol as error:
            raise invalid("pair", f"{self.name} does not trade {self._symbol}") from error
        except ccxt.NetworkError as error:
            raise ConnectionFailedError(f"{self.name}: {_first_line(error)}; candles before it are kept") from error
        except ccxt.BaseError as error:
            raise ConfigurationError(f"{self.name}: {_first_line(error)}; candles before it are kept") from error
        return [self._row(candle) for candle in sorted(page, key=lambda candle: candle[0])]

    def _row(self, candle: Sequence[Any]) -> _Row:
        time, *prices = candle[:6]
        if int(time) % self.step and self.step <= _MS_OF_DAY:
            raise ConfigurationError(
                f"{self.name} returned a candle at {time}, which is no multiple of {self._interval}"
            )
        numbers = [Decimal("NaN" if price is None else str(price)) for price in (*prices[:4], prices[4] or 0)]
        if not all(number.is_finite() for number in numbers):
            raise ConfigurationError(f"{self.name} returned a candle without a price at {time}")
        first, high, low, last, volume = (format(number, "f") for number in numbers)
        return int(time), first, high, low, last, volume


def _read(path: Path, arrow: Any) -> Any:  # noqa: ANN401
    """Return the table of a file; an empty one if there is no file."""
    empty = _table([], arrow)
    if not path.exists():
        return empty
    try:
        return arrow.parquet.read_table(path, columns=list(_COLUMNS)).cast(empty.schema)
    except (OSError, ValueError, KeyError, arrow.ArrowException) as error:
        message = f"{_shown_path(str(path))} can't be read: {_first_line(error)}; remove it, and fetch again"
        raise ConfigurationError(message) from error


def _write(path: Path, table: Any, arrow: Any) -> None:  # noqa: ANN401
    """Write the file as a whole."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"{_shown_path(str(path.parent))} can't be made: {reason_of(error)}") from error
    with written_whole(path) as written:
        arrow.parquet.write_table(table, written)


def _table(rows: Sequence[_Row], arrow: Any) -> Any:  # noqa: ANN401
    """Return a table; its numbers are text, with every digit."""
    types = [arrow.int64(), *(arrow.string() for _ in _COLUMNS[1:])]
    columns = zip(*rows, strict=True) if rows else ((),) * len(_COLUMNS)
    arrays = [arrow.array(list(column), kind) for column, kind in zip(columns, types, strict=True)]
    return arrow.table(arrays, names=list(_COLUMNS))


def file_of(pair: str, exchange: str, interval: str, folder: Path | None) -> Path:
    """Return the file of a pair."""
    return (folder or _cache()) / exchange / f"{pair}-{interval}.parquet"


def _cache() -> Path:
    """Return the folder of all candles."""
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    else:
        root = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(root).expanduser() / "botdesk" / "candles"


def _first_line(error: BaseException) -> str:
    return _shown_message(str(error).partition("\n")[0][:300])
