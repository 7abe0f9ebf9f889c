"""Lines that set environment variables in the shells that people use."""

from __future__ import annotations

import os
import re
import shlex
import sys
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# PowerShell reads typographic quotes as quotes.
_POWERSHELL_QUOTES = re.compile("['\u2018-\u201b]")


class Shell(StrEnum):
    """A kind of shell."""

    SH = "sh"
    FISH = "fish"
    POWERSHELL = "powershell"


def current() -> Shell:
    """Return the shell of the user, as far as the environment names it; `sh` stands for all POSIX shells."""
    if sys.platform == "win32":
        return Shell.POWERSHELL
    name = PurePath(os.environ.get("SHELL", "")).name
    return {"fish": Shell.FISH, "pwsh": Shell.POWERSHELL}.get(name, Shell.SH)


def lines(shell: Shell, variables: Mapping[str, str], removed: Iterable[str]) -> Iterator[str]:
    """Yield the lines that set variables, and remove others first."""
    match shell:
        case Shell.SH:
            yield f"unset {' '.join(removed)}"
            yield from (f"export {name}={shlex.quote(value)}" for name, value in variables.items())
        case Shell.FISH:
            yield f"set -e {' '.join(removed)}"
            yield from (f"set -gx {name} {_fish_quoted(value)}" for name, value in variables.items())
        case Shell.POWERSHELL:
            yield from (f"$env:{name} = $null" for name in removed)
            yield from (f"$env:{name} = {_powershell_quoted(value)}" for name, value in variables.items())


def _fish_quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _powershell_quoted(value: str) -> str:
    return f"'{_POWERSHELL_QUOTES.sub(lambda quote: quote[0] * 2, value)}'"
