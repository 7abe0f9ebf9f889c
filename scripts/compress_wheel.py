"""Compress wheels as far as deflate allows, in place: `python scripts/compress_wheel.py WHEEL...`.

maturin compresses with zlib. zopfli takes a minute and makes a wheel 3 % smaller. Any ZIP reader can read the result.
"""

import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from zopfli import zlib  # type: ignore[import-untyped]

# The lengths of the header and the checksum of a zlib stream; a ZIP file has the bare deflate data.
HEADER, CHECKSUM = 2, 4

# An entry of the directory at the end of a ZIP file, and the end of the directory, without their variable parts.
ENTRY, END = struct.Struct("<4s4B4H3L5H2L"), struct.Struct("<4s4H2LH")


def compress(wheel: Path) -> None:
    """Replace a wheel by a smaller one with the same files in the same order."""
    smaller = wheel.with_suffix(".smaller")
    with ZipFile(wheel) as source:
        files = [(entry, source.read(entry)) for entry in source.infolist()]
    smaller.write_bytes(b"".join(parts(files)))
    try:
        check(smaller, files)
    except BaseException:
        smaller.unlink()
        raise
    smaller.replace(wheel)


def parts(files: list[tuple[ZipInfo, bytes]]) -> Iterator[bytes]:
    """Return the parts of a ZIP file. `zipfile` can't write what it has not compressed."""
    directory: list[bytes] = []
    offset = 0
    for entry, content in files:
        copy = ZipInfo(entry.filename, entry.date_time)
        copy.compress_type, packed = deflated(content)
        copy.create_system, copy.internal_attr, copy.external_attr = attributes(entry)
        copy.CRC = entry.CRC
        copy.file_size, copy.compress_size, copy.header_offset = len(content), len(packed), offset
        header = copy.FileHeader()
        directory.append(directory_entry(copy, header))
        yield header + packed
        offset += len(header) + len(packed)
    listed = b"".join(directory)
    yield listed
    yield END.pack(b"PK\x05\x06", 0, 0, len(files), len(files), len(listed), offset, 0)


def deflated(content: bytes) -> tuple[int, bytes]:
    """Return the compression method that makes the content shortest, and its result."""
    # 0 removes the limit on the number of blocks of a stream.
    stream = bytes(zlib.compress(content, blocksplittingmax=0))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    packed = stream[HEADER:-CHECKSUM]
    return (ZIP_DEFLATED, packed) if len(packed) < len(content) else (ZIP_STORED, content)


def attributes(entry: ZipInfo) -> tuple[int, int, int]:
    """Return the system that a file is from, and its attributes."""
    return entry.create_system, entry.internal_attr, entry.external_attr


def directory_entry(entry: ZipInfo, header: bytes) -> bytes:
    """Return the entry of the directory for a file, whose header has most of it."""
    versions = (entry.create_version, entry.create_system, entry.extract_version, entry.reserved)
    flags, method, time, date = struct.unpack_from("<4H", header, 6)
    name = entry.filename.encode()
    fixed = ENTRY.pack(
        b"PK\x01\x02",
        *versions,
        *(flags, method, time, date),
        *(entry.CRC, entry.compress_size, entry.file_size),
        *(len(name), 0, 0, 0, entry.internal_attr),
        *(entry.external_attr, entry.header_offset),
    )
    return fixed + name


def check(wheel: Path, files: list[tuple[ZipInfo, bytes]]) -> None:
    """Raise an error if a wheel does not have exactly these files."""
    with ZipFile(wheel) as written:
        found = [described(entry, written.read(entry)) for entry in written.infolist()]
    if found != [described(entry, content) for entry, content in files]:
        raise RuntimeError(f"{wheel} has other files than before")


def described(entry: ZipInfo, content: bytes) -> tuple[object, ...]:
    """Return everything about a file but its compression."""
    return entry.filename, entry.date_time, attributes(entry), content


def main() -> None:
    """Compress the wheels named on the command line."""
    wheels = [Path(name) for name in sys.argv[1:]]
    if not wheels:
        sys.exit("usage: compress_wheel.py WHEEL...")
    for wheel in wheels:
        before = wheel.stat().st_size
        compress(wheel)
        print(f"{wheel.name}: {before:,} bytes, now {wheel.stat().st_size:,}")


if __name__ == "__main__":
    main()
