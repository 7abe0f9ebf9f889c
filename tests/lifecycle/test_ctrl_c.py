"""Ctrl-C, and other signals, during a call without a response."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Scripts, Service

# Generous, so that a busy machine passes; an idle one takes 50 ms or less. The call would take 600 s.
SOON = 20.0

BLOCKING = """
    import time
    try:
        client.dca_bots.get(1)
    except KeyboardInterrupt:
        print(time.monotonic())
"""

BLOCKING_WRITE = """
    import time
    try:
        client.dca_bots.disable(1)
    except KeyboardInterrupt:
        print(time.monotonic())
"""

ASYNCIO = """
    import asyncio
    import time
    try:
        asyncio.run(client.dca_bots.get_async(1))
    except KeyboardInterrupt:
        print(time.monotonic())
"""

UVLOOP = ASYNCIO.replace("asyncio", "uvloop")

ANYIO = """
    import anyio
    import time
    try:
        anyio.run(client.dca_bots.get_async, 1)
    except KeyboardInterrupt:
        print(time.monotonic())
"""

# What a cell of a notebook does: the loop runs already, and Ctrl-C is Python's own.
NOTEBOOK = """
    import asyncio
    import time
    async def cell():
        client.dca_bots.get(1)
    try:
        asyncio.new_event_loop().run_until_complete(cell())
    except KeyboardInterrupt:
        print(time.monotonic())
"""

BETWEEN_PAGES = """
    import time
    seen = []
    try:
        for bot in client.dca_bots.iter(limit=2):
            seen.append(bot.id)
    except KeyboardInterrupt:
        assert seen == [1, 2]
        print(time.monotonic())
"""

BETWEEN_PAGES_ASYNCIO = """
    import asyncio
    import time
    seen = []
    async def main():
        async for bot in client.dca_bots.iter_async(limit=2):
            seen.append(bot.id)
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        assert seen == [1, 2]
        print(time.monotonic())
"""

EVERYWHERE = pytest.mark.parametrize(
    "script",
    [
        pytest.param(BLOCKING, id="in a blocking call"),
        pytest.param(BLOCKING_WRITE, id="in a blocking write"),
        pytest.param(ASYNCIO, id="in asyncio.run"),
        pytest.param(UVLOOP, id="in uvloop.run"),
        pytest.param(ANYIO, id="in anyio.run"),
        pytest.param(NOTEBOOK, id="in a blocking call of a notebook"),
        pytest.param(BETWEEN_PAGES, id="between pages"),
        pytest.param(BETWEEN_PAGES_ASYNCIO, id="between pages in asyncio.run"),
    ],
)


@EVERYWHERE
def test_ctrl_c_ends_the_call(
    script: str, scripts: Scripts, service: Service, record_property: Callable[[str, object], None]
) -> None:
    child = scripts.start(script)
    service.stalled()
    pressed = child.interrupt()
    seconds = float(child.output()) - pressed
    record_property("seconds", seconds)
    print(f"KeyboardInterrupt after {seconds * 1000:.0f} ms")  # noqa: T201 - `pytest -rP` shows it
    assert seconds < SOON


@EVERYWHERE
def test_ctrl_c_drops_the_request(script: str, scripts: Scripts, service: Service) -> None:
    # The process lives on, so that the connection is not closed by its end.
    child = scripts.start(script + "    wait_for_test()\n")
    request = service.stalled()
    child.interrupt()
    assert request.is_dropped()
    child.send_line().output()


def test_a_client_works_after_ctrl_c(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        try:
            client.dca_bots.get(1)
        except KeyboardInterrupt:
            print(len(client.dca_bots.list()))
    """)
    service.stalled()
    child.interrupt()
    assert child.output() == "2"


def test_an_iterator_goes_on_after_ctrl_c(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        bots = client.dca_bots.iter(limit=2)
        print(next(bots).id, next(bots).id)
        try:
            next(bots)
        except KeyboardInterrupt:
            print([bot.name for bot in bots])
    """)
    service.stalled()
    child.interrupt()
    service.stalled().response(b'[{"id":2,"name":"second"},{"id":3,"name":"third"}]')
    assert child.output().splitlines() == ["1 2", "['third']"]


def test_a_second_ctrl_c_ends_a_blocking_call_in_a_coroutine(scripts: Scripts, service: Service) -> None:
    # The first one is for asyncio, which cancels the task at its next `await`; time.sleep() behaves the same.
    child = scripts.start("""
        import asyncio, os, signal
        async def main():
            by_asyncio = signal.getsignal(signal.SIGINT)
            def on_signal(number, frame):
                # The second signal may come while this runs; `print` can't be called again then.
                os.write(1, b"received\\n")
                by_asyncio(number, frame)
            signal.signal(signal.SIGINT, on_signal)
            client.dca_bots.get(1)
        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            print("interrupted")
    """)
    request = service.stalled()
    child.interrupt()
    assert child.read_line() == "received"
    child.interrupt()
    assert child.output().splitlines() == ["received", "interrupted"]
    assert request.is_dropped()


def test_ctrl_c_leaves_the_calls_of_other_threads_alone(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import threading
        def call():
            print("the other thread got", client.dca_bots.get(1).id)
        thread = threading.Thread(target=call)
        thread.start()
        wait_for_test()
        try:
            client.dca_bots.get(2)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        thread.join()
    """)
    other = service.stalled()
    child.send_line()
    service.stalled()
    child.interrupt()
    assert child.read_line() == "interrupted"
    other.respond_with_record()
    assert child.output() == "the other thread got 1"


def test_a_signal_handler_runs_during_a_call_and_the_call_goes_on(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import signal
        signal.signal(signal.SIGINT, lambda *_: print("handled", flush=True))
        print(client.dca_bots.get(1).id)
    """)
    request = service.stalled()
    child.interrupt()
    assert child.read_line() == "handled"
    request.respond_with_record()
    assert child.output() == "1"


def test_a_signal_handler_may_call_the_client(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import signal
        signal.signal(signal.SIGINT, lambda *_: print(len(client.dca_bots.list()), flush=True))
        print(client.dca_bots.get(7).id)
    """)
    request = service.stalled()
    child.interrupt()
    assert child.read_line() == "2"
    request.response(b'{"id":7}')
    assert child.output() == "7"


def test_what_a_signal_handler_raises_ends_the_call(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import signal
        def enough(*_):
            raise OverflowError("enough")
        signal.signal(signal.SIGINT, enough)
        try:
            client.dca_bots.get(1)
        except OverflowError as error:
            print(error)
        wait_for_test()
    """)
    request = service.stalled()
    child.interrupt()
    assert request.is_dropped()
    assert child.send_line().output() == "enough"
