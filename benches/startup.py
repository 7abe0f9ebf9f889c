"""What an import costs a new process."""

import sys
from collections.abc import Callable
from subprocess import run

from benches.measure import Table, in_turns

BARE = "bare Python"


def tables(seconds: float) -> list[Table]:
    """Measure imports."""
    scripts = {
        BARE: "pass",
        "import botdesk": "import botdesk",
        "import requests": "import requests",
        "import httpx": "import httpx",
    }
    bare, *rows = in_turns({name: process(script) for name, script in scripts.items()}, seconds)
    about = (
        f"A new process that imports the package and ends, less one that imports nothing ({bare.median * 1e3:.3g} ms)."
    )
    return [Table("Import", about, rows, floor=bare)]


def process(script: str) -> Callable[[], object]:
    """Run a script in a new Python."""
    return lambda: run([sys.executable, "-c", script], check=True)
