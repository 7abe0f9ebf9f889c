"""Iterators that request the next page while the caller works on the current one."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .conftest import Service

    Begin = Callable[[botdesk.Client], "Steps"]

# The requests of pages of two bots. Each page after the first begins with the last bot of the page before it.
FIRST, SECOND, THIRD, FOURTH = ("limit=2&offset=0", "limit=3&offset=1", "limit=3&offset=3", "limit=3&offset=5")


class Steps:
    """The steps of an iterator over pages of two bots, each as a blocking call or as a coroutine on one event loop."""

    def __init__(self, client: botdesk.Client, loop: asyncio.AbstractEventLoop | None) -> None:
        self._loop = loop
        self._bots = None if loop else client.dca_bots.iter(limit=2)
        self._bots_async = client.dca_bots.iter_async(limit=2) if loop else None

    def take(self, count: int) -> list[int | None]:
        """Return the identifiers of the next bots."""
        return [self._next().id for _ in range(count)]

    def leave(self) -> None:
        """Drop the iterator."""
        self._bots = self._bots_async = None

    def _next(self) -> botdesk.DcaBot:
        if self._loop and self._bots_async:
            return self._loop.run_until_complete(anext(self._bots_async))
        assert self._bots
        return next(self._bots)


@pytest.fixture(params=["blocking", "asyncio"])
def begin(request: pytest.FixtureRequest) -> Iterator[Begin]:
    """Begin an iteration."""
    if request.param == "blocking":
        yield lambda client: Steps(client, None)
        return
    with closing(asyncio.new_event_loop()) as loop:
        yield lambda client: Steps(client, loop)
        assert not asyncio.all_tasks(loop)


def page(*ids: int) -> bytes:
    return json.dumps([{"id": number} for number in ids]).encode()


def respond_with_pages(service: Service, count: int) -> None:
    """Respond with pages that each have two more bots."""
    for ids in ((1, 2), (2, 3, 4), (4, 5, 6), (6, 7, 8))[:count]:
        service.responds(body=page(*ids))


def targets(service: Service) -> list[str]:
    """Return the queries of lists, and the paths of other requests."""
    return [request.query or request.target.removeprefix("/public/api/ver1/bots/") for request in service.requests]


def test_the_third_page_is_requested_while_the_caller_works_on_the_second(
    begin: Begin, client: botdesk.Client, service: Service
) -> None:
    respond_with_pages(service, 2)
    service.stalls()
    steps = begin(client)
    assert steps.take(3) == [1, 2, 3]
    assert [service.request().query for _ in range(3)] == [FIRST, SECOND, THIRD]


def test_a_page_is_requested_in_advance_only_once(begin: Begin, client: botdesk.Client, service: Service) -> None:
    respond_with_pages(service, 3)
    service.stalls()
    steps = begin(client)
    assert steps.take(4) == [1, 2, 3, 4]
    assert [service.request().query for _ in range(3)] == [FIRST, SECOND, THIRD]
    assert steps.take(1) == [5]
    assert service.request().query == FOURTH
    assert targets(service) == [FIRST, SECOND, THIRD, FOURTH]


def test_a_caller_who_stops_within_the_first_page_sends_one_request(
    begin: Begin, client: botdesk.Client, service: Service
) -> None:
    respond_with_pages(service, 1)
    steps = begin(client)
    assert steps.take(2) == [1, 2]
    service.responds()
    client.dca_bots.get(41)
    assert targets(service) == [FIRST, "41/show"]


def test_an_error_of_a_page_is_raised_where_that_page_is_needed(
    begin: Begin, client: botdesk.Client, service: Service
) -> None:
    respond_with_pages(service, 2)
    service.responds(502, b"<html>")
    service.responds(body=page(4, 5))
    steps = begin(client)
    assert steps.take(4) == [1, 2, 3, 4]
    with pytest.raises(botdesk.ServerError):
        steps.take(1)
    assert steps.take(1) == [5]
    assert targets(service) == [FIRST, SECOND, THIRD, THIRD]


def test_an_iterator_that_is_dropped_abandons_the_page(begin: Begin, client: botdesk.Client, service: Service) -> None:
    respond_with_pages(service, 2)
    service.stalls()
    steps = begin(client)
    steps.take(3)
    assert [service.request().query for _ in range(3)] == [FIRST, SECOND, THIRD]
    steps.leave()
    assert service.dropped().query == THIRD


def test_a_client_that_is_closed_abandons_the_page(begin: Begin, client: botdesk.Client, service: Service) -> None:
    respond_with_pages(service, 2)
    service.stalls()
    steps = begin(client)
    steps.take(3)
    assert [service.request().query for _ in range(3)] == [FIRST, SECOND, THIRD]
    client.close()
    assert service.dropped().query == THIRD
    assert steps.take(1) == [4]
    with pytest.raises(botdesk.ConfigurationError, match="the client is closed"):
        steps.take(1)


def test_a_page_that_came_before_the_client_was_closed_is_not_used(
    begin: Begin, client: botdesk.Client, service: Service
) -> None:
    respond_with_pages(service, 3)
    steps = begin(client)
    steps.take(4)
    client.close()
    with pytest.raises(botdesk.ConfigurationError, match="the client is closed"):
        steps.take(1)


def test_a_page_from_before_a_write_is_requested_again(begin: Begin, client: botdesk.Client, service: Service) -> None:
    respond_with_pages(service, 3)
    steps = begin(client)
    steps.take(3)
    for _ in range(3):
        service.request()
    service.responds()
    client.dca_bots.disable(41)
    service.responds(body=page(4, 5, 6))
    service.responds()
    assert steps.take(3) == [4, 5, 6]
    # A loop that writes once is expected to write again: nothing more is requested in advance.
    client.dca_bots.get(41)
    assert targets(service) == [FIRST, SECOND, THIRD, "41/disable", THIRD, "41/show"]


def test_a_page_is_not_requested_in_advance_beyond_the_rate_limit(
    begin: Begin, client: botdesk.Client, service: Service
) -> None:
    respond_with_pages(service, 2)
    limited = client.with_options(rate_limit=botdesk.RateLimit(2, per=300), wait=False)
    steps = begin(limited)
    assert steps.take(4) == [1, 2, 3, 4]
    with pytest.raises(botdesk.RateLimitedError):
        steps.take(1)
    assert targets(service) == [FIRST, SECOND]


def test_hooks_hear_of_the_page_when_it_is_needed_on_the_thread_of_the_caller(
    begin: Begin, client: botdesk.Client, service: Service
) -> None:
    heard: list[tuple[str, int]] = []

    def hook(event: botdesk.RequestEvent) -> None:
        heard.append((event.path, threading.get_ident()))

    respond_with_pages(service, 3)
    service.stalls()
    steps = begin(client.with_options(on_response=hook))
    steps.take(3)
    for _ in range(3):
        service.request()
    assert len(heard) == 2
    steps.take(2)
    assert heard == [("/public/api/ver1/bots", threading.get_ident())] * 3


def test_hooks_hear_of_a_page_that_is_requested_again_after_a_write(
    begin: Begin, client: botdesk.Client, service: Service
) -> None:
    heard: list[str] = []
    respond_with_pages(service, 2)
    service.stalls()
    hooked = client.with_options(on_request=lambda event: heard.append(event.operation))
    steps = begin(hooked)
    steps.take(4)
    for _ in range(3):
        service.request()
    service.responds()
    hooked.dca_bots.disable(41)
    service.responds(body=page(4, 5))
    assert steps.take(1) == [5]
    lists = "dca_bots.list"
    assert heard == [lists, lists, "dca_bots.disable", lists, lists]


@pytest.mark.parametrize("starts", ["before", "meanwhile"])
def test_a_recording_has_the_requests_in_the_order_of_the_calls(
    begin: Begin, client: botdesk.Client, service: Service, tmp_path: Path, starts: str
) -> None:
    respond_with_pages(service, 2 if starts == "before" else 3)
    steps = begin(client)
    if starts == "meanwhile":
        steps.take(3)
        for _ in range(3):
            service.request()
    with botdesk.record(tmp_path / "desk.har", client):
        steps.take(4 if starts == "before" else 1)
        service.responds()
        client.dca_bots.get(41)
        service.responds(body=page(4, 5))
        assert steps.take(1) == [5]
    entries = json.loads((tmp_path / "desk.har").read_text())["log"]["entries"]
    recorded = [entry["request"]["url"].rpartition("/ver1/bots")[2].lstrip("/?") for entry in entries]
    assert recorded[-2:] == ["41/show", THIRD]


def test_a_sandbox_gets_the_requests_in_the_order_of_the_calls(begin: Begin) -> None:
    with botdesk.Sandbox(bots=9) as sandbox:
        client = sandbox.client()
        steps = begin(client)
        steps.take(4)
        client.dca_bots.get(41)
        steps.take(1)
        paths = [request.path.removeprefix("/public/api/ver1/") for request in sandbox.requests]
        assert paths == ["bots", "bots", "bots/41/show", "bots"]
