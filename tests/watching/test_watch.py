"""A watch as an object: its options, its end, threads and asyncio."""

from __future__ import annotations

import asyncio
import threading

import pytest

import botdesk

from .conftest import TRADING, kinds


@pytest.mark.parametrize("every", [0, 0.5, -1, float("nan"), float("inf"), 1e300])
def test_an_invalid_interval_is_rejected(every: float, client: botdesk.Client) -> None:
    with pytest.raises(botdesk.ConfigurationError, match="every must be 1 to"):
        client.dca_bots.watch(every=every)


def test_a_filter_that_breaks_a_rule_is_rejected_before_anything_is_sent(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    with pytest.raises(botdesk.ValidationError) as raised:
        client.dca_bots.watch(account_id=0, scope="on")  # type: ignore[arg-type]
    assert set(raised.value.errors) == {"account_id", "scope"}
    assert len(sandbox.requests) == 0


def test_what_can_not_be_called_is_rejected(client: botdesk.Client) -> None:
    with pytest.raises(botdesk.ConfigurationError, match="on_error"):
        client.dca_bots.watch(on_error=1)  # type: ignore[arg-type]


def test_a_watch_sends_nothing_before_its_first_step(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    client.dca_bots.watch()
    assert len(sandbox.requests) == 0


def test_a_closed_watch_ends_and_keeps_its_state(client: botdesk.Client, bot_id: int) -> None:
    with client.dca_bots.watch() as watch:
        watch.poll()
    assert list(watch) == []
    with pytest.raises(botdesk.ConfigurationError, match="closed"):
        watch.poll()
    client.dca_bots.disable(bot_id)
    assert kinds(client.dca_bots.watch(since=watch.state).poll()) == ["disabled"]
    assert repr(watch) == "<DcaBotWatch every=30 s closed>"


def test_closing_ends_a_loop_of_another_thread(watch: botdesk.DcaBotWatch) -> None:
    # It waits for its next poll, or has not begun to.
    loop = threading.Thread(target=list, args=(watch,))
    loop.start()
    watch.close()
    loop.join(30)
    assert not loop.is_alive()


def test_threads_share_the_changes(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bots = {sandbox.add_dca_bot(**TRADING) for _ in range(20)}
    watch = client.dca_bots.watch()
    watch.poll()
    for bot_id in bots:
        client.dca_bots.disable(bot_id)
    ids: list[int | None] = []
    lock = threading.Lock()

    def work(watch: botdesk.DcaBotWatch) -> None:
        for change in watch:
            with lock:
                ids.append(change.bot.id)
                if len(ids) == len(bots):
                    watch.close()

    # It polls at once.
    later = client.dca_bots.watch(since=watch.state)
    workers = [threading.Thread(target=work, args=(later,)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    later.close()
    assert (sorted(ids, key=str), len(ids)) == (sorted(bots, key=str), len(bots))


def test_the_state_can_be_read_while_a_loop_waits(watch: botdesk.DcaBotWatch) -> None:
    loop = threading.Thread(target=list, args=(watch,))
    loop.start()
    assert watch.state
    assert watch.poll() == []
    watch.close()
    loop.join(30)


def test_under_asyncio_a_watch_is_iterated_on_and_ends(
    watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int
) -> None:
    client.dca_bots.disable(bot_id)

    async def main() -> tuple[list[str], int]:
        emitted: list[str] = []
        async with client.dca_bots.watch_async(since=watch.state) as later:
            async for change in later:
                emitted.append(change.kind)
                later.close()
        return emitted, len([change async for change in later])

    assert asyncio.run(main()) == (["disabled"], 0)


@pytest.mark.parametrize("method", ["watch", "watch_async"])
def test_both_kinds_poll_in_both_ways(method: str, client: botdesk.Client, bot_id: int) -> None:
    watch = getattr(client.dca_bots, method)()
    assert watch.poll() == []
    client.dca_bots.disable(bot_id)
    assert kinds(asyncio.run(watch.poll_async())) == ["disabled"]
