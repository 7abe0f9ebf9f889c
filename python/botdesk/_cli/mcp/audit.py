"""The audit log: a line of JSON for each call, preview and write, without secrets."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from botdesk._cli import output
from botdesk._cli.mcp.json_types import is_list, is_object
from botdesk._cli.mcp.refused import RefusedError
from botdesk._native import _printable, _shown_path

if TYPE_CHECKING:
    from pathlib import Path

# Longer strings, such as the message of a service, are cut.
_LONGEST = 1_000


class Audit:
    """The audit log of a server. A call that can't be logged is not carried out."""

    def __init__(self, path: Path, destination: str) -> None:
        """Open the file, which only the user of the process can read; `destination` is in each line.

        Raises:
            OSError: The file can't be written.
        """
        self._path = path
        self._destination = destination
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

    def write(self, event: str, **details: Any) -> None:  # noqa: ANN401
        """Append a line.

        Raises:
            RefusedError: The line can't be written.
        """
        try:
            data = self._line(event, details)
        except RecursionError:
            # JSON that is nested a thousand times; the line is there all the same.
            plain = {name: value for name, value in details.items() if isinstance(value, str)}
            data = self._line(event, {**plain, "left_out": "arguments that are nested too deeply"})
        try:
            # One write: the lines of several servers do not mix.
            written = os.write(self._file, data)
        except OSError as error:
            raise self._refused(error.strerror or str(error)) from error
        if written != len(data):
            raise self._refused("the disk is full")

    def _line(self, event: str, details: dict[str, Any]) -> bytes:
        time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"time": time, "event": event, "destination": self._destination, **_cut(details)}
        content = _printable(output.dumps(line), secrets=False)
        # A name of the service may have line breaks that JSON does not escape.
        return f"{json.dumps(json.loads(content), ensure_ascii=True)}\n".encode()

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _refused(self, reason: str) -> RefusedError:
        path = _shown_path(str(self._path))
        return RefusedError(f"the audit log {path} can't be written: {reason}; nothing is done without it")


def shown_token(token: str) -> str:
    """Return what the log shows of a token: the same for the preview and for its use, but not the token."""
    return hashlib.sha256(token.encode()).hexdigest()[:12]


def _cut(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return output.one_line(value, _LONGEST)
    if is_object(value):
        return {name: _cut(each) for name, each in value.items()}
    if is_list(value):
        return [_cut(each) for each in value]
    return value
