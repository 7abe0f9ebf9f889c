"""`botdesk bots backtest`: what a bot would have done over candles, before an edit and after it."""

from __future__ import annotations

import inspect
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk import BacktestComparison
from botdesk._cli import candle_files, exit_codes, operations, options, output
from botdesk._cli.operations import Operation, add_command, option
from botdesk._native import _backtest_inputs

if TYPE_CHECKING:
    from botdesk import Backtest, BacktestSummary

_GROUP = "Backtest"
_ABOUT = (
    "Backtest a DCA bot over candles. With fields of an edit, print the figures before and after the edit. Nothing is "
    "changed."
)
_CANDLES = typer.Option(
    "--candles",
    metavar="[PAIR=]FILE",
    help="Parquet file (needs pyarrow) or CSV file with the columns timestamp, open, high, low and close. For a bot of "
    "several pairs, repeat it with the pair of each: USDT_BTC=btc.csv.",
    rich_help_panel=_GROUP,
    show_default=False,
)
_SIGNALS = typer.Option(
    "--signals",
    metavar="[PAIR=]FILE",
    help="File with a time in each line, in ISO 8601 or in milliseconds since 1970, at which a deal is asked for. Bots "
    "without the strategy nonstop open deals only then. Repeat it like --candles.",
    rich_help_panel=_GROUP,
    show_default=False,
)
_TIME = "TIME"
_START = typer.Option(
    "--start",
    metavar=_TIME,
    help="Time from which on candles count, in ISO 8601 or in milliseconds since 1970; the default is all.",
    rich_help_panel=_GROUP,
    show_default=False,
)
_END = typer.Option(
    "--end",
    metavar=_TIME,
    help="Time before which candles count; the default is all.",
    rich_help_panel=_GROUP,
    show_default=False,
)


def add(app: typer.Typer) -> None:
    """Add `bots backtest`."""
    operation = Operation("dca_bots.edit")
    market = operations.inputs_of(_backtest_inputs())

    def run(
        *,
        record_id: int,
        candles: list[str],
        signals: list[str] | None,
        start: str | None,
        end: str | None,
        profile: str | None,
        as_json: bool,
        **values: Any,  # noqa: ANN401
    ) -> None:
        changes = operation.arguments(values)
        arguments: dict[str, Any] = {
            **operations.parse(market, values),
            "start": candle_files.milliseconds(start),
            "end": candle_files.milliseconds(end),
        }
        # Read first, so that no request is sent if a file can't be read.
        histories = candle_files.read_each("--candles", candles, candle_files.read_candles)
        if signals:
            arguments["signals"] = candle_files.read_each("--signals", signals, candle_files.read_signals)
        with exit_codes.decode_errors_of_reads():
            bot = options.client(profile).dca_bots.get(record_id)
            result = (bot.preview_edit(**changes) if changes else bot).backtest(histories, **arguments)
        if as_json:
            output.show(_to_dict(result), as_json=True)
        else:
            typer.echo(repr(result))

    add_command(
        app,
        "backtest",
        operation,
        run,
        option("candles", Annotated[list[str], _CANDLES], inspect.Parameter.empty),
        option("signals", Annotated[list[str] | None, _SIGNALS], None),
        option("start", Annotated[str | None, _START], None),
        option("end", Annotated[str | None, _END], None),
        *(each.parameter(positional=False, required=False, group=_GROUP) for each in market.values()),
        about=_ABOUT,
        sends=False,
    )


def _to_dict(result: Backtest | BacktestComparison) -> dict[str, Any]:
    """Convert a result for JSON."""
    if isinstance(result, BacktestComparison):
        backtests = {"before": _to_dict(result.before), "after": _to_dict(result.after)}
        return {**backtests, "difference": _figures(result.difference)}
    return {
        "summary": _figures(result.summary),
        "path": result.path,
        "ambiguous": result.ambiguous,
        "warnings": result.warnings,
        "not_simulated": [{"field": setting.field, "reason": setting.reason} for setting in result.not_simulated],
    }


def _figures(summary: BacktestSummary) -> dict[str, Any]:
    """Return the figures by name; durations are in seconds."""
    names: list[str] = getattr(summary, "_shown", [])
    figures = {name: getattr(summary, name) for name in names}
    return {
        name: figure.total_seconds() if isinstance(figure, timedelta) else figure for name, figure in figures.items()
    }
