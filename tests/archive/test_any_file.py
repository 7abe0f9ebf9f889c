"""Any file in place of an archive ends in a result, or in an error of botdesk, and a read never changes it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import THOROUGH, cases

import botdesk
from botdesk import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SETTINGS = settings(
    max_examples=cases(40, 1_000),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def client() -> Iterator[botdesk.Client]:
    """Return a client of a sandbox with few records."""
    with botdesk.Sandbox(bots=2) as sandbox:
        yield sandbox.client()


@pytest.fixture(scope="module")
def content(client: botdesk.Client, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the file of an archive."""
    path = tmp_path_factory.mktemp("archived") / "desk.sqlite"
    with Archive(path) as archive:
        archive.sync(client)
    return path.read_bytes()


READS: list[Callable[[Archive], object]] = [
    lambda archive: archive.deals(decimals="text"),
    lambda archive: archive.report(by="month"),
    Archive.equity,
    Archive.open_deals,
    Archive.funds_in_use,
    lambda archive: archive.sql("select * from grid_profits").rows,
]


def check(path: Path, content: bytes, client: botdesk.Client) -> None:
    for name in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + name).unlink(missing_ok=True)
    path.write_bytes(content)
    for read in READS:
        # An empty file becomes an archive.
        if not succeeds(path, read) and content:
            assert path.read_bytes() == content
    succeeds(path, lambda archive: archive.sync(client))


def succeeds(path: Path, use: Callable[[Archive], object]) -> bool:
    try:
        with Archive(path) as archive:
            use(archive)
    except botdesk.ArchiveError:
        return False
    return True


@given(content=st.binary(max_size=200) | st.binary(max_size=99).map(lambda data: b"SQLite format 3\0" + data))
@SETTINGS
def test_any_bytes(tmp_path: Path, client: botdesk.Client, content: bytes) -> None:
    check(tmp_path / "desk.sqlite", content, client)


@pytest.mark.parametrize("change", ["_json = 'x'", "created_at = 5", "closed_at = 5", "pair = 5", "bot_name = x'ff'"])
def test_a_value_of_another_type(tmp_path: Path, client: botdesk.Client, content: bytes, change: str) -> None:
    path = tmp_path / "desk.sqlite"
    path.write_bytes(content)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE deals SET {change}")  # noqa: S608 - a value above
        connection.commit()
    check(path, path.read_bytes(), client)


# The archive differs from run to run, in its times and in the address of the sandbox, and so does what is damaged.
@pytest.mark.skipif(not THOROUGH, reason="random; run: just thorough")
@given(data=st.data())
@SETTINGS
def test_any_damage(tmp_path: Path, client: botdesk.Client, content: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content)) | st.integers(0, 200))
    if data.draw(st.booleans()):
        damaged = content[:start]
    else:
        change = data.draw(st.binary(min_size=1, max_size=64))
        damaged = content[:start] + change + content[start + len(change) :]
    check(tmp_path / "desk.sqlite", damaged, client)
