"""Reads: the call of an operation, and its page as a short table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botdesk._cli.mcp import results
from botdesk._cli.mcp.json_types import is_integer, is_list, is_object
from botdesk._cli.mcp.refused import RefusedError
from botdesk._cli.mcp.results import Result, from_service

if TYPE_CHECKING:
    from collections.abc import Sequence

    from botdesk._cli.mcp.catalog import Entry
    from botdesk._cli.mcp.desk import Desk
    from botdesk._cli.mcp.schemas import Schema

DEFAULT_LIMIT = 20
MAX_LIMIT = 100

# The arguments that all reads have.
SHAPE: dict[str, Schema] = {
    "fields": {
        "type": "array",
        "items": {"type": "string"},
        "description": 'Fields to return, or ["all"].',
    },
    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
    "cursor": {"type": "string", "description": "`next_cursor` of the same call."},
}


def run(desk: Desk, entry: Entry, arguments: dict[str, Any]) -> Result:
    """Call an operation that reads.

    Raises:
        RefusedError: An argument is wrong, or it names an account or a bot that is not allowed.
        BotdeskError: The call failed.
    """
    # Models often write null for what they leave out.
    arguments = {name: value for name, value in arguments.items() if value is not None}
    fields, limit, cursor = _shape(arguments)
    ids, inputs = entry.split({name: value for name, value in arguments.items() if name not in SHAPE})
    desk.scope.check_read(entry, ids, inputs)
    reader = desk.catalog.reader(entry.resource)
    if ids and desk.scope.is_limited and reader is not None and reader is not entry:
        desk.scope.check_record(reader.call(desk.client, ids[:1], {}))
    if desk.scope.is_limited and inputs.get("bot_id") is not None:
        # The bot may be on another account.
        desk.scope.check_record(desk.client.dca_bots.get(inputs["bot_id"]))
    query = {"operation": entry.name, "ids": ids, "inputs": inputs, "fields": fields, "limit": limit}
    position = desk.cursors.position(query, cursor)
    found = entry.call(desk.client, ids, {**inputs, **_page(entry, position, limit)})
    if results.is_record(found):
        desk.scope.check_record(found)
        return _record(desk, found, fields, query=query, position=position, pages=bool(entry.paging))
    rows, kind = _rows(found)
    if rows is None:
        return Result(from_service(results.shown(found)))
    if not entry.paging:
        rows, more = rows[position : position + limit], len(rows) > position + limit
    else:
        more = len(rows) == limit
    return _list(desk, entry, rows, kind, fields, query=query, position=position, more=more)


def _shape(arguments: dict[str, Any]) -> tuple[list[str] | None, int, str | None]:
    fields, limit, cursor = (arguments.get(name) for name in ("fields", "limit", "cursor"))
    if fields is not None and not (is_list(fields) and all(isinstance(each, str) for each in fields)):
        raise RefusedError('fields: give a list of names, such as ["id", "name"], or ["all"]')
    if limit is not None and not (is_integer(limit) and 1 <= limit <= MAX_LIMIT):
        raise RefusedError(f"limit: {limit!r} is not a whole number from 1 to {MAX_LIMIT}")
    if cursor is not None and not isinstance(cursor, str):
        raise RefusedError("cursor: give the string that the same call returned")
    return fields or None, limit or DEFAULT_LIMIT, cursor


def _page(entry: Entry, position: int, limit: int) -> dict[str, int]:
    """Return the inputs that select a page. In lists with numbered pages, a position is a multiple of the limit."""
    # The client hints at the mode if the first page is empty, which it knows by the missing place.
    if "offset" in entry.paging:
        return {"limit": limit, **({"offset": position} if position else {})}
    if "per_page" in entry.paging:
        return {"per_page": limit, **({"page": position // limit + 1} if position else {})}
    return {}


def _record(
    desk: Desk,
    found: Any,  # noqa: ANN401
    fields: list[str] | None,
    *,
    query: dict[str, Any],
    position: int,
    pages: bool,
) -> Result:
    values, notes = results.record_fields(found, fields)
    if results.length(values) > results.MAX_CHARACTERS:
        raise RefusedError(
            f"the result has {results.length(values)} characters, and {results.MAX_CHARACTERS} are allowed; ask for "
            f"fewer fields; there are: {', '.join(values)}"
        )
    members = _notes(notes)
    limit: int = query["limit"]
    if pages and any(is_list(value) and len(value) >= limit for value in values.values()):
        members["next_cursor"] = desk.cursors.make(query, position + limit)
    return Result(from_service(values, **members))


def _rows(found: Any) -> tuple[Sequence[Any] | None, type | None]:  # noqa: ANN401
    if results.is_records(found):
        return list(found), results.class_of(found)
    if is_list(found):
        return found, None
    if is_object(found):
        return [[name, value] for name, value in found.items()], None
    return None, None


def _list(
    desk: Desk,
    entry: Entry,
    rows: Sequence[Any],
    kind: type | None,
    fields: list[str] | None,
    *,
    query: dict[str, Any],
    position: int,
    more: bool,
) -> Result:
    """Return a page of a list; rows that would make it too long are left for the next one."""
    admitted = [row for row in rows if desk.scope.admits(row)]
    notes = [f"{len(rows) - len(admitted)} of other accounts or bots are left out"] if len(admitted) < len(rows) else []
    shown = _shown(admitted, kind, fields)
    items: list[Any] = shown["rows"] if isinstance(shown, dict) else shown
    count = _fitting(items)
    if count < len(items):
        if "per_page" in entry.paging or len(admitted) < len(rows):
            raise RefusedError("the page is too long; give a smaller limit, or fewer fields")
        if not count:
            raise RefusedError("a single row is too long; ask for fewer fields")
        del items[count:]
        more = True
    else:
        count = len(rows)
    more_members: dict[str, Any] = {"count": len(items), **_notes(notes)}
    if more:
        more_members["next_cursor"] = desk.cursors.make(query, position + count)
    return Result(from_service(shown, **more_members))


def _shown(rows: Sequence[Any], kind: type | None, fields: list[str] | None) -> dict[str, Any] | list[Any]:
    if kind is not None:
        return results.table(rows, kind, fields)
    return [results.shown([results.to_plain(each) for each in row] if is_list(row) else row) for row in rows]


def _fitting(items: list[Any]) -> int:
    """Return how many rows fit into a result."""
    total = 0
    for count, item in enumerate(items):
        total += results.length(item) + 1
        if total > results.MAX_CHARACTERS:
            return count
    return len(items)


def _notes(notes: list[str]) -> dict[str, Any]:
    return {"notes": notes} if notes else {}
