"""Files that are written as a whole: after an error, such as a full disk, the file is what it was before."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Generator[Path]:
    """Return the path to write to, whose file takes the place of `path` at the end, with its permissions."""
    # A link stays one.
    target = path.resolve() if path.is_symlink() else path
    if target.exists() and not target.is_file():
        # What is no file, such as /dev/stdout, can't be replaced.
        yield path
        return
    written = target.with_name(f"{target.name}.{os.getpid()}.{threading.get_ident()}.new")
    try:
        yield written
        if target.exists():
            written.chmod(target.stat().st_mode)
        written.replace(target)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
