"""A new name of a bot or an account in every record that has a copy of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("reads_before", [False, True], ids=["unread", "read before"])
def test_a_renamed_bot_has_its_new_name_in_its_deals(reads_before: bool) -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        others = {deal.bot_name for deal in client.deals.iter() if deal.bot_id != 41} if reads_before else None
        client.dca_bots.edit(41, name="Renamed")
        deals = list(client.deals.iter(bot_id=41))
        assert {deal.finished for deal in deals} == {True, False}
        assert {deal.bot_name for deal in deals} == {"Renamed"}
        assert {deal.bot_name for deal in client.dca_bots.get(41).active_deals or ()} == {"Renamed"}
        if others is not None:
            assert {deal.bot_name for deal in client.deals.iter() if deal.bot_id != 41} == others


@pytest.mark.parametrize("reads_before", [False, True], ids=["unread", "read before"])
def test_a_renamed_account_has_its_new_name_in_its_bots_deals_and_trades(reads_before: bool) -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        if reads_before:
            list(client.deals.iter())
        client.accounts.rename(1001, "Renamed")
        deals = [deal for deal in client.deals.iter() if deal.account_id == 1001]
        assert {deal.finished for deal in deals} == {True, False}
        trades = [trade.account for trade in client.smart_trades.iter() if trade.account]
        for names in (
            {deal.account_name for deal in deals},
            {bot.account_name for bot in client.dca_bots.iter() if bot.account_id == 1001},
            {bot.account_name for bot in client.grid_bots.iter() if bot.account_id == 1001},
            {account.name for account in trades if account.id == 1001},
        ):
            assert names == {"Renamed"}
        assert "Renamed" not in {bot.account_name for bot in client.dca_bots.iter() if bot.account_id != 1001}


def test_a_saved_state_keeps_the_new_names(tmp_path: Path) -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        client.dca_bots.edit(41, name="Renamed")
        client.accounts.rename(1001, "Also renamed")
        sandbox.dump(tmp_path / "desk.json")
    with botdesk.Sandbox(state=tmp_path / "desk.json") as sandbox:
        deals = list(sandbox.client().deals.iter(bot_id=41))
        assert {(deal.bot_name, deal.account_name) for deal in deals} == {("Renamed", "Also renamed")}
