"""The commands of DCA bots that are more than one operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk import BulkInterrupted, Records
from botdesk._cli import edits, exits, options, output
from botdesk._cli.operations import Operation, command

if TYPE_CHECKING:
    from botdesk import BulkResult

_ALL = typer.Option("--all", help="Walk over all pages, not only the first.")


def add_list(app: typer.Typer) -> None:
    """Add `bots list`."""
    listing = Operation("dca_bots.list")

    def run(*, every: bool, profile: str | None, as_json: bool, **values: Any) -> None:  # noqa: ANN401
        client = options.client(profile)
        answer = Records(client.dca_bots.iter(**listing.given(values))) if every else listing.call(client, values)
        output.show(answer, as_json=as_json, none="no bots")

    command(app, "list", listing, run, edits.option("every", Annotated[bool, _ALL]))


def add_edit(app: typer.Typer) -> None:
    """Add `bots edit`."""
    editing = Operation("dca_bots.edit")

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
        given = edits.changes(editing, values)
        bot = options.client(profile).dca_bots.get(record_id)
        edit = bot.preview_edit(**given, validate=not no_validate)
        if preview:
            edits.show(edit, repr(edit), as_json=as_json)
        elif edit.changes:
            if not yes:
                output.tell(repr(edit))
            options.ask(lambda: "Send it?", yes=yes)
            output.show(edit.apply(), as_json=as_json)
        else:
            output.tell("the bot is so already; nothing was sent")
            output.show(bot, as_json=as_json)

    edits.add(app, editing, run)


def add_many(app: typer.Typer, name: str, operation: str) -> None:
    """Add a command that does the same to one bot or to several."""
    asked = Operation(operation, several=True)

    def run(*, record_ids: list[int], profile: str | None, as_json: bool, yes: bool) -> None:
        client = options.client(profile)
        options.ask(lambda: asked.question(client, {"record_ids": record_ids}), yes=yes)
        if len(record_ids) == 1:
            output.show(asked.call(client, {"record_id": record_ids[0]}), as_json=as_json)
            return
        try:
            result = asked.call_many(client, record_ids)
        except BulkInterrupted as interrupted:
            _show(interrupted.result, as_json=as_json)
            raise
        _show(result, as_json=as_json)
        raise typer.Exit(exits.of_many(result))

    command(app, name, asked, run)


def _show(result: BulkResult[Any], *, as_json: bool) -> None:
    """Print what became of each bot."""
    if not as_json:
        typer.echo(str(result))
        return
    each = [
        {
            "id": item.id,
            "outcome": item.status,
            "error": None if item.error is None else str(item.error),
            "record": output.plain(item.record),
        }
        for item in result
    ]
    output.show(each, as_json=True)
