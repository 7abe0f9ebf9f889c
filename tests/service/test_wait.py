"""`wait=True`: writes that go on after their response return when it is done."""

from __future__ import annotations

import asyncio

import pytest

import botdesk
from botdesk import _waits


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make no pauses between two reads: each read advances the sandbox's clock."""

    def none(_pauses: object, _left: str) -> float:
        return 0

    monkeypatch.setattr(_waits.Pauses, "next", none)


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize(("method", "status"), [("close", "panic_sold"), ("cancel", "cancelled")])
def test_a_deal_is_over_when_the_call_returns(
    sandbox: botdesk.Sandbox, method: str, status: str, *, awaited: bool
) -> None:
    client = sandbox.client()
    if awaited:
        over = asyncio.run(getattr(client.deals, f"{method}_async")(410, wait=True))
    else:
        over = getattr(client.deals.get(410), method)(wait=True)
    assert (over.id, over.status) == (410, status)
    assert [request.method for request in sandbox.requests].count("POST") == 1


def test_without_it_the_end_is_pending(sandbox: botdesk.Sandbox) -> None:
    assert sandbox.client().deals.close(410).status == "panic_sell_pending"


def test_a_step_is_closed_when_the_call_returns(sandbox: botdesk.Sandbox) -> None:
    deal = sandbox.client().deals.close_step(421, 421501, wait=True)
    assert next(step.status for step in deal.take_profit_steps or []) == "Panic sold"


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize(("method", "status"), [("close_all_deals", "panic_sold"), ("cancel_all_deals", "cancelled")])
def test_all_deals_of_a_bot_are_over_when_the_call_returns(
    sandbox: botdesk.Sandbox, method: str, status: str, *, awaited: bool
) -> None:
    client = sandbox.client()
    open_deals = {deal.id for deal in client.dca_bots.get(50).active_deals or []}
    if awaited:
        bot = asyncio.run(getattr(client.dca_bots, f"{method}_async")(50, wait=True))
    else:
        bot = getattr(client.dca_bots, method)(50, wait=True)
    assert bot.active_deals == []
    ended = {deal.id: deal.status for deal in bot.deals() if deal.id in open_deals}
    assert ended == dict.fromkeys(open_deals, status)
    assert len(ended) > 1


def test_a_record_of_a_list_waits_for_the_deals_that_are_open_at_the_first_read(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    (listed,) = (bot for bot in client.dca_bots.iter() if bot.id == 50)
    assert listed.active_deals is None
    client.dca_bots.close_all_deals(50)
    assert listed.wait_deals_closed().active_deals == []
