"""A sync: which pages are requested, and what is stored of each.

The steps are a generator of requests, so that the blocking and the asynchronous sync share them. Each page is stored in
one transaction together with the progress that it stands for. A sync that is killed continues from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._archive.kinds import GRID_BOTS, GRID_PROFITS, KINDS, Kind, as_sql, as_time, columns, read, without_secrets
from botdesk._archive.results import count
from botdesk._archive.store import transaction
from botdesk.errors import ArchiveError, NotFoundError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Generator, Sequence

    from botdesk._archive.results import SyncReport

    Steps = Generator["Request", Sequence[Any], None]

# Changes that the service shows later than others of the same time are within it.
_OVERLAP = timedelta(minutes=1)
_MOST_RESTARTS = 5
# How often a page may repeat the one before it, as in `client.deals.iter()`: the list may have shifted by one page.
_MOST_REPEATS = 1
# What changes with a profit of a grid bot, unlike its other figures, which follow the price.
_PROFITS_STATE = "coalesce(_changed_at, '') || ' ' || coalesce(total_profits_count, '')"
# The most parameters of one SQL statement.
_CHUNK = 500


class Request(NamedTuple):
    """A request of a sync: the operation, its ids and its inputs."""

    operation: str
    ids: tuple[Any, ...]
    inputs: dict[str, Any]


class _Page(NamedTuple):
    """A page after it was stored."""

    ids: list[str]
    # Whether each record was in the archive, and not changed.
    is_known: bool
    # Whether the listing has had each record already.
    is_listed: bool
    changed: list[str]
    created: list[str]


@dataclass
class _State:
    """The progress of a list."""

    known_until: str | None = None
    is_open: int = 0
    listing: int = 0
    is_listing: int = 0
    created_until: str | None = None


class _Repeats:
    """The pages in a row that have the same records, because the service ignores the position."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._before: set[str] = set()
        self._count = 0

    def is_end(self, ids: Sequence[str], *, position: int) -> bool:
        """Return whether a page repeats a list that has no other; raise an error if the list may have more."""
        is_repeated = position > 0 and bool(ids) and set(ids) == self._before
        self._count = self._count + 1 if is_repeated else 0
        self._before = set(ids)
        if self._count <= _MOST_REPEATS:
            return False
        if len(ids) < self._kind.size:
            return True
        what = f"the service returned the same page of {self._kind.name} again and again, whatever was requested"
        raise ArchiveError(f"{what}; the pages before are kept; sync again, and report it to the service if it goes on")


def steps(connection: sqlite3.Connection, source: str, key: str, report: SyncReport, *, complete: bool) -> Steps:
    """Yield the requests of a sync, and store what each returns."""
    for kind in KINDS:
        if kind.method is not None:
            yield from _List(connection, source, key, kind, report).steps(complete=complete)
    yield from _grid_profits(connection, source, key, report)


class _List:
    """The sync of one list."""

    def __init__(self, connection: sqlite3.Connection, source: str, key: str, kind: Kind, report: SyncReport) -> None:
        self._connection = connection
        self._owner = (source, key)
        self._kind = kind
        self._report = report
        row = connection.execute(
            "SELECT known_until, is_open, listing, is_listing, created_until FROM _state "
            "WHERE source = ? AND key = ? AND resource = ?",
            (source, key, kind.name),
        ).fetchone()
        self._is_first = row is None
        self._state = _State(*row) if row else _State()

    def steps(self, *, complete: bool) -> Steps:
        """List everything the first time, or if asked to; then what has changed."""
        state = self._state
        is_new = (complete or self._is_first) and not state.is_listing
        if not self._kind.oldest:
            if is_new:
                self._begin_listing()
            yield from self._changes()
            return
        if is_new:
            newest = yield self._request(self._kind.newest, size=1)
            # What changes from now on is at this time or later.
            times = [self._kind.time_of(record, self._kind.changed) for record in newest]
            known: list[str] = [time for time in times if time]
            state.known_until = max(known, default=None)
            self._begin_listing()
        if state.is_listing:
            # Records may have changed since they were listed, so a page of known records is no end of the changes.
            state.is_open = 1
            yield from self._listing()
        yield from self._changes()

    def _begin_listing(self) -> None:
        state = self._state
        state.listing, state.is_listing, state.created_until = state.listing + 1, 1, None
        with transaction(self._connection):
            self._save_state()

    def _listing(self) -> Steps:
        """List the records by the time of their creation, which does not change, from the last one that is kept."""
        state, position, longest, repeats = self._state, 0, 0, _Repeats(self._kind)
        while True:
            inputs = dict[str, Any](self._kind.oldest)
            if state.created_until is not None:
                # Whether the service includes the time itself is not documented.
                inputs["from_"] = _earlier(state.created_until, timedelta(seconds=1))
            records = yield self._request(inputs, position=position)
            longest = max(longest, len(records))
            before = state.created_until
            with transaction(self._connection):
                page = self._store(records)
                newest = max(page.created, default=None)
                if newest is not None and (before is None or newest > before):
                    state.created_until = newest
                self._save_state()
            is_end = not records or (page.is_listed and len(records) < longest)
            if is_end or repeats.is_end(page.ids, position=position):
                break
            position = 0 if state.created_until != before else position + len(records)
        with transaction(self._connection):
            self._end_listing()

    def _changes(self) -> Steps:
        """List the records that changed last, until one that was known before."""
        state = self._state
        reads_all = bool(state.is_listing)
        border = None if reads_all or state.known_until is None else _earlier(state.known_until, _OVERLAP)
        newest, last, restarts, position, repeats = state.known_until, None, 0, 0, _Repeats(self._kind)
        while True:
            records = yield self._request(self._kind.newest, position=position)
            ids = [self._kind.id_of(record) for record in records]
            if last is not None and self._kind.pages == "offset":
                if last not in ids:
                    restarts = self._restart(restarts)
                    last, position = None, 0
                    continue
                # The first page that has only the record from before is the end.
                records = records[:0] if len(records) == 1 else records
            was_open = bool(state.is_open)
            with transaction(self._connection):
                page = self._store(records)
                times: list[str] = [*page.changed, *([newest] if newest else [])]
                newest = max(times, default=None)
                is_end = not records or (border is not None and bool(page.changed) and min(page.changed) < border)
                is_end = is_end or (page.is_known and not was_open and not reads_all and bool(records))
                is_end = is_end or repeats.is_end(page.ids, position=position)
                if is_end:
                    state.known_until, state.is_open = newest, 0
                    self._end_listing()
                else:
                    state.is_open = 1
                    self._save_state()
            if is_end:
                return
            last = ids[-1]
            # Each page begins with the last record of the page before, which shows whether one was skipped.
            position += len(records) - (1 if self._kind.pages == "offset" else 0)

    def _restart(self, restarts: int) -> int:
        if restarts == _MOST_RESTARTS:
            raise ArchiveError(f"the list of {self._kind.name} changes all the time; what was read is kept; sync again")
        return restarts + 1

    def _request(self, inputs: Any, *, position: int = 0, size: int | None = None) -> Request:  # noqa: ANN401
        kind = self._kind
        size = size or kind.size
        found = {**inputs, kind.size_argument: size}
        if position and kind.pages == "offset":
            found["offset"] = position
        elif position:
            # Pages are counted by their size, also if the service returned fewer.
            found["page"] = -(-position // size) + 1
        return Request(str(kind.method), (), found)

    def _store(self, records: Sequence[Any]) -> _Page:
        return store(self._connection, self._owner, self._kind, records, self._report, listing=self._state.listing)

    def _end_listing(self) -> None:
        """Mark what a complete listing did not have."""
        state = self._state
        if state.is_listing:
            _mark_missing(self._connection, self._kind, self._owner, self._report, ("_listing < ?", state.listing))
            state.is_listing, state.created_until = 0, None
        self._save_state()

    def _save_state(self) -> None:
        state = self._state
        self._connection.execute(
            "INSERT OR REPLACE INTO _state VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *self._owner,
                self._kind.name,
                state.known_until,
                state.is_open,
                state.listing,
                state.is_listing,
                state.created_until,
            ),
        )


def store(  # noqa: PLR0913 - each is named
    connection: sqlite3.Connection,
    owner: tuple[str, str],
    kind: Kind,
    records: Sequence[Any],
    report: SyncReport,
    *,
    listing: int = 0,
    bot_id: int | None = None,
    ids: Sequence[str] | None = None,
) -> _Page:
    """Store the records of a page that are new or changed."""
    count(report, kind.name, "new", 0)
    found = list(ids) if ids is not None else [kind.id_of(record) or "" for record in records]
    if "" in found:
        raise ArchiveError(f"the service returned a record of {kind.name} without an id; the page was not stored")
    known = _known(connection, owner[0], kind, found)
    page = _Page(found, is_known=True, is_listed=True, changed=[], created=[])
    is_known = is_listed = True
    for identifier, record in zip(found, records, strict=True):
        changed, text = kind.time_of(record, kind.changed), without_secrets(record)
        page.changed.extend([changed] if changed else [])
        created = kind.time_of(record, kind.created)
        page.created.extend([created] if created else [])
        before = known.get(identifier)
        is_listed = is_listed and before is not None and before[2] == listing
        # The price of an open deal changes without a change of the deal.
        is_known = is_known and before is not None and before[1] == changed
        if before is None or before[0] != text:
            _write(connection, owner, kind, identifier, (changed, text, listing, bot_id))
            count(report, kind.name, "new" if before is None else "changed")
            # What only follows the price is no new version: each sync would keep one of each bot.
            if kind.snapshots and before is not None and before[1] != changed:
                connection.execute(
                    "INSERT INTO snapshots VALUES (?, ?, ?, ?, ?)",
                    (kind.name, owner[0], identifier, before[3], before[0]),
                )
        elif before[2] != listing or before[4] is not None:
            connection.execute(
                f"UPDATE {kind.name} SET _listing = ?, _missing_since = NULL, _key = ? "  # noqa: S608
                "WHERE _source = ? AND _id = ?",
                (listing, owner[1], owner[0], identifier),
            )
    return page._replace(is_known=is_known, is_listed=is_listed)


def _mark_missing(
    connection: sqlite3.Connection,
    kind: Kind,
    owner: tuple[str, str],
    report: SyncReport,
    condition: tuple[str, str | int],
) -> None:
    """Mark the records that the service no longer has."""
    which, parameter = condition
    found = connection.execute(
        f"UPDATE {kind.name} SET _missing_since = ? "  # noqa: S608 - parts of this module
        f"WHERE _source = ? AND _key = ? AND {which} AND _missing_since IS NULL",
        (_now(), *owner, parameter),
    )
    count(report, kind.name, "missing", found.rowcount)


def _known(connection: sqlite3.Connection, source: str, kind: Kind, ids: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    known: dict[str, tuple[Any, ...]] = {}
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        rows = connection.execute(
            f"SELECT _id, _json, _changed_at, _listing, _seen_at, _missing_since FROM {kind.name} "  # noqa: S608
            f"WHERE _source = ? AND _id IN ({', '.join('?' * len(chunk))})",
            (source, *chunk),
        )
        known.update({row[0]: row[1:] for row in rows})
    return known


def _write(
    connection: sqlite3.Connection,
    owner: tuple[str, str],
    kind: Kind,
    identifier: str,
    own: tuple[str | None, str, int, int | None],
) -> None:
    changed, text, listing, bot_id = own
    values: dict[str, str | int | None] = {
        "_source": owner[0],
        "_key": owner[1],
        "_id": identifier,
        "_changed_at": changed,
        "_seen_at": _now(),
        "_missing_since": None,
        "_listing": listing,
        "_bot_id": bot_id,
        "_json": text,
    }
    # The columns hold no secrets either.
    shown = kind.record_class().from_json(text)
    for name, _, path in columns(kind):
        value = read(shown, path)
        values[name] = as_time(value) if name.endswith("_at") and value is not None else as_sql(value)
    names = ", ".join(f'"{name}"' for name in values)
    updates = ", ".join(f'"{name}" = excluded."{name}"' for name in values)
    connection.execute(
        f"INSERT INTO {kind.name} ({names}) VALUES ({', '.join('?' * len(values))}) "  # noqa: S608
        f"ON CONFLICT (_source, _id) DO UPDATE SET {updates}",
        tuple(values.values()),
    )


def _grid_profits(connection: sqlite3.Connection, source: str, key: str, report: SyncReport) -> Steps:
    """Request the profits of each grid bot that has changed since they were requested last."""
    count(report, GRID_PROFITS.name, "new", 0)
    bots = connection.execute(
        "SELECT _id FROM grid_bots WHERE _source = ? AND _key = ? AND _missing_since IS NULL "  # noqa: S608
        f"AND _profits_of IS NOT {_PROFITS_STATE}",
        (source, key),
    ).fetchall()
    for (identifier,) in bots:
        last = connection.execute(
            "SELECT max(created_at) FROM grid_profits WHERE _source = ? AND _bot_id = ?", (source, int(identifier))
        ).fetchone()[0]
        inputs = {} if last is None else {"from_": _earlier(last, _OVERLAP)}
        try:
            profits = yield Request("grid_bots.profits", (int(identifier),), inputs)
        except NotFoundError:
            # It was deleted since it was listed.
            _mark_missing(connection, GRID_BOTS, (source, key), report, ("_id = ?", identifier))
            continue
        with transaction(connection):
            ids = _profit_ids(identifier, profits)
            store(connection, (source, key), GRID_PROFITS, profits, report, bot_id=int(identifier), ids=ids)
            connection.execute(
                f"UPDATE {GRID_BOTS.name} SET _profits_of = {_PROFITS_STATE} "  # noqa: S608 - parts of this module
                "WHERE _source = ? AND _id = ?",
                (source, identifier),
            )


def _profit_ids(bot: str, profits: Sequence[Any]) -> list[str]:
    """Return an id for each profit, which has none: the bot, the line, the time, and a number if these are equal."""
    counts: dict[str, int] = {}
    ids: list[str] = []
    for profit in profits:
        name = f"{bot}:{read(profit, 'grid_line_id')}:{as_time(read(profit, 'created_at'))}"
        counts[name] = counts.get(name, 0) + 1
        ids.append(name if counts[name] == 1 else f"{name}:{counts[name]}")
    return ids


def _earlier(time: str, by: timedelta) -> str:
    return as_time(datetime.fromisoformat(time) - by) or time


def _now() -> str:
    return as_time(datetime.now(UTC)) or ""
