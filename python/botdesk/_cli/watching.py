"""The command that watches bots."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk._cli import exits, options, output
from botdesk._cli.operations import Operation, command
from botdesk._native import _without_secrets

if TYPE_CHECKING:
    from botdesk import DcaBotChange, DcaBotWatch

_EVERY = typer.Option("--every", metavar="SECONDS", help="How often to poll; 1 or more.")
_NO_DEALS = typer.Option("--no-deals", help="Leave the deals out; a poll only reads the list then.")
_STATE = typer.Option(
    "--state", metavar="FILE", help="Go on from this file where it is there, and keep in it what is known."
)


def _option(name: str, annotation: Any, default: object) -> inspect.Parameter:  # noqa: ANN401
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def add_watch(app: typer.Typer) -> None:
    """Add `bots watch`."""
    listing = Operation("dca_bots.list", "watch")

    def run(
        *,
        seconds: float,
        no_deals: bool,
        state: Path | None,
        profile: str | None,
        as_json: bool,
        **values: Any,  # noqa: ANN401
    ) -> None:
        dca_bots = options.client(profile).dca_bots
        since = state if state is not None and state.expanduser().exists() else None
        with (
            exits.of_reads(),
            dca_bots.watch(
                every=seconds,
                deals=not no_deals,
                since=since,
                on_error=lambda error: output.complain(str(error)),
                **listing.given(values),
            ) as watch,
        ):
            _show(watch.poll(), watch, state, as_json=as_json)
            for change in watch:
                _show([change], watch, state, as_json=as_json)

    command(
        app,
        "watch",
        listing,
        run,
        _option("seconds", Annotated[float, _EVERY], 30.0),
        _option("no_deals", Annotated[bool, _NO_DEALS], default=False),
        _option("state", Annotated[Path | None, _STATE], None),
        about="Print what changes at DCA bots and their deals, as it changes, until Ctrl-C.",
    )


def _show(changes: list[DcaBotChange], watch: DcaBotWatch, state: Path | None, *, as_json: bool) -> None:
    for change in changes:
        typer.echo(_without_secrets(output.dumps(_told(change))) if as_json else _line(change))
    # What was not printed, because somebody closed the pipe, is told again by the next run.
    if state is not None:
        watch.save(state)


def _line(change: DcaBotChange) -> str:
    told = repr(change).removeprefix("<DcaBotChange ").removesuffix(">")
    return f"{change.at:%Y-%m-%d %H:%M:%S} {told}"


def _told(change: DcaBotChange) -> dict[str, Any]:
    deal = change.deal
    # A name that can't be read is shown as it came; a change must not be lost for it.
    of_deal = {} if deal is None else {"deal_id": deal.id, "pair": deal.to_dict().get("pair")}
    fields = {name: {"old": field.old, "new": field.new} for name, field in change.fields.items()}
    of_bot = {"kind": change.kind, "at": change.at.isoformat(), "bot_id": change.bot.id}
    name = change.bot.to_dict().get("name")
    return {**of_bot, "name": name, **of_deal, "fields": fields}
