"""Abandoned requests count against the rate limit while they may still arrive; requests that were never sent do not."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import threading
import time
from contextlib import closing, suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..wire.conftest import Calls, Service  # noqa: TID252
    from .conftest import Connect

# Seconds; longer than any call takes unless it hangs.
PATIENCE = 60.0
# A rate limit with a very short period, so that it shows what counts for longer.
MOMENT = 0.001
MOST = 10
# How many requests are given up in the test of chance: those below times `MOST`.
ROUNDS = 20
NUMBERS = count(1)


class LateService:
    """A socket that accepts connections and reads requests only when the test says so."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=4 * MOST)
        self._listener.settimeout(PATIENCE)
        self._connections: list[socket.socket] = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def wait_for(self, requests: int) -> None:
        """Wait until this number of requests is unread."""
        while len(self._connections) < requests:
            connection, _ = self._listener.accept()
            connection.settimeout(PATIENCE)
            self._connections.append(connection)
            assert connection.recv(1, socket.MSG_PEEK)

    def connections(self) -> int:
        """Accept the waiting connections, and return their number."""
        self._listener.settimeout(0)
        with suppress(BlockingIOError):
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(PATIENCE)
                self._connections.append(connection)
        self._listener.settimeout(PATIENCE)
        return len(self._connections)

    def read(self) -> int:
        """Read all that was sent, and return the number of requests; the clients have closed their connections."""
        self.connections()
        requests = sum(received(connection).count(b"\r\n\r\n") for connection in self._connections)
        self._connections.clear()
        return requests

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections:
            connection.close()
        self._listener.close()


def received(connection: socket.socket) -> bytes:
    """Read what a client sent before it closed its connection."""
    with connection:
        parts = iter(lambda: connection.recv(65536), b"")
        return b"".join(parts)


@pytest.fixture
def late() -> Iterator[LateService]:
    """Run a service that reads late."""
    with closing(LateService()) as late:
        yield late


@pytest.fixture
def api_key() -> str:
    """Return an API key that no other test uses."""
    return f"given-up-{next(NUMBERS)}"


def limited(requests: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"retries": 0, "rate_limit": botdesk.RateLimit(requests, per=MOMENT), "wait": False, **more}


def assert_is_held_back(client: botdesk.Client, calls: Calls) -> None:
    """Check that the next request waits for one that may arrive in half a minute."""
    # On another thread, a call that Ctrl-C ends is dropped a moment later; until then it is in flight.
    while (budget := client.budget) is not None and budget.used > 0 and budget.resets_in <= MOMENT:
        time.sleep(0)
    with pytest.raises(botdesk.RateLimitedError, match="was not sent") as caught:
        calls.get(client)
    assert caught.value.retry_after is not None
    assert MOMENT < caught.value.retry_after <= 30 + MOMENT


@pytest.mark.shows("promise a request without a response")
def test_requests_that_were_cancelled_count_while_they_may_lie_unread(
    connect: Connect, late: LateService, api_key: str
) -> None:
    client = connect(late.url, api_key=api_key, **limited(MOST, timeout=PATIENCE))

    async def give_up_and_go_on() -> list[object]:
        under_way = [asyncio.ensure_future(client.dca_bots.get_async(41)) for _ in range(MOST)]
        await asyncio.to_thread(late.wait_for, MOST)
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        hasty = client.with_options(timeout=1.0)
        again = [hasty.dca_bots.get_async(41) for _ in range(MOST)]
        return list(await asyncio.gather(*again, return_exceptions=True))

    errors = asyncio.run(give_up_and_go_on())
    assert late.read() == MOST
    assert {type(error) for error in errors} == {botdesk.RateLimitedError}


@pytest.mark.shows("promise a request without a response")
def test_a_request_that_timed_out_counts_while_it_may_lie_unread(
    connect: Connect, late: LateService, calls: Calls, api_key: str
) -> None:
    client = connect(late.url, api_key=api_key, **limited(1, timeout=1.0))
    with pytest.raises(botdesk.RequestTimeoutError):
        calls.get(client)
    assert_is_held_back(client, calls)
    assert late.read() == 1


def test_a_write_that_timed_out_counts_while_it_may_lie_unread(
    connect: Connect, late: LateService, calls: Calls, api_key: str
) -> None:
    client = connect(late.url, api_key=api_key, **limited(1, timeout=1.0))
    with pytest.raises(botdesk.OutcomeUnknownError):
        calls.disable(client)
    assert_is_held_back(client, calls)
    assert late.read() == 1


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as POSIX has them")
@pytest.mark.shows("promise a request without a response")
def test_a_request_that_ctrl_c_ended_counts_while_it_may_lie_unread(
    connect: Connect, late: LateService, calls: Calls, api_key: str
) -> None:
    client = connect(late.url, api_key=api_key, **limited(1, timeout=PATIENCE))

    def interrupt() -> None:
        late.wait_for(1)
        os.kill(os.getpid(), signal.SIGINT)

    interrupting = threading.Thread(target=interrupt)

    def call_while_interrupted() -> None:
        interrupting.start()
        client.dca_bots.get(41)

    with pytest.raises(KeyboardInterrupt):
        call_while_interrupted()
    interrupting.join()
    assert_is_held_back(client.with_options(timeout=1.0), calls)
    assert late.read() == 1


@pytest.mark.shows("promise a request without a response")
def test_a_request_whose_connection_broke_counts_while_it_may_still_arrive(
    connect: Connect, service: Service, calls: Calls, api_key: str
) -> None:
    client = connect(api_key=api_key, **limited(1))
    service.sends(b"")
    with pytest.raises(botdesk.TransportError):
        calls.get(client)
    assert_is_held_back(client, calls)
    assert len(service.requests) == 1


@pytest.mark.shows("promise a retry without a place")
def test_a_read_is_not_retried_if_its_own_first_attempt_holds_the_only_place_past_its_timeout(
    connect: Connect, service: Service, calls: Calls, api_key: str
) -> None:
    retries: list[botdesk.RequestEvent] = []
    policy = botdesk.RetryPolicy(2, backoff=0.0)
    options = limited(1, retries=policy, wait=True, timeout=6.0, on_retry=retries.append)
    client = connect(api_key=api_key, **options)
    service.sends(b"")
    service.responds()
    with pytest.raises(botdesk.TransportError, match="the connection broke"):
        calls.get(client)
    assert (retries, len(service.requests)) == ([], 1)


@pytest.mark.shows("promise a retry without a place")
def test_a_read_is_retried_if_its_place_is_free_within_its_timeout(
    connect: Connect, service: Service, calls: Calls, api_key: str
) -> None:
    policy = botdesk.RetryPolicy(2, backoff=0.0)
    client = connect(api_key=api_key, **limited(1, retries=policy, wait=True, timeout=PATIENCE))
    service.responds(503)
    service.responds()
    assert calls.get(client).id == 41
    assert len(service.requests) == 2


def test_a_request_with_a_response_has_arrived(connect: Connect, service: Service, calls: Calls, api_key: str) -> None:
    client = connect(api_key=api_key, **limited(1, wait=True, timeout=PATIENCE))
    answers = [b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"id"', b"HTTP/1.1 502 Bad\r\nContent-Length: 9\r\n\r\n<"]
    for data in answers:
        service.sends(data)
        with pytest.raises(botdesk.BotdeskError):
            calls.get(client)
    budget = client.budget
    assert budget is not None
    assert budget.resets_in <= MOMENT
    assert len(service.requests) == len(answers)


@pytest.mark.shows("promise a request without a connection")
def test_a_request_that_found_no_connection_does_not_count(connect: Connect, calls: Calls, api_key: str) -> None:
    with socket.socket() as taken:
        # Bound but not listening: no other process takes the port, and connections are refused.
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        client = connect(url, api_key=api_key, retries=0, rate_limit=botdesk.RateLimit(1, per=3600), wait=False)
        for _ in range(3):
            with pytest.raises(botdesk.ConnectionFailedError):
                calls.get(client)
        budget = client.budget
    assert budget is not None
    assert budget.used == 0


def test_unread_requests_never_exceed_the_limit(connect: Connect, late: LateService, api_key: str) -> None:
    chance = random.Random(41)  # noqa: S311

    async def give_up_at_random(client: botdesk.Client) -> None:
        under_way: list[asyncio.Task[botdesk.DcaBot]] = []
        for _ in range(3 * MOST):
            before = late.connections()
            task = asyncio.create_task(client.dca_bots.get_async(41))
            under_way.append(task)
            await asyncio.sleep(0)
            waits = chance.random() < 0.5
            # Either the connection is refused, or the request arrives.
            while waits and not task.done() and late.connections() == before:  # noqa: ASYNC110
                await asyncio.sleep(0)
            given_up = chance.choice(under_way)
            given_up.cancel()
            await asyncio.wait([given_up])
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    for number in range(ROUNDS):
        client = connect(late.url, api_key=f"{api_key}-{number}", **limited(MOST, timeout=PATIENCE))
        asyncio.run(give_up_at_random(client))
        assert late.read() <= MOST
