"""Subinterpreters: importing botdesk fails there, and the main interpreter keeps working."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import botdesk._interpreter

if TYPE_CHECKING:
    from .conftest import Scripts

# Runs code in a subinterpreter that is destroyed afterwards; returns the error that it ended with.
SUBINTERPRETER = """
import asyncio, sys, threading

if sys.version_info >= (3, 13):
    import _interpreters as interpreters

    def run(code):
        subinterpreter = interpreters.create("legacy")
        failure = interpreters.exec(subinterpreter, code)
        interpreters.destroy(subinterpreter)
        return failure and failure.formatted

else:
    import _xxsubinterpreters as interpreters

    def run(code):
        subinterpreter = interpreters.create(isolated=False)
        try:
            interpreters.run_string(subinterpreter, code)
        except interpreters.RunFailedError as error:
            return str(error)
        finally:
            interpreters.destroy(subinterpreter)
        return None


IMPORT = '''
try:
    import botdesk
except ImportError as error:
    refused = "works only in the main interpreter" in str(error)
assert refused
'''


async def got(client):
    return (await client.dca_bots.get_async(41)).id


def everything_works():
    import botdesk

    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        assert client.dca_bots.get(41).id == asyncio.run(got(client)) == 41
        assert client.dca_bots.list()[0].created_at is not None
        try:
            client.dca_bots.get(999)
        except botdesk.NotFoundError:
            pass
"""


def test_the_error_in_a_subinterpreter_has_the_reason(scripts: Scripts) -> None:
    child = scripts.start('print(run("import botdesk"))', preamble=SUBINTERPRETER)
    assert "botdesk works only in the main interpreter, and this is a subinterpreter; use threads" in child.output()


@pytest.mark.shows("promise subinterpreters")
def test_the_main_interpreter_works_on_after_subinterpreters_were_destroyed(scripts: Scripts, times: int) -> None:
    script = f"""
        everything_works()
        for _ in range({times}):
            assert run(IMPORT) is None
        everything_works()
        print("done")
    """
    assert scripts.start(script, preamble=SUBINTERPRETER).output() == "done"


def test_the_main_interpreter_may_import_it_after_a_subinterpreter_tried(scripts: Scripts, times: int) -> None:
    script = f"""
        for _ in range({times}):
            assert run(IMPORT) is None
        everything_works()
        print("done")
    """
    assert scripts.start(script, preamble=SUBINTERPRETER).output() == "done"


def test_calls_go_on_while_subinterpreters_come_and_go(scripts: Scripts, times: int) -> None:
    script = f"""
        import botdesk

        ends, failures = threading.Event(), []

        def calls(client):
            try:
                while not ends.is_set():
                    assert client.dca_bots.get(41).id == asyncio.run(got(client)) == 41
            except BaseException as error:
                failures.append(error)

        with botdesk.Sandbox() as sandbox:
            calling = [threading.Thread(target=calls, args=[sandbox.client()]) for _ in range(2)]
            for thread in calling:
                thread.start()
            for _ in range({times}):
                assert run(IMPORT) is None
            ends.set()
            for thread in calling:
                thread.join()
        print(failures)
    """
    assert scripts.start(script, preamble=SUBINTERPRETER).output() == "[]"


def test_a_python_without_subinterpreters_is_the_main_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(botdesk._interpreter, "_MODULES", ("_there_is_no_such_module",))
    assert botdesk._interpreter._is_main()
