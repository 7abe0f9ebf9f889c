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


@pytest.mark.parametrize("module", ["ssl", "socket", "http", "json", "inspect", "dataclasses", "multiprocessing"])
def test_import_does_not_import(module: str, scripts: Scripts) -> None:
    child = scripts.start_bare(f"""
        import sys
        before = set(sys.modules)
        import botdesk
        print("{module}" in set(sys.modules) - before)
    """)
    assert child.output() == "False"


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
