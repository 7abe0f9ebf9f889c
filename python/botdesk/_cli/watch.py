"""`botdesk bots watch`, and the like for each resource whose records are watched."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from botdesk._cli import exit_codes, options, output
from botdesk._cli.operations import Operation, add_command, option
from botdesk._native import _rate_limit

_EVERY = typer.Option("--every", metavar="SECONDS", help="The time between polls, at least 1.")
_STATE = "Continue from the state in this file if it exists, and save the state to it."


def add_watch(app: typer.Typer, resource: str) -> None:
    """Add the command that watches the records of a resource."""
    operation = Operation(f"{resource}.list", "watch")
    nested = operation.switches
    several = operation.about.removeprefix("Watch ").partition(":")[0]

    def run(
        *,
        seconds: float,
        state_file: Path | None,
        profile: str | None,
        as_json: bool,
        **values: Any,  # noqa: ANN401
    ) -> None:
        requests = _Counter()
        client = options.client(profile).with_options(on_request=requests.add)
        since = state_file if state_file is not None and options.exists(state_file) else None
        left_out = [name for name in nested if values[f"no_{name}"]]
        with (
            exit_codes.decode_errors_of_reads(),
            operation.of(client).watch(
                every=seconds,
                since=since,
                on_error=_print_error,
                **dict.fromkeys(left_out, False),
                **operation.arguments(values),
            ) as watch,
        ):
            _show(watch.poll(), watch, state_file, resource, as_json=as_json)
            if note := _slower(requests.count, _rate_limit(client), seconds):
                fewer = [f"--no-{name}" for name in nested if name not in left_out]
                output.print_note("; ".join([note, *(f"{option} takes fewer requests" for option in fewer)]))
            if sys.stderr.isatty():
                output.print_note("watching; each change is a line, until Ctrl-C")
            for change in watch:
                _show([change], watch, state_file, resource, as_json=as_json)

    parts = "".join(f" and their {name}" for name in nested)
    add_command(
        app,
        "watch",
        operation,
        run,
        option("seconds", Annotated[float, _EVERY], 30.0),
        *(option(f"no_{name}", Annotated[bool, _without(name, str(app.info.name))], default=False) for name in nested),
        option("state_file", Annotated[Path | None, _state_file(operation)], None),
        about=f"Print the changes of {several}{parts} until Ctrl-C.",
    )


def _state_file(operation: Operation) -> Any:  # noqa: ANN401 - typer's options have no type
    # A filter of the list has the name first.
    name = "--state-file" if "state" in operation.inputs else "--state"
    return typer.Option(name, metavar="FILE", help=_STATE)


def _without(nested: str, several: str) -> Any:  # noqa: ANN401 - typer's options have no type
    return typer.Option(f"--no-{nested}", help=f"Watch only the {several}; a poll then only fetches the list.")


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


def _show(changes: list[Any], watch: Any, state: Path | None, resource: str, *, as_json: bool) -> None:  # noqa: ANN401
    for change in changes:
        if as_json:
            output.print_json(_to_dict(change, resource))
        else:
            output.print_lines(_line(change))
    # Saved after printing: if the reader closes the pipe, the next run prints these changes again.
    if state is not None:
        watch.save(state)


def _print_error(error: Exception) -> None:
    output.print_error(str(error))


def _line(change: Any) -> str:  # noqa: ANN401
    description = repr(change).removeprefix(f"<{type(change).__name__} ").removesuffix(">")
    return f"{change.at:%Y-%m-%d %H:%M:%S} {description}"


def _to_dict(change: Any, resource: str) -> dict[str, Any]:  # noqa: ANN401
    record, nested = change.record, change._nested  # noqa: SLF001
    (id_name,) = Operation(f"{resource}.get").ids
    # `to_dict` never raises, so a name that can't be read does not lose the change.
    label = "name" if "name" in dir(record) else "pair"
    of_record = {
        "kind": change.kind,
        "at": change.at.isoformat(),
        id_name: record.id,
        label: record.to_dict().get(label),
    }
    of_nested: dict[str, Any] = {}
    if nested is not None:
        of_nested = {f"{type(nested).__name__.lower()}_id": nested.id, "pair": nested.to_dict().get("pair")}
    fields = {name: {"old": field.old, "new": field.new} for name, field in change.fields.items()}
    return {**of_record, **of_nested, "fields": fields}
