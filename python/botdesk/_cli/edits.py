"""The command of an edit: it shows the changes before it sends them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk._cli import options, output
from botdesk._cli.operations import Operation, add_command, option, option_name
from botdesk._native import _edit_lines
from botdesk.errors import BotdeskError

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable, Iterable

    from botdesk import EditPreview

_PREVIEW = typer.Option("--preview", help="Show the changes and the request without sending it.")
_NO_VALIDATE = typer.Option("--no-validate", help="Skip the checks and leave the decision to the service.")


def flag(name: str, annotation: Any) -> inspect.Parameter:  # noqa: ANN401
    """Return the parameter of an option without a value."""
    return option(name, annotation, default=False)


def add(app: typer.Typer, name: str, operation: Operation) -> None:
    """Add the command of an edit."""
    preview = flag("preview", Annotated[bool, _PREVIEW])
    no_validate = flag("no_validate", Annotated[bool, _NO_VALIDATE])
    about = f"{operation.about} With --preview, send nothing."
    add_command(app, name, operation, _edit(operation), preview, no_validate, about=about)


def _edit(operation: Operation) -> Callable[..., None]:
    """Return the command of an edit that shows the old values."""

    def run(
        *,
        preview: bool,
        no_validate: bool,
        profile: str | None,
        as_json: bool,
        yes: bool,
        **values: Any,  # noqa: ANN401
    ) -> None:
        changes = changes_of(operation, values)
        record = operation.of(options.client(profile)).get(*operation.ids_of(values))
        edit = record.preview_edit(**changes, validate=not no_validate)
        if preview:
            show(edit, repr(edit), as_json=as_json)
        elif edit.changes:
            options.confirm(lambda: question(edit), yes=yes)
            _apply(edit, changes, as_json=as_json)
        else:
            # The last word of `DCA bot`.
            noun = operation.noun.rpartition(" ")[2]
            output.print_note(f"nothing changes: the {noun} already has these values; nothing was sent")
            if as_json:
                output.show(record, as_json=True)

    return run


def _apply(edit: Any, changes: dict[str, Any], *, as_json: bool) -> None:  # noqa: ANN401
    done = edit.apply()
    if as_json:
        output.show(done, as_json=True)
    else:
        record, lines, _ = _edit_lines(edit)
        show_done(record, edit.destination, lines)
    show_differences(done, changes)


def changes_of(operation: Operation, values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields to change; at least one is required."""
    arguments = operation.arguments(values)
    if not arguments:
        inputs = operation.inputs
        example = "--take-profit 1.5" if "take_profit" in inputs else option_name(next(iter(inputs)))
        raise typer.BadParameter(f"no changes given; pass at least one field, such as {example}")
    return arguments


def show(edit: EditPreview, description: str, *, as_json: bool) -> None:
    """Print a preview: its description, or JSON."""
    if not as_json:
        output.print_lines(description)
        return
    output.show(to_json_types(edit), as_json=True)


def to_json_types(edit: EditPreview) -> dict[str, Any]:
    """Return what `--json` prints of a preview."""
    return {
        "destination": edit.destination,
        "changes": {field: {"old": old, "new": new} for field, old, new in edit.changes},
        "warnings": edit.warnings,
        "carried_over": edit.carried_over,
        "left_out": edit.left_out,
        "method": edit.method,
        "path": edit.path,
        "body": edit.body,
    }


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


def show_differences(record: Any, changes: dict[str, Any]) -> None:  # noqa: ANN401
    """Print the changes that the service did not make, according to the record that it returned."""
    try:
        missing = record.preview_edit(**changes, validate=False).changes
    except BotdeskError as error:
        output.print_note(f"the edit succeeded, but its response can't be compared with it: {error}")
        return
    returned = record.to_dict()
    for field, actual, sent in missing:
        if field in returned:
            output.print_note(output.one_line(f"the service returned {field}={actual}, not {sent}"))
