"""Clients on both sides of a fork."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Scripts, Service

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")

# Forks and returns what the child printed; a child that fails or takes too long is reported by its exit code.
FORK = """
import signal
import traceback

def fork(work):
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        signal.alarm(50)
        code = 1
        try:
            os.write(writer, str(work()).encode())
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(process, 0)
    assert status == 0, (said, status)
    return said

def count():
    return len(client.dca_bots.list())
"""


def test_a_child_uses_a_client_that_was_never_used(scripts: Scripts) -> None:
    child = scripts.start(
        FORK
        + """
print(fork(count), count())
"""
    )
    assert child.output() == "2 2"


def test_a_child_uses_a_client_that_was_used(scripts: Scripts) -> None:
    child = scripts.start(
        FORK
        + """
print(count(), fork(count), count())
"""
    )
    assert child.output() == "2 2 2"


def test_a_child_of_a_child_uses_the_client(scripts: Scripts) -> None:
    child = scripts.start(
        FORK
        + """
print(count(), fork(lambda: (count(), fork(count), count())), count())
"""
    )
    assert child.output() == "2 (2, '2', 2) 2"


def test_forks_while_threads_are_calling(scripts: Scripts) -> None:
    child = scripts.start(
        FORK
        + """
import threading
def work():
    while not done.is_set():
        count()
        calls.append(None)
done, calls = threading.Event(), []
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
results = [(fork(count), count()) for _ in range(20)]
done.set()
for thread in threads:
    thread.join()
print(results == [("2", 2)] * 20, len(calls) > 0, count())
"""
    )
    assert child.output() == "True True 2"


# A client with default options, whose requests are all recorded by hooks.
OBSERVED = """
import logging
events = []
logging.basicConfig(level=logging.DEBUG, handlers=[logging.NullHandler()])
client = botdesk.Client(
    "an-api-key", os.environ["SERVICE_KEY"], base_url=URL, timeout=600, retries=0,
    rate_limit=botdesk.RateLimit(100_000, per=600), on_request=events.append, on_response=events.append,
)
"""


@pytest.mark.parametrize("before", ["pass", "count()"], ids=["unused", "used"])
def test_a_child_counts_and_listens_for_itself(before: str, scripts: Scripts) -> None:
    child = scripts.start(
        FORK
        + OBSERVED
        + f"""
{before}
already = len(events)
print(fork(lambda: (count(), client.budget.used, len(events) - already)), len(events) - already)
"""
    )
    assert child.output() == "(2, 1, 2) 0"


def test_forks_while_threads_count_and_listen(scripts: Scripts) -> None:
    child = scripts.start(
        FORK
        + OBSERVED
        + """
import threading
def work():
    while not done.is_set():
        count()
done = threading.Event()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
results = [fork(lambda: (count(), client.budget.used)) for _ in range(20)]
done.set()
for thread in threads:
    thread.join()
print(results == ["(2, 1)"] * 20, count())
"""
    )
    assert child.output() == "True 2"


def test_a_thread_may_fork(scripts: Scripts) -> None:
    child = scripts.start(
        FORK
        + """
import threading
results = []
count()
threads = [threading.Thread(target=lambda: results.append(fork(count))) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(results, count())
"""
    )
    assert child.output() == "['2', '2', '2', '2'] 2"


def test_a_fork_during_a_stalled_call_leaves_the_call_alone(scripts: Scripts, service: Service) -> None:
    child = scripts.start(
        FORK
        + """
import threading
got = []
thread = threading.Thread(target=lambda: got.append(client.dca_bots.get(1).id))
thread.start()
wait_for_test()
print(fork(count), count(), flush=True)
thread.join()
print(got)
"""
    )
    request = service.stalled()
    child.send_line()
    assert child.read_line() == "2 2"
    request.respond_with_record()
    assert child.output() == "[1]"


def test_a_child_runs_an_event_loop(scripts: Scripts) -> None:
    child = scripts.start(
        FORK
        + """
import asyncio
def work():
    return len(asyncio.run(client.dca_bots.list_async()))
print(work(), fork(work), work())
"""
    )
    assert child.output() == "2 2 2"


def test_a_child_drops_what_the_parent_was_waiting_for(scripts: Scripts, service: Service) -> None:
    child = scripts.start(
        FORK
        + """
import asyncio
async def main():
    task = asyncio.create_task(client.dca_bots.get_async(1))
    await asyncio.get_running_loop().run_in_executor(None, wait_for_test)
    def work():
        task.get_coro().close()
        return count()
    print(fork(work), flush=True)
    print((await task).id)
asyncio.run(main())
"""
    )
    request = service.stalled()
    child.send_line()
    assert child.read_line() == "2"
    request.respond_with_record()
    assert child.output() == "1"


def test_an_iterator_stays_with_the_process_that_began_it(scripts: Scripts) -> None:
    child = scripts.start_bare(
        """
import os
import botdesk
"""
        + FORK
        + """
with botdesk.Sandbox(bots=9) as sandbox:
    bots = sandbox.client().dca_bots.iter(limit=4)
    begun = [next(bots).id for _ in range(5)]

    def walk_on() -> str:
        try:
            return next(bots).name
        except botdesk.ConfigurationError as error:
            return str(error)

    print(fork(walk_on))
    print(len(begun), len(list(bots)))
"""
    )
    belongs, counts = child.output().splitlines()
    assert belongs == "this iterator belongs to the process that created it; create another one after the fork"
    assert counts == "5 4"


def test_a_child_ends_by_itself(scripts: Scripts) -> None:
    # It runs its exit handlers, unlike the children of `multiprocessing`.
    child = scripts.start("""
        import sys
        client.dca_bots.list()
        process = os.fork()
        if process == 0:
            print(len(client.dca_bots.list()), flush=True)
            sys.exit(3)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), len(client.dca_bots.list()))
    """)
    assert child.output().splitlines() == ["2", "3 2"]


def test_a_child_that_never_calls_ends_by_itself(scripts: Scripts) -> None:
    child = scripts.start("""
        import sys
        client.dca_bots.list()
        process = os.fork()
        if process == 0:
            sys.exit(3)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), len(client.dca_bots.list()))
    """)
    assert child.output() == "3 2"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method: str, scripts: Scripts) -> None:
    child = scripts.start(
        f"""
import multiprocessing

import asyncio

def work(bot_id):
    both = len(client.dca_bots.list()), len(asyncio.run(client.dca_bots.list_async()))
    return *both, multiprocessing.current_process().name != "MainProcess"

if __name__ == "__main__":
    client.dca_bots.list()
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        print(set(pool.map(work, range(8))), len(client.dca_bots.list()))
"""
    )
    assert child.output() == "{(2, 2, True)} 2"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_worker_ends_with_a_call_in_flight(method: str, scripts: Scripts) -> None:
    child = scripts.start(
        f"""
import multiprocessing
import threading

def work():
    client.dca_bots.list()
    threading.Thread(target=client.dca_bots.get, args=(1,), daemon=True).start()

if __name__ == "__main__":
    client.dca_bots.list()
    worker = multiprocessing.get_context("{method}").Process(target=work)
    worker.start()
    worker.join()
    print(worker.exitcode, len(client.dca_bots.list()))
"""
    )
    assert child.output() == "0 2"


def test_a_pool_of_processes_gives_records(scripts: Scripts) -> None:
    child = scripts.start(
        """
from concurrent.futures import ProcessPoolExecutor
import multiprocessing

def work(number):
    return client.dca_bots.list()[number]

if __name__ == "__main__":
    here = client.dca_bots.list()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        print(list(pool.map(work, range(2))) == here)
"""
    )
    assert child.output() == "True"


SANDBOX = (
    """
import os
import botdesk

def count():
    return len(client.dca_bots.list())
"""
    + FORK
)


def test_a_child_uses_a_client_of_the_sandbox_of_its_parent(scripts: Scripts) -> None:
    child = scripts.start_bare(
        SANDBOX
        + """
with botdesk.Sandbox() as sandbox:
    client = sandbox.client()
    print(fork(count), count(), fork(count))
"""
    )
    assert child.output() == "12 12 12"


def test_a_child_that_leaves_the_with_block_leaves_the_sandbox_running(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import os
        import sys
        import botdesk
        with botdesk.Sandbox() as sandbox:
            client = sandbox.client()
            process = os.fork()
            if process == 0:
                sys.exit(3)
            print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), len(client.dca_bots.list()))
    """)
    assert child.output() == "3 12"


def test_a_child_that_leaves_the_async_with_block_leaves_the_sandbox_running(scripts: Scripts) -> None:
    child = scripts.start_bare(
        SANDBOX
        + """
import asyncio

async def main():
    global client
    async with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        def leave():
            step = sandbox.__aexit__(None, None, None)
            try:
                step.send(None)
            except StopIteration:
                return "left"
        print(fork(leave), len(await client.dca_bots.list_async()))
asyncio.run(main())
"""
    )
    assert child.output() == "left 12"


def test_a_child_gets_an_error_that_the_sandbox_runs_elsewhere(scripts: Scripts) -> None:
    child = scripts.start_bare(
        SANDBOX
        + """
with botdesk.Sandbox() as sandbox:
    sandbox.client()
    def work():
        try:
            sandbox.client()
        except botdesk.ConfigurationError as error:
            return sandbox.url in str(error)
    print(fork(work))
"""
    )
    assert child.output() == "True"


def test_a_child_starts_a_sandbox_of_its_own(scripts: Scripts) -> None:
    child = scripts.start_bare(
        SANDBOX
        + """
def work():
    with botdesk.Sandbox(bots=3) as own:
        return own.url != sandbox.url, len(own.client().dca_bots.list())
with botdesk.Sandbox() as sandbox:
    client = sandbox.client()
    print(fork(work), count())
"""
    )
    assert child.output() == "(True, 3) 12"


def test_closing_a_sandbox_frees_its_port_while_a_child_lives(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import os
        import socket
        import botdesk
        with botdesk.Sandbox() as sandbox:
            client = sandbox.client()
            port = int(sandbox.url.rpartition(":")[2])
            reader, writer = os.pipe()
            process = os.fork()
            if process == 0:
                os.close(writer)
                os.read(reader, 1)
                os._exit(0)
        try:
            client.dca_bots.list()
        except botdesk.ConnectionFailedError as error:
            print(error.sent)
        with botdesk.Sandbox(port=port) as sandbox:
            print(len(sandbox.client().dca_bots.list()))
        os.close(writer)
        os.waitpid(process, 0)
    """)
    assert child.output().splitlines() == ["False", "12"]


def test_the_state_of_a_sandbox_stays_with_its_process(scripts: Scripts) -> None:
    child = scripts.start_bare(
        SANDBOX
        + """
with botdesk.Sandbox() as sandbox:
    clock = sandbox.clock
    def refused(call):
        try:
            call()
        except botdesk.ConfigurationError:
            return 1
        return 0
    def work():
        calls = [
            lambda: clock.now, lambda: clock.advance(1), clock.real, sandbox.add_account,
            lambda: sandbox.set_price("USDT_ETH", 1), lambda: sandbox.dump("nowhere.json"),
        ]
        return f"{sum(map(refused, calls))} {clock!r}"
    print(fork(work))
"""
    )
    assert child.output() == "6 <Clock of another process>"


def test_a_child_can_not_continue_a_playback(scripts: Scripts) -> None:
    child = scripts.start(
        FORK
        + """
with botdesk.Sandbox(bots=0) as sandbox:
    playback = sandbox.play([[0, 1, 1, 1, 1], [60_000, 1, 1, 1, 1]], pair="USDT_NEW")
    next(playback)
    def work():
        global playback
        try:
            next(playback)
        except botdesk.ConfigurationError as error:
            found = f"{error} {playback}"
        del playback
        return found
    print(fork(work), len(list(playback)))
"""
    )
    output = child.output()
    assert "runs in the process that started it" in output
    assert output.endswith("<Playback USDT_NEW=2 played=0> 1")
