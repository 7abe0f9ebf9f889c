"""The life of a sandbox."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Scripts


def test_its_port_is_free_after_the_with_block(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        with botdesk.Sandbox() as sandbox:
            port = int(sandbox.url.rpartition(":")[2])
            sandbox.client().dca_bots.list()
        for _ in range(5):
            with botdesk.Sandbox(port=port) as sandbox:
                assert sandbox.url.endswith(f":{port}")
                sandbox.client().dca_bots.list()
        print("free each time")
    """)
    assert child.output() == "free each time"


def test_its_port_is_free_after_the_async_with_block(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import asyncio
        import botdesk
        async def main():
            async with botdesk.Sandbox() as sandbox:
                port = int(sandbox.url.rpartition(":")[2])
                await sandbox.client().dca_bots.list_async()
            for _ in range(5):
                async with botdesk.Sandbox(port=port) as sandbox:
                    assert sandbox.url.endswith(f":{port}")
                    await sandbox.client().dca_bots.list_async()
            print("free each time")
        asyncio.run(main())
    """)
    assert child.output() == "free each time"


def test_its_port_is_free_after_an_exception_in_the_block(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        try:
            with botdesk.Sandbox() as sandbox:
                port = int(sandbox.url.rpartition(":")[2])
                raise LookupError
        except LookupError:
            botdesk.Sandbox(port=port).close()
        print("free")
    """)
    assert child.output() == "free"


def test_a_port_in_use_is_reported(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        with botdesk.Sandbox() as sandbox:
            port = int(sandbox.url.rpartition(":")[2])
            try:
                botdesk.Sandbox(port=port)
            except botdesk.ConfigurationError as error:
                print(str(port) in str(error))
    """)
    assert child.output() == "True"


def test_closing_it_twice_is_not_an_error(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import asyncio
        import botdesk
        with botdesk.Sandbox() as sandbox:
            sandbox.close()
            sandbox.close()
        async def main():
            async with sandbox:
                sandbox.close()
        asyncio.run(main())
        print("closed")
    """)
    assert child.output() == "closed"


def test_many_threads_may_close_it(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import threading
        import botdesk
        sandbox = botdesk.Sandbox()
        threads = [threading.Thread(target=sandbox.close) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print("closed")
    """)
    assert child.output() == "closed"


def test_a_client_finds_nobody_once_it_is_closed(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import asyncio
        import botdesk
        with botdesk.Sandbox() as sandbox:
            client = sandbox.client()
        try:
            client.dca_bots.list()
        except botdesk.ConnectionFailedError as error:
            print(error.sent, sandbox.url in str(error))
        try:
            client.dca_bots.disable(41)
        except botdesk.ConnectionFailedError as error:
            print(error.sent)
        try:
            asyncio.run(client.dca_bots.list_async())
        except botdesk.ConnectionFailedError as error:
            print(error.sent)
    """)
    assert child.output().splitlines() == ["False True", "False", "False"]


def test_a_client_with_an_open_connection_finds_nobody_either(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        with botdesk.Sandbox() as sandbox:
            client = sandbox.client()
            client.dca_bots.list()
        # The first call may still go out over the connection that is about to end.
        for kind in (botdesk.TransportError, botdesk.ConnectionFailedError):
            try:
                client.dca_bots.list()
            except kind as error:
                print(isinstance(error, botdesk.TransportError))
    """)
    assert child.output().splitlines() == ["True", "True"]


def test_closing_it_ends_the_calls_in_flight(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import asyncio
        import botdesk
        async def main():
            async with botdesk.Sandbox() as sandbox:
                client = sandbox.client()
                calls = [asyncio.ensure_future(client.dca_bots.list_async()) for _ in range(50)]
                await asyncio.sleep(0)
            results = await asyncio.gather(*calls, return_exceptions=True)
            expected = (botdesk.Records, botdesk.TransportError)
            print(len(results), all(isinstance(result, expected) for result in results))
        asyncio.run(main())
    """)
    assert child.output() == "50 True"


def test_what_it_received_can_be_read_after_it_closed(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        with botdesk.Sandbox() as sandbox:
            sandbox.client().dca_bots.get(41)
        print([request.path for request in sandbox.requests])
    """)
    assert child.output() == "['/public/api/ver1/bots/41/show']"


def test_two_of_them_share_nothing(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        with botdesk.Sandbox() as one, botdesk.Sandbox() as other:
            assert one.url != other.url
            client, stranger = one.client(), other.client()
            client.dca_bots.disable(41)
            print(client.dca_bots.get(41).is_enabled, stranger.dca_bots.get(41).is_enabled)
            print(len(one.requests), len(other.requests))
            other.close()
            print(len(client.dca_bots.list()))
    """)
    assert child.output().splitlines() == ["False True", "2 1", "12"]


def test_a_key_of_one_is_unknown_to_another(scripts: Scripts) -> None:
    child = scripts.start("""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
        public = load_pem_private_key(os.environ["SERVICE_KEY"].encode(), None).public_key()
        pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        with botdesk.Sandbox() as one, botdesk.Sandbox() as other:
            api_key = one.add_key(pem)
            for sandbox in (one, other):
                client = botdesk.Client(api_key, os.environ["SERVICE_KEY"], base_url=sandbox.url)
                try:
                    print(len(client.dca_bots.list()))
                except botdesk.AuthenticationError as error:
                    print(error.status)
    """)
    assert child.output().splitlines() == ["12", "401"]


@pytest.mark.parametrize(
    ("made", "call"),
    [
        pytest.param("client", "held.dca_bots.list()", id="client"),
        pytest.param("client.with_options(timeout=60)", "held.dca_bots.list()", id="client with other options"),
        pytest.param("client.dca_bots", "held.list()", id="handle"),
        pytest.param("client.dca_bots.get(41)", "held.refresh()", id="record"),
        pytest.param("client.dca_bots.iter()", "next(held)", id="iterator"),
        pytest.param("client.dca_bots.watch()", "held.poll()", id="watch"),
        pytest.param("client.dca_bots.get(41).preview_edit(name='x')", "held.apply()", id="preview"),
        pytest.param(
            "client.dca_bots.disable_many([41, 43], preview=True)",
            "held.apply().raise_for_failures()",
            id="preview of many",
        ),
        pytest.param("client.dca_bots.list_async()", "asyncio.run(held)", id="coroutine"),
    ],
)
@pytest.mark.shows("promise a client keeps its sandbox")
def test_what_was_made_from_it_keeps_it_running(made: str, call: str, scripts: Scripts) -> None:
    child = scripts.start_bare(f"""
        import asyncio, gc
        import botdesk
        client = botdesk.Sandbox().client()
        held = {made}
        del client
        gc.collect()
        {call}
        print("it runs")
    """)
    assert child.output() == "it runs"


def test_one_that_nothing_was_made_from_any_more_frees_its_port(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        client = botdesk.Sandbox().client()
        _, url, *_ = repr(client).split()
        bot = client.dca_bots.get(41)
        del client, bot
        stranger = botdesk.Client("a-key", botdesk.PrivateKey.generate(bits=2048), base_url=url, retries=0)
        while True:
            try:
                stranger.dca_bots.list()
            except botdesk.ConnectionFailedError:
                break
            except (botdesk.TransportError, botdesk.AuthenticationError):
                pass
        print("gone")
    """)
    assert child.output() == "gone"


def test_closing_it_stops_it_for_clients_that_are_left(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        with botdesk.Sandbox() as sandbox:
            client = sandbox.client().with_options(retries=0)
        try:
            client.dca_bots.list()
        except botdesk.ConnectionFailedError:
            print("gone")
    """)
    assert child.output() == "gone"


def test_a_client_that_keeps_one_running_does_not_keep_the_process(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import warnings
        warnings.simplefilter("error")
        import botdesk
        client = botdesk.Sandbox().client()
        print(len(client.dca_bots.list()))
    """)
    assert child.output() == "12"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_child_may_drop_the_client_that_keeps_one_running(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import os
        import botdesk
        client = botdesk.Sandbox().client()
        client.dca_bots.list()
        process = os.fork()
        if process == 0:
            print(len(client.dca_bots.list()), flush=True)
            del client
            os._exit(0)
        print(os.waitpid(process, 0)[1], len(client.dca_bots.list()))
    """)
    assert child.output().splitlines() == ["12", "0 12"]


def test_a_replay_runs_on_for_its_client(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import os, tempfile
        import botdesk
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "desk.har")
            client = botdesk.Sandbox().client()
            with botdesk.record(path, client):
                client.dca_bots.get(41)
            print(botdesk.Replay(path).client().dca_bots.get(41).id)
    """)
    assert child.output() == "41"


def test_a_client_that_keeps_one_running_is_not_pickled(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import pickle
        import botdesk
        try:
            pickle.dumps(botdesk.Sandbox().client())
        except botdesk.ConfigurationError as error:
            print("has its private key in memory" in str(error))
    """)
    assert child.output() == "True"


def test_ctrl_c_in_the_block_frees_the_port(scripts: Scripts) -> None:
    child = scripts.start("""
        try:
            with botdesk.Sandbox() as sandbox:
                port = int(sandbox.url.rpartition(":")[2])
                print("ready", flush=True)
                wait_for_test()
        except KeyboardInterrupt:
            botdesk.Sandbox(port=port).close()
            print("free")
    """)
    assert child.read_line() == "ready"
    child.interrupt()
    assert child.output() == "free"
