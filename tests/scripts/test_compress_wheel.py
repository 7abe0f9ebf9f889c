"""Wheels that are compressed once more."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest
from compress_wheel import attributes, compress

if TYPE_CHECKING:
    from pathlib import Path

CONTENTS = {
    "botdesk/__init__.py": b"print('botdesk')\n" * 500,
    "botdesk/_native.abi3.so": bytes(range(256)) * 20,
    "botdesk/empty": b"",
    "botdesk/n\u00fcmber": b"1",
}


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """Return a wheel with a program, an empty file, and a name that is not ASCII."""
    path = tmp_path / "botdesk-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in CONTENTS.items():
            entry = zipfile.ZipInfo(name, (2026, 11, 23, 12, 30, 2))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path


def described(wheel: Path) -> list[tuple[object, ...]]:
    """Return the names, dates, attributes and contents of the files of a ZIP file."""
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        return [
            (entry.filename, entry.date_time, attributes(entry), entry.CRC, archive.read(entry))
            for entry in archive.infolist()
        ]


def test_a_smaller_wheel_has_the_same_files_in_the_same_order(wheel: Path) -> None:
    before, size = described(wheel), wheel.stat().st_size
    compress(wheel)
    assert described(wheel) == before
    assert wheel.stat().st_size < size
    assert list(wheel.parent.iterdir()) == [wheel]


def test_a_wheel_that_was_compressed_stays_as_it_is(wheel: Path) -> None:
    compress(wheel)
    once = wheel.read_bytes()
    compress(wheel)
    assert wheel.read_bytes() == once


def test_a_file_that_is_not_a_zip_raises_an_error_and_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "botdesk.whl"
    path.write_bytes(b"no ZIP file")
    with pytest.raises(zipfile.BadZipFile):
        compress(path)
    assert path.read_bytes() == b"no ZIP file"
