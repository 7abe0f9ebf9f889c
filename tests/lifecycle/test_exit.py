"""The exit of a process that is still making calls."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from .conftest import PREAMBLE

if TYPE_CHECKING:
    from .conftest import Child, Scripts, Service

# Passes every request of the client to hooks and to the log.
OBSERVED = """
import logging
def hear(event):
    repr(event)
logging.basicConfig(level=logging.DEBUG, handlers=[logging.NullHandler()])
client = client.with_options(on_request=hear, on_response=hear, on_retry=hear)
"""
WITH_AND_WITHOUT_HOOKS = pytest.mark.parametrize("hooks", ["", OBSERVED], ids=["without hooks", "with hooks"])

# Output of a process that crashed.
CRASHES = ("panicked", "Fatal Python error", "Aborted", "Segmentation fault", "terminate called", "FATAL")


def must_end_cleanly(child: Child) -> None:
    code, output, errors = child.end()
    # A daemon thread may fail with an error, which Python prints like any exception of a thread.
    assert code == 0, f"exit code {code}\n{output}\n{errors}"
    assert not any(crash in errors for crash in CRASHES), errors


def test_exit_with_blocking_calls_in_daemon_threads(scripts: Scripts, service: Service, times: int) -> None:
    script = """
        import threading
        for number in range(1, 21):
            threading.Thread(target=client.dca_bots.get, args=(number,), daemon=True).start()
        wait_for_test()
    """
    children = [scripts.start(script) for _ in range(times)]
    for _ in range(times * 20):
        service.stalled()
    for child in children:
        must_end_cleanly(child.send_line())


def test_exit_with_daemon_threads_that_call_again_and_again(scripts: Scripts, times: int) -> None:
    script = """
        import threading
        def work():
            together.wait()
            while True:
                client.dca_bots.list()
        together = threading.Barrier(9)
        with botdesk.Sandbox() as sandbox:
            client = sandbox.client()
            for _ in range(8):
                threading.Thread(target=work, daemon=True).start()
            together.wait()
            client.dca_bots.list()
            sys.exit(0)
    """
    children = [scripts.start(script) for _ in range(times)]
    for child in children:
        must_end_cleanly(child)


@WITH_AND_WITHOUT_HOOKS
def test_exit_with_daemon_threads_that_never_give_up(scripts: Scripts, hooks: str, times: int) -> None:
    script = """
        import threading
        def work():
            together.wait()
            while True:
                try:
                    client.dca_bots.list()
                except (RuntimeError, botdesk.BotdeskError):
                    pass
        together = threading.Barrier(9)
        for _ in range(8):
            threading.Thread(target=work, daemon=True).start()
        together.wait()
        client.dca_bots.list()
    """
    children = [scripts.start(script, preamble=PREAMBLE + hooks) for _ in range(times)]
    for child in children:
        must_end_cleanly(child)


def test_exit_while_a_daemon_thread_begins_its_first_call(scripts: Scripts, times: int) -> None:
    script = """
        import threading
        client.dca_bots.list()
        threading.Thread(target=client.dca_bots.get, args=(1,), daemon=True).start()
    """
    children = [scripts.start(script) for _ in range(times)]
    assert {child.output() for child in children} == {""}


# Python code that Rust calls, and that releases the GIL: each sets `begun` once it runs.
CALLED_BY_RUST = {
    "a path": """
class Path:
    def __fspath__(self):
        never_return()
def work():
    botdesk.Client("an-api-key", Path(), base_url=URL)
""",
    "a number": """
class Number:
    def __index__(self):
        never_return()
def work():
    client.sign("PATCH", "/ver1/bots/1", json={"max_active_deals": Number()})
""",
    "a hook": """
client = client.with_options(on_request=lambda event: never_return())
def work():
    client.dca_bots.list()
""",
    "a log handler": """
import logging
class Handler(logging.Handler):
    # Not `emit`, which is called with a lock that the end of `logging` waits for.
    def handle(self, record):
        never_return()
logging.getLogger("botdesk").addHandler(Handler())
logging.getLogger("botdesk").setLevel(logging.INFO)
def work():
    client.dca_bots.list()
""",
    "a plan's display": """
plan = botdesk.plan_grid(lower_price="100", upper_price="200", grids_quantity=30)
def work():
    while True:
        plan._repr_html_()
        begun.set()
""",
    "unpickling": """
import pickle
data = pickle.dumps(botdesk.RateLimit(10))
def work():
    while True:
        pickle.loads(data)
        begun.set()
""",
    "the end of an object": """
class Hook:
    def __call__(self, event):
        pass
    def __del__(self):
        never_return()
def work():
    client.with_options(on_request=Hook())
""",
    "the garbage collector": """
import gc
gc.set_threshold(20)
garbage = 0
class Cycle:
    def __init__(self):
        global garbage
        garbage += 1
        self.itself = self
    def __del__(self):
        global garbage
        garbage -= 1
        time.sleep(0)
def work():
    while True:
        # A collection that others add to faster than it ends would never end.
        if garbage < 100:
            Cycle()
        repr(client)
        begun.set()
""",
}


@pytest.mark.shows("promise threads at exit")
@pytest.mark.parametrize("code", CALLED_BY_RUST.values(), ids=list(CALLED_BY_RUST))
def test_exit_while_a_daemon_thread_runs_python_code_called_by(code: str, scripts: Scripts, times: int) -> None:
    script = f"""
import threading
import time
begun = threading.Event()
def never_return():
    begun.set()
    while True:
        time.sleep(0.001)
{code}
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
"""
    children = [scripts.start(script) for _ in range(times)]
    assert {child.output() for child in children} == {""}


@pytest.mark.skipif(sys.platform != "linux", reason="needs a signal of Unix")
def test_signals_of_the_program_stay_its_own_at_exit(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import atexit, os, signal, threading, time
        signal.signal(signal.SIGURG, lambda *_: print("urgent"))
        atexit.register(lambda: signal.raise_signal(signal.SIGURG))
        import botdesk
        begun = threading.Event()
        class Path:
            def __fspath__(self):
                begun.set()
                while True:
                    time.sleep(0.001)
        def work():
            botdesk.Client("an-api-key", Path(), base_url="http://127.0.0.1:1")
        threading.Thread(target=work, daemon=True).start()
        begun.wait()
    """)
    assert child.output() == "urgent"


def test_exit_with_two_hundred_coroutines_in_flight(scripts: Scripts, service: Service, times: int) -> None:
    script = """
        import asyncio
        loop = asyncio.new_event_loop()
        coroutines = [client.dca_bots.get_async(number) for number in range(1, 201)]
        async def begin():
            for coroutine in coroutines:
                coroutine.send(None)
        loop.run_until_complete(begin())
        wait_for_test()
    """
    for _ in range(times // 4):
        child = scripts.start(script)
        for _ in range(200):
            service.stalled()
        assert child.send_line().output() == ""


def test_exit_while_two_hundred_responses_arrive(scripts: Scripts, times: int) -> None:
    script = """
        import asyncio
        import contextlib
        import botdesk
        sandbox = botdesk.Sandbox()
        client = sandbox.client()
        loop = asyncio.new_event_loop()
        coroutines = [client.dca_bots.list_async() for _ in range(200)]
        async def begin():
            for coroutine in coroutines:
                # Some get their response at once.
                with contextlib.suppress(StopIteration):
                    coroutine.send(None)
        loop.run_until_complete(begin())
        client.dca_bots.list()
    """
    children = [scripts.start_bare(script) for _ in range(times)]
    assert {child.output() for child in children} == {""}


@WITH_AND_WITHOUT_HOOKS
def test_exit_while_another_thread_runs_an_event_loop(scripts: Scripts, hooks: str, times: int) -> None:
    script = """
        import asyncio
        import threading
        begun = threading.Event()
        async def main():
            while True:
                await asyncio.gather(*(client.dca_bots.list_async() for _ in range(20)))
                begun.set()
        threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
        begun.wait()
    """
    children = [scripts.start(script, preamble=PREAMBLE + hooks) for _ in range(times)]
    for child in children:
        must_end_cleanly(child)


@pytest.mark.parametrize(
    "run",
    [
        pytest.param("asyncio.run(main())", id="asyncio"),
        pytest.param("import uvloop; uvloop.run(main())", id="uvloop"),
        pytest.param("import anyio; anyio.run(main)", id="anyio"),
    ],
)
def test_a_loop_ends_with_tasks_in_flight(run: str, scripts: Scripts, service: Service) -> None:
    child = scripts.start(f"""
        import asyncio
        async def main():
            tasks = [asyncio.create_task(client.dca_bots.get_async(number)) for number in range(1, 21)]
            await asyncio.get_running_loop().run_in_executor(None, wait_for_test)
            print(len(tasks))
        {run}
    """)
    for _ in range(20):
        service.stalled()
    assert child.send_line().output() == "20"


UNAWAITED = {
    "is held": "kept = client.dca_bots.disable_async(41)",
    "is dropped": "client.dca_bots.disable_async(41)",
    "is a step of a walk": "kept = client.dca_bots.iter_async().__anext__()",
    "is in a cycle": "cycle = []; cycle.append((cycle, client.dca_bots.disable_async(41)))",
    "was never awaited by its loop": "import asyncio; asyncio.run(main())",
    "belongs to a thread that is left behind": """
import threading
begun = threading.Event()
def hold(coroutine):
    begun.set()
    threading.Event().wait()
threading.Thread(target=hold, args=[client.dca_bots.disable_async(41)], daemon=True).start()
begun.wait()
""",
}


@pytest.mark.parametrize("used", [False, True], ids=["unused", "used"])
@pytest.mark.parametrize("unawaited", UNAWAITED.values(), ids=list(UNAWAITED))
def test_exit_with_a_coroutine_that(unawaited: str, used: bool, scripts: Scripts, service: Service) -> None:
    child = scripts.start(f"""
async def main():
    global kept
    kept = client.dca_bots.disable_async(41)
if {used}:
    client.dca_bots.list()
{unawaited}
""")
    code, output, errors = child.end()
    assert (code, output) == (0, "")
    assert not any(crash in errors for crash in (*CRASHES, "Traceback")), errors
    # A coroutine that only the exit drops was not forgotten.
    assert ("was never awaited" in errors) == (unawaited == UNAWAITED["is dropped"])
    assert len(service.targets) == used


@pytest.mark.parametrize("used", [False, True], ids=["unused", "used"])
def test_exit_while_a_sandbox_runs(used: bool, scripts: Scripts, times: int) -> None:
    script = f"""
        import botdesk
        sandbox = botdesk.Sandbox()
        client = sandbox.client()
        if {used}:
            client.dca_bots.list()
    """
    children = [scripts.start_bare(script) for _ in range(times)]
    assert {child.output() for child in children} == {""}


def test_exit_by_an_exception_during_a_call(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import threading
        threading.Thread(target=client.dca_bots.get, args=(1,), daemon=True).start()
        wait_for_test()
        raise LookupError("on purpose")
    """)
    service.stalled()
    code, _, errors = child.send_line().end()
    assert code == 1
    assert "LookupError: on purpose" in errors
    assert not any(crash in errors for crash in CRASHES)


def test_exit_by_an_exception_in_a_with_block(scripts: Scripts) -> None:
    code, output, errors = scripts.start_bare("""
        import botdesk
        with botdesk.Sandbox() as sandbox:
            sandbox.client().dca_bots.list()
            raise LookupError("on purpose")
    """).end()
    assert (code, output) == (1, "")
    assert errors.endswith("LookupError: on purpose")


def test_an_exit_handler_may_call_the_client(scripts: Scripts) -> None:
    # Those that are registered after the import run before botdesk ends.
    child = scripts.start("""
        import atexit
        atexit.register(lambda: print(len(client.dca_bots.list())))
    """)
    assert child.output() == "2"


@pytest.mark.parametrize("before", ["pass", "client.dca_bots.list()"], ids=["unused", "used"])
@pytest.mark.parametrize(
    "call",
    [
        pytest.param("client.dca_bots.list()", id="a blocking call"),
        pytest.param("asyncio.run(client.dca_bots.list_async())", id="a coroutine"),
        pytest.param("next(client.dca_bots.iter())", id="a walk"),
        pytest.param("botdesk.Sandbox()", id="a sandbox"),
    ],
)
def test_a_call_after_the_end_is_rejected(call: str, before: str, scripts: Scripts, service: Service) -> None:
    child = scripts.start_bare(f"""
        import asyncio, atexit, os
        def late():
            try:
                {call}
            except RuntimeError as error:
                print(error)
        atexit.register(late)
        import botdesk
        client = botdesk.Client("an-api-key", os.environ["SERVICE_KEY"], base_url=os.environ["SERVICE_URL"])
        {before}
    """)
    assert child.output() == "botdesk is shutting down: the interpreter is exiting"
    assert len(service.targets) == (before != "pass")


def test_an_object_that_is_finalised_last_may_call_in_vain(scripts: Scripts) -> None:
    child = scripts.start("""
        class Last:
            def __del__(self):
                try:
                    client.dca_bots.list()
                except RuntimeError as error:
                    print(error)
        sys.last_of_all = Last()
        client.dca_bots.list()
    """)
    assert child.output() in {"botdesk is shutting down: the interpreter is exiting", ""}


def test_a_thread_that_is_not_a_daemon_ends_its_call_first(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import threading
        threading.Thread(target=lambda: print(client.dca_bots.get(1).id)).start()
        print("the main thread ends", flush=True)
    """)
    request = service.stalled()
    assert child.read_line() == "the main thread ends"
    request.respond_with_record()
    assert child.output() == "1"
