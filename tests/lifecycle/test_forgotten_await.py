"""Coroutines that are never awaited, and coroutine functions as `inspect` and libraries see them."""

from __future__ import annotations

import ast
import asyncio
import functools
import inspect
import pickle
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import botdesk
from botdesk import _native

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Scripts, Service

PACKAGE = Path(botdesk.__file__).parent
FILES = [PACKAGE / "_native.pyi", PACKAGE / "_planning.py", *PACKAGE.glob("_api/*.py")]


def methods() -> Iterator[tuple[str, bool]]:
    """Return each public method of the stub and of resources and records, and if it returns a coroutine."""
    for owner in (owner for file in FILES for owner in ast.parse(file.read_text()).body):
        # The methods of operations are called by those of resources and records.
        if isinstance(owner, ast.ClassDef) and owner.name != "Operation":
            yield from ((f"{owner.name}.{name}", is_coroutine) for name, is_coroutine in methods_of(owner))


def methods_of(owner: ast.ClassDef) -> Iterator[tuple[str, bool]]:
    for member in owner.body:
        # Methods in Python call the private ones, and await what they return.
        if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)) and not re.match("_.*_async$", member.name):
            yield member.name, isinstance(member, ast.AsyncFunctionDef)


# An overloaded method is there once for each of its forms.
METHODS = dict(methods())
COROUTINE_METHODS = [name for name, is_coroutine in METHODS.items() if is_coroutine]
OTHER_METHODS = [name for name, is_coroutine in METHODS.items() if not is_coroutine]


def method(name: str) -> Any:  # noqa: ANN401
    owner, _, attribute = name.partition(".")
    found = getattr(_native, owner, None) or getattr(botdesk, owner)
    return inspect.getattr_static(found, attribute)


def is_coroutine_function(function: object) -> tuple[bool, bool]:
    """Return the results of `inspect` and `asyncio`; the latter warns from Python 3.14 on, and is removed in 3.16."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        in_asyncio = getattr(asyncio, "iscoroutinefunction", inspect.iscoroutinefunction)
        return inspect.iscoroutinefunction(function), in_asyncio(function)


@pytest.fixture
def bot() -> Iterator[botdesk.DcaBot]:
    with botdesk.Sandbox() as sandbox:
        yield sandbox.client().dca_bots.get(41)


@pytest.mark.shows("promise forgotten await")
def test_a_forgotten_coroutine_warns_where_it_was_dropped(scripts: Scripts, service: Service) -> None:
    code, output, errors = scripts.start("""
        def stop(bot):
            bot.disable_async()

        stop(client.dca_bots.list()[0])
    """).end()
    first, line, hint = errors.splitlines()
    assert (code, output) == (0, "")
    assert first.endswith("RuntimeWarning: coroutine 'DcaBot.disable_async' was never awaited")
    assert line == "  bot.disable_async()"
    assert "Enable tracemalloc" in hint
    assert len(service.targets) == 1


@pytest.mark.parametrize(
    ("made", "named"),
    [
        ("client.dca_bots.disable_async(41)", "DcaBots.disable_async"),
        ("client.dca_bots.disable_many_async([41])", "DcaBots.disable_many_async"),
        ("client.accounts.load_balances_async(1)", "Accounts.load_balances_async"),
        ("client.request_async('GET', '/ver1/bots')", "Client.request_async"),
        ("client.dca_bots.iter_async().__anext__()", "RecordAsyncIterator.__anext__"),
        ("client.dca_bots.watch_async().poll_async()", "DcaBotAsyncWatch.poll_async"),
        ("client.dca_bots.watch().poll_async()", "DcaBotWatch.poll_async"),
    ],
)
def test_each_kind_of_coroutine_warns(made: str, named: str, scripts: Scripts, service: Service) -> None:
    code, output, errors = scripts.start(made).end()
    assert (code, output) == (0, "")
    assert f"RuntimeWarning: coroutine '{named}' was never awaited" in errors
    assert service.targets == []


def test_tracemalloc_says_where_a_forgotten_coroutine_was_made(scripts: Scripts) -> None:
    code, _, errors = scripts.start("""
        import tracemalloc
        tracemalloc.start()
        kept = [client.dca_bots.disable_async(41)]
        kept.clear()
    """).end()
    _, allocated = errors.split("Object allocated at (most recent call last):")
    assert code == 0
    assert allocated.splitlines()[-1].strip() == "kept = [client.dca_bots.disable_async(41)]"


@pytest.mark.parametrize(
    "ended",
    [
        pytest.param("coroutine.close()", id="closed"),
        pytest.param("coroutine.close(); coroutine.close()", id="closed twice"),
        pytest.param("asyncio.run(cancelled())", id="cancelled before it ran"),
        pytest.param("asyncio.run(coroutine)", id="awaited"),
    ],
)
def test_a_coroutine_that_was_ended_does_not_warn(ended: str, scripts: Scripts) -> None:
    child = scripts.start(f"""
        import asyncio
        coroutine = client.dca_bots.list_async()
        async def cancelled():
            task = asyncio.create_task(coroutine)
            task.cancel()
            await asyncio.wait([task])
        {ended}
        del coroutine
    """)
    assert child.output() == ""


def test_a_warning_that_is_made_an_error_is_reported(scripts: Scripts) -> None:
    code, output, errors = scripts.start("""
        import warnings
        warnings.simplefilter("error")
        client.dca_bots.disable_async(41)
        print("goes on")
    """).end()
    assert (code, output) == (0, "goes on")
    assert "RuntimeWarning: coroutine 'DcaBots.disable_async' was never awaited" in errors


@pytest.mark.parametrize("name", COROUTINE_METHODS)
@pytest.mark.shows("promise coroutine functions")
def test_a_method_that_returns_a_coroutine_is_a_coroutine_function(name: str) -> None:
    assert is_coroutine_function(method(name)) == (True, True)
    # The coroutine of a step is named after the slot that makes it.
    assert method(name).__qualname__ == name.replace("._next", ".__anext__")


def test_no_other_method_is_a_coroutine_function() -> None:
    found = [name for name in OTHER_METHODS if is_coroutine_function(method(name)) != (False, False)]
    assert found == []


def test_a_bound_method_is_a_coroutine_function(bot: botdesk.DcaBot) -> None:
    assert is_coroutine_function(bot.disable_async) == (True, True)
    assert is_coroutine_function(functools.partial(bot.edit_async, take_profit="2")) == (True, True)
    assert is_coroutine_function(bot.disable) == (False, False)


def test_a_coroutine_is_one_of_pythons_own(bot: botdesk.DcaBot) -> None:
    coroutine: Any = bot.disable_async()
    assert inspect.iscoroutine(coroutine)
    assert inspect.isawaitable(coroutine)
    assert asyncio.iscoroutine(coroutine)
    assert inspect.getcoroutinestate(coroutine) == "CORO_CREATED"
    assert (coroutine.__name__, coroutine.__qualname__) == ("disable_async", "DcaBot.disable_async")
    assert coroutine.cr_code.co_name == "disable_async"
    assert (coroutine.cr_running, coroutine.cr_await, coroutine.cr_origin) == (False, None, None)
    coroutine.close()
    assert inspect.getcoroutinestate(coroutine) == "CORO_CLOSED"


def test_a_coroutine_method_is_described_as_before() -> None:
    blocking, awaited = botdesk.DcaBots.edit, botdesk.DcaBots.edit_async
    assert inspect.signature(awaited) == inspect.signature(blocking)
    described, example = (inspect.getdoc(awaited) or "").split("Example:")
    assert described == (inspect.getdoc(blocking) or "").split("Example:")[0]
    assert "await client.dca_bots.edit_async(" in example
    assert awaited.__module__ == "botdesk"
    assert pickle.loads(pickle.dumps(awaited)) is awaited  # noqa: S301 - it was pickled here


def test_what_an_argument_lacks_is_raised_by_the_await(bot: botdesk.DcaBot) -> None:
    coroutine = bot.edit_async(take_profit="many")
    with pytest.raises(botdesk.ValidationError, match="take_profit"):
        asyncio.run(coroutine)


def test_the_debug_mode_of_asyncio_describes_a_call(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import asyncio, io, logging
        log = io.StringIO()
        logging.basicConfig(level=logging.DEBUG, stream=log)
        async def main():
            # Every callback counts as slow.
            asyncio.get_running_loop().slow_callback_duration = 0
            task = asyncio.create_task(client.dca_bots.get_async(1))
            await asyncio.get_running_loop().run_in_executor(None, wait_for_test)
            task.print_stack(file=log)
            print(len(task.get_stack()), "DcaBots.get_async() running at" in repr(task))
            coroutine = task.get_coro()
            print(coroutine.cr_running, coroutine.cr_frame is None, coroutine.cr_await is None)
            file, line, name = coroutine.cr_origin[0]
            print(file == __file__, name, flush=True)
            await task
        asyncio.run(main(), debug=True)
        print("Executing <Task" in log.getvalue())
    """)
    request = service.stalled()
    child.send_line()
    described = [child.read_line() for _ in range(3)]
    request.respond_with_record()
    assert described == ["1 True", "False False False", "True main"]
    assert child.output() == "True"


@pytest.mark.shows("promise coroutine functions")
def test_apscheduler_awaits_what_it_is_given(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import asyncio
        import botdesk
        from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_EXECUTED
        from apscheduler.schedulers.asyncio import AsyncIOScheduler
        async def main():
            with botdesk.Sandbox() as sandbox:
                bot = await sandbox.client().dca_bots.get_async(41)
                done = asyncio.get_running_loop().create_future()
                scheduler = AsyncIOScheduler(timezone="UTC")
                scheduler.add_listener(done.set_result, EVENT_JOB_EXECUTED | EVENT_JOB_ERROR)
                scheduler.add_job(bot.disable_async)
                scheduler.start()
                ended = await done
                scheduler.shutdown()
                print(bot.is_enabled, ended.exception, (await bot.refresh_async()).is_enabled)
        asyncio.run(main())
    """)
    assert child.output() == "True None False"


@pytest.mark.parametrize(
    "disabling",
    [
        pytest.param("await anyio.to_thread.run_sync(anyio.from_thread.run, bot.disable_async)", id="from_thread.run"),
        pytest.param(
            """
                async with anyio.create_task_group() as group:
                    group.start_soon(bot.disable_async)
            """,
            id="start_soon",
        ),
    ],
)
def test_anyio_awaits_what_it_is_given(disabling: str, scripts: Scripts) -> None:
    child = scripts.start_bare(f"""
        import anyio
        import botdesk
        async def main():
            with botdesk.Sandbox() as sandbox:
                bot = await sandbox.client().dca_bots.get_async(41)
                {disabling}
                print(bot.is_enabled, (await bot.refresh_async()).is_enabled)
        anyio.run(main)
    """)
    assert child.output() == "True False"
