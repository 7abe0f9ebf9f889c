"""The note of a full page about the rest of its list."""

from __future__ import annotations

import pickle

import pytest

import botdesk


@pytest.fixture(scope="module")
def dca_bots() -> botdesk.DcaBots:
    """Return the 12 bots of a sandbox."""
    return botdesk.Sandbox().client().dca_bots


@pytest.mark.parametrize(
    ("limit", "offset", "note"),
    [
        (3, 0, "the first 3; there may be more: iter()"),
        (12, 0, "the first 12; there may be more: iter()"),
        (3, 3, "records 4 to 6; there may be more: iter()"),
    ],
)
def test_a_full_page_may_not_be_the_whole_list(dca_bots: botdesk.DcaBots, limit: int, offset: int, note: str) -> None:
    page = dca_bots.list(limit=limit, offset=offset)
    assert repr(page).splitlines()[-1] == f"! {note}"
    assert f'<div class="bd-note">{note}</div>' in page._repr_html_()


def test_the_limit_of_the_service_counts_if_none_is_given() -> None:
    with botdesk.Sandbox(bots=60) as sandbox:
        page = sandbox.client().dca_bots.list()
    assert len(page) == 50
    assert repr(page).splitlines()[-1] == "! the first 50; there may be more: iter()"


@pytest.mark.parametrize(("limit", "offset"), [(100, 0), (3, 10), (3, 12)])
def test_a_page_that_is_not_full_ends_the_list(dca_bots: botdesk.DcaBots, limit: int, offset: int) -> None:
    assert "more:" not in repr(dca_bots.list(limit=limit, offset=offset))


def test_a_part_of_a_page_and_other_lists_say_nothing(dca_bots: botdesk.DcaBots) -> None:
    page = dca_bots.list(limit=3)
    for records in (page[:2], page + page, botdesk.Records(page), botdesk.Records(dca_bots.iter(limit=3))):
        assert "more:" not in repr(records)


def test_a_pickled_page_still_says_so(dca_bots: botdesk.DcaBots) -> None:
    page = dca_bots.list(limit=3)
    assert repr(pickle.loads(pickle.dumps(page))) == repr(page)  # noqa: S301
