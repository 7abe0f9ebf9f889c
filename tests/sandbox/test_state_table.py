"""The document's section on states and transitions, row by row."""

from __future__ import annotations

import pytest

import botdesk


@pytest.mark.shows("transition DCA bot enabled, Disable DCA Bot", "transition deal status bought")
def test_disabling_a_dca_bot_leaves_its_deals_bought(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_dca_bot(is_enabled=True, active_deals=[{"note": "one"}])
    bot = client.dca_bots.disable(bot_id)
    assert bot.is_enabled is False
    (deal,) = bot.active_deals or []
    assert (deal.status, deal.localized_status, deal.closed_at, deal.finished) == ("bought", "Active", None, False)


@pytest.mark.shows("transition DCA bot with active deal, Cancel all deals", "transition deal status cancel_pending")
def test_cancelling_the_deals_of_a_dca_bot_marks_each(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_dca_bot(is_enabled=True, active_deals=[{"note": "one"}, {"note": "two"}])
    bot = client.dca_bots.cancel_all_deals(bot_id)
    assert (bot.is_enabled, len(bot.active_deals or [])) == (False, 2)
    for deal in bot.active_deals or []:
        assert (deal.status, deal.localized_status) == ("cancel_pending", "Cancel pending")
        assert (deal.cancellable, deal.panic_sellable) == (False, False)


@pytest.mark.shows("transition Grid bot disabled, Enable Grid Bot")
def test_enabling_a_grid_bot(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_grid_bot(is_enabled=False)
    assert client.grid_bots.enable(bot_id).is_enabled is True


@pytest.mark.shows("transition SmartTrade waiting_targets, Available reduce funds")
def test_reducing_funds_is_for_a_smart_trade_that_waits(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    trade_id = sandbox.add_smart_trade(status="waiting_targets", max_reduce_funds_amount="1.5")
    for _ in range(2):
        assert str(client.smart_trades.reduce_funds_info(trade_id).max_reduce_funds_amount) == "1.5"


@pytest.mark.parametrize("status", ["created", "finished", "", "WAITING_TARGETS"])
def test_reducing_funds_is_rejected_in_other_states(
    sandbox: botdesk.Sandbox, client: botdesk.Client, status: str
) -> None:
    trade_id = sandbox.add_smart_trade(status=status)
    with pytest.raises(botdesk.WrongParamsError) as caught:
        client.smart_trades.reduce_funds_info(trade_id)
    assert (caught.value.status, caught.value.error) == (400, "Wrong param(s)")
