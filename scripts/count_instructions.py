"""Count the instructions of signing, decoding, building a request and a backtest, and compare them with earlier ones.

The load of the machine does not change the counts, so they show changes that times would hide. They depend on the
compiler, so they are compared only if the committed counts come from the same one.

The counts are those of the build that the tests use, in which dependencies are optimised and botdesk is not. Additional
work shows there as well, and a separate build would take as long as all tests.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMITTED = ROOT / "benches" / "counts.json"

TOLERANCE = 0.03

# The repetitions of each task: the difference of two counts leaves out the start of the process.
TIMES = {"signing": (2, 12), "decoding": (1, 4), "request": (100, 600), "backtest": (1, 5)}

# The whole workspace is selected, so that dependencies have the features that they have in the tests.
BUILD = ["cargo", "build", "--workspace", "--bench", "counts"]


def build() -> str:
    """Build the program that is counted, and return its path."""
    command = [*BUILD, "--quiet", "--locked", "--message-format=json"]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = output.splitlines()
    built = [message for message in map(json.loads, lines) if message.get("executable")]
    return str(built[-1]["executable"])


def instructions(program: str, task: str, times: int) -> int:
    """Count the instructions of a run."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "counts"
        command = [
            "valgrind",
            "--quiet",
            "--tool=callgrind",
            f"--callgrind-out-file={output}",
            program,
            task,
            str(times),
        ]
        subprocess.run(command, check=True)
        totals = next(
            line for line in output.read_text("utf-8").splitlines() if line.startswith(("summary:", "totals:"))
        )
    return int(totals.split()[1])


def counts() -> dict[str, int]:
    """Count each task, done once."""
    program = build()
    found: dict[str, int] = {}
    for task, (few, many) in TIMES.items():
        found[task] = round((instructions(program, task, many) - instructions(program, task, few)) / (many - few))
    return found


def compiler() -> str:
    """Return the version of the compiler."""
    version = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout
    return " ".join(version.split()[:2])


def problems(now: dict[str, int], before: dict[str, int]) -> list[str]:
    """Return the tasks that cost more than committed, or so much less that the committed count is out of date."""
    found: list[str] = []
    for task, count in now.items():
        change = count / before[task] - 1
        print(f"{task}: {count:,} instructions, {change:+.1%} against the committed {before[task]:,}")
        if abs(change) > TOLERANCE:
            found.append(f"{task}: {change:+.1%}; look into it, or commit what `just counts --write` writes")
    return found


def main() -> int:
    """Compare the counts, or write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help=f"write {COMMITTED.relative_to(ROOT)}")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("SKIPPED the counts of instructions: valgrind is not installed", file=sys.stderr)
        return 1 if arguments.write else 0
    if arguments.write:
        COMMITTED.write_text(json.dumps({"compiler": compiler(), **counts()}, indent=4) + "\n", encoding="utf-8")
        return 0
    committed = json.loads(COMMITTED.read_text("utf-8"))
    if committed.pop("compiler") != compiler():
        print(f"SKIPPED the counts of instructions: they were not counted with {compiler()}", file=sys.stderr)
        return 0
    found = problems(counts(), committed)
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
