"""`botdesk bots backtest`: what a bot would have done over candles, before an edit and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botdesk._cli import backtest_json, backtest_options, exit_codes, options, output
from botdesk._cli.operations import Operation, add_command

if TYPE_CHECKING:
    import typer

    from botdesk import Backtest, BacktestComparison

_ABOUT = (
    "Backtest a DCA bot over candles. With fields of an edit, print the figures before and after the edit. Nothing is "
    "changed."
)


def add(app: typer.Typer) -> None:
    """Add `bots backtest`."""
    operation = Operation("dca_bots.edit")

    def run(*, bot_id: int, profile: str | None, as_json: bool, **values: Any) -> None:  # noqa: ANN401
        changes = operation.arguments(values)
        # Read first, so that no request is sent if a file can't be read.
        arguments = backtest_options.read(values)
        with exit_codes.decode_errors_of_reads():
            bot = options.client(profile).dca_bots.get(bot_id)
            tested = bot.preview_edit(**changes) if changes else bot
            result: Backtest | BacktestComparison = tested.backtest(**arguments)
        if as_json:
            output.show(backtest_json.of_backtest(result), as_json=True)
        else:
            output.print_lines(repr(result))

    add_command(app, "backtest", operation, run, *backtest_options.parameters(), about=_ABOUT, sends=False)
