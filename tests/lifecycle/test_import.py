"""The cost of `import botdesk`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Scripts


def test_import_does_not_import_asyncio(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import sys
        import botdesk
        print("asyncio" in sys.modules)
    """)
    assert child.output() == "False"


@pytest.mark.parametrize(
    "module",
    ["ssl", "socket", "http", "json", "inspect", "contextlib", "collections", "dataclasses", "multiprocessing"],
)
def test_import_does_not_import(module: str, scripts: Scripts) -> None:
    child = scripts.start_bare(f"""
        import sys
        before = set(sys.modules)
        import botdesk
        print("{module}" in set(sys.modules) - before)
    """)
    assert child.output() == "False"


def test_a_resource_is_imported_with_its_first_use(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import sys
        import botdesk
        botdesk.Market.from_json("{}")
        print([name for name in sys.modules if name.startswith("botdesk._api.")])
    """)
    assert child.output() == "['botdesk._api.markets']"


def test_a_client_has_all_classes_of_results_before_it_sends_anything(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import sys
        import botdesk
        with botdesk.Sandbox() as sandbox:
            client = sandbox.client()
            known = set(sys.modules)
            client.dca_bots.disable_many([41, 43]).done
            client.dca_bots.list()[0].disable()
            client.deals.list()
            later = set(sys.modules) - known
        print([name for name in later if name.startswith(("botdesk._api", "botdesk._bulk", "botdesk._records"))])
    """)
    assert child.output() == "[]"


def test_star_imports_every_public_class_under_its_name(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        from botdesk import *
        import botdesk
        classes = {name: value for name, value in globals().items() if isinstance(value, type)}
        print([name for name, value in classes.items() if value.__name__ != name])
        expected = [name for name in botdesk.__all__ if isinstance(getattr(botdesk, name), type)]
        print(sorted(classes) == sorted(expected), "DcaBot" in dir(botdesk))
    """)
    assert child.output() == "[]\nTrue True"


def test_an_unknown_name_is_named(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        try:
            botdesk.DcaBto
        except AttributeError as error:
            print(error)
    """)
    assert child.output() == "module 'botdesk' has no attribute 'DcaBto'"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the threads of a process in /proc")
def test_import_starts_no_thread(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import os
        import botdesk
        print(len(os.listdir("/proc/self/task")))
    """)
    assert child.output() == "1"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the threads of a process in /proc")
def test_a_client_that_is_not_used_starts_no_thread(scripts: Scripts) -> None:
    child = scripts.start("""
        bots = client.dca_bots
        walk = bots.iter()
        repr(client), botdesk.DcaBot.from_json('{"id":1}')
        print(len(os.listdir("/proc/self/task")))
    """)
    assert child.output() == "1"


def test_blocking_calls_do_not_import_asyncio(scripts: Scripts) -> None:
    child = scripts.start("""
        client.dca_bots.list()
        list(client.dca_bots.iter())
        with botdesk.Sandbox() as sandbox:
            sandbox.client().dca_bots.get(41).disable()
        print("asyncio" in sys.modules)
    """)
    assert child.output() == "False"
