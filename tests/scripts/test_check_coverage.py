"""The check that tests cover the API reference: what it reports."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import check_coverage as coverage
import pytest

ROW = coverage.Row("fact", "DcaBot.id")
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
        assert coverage.gaps([ROW, OTHER], {OTHER.claim: {"tests/a.py::test"}}) == ["fact DcaBot.id has no test"]

    def test_a_test_of_an_unknown_row_is_reported_with_its_name(self) -> None:
        (gap,) = coverage.gaps([], {"field DcaBot.gone": {"tests/a.py::test"}})
        assert "DcaBot.gone" in gap
        assert "tests/a.py::test" in gap

    def test_a_row_that_occurs_twice_is_reported(self) -> None:
        assert coverage.gaps([ROW, ROW], {ROW.claim: {"tests/a.py::test"}}) == ["fact DcaBot.id occurs 2 times"]

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
