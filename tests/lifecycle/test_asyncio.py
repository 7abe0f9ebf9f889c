"""Coroutines: cancelling them, grouping them, and the loops that they run under."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Scripts, Service

# Each ends a request after the test has seen it arrive.
CANCELLING = {
    "task.cancel": """
        task = asyncio.create_task(client.dca_bots.get_async(1))
        await arrived()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
    """,
    "wait_for": """
        try:
            await asyncio.wait_for(client.dca_bots.get_async(1), 2)
        except TimeoutError:
            pass
    """,
    "timeout": """
        try:
            async with asyncio.timeout(None) as limit:
                async def soon():
                    await arrived()
                    limit.reschedule(0)
                hurry = asyncio.create_task(soon())
                await client.dca_bots.get_async(1)
        except TimeoutError:
            pass
    """,
    "a sibling in a TaskGroup that fails": """
        async def fail():
            await arrived()
            raise OverflowError
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(client.dca_bots.get_async(1))
                group.create_task(fail())
        except* OverflowError:
            pass
    """,
    "gather": """
        both = asyncio.gather(client.dca_bots.get_async(1), client.dca_bots.list_async())
        await arrived()
        both.cancel()
        try:
            await both
        except asyncio.CancelledError:
            pass
    """,
    "close": """
        coroutine = client.dca_bots.get_async(1)
        coroutine.send(None)
        await arrived()
        coroutine.close()
    """,
    "between pages": """
        async def walk():
            async for bot in client.dca_bots.iter_async(limit=2):
                seen.append(bot.id)
        seen = []
        task = asyncio.create_task(walk())
        await arrived()
        task.cancel()
        await asyncio.wait([task])
        assert seen == [1, 2]
    """,
    "anyio": """
        import anyio
        async with anyio.create_task_group() as group:
            group.start_soon(client.dca_bots.get_async, 1)
            await arrived()
            group.cancel_scope.cancel()
    """,
}

# The loop's threads may not read standard input: one that hangs there would keep the process.
START = """
import asyncio

async def arrived():
    return await asyncio.get_running_loop().run_in_executor(None, wait_for_test)

async def main():
    await cancelling()
    print(len(await client.dca_bots.list_async()), flush=True)
    await arrived()
"""

RUNNERS = pytest.mark.parametrize(
    "run",
    [
        pytest.param("asyncio.run(main())", id="asyncio"),
        pytest.param("import uvloop; uvloop.run(main())", id="uvloop"),
        pytest.param("import anyio; anyio.run(main)", id="anyio"),
    ],
)


def indented(body: str) -> str:
    return "async def cancelling():" + body + "\n"


@RUNNERS
@pytest.mark.parametrize("cancelling", CANCELLING.values(), ids=CANCELLING.keys())
def test_cancelling_drops_the_request_and_the_client_works_on(
    cancelling: str, run: str, scripts: Scripts, service: Service
) -> None:
    child = scripts.start(START + indented(cancelling) + run)
    request = service.stalled()
    if "arrived" in cancelling:
        child.send_line()
    # The process waits, so that the connection is not closed by its end.
    assert request.is_dropped()
    child.send_line()
    assert child.output() == "2"


def test_an_iterator_goes_on_after_a_cancelled_step(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import asyncio
        async def main():
            bots = client.dca_bots.iter_async(limit=2)
            print((await anext(bots)).id, (await anext(bots)).id)
            step = asyncio.ensure_future(anext(bots))
            await asyncio.get_running_loop().run_in_executor(None, wait_for_test)
            step.cancel()
            await asyncio.wait([step])
            print([bot.name async for bot in bots])
        asyncio.run(main())
    """)
    service.stalled()
    child.send_line()
    service.stalled().response(b'[{"id":2,"name":"second"},{"id":3,"name":"third"}]')
    assert child.output().splitlines() == ["1 2", "['third']"]


def test_a_coroutine_runs_by_itself(scripts: Scripts) -> None:
    child = scripts.start("""
        import asyncio
        print(len(asyncio.run(client.dca_bots.list_async())))
    """)
    assert child.output() == "2"


def test_uvloop_runs_a_coroutine_by_itself(scripts: Scripts) -> None:
    child = scripts.start("""
        import uvloop
        print(len(uvloop.run(client.dca_bots.list_async())))
    """)
    assert child.output() == "2"


def test_anyio_runs_a_method_by_itself(scripts: Scripts) -> None:
    child = scripts.start("""
        import anyio
        print(len(anyio.run(client.dca_bots.list_async)))
    """)
    assert child.output() == "2"


def test_tasks_groups_and_gather_take_a_coroutine(scripts: Scripts) -> None:
    child = scripts.start("""
        import asyncio
        async def main():
            call = client.dca_bots.list_async
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(call(), name=f"call {number}") for number in range(20)]
            results = [task.result() for task in tasks]
            results += await asyncio.gather(*(call() for _ in range(20)))
            results.append(await asyncio.create_task(call()))
            results += [await done for done in asyncio.as_completed([call() for _ in range(20)])]
            results.append(await asyncio.shield(call()))
            print(len(results), {len(result) for result in results})
        asyncio.run(main())
    """)
    assert child.output() == "62 {2}"


def test_a_hundred_requests_are_in_flight_at_once(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import asyncio
        async def main():
            bots = await asyncio.gather(*(client.dca_bots.get_async(number) for number in range(1, 101)))
            print(sorted(bot.id for bot in bots) == list(range(1, 101)))
        asyncio.run(main())
    """)
    for request in [service.stalled() for _ in range(100)]:
        number = request.target.rpartition("/bots/")[2].partition("/")[0]
        request.response(f'{{"id":{number}}}'.encode())
    assert child.output() == "True"


@pytest.mark.skipif(sys.platform == "win32", reason="the platform has no such limit")
def test_a_call_without_a_file_descriptor_left_sends_nothing(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import asyncio
        import resource

        async def main():
            await client.dca_bots.list_async(limit=2)
            before = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (128, before[1]))
            taken = []
            try:
                while True:
                    taken.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:
                pass
            try:
                await client.dca_bots.disable_async(1)
            except botdesk.ConnectionFailedError as error:
                assert not error.sent
                message = str(error)
            for descriptor in taken:
                os.close(descriptor)
            print(message)
            print(len(await client.dca_bots.list_async(limit=2)))

        asyncio.run(main())
    """)
    message, found = child.output().splitlines()
    assert "Too many open files" in message
    assert found == "2"
    assert len(service.targets) == 2


def test_a_coroutine_is_one_to_those_who_ask(scripts: Scripts) -> None:
    child = scripts.start("""
        import asyncio, collections.abc, inspect
        coroutine = client.dca_bots.list_async()
        assert asyncio.iscoroutine(coroutine)
        assert inspect.isawaitable(coroutine)
        assert isinstance(coroutine, collections.abc.Coroutine)
        print(coroutine.__name__, coroutine.__qualname__)
        coroutine.close()
    """)
    assert child.output() == "list_async DcaBots.list_async"


def test_a_coroutine_that_is_not_awaited_sends_nothing(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import gc, threading, warnings
        warnings.simplefilter("ignore")
        coroutine = client.dca_bots.list_async()
        client.dca_bots.disable_async(41)
        del coroutine
        gc.collect()
        print(threading.active_count(), len(os.listdir("/proc/self/task")) if os.path.exists("/proc") else 1)
    """)
    assert child.output() == "1 1"
    assert service.targets == []


def test_a_coroutine_can_be_awaited_once(scripts: Scripts) -> None:
    child = scripts.start("""
        import asyncio
        async def main():
            coroutine = client.dca_bots.list_async()
            await coroutine
            try:
                await coroutine
            except RuntimeError as error:
                print(error)
        asyncio.run(main())
    """)
    assert child.output() == "cannot reuse already awaited coroutine"


def test_a_call_does_not_hold_up_the_loop(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import asyncio
        async def main():
            task = asyncio.create_task(client.dca_bots.get_async(1))
            for _ in range(1000):
                await asyncio.sleep(0)
            print("the loop runs on", flush=True)
            print((await task).id)
        asyncio.run(main())
    """)
    request = service.stalled()
    assert child.read_line() == "the loop runs on"
    request.respond_with_record()
    assert child.output() == "1"


ONE_LOOP = {
    "asyncio": "asyncio.run(client.dca_bots.list_async())",
    "uvloop": "uvloop.run(client.dca_bots.list_async())",
    "anyio": "anyio.run(client.dca_bots.list_async)",
}


@pytest.mark.parametrize("first", ONE_LOOP.values(), ids=list(ONE_LOOP))
@pytest.mark.parametrize("then", ONE_LOOP.values(), ids=list(ONE_LOOP))
def test_one_client_serves_one_loop_after_another(first: str, then: str, scripts: Scripts) -> None:
    child = scripts.start(f"""
        import anyio, asyncio, uvloop
        print(len({first}), len({then}), len({first}))
    """)
    assert child.output() == "2 2 2"


def test_one_client_serves_several_loops_at_once(scripts: Scripts) -> None:
    child = scripts.start("""
        import asyncio, threading
        together = threading.Barrier(8)
        async def main():
            together.wait()
            for _ in range(5):
                results.extend(await asyncio.gather(*(client.dca_bots.list_async() for _ in range(5))))
        results = []
        threads = [threading.Thread(target=lambda: asyncio.run(main())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(len(results), {len(result) for result in results})
    """)
    assert child.output() == "200 {2}"


def test_a_loop_that_can_not_be_woken_does_not_block_others(scripts: Scripts) -> None:
    child = scripts.start("""
        import asyncio, threading

        class Deaf(asyncio.SelectorEventLoop):
            was_called = threading.Event()
            def call_soon_threadsafe(self, *args, **named):
                self.was_called.set()
                raise RuntimeError("deaf")

        async def until_called():
            task = asyncio.ensure_future(client.dca_bots.list_async())
            while not loop.was_called.is_set():
                await asyncio.sleep(0)
            task.cancel()

        loop = Deaf()
        loop.run_until_complete(until_called())
        loop.close()
        print(len(asyncio.run(client.dca_bots.list_async())))
    """)
    code, output, errors = child.end()
    assert (code, output) == (0, "2")
    # What the loop raised is written out.
    assert "deaf" in errors


def test_a_request_outlives_its_loop_without_harm(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import asyncio
        loop = asyncio.new_event_loop()
        coroutine = client.dca_bots.get_async(1)
        async def begin():
            coroutine.send(None)
        loop.run_until_complete(begin())
        loop.close()
        print("closed", flush=True)
        wait_for_test()
        print(len(client.dca_bots.list()))
    """)
    request = service.stalled()
    assert child.read_line() == "closed"
    request.respond_with_record()
    child.send_line()
    assert child.output() == "2"


# As IPython does it: the loop runs for ever, and a cell is compiled with `await` allowed outside of a function.
NOTEBOOK = """
import ast, asyncio, inspect

async def notebook(*cells):
    names = {"client": client, "asyncio": asyncio}
    for cell in cells:
        code = compile(cell, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        result = eval(code, names)
        if inspect.iscoroutine(result):
            await result
"""


def test_a_notebook_awaits_at_the_top_level(scripts: Scripts) -> None:
    child = scripts.start(
        NOTEBOOK
        + """
asyncio.run(notebook(
    "bots = await client.dca_bots.list_async()",
    "both = await asyncio.gather(client.dca_bots.list_async(), client.dca_bots.list_async())",
    "names = [bot.name async for bot in client.dca_bots.iter_async()]",
    "print(len(bots), len(both), names)",
))
"""
    )
    assert child.output() == "2 2 ['first', 'second']"


def test_a_notebook_calls_without_await(scripts: Scripts) -> None:
    child = scripts.start(
        NOTEBOOK
        + """
asyncio.run(notebook(
    "bots = client.dca_bots.list()",
    "print(len(bots), [bot.id for bot in client.dca_bots.iter()])",
))
"""
    )
    assert child.output() == "2 [1, 2]"


def test_blocking_calls_and_coroutines_mix_in_one_loop(scripts: Scripts) -> None:
    child = scripts.start("""
        import asyncio
        async def main():
            tasks = [asyncio.create_task(client.dca_bots.list_async()) for _ in range(20)]
            await asyncio.sleep(0)
            blocking = [client.dca_bots.list() for _ in range(20)]
            print(len(blocking), len(await asyncio.gather(*tasks)))
        asyncio.run(main())
    """)
    assert child.output() == "20 20"
