"""Runs the steps of a sync with a client, blocking or not."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from botdesk._archive import store, syncing
from botdesk._archive.results import SyncReport
from botdesk._native import _client_facts
from botdesk.errors import NotFoundError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Generator
    from pathlib import Path

    from botdesk import Client


def sync(path: Path, connect: Callable[[], sqlite3.Connection], client: Client, *, complete: bool) -> SyncReport:
    """Run a sync, blocking."""
    report = SyncReport()
    with (
        store.errors_of(path),
        store.sole_writer(path),
        _steps(connect(), _owner(client), report, complete=complete) as steps,
    ):
        request = next(steps, None)
        while request is not None:
            try:
                records = _method(client, request, "")(*request.ids, **request.inputs)
            except NotFoundError as error:
                request = _next(report, steps.throw, error)
            else:
                request = _next(report, steps.send, records)
    return report


async def sync_async(
    path: Path, connect: Callable[[], sqlite3.Connection], client: Client, *, complete: bool
) -> SyncReport:
    """Run a sync in a coroutine."""
    report = SyncReport()
    with (
        store.errors_of(path),
        store.sole_writer(path),
        _steps(connect(), _owner(client), report, complete=complete) as steps,
    ):
        request = next(steps, None)
        while request is not None:
            try:
                records = await _method(client, request, "_async")(*request.ids, **request.inputs)
            except NotFoundError as error:
                request = _next(report, steps.throw, error)
            else:
                request = _next(report, steps.send, records)
    return report


@contextmanager
def _steps(
    connection: sqlite3.Connection, owner: tuple[str, str], report: SyncReport, *, complete: bool
) -> Generator[syncing.Steps]:
    steps = syncing.steps(connection, *owner, report, complete=complete)
    try:
        yield steps
    finally:
        steps.close()


def _next(report: SyncReport, go_on: Callable[[Any], syncing.Request], outcome: object) -> syncing.Request | None:
    """Return the next request after the records or the error of the last one; None at the end."""
    report.requests += 1
    try:
        return go_on(outcome)
    except StopIteration:
        return None


def _method(client: Client, request: syncing.Request, suffix: str) -> Any:  # noqa: ANN401
    resource, _, method = request.operation.partition(".")
    return getattr(getattr(client, resource), method + suffix)


def _owner(client: Client) -> tuple[str, str]:
    """Return the base URL of the client, and the fingerprint of its key with the mode, which has lists of its own."""
    base_url, fingerprint, _, _, mode = _client_facts(client)
    return base_url, f"{fingerprint} {mode}" if mode else fingerprint
