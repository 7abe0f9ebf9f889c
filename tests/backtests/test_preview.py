"""The preview of an edit, tried on candles: before and after."""

from __future__ import annotations

import asyncio
import pickle
import re
from datetime import timedelta
from decimal import Decimal

import pytest

import botdesk
from botdesk import ValidationError

from .conftest import hours

CANDLES = hours((2500, 2500, 2490, 2495), (2495, 2530, 2470, 2525), (2525, 2530, 2400, 2410), (2410, 2550, 2405, 2545))


def test_a_preview_compares_the_bot_before_and_after(bot: botdesk.DcaBot) -> None:
    comparison = bot.preview_edit(take_profit="2.5").backtest(CANDLES, fee="0.001")
    assert comparison.before == bot.backtest(CANDLES, fee="0.001")
    before, after, difference = comparison.before.summary, comparison.after.summary, comparison.difference
    assert after.deals < before.deals
    assert difference.deals == after.deals - before.deals
    assert difference.profit == after.profit - before.profit
    assert isinstance(difference.mean_duration, timedelta)
    assert difference.budget == Decimal(0)


def test_every_figure_has_a_difference(bot: botdesk.DcaBot) -> None:
    comparison = bot.preview_edit(max_safety_orders=0).backtest(CANDLES)
    for name in botdesk.BacktestSummary._shown:
        before, after = getattr(comparison.before.summary, name), getattr(comparison.after.summary, name)
        assert getattr(comparison.difference, name) == after - before


def test_a_figure_that_one_of_both_lacks_has_no_difference(bot: botdesk.DcaBot) -> None:
    comparison = bot.preview_edit(take_profit=99).backtest(CANDLES)
    assert comparison.before.summary.mean_duration is not None
    assert (comparison.after.summary.mean_duration, comparison.difference.mean_duration) == (None, None)


def test_a_comparison_displays_itself(bot: botdesk.DcaBot) -> None:
    comparison = bot.preview_edit(take_profit="2.5", reinvesting_percentage=50).backtest(CANDLES)
    lines = repr(comparison).splitlines()
    assert lines[1].split() == ["figure", "before", "after", "difference"]
    assert lines[2].split()[0] == "profit"
    assert "! after: not simulated: reinvesting_percentage" in repr(comparison)
    assert "<th" in comparison._repr_html_()
    assert "difference" in comparison._repr_html_()


def test_a_comparison_can_be_pickled(bot: botdesk.DcaBot) -> None:
    comparison = bot.preview_edit(take_profit="2.5").backtest(CANDLES)
    back = pickle.loads(pickle.dumps(comparison))  # noqa: S301
    assert back == comparison
    assert back.difference == comparison.difference


def test_the_edit_is_not_applied(client: botdesk.Client, bot: botdesk.DcaBot) -> None:
    preview = bot.preview_edit(take_profit="2.5")
    preview.backtest(CANDLES)
    assert client.dca_bots.get(41).take_profit == bot.take_profit
    assert [change.field for change in preview.changes] == ["take_profit"]


def test_the_budget_after_the_edit_is_that_of_the_edited_bot(bot: botdesk.DcaBot) -> None:
    preview = bot.preview_edit(max_safety_orders=1, base_order_volume=200)
    after = preview.backtest(CANDLES).after
    edited = preview.apply()
    assert after == edited.backtest(CANDLES)
    assert after.summary.budget == edited.ladder(100).bot_budget


def test_a_shorter_duration_has_a_minus(bot: botdesk.DcaBot) -> None:
    candles = hours((100, 100.1, 99.9, 100.1), (100.1, 100.3, 100, 100.3), (100.3, 103, 100.2, 103))
    comparison = bot.preview_edit(take_profit="0.2", max_safety_orders=0).backtest(candles)
    (line,) = (line for line in str(comparison).splitlines() if "longest_duration" in line)
    assert re.search(r" -\d", line)
    assert "ago" not in line


def test_an_edit_of_the_pairs_takes_the_candles_of_both(bot: botdesk.DcaBot) -> None:
    preview = bot.preview_edit(pairs=["USDT_BTC"])
    comparison = preview.backtest({"USDT_ETH": CANDLES, "USDT_BTC": CANDLES[1:]})
    assert [deal.pair for deal in comparison.before.deals[:1]] == ["USDT_ETH"]
    assert [deal.pair for deal in comparison.after.deals[:1]] == ["USDT_BTC"]
    with pytest.raises(ValidationError, match="has no candles of USDT_BTC"):
        preview.backtest({"USDT_ETH": CANDLES})
    with pytest.raises(ValidationError, match="does not trade USDT_ADA"):
        preview.backtest({"USDT_ETH": CANDLES, "USDT_BTC": CANDLES, "USDT_ADA": CANDLES})


def test_a_preview_of_a_grid_bot_compares_both(grid_bot: botdesk.GridBot) -> None:
    candles = hours((3000, 3100, 2990, 3050), (3050, 3400, 3040, 3390))
    comparison = grid_bot.preview_edit(grids_quantity=11).backtest(candles, fee="0.001")
    assert comparison.before == grid_bot.backtest(candles, fee="0.001")
    assert len(comparison.after.orders) < len(comparison.before.orders)
    assert comparison.difference.profit == comparison.after.summary.profit - comparison.before.summary.profit


def test_the_async_versions_return_the_same(bot: botdesk.DcaBot, grid_bot: botdesk.GridBot) -> None:
    async def compare() -> None:
        for preview in (bot.preview_edit(take_profit="2.5"), grid_bot.preview_edit(grids_quantity=11)):
            assert await preview.backtest_async(CANDLES) == preview.backtest(CANDLES)

    asyncio.run(compare())
