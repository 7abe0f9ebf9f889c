"""`botdesk candles`: files of candles."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import Annotated

import typer

from botdesk import Candles
from botdesk._candle_fetch import file_of
from botdesk._cli import help_layout, options, output
from botdesk._native import _shown_path

app = typer.Typer(name="candles", help="Candles of exchanges.", cls=help_layout.Group, no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Say what the group is; its help does."""


@app.command("fetch", cls=help_layout.Command)
def fetch(
    *,
    pair: Annotated[str, typer.Argument(metavar="PAIR", help="The pair, such as USDT_ETH.", show_default=False)],
    days: Annotated[float, typer.Option("--days", metavar="DAYS", help="The length of the history, until now.")] = 90,
    exchange: Annotated[
        str, typer.Option("--exchange", metavar="NAME", help="The exchange, as ccxt names it.")
    ] = "binance",
    interval: Annotated[
        str, typer.Option("--interval", metavar="LENGTH", help="The length of a candle: 1m, 5m, 1h, 1d …")
    ] = "1h",
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="The folder of the files; by default that for caches.", show_default=False),
    ] = None,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Fetch the candles of a pair, and keep them in a Parquet file, which is extended and not fetched again."""
    candles = Candles.fetch(pair, days=days, exchange=exchange, interval=interval, folder=folder)
    file = str(file_of(pair, exchange, interval, folder))
    if as_json:
        found = {
            "file": file,
            "candles": len(candles),
            "start": candles.start.isoformat(),
            "end": candles.end.isoformat(),
        }
        output.show({**found, "gaps": candles.gaps}, as_json=True)
        return
    output.print_lines(output.one_line(f"{candles!r} in {_shown_path(file)}"))
