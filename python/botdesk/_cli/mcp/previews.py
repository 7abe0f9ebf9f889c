"""Writes: a preview with a token, and the one request that the token allows."""

from __future__ import annotations

import json
import secrets
import threading
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from botdesk._cli import exit_codes
from botdesk._cli.mcp import results, volumes
from botdesk._cli.mcp.audit import shown_token
from botdesk._cli.mcp.json_types import is_list
from botdesk._cli.mcp.refused import RefusedError
from botdesk._cli.mcp.results import Result, from_service
from botdesk._cli.operations import Operation
from botdesk._native import _operation_names
from botdesk.errors import (
    BotdeskError,
    ConfigurationError,
    DecodeError,
    ForbiddenError,
    OutcomeUnknownError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from botdesk._cli.mcp.catalog import Entry
    from botdesk._cli.mcp.desk import Desk
    from botdesk._cli.mcp.state import Volume

VALID_FOR_SECONDS = 60
# The argument for what is to become null.
SET_NULL = "set_null"
# Older previews are forgotten: an agent that previews without end needs no memory.
_MOST_PENDING = 100
_MOST_ENDED = 1_000
# Beside the inputs of an edit, what decides whether a write still means the same.
_ALSO_COMPARED = ("account_id", "is_enabled", "pair", "pairs", "status", "active_deals_count", "max_safety_orders")


@dataclass(frozen=True)
class _Pending:
    """A previewed write."""

    entry: Entry
    ids: list[Any]
    inputs: dict[str, Any]
    body: str
    # The record at the time of the preview, and the preview of botdesk if it is an edit.
    record: Any
    edit: Any
    until: tuple[float, ...]


class Previews:
    """The previews of one run of the server. Nothing else can send a write."""

    def __init__(self, desk: Desk, clocks: Sequence[Callable[[], float]] = (time.monotonic, time.time)) -> None:
        """Begin with no preview.

        Args:
            desk: The client and the limits.
            clocks: A preview is valid while it is on each: one may stand still while the machine sleeps, and the other
                may be set back.
        """
        self._desk = desk
        self._clocks = clocks
        self._lock = threading.Lock()
        self._pending: dict[str, _Pending] = {}
        # What happened to the tokens that are no longer valid, in words.
        self._ended: dict[str, str] = {}
        self._unknown: dict[str, tuple[_Pending, Exception]] = {}

    def preview(self, entry: Entry, arguments: dict[str, Any]) -> Result:
        """Return what a write would change, and the token that sends it.

        Raises:
            RefusedError: The write is not allowed.
            BotdeskError: The arguments break a rule, or the record can't be read.
        """
        desk = self._desk
        self._check_allowed(entry)
        ids, inputs = entry.split(_without_null(arguments))
        record = self._read(entry, ids)
        desk.scope.check_write(entry, ids, inputs, record)
        edit = record.preview_edit(**inputs) if entry.operation.is_edit else None
        if edit is not None and not edit.changes:
            return Result({"nothing_changes": "the record already has these values; there is nothing to apply"})
        # The rules are checked first: their errors say more than those of a volume.
        body = edit.body if edit is not None else entry.body(inputs)
        volume = self._volume(entry, record, inputs, edit)
        desk.state.check(desk.settings, volume)
        token = secrets.token_urlsafe(18)
        until = tuple(clock() + VALID_FOR_SECONDS for clock in self._clocks)
        pending = _Pending(entry, ids, inputs, body, record, edit, until)
        self._keep(token, pending)
        desk.audit.write("preview", operation=entry.name, ids=ids, inputs=inputs, token=shown_token(token))
        return Result(self._described(pending, volume, token))

    def apply(self, token: str) -> Result:
        """Send the write of a preview, once.

        Raises:
            RefusedError: The token is not valid, a limit is reached, or the record has changed; nothing was sent.
            BotdeskError: The service refused the write, or nothing was sent.
        """
        pending = self._take(token)
        desk, entry = self._desk, pending.entry
        self._check_allowed(entry)
        record = self._read(entry, pending.ids)
        desk.scope.check_write(entry, pending.ids, pending.inputs, record)
        if pending.edit is None:
            _check_unchanged(entry, pending.record, record)
            if entry.body(pending.inputs) != pending.body:
                raise RefusedError("the body would differ from the one of the preview; nothing was sent")
        volume = self._volume(entry, record, pending.inputs, pending.edit)
        desk.state.reserve(desk.settings, entry.name, shown_token(token), volume)
        desk.audit.write("send", operation=entry.name, ids=pending.ids, token=shown_token(token))
        try:
            if pending.edit is not None:
                done = pending.edit.apply()
            else:
                done = entry.call(desk.client, pending.ids, pending.inputs)
        except Exception as problem:
            if not _may_have_happened(problem):
                raise
            with self._lock:
                self._unknown[token] = (pending, problem)
            return self._unknown_result(token, pending, problem)
        try:
            return self._done(entry, done)
        except Exception as problem:  # noqa: BLE001 - it was carried out, whatever is wrong with its result
            reason = str(results.shown(str(problem)))
            return Result({"outcome": "done", "operation": entry.name, "result_can_not_be_shown": reason})

    def check_outcome(self, token: str) -> Result:
        """Return what the service shows about a write whose outcome is unknown.

        Raises:
            RefusedError: The outcome of no write with this token is unknown.
        """
        with self._lock:
            unknown = self._unknown.get(token)
            ended = self._ended.get(token)
        if unknown is None:
            known = f"the token {ended}" if ended else "the token is unknown to this run of the server"
            raise RefusedError(f"token: no write with an unknown outcome has it; {known}")
        return self._unknown_result(token, *unknown)

    def _check_allowed(self, entry: Entry) -> None:
        """Check again what decided which tools there are: no tool may be the only guard."""
        settings = self._desk.settings
        if not settings.writes:
            raise RefusedError("this server only reads; its person can start it with --allow-writes")
        if entry.is_dangerous and not settings.dangerous:
            raise RefusedError(
                f"{entry.name} is expensive or irreversible; its person can start the server with --allow-dangerous"
            )

    def _read(self, entry: Entry, ids: list[Any]) -> Any:  # noqa: ANN401
        """Read the record that a write is for; None if it has none, or if the key may not read it."""
        reader = self._desk.catalog.reader(entry.resource)
        if reader is None or not ids:
            return None
        try:
            return reader.call(self._desk.client, ids[:1], {})
        except (ForbiddenError, DecodeError):
            if entry.operation.is_edit:
                raise
            return None

    def _volume(self, entry: Entry, record: Any, inputs: dict[str, Any], edit: Any) -> Volume | None:  # noqa: ANN401
        if self._desk.settings.volumes is None:
            return None
        return volumes.added(entry, self._desk.client, record, inputs, edit)

    def _keep(self, token: str, pending: _Pending) -> None:
        with self._lock:
            self._pending[token] = pending
            for old in list(self._pending)[:-_MOST_PENDING]:
                del self._pending[old]
                self._end(old, "is older than the last hundred previews")

    def _end(self, token: str, reason: str) -> None:
        """Keep the reason why a token is not valid any more, of the last ones."""
        self._ended[token] = reason
        for old in list(self._ended)[:-_MOST_ENDED]:
            del self._ended[old]

    def _take(self, token: str) -> _Pending:
        """Return the write of a token, which is not valid any more after that, whatever happens."""
        with self._lock:
            pending = self._pending.pop(token, None)
            ended = self._ended.get(token)
            if pending is not None:
                expired = any(clock() >= until for clock, until in zip(self._clocks, pending.until, strict=True))
                ended = "has expired" if expired else "was used already"
                self._end(token, ended)
                if not expired:
                    return pending
        reason = ended or "is not from a preview of this run of the server"
        raise RefusedError(f"token: it {reason}; nothing was sent; preview the change again, and apply that token")

    def _described(self, pending: _Pending, volume: Volume | None, token: str) -> dict[str, Any]:
        entry, edit = pending.entry, pending.edit
        preview: dict[str, Any] = {
            "would": entry.question(str(pending.ids[0]) if pending.ids else None),
            "request": f"{entry.sent.method} {entry.path(pending.ids)}",
        }
        if edit is None:
            # What is sent is the body of the core; this is the same without secrets.
            preview["body"] = results.shown(_json(pending.body)) if pending.body else None
        else:
            preview["changes"] = [{"field": each.field, "old": each.old, "new": each.new} for each in edit.changes]
            preview["sent_unchanged"] = len(edit.carried_over)
            preview["left_out"] = len(edit.left_out)
            if edit.warnings:
                preview["botdesk_warns"] = edit.warnings
        if entry.operation.stakes is not None:
            preview["irreversible"] = "this can't be undone"
        elif entry.is_dangerous:
            preview["expensive"] = "this places orders, lets a bot place them, or gives up its positions"
        if volume is not None:
            preview["adds_volume"] = f"{volume.amount} {volume.currency}"
        return {
            "preview": results.shown(preview),
            **({} if pending.record is None else from_service(_what(entry, pending.record))),
            "token": token,
            "valid_for_seconds": VALID_FOR_SECONDS,
            "next": "show this to the person; apply(token) sends exactly this, once",
        }

    def _done(self, entry: Entry, done: Any) -> Result:  # noqa: ANN401
        state = {"outcome": "done", "operation": entry.name}
        if not results.is_record(done):
            return Result({**state, **from_service(results.shown(done))})
        values, notes = results.record_fields(done, _columns(done))
        return Result({**state, **from_service(values, **({"notes": notes} if notes else {}))})

    def _found(self, pending: _Pending, problem: Exception) -> dict[str, Any]:
        """Look for what a write may have made, or else at the record that it was for."""
        if isinstance(problem, OutcomeUnknownError):
            try:
                found = problem.resolve()
            except ConfigurationError:
                # The write makes nothing that a list shows.
                pass
            else:
                table = results.table(list(found), results.class_of(found), None)
                looked = "what the write may have made; an empty table means that nothing is there yet"
                return from_service(table, looked_at=looked)
        record = self._read(pending.entry, pending.ids)
        if record is None:
            return {"looked_at": "nothing: no operation reads what this write was for; the person should look"}
        return from_service(
            results.record_fields(record, _columns(record))[0], looked_at="the record, as it is now; compare it"
        )

    def _unknown_result(self, token: str, pending: _Pending, problem: Exception) -> Result:
        content: dict[str, Any] = {
            "outcome": "unknown",
            "message": str(results.shown(str(problem))),
            "what_to_do": "it may have happened, or may still happen: do not repeat it; look again with check_outcome",
        }
        try:
            content.update(self._found(pending, problem))
        except Exception as error:  # noqa: BLE001 - the outcome is unknown all the same
            content["looking_failed"] = results.error(error).content
        return Result({**content, "token": token}, outcome="unknown")


def _may_have_happened(problem: Exception) -> bool:
    """Return True if a write may have been carried out although its call failed."""
    if isinstance(problem, (BotdeskError, RefusedError)):
        return isinstance(problem, BotdeskError) and exit_codes.of_error(problem) == exit_codes.UNKNOWN
    # An error that nobody expected may come after the request.
    return True


def _columns(record: Any) -> list[str] | None:  # noqa: ANN401
    """Return the fields of a record that matter."""
    known = record.to_dict()
    return [name for name in results.columns_of(results.kind_of(record)) if name in known] or None


def _what(entry: Entry, record: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the record of a write: what it is, whose, and what is at stake."""
    known = record.to_dict()
    names = ["id", "name", "account_id", "account_name", "is_enabled", "pair", *(entry.operation.stakes or ())]
    return {name: results.shown(known[name]) for name in dict.fromkeys(names) if name in known}


def _check_unchanged(entry: Entry, before: Any, now: Any) -> None:  # noqa: ANN401
    """Raise an error if the settings of a record have changed since the preview."""
    if before is None and now is None:
        return
    if before is None or now is None:
        raise RefusedError("the record could not be read again; nothing was sent")
    old, new = (cast("dict[str, Any]", record.to_dict()) for record in (before, now))
    changed = [name for name in _compared(entry) if old.get(name) != new.get(name)]
    if changed:
        raise RefusedError(
            f"the record has changed since the preview: {', '.join(changed)}; nothing was sent; preview it again"
        )


def _compared(entry: Entry) -> list[str]:
    name = f"{entry.resource}.edit"
    inputs = Operation(name).inputs if name in _operation_names() else {}
    return list(dict.fromkeys([*inputs, *_ALSO_COMPARED]))


def _without_null(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given: models write null for what they leave out, so null has its own argument."""
    given = {name: value for name, value in arguments.items() if value is not None and name != SET_NULL}
    names: Any = arguments.get(SET_NULL) or []
    if not is_list(names) or not all(isinstance(name, str) for name in names):
        raise RefusedError(f"{SET_NULL}: give a list of names of inputs")
    if twice := [name for name in names if name in given]:
        raise RefusedError(f"{SET_NULL}: {', '.join(twice)} has a value too; give one of the two")
    return {**given, **dict.fromkeys(names)}


def _json(body: str) -> Any:  # noqa: ANN401
    return json.loads(body, parse_float=Decimal)
