"""The page that shows which lines the tests run: how it counts, and what it reports."""

from __future__ import annotations

from pathlib import Path

import line_coverage as coverage
import pytest

NOTES = f"""\
SF:{coverage.ROOT}/crates/api/src/json.rs
DA:1,3
DA:2,0
end_of_record
SF:python/botdesk/_cli/app.py
DA:7,1,checksum
end_of_record
"""

SOURCE = """\
pub fn kept() {}

#[cfg(test)]
mod tests {
    #[test]
    fn left_out() {}
}

pub fn kept_too() {}
"""


def counted(percent: int) -> dict[str, coverage.Share]:
    return {folder: coverage.Share(percent, 100) for folder in coverage.NEEDED}


class TestCounting:
    def test_each_file_of_both_languages_is_read(self) -> None:
        assert coverage.lines(NOTES) == {
            Path("crates/api/src/json.rs"): {1: True, 2: False},
            Path("python/botdesk/_cli/app.py"): {7: True},
        }

    def test_a_folder_is_a_part_of_the_core_or_of_the_package(self) -> None:
        assert coverage.shares(coverage.lines(NOTES)) == {
            "python/botdesk/_cli": coverage.Share(1, 1),
            "crates/api": coverage.Share(1, 2),
        }

    def test_folders_below_a_part_are_counted_in_it(self) -> None:
        assert coverage.folder_of(Path("crates/api/src/input/rule.rs")) == "crates/api"

    def test_the_lines_of_tests_are_left_out(self) -> None:
        assert coverage.test_lines(SOURCE) == {3, 4, 5, 6, 7}

    @pytest.mark.parametrize(
        "file",
        [
            "crates/client/src/watch/tests.rs",
            "crates/sandbox/src/tests/lists.rs",
            "crates/fuzzing/src/lib.rs",
            "crates/simulation/src/run.rs",
        ],
    )
    def test_a_file_of_tests_is_left_out(self, file: str) -> None:
        assert coverage.without_tests({Path(file): {1: True}}) == {}

    def test_missed_code_is_reported_by_its_lines(self) -> None:
        ran = {1: True, 2: False, 3: False, 4: True, 9: False}
        assert coverage.missed({Path("crates/system/src/lock.rs"): ran}) == "crates/system/src/lock.rs: 2-3 9\n"


class TestRefusals:
    def test_a_folder_with_too_few_lines_is_reported_with_its_share(self) -> None:
        (message, *_) = coverage.too_little(counted(94))
        assert message == "crates/api: 94.0 % of the lines ran; 95 % are the least"

    def test_a_folder_of_which_no_line_ran_has_lost_its_counts(self) -> None:
        (message,) = coverage.without_counts({"src": coverage.Share(0, 9), "crates/api": coverage.Share(1, 9)})
        assert message.startswith("src: no line ran; ")

    def test_enough_is_enough(self) -> None:
        assert coverage.too_little(counted(95)) == []

    def test_the_page_says_what_was_counted(self) -> None:
        assert coverage.committed(coverage.page(counted(97))) == dict.fromkeys(coverage.NEEDED, 97)

    def test_noise_does_not_make_the_page_old(self) -> None:
        assert coverage.out_of_date(counted(97), dict.fromkeys(coverage.NEEDED, 98)) == []

    def test_a_page_that_says_something_else_is_old(self) -> None:
        problems = coverage.out_of_date({"crates/client": coverage.Share(99, 100)}, {"crates/client": 95})
        assert problems == ["docs/line_coverage.md is out of date about crates/client; run: just line-coverage"]

    @pytest.mark.parametrize(
        ("now", "on_page"),
        [({"crates/new": coverage.Share(1, 1)}, {}), ({}, {"crates/gone": 100})],
        ids=["new", "gone"],
    )
    def test_a_page_of_other_folders_is_old(self, now: dict[str, coverage.Share], on_page: dict[str, int]) -> None:
        assert len(coverage.out_of_date(now, on_page)) == 1
