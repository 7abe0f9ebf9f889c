"""The report on a grid bot has the figures of its records, which are those of the sandbox."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import pytest

import botdesk

FEE = Decimal("0.001")
PRICES = (64000, 62000, 60000, 62000, 66000, 61000)


def traded(sandbox: botdesk.Sandbox, **changes: object) -> botdesk.GridBot:
    """Return a bot with lines at 56 000, 58 000, … 70 000 that traded."""
    fields: dict[str, Any] = {
        "pair": "USDT_BTC",
        "lower_price": 56000,
        "upper_price": 70000,
        "grids_quantity": 8,
        "quantity_per_grid": 150,
        "order_currency_type": "quote",
    }
    bot = sandbox.add_grid_bot(**fields | changes)
    sandbox.set_price("USDT_BTC", 63000)
    client = sandbox.client()
    client.grid_bots.enable(bot)
    for price in PRICES:
        sandbox.move_price("USDT_BTC", price)
        sandbox.clock.advance(72_000)
    return client.grid_bots.get(bot)


@pytest.mark.parametrize("fee", [Decimal(0), FEE])
def test_the_profits_are_those_of_the_record_by_line_and_by_day(fee: Decimal) -> None:
    with botdesk.Sandbox(fee=fee) as sandbox:
        bot = traded(sandbox)
        report = bot.report()
        profits = bot.profits()
    assert (report.realized, report.unrealized) == (bot.current_profit, bot.unrealized_profit_loss)
    assert report.total == bot.current_profit_loss
    assert report.profits_count == bot.total_profits_count == len(profits) == 4
    recorded = sum((profit.profit or 0 for profit in profits), Decimal())
    assert sum(line.profit for line in report.by_line) == recorded
    assert sum(line.profits_count for line in report.by_line) == report.profits_count
    sold = {profit.grid_line.price or Decimal() for profit in profits if profit.grid_line}
    assert [line.price for line in report.by_line] == sorted(sold, reverse=True)
    assert sum(report.by_day.values(), Decimal()) == recorded
    assert list(report.by_day) == sorted({profit.created_at.date() for profit in profits if profit.created_at})
    # Only a fee leaves something that belongs to no line yet.
    assert (recorded == report.realized) == (fee == 0) == (report.warnings == ())


def test_the_fees_are_those_that_the_sandbox_charged() -> None:
    with botdesk.Sandbox(fee=0) as free, botdesk.Sandbox(fee=FEE) as charging:
        without, bot = traded(free), traded(charging)
        report = bot.report(fee="0.1%")
    assert report.fees == (without.current_profit or 0) - (bot.current_profit or 0)
    assert report.fees


def test_the_investment_is_that_of_the_percentage_of_the_sandbox() -> None:
    with botdesk.Sandbox(fee=0) as sandbox:
        bot = traded(sandbox)
        report = bot.report()
        (order,) = bot.orders().balancing_orders or []
    # Three or four orders of 150 below the start, and what was bought.
    assert report.invested is not None
    assert (report.invested - (order.total or 0)) % 150 == 0
    percent = (100 * report.realized / report.invested).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    assert percent == bot.profit_percentage
    assert report.since is not None
    assert report.until is not None
    years = Decimal((report.until - report.since).total_seconds()) / (365 * 86_400)
    assert report.annualized == (100 * report.realized / report.invested / years).quantize(Decimal("0.01"))
    assert report.holding == (report.invested * (61000 - 63000) / 63000).quantize(Decimal("1e-8")).normalize()


def test_the_share_of_a_year_falls_while_the_bot_earns_nothing() -> None:
    with botdesk.Sandbox(fee=0) as sandbox:
        bot = traded(sandbox)
        before = bot.report()
        sandbox.clock.advance(30 * 86_400)
        after = bot.report()
        assert after.realized == before.realized > 0
        assert after.until == sandbox.clock.now
        assert 0 < (after.annualized or 0) < (before.annualized or 0) / 5


def test_candles_tell_the_time_in_the_range() -> None:
    start = round(datetime(2024, 4, 1, tzinfo=UTC).timestamp() * 1000)
    closes = (55000, 60000, 70000, 71000)
    candles = [[start + 86_400_000 * (day + 30), 60000, 80000, 50000, close] for day, close in enumerate(closes)]
    with botdesk.Sandbox() as sandbox:
        assert traded(sandbox).report(candles=candles).time_in_range == 50


def test_what_the_records_do_not_tell_is_none_with_a_warning() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        moved = traded(sandbox, trailing_up_enabled=True)
        sandbox.move_price("USDT_BTC", 73000)
        report = moved.report()
        assert (report.invested, report.annualized, report.holding, report.fees) == (None, None, None, None)
        assert "the investment is not known: its lines moved since the start" in report.warnings
        stopped = client.grid_bots.disable(201).report()
        assert "the bot is off: its record has no unrealized profit" in stopped.warnings


@pytest.mark.parametrize("fee", ["much", -1, "100%", float("nan")])
def test_a_fee_that_is_no_fraction_is_refused_before_a_request(fee: Any) -> None:  # noqa: ANN401
    with botdesk.Sandbox() as sandbox:
        bot = sandbox.client().grid_bots.get(201)
        count = len(sandbox.requests)
        with pytest.raises(botdesk.ValidationError) as caught:
            bot.report(fee=fee)
        assert list(caught.value.errors) == ["fee"]
        assert len(sandbox.requests) == count


def test_both_versions_give_the_same_report() -> None:
    with botdesk.Sandbox() as sandbox:
        bot = traded(sandbox)
        assert asyncio.run(bot.report_async(fee=FEE)) == bot.report(fee=FEE)


def test_a_bot_that_may_have_moved_says_that_its_investment_may_be_another() -> None:
    with botdesk.Sandbox() as sandbox:
        report = traded(sandbox, trailing_up_enabled=True).report()
    assert report.invested is not None
    assert any("trails or expands" in warning for warning in report.warnings)
