"""docs/unsafe.md lists every block of unsafe code, with tests that exist."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "crates", "benches", "fuzz", "models")

PAGE = (ROOT / "docs" / "unsafe.md").read_text("utf-8")
ROW = re.compile(
    r"^\| `(?P<file>[^`]+)`: (?:`(?P<function>\w+)`|the module) \| (?P<count>\d+) \| .+ \| `(?P<test>\w+)` \|$",
    re.MULTILINE,
)

# What is unsafe to write, and the functions that contain it.
UNSAFE = re.compile(r"\bunsafe\s*(?:\{|extern\b[^;]*?\{|impl\b|trait\b|fn\b)|#!?\[unsafe|\bfn (\w+)")


def blocks(source: str) -> Counter[str]:
    """Return the number of blocks of unsafe code in each function; that of the module is empty."""
    found = Counter[str]()
    function = ""
    for match in UNSAFE.finditer(re.sub(r"//.*", "", source)):
        if match[1]:
            function = match[1]
        else:
            found[function] += 1
    return found


def in_source() -> dict[tuple[str, str], int]:
    files = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.rs"))
    return {
        (file.relative_to(ROOT).as_posix(), function): count
        for file in files
        for function, count in blocks(file.read_text("utf-8")).items()
    }


def test_the_page_lists_every_block_of_unsafe_code() -> None:
    listed = {(row["file"], row["function"] or ""): int(row["count"]) for row in ROW.finditer(PAGE)}
    assert listed == in_source()


def test_the_tests_of_the_page_exist() -> None:
    files = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "crates").rglob("*.rs")]
    source = "\n".join(file.read_text("utf-8") for file in files)
    for row in ROW.finditer(PAGE):
        assert re.search(rf"\b(?:def|fn) {row['test']}\(", source), row["test"]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("fn a() { unsafe { b() } }\nfn c() { unsafe{}; unsafe\n{} }", {"a": 1, "c": 2}),
        ('unsafe extern "C" {\n fn a();\n}', {"": 1}),
        ("unsafe impl Send for A {}", {"": 1}),
        ("unsafe fn a() {}", {"": 1}),
        ("// unsafe { }\nfn an_unsafe_url() {}", {}),
    ],
)
def test_a_block_of_unsafe_code_is_recognised(source: str, found: dict[str, int]) -> None:
    assert blocks(source) == found
