"""The command line, `botdesk` or `python -m botdesk`; needs the extra `cli`."""

from __future__ import annotations

import sys
from importlib.util import find_spec

# The packages of the extra.
_REQUIRED = ("typer", "rich")

# As in `exit_codes`, which can't be imported without these packages.
_USAGE = 2


def main() -> None:
    """Run the command line and exit."""
    missing = [name for name in _REQUIRED if find_spec(name) is None]
    if missing:
        message = f"the command line needs {' and '.join(missing)}; install with: pip install {' '.join(missing)}"
        print(f"botdesk: {message}", file=sys.stderr)  # noqa: T201 - typer is not installed
        sys.exit(_USAGE)

    from botdesk._cli.app import run  # noqa: PLC0415 - it imports packages that may be missing

    sys.exit(run())
