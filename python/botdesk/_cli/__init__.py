"""The command line: `botdesk`, or `python -m botdesk`. It needs the extra `cli`."""

from __future__ import annotations

import sys
from importlib.util import find_spec

# What the extra brings.
_NEEDED = ("typer", "rich")

# The exit code of a command that can't even begin.
_UNUSABLE = 2


def main() -> None:
    """Run the command that the arguments ask for."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        message = f"the command line needs {' and '.join(missing)}; install with: pip install {' '.join(missing)}"
        print(f"botdesk: {message}", file=sys.stderr)  # noqa: T201 - nothing prettier is installed
        sys.exit(_UNUSABLE)

    from botdesk._cli.app import run  # noqa: PLC0415 - it imports what may be missing

    sys.exit(run())
