"""`botdesk bots watch`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk._cli import exit_codes, options, output
from botdesk._cli.operations import Operation, add_command, option
from botdesk._native import _rate_limit

if TYPE_CHECKING:
    from botdesk import DcaBotChange, DcaBotWatch

_EVERY = typer.Option("--every", metavar="SECONDS", help="The time between polls, at least 1.")
_NO_DEALS = typer.Option("--no-deals", help="Watch only the bots; a poll then only fetches the list.")
_STATE = typer.Option(
    "--state", metavar="FILE", help="Continue from the state in this file if it exists, and save the state to it."
)


def add_watch(app: typer.Typer) -> None:
    """Add `bots watch`."""
    operation = Operation("dca_bots.list", "watch")

    def run(
        *,
        seconds: float,
        no_deals: bool,
        state: Path | None,
        profile: str | None,
        as_json: bool,
        **values: Any,  # noqa: ANN401
    ) -> None:
        requests = _Counter()
        client = options.client(profile).with_options(on_request=requests.add)
        dca_bots = client.dca_bots
        since = state if state is not None and options.exists(state) else None
        with (
            exit_codes.decode_errors_of_reads(),
            dca_bots.watch(
                every=seconds,
                deals=not no_deals,
                since=since,
                on_error=lambda error: output.print_error(str(error)),
                **operation.arguments(values),
            ) as watch,
        ):
            _show(watch.poll(), watch, state, as_json=as_json)
            if note := _slower(requests.count, _rate_limit(client), seconds):
                output.print_note(note if no_deals else f"{note}; --no-deals takes fewer requests")
            if sys.stderr.isatty():
                output.print_note("watching; each change is a line, until Ctrl-C")
            for change in watch:
                _show([change], watch, state, as_json=as_json)

    add_command(
        app,
        "watch",
        operation,
        run,
        option("seconds", Annotated[float, _EVERY], 30.0),
        option("no_deals", Annotated[bool, _NO_DEALS], default=False),
        option("state", Annotated[Path | None, _STATE], None),
        about="Print the changes of DCA bots and their deals until Ctrl-C.",
    )


class _Counter:
    """Counts the requests of a client."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, _: object) -> None:
        self.count += 1


def _slower(requests: int, limit: tuple[int, float] | None, seconds: float) -> str | None:
    """Say that polls can't come as often as wanted, because the rate limit allows fewer requests; None if they can."""
    if limit is None or (least := requests * limit[1] / limit[0]) <= seconds:
        return None
    most, period = limit
    return (
        f"a poll takes {requests} requests, and the rate limit allows {most} in {period:g} s; polls come about every "
        f"{least:.1f} s, not every {seconds:g} s"
    )


def _show(changes: list[DcaBotChange], watch: DcaBotWatch, state: Path | None, *, as_json: bool) -> None:
    for change in changes:
        if as_json:
            output.print_json(_to_dict(change))
        else:
            output.print_lines(_line(change))
    # Saved after printing: if the reader closes the pipe, the next run prints these changes again.
    if state is not None:
        watch.save(state)


def _line(change: DcaBotChange) -> str:
    description = repr(change).removeprefix("<DcaBotChange ").removesuffix(">")
    return f"{change.at:%Y-%m-%d %H:%M:%S} {description}"


def _to_dict(change: DcaBotChange) -> dict[str, Any]:
    deal = change.deal
    # `to_dict` never raises, so a name that can't be read does not lose the change.
    of_deal = {} if deal is None else {"deal_id": deal.id, "pair": deal.to_dict().get("pair")}
    fields = {name: {"old": field.old, "new": field.new} for name, field in change.fields.items()}
    of_bot = {"kind": change.kind, "at": change.at.isoformat(), "bot_id": change.bot.id}
    name = change.bot.to_dict().get("name")
    return {**of_bot, "name": name, **of_deal, "fields": fields}
