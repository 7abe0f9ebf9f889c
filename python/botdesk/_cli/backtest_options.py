"""The options of backtests and sweeps: the candles, the signals and the market."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk._cli import candle_files, operations
from botdesk._cli.operations import option
from botdesk._native import _backtest_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP = "Backtest"
_CANDLES = typer.Option(
    "--candles",
    metavar="[PAIR=]FILE",
    help="Parquet file (needs pyarrow) or CSV file with the columns timestamp, open, high, low and close, or an "
    "export of Binance, CryptoDataDownload or TradingView. For a bot of several pairs, repeat it with the pair of "
    "each: USDT_BTC=btc.csv.",
    rich_help_panel=GROUP,
    show_default=False,
)
_SIGNALS = typer.Option(
    "--signals",
    metavar="[PAIR=]FILE",
    help="File with a time in each line, in ISO 8601 or in milliseconds since 1970, at which a deal is asked for. Bots "
    "without the strategy nonstop open deals only then. Repeat it like --candles.",
    rich_help_panel=GROUP,
    show_default=False,
)
_TIME = "TIME"
_START = typer.Option(
    "--start",
    metavar=_TIME,
    help="Time from which on candles count, in ISO 8601 or in milliseconds since 1970; the default is all.",
    rich_help_panel=GROUP,
    show_default=False,
)
_END = typer.Option(
    "--end",
    metavar=_TIME,
    help="Time before which candles count; the default is all.",
    rich_help_panel=GROUP,
    show_default=False,
)
_MARKET = operations.inputs_of(_backtest_inputs())


def parameters() -> Iterator[inspect.Parameter]:
    """Yield the parameters of the options."""
    yield option("candles", Annotated[list[str], _CANDLES], inspect.Parameter.empty)
    yield option("signals", Annotated[list[str] | None, _SIGNALS], None)
    yield option("start", Annotated[str | None, _START], None)
    yield option("end", Annotated[str | None, _END], None)
    for each in _MARKET.values():
        yield each.parameter(positional=False, required=False, group=GROUP)


def read(values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that backtests and sweeps share. It reads the files."""
    arguments: dict[str, Any] = {
        **operations.parse(_MARKET, values),
        "candles": candle_files.read_each("--candles", values["candles"], candle_files.read_candles),
        "start": candle_files.milliseconds(values["start"]),
        "end": candle_files.milliseconds(values["end"]),
    }
    if signals := values["signals"]:
        arguments["signals"] = candle_files.read_each("--signals", signals, candle_files.read_signals)
    return arguments
