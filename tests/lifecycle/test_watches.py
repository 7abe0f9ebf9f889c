"""Watches that wait: Ctrl-C, the end of the process, and forks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Scripts

# Generous, so that a busy machine passes; an idle one takes 50 ms or less. The wait would take an hour.
SOON = 20.0

# It has polled once by the time it prints, and waits for an hour then.
BLOCKING = """
    import time
    import botdesk
    with botdesk.Sandbox() as sandbox:
        dca_bots = sandbox.client().dca_bots
        base = dca_bots.watch()
        base.poll()
        dca_bots.disable(41)
        try:
            for change in dca_bots.watch(every=3600, since=base.state):
                print(change.kind, flush=True)
        except KeyboardInterrupt:
            print(time.monotonic())
"""
ASYNCIO = """
    import asyncio
    import time
    import botdesk
    async def main(dca_bots, state):
        async for change in dca_bots.watch_async(every=3600, since=state):
            print(change.kind, flush=True)
    with botdesk.Sandbox() as sandbox:
        dca_bots = sandbox.client().dca_bots
        base = dca_bots.watch()
        base.poll()
        dca_bots.disable(41)
        try:
            asyncio.run(main(dca_bots, base.state))
        except KeyboardInterrupt:
            print(time.monotonic())
"""


@pytest.mark.parametrize("script", [BLOCKING, ASYNCIO], ids=["blocking", "asyncio"])
def test_ctrl_c_ends_the_wait_for_the_next_poll(script: str, scripts: Scripts) -> None:
    child = scripts.start_bare(script)
    assert child.read_line() == "disabled"
    pressed = child.interrupt()
    assert float(child.output()) - pressed < SOON


def test_a_poll_that_ctrl_c_ended_is_gone_on_with(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        with botdesk.Sandbox() as sandbox:
            client = sandbox.client()
            base = client.dca_bots.watch()
            base.poll()
            client.dca_bots.disable(41)
            sandbox.faults.add("dca_bots.list", kind="stall")
            hooked = client.with_options(on_request=lambda _: print("sent", flush=True))
            watch = hooked.dca_bots.watch(since=base.state)
            try:
                next(watch)
            except KeyboardInterrupt:
                sandbox.faults.clear()
                print(next(watch).kind)
    """)
    assert child.read_line() == "sent"
    child.interrupt()
    assert child.output().splitlines()[-1] == "disabled"


def test_exit_with_watches_in_daemon_threads(scripts: Scripts) -> None:
    script = """
        import sys
        import threading
        import botdesk
        sandbox = botdesk.Sandbox()
        client = sandbox.client()
        base = client.dca_bots.watch()
        base.poll()
        client.dca_bots.disable(41)
        seen = threading.Semaphore(0)
        def work():
            for change in client.dca_bots.watch(every=1, since=base.state):
                seen.release()
        for _ in range(8):
            threading.Thread(target=work, daemon=True).start()
        for _ in range(8):
            seen.acquire()
        sys.exit(0)
    """
    for child in [scripts.start_bare(script) for _ in range(4)]:
        code, _, errors = child.end()
        assert (code, errors) == (0, "")


def test_a_watch_stays_with_the_process_that_began_it(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import os
        import sys
        import botdesk
        with botdesk.Sandbox() as sandbox:
            watch = sandbox.client().dca_bots.watch()
            watch.poll()
            process = os.fork()
            if process == 0:
                for ask in (watch.poll, lambda: next(watch), lambda: watch.state):
                    try:
                        ask()
                    except botdesk.ConfigurationError as error:
                        print(error, flush=True)
                watch.close()
                os._exit(0)
            os.waitpid(process, 0)
            print(watch.poll())
    """)
    *refused, polled = child.output().splitlines()
    assert refused == ["this watch belongs to the process that created it; create another one after the fork"] * 3
    assert polled == "[]"
