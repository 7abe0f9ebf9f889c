"""A watch outlives what passes, loses nothing by it, and ends at what does not pass."""

from __future__ import annotations

import _thread
import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

import pytest

import botdesk

from .conftest import TRADING, kinds

if TYPE_CHECKING:
    from collections.abc import Callable

PASSING = ["refuse", "close_before", "cut_body", "wrong_json", "bad_utf8", "huge_body"]
ENDING = {401: botdesk.SignatureInvalidError, 403: botdesk.ForbiddenError, 404: botdesk.NotFoundError}


def changes_after(client: botdesk.Client, watch: botdesk.DcaBotWatch, bot_id: int) -> list[str]:
    """Disable a bot, then iterate over a watch that polls without a delay until it reports a change."""
    client.dca_bots.disable(bot_id)
    errors: list[botdesk.BotdeskError] = []
    emitted: list[str] = []
    for change in client.dca_bots.watch(since=watch.state, on_error=errors.append):
        emitted.append(change.kind)
        break
    assert errors == []
    return emitted


@pytest.mark.parametrize("kind", PASSING)
def test_a_list_that_fails_is_raised_by_poll_and_loses_nothing(
    kind: str, watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int
) -> None:
    client.dca_bots.disable(bot_id)
    sandbox.faults.add("dca_bots.list", kind=kind)
    with pytest.raises(botdesk.BotdeskError):
        watch.poll()
    sandbox.faults.clear()
    assert kinds(watch.poll()) == ["disabled"]


# A connection that is refused also fails the request for the list.
@pytest.mark.parametrize("kind", PASSING[1:])
def test_a_bot_that_fails_is_reported_and_loses_nothing(
    kind: str,
    watch: botdesk.DcaBotWatch,
    sandbox: botdesk.Sandbox,
    errors: list[botdesk.BotdeskError],
) -> None:
    sandbox.set_price("USDT_NEW", 100)
    sandbox.faults.add("dca_bots.get", kind=kind)
    assert watch.poll() == []
    assert len(errors) == 1
    sandbox.faults.clear()
    assert kinds(watch.poll()) == ["deal_opened"]


def test_a_loop_goes_on_after_a_failure(
    sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int, watch: botdesk.DcaBotWatch
) -> None:
    sandbox.set_price("USDT_NEW", 100)
    sandbox.faults.add("dca_bots.get", kind="close_before")
    errors: list[botdesk.BotdeskError] = []
    client.dca_bots.disable(bot_id)
    later = client.dca_bots.watch(since=watch.state, on_error=errors.append)
    assert next(later).kind == "disabled"
    assert [type(error) for error in errors] == [botdesk.TransportError]
    assert kinds(later.poll()) == ["deal_opened"]


def test_a_failure_without_an_error_hook_is_logged(
    sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int, caplog: pytest.LogCaptureFixture
) -> None:
    del bot_id
    sandbox.set_price("USDT_NEW", 100)
    sandbox.faults.add("dca_bots.get", kind="status", status=501)
    with caplog.at_level(logging.WARNING, "botdesk"):
        assert client.dca_bots.watch().poll() == []
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("botdesk", "WARNING")
    assert record.getMessage().startswith("the watch goes on: GET ")


@pytest.mark.parametrize("status", ENDING)
def test_what_does_not_pass_is_raised_and_the_state_stays_good(
    status: int, watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int
) -> None:
    sandbox.faults.add("dca_bots.list", kind="status", status=status)
    later = client.dca_bots.watch(since=watch.state)
    with pytest.raises(ENDING[status]):
        next(later)
    assert changes_after(client, later, bot_id) == ["disabled"]


def test_a_ban_is_raised(watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("dca_bots.list", kind="status", status=418)
    with pytest.raises(botdesk.IpBannedError):
        watch.poll()


def test_an_exception_of_the_hook_is_raised_and_no_change_is_lost(
    sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int
) -> None:
    def give_up(error: botdesk.BotdeskError) -> None:
        raise error

    other = sandbox.add_dca_bot(**{**TRADING, "pairs": ["USDT_OTHER"]})
    watch = client.dca_bots.watch(on_error=give_up)
    watch.poll()
    sandbox.set_price("USDT_NEW", 100)
    sandbox.faults.add("dca_bots.get", kind="close_before")
    client.dca_bots.disable(other)
    with pytest.raises(botdesk.TransportError):
        watch.poll()
    assert sorted((change.kind, change.bot.id) for change in watch.poll()) == [
        ("deal_opened", bot_id),
        ("disabled", other),
    ]


@pytest.mark.parametrize("step", [botdesk.DcaBotWatch.poll, botdesk.DcaBotWatch.__next__], ids=["poll", "next"])
def test_ctrl_c_at_the_end_of_a_step_loses_no_change(
    step: Callable[[botdesk.DcaBotWatch], object],
    sandbox: botdesk.Sandbox,
    client: botdesk.Client,
    bot_id: int,
    watch: botdesk.DcaBotWatch,
) -> None:
    # Sets the flag of Ctrl-C after the last request of the step; no line of Python runs until the step returns.
    press_ctrl_c = partial(next, iter(_thread.interrupt_main, object()))
    later = client.dca_bots.watch(since=watch.state, on_error=press_ctrl_c)
    sandbox.set_price("USDT_NEW", 100)
    client.dca_bots.edit(bot_id, cooldown=60)
    sandbox.faults.add("dca_bots.get", kind="close_before")
    with pytest.raises(KeyboardInterrupt):
        step(later)
    sandbox.faults.clear()
    assert kinds(later.poll()) == ["edited", "deal_opened"]


def test_under_asyncio_a_step_that_is_cancelled_loses_nothing(
    watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int
) -> None:
    client.dca_bots.disable(bot_id)

    async def main() -> str:
        sent = asyncio.Event()
        hooked = client.with_options(on_request=lambda _: sent.set())
        later = hooked.dca_bots.watch_async(since=watch.state)
        sandbox.faults.add("dca_bots.list", kind="stall")
        step = asyncio.ensure_future(anext(later))
        await sent.wait()
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step
        sandbox.faults.clear()
        return (await anext(later)).kind

    assert asyncio.run(main()) == "disabled"


def test_the_watch_waits_its_turn_within_the_rate_limit(sandbox: botdesk.Sandbox, private_key: str) -> None:
    key = botdesk.PrivateKey.load(private_key)
    limit = botdesk.RateLimit(2, per=3600)
    client = botdesk.Client(
        sandbox.add_key(key.public_key_pem), key, base_url=sandbox.url, rate_limit=limit, wait=False
    )
    watch = client.dca_bots.watch()
    watch.poll()
    watch.poll()
    with pytest.raises(botdesk.RateLimitedError):
        watch.poll()
    assert len(sandbox.requests) == 2
