"""The SQLite file of an archive: its schema, its one writer, and the errors of a file that can't be used."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from botdesk._archive.kinds import KINDS, columns
from botdesk._exact import EXACT, is_moderate
from botdesk._native import _shown_message, _shown_path
from botdesk.errors import ArchiveError, DecodeError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

SCHEMA_VERSION = 1
# "bdsk": tells an archive from the file of another program.
APPLICATION_ID = 0x6264_736B

_DAMAGED = "keep the file, copy what it has with: sqlite3 FILE .recover | sqlite3 NEW, and sync the new file"
_HELD = "another program holds it, nothing was lost; close that program and try again"
_ADVICE = {
    sqlite3.SQLITE_FULL: "pages already fetched are kept; free some space and sync again",
    sqlite3.SQLITE_IOERR: "pages already fetched are kept; check the disk and sync again",
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
    sqlite3.SQLITE_READONLY: "it can't be written, nothing was lost; change its permissions",
    sqlite3.SQLITE_CANTOPEN: "pass the path of a file in a folder that can be written",
    sqlite3.SQLITE_NOTADB: "this is no archive, and it was not changed; pass another path",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
}

# Text that is not UTF-8 has no code; other tables than those of an archive are the other one.
_ODD_CONTENT = (0, sqlite3.SQLITE_ERROR)

_OWN_COLUMNS = (
    # The base URL of the service, the fingerprint of the key that read the record, and the record's id.
    '"_source" TEXT NOT NULL',
    '"_key" TEXT NOT NULL',
    '"_id" TEXT NOT NULL',
    # The time of the last change, when this version was first seen, and since when the service has it no more.
    '"_changed_at" TEXT',
    '"_seen_at" TEXT NOT NULL',
    '"_missing_since" TEXT',
    # The complete listing that had the record last.
    '"_listing" INTEGER NOT NULL DEFAULT 0',
    '"_bot_id" INTEGER',
    # The state of a grid bot whose profits are kept.
    '"_profits_of" TEXT',
    '"_json" TEXT NOT NULL',
)
_STATE = """
CREATE TABLE IF NOT EXISTS _state (
    source TEXT NOT NULL, key TEXT NOT NULL, resource TEXT NOT NULL,
    -- All changes up to this time are kept.
    known_until TEXT,
    -- Set while pages of a sync are missing, which has reached what changed until `known_until` only at its end.
    is_open INTEGER NOT NULL DEFAULT 0,
    -- The complete listing, and its progress: records created up to this time are kept.
    listing INTEGER NOT NULL DEFAULT 0, is_listing INTEGER NOT NULL DEFAULT 0, created_until TEXT,
    PRIMARY KEY (source, key, resource)
) STRICT"""
_SNAPSHOTS = """
CREATE TABLE IF NOT EXISTS snapshots (
    resource TEXT NOT NULL, source TEXT NOT NULL, id TEXT NOT NULL, seen_at TEXT NOT NULL, json TEXT NOT NULL
) STRICT"""


def connect(path: Path) -> sqlite3.Connection:
    """Open an archive, or create one that only the user of the process can read.

    Raises:
        ArchiveError: The file is no archive, is damaged, or has a newer schema.
    """
    with errors_of(path):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise ArchiveError(f"{_shown_path(str(path))}: {error.strerror}; pass the path of a file") from error
        connection = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
        connection.create_aggregate("decimal_sum", 1, _DecimalSum)  # type: ignore[arg-type]
        connection.create_aggregate("decimal_rest", 2, _DecimalRest)  # type: ignore[arg-type]
        return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    application = _pragma(connection, "application_id")
    version = _pragma(connection, "user_version")
    is_empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION_ID and not (is_empty and application == 0 and version == 0):
        raise ArchiveError(f"{_shown_path(str(path))}: this is a database of another program; pass another path")
    if version > SCHEMA_VERSION:
        raise ArchiveError(
            f"{_shown_path(str(path))}: the archive has schema version {version}, this botdesk knows {SCHEMA_VERSION}; "
            "update botdesk: pip install -U botdesk"
        )
    connection.execute("PRAGMA synchronous = NORMAL")
    if not _is_current(connection, version):
        connection.execute("PRAGMA journal_mode = WAL")
        _upgrade(connection)


def _is_current(connection: sqlite3.Connection, version: int) -> bool:
    """Return whether there is nothing to create: neither a table nor a column of a field that botdesk learned."""
    return version == SCHEMA_VERSION and all(
        {name.lower() for name, _, _ in columns(kind)} <= _existing(connection, kind.name) for kind in KINDS
    )


def _upgrade(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        for statement in (_STATE, _SNAPSHOTS):
            connection.execute(statement)
        for kind in KINDS:
            existing = _existing(connection, kind.name)
            if not existing:
                connection.execute(f"CREATE TABLE {kind.name} ({', '.join(_OWN_COLUMNS)}, PRIMARY KEY (_source, _id))")
                existing = _existing(connection, kind.name)
            for name, sql_type, _ in columns(kind):
                if name.lower() not in existing:
                    connection.execute(f'ALTER TABLE {kind.name} ADD COLUMN "{name}" {sql_type}')
        connection.execute("CREATE INDEX IF NOT EXISTS deals_by_time ON deals (closed_at)")
        connection.execute("CREATE INDEX IF NOT EXISTS snapshots_by_id ON snapshots (resource, source, id)")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _existing(connection: sqlite3.Connection, table: str) -> set[str]:
    return {str(row[1]).lower() for row in connection.execute(f"PRAGMA table_info({table})")}


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Commit everything together, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk has already ended the transaction.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def sole_writer(path: Path) -> Generator[None]:
    """Be the only writer. The lock is in a file of its own and ends with the process, however it ends.

    Raises:
        ArchiveError: Another sync writes the archive.
    """
    lock = path.with_name(path.name + ".lock")
    with closing(sqlite3.connect(lock, timeout=0, isolation_level=None, check_same_thread=False)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY:
                raise
            raise ArchiveError(
                f"{_shown_path(str(path))}: another sync writes this archive; nothing was changed; "
                "wait for its end and sync again"
            ) from error
        yield


@contextmanager
def writing(path: Path, connect: Callable[[], sqlite3.Connection]) -> Generator[sqlite3.Connection]:
    """Open an archive as its only writer."""
    with errors_of(path), sole_writer(path):
        yield connect()


@contextmanager
def errors_of(path: Path, *, is_query: bool = False) -> Generator[None]:
    """Turn errors of the file into errors that say what to do. Errors of a user's SQL query stay as they are."""
    try:
        yield
    except sqlite3.Error as error:
        advice = _ADVICE.get(_code(error))
        if advice is None and _code(error) in _ODD_CONTENT and not is_query:
            advice = _DAMAGED
        if advice is None:
            raise
        raise ArchiveError(f"{_shown_path(str(path))}: {_shown_message(str(error))}; {advice}") from error
    except UnicodeDecodeError as error:
        # The names of damaged tables are in SQLite's message, which Python can't read then.
        raise ArchiveError(f"{_shown_path(str(path))}: {error}; {_DAMAGED}") from error


@contextmanager
def reading(path: Path, connect: Callable[[], sqlite3.Connection]) -> Generator[sqlite3.Connection]:
    """Open an archive to read what botdesk wrote."""
    with errors_of(path):
        try:
            yield connect()
        except DecodeError as error:
            raise ArchiveError(f"{_shown_path(str(path))}: a record is damaged: {error}; {_DAMAGED}") from error


def _code(error: sqlite3.Error) -> int:
    """Return the code of an error without its details, which are in higher bytes."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


class _DecimalSum:
    """The SQL function `decimal_sum`: adds decimals that are text, exactly."""

    def __init__(self) -> None:
        self._total = Decimal(0)

    def step(self, value: str | int | None) -> None:
        """Add a value; NULL adds nothing."""
        if value is not None:
            self._total = EXACT.add(self._total, number(value))

    def finalize(self) -> str:
        """Return the sum."""
        return format(self._total, "f")


class _DecimalRest:
    """The SQL function `decimal_rest`: what parts leave of a whole, exactly; NULL if one of them can't be added."""

    def __init__(self) -> None:
        self._parts = _DecimalSum()
        self._whole: Decimal | None = None
        self._is_known = True

    def step(self, whole: str | int | None, part: str | int | None) -> None:
        """Take a part away; NULL takes nothing."""
        # An error would end the report for one odd record.
        try:
            self._whole = None if whole is None else number(whole)
            self._parts.step(part)
        except ArchiveError:
            self._is_known = False

    def finalize(self) -> str | None:
        """Return the rest."""
        if not self._is_known or self._whole is None:
            return None
        return format(EXACT.subtract(self._whole, Decimal(self._parts.finalize())), "f")


def number(value: str | float) -> Decimal:
    """Return a value of the archive as a decimal.

    Raises:
        ArchiveError: It is no number that can be added exactly.
    """
    try:
        found = Decimal(str(value))
    except InvalidOperation as error:
        raise ArchiveError(f"{value!r} is not a number; select a column with decimals") from error
    if not (found.is_finite() and is_moderate(found)):
        raise ArchiveError(f"{str(value)[:40]!r} can't be added exactly; leave this record out of the query")
    return found
