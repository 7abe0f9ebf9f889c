"""The command of an operation that reads: it prints the result, or the pages of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from botdesk import Records
from botdesk._cli import options, output
from botdesk._cli.operations import Operation, add_command, option

if TYPE_CHECKING:
    from collections.abc import Callable

_ALL = typer.Option("--all", help="Fetch all pages instead of the first.")


def add(app: typer.Typer, name: str, operation: Operation, *, secrets: bool) -> None:
    """Add the command of an operation that reads; `secrets` prints secrets too."""
    if operation.iterator:
        add_command(app, name, operation, _pages(operation), option("all_pages", Annotated[bool, _ALL], default=False))
    else:
        add_command(app, name, operation, _result(operation, secrets=secrets))


def _result(operation: Operation, *, secrets: bool) -> Callable[..., None]:
    def run(*, profile: str | None, as_json: bool, **values: Any) -> None:  # noqa: ANN401
        result = operation.call(options.client(profile), values)
        output.show(result, as_json=as_json, secrets=secrets)

    return run


def _pages(operation: Operation) -> Callable[..., None]:
    # The last word of `dca_bots` or of `profits`.
    empty = f"no {(operation.resource if operation.method == 'list' else operation.method).rpartition('_')[2]}"

    def run(*, all_pages: bool, profile: str | None, as_json: bool, **values: Any) -> None:  # noqa: ANN401
        client = options.client(profile)
        if all_pages:
            records = Records(operation.call(client, values, operation.iterator))
        else:
            records = operation.call(client, values)
        output.show_page(records, as_json=as_json, empty=empty)

    return run
