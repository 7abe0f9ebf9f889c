"""Check that a test shows each statement of the API reference that is not in one of its tables.

The statements are rules of inputs, as `botdesk-codegen document` prints them, and sentences of the API reference. A
test names those that it shows: `@pytest.mark.shows("rule dca_bots.edit: pairs_have_one_quote")`. What a table of the
API reference says of operations, inputs and fields has no mark: tests/conformance tests all of it. It also tests that
no secret is shown.

It is an error if a statement has no test, or a test names an unknown one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple, TypedDict

import pytest

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "tests" / "fixtures"


class Input(TypedDict):
    """An input as the source has it."""

    wire: str
    rules: list[str]


class CrossFieldRule(TypedDict):
    """A rule about several inputs as the source has it."""

    name: str


class Operation(TypedDict):
    """An operation as the source has it."""

    name: str
    inputs: list[Input]
    together: list[CrossFieldRule]


class Row(NamedTuple):
    """A row of the API reference."""

    kind: str
    name: str

    @property
    def claim(self) -> str:
        """The argument of the `shows` mark of a test that covers the row."""
        return f"{self.kind} {self.name}"


class Claims:
    """A pytest plugin that collects the `shows` marks of the tests."""

    def __init__(self) -> None:
        """Start without marks."""
        self.tests: defaultdict[str, set[str]] = defaultdict(set)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Record what each test shows, except for tests that may be skipped or may fail."""
        for item in session.items:
            if any(item.get_closest_marker(name) for name in ("skip", "skipif", "xfail")):
                continue
            for mark in item.iter_markers("shows"):
                for claim in mark.args:
                    self.tests[claim].add(item.nodeid.partition("[")[0])


# Rules that tests/conformance tests for each input: those of the tables of the API reference, and of secrets.
OF_EACH_INPUT = re.compile(
    r"required$|required when |one of |default |the service sets |at least |greater than |-?[\d.]+\.\.|never shown$"
)


def rules(source: list[Operation]) -> list[Row]:
    """Return the rules of inputs that no table has."""
    return [
        row
        for operation in source
        for row in (
            *(
                Row("rule", f"{operation['name']}.{one['wire']}: {rule}")
                for one in operation["inputs"]
                for rule in one["rules"]
                if not OF_EACH_INPUT.match(rule)
            ),
            *(Row("rule", f"{operation['name']}: {rule['name']}") for rule in operation["together"]),
        )
    ]


def statements() -> tuple[list[Row], list[str]]:
    """Return the rows of statements, and the source files of statements that do not exist."""
    documented: dict[str, dict[str, tuple[str, str]]] = tomllib.loads(
        (FIXTURES / "documented_statements.toml").read_text("utf-8")
    )
    rows = [Row(kind, name) for kind, table in documented.items() for name in table]
    sources = sorted({source for table in documented.values() for _, source in table.values()})
    return rows, [
        f"the source {source} of a statement does not exist" for source in sources if not (ROOT / source).is_file()
    ]


def claims() -> dict[str, set[str]]:
    """Collect the tests of all files with the mark `shows`, and return which tests show each row."""
    files = sorted(str(path) for path in (ROOT / "tests").rglob("test_*.py") if "mark.shows" in path.read_text("utf-8"))
    plugin = Claims()
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.chdir(ROOT):
        status = pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", *files], plugins=[plugin])
    if status != pytest.ExitCode.OK:
        sys.exit(f"The tests could not be collected:\n{output.getvalue()}")
    return plugin.tests


def gaps(rows: list[Row], shown: dict[str, set[str]]) -> list[str]:
    """Return the rows without a test, the rows that occur twice, and the marks of tests that name no row."""
    known = Counter(row.claim for row in rows)
    unknown = sorted(shown.keys() - known.keys())
    return [
        *(f"{claim} has no test" for claim in known if not shown.get(claim)),
        *(f"{claim} occurs {count} times" for claim, count in known.items() if count > 1),
        *(f"{claim} is not a row, but is shown by {', '.join(sorted(shown[claim]))}" for claim in unknown),
    ]


def main() -> int:
    """Print what is missing or different."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="output of `botdesk-codegen document`")
    arguments = parser.parse_args()
    source = json.loads(arguments.source.read_text("utf-8"))
    sentences, problems = statements()
    rows = [*rules(source["operations"]), *sentences]
    shown = claims()
    problems += gaps(rows, shown)
    if problems:
        print(*problems, f"{len(problems)} in all; CONTRIBUTING.md says what to do", sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
