"""The commands that are more than one operation: the list of all bots, and an edit that can be looked at first."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from botdesk import DcaBotEditPreview, Records
from botdesk._cli import options, output
from botdesk._cli.operations import Operation, command

_ALL = typer.Option("--all", help="Walk over all pages, not only the first.")
_PREVIEW = typer.Option("--preview", help="Show what would change and be sent, and send nothing.")
_NO_VALIDATE = typer.Option("--no-validate", help="Leave the judgement of the rules to the service.")


def _option(name: str, annotation: Any) -> inspect.Parameter:  # noqa: ANN401
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)


def add_list(app: typer.Typer) -> None:
    """Add `bots list`."""
    listing = Operation("dca_bots.list")

    def run(*, every: bool, profile: str | None, as_json: bool, **values: Any) -> None:  # noqa: ANN401
        client = options.client(profile)
        answer = Records(client.dca_bots.iter(**listing.given(values))) if every else listing.call(client, values)
        output.show(answer, as_json=as_json)

    command(app, "list", listing, run, _option("every", Annotated[bool, _ALL]))


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
        changes = editing.given(values)
        if not changes:
            raise typer.BadParameter("nothing is to be changed; give the fields, such as --take-profit 1.5")
        bot = options.client(profile).dca_bots.get(record_id)
        edit = bot.preview_edit(**changes, validate=not no_validate)
        if preview:
            _show(edit, as_json=as_json)
        elif edit.changes:
            if not yes:
                output.tell(repr(edit))
            options.ask("Send it?", yes=yes)
            output.show(edit.apply(), as_json=as_json)
        else:
            output.tell("the bot is so already; nothing was sent")
            output.show(bot, as_json=as_json)

    about = f"{editing.about} With --preview nothing is sent."
    command(
        app,
        "edit",
        editing,
        run,
        _option("preview", Annotated[bool, _PREVIEW]),
        _option("no_validate", Annotated[bool, _NO_VALIDATE]),
        about=about,
    )


def _show(edit: DcaBotEditPreview, *, as_json: bool) -> None:
    if not as_json:
        typer.echo(repr(edit))
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
