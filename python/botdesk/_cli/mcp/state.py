"""The writes of the last hour, in a file that all servers of a user share, so that no restart resets a limit."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import closing, contextmanager
from decimal import Context, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from botdesk._cli.mcp.refused import RefusedError
from botdesk._native import _shown_path

if TYPE_CHECKING:
    from collections.abc import Generator

    from botdesk._cli.mcp.settings import Settings

_HOUR = 3_600
_DAY = 86_400
# More digits than any sum has, so that none is rounded.
_EXACT = Context(prec=1_000)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS writes (
    at REAL NOT NULL, destination TEXT NOT NULL, operation TEXT NOT NULL, token TEXT NOT NULL UNIQUE,
    currency TEXT, volume TEXT
) STRICT"""


def state_folder() -> Path:
    """Return the folder of the state of botdesk, which is that of the shared rate limit too."""
    if chosen := os.environ.get("BOTDESK_STATE_DIR"):
        return Path(chosen).absolute()
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "botdesk"
    # As the specification says, a relative path is ignored.
    chosen = os.environ.get("XDG_STATE_HOME", "")
    return (Path(chosen) if Path(chosen).is_absolute() else Path.home() / ".local" / "state") / "botdesk"


class Volume(NamedTuple):
    """The volume that a write adds."""

    amount: Decimal
    # As a limit names it.
    currency: str


class State:
    """The count of writes, and the volume that they added."""

    def __init__(self, path: Path, destination: str) -> None:
        """Open the file, or create one that only the user of the process can read.

        Raises:
            RefusedError: The file is damaged, or can't be written.
        """
        self._path = path
        self._destination = destination
        self._lock = threading.Lock()
        with self._errors():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            with closing(self._connect()) as connection:
                connection.execute(_SCHEMA)

    def reserve(self, settings: Settings, operation: str, token: str, volume: Volume | None) -> None:
        """Count a write that is about to be sent. The limits are checked under the same lock.

        Raises:
            RefusedError: A limit would be exceeded, the token was used, or the file can't be written.
        """
        now = time.time()
        with self._lock, self._errors(), closing(self._connect()) as connection:
            # Others wait until the count is written.
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM writes WHERE at < ?", (now - _DAY,))
            # A clock that was set back must not hide writes.
            rows = connection.execute(
                "SELECT currency, volume, token FROM writes WHERE at > ? AND destination = ?",
                (now - _HOUR, self._destination),
            ).fetchall()
            _check(settings, rows, volume)
            if connection.execute("SELECT 1 FROM writes WHERE token = ?", (token,)).fetchone():
                raise RefusedError("token: it was used already; preview the change again")
            currency, amount = (volume.currency, format(volume.amount, "f")) if volume else (None, None)
            connection.execute(
                "INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?)",
                (now, self._destination, operation, token, currency, amount),
            )
            connection.execute("COMMIT")

    def check(self, settings: Settings, volume: Volume | None) -> None:
        """Raise the error that `reserve` would raise, without counting anything."""
        with self._lock, self._errors(), closing(self._connect()) as connection:
            rows = connection.execute(
                "SELECT currency, volume, token FROM writes WHERE at > ? AND destination = ?",
                (time.time() - _HOUR, self._destination),
            ).fetchall()
        _check(settings, rows, volume)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=5, isolation_level=None)

    @contextmanager
    def _errors(self) -> Generator[None]:
        """Turn errors of the file into refusals: without it, nothing is sent."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            path = _shown_path(str(self._path))
            raise RefusedError(
                f"the writes of the last hour can't be counted in {path}: {error}; nothing was sent"
            ) from error


def _check(settings: Settings, rows: list[tuple[str | None, str | None, str]], volume: Volume | None) -> None:
    if len(rows) >= settings.writes_per_hour:
        raise RefusedError(
            f"the limit of {settings.writes_per_hour} writes an hour is reached; nothing was sent; wait, or ask the "
            "person who started the server"
        )
    if settings.volumes is None or volume is None or not volume.amount:
        return
    limit = settings.volumes.get(volume.currency)
    if limit is None:
        allowed = ", ".join(settings.volumes)
        raise RefusedError(f"--max-volume has no limit for {volume.currency}, only for {allowed}; nothing was sent")
    used = Decimal(0)
    for currency, amount, _ in rows:
        if currency == volume.currency and amount is not None:
            used = _EXACT.add(used, Decimal(amount))
    if _EXACT.add(used, volume.amount) > limit:
        before = f" after {used} in the last hour" if used else ""
        raise RefusedError(
            f"this adds {volume.amount} {volume.currency} of volume{before}, and --max-volume allows {limit}; nothing "
            "was sent"
        )
