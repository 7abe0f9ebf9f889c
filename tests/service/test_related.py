"""Lists of what belongs to a record."""

from __future__ import annotations

import asyncio

import pytest

import botdesk


def test_a_bot_iterates_over_its_deals(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    bot = client.dca_bots.get(41)
    ids = [deal.id for deal in bot.deals(limit=2)]
    assert len(ids) > 2
    assert ids == [deal.id for deal in client.deals.iter(bot_id=41)]
    assert [deal.status for deal in bot.deals(scope="active")] == ["bought"]


def test_an_async_iterator_has_the_same_deals(sandbox: botdesk.Sandbox) -> None:
    bot = sandbox.client().dca_bots.get(41)

    async def ids() -> list[int | None]:
        return [deal.id async for deal in bot.deals_async(scope="finished")]

    assert asyncio.run(ids()) == [deal.id for deal in bot.deals(scope="finished")]


def test_a_bot_without_an_id_never_lists_the_deals_of_others(sandbox: botdesk.Sandbox) -> None:
    bot = next(sandbox.client().dca_bots.iter())
    without_id = type(bot).from_json("{}")
    with pytest.raises(botdesk.ValidationError, match="the bot has no id"):
        without_id.deals()


def test_an_unknown_filter_is_an_error(sandbox: botdesk.Sandbox) -> None:
    bot = sandbox.client().dca_bots.get(41)
    with pytest.raises(botdesk.ValidationError, match="scop"):
        bot.deals(scop="active")


def test_an_account_has_its_balances(sandbox: botdesk.Sandbox) -> None:
    account = sandbox.client().accounts.get(1001)
    assert account.balances() == account.table_data()
    assert asyncio.run(account.balances_async()) == account.table_data()
