"""The check that tests cover the API reference: what it reports."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import check_coverage as coverage
import pytest

ROW = coverage.Row("field", "DcaBot.id")
OTHER = coverage.Row("fact", "order of fields")


class Item:
    """A test as pytest collects it."""

    def __init__(self, nodeid: str, *marks: pytest.MarkDecorator) -> None:
        self.nodeid = nodeid
        self._marks = [mark.mark for mark in marks]

    def iter_markers(self, name: str) -> list[pytest.Mark]:
        return [mark for mark in self._marks if mark.name == name]

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return next(iter(self.iter_markers(name)), None)


def marked_tests(*items: Item) -> dict[str, set[str]]:
    claims = coverage.Claims()
    session: Any = SimpleNamespace(items=items)
    claims.pytest_collection_finish(session)
    return dict(claims.tests)


class TestGaps:
    def test_a_row_without_a_test_is_reported(self) -> None:
        assert coverage.gaps([ROW, OTHER], {OTHER.claim: {"tests/a.py::test"}}) == ["field DcaBot.id has no test"]

    def test_a_test_of_an_unknown_row_is_reported_with_its_name(self) -> None:
        (gap,) = coverage.gaps([], {"field DcaBot.gone": {"tests/a.py::test"}})
        assert "DcaBot.gone" in gap
        assert "tests/a.py::test" in gap

    def test_a_row_that_occurs_twice_is_reported(self) -> None:
        assert coverage.gaps([ROW, ROW], {ROW.claim: {"tests/a.py::test"}}) == ["field DcaBot.id occurs 2 times"]

    def test_nothing_is_reported_if_each_row_has_its_test(self) -> None:
        assert coverage.gaps([ROW], {ROW.claim: {"tests/a.py::test"}}) == []


class TestClaims:
    def test_the_cases_of_a_test_are_one_test(self) -> None:
        shows = pytest.mark.shows("a", "b")
        assert marked_tests(Item("t.py::test[1]", shows), Item("t.py::test[2]", shows)) == {
            "a": {"t.py::test"},
            "b": {"t.py::test"},
        }

    @pytest.mark.parametrize("name", ["skip", "skipif", "xfail"])
    def test_a_test_that_may_not_run_or_may_fail_shows_nothing(self, name: str) -> None:
        assert marked_tests(Item("t.py::test", pytest.mark.shows("a"), getattr(pytest.mark, name)(reason="x"))) == {}

    def test_a_test_that_shows_no_row_is_passed_over(self) -> None:
        assert marked_tests(Item("t.py::test")) == {}


class TestRequired:
    @pytest.mark.parametrize(
        ("required", "rules"),
        [
            ("yes", ["required"]),
            ("yes", ["required unless steps has elements"]),
            ("yes", ["0..1", "required"]),
            ("no", []),
            ("no", ["0..1"]),
            ("example", []),
            ("listed as required", ["required"]),
            ("listed as required", ["default 1"]),
            ("required when a is true", ["required when a is true"]),
            ("required for the exchange that issues customer ids", []),
        ],
    )
    def test_source_and_api_reference_agree(self, required: str, rules: list[str]) -> None:
        assert coverage.agrees(required, rules)

    @pytest.mark.parametrize(
        ("required", "rules"),
        [
            ("yes", []),
            ("yes", ["required when a is true"]),
            ("no", ["required"]),
            ("no", ["required when a is true"]),
            ("example", ["required"]),
            ("listed as required", []),
            ("required when a is true", []),
            ("required when a is true", ["required"]),
        ],
    )
    def test_source_and_api_reference_differ(self, required: str, rules: list[str]) -> None:
        assert not coverage.agrees(required, rules)


class TestDifferences:
    def test_an_item_on_one_side_only_is_reported(self) -> None:
        problems = coverage.differences("field", {"both", "ours"}, {"both", "theirs"})
        assert problems == [
            "field ours is in the source and not in the API reference",
            "field theirs is in the API reference and not in the source",
        ]

    def test_an_operation_that_differs_is_reported(self) -> None:
        operation = coverage.Operation(
            name="dca_bots.get",
            method="POST",
            path="/ver1/bots/{id}/show",
            permission="BOTS_READ",
            takes="query",
            success=200,
            inputs=[],
            together=[],
        )
        _, problems = coverage.operations([operation])
        assert any(problem.startswith("operation dca_bots.get is ['POST'") for problem in problems)

    def test_an_undocumented_error_is_reported(self) -> None:
        _, problems = coverage.errors({"by_code": ["record_invalid", "brand_new"], "by_status": [401, 499]})
        assert problems == [
            "error brand_new is in the source and not in the API reference",
            "error 499 is in the source and not in the API reference",
        ]


class TestOutcomes:
    def test_each_operation_has_the_outcomes_that_the_api_reference_names(self) -> None:
        rows, problems = coverage.outcomes()
        assert problems == []
        assert {row.name.partition(":")[0] for row in rows} >= set(coverage.read("documented_operations.json"))

    def test_an_outcome_that_the_sandbox_does_not_list_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        documented = coverage.documented_outcomes() | {"dca_bots.get: 410 Gone"}
        monkeypatch.setattr(coverage, "documented_outcomes", lambda: documented)
        _, problems = coverage.outcomes()
        assert problems == ["outcome dca_bots.get: 410 Gone is in the API reference and not in sandbox_outcomes.toml"]

    def test_an_outcome_that_the_api_reference_does_not_name_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        documented = coverage.documented_outcomes() - {"dca_bots.get: 200"}
        monkeypatch.setattr(coverage, "documented_outcomes", lambda: documented)
        _, problems = coverage.outcomes()
        assert problems == ["outcome dca_bots.get: 200 is in sandbox_outcomes.toml and not in the API reference"]
