"""The commands of DCA bots that do more than one operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk import BulkInterrupted, Records
from botdesk._cli import edits, exit_codes, options, output
from botdesk._cli.operations import Operation, add_command
from botdesk._native import _edit_lines, _take_last_write

if TYPE_CHECKING:
    from botdesk import BulkResult

_ALL = typer.Option("--all", help="Fetch all pages instead of the first.")


def add_list(app: typer.Typer) -> None:
    """Add `bots list`."""
    operation = Operation("dca_bots.list")

    def run(*, all_pages: bool, profile: str | None, as_json: bool, **values: Any) -> None:  # noqa: ANN401
        client = options.client(profile)
        bots = (
            Records(client.dca_bots.iter(**operation.arguments(values)))
            if all_pages
            else operation.call(client, values)
        )
        output.show_page(bots, as_json=as_json)

    add_command(app, "list", operation, run, edits.flag("all_pages", Annotated[bool, _ALL]))


def add_edit(app: typer.Typer) -> None:
    """Add `bots edit`."""
    operation = Operation("dca_bots.edit")

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
        changes = edits.changes(operation, values)
        bot = options.client(profile).dca_bots.get(record_id)
        edit = bot.preview_edit(**changes, validate=not no_validate)
        if preview:
            edits.show(edit, repr(edit), as_json=as_json)
        elif edit.changes:
            options.confirm(lambda: edits.question(edit), yes=yes)
            done = edit.apply()
            if as_json:
                output.show(done, as_json=True)
            else:
                record, lines, _ = _edit_lines(edit)
                edits.show_done(record, edit.destination, lines)
            edits.show_differences(done, changes)
        else:
            output.print_note("nothing changes: the bot already has these values; nothing was sent")
            if as_json:
                output.show(bot, as_json=True)

    edits.add(app, operation, run)


def add_many(app: typer.Typer, name: str, operation_name: str, prompt: str, done: str) -> None:
    """Add a command for one bot or several."""
    operation = Operation(operation_name, several=True, prompt=prompt, done=done)

    def run(*, record_ids: list[int], profile: str | None, as_json: bool, yes: bool) -> None:
        client = options.client(profile)
        options.confirm(lambda: operation.question(client, {"record_ids": record_ids}), yes=yes)
        if len(record_ids) == 1:
            operation.call_and_show(client, {"record_id": record_ids[0]}, as_json=as_json)
            return
        try:
            result = operation.call_many(client, record_ids)
        except BulkInterrupted as interrupted:
            _show(interrupted.result, as_json=as_json)
            # The outcomes of all writes are printed, so that nothing else has to be said about them.
            _take_last_write()
            raise
        _show(result, as_json=as_json)
        raise typer.Exit(exit_codes.of_bulk_result(result))

    add_command(app, name, operation, run)


def _show(result: BulkResult[Any], *, as_json: bool) -> None:
    """Print the outcome of each bot."""
    if not as_json:
        output.print_lines(str(result))
        return
    items = [
        {
            "id": item.id,
            "outcome": item.status,
            "error": None if item.error is None else str(item.error),
            "record": output.to_json_types(item.record),
        }
        for item in result
    ]
    output.show(items, as_json=True)
