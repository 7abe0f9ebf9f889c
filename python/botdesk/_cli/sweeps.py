"""`botdesk sweep`: backtests of a bot with every combination of some settings."""

from __future__ import annotations

import inspect
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

import botdesk
from botdesk._cli import backtest_json, backtest_options, exit_codes, options, output
from botdesk._cli.operations import InputType, Operation, add_command, option

if TYPE_CHECKING:
    from botdesk import Sweep

_ABOUT = (
    "Backtest a DCA bot with every combination of some settings, and print the best ones. Nothing is changed. Ctrl-C "
    "ends it early and prints what is done."
)
_GROUP = "Sweep"
_SET = typer.Option(
    "--set",
    metavar="FIELD=VALUE,…",
    help="Field of an edit and the values to try: take_profit=1,1.5,2; repeatable. Write values with commas as a list "
    'in JSON: pairs=[["USDT_BTC"],["USDT_ETH"]].',
    rich_help_panel=_GROUP,
    show_default=False,
)
_OBJECTIVE = typer.Option(
    "--objective",
    metavar="FIGURE",
    help="Figure of the summary by which combinations are compared.",
    rich_help_panel=_GROUP,
)
_BEST = typer.Option("--best", metavar="N", min=0, help="Number of combinations to print.", rich_help_panel=_GROUP)
_FOLDS = typer.Option(
    "--folds",
    metavar="N",
    help="Number of stretches to cut the candles into, at least 2: the best combination of each is tried on the next.",
    rich_help_panel=_GROUP,
    show_default=False,
)
# More lines about refused combinations would hide the table.
_MOST_REFUSED = 10
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}


def add(app: typer.Typer) -> None:
    """Add `sweep`."""
    edit = Operation("dca_bots.edit")

    def run(
        *,
        bot_id: int,
        settings: list[str],
        objective: str,
        best: int,
        folds: int | None,
        profile: str | None,
        as_json: bool,
        **values: Any,  # noqa: ANN401
    ) -> int:
        parameters = _parameters(edit, settings)
        # Read first, so that no request is sent if a file can't be read.
        arguments = backtest_options.read(values)
        with exit_codes.decode_errors_of_reads():
            bot = options.client(profile).dca_bots.get(bot_id)
            sweep = botdesk.sweep(bot, parameters=parameters, objective=objective, folds=folds, **arguments)
        if as_json:
            output.show(backtest_json.of_sweep(sweep, best), as_json=True)
        else:
            _print(sweep, best)
        return _exit_code(sweep)

    add_command(
        app,
        "sweep",
        Operation("dca_bots.get"),
        # typer ignores what most commands return; here it is the exit code.
        cast("Any", run),
        option("settings", Annotated[list[str], _SET], inspect.Parameter.empty),
        option("objective", Annotated[str, _OBJECTIVE], "profit"),
        option("best", Annotated[int, _BEST], 10),
        option("folds", Annotated[int | None, _FOLDS], None),
        *backtest_options.parameters(),
        about=_ABOUT,
    )


def _parameters(edit: Operation, settings: list[str]) -> dict[str, list[Any]]:
    """Return the values to try, by the name of the setting."""
    parameters: dict[str, list[Any]] = {}
    for setting in settings:
        name, separator, values = setting.partition("=")
        name = name.strip().removeprefix("--").replace("-", "_")
        if not separator or not name:
            message = f"--set: '{setting}' has no FIELD=; write it as take_profit=1,1.5,2"
            raise typer.BadParameter(message)
        if name in parameters:
            message = f"--set: {name} is there twice; write all its values in one --set"
            raise typer.BadParameter(message)
        # The core reports unknown names.
        type_ = edit.inputs[name].type if name in edit.inputs else InputType.STRING
        parameters[name] = _values(name, type_, values)
    return parameters


def _values(name: str, type_: InputType, values: str) -> list[Any]:
    if not values.lstrip().startswith("["):
        return [_value(type_, value.strip()) for value in values.split(",")]
    try:
        return list(json.loads(values, parse_float=Decimal))
    except ValueError as error:
        message = f"--set: the values of {name} are not JSON: {error}"
        raise typer.BadParameter(message) from error


def _value(type_: InputType, value: str) -> object:
    """Convert a value; the core checks those that stay strings."""
    if value == "null":
        return None
    match type_:
        case InputType.BOOL:
            return _BOOLEANS.get(value.lower(), value)
        case InputType.INTEGER if value.removeprefix("-").isdecimal():
            return int(value)
        case InputType.STRINGS:
            return [value]
        case _:
            return value


def _print(sweep: Sweep, best: int) -> None:
    output.print_lines(repr(sweep.best(best)))
    if sweep.folds:
        output.print_lines(f"\nThe best of each stretch, and the same settings on the next one:\n{sweep.folds!r}")
    for refused in sweep.refused[:_MOST_REFUSED]:
        output.print_lines(output.one_line(f"refused: {_named(refused.parameters)}: {_reasons(refused.errors)}"))
    if (more := len(sweep.refused) - _MOST_REFUSED) > 0:
        typer.echo(f"refused: {more} more; --json has all")


def _named(parameters: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in parameters.items())


def _reasons(errors: dict[str, Any]) -> str:
    return "; ".join(f"{field}: {', '.join(messages)}" for field, messages in errors.items())


def _exit_code(sweep: Sweep) -> int:
    if sweep.interrupted:
        output.print_error(f"interrupted; {len(sweep.missing)} combinations were not run")
        return exit_codes.INTERRUPTED
    if not len(sweep):
        output.print_error("every combination was refused; pass other values with --set")
        return exit_codes.USAGE
    return 0
