"""The commands that edit many records: with a row of a file each, or all alike; and the files for that."""

from __future__ import annotations

import inspect
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk._cli import edits, exit_codes, help_layout, options, output, writes
from botdesk._cli.operations import InputType, Operation, option
from botdesk._native import _destination
from botdesk._tables.cells import is_calculation

if TYPE_CHECKING:
    from collections.abc import Callable

    import botdesk

_FILE = typer.Argument(metavar="FILE", help="A .csv or .xlsx file.", show_default=False)
_PREVIEW = typer.Option("--preview", help="Show the changes without sending them.")
_PLAN = typer.Option(
    "--plan",
    metavar="PLAN",
    help="Write the new values to this file first. After an interruption, edit-each PLAN sends the rest, and no "
    "calculation twice.",
    show_default=False,
)
_NAME = typer.Option(
    "--name",
    help="Name of rows without one; {pair}, {strategy} and {n} are replaced.",
    show_default=False,
)
_LIKE = typer.Option("--like", metavar="ID", help="The bot whose settings the new ones have.", show_default=False)
_SKIP = typer.Option("--skip-existing", help="Leave out rows whose bot exists, such as to continue.")
# The arguments of `edit_many` that add and remove pairs.
_PAIRS = {
    "add_pairs": "Pairs to add to those of each bot, with commas between them.",
    "remove_pairs": "Pairs to remove from those of each bot, with commas between them.",
}
_NO_VALIDATE = typer.Option("--no-validate", help="Skip the checks and leave the decision to the service.")


def add(app: typer.Typer, operation: Operation) -> None:
    """Add the commands for the records that an operation edits."""
    for name, about, run in (
        ("export", "export", _export(operation)),
        ("edit-each", "edit_each", _edit_each(operation)),
    ):
        summary = str(getattr(operation.owner, about).__doc__).strip().partition("\n")[0]
        app.command(name, help=summary.replace("`edit_each`", "edit-each"), cls=help_layout.Command)(run)
    if hasattr(operation.owner, "edit_many"):
        _add_edit_many(app, operation)
    if hasattr(operation.owner, "create_each"):
        summary = "Create many DCA bots, each with the settings of its row in a file. None is enabled."
        app.command("create-each", help=summary, cls=help_layout.Command)(_create_each(operation))


def _export(operation: Operation) -> Callable[..., None]:
    def run(
        *,
        file: Annotated[Path, _FILE],
        profile: Annotated[str | None, options.PROFILE] = None,
        as_json: Annotated[bool, options.JSON] = False,
    ) -> None:
        count = operation.of(options.client(profile)).export(file)
        if as_json:
            output.show({"file": str(file), "records": count}, as_json=True)
        else:
            output.print_lines(output.one_line(f"{count} {operation.noun}s written to {file}"))

    return run


def _edit_each(operation: Operation) -> Callable[..., None]:
    def run(
        *,
        file: Annotated[Path, _FILE],
        plan: Annotated[Path | None, _PLAN] = None,
        preview: Annotated[bool, _PREVIEW] = False,
        no_validate: Annotated[bool, _NO_VALIDATE] = False,
        profile: Annotated[str | None, options.PROFILE] = None,
        as_json: Annotated[bool, options.JSON] = False,
        yes: Annotated[bool, options.YES] = False,
    ) -> None:
        resource = operation.of(options.client(profile))
        planned: botdesk.BulkPreview = resource.edit_each(file, preview=True, validate=not no_validate)
        if plan is not None:
            planned.export(plan)
        _send(planned, operation.noun, preview=preview, as_json=as_json, yes=yes)

    return run


def _send(planned: botdesk.BulkPreview, noun: str, *, preview: bool, as_json: bool, yes: bool) -> None:
    """Show a preview, or send it after a question."""
    if preview:
        _show(planned, as_json=as_json)
    elif not planned:
        _say_nothing("nothing changes: all records have these values; nothing was sent", as_json=as_json)
    else:
        options.confirm(lambda: _question(planned, noun), yes=yes)
        result = writes.run_and_show(planned.apply, as_json=as_json)
        raise typer.Exit(exit_codes.of_bulk_result(result))


def _add_edit_many(app: typer.Typer, operation: Operation) -> None:
    """Add the command that edits records alike; numbers may be calculations."""
    # A calculation is text.
    inputs = {
        name: each._replace(type=InputType.DECIMAL) if each.type is InputType.INTEGER else each
        for name, each in operation.inputs.items()
    }
    known = inspect.signature(getattr(operation.owner, "edit_many")).parameters  # noqa: B009 - mypy knows no class
    pairs = {name: about for name, about in _PAIRS.items() if name in known}

    def run(*, ids: list[int], preview: bool, no_validate: bool, **values: Any) -> None:  # noqa: ANN401
        arguments = {
            name: inputs[name].parse(given) for name, given in values.items() if name in inputs and given is not None
        }
        for name, value in arguments.items():
            if operation.inputs[name].type is InputType.INTEGER and not is_calculation(value):
                arguments[name] = _integer(name, value)
        arguments |= {name: str(values[name]).split(",") for name in pairs if values[name]}
        if not arguments:
            raise typer.BadParameter("no changes given; pass at least one field, such as --take-profit 1.5")
        many = operation.of(options.client(values["profile"])).edit_many
        planned = many(ids, preview=True, validate=not no_validate, **arguments)
        _send(planned, operation.noun, preview=preview, as_json=values["as_json"], yes=values["yes"])

    fields = [
        each.parameter(positional=False, required=False, group=help_layout.group_of_field(name))
        for name, each in inputs.items()
    ]
    declared = {
        name: Annotated[
            str | None, typer.Option(f"--{name.replace('_', '-')}", metavar="PAIR,…", help=about, show_default=False)
        ]
        for name, about in pairs.items()
    }
    parameters = [
        inspect.Parameter("ids", inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[list[int], options.IDENTIFIERS]),
        *(option(name, annotation, None) for name, annotation in declared.items()),
        *fields,
        option("preview", Annotated[bool, _PREVIEW], default=False),
        option("no_validate", Annotated[bool, _NO_VALIDATE], default=False),
        option("profile", Annotated[str | None, options.PROFILE], None),
        option("as_json", Annotated[bool, options.JSON], default=False),
        option("yes", Annotated[bool, options.YES], default=False),
    ]
    # typer reads the parameters from the signature.
    setattr(run, "__signature__", inspect.Signature(parameters))  # noqa: B010 - a function has no such attribute yet
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    about = f"Edit many {operation.noun}s alike. A number may be a calculation with each one's own: '*1.1' or '+5'."
    app.command("edit-many", help=about, cls=help_layout.Command)(run)


def _integer(name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        message = (
            f"--{name.replace('_', '-')}: {output.one_line(value)} is no whole number and no calculation such as '+1'"
        )
        raise typer.BadParameter(message) from None


def _create_each(operation: Operation) -> Callable[..., None]:
    def run(
        *,
        file: Annotated[Path, _FILE],
        like: Annotated[int | None, _LIKE] = None,
        name: Annotated[str | None, _NAME] = None,
        skip_existing: Annotated[bool, _SKIP] = False,
        preview: Annotated[bool, _PREVIEW] = False,
        profile: Annotated[str | None, options.PROFILE] = None,
        as_json: Annotated[bool, options.JSON] = False,
        yes: Annotated[bool, options.YES] = False,
    ) -> None:
        client = options.client(profile)
        planned = operation.of(client).create_each(file, like=like, name=name, skip_existing=skip_existing)
        if preview and as_json:
            output.show([{"body": each.body, "warnings": each.warnings} for each in planned], as_json=True)
        elif preview:
            output.print_lines(str(planned))
        elif not planned:
            _say_nothing("nothing to create; nothing was sent", as_json=as_json)
        else:
            lines = str(planned).splitlines()[1:-1]
            what = "Create this DCA bot" if len(planned) == 1 else f"Create these {len(planned)} DCA bots"
            options.confirm(lambda: options.Question(what, _destination(client), lines), yes=yes)
            result = writes.run_and_show(planned.create, as_json=as_json)
            raise typer.Exit(exit_codes.of_bulk_result(result))

    return run


def _say_nothing(why: str, *, as_json: bool) -> None:
    output.print_note(why)
    if as_json:
        output.show([], as_json=True)


def _question(planned: botdesk.BulkPreview, noun: str) -> options.Question:
    # The first line says what it is, and the last one that nothing is sent.
    lines = str(planned).splitlines()[1:-1]
    return options.Question(f"Send these edits of {len(planned)} {noun}s", "", lines)


def _show(planned: botdesk.BulkPreview, *, as_json: bool) -> None:
    if not as_json:
        output.print_lines(str(planned))
        return
    output.show([edits.to_json_types(edit) for edit in planned], as_json=True)
