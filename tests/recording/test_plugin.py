"""The pytest plugin, in a nested pytest."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from .scenarios import CASSETTES

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["pytester"]

GETS_A_BOT = """
def test_bot(botdesk_replay):
    assert botdesk_replay.client().dca_bots.get(41).id == 41
"""


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """Return a folder of tests with a cassette on which a bot is got twice."""
    folder = pytester.path / "cassettes"
    folder.mkdir()
    shutil.copy(CASSETTES / "dca_bots.get.har", folder / "test_bot.har")
    return pytester.path


def outcomes(pytester: pytest.Pytester, *arguments: str) -> dict[str, int]:
    return pytester.runpytest("-p", "no:cacheprovider", *arguments).parseoutcomes()


@pytest.mark.usefixtures("folder")
def test_a_cassette_has_the_name_of_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(GETS_A_BOT)
    assert outcomes(pytester) == {"passed": 1}


@pytest.mark.usefixtures("folder")
def test_all_cases_of_a_test_may_share_a_cassette(pytester: pytest.Pytester) -> None:
    marker = "import pytest\n\n@pytest.mark.parametrize('case', [1, 2])"
    pytester.makepyfile(f"{marker}{GETS_A_BOT.replace('replay)', 'replay, case)', 1)}")
    assert outcomes(pytester) == {"passed": 2}


def test_a_case_may_have_a_cassette_of_its_own(pytester: pytest.Pytester, folder: Path) -> None:
    (folder / "cassettes" / "test_bot.har").rename(folder / "cassettes" / "test_bot[1].har")
    marker = "import pytest\n\n@pytest.mark.parametrize('case', [1, 2])"
    pytester.makepyfile(f"{marker}{GETS_A_BOT.replace('replay)', 'replay, case)', 1)}")
    assert outcomes(pytester) == {"passed": 1, "errors": 1}


def test_a_marker_names_another_cassette(pytester: pytest.Pytester, folder: Path) -> None:
    (folder / "cassettes").rename(folder / "recorded")
    pytester.makepyfile(f"import pytest\n\n@pytest.mark.botdesk_replay('recorded/test_bot.har'){GETS_A_BOT}")
    assert outcomes(pytester, "--strict-markers") == {"passed": 1}


@pytest.mark.usefixtures("folder")
def test_strict_fails_a_test_that_requests_less_than_was_recorded(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"import pytest\n\n@pytest.mark.botdesk_replay(strict=True){GETS_A_BOT}")
    result = pytester.runpytest("-p", "no:cacheprovider")
    assert result.parseoutcomes() == {"passed": 1, "errors": 1}
    result.stdout.fnmatch_lines(["*RecordingError: *test_bot.har has requests that were never made: GET *41/show"])


def test_a_missing_cassette_is_reported(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(GETS_A_BOT)
    result = pytester.runpytest("-p", "no:cacheprovider")
    assert result.parseoutcomes() == {"errors": 1}
    result.stdout.fnmatch_lines(
        ["*RecordingError: the cassette *test_bot.har does not exist; record it with botdesk.record*"]
    )


def test_the_marker_is_listed(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.botdesk_replay(path=None, [*], strict=False): the HAR file*"])
