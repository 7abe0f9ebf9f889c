"""A closed client: its connections end, and its calls raise an error."""

from __future__ import annotations

import asyncio
import copy
import socket
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest

import botdesk

from .conftest import PATIENCE, receive, written

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from .conftest import Calls, Connect, Service

BOT = written(200, b'{"id":41,"name":"Steady"}', {})
CLOSED = "the client is closed"


def close(client: botdesk.Client) -> None:
    client.close()


def close_with(client: botdesk.Client) -> None:
    with client as entered:
        assert entered is client


def aclose(client: botdesk.Client) -> None:
    asyncio.run(client.aclose())


def aclose_with(client: botdesk.Client) -> None:
    async def leave() -> None:
        async with client as entered:
            assert entered is client

    asyncio.run(leave())


@pytest.fixture(params=[close, close_with, aclose, aclose_with])
def closing(request: pytest.FixtureRequest) -> Callable[[botdesk.Client], None]:
    """Return each way to close a client."""
    way: Callable[[botdesk.Client], None] = request.param
    return way


@pytest.fixture
def queue() -> SimpleQueue[bytes]:
    """Return what the service receives after its response."""
    return SimpleQueue()


@contextmanager
def one_connection(
    connect: Connect, answered: threading.Event, seen: SimpleQueue[bytes], response: bytes = BOT
) -> Generator[botdesk.Client]:
    """Answer one request, and put what comes next over the same connection."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(PATIENCE)
            request = receive(connection)
            if request is not None and not answered.is_set():
                seen.put(request.method.encode())
            answered.wait(PATIENCE)
            connection.sendall(response)
            seen.put(connection.recv(1))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        serving = threading.Thread(target=serve)
        serving.start()
        yield connect(f"http://127.0.0.1:{listener.getsockname()[1]}")
        serving.join(PATIENCE)


def test_idle_connections_end_at_once(
    connect: Connect, calls: Calls, closing: Callable[[botdesk.Client], None], queue: SimpleQueue[bytes]
) -> None:
    answered = threading.Event()
    answered.set()
    with one_connection(connect, answered, queue) as client:
        assert calls.get(client).name == "Steady"
        closing(client)
        assert queue.get(timeout=PATIENCE) == b""


def test_a_call_under_way_goes_on_to_its_end(connect: Connect, calls: Calls, queue: SimpleQueue[bytes]) -> None:
    answered = threading.Event()
    names: list[str | None] = []
    with one_connection(connect, answered, queue) as client:
        begun = threading.Event()
        hooked = client.with_options(on_request=lambda _: begun.set())
        calling = threading.Thread(target=lambda: names.append(calls.get(hooked).name))
        calling.start()
        begun.wait(PATIENCE)
        assert queue.get(timeout=PATIENCE) == b"GET"
        hooked.close()
        answered.set()
        calling.join(PATIENCE)
        assert queue.get(timeout=PATIENCE) == b""
    assert names == ["Steady"]


def test_the_connection_of_a_blocking_call_under_way_ends_with_the_call(
    connect: Connect, queue: SimpleQueue[bytes]
) -> None:
    answered = threading.Event()
    names: list[str | None] = []
    with one_connection(connect, answered, queue) as client:
        calling = threading.Thread(target=lambda: names.append(client.dca_bots.get(41).name))
        calling.start()
        assert queue.get(timeout=PATIENCE) == b"GET"
        client.close()
        answered.set()
        calling.join(PATIENCE)
        assert queue.get(timeout=PATIENCE) == b""
    assert names == ["Steady"]


def test_a_client_whose_closing_is_cancelled_is_closed(client: botdesk.Client) -> None:
    async def cancel() -> None:
        task = asyncio.ensure_future(client.aclose())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancel())
    with pytest.raises(botdesk.ConfigurationError, match=CLOSED):
        client.dca_bots.get(41)


def test_an_edit_does_not_write_after_the_client_is_closed(
    connect: Connect, queue: SimpleQueue[bytes], bot_json: bytes
) -> None:
    responded = threading.Event()
    with (
        one_connection(connect, responded, queue, written(200, bot_json, {})) as client,
        ThreadPoolExecutor(1) as threads,
    ):
        editing = threads.submit(client.dca_bots.edit, 41, name="New")
        assert queue.get(timeout=PATIENCE) == b"GET"
        client.close()
        responded.set()
        with pytest.raises(botdesk.ConfigurationError, match=CLOSED):
            editing.result(PATIENCE)
        assert queue.get(timeout=PATIENCE) == b""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_closing_a_client_starts_no_thread(private_key: str) -> None:
    script = """
        import os, sys
        import botdesk
        client = botdesk.Client("an-api-key", sys.argv[1], base_url="http://127.0.0.1:1")
        before = len(os.listdir("/proc/self/task"))
        client.close()
        print(len(os.listdir("/proc/self/task")) - before)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), private_key]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("0\n", "")


def test_a_block_that_the_end_of_the_process_leaves_is_silent(private_key: str) -> None:
    script = """
        import sys
        import botdesk
        def leave():
            with botdesk.Client("an-api-key", sys.argv[1], base_url="http://127.0.0.1:1"):
                yield
        left = leave()
        next(left)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), private_key]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("", "")


def test_a_call_of_a_closed_client_is_an_error_and_sends_nothing(
    client: botdesk.Client, service: Service, calls: Calls, closing: Callable[[botdesk.Client], None]
) -> None:
    service.responds(body=b'{"id":41}')
    bot = calls.get(client)
    closing(client)
    for call in (lambda: calls.get(client), lambda: calls.disable(client), lambda: calls.list(client), bot.refresh):
        with pytest.raises(botdesk.ConfigurationError, match=CLOSED):
            call()
    with pytest.raises(botdesk.ConfigurationError, match=CLOSED):
        calls.request(client, "GET", "/ver1/bots")
    assert service.connections == 1


def test_an_iterator_and_a_watch_of_a_closed_client_raise(client: botdesk.Client) -> None:
    client.close()
    with pytest.raises(botdesk.ConfigurationError, match=CLOSED):
        next(client.dca_bots.iter())
    with pytest.raises(botdesk.ConfigurationError, match=CLOSED):
        client.dca_bots.watch().poll()


def test_a_bulk_run_of_a_closed_client_is_an_error_and_starts_nothing(client: botdesk.Client) -> None:
    client.close()
    result = client.dca_bots.disable_many([41, 42])
    assert [item.id for item in result.not_started] == [41, 42]
    assert CLOSED in str(result.ended_by)


def test_a_call_that_waits_for_the_rate_limit_sends_nothing_after_the_client_is_closed(
    client: botdesk.Client, service: Service
) -> None:
    service.responds()
    # One may be sent in five minutes: the second waits.
    limited = client.with_options(rate_limit=botdesk.RateLimit(1, per=300), timeout=600)
    limited.dca_bots.get(41)

    async def close_meanwhile() -> None:
        waiting = asyncio.create_task(limited.dca_bots.disable_async(41))
        await asyncio.sleep(0)
        limited.close()
        with pytest.raises(botdesk.ConfigurationError, match=CLOSED):
            await asyncio.wait_for(waiting, PATIENCE)

    asyncio.run(close_meanwhile())
    assert [request.method for request in service.requests] == ["GET"]


def test_threads_that_wait_for_the_rate_limit_send_nothing_after_the_client_is_closed(
    client: botdesk.Client, service: Service
) -> None:
    service.responds()
    limited = client.with_options(rate_limit=botdesk.RateLimit(1, per=300), timeout=600)
    limited.dca_bots.get(41)
    with ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(limited.dca_bots.disable, number) for number in range(41, 45)]
        limited.close()
        for call in waiting:
            with pytest.raises(botdesk.ConfigurationError, match=CLOSED):
                call.result(PATIENCE)
    assert [request.method for request in service.requests] == ["GET"]


@pytest.mark.parametrize("method", ["get", "disable"])
def test_a_call_that_waits_for_a_retry_sends_nothing_after_the_client_is_closed(
    client: botdesk.Client, service: Service, calls: Calls, method: str
) -> None:
    service.responds(429, b"{}", {"Retry-After": "300"})
    retried = threading.Event()
    retrying = client.with_options(retries=1, timeout=600, on_retry=lambda _: retried.set())
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(getattr(calls, method), retrying)
        assert retried.wait(PATIENCE)
        retrying.close()
        with pytest.raises(botdesk.ConfigurationError, match=rf"{CLOSED}.*not retried.*429"):
            waiting.result(PATIENCE)
    assert len(service.requests) == 1


def test_a_bulk_run_starts_nothing_after_the_client_is_closed(client: botdesk.Client, service: Service) -> None:
    service.responds()
    limited = client.with_options(rate_limit=botdesk.RateLimit(1, per=300), timeout=600)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(limited.dca_bots.disable_many, [41, 42, 43], concurrency=2, progress=False)
        service.request()
        limited.close()
        result = running.result(PATIENCE)
    assert len(result.done) + len(result.not_started) == len(result) == 3
    assert CLOSED in str(result.ended_by)
    assert len(service.requests) == len(result.done) == 1


def test_a_client_may_be_closed_twice(client: botdesk.Client, closing: Callable[[botdesk.Client], None]) -> None:
    client.close()
    closing(client)


def test_a_client_of_other_options_stays_open(client: botdesk.Client, service: Service, calls: Calls) -> None:
    for _ in range(2):
        service.sends(BOT)
    other = client.with_options(timeout=PATIENCE / 2)
    client.close()
    assert calls.get(other).name == "Steady"
    other.close()
    assert calls.get(client.with_options()).name == "Steady"


def test_a_copy_is_the_same_client(client: botdesk.Client) -> None:
    copy.copy(client).close()
    with pytest.raises(botdesk.ConfigurationError, match=CLOSED):
        client.dca_bots.get(41)


def test_a_closed_client_can_still_sign(client: botdesk.Client) -> None:
    client.close()
    assert client.sign("GET", "/ver1/bots").signature


def test_an_error_of_the_block_is_raised_after_the_client_is_closed(client: botdesk.Client) -> None:
    with pytest.raises(ZeroDivisionError), client:
        raise ZeroDivisionError
    with pytest.raises(botdesk.ConfigurationError, match=CLOSED):
        client.dca_bots.get(41)
