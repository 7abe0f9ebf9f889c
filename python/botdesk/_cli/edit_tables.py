"""The commands that write the settings of all records to a file, and edit each record with its row of a file."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from botdesk._cli import edits, exit_codes, help_layout, options, output, writes

if TYPE_CHECKING:
    from collections.abc import Callable

    import botdesk
    from botdesk._cli.operations import Operation

_FILE = typer.Argument(metavar="FILE", help="A .csv or .xlsx file.", show_default=False)
_PREVIEW = typer.Option("--preview", help="Show the changes without sending them.")
_NO_VALIDATE = typer.Option("--no-validate", help="Skip the checks and leave the decision to the service.")


def add(app: typer.Typer, operation: Operation) -> None:
    """Add the commands for the records that an operation edits."""
    for name, about, run in (
        ("export", "export", _export(operation)),
        ("edit-each", "edit_each", _edit_each(operation)),
    ):
        summary = str(getattr(operation.owner, about).__doc__).strip().partition("\n")[0]
        app.command(name, help=summary.replace("`edit_each`", "edit-each"), cls=help_layout.Command)(run)


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
        preview: Annotated[bool, _PREVIEW] = False,
        no_validate: Annotated[bool, _NO_VALIDATE] = False,
        profile: Annotated[str | None, options.PROFILE] = None,
        as_json: Annotated[bool, options.JSON] = False,
        yes: Annotated[bool, options.YES] = False,
    ) -> None:
        resource = operation.of(options.client(profile))
        planned: botdesk.BulkPreview = resource.edit_each(file, preview=True, validate=not no_validate)
        if preview:
            _show(planned, as_json=as_json)
        elif not planned:
            output.print_note("nothing changes: all rows have the values of their records; nothing was sent")
        else:
            options.confirm(lambda: _question(planned, operation.noun), yes=yes)
            result = writes.run_and_show(planned.apply, as_json=as_json)
            raise typer.Exit(exit_codes.of_bulk_result(result))

    return run


def _question(planned: botdesk.BulkPreview, noun: str) -> options.Question:
    # The first line says what it is, and the last one that nothing is sent.
    lines = str(planned).splitlines()[1:-1]
    return options.Question(f"Send these edits of {len(planned)} {noun}s", "", lines)


def _show(planned: botdesk.BulkPreview, *, as_json: bool) -> None:
    if not as_json:
        output.print_lines(str(planned))
        return
    output.show([edits.to_json_types(edit) for edit in planned], as_json=True)
