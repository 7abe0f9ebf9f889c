"""Calls from many threads, and their effect on other threads."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Scripts, Service


def test_sixteen_threads_share_a_client(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import threading
        import botdesk
        def call(number):
            for _ in range(20):
                results.append((number, client.dca_bots.get(41).id, len(client.dca_bots.list(limit=number))))
        results = []
        with botdesk.Sandbox(bots=20, odd_values=True) as sandbox:
            client = sandbox.client()
            threads = [threading.Thread(target=call, args=(number,)) for number in range(1, 17)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        print(len(results), all((id, length) == (41, number) for number, id, length in results))
    """)
    assert child.output() == "320 True"


def test_the_first_calls_may_come_all_at_once(scripts: Scripts) -> None:
    child = scripts.start("""
        import threading
        together = threading.Barrier(16)
        def call():
            together.wait()
            results.append(len(make_client().dca_bots.list()))
        results = []
        threads = [threading.Thread(target=call) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(results == [2] * 16)
    """)
    assert child.output() == "True"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the threads of a process in /proc")
def test_all_clients_and_sandboxes_of_a_process_share_two_threads(scripts: Scripts) -> None:
    child = scripts.start("""
        for _ in range(3):
            make_client().dca_bots.list()
            with botdesk.Sandbox(odd_values=True) as sandbox:
                sandbox.client().dca_bots.list()
        print(len(os.listdir("/proc/self/task")) - 1)
    """)
    assert child.output() == "2"


def test_a_stalled_call_does_not_hold_up_other_threads(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import threading
        def stall():
            print("the stalled call got", client.dca_bots.get(1).id)
        thread = threading.Thread(target=stall)
        thread.start()
        wait_for_test()
        print(len(client.dca_bots.list()), sum(range(1000)), flush=True)
        thread.join()
    """)
    request = service.stalled()
    child.send_line()
    assert child.read_line() == "2 499500"
    request.respond_with_record()
    assert child.output() == "the stalled call got 1"


def test_sixteen_stalled_calls_do_not_hold_up_another(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import threading
        threads = [threading.Thread(target=client.dca_bots.get, args=(number,)) for number in range(1, 17)]
        for thread in threads:
            thread.start()
        wait_for_test()
        print(len(client.dca_bots.list()), flush=True)
        for thread in threads:
            thread.join()
    """)
    requests = [service.stalled() for _ in range(16)]
    child.send_line()
    assert child.read_line() == "2"
    for request in requests:
        request.respond_with_record()
    assert child.output() == ""


def test_threads_may_share_an_iterator(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import threading
        import botdesk
        with botdesk.Sandbox(bots=200, odd_values=True) as sandbox:
            bots = sandbox.client().dca_bots.iter(limit=10)
            seen = []
            threads = [threading.Thread(target=lambda: seen.extend(bot.id for bot in bots)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        print(len(seen), len(set(seen)))
    """)
    assert child.output() == "200 200"


def test_a_client_outlives_the_thread_that_made_it(scripts: Scripts) -> None:
    child = scripts.start("""
        import threading
        made = []
        def make():
            made.append(make_client())
            made[0].dca_bots.list()
        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        print(len(made[0].dca_bots.list()))
    """)
    assert child.output() == "2"
