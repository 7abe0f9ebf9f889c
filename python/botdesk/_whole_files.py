"""Files that are written as a whole: after an error, such as a full disk, the file is what it was before."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from botdesk._native import _shown_path
from botdesk.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Generator[Path]:
    """Return the path to write to, whose file takes the place of `path` at the end, with its permissions.

    Raises:
        ConfigurationError: The file can't be written; the message has its path and the reason.
        BrokenPipeError: The path is a pipe, whose reader has had enough; the command line ends then.
    """
    try:
        with _replacing(path) as written:
            yield written
    except BrokenPipeError:
        raise
    except OSError as error:
        # Its own text has the name of the other file.
        raise ConfigurationError(f"{_shown_path(str(path))} can't be written: {reason_of(error)}") from None


def reason_of(error: OSError) -> str:
    """Return the reason of an error, without a path, which may be a secret."""
    return error.strerror or type(error).__name__


@contextmanager
def _replacing(path: Path) -> Generator[Path]:
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
