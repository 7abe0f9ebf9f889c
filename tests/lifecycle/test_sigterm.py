"""SIGTERM, with which a service manager ends a script, during a call without a response."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Scripts, Service

CALLS = {
    "blocking": "client.dca_bots.disable(1)",
    "asyncio": "import asyncio; asyncio.run(client.dca_bots.disable_async(1))",
    "uvloop": "import uvloop; uvloop.run(client.dca_bots.disable_async(1))",
    "anyio": "import anyio; anyio.run(client.dca_bots.disable_async, 1)",
    "a daemon thread": """
import threading
threading.Thread(target=client.dca_bots.disable, args=(1,), daemon=True).start()
signal.pause()
""",
    "a sandbox": """
sandbox = botdesk.Sandbox()
sandbox.__enter__()
sandbox.client().dca_bots.list()
client.dca_bots.disable(1)
""",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_sigterm_ends_the_script_at_once(call: str, scripts: Scripts, service: Service) -> None:
    child = scripts.start(f"import signal\n{call}")
    service.stalled()
    child.process.send_signal(signal.SIGTERM)
    assert child.end() == (-signal.SIGTERM, "", "")


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_a_script_that_leaves_on_sigterm_leaves_in_order(call: str, scripts: Scripts, service: Service) -> None:
    leave = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))"
    child = scripts.start(f"import signal, sys, atexit\natexit.register(print, 'left')\n{leave}\n{call}")
    service.stalled()
    child.process.send_signal(signal.SIGTERM)
    assert child.end() == (7, "left", "")


def test_a_script_may_finish_its_call_after_sigterm(scripts: Scripts, service: Service) -> None:
    child = scripts.start(
        """
        import signal
        signal.signal(signal.SIGTERM, lambda *_: print("asked to end", flush=True))
        print(len(client.dca_bots.list(limit=2, offset=2)))
        """
    )
    call = service.stalled()
    child.process.send_signal(signal.SIGTERM)
    assert child.read_line() == "asked to end"
    call.response()
    assert child.output() == "2"
