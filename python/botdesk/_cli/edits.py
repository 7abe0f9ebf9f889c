"""Edits that can be looked at first: what `bots edit` and `grid edit` share, and `grid edit`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk._cli import options, output
from botdesk._cli.operations import Operation, command

if TYPE_CHECKING:
    from collections.abc import Callable

    from botdesk import EditPreview

_PREVIEW = typer.Option("--preview", help="Show what would change and be sent, and send nothing.")
_NO_VALIDATE = typer.Option("--no-validate", help="Leave the judgement of the rules to the service.")


def option(name: str, annotation: Any) -> inspect.Parameter:  # noqa: ANN401
    """Give the parameter of a command that is either there or not."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)


def add(app: typer.Typer, editing: Operation, run: Callable[..., None]) -> None:
    """Add the command of an edit, with the options that all edits have."""
    preview = option("preview", Annotated[bool, _PREVIEW])
    no_validate = option("no_validate", Annotated[bool, _NO_VALIDATE])
    command(app, "edit", editing, run, preview, no_validate, about=f"{editing.about} With --preview nothing is sent.")


def changes(editing: Operation, values: dict[str, Any]) -> dict[str, Any]:
    """Give what is to be changed; there has to be something."""
    given = editing.given(values)
    if not given:
        raise typer.BadParameter("nothing is to be changed; give the fields, such as --take-profit 1.5")
    return given


def show(edit: EditPreview, told: str, *, as_json: bool) -> None:
    """Print a preview: as it is told to people, or as JSON."""
    if not as_json:
        typer.echo(told)
        return
    shown = {
        "changes": {field: {"old": old, "new": new} for field, old, new in edit.changes},
        "carried_over": edit.carried_over,
        "left_out": edit.left_out,
        "method": edit.method,
        "path": edit.path,
        "body": edit.body,
    }
    output.show(shown, as_json=True)


def add_grid(app: typer.Typer) -> None:
    """Add `grid edit`."""
    editing = Operation("grid_bots.edit")

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
        given = changes(editing, values)
        edit = client.grid_bots.preview_edit(record_id, **given, validate=not no_validate)
        if preview:
            # What the bot holds now is not known, so that there is nothing to compare with.
            show(edit, f"{edit.method} {edit.path}\n{edit.body}", as_json=as_json)
            return
        options.ask(lambda: editing.question(client, {"record_id": record_id, **values}), yes=yes)
        output.show(edit.apply(), as_json=as_json)

    add(app, editing, run)
