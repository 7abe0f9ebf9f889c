"""Measure how long builds and checks take on two cores, in fresh clones, and print a Markdown table.

The commit that is checked out is measured; changes that are not committed are left out. The first three rows start from
a bare clone and download everything, so they need the network and about half an hour. The other rows share a clone that
is built once, outside the measured time. For figures that can be compared, let nothing else run.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CORES = "0,1"
DEV_SETUP = ". scripts/prepare.sh && prepare dev"
ENTER = '. .venv/bin/activate && export PYO3_PYTHON="$PWD/.venv/bin/python" && '


class Edit(NamedTuple):
    """A one-line change of a file, which makes cargo compile its crate again."""

    file: str
    pattern: re.Pattern[str]
    replacement: str

    def apply(self, checkout: Path) -> None:
        """Change the file in a checkout."""
        path = checkout / self.file
        changed, count = self.pattern.subn(self.replacement, path.read_text("utf-8"), count=1)
        if count == 0:
            raise ValueError(f"{self.file}: found no line to edit; change EDITS in {Path(__file__).name}")
        path.write_text(changed, "utf-8")


DOCUMENTATION_OF_A_FIELD = re.compile(r"^(        /// .*)$(?=\n        \w)", re.MULTILINE)
START_OF_A_FUNCTION = re.compile(r"^( *)((?:pub(?:\([^)]*\))? )?fn .*\{)$", re.MULTILINE)
# A statement that the compiler may not remove.
STATEMENT = r"\1\2\n\1    let _ = std::hint::black_box(1);"
EDITS = {
    "field": Edit("crates/api/src/dca_bot.rs", DOCUMENTATION_OF_A_FIELD, r"\1 Measured."),
    "bridge": Edit("src/bridge.rs", START_OF_A_FUNCTION, STATEMENT),
    "trading": Edit("crates/trading/src/ladder.rs", START_OF_A_FUNCTION, STATEMENT),
}


class Row(NamedTuple):
    """A row of the table: what is timed, and what happens before the clock starts."""

    title: str
    command: str
    # The rows without an edit start from a bare clone.
    edit: Edit | None = None
    setup: str = ""


ROWS = {
    "quickstart": Row("`./scripts/quickstart`, bare clone", "./scripts/quickstart"),
    "pip": Row("`pip install .`, bare clone", "bare/bin/python -m pip install .", setup="python3 -m venv bare"),
    "ci": Row("`.ci/run`, bare clone", "./.ci/run"),
    "field": Row("`just build` after an edit of a field's row", "just build", EDITS["field"], "just build"),
    "bridge": Row("`just build` after an edit of the bridge", "just build", EDITS["bridge"], "just build"),
    "trading": Row(
        "`cargo test --package botdesk-trading` after an edit of it",
        "cargo test --package botdesk-trading --locked",
        EDITS["trading"],
        "cargo test --package botdesk-trading --locked",
    ),
    "api": Row(
        "`cargo test --package botdesk-api` after an edit of it",
        "cargo test --package botdesk-api --locked",
        EDITS["field"],
        "cargo test --package botdesk-api --locked",
    ),
}


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a fresh clone: no .venv, no caches."""
    leave_out = {"VIRTUAL_ENV", "PYO3_PYTHON", "CARGO_TARGET_DIR", "CI", "PYTHONPATH"}
    kept = {name: value for name, value in os.environ.items() if name not in leave_out}
    path = [entry for entry in kept["PATH"].split(os.pathsep) if not (Path(entry).parent / "pyvenv.cfg").exists()]
    cargo_home = folder / "cargo"
    cargo_home.mkdir()
    own = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    # It may configure where crates are downloaded from.
    if (own / "config.toml").exists():
        shutil.copy(own / "config.toml", cargo_home)
    return kept | {
        "PATH": os.pathsep.join(path),
        "CARGO_HOME": str(cargo_home),
        "PIP_CACHE_DIR": str(folder / "pip"),
    }


class Clone:
    """A fresh clone in a folder of its own, with empty caches."""

    def __init__(self, parent: Path, *, verbose: bool) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=parent))
        self.checkout = self.folder / "botdesk"
        self._environment = environment(self.folder)
        self._verbose = verbose
        subprocess.run(["git", "clone", "--quiet", "--no-local", ROOT, self.checkout], check=True)

    def run(self, command: str) -> float:
        """Run a command of the shell on two cores, and return how many seconds it took."""
        cores = ["taskset", "-c", CORES] if shutil.which("taskset") else []
        started = time.monotonic()
        done = subprocess.run(
            [*cores, "sh", "-ec", command],
            cwd=self.checkout,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr if self._verbose else subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            sys.stderr.write(done.stdout or "")
            sys.exit(f"{command}: failed with exit code {done.returncode}")
        return time.monotonic() - started

    def remove(self) -> None:
        """Delete the clone and its caches."""
        shutil.rmtree(self.folder)


def after_edit(clone: Clone, row: Row) -> float:
    """Return how long the command of a row takes after its edit."""
    clone.run(ENTER + row.setup)
    if row.edit is not None:
        row.edit.apply(clone.checkout)
    return clone.run(ENTER + row.command)


def measure(names: list[str], parent: Path, *, verbose: bool) -> dict[str, float]:
    """Measure the named rows."""
    seconds: dict[str, float] = {}
    edited = [name for name in names if ROWS[name].edit]
    for name in names:
        if name not in edited:
            clone = Clone(parent, verbose=verbose)
            clone.run(ROWS[name].setup or "true")
            seconds[name] = report(name, clone.run(ROWS[name].command))
            clone.remove()
    if edited:
        clone = Clone(parent, verbose=verbose)
        clone.run(DEV_SETUP)
        for name in edited:
            seconds[name] = report(name, after_edit(clone, ROWS[name]))
        clone.remove()
    return seconds


def report(name: str, seconds: float) -> float:
    """Print the figure of a row, because the next row may take long, and return it."""
    print(f"{name}: {duration(seconds)}", file=sys.stderr, flush=True)
    return seconds


def duration(seconds: float) -> str:
    """Write a duration: `9 s` below a minute, `4:16` above."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes else f"{rest} s"


def table(seconds: dict[str, float]) -> str:
    """Return the Markdown table, its rows in the order of `ROWS`."""
    rows = (f"| {ROWS[name].title} | {duration(seconds[name])} |\n" for name in ROWS if name in seconds)
    return "| | measured |\n|---|---|\n" + "".join(rows)


def main() -> None:
    """Measure the rows named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="scripts/measure_builds", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"any of {', '.join(ROWS)}; default: all")
    parser.add_argument("--folder", type=Path, default=ROOT / "target", help="where the clones are made, 10 GB at most")
    parser.add_argument("--verbose", action="store_true", help="print the output of the commands to standard error")
    arguments = parser.parse_args()
    if unknown := set(arguments.rows) - set(ROWS):
        parser.error(f"no row is named {', '.join(sorted(unknown))}; the rows are {', '.join(ROWS)}")
    if not shutil.which("taskset"):
        print("taskset was not found; the commands use all cores", file=sys.stderr)
    if (load := os.getloadavg()[0]) > 1:
        print(f"the load is {load:.1f}; other programs slow the builds down", file=sys.stderr)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    seconds = measure(arguments.rows or list(ROWS), arguments.folder.resolve(), verbose=arguments.verbose)
    print(table(seconds), end="")


if __name__ == "__main__":
    main()
