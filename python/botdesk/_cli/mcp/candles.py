"""Files of candles, only from the folders that a person named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botdesk._cli import candle_files
from botdesk._cli.mcp.refused import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from botdesk import Candles

_SUFFIXES = frozenset({".csv", ".parquet", ".pq"})
_MOST_LISTED = 30
_MEBIBYTE = 1 << 20
_MOST_BYTES = 512 * _MEBIBYTE


def names(folders: tuple[Path, ...]) -> list[str]:
    """Return the names of the files, each relative to its folder."""
    return sorted({str(path.relative_to(folder)) for folder in folders for path in _files(folder)})


def read(folders: tuple[Path, ...], name: object) -> Candles:
    """Read candles.

    Raises:
        RefusedError: There is no such file in the folders.
        BotdeskError: It has no candles.
    """
    if not folders:
        raise RefusedError("no candles can be read; ask the person to start the server with --candles FOLDER")
    if not isinstance(name, str) or not name or "\0" in name:
        raise RefusedError(f"candles: give the name of a file; {_listed(folders)}")
    for folder in folders:
        path = _inside(folder, name)
        if path is not None:
            if path.stat().st_size > _MOST_BYTES:
                raise RefusedError(
                    f"candles: {name!r} has more than {_MOST_BYTES // _MEBIBYTE} MiB; use a smaller file"
                )
            return candle_files.read_candles(path)
    raise RefusedError(f"candles: there is no file {name!r} of candles in the allowed folders; {_listed(folders)}")


def _inside(folder: Path, name: str) -> Path | None:
    """Return the file of a name; None if it is outside of the folder, also through a link."""
    try:
        root = folder.resolve(strict=True)
        path = (root / name).resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    is_allowed = path.is_relative_to(root) and path.is_file() and path.suffix.lower() in _SUFFIXES
    return path if is_allowed else None


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES and path.is_file())


def _listed(folders: tuple[Path, ...]) -> str:
    found = names(folders)
    more = f" and {len(found) - _MOST_LISTED} more" if len(found) > _MOST_LISTED else ""
    return f"there are: {', '.join(found[:_MOST_LISTED])}{more}" if found else "the folders have no files of candles"
