"""Runs the steps of a sync with a client, blocking or not."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from botdesk._archive import store, syncing
from botdesk._archive.results import SyncReport
from botdesk._native import _client_facts

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Generator, Sequence
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
            records = _method(client, request, "")(*request.ids, **request.inputs)
            request = _next(steps, records, report)
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
            records = await _method(client, request, "_async")(*request.ids, **request.inputs)
            request = _next(steps, records, report)
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


def _next(steps: syncing.Steps, records: Sequence[Any], report: SyncReport) -> syncing.Request | None:
    report.requests += 1
    try:
        return steps.send(records)
    except StopIteration:
        return None


def _method(client: Client, request: syncing.Request, suffix: str) -> Any:  # noqa: ANN401
    resource, _, method = request.operation.partition(".")
    return getattr(getattr(client, resource), method + suffix)


def _owner(client: Client) -> tuple[str, str]:
    """Return the base URL of the client, and the fingerprint of its key with the mode, which has lists of its own."""
    base_url, fingerprint, _, _, mode = _client_facts(client)
    return base_url, f"{fingerprint} {mode}" if mode else fingerprint
