"""The parts that `bots edit` and `grid edit` share, and `grid edit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk._cli import options, output
from botdesk._cli.operations import Operation, add_command, option
from botdesk._native import _edit_lines
from botdesk.errors import BotdeskError

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable, Iterable

    from botdesk import DcaBot, EditPreview

_PREVIEW = typer.Option("--preview", help="Show the changes and the request without sending it.")
_NO_VALIDATE = typer.Option("--no-validate", help="Skip the checks and leave the decision to the service.")


def flag(name: str, annotation: Any) -> inspect.Parameter:  # noqa: ANN401
    """Return the parameter of an option without a value."""
    return option(name, annotation, default=False)


def add(app: typer.Typer, operation: Operation, run: Callable[..., None]) -> None:
    """Add the command of an edit, with the options that all edits have."""
    preview = flag("preview", Annotated[bool, _PREVIEW])
    no_validate = flag("no_validate", Annotated[bool, _NO_VALIDATE])
    add_command(
        app, "edit", operation, run, preview, no_validate, about=f"{operation.about} With --preview, send nothing."
    )


def changes(operation: Operation, values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields to change; at least one is required."""
    arguments = operation.arguments(values)
    if not arguments:
        raise typer.BadParameter("no changes given; pass at least one field, such as --take-profit 1.5")
    return arguments


def show(edit: EditPreview, description: str, *, as_json: bool) -> None:
    """Print a preview: its description, or JSON."""
    if not as_json:
        output.print_lines(description)
        return
    preview = {
        "destination": edit.destination,
        "changes": {field: {"old": old, "new": new} for field, old, new in edit.changes},
        "warnings": edit.warnings,
        "carried_over": edit.carried_over,
        "left_out": edit.left_out,
        "method": edit.method,
        "path": edit.path,
        "body": edit.body,
    }
    output.show(preview, as_json=True)


def question(edit: EditPreview) -> options.Question:
    """Return the question before an edit: the record and where the edit goes, then what it changes and what stays."""
    record, changes, _ = _edit_lines(edit)
    warnings = [f"! {warning}" for warning in edit.warnings]
    unchanged = f"{len(edit.carried_over)} fields are sent unchanged, {len(edit.left_out)} are left out"
    details = [*(f"  {change}" for change in changes), *warnings, f"{unchanged}; --preview names them"]
    return options.Question(f"Send this edit of {record}", edit.destination, details)


def show_done(record: str, destination: str, changes: Iterable[str]) -> None:
    """Print what an edit changed."""
    output.print_lines("\n".join([f"Edited {record} at {destination}", *(f"  {change}" for change in changes)]))


def show_differences(bot: DcaBot, changes: dict[str, Any]) -> None:
    """Print the changes that the service did not make, according to the record that it returned."""
    try:
        missing = bot.preview_edit(**changes, validate=False).changes
    except BotdeskError as error:
        output.print_note(f"the edit succeeded, but its response can't be compared with it: {error}")
        return
    returned = bot.to_dict()
    for field, actual, sent in missing:
        if field in returned:
            output.print_note(output.one_line(f"the service returned {field}={actual}, not {sent}"))


def add_grid(app: typer.Typer) -> None:
    """Add `grid edit`."""
    operation = Operation("grid_bots.edit", prompt="Edit {}")

    def run(
        *,
        record_id: int,
        preview: bool,
        no_validate: bool,
        profile: str | None,
        as_json: bool,
        yes: bool,
        **values: Any,  # noqa: ANN401
    ) -> None:
        client = options.client(profile)
        edit = client.grid_bots.preview_edit(record_id, **changes(operation, values), validate=not no_validate)
        if preview:
            # botdesk can't read a grid bot yet, so the old values are unknown.
            show(edit, f"{edit.method} {edit.path}\nat {edit.destination}\n{edit.body}", as_json=as_json)
            return
        options.confirm(lambda: operation.question(client, {"record_id": record_id, **values}), yes=yes)
        done = edit.apply()
        if as_json:
            output.show(done, as_json=True)
        else:
            # The old values are unknown, so each change is the value that was sent.
            sent = [output.one_line(f"{change.field}: {change.new}") for change in edit.changes]
            show_done(f"{operation.noun} {record_id}", edit.destination, sent)

    add(app, operation, run)
