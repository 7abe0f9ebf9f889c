"""Files that are written as a whole: after an error, such as a full disk, the file is what it was before."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Generator[Path]:
    """Return the path to write to, whose file takes the place of `path` at the end."""
    if path.exists() and not path.is_file():
        # What is no file, such as /dev/stdout, can't be replaced.
        yield path
        return
    written = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        yield written
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
