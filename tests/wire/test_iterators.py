"""Iterators over all bots: the pages that they request, and the bots that they yield."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .conftest import Request, Service

    Walk = Callable[..., list[int | None]]


@pytest.fixture(params=["blocking", "asyncio"])
def walk(request: pytest.FixtureRequest, client: botdesk.Client) -> Walk:
    """Iterate to the end; return the identifiers of the bots."""

    async def iterate_async(**query: Any) -> list[int | None]:  # noqa: ANN401
        return [bot.id async for bot in client.dca_bots.iter_async(**query)]

    def walk(**query: Any) -> list[int | None]:  # noqa: ANN401
        if request.param == "asyncio":
            return asyncio.run(iterate_async(**query))
        return [bot.id for bot in client.dca_bots.iter(**query)]

    return walk


def page(ids: Iterable[int]) -> bytes:
    return json.dumps([{"id": number} for number in ids]).encode()


def queries(service: Service) -> list[str]:
    return [request.query for request in service.requests]


def test_an_iterator_requests_the_largest_pages(walk: Walk, service: Service) -> None:
    service.responds(body=page(range(100)))
    service.responds(body=page(range(99, 130)))
    assert walk() == list(range(130))
    assert queries(service) == ["limit=100&offset=0", "limit=100&offset=99"]


def test_an_iterator_ends_with_a_page_that_is_not_full(walk: Walk, service: Service) -> None:
    service.responds(body=page([1, 2, 3]))
    service.responds(body=page([3, 4]))
    assert walk(limit=3) == [1, 2, 3, 4]
    assert queries(service) == ["limit=3&offset=0", "limit=4&offset=2"]


def test_an_iterator_whose_last_page_is_full_requests_one_more(walk: Walk, service: Service) -> None:
    service.responds(body=page([1, 2]))
    service.responds(body=page([2]))
    assert walk(limit=2) == [1, 2]
    assert queries(service) == ["limit=2&offset=0", "limit=3&offset=1"]


def test_a_walk_in_steps_of_one_bot_goes_on_to_the_end(walk: Walk, service: Service) -> None:
    for ids in ([1], [1, 2], [2, 3], [3]):
        service.responds(body=page(ids))
    assert walk(limit=1) == [1, 2, 3]
    assert queries(service) == ["limit=1&offset=0", "limit=2&offset=0", "limit=2&offset=1", "limit=2&offset=2"]


def test_a_walk_in_steps_of_one_bot_goes_on_where_no_page_has_two(walk: Walk, service: Service) -> None:
    for ids in ([1], [1], [2], []):
        service.responds(body=page(ids))
    assert walk(limit=1) == [1, 2]
    assert queries(service) == ["limit=1&offset=0", "limit=2&offset=0", "limit=1&offset=1", "limit=1&offset=2"]


@pytest.mark.shows("promise every page")
def test_a_page_shorter_than_requested_is_not_taken_for_the_last(walk: Walk, service: Service) -> None:
    for ids in (range(50), range(49, 99), range(98, 120)):
        service.responds(body=page(ids))
    assert walk() == list(range(120))
    assert queries(service) == ["limit=100&offset=0", "limit=100&offset=49", "limit=100&offset=98"]


def test_an_iterator_over_nothing_has_no_steps(walk: Walk, service: Service) -> None:
    service.responds(body=page([]))
    assert walk() == []


def test_an_iterator_starts_at_its_offset_and_keeps_its_filters(walk: Walk, service: Service) -> None:
    service.responds(body=page([1, 2]))
    service.responds(body=page([2]))
    assert walk(limit=2, offset=7, scope="enable", quote="a b") == [1, 2]
    assert queries(service) == [
        "limit=2&offset=7&scope=enable&quote=a%20b",
        "limit=3&offset=8&scope=enable&quote=a%20b",
    ]


def test_every_page_of_an_iterator_is_signed(
    walk: Walk, service: Service, is_signed: Callable[[Request], bool]
) -> None:
    service.responds(body=page([1, 2]))
    service.responds(body=page([2]))
    walk(limit=2)
    assert [is_signed(request) for request in service.requests] == [True, True]


def test_bots_that_moved_to_an_earlier_page_are_found(walk: Walk, service: Service) -> None:
    service.responds(body=page([1, 2, 3]))
    # 1 and 2 are gone, so 4 has moved to the first page.
    service.responds(body=page([5]))
    service.responds(body=page([3, 4, 5]))
    service.responds(body=page([5]))
    assert walk(limit=3) == [1, 2, 3, 5, 4]
    assert queries(service) == ["limit=3&offset=0", "limit=4&offset=2"] * 2


def test_a_bot_that_moved_to_the_first_page_is_found(walk: Walk, service: Service) -> None:
    service.responds(body=page([1, 2]))
    # 4 is the first one now.
    service.responds(body=page([1, 2, 3]))
    service.responds(body=page([3]))
    service.responds(body=page([4, 1]))
    service.responds(body=page([1, 2, 3]))
    service.responds(body=page([3]))
    assert walk(limit=2) == [1, 2, 3, 4]


def test_a_list_that_got_shorter_than_the_offset_is_fetched_again(walk: Walk, service: Service) -> None:
    service.responds(body=page([1, 2, 3]))
    # 1 and 2 are gone.
    service.responds(body=page([]))
    service.responds(body=page([3, 4]))
    assert walk(limit=3) == [1, 2, 3, 4]


def test_a_list_is_fetched_until_nothing_new_turns_up(walk: Walk, service: Service) -> None:
    service.responds(body=page([1, 2, 3]))
    service.responds(body=page([5, 6]))
    service.responds(body=page([3, 4, 5]))
    service.responds(body=page([7, 8]))
    service.responds(body=page([5, 6, 7]))
    service.responds(body=page([8]))
    assert walk(limit=3) == [1, 2, 3, 5, 6, 4, 7, 8]


def test_an_iteration_over_a_list_that_always_changes_ends(walk: Walk, service: Service) -> None:
    for ids in ([1, 2], [3], [1, 2], [3], [1, 2], [3]):
        service.responds(body=page(ids))
    assert walk(limit=2) == [1, 2, 3]
    assert len(service.requests) == 4


def test_a_bot_that_moved_to_the_next_page_is_reported_once(walk: Walk, service: Service) -> None:
    service.responds(body=page([1, 2]))
    for ids in ([1, 2, 3], [3, 4], [0, 1], [1, 2, 3], [3, 4]):
        service.responds(body=page(ids))
    assert walk(limit=2) == [1, 2, 3, 4, 0]


def test_an_iterator_goes_on_past_a_page_that_has_moved_as_a_whole(walk: Walk, service: Service) -> None:
    service.responds(body=page([1, 2]))
    for ids in ([1, 2], [2, 3], [3]):
        service.responds(body=page(ids))
    for ids in ([0, 1], [1, 2], [2, 3], [3]):
        service.responds(body=page(ids))
    assert walk(limit=2) == [1, 2, 3, 0]


def test_an_iterator_ends_if_the_service_repeats_its_pages(walk: Walk, service: Service) -> None:
    for _ in range(10):
        service.responds(body=page([1, 2]))
    assert walk(limit=2) == [1, 2]
    assert len(service.requests) < 5


def test_an_iterator_ends_if_the_service_gives_the_same_bots_in_another_order(walk: Walk, service: Service) -> None:
    for ids in ([1, 2], [2, 1]) * 5:
        service.responds(body=page(ids))
    assert walk() == [1, 2]
    assert len(service.requests) < 5


def test_bots_without_an_identifier_are_all_reported(walk: Walk, service: Service) -> None:
    service.responds(body=b'[{"name":"a"},{"id":null},{"id":1}]')
    service.responds(body=page([1]))
    assert walk() == [None, None, 1]


def test_a_bot_without_an_identifier_that_ends_a_page_is_reported_once(walk: Walk, service: Service) -> None:
    service.responds(body=b'[{"id":1},{"name":"a"}]')
    service.responds(body=b'[{"name":"a"},{"name":"a"},{"id":2}]')
    service.responds(body=page([2]))
    assert walk(limit=2) == [1, None, None, 2]


def test_a_bot_without_an_identifier_that_moved_to_the_next_page_is_reported_once(walk: Walk, service: Service) -> None:
    service.responds(body=b'[{"name":"a"},{"name":"b"}]')
    for _ in range(2):
        service.responds(body=b'[{"name":"a"},{"name":"b"},{"id":1}]')
        service.responds(body=page([1]))
    assert walk(limit=2) == [None, None, 1]


def test_a_rejected_page_ends_a_step_and_can_be_requested_again(client: botdesk.Client, service: Service) -> None:
    service.responds(body=page([1]))
    service.responds(502, b"<html>")
    service.responds(body=page([1, 2]))
    bots = client.dca_bots.iter(limit=1)
    assert next(bots).id == 1
    with pytest.raises(botdesk.ServerError):
        next(bots)
    assert next(bots).id == 2
    # The page after it may be under way already.
    assert queries(service)[:3] == ["limit=1&offset=0", "limit=2&offset=0", "limit=2&offset=0"]


def test_a_page_that_is_not_a_list_is_an_error(walk: Walk, service: Service) -> None:
    service.responds(body=b"{}")
    with pytest.raises(botdesk.DecodeError):
        walk()


def test_an_iterator_that_ended_stays_ended(client: botdesk.Client, service: Service) -> None:
    service.responds(body=page([]))
    bots = client.dca_bots.iter()
    assert list(bots) == []
    assert list(bots) == []
    assert len(service.requests) == 1


def test_an_iterator_requests_no_page_that_is_not_needed(client: botdesk.Client, service: Service) -> None:
    service.responds(body=page([1, 2]))
    assert [bot.id for bot in itertools.islice(client.dca_bots.iter(limit=2), 2)] == [1, 2]
    assert len(service.requests) == 1


def test_an_iterator_with_wrong_arguments_is_rejected_before_its_first_step(
    client: botdesk.Client, service: Service
) -> None:
    for start in (client.dca_bots.iter, client.dca_bots.iter_async):
        with pytest.raises(botdesk.ValidationError) as caught:
            start(limit=101, offset=-1)
        assert caught.value.errors.keys() == {"limit", "offset"}
    assert service.requests == []
