"""Check that the source and the API reference have the same rows, and that a test shows each row.

The rows come from the source, as `botdesk-codegen document` prints them. They must match those of the API reference,
which were copied by hand into tests/fixtures/documented_*. A test names the rows that it shows:
`@pytest.mark.shows("field DcaBot.take_profit")`.

It is an error if a row has no test, a test names an unknown row, or only one of source and API reference has a row.
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
from typing import Any, NamedTuple, TypedDict

import pytest

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT / "tests" / "fixtures"


class Input(TypedDict):
    """An input as the source has it."""

    wire: str
    also: str | None
    rules: list[str]


class CrossFieldRule(TypedDict):
    """A rule about several inputs as the source has it."""

    name: str
    inputs: list[str]


class Operation(TypedDict):
    """An operation as the source has it."""

    name: str
    method: str
    path: str
    permission: str
    takes: str
    success: int
    inputs: list[Input]
    together: list[CrossFieldRule]


class Field(TypedDict):
    """A field of a record as the source has it."""

    record: str
    wire: str


class Errors(TypedDict):
    """The errors that the source distinguishes: by their code, and by their status."""

    by_code: list[str]
    by_status: list[int]


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


def read(name: str) -> Any:  # noqa: ANN401 - JSON of any shape
    """Read a part of the API reference from its fixture."""
    return json.loads((FIXTURES / name).read_text("utf-8"))


def differences(what: str, source: set[str], document: set[str]) -> list[str]:
    """Return what only one side has."""
    return [
        *(f"{what} {name} is in the source and not in the API reference" for name in sorted(source - document)),
        *(f"{what} {name} is in the API reference and not in the source" for name in sorted(document - source)),
    ]


def operations(source: list[Operation]) -> tuple[list[Row], list[str]]:
    """Return the rows of operations, and the differences between source and API reference."""
    documented: dict[str, list[Any]] = read("documented_operations.json")
    problems = differences("operation", {one["name"] for one in source}, set(documented))
    rows: list[Row] = []
    for one in source:
        _, *expected, _ = documented.get(one["name"], ["", "", "", "", "", 0, []])
        actual = [one["method"], one["path"], one["permission"], one["takes"], one["success"]]
        if actual != [re.sub(r"\{\w+\}", "{id}", part) if isinstance(part, str) else part for part in expected]:
            problems.append(f"operation {one['name']} is {actual} in the source and {expected} in the API reference")
        rows.append(Row("operation", one["name"]))
    return rows, problems


def fields(source: list[Field]) -> tuple[list[Row], list[str]]:
    """Return the rows of fields, and the differences between source and API reference."""
    tables: dict[str, list[tuple[str, str, str]]] = read("documented_fields.json")
    documented = {f"{record}.{wire}" for record, table in tables.items() for wire, *_ in table}
    held = [f"{one['record']}.{one['wire']}" for one in source]
    return [Row("field", name) for name in held], differences("field", set(held), documented)


def inputs(source: list[Operation]) -> tuple[list[Row], list[str]]:
    """Return the rows of inputs and their rules, and the differences between source and API reference."""
    documented: dict[str, list[tuple[str, str, str, str]]] = {
        **read("documented_inputs.json"),
        "dca_bots.edit": read("documented_edit.json"),
    }
    rows: list[Row] = []
    problems: list[str] = []
    for operation in source:
        name = operation["name"]
        requirements = {wire: required for wire, _, required, _ in documented.get(name, [])}
        held = {wire: one for one in operation["inputs"] for wire in (one["wire"], one["also"]) if wire}
        problems += differences(
            "input", {f"{name}.{wire}" for wire in held}, {f"{name}.{wire}" for wire in requirements}
        )
        if "{id}" in operation["path"]:
            rows.append(Row("input", f"{name}.{{id}}"))
        for wire, one in held.items():
            required = requirements.get(wire, "")
            rows.append(Row("input", f"{name}.{wire}"))
            if wire == one["wire"]:
                rows += [Row("rule", f"{name}.{wire}: {rule}") for rule in one["rules"]]
            if wire == (one["also"] or one["wire"]) and not agrees(required, one["rules"]):
                problems.append(
                    f"input {name}.{wire} is {one['rules']} in the source and {required!r} in the API reference"
                )
        rows += [Row("rule", f"{name}: {rule['name']}") for rule in operation["together"]]
    return rows, problems


def agrees(required: str, rules: list[str]) -> bool:
    """Return True if the rules of an input require it exactly when the API reference does."""
    always = any(rule == "required" or rule.startswith("required unless ") for rule in rules)
    if required == "listed as required":
        return always or any(rule.startswith("default ") for rule in rules)
    # The API reference says "for the exchange that" without naming the exchange, so no rule can check it.
    sometimes = any(rule.startswith("required when ") for rule in rules)
    return (always, sometimes) == (required == "yes", required.startswith("required when "))


def errors(source: Errors) -> tuple[list[Row], list[str]]:
    """Return the rows of errors, and the errors of the source that are not documented."""
    documented: list[tuple[int, str, str, str]] = read("documented_errors.json")
    rows = [Row("error", f"{status} {error}".strip()) for status, error, *_ in documented]
    known = {(status, error) for status, error, *_ in documented}
    problems: list[str] = []
    operations_table: dict[str, list[Any]] = read("documented_operations.json")
    for operation, (*_, refused) in operations_table.items():
        for status, error in refused:
            rows.append(Row("error", f"{status} {error} of {operation}"))
            if (status, error) not in known:
                problems.append(f"error {status} {error} of {operation} is not in the table of errors")
    reached = {each for pair in known for each in pair}
    unreached = [each for each in (*source["by_code"], *source["by_status"]) if each not in reached]
    problems += [f"error {each} is in the source and not in the API reference" for each in unreached]
    return rows, problems


# The key of `sandbox_outcomes.toml` for the errors of all operations.
EVERY_OPERATION = "every operation"


def documented_outcomes() -> set[str]:
    """Return the outcomes that the API reference names: successes, errors of one operation, and errors of all."""
    found: set[str] = set()
    for name, (_, _, path, _, _, success, refused) in read("documented_operations.json").items():
        outcomes = {str(success), *(f"{status} {error}" for status, error in refused)}
        # By the table of errors, every unknown DCA bot gives this error.
        unknown = {"404 Not found"} if "{bot_id}" in path else set[str]()
        found |= {f"{name}: {outcome}" for outcome in outcomes | unknown}
    for status, error, _, when in read("documented_errors.json"):
        # By point 7 of the section Authentication, every endpoint gives this error.
        if error == "signature_invalid" or "not in the api reference" in when.lower():
            found.add(f"{EVERY_OPERATION}: {status} {error}".strip())
    return found


def outcomes() -> tuple[list[Row], list[str]]:
    """Return the rows of outcomes, and the outcomes that either the API reference or the sandbox's list lacks."""
    listed: dict[str, dict[str, str]] = tomllib.loads((FIXTURES / "sandbox_outcomes.toml").read_text("utf-8"))
    rows = [Row("outcome", f"{operation}: {outcome}") for operation, outcomes in listed.items() for outcome in outcomes]
    held, documented = {row.name for row in rows}, documented_outcomes()
    return rows, [
        *(
            f"outcome {name} is in sandbox_outcomes.toml and not in the API reference"
            for name in sorted(held - documented)
        ),
        *(
            f"outcome {name} is in the API reference and not in sandbox_outcomes.toml"
            for name in sorted(documented - held)
        ),
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
    parts = [
        operations(source["operations"]),
        fields(source["fields"]),
        inputs(source["operations"]),
        errors(source["errors"]),
        outcomes(),
        statements(),
    ]
    rows = [row for found, _ in parts for row in found]
    problems = [problem for _, found in parts for problem in found]
    problems += gaps(rows, claims())
    if problems:
        print(*problems, f"{len(problems)} in all; CONTRIBUTING.md says what to do", sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
