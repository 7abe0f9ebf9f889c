"""`wait=True`: writes that go on after their response return when it is done."""

from __future__ import annotations

import asyncio

import pytest

import botdesk
from botdesk import _deal_actions


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make no pauses between two reads: each read advances the sandbox's clock."""

    def none(_pauses: object, _deal: botdesk.Deal) -> float:
        return 0

    monkeypatch.setattr(_deal_actions._Pauses, "next", none)


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
