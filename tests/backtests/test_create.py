"""What was tried becomes a bot: `create_from`."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

import pytest

import botdesk

ROWS = [[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]]
TRIED: dict[str, Any] = {
    "base_order_volume": "100.25",
    "take_profit": "1.5",
    "max_safety_orders": 4,
    "safety_order_volume": 50,
    "safety_order_step_percentage": "1.2",
    "martingale_volume_coefficient": "1.05",
    "stop_loss_percentage": 12,
}


def candles() -> dict[str, botdesk.Candles]:
    return {"USDT_ETH": botdesk.Candles(ROWS)}


@pytest.mark.parametrize("awaited", [False, True])
def test_the_bot_has_the_settings_that_were_tried(client: botdesk.Client, *, awaited: bool) -> None:
    tried = botdesk.backtest(candles(), **TRIED)
    bot = (
        asyncio.run(_awaited(tried, client))
        if awaited
        else client.dca_bots.create_from(tried, account_id=1001, name="Tried")
    )
    assert {name: getattr(bot, name) for name in TRIED} == {name: Decimal(value) for name, value in TRIED.items()}
    assert (bot.name, bot.account_id, bot.pairs, bot.is_enabled) == ("Tried", 1001, ["USDT_ETH"], False)


async def _awaited(tried: botdesk.Backtest, client: botdesk.Client) -> botdesk.DcaBot:
    return await client.dca_bots.create_from_async(tried, account_id=1001, name="Tried")


def test_its_backtest_is_the_one_that_was_made(client: botdesk.Client) -> None:
    tried = botdesk.backtest(candles(), **TRIED)
    bot = client.dca_bots.create_from(tried, account_id=1001, name="Tried")
    assert bot.backtest(candles()).summary == tried.summary


def test_the_best_point_of_a_sweep_becomes_a_bot(client: botdesk.Client) -> None:
    point = botdesk.sweep(TRIED, candles(), {"take_profit": ["0.5", "2"]})[1]
    bot = client.dca_bots.create_from(point.backtest(), account_id=1001, name="Best", cooldown=60)
    assert (bot.take_profit, bot.cooldown) == (Decimal(2), Decimal(60))


def test_the_backtest_of_a_bot_with_changes_keeps_the_rest(client: botdesk.Client) -> None:
    bot = client.dca_bots.get(41)
    tried = bot.preview_edit(take_profit="3").backtest(candles()).after
    twin = client.dca_bots.create_from(tried, account_id=1001, name="Twin")
    assert (twin.take_profit, twin.base_order_volume) == (Decimal(3), bot.base_order_volume)


def test_a_grid_is_not_created_as_a_dca_bot(client: botdesk.Client) -> None:
    tried = client.grid_bots.get(203).backtest(candles())
    with pytest.raises(botdesk.ConfigurationError, match="no settings of a DCA bot"):
        client.dca_bots.create_from(tried, account_id=1001, name="Grid")


def test_candles_without_a_pair_need_one(client: botdesk.Client) -> None:
    tried = botdesk.backtest(botdesk.Candles(ROWS), **TRIED)
    with pytest.raises(botdesk.ValidationError, match="pairs"):
        client.dca_bots.create_from(tried, account_id=1001, name="Tried")
    assert client.dca_bots.create_from(tried, account_id=1001, name="Tried", pairs=["USDT_BTC"]).pairs == ["USDT_BTC"]
