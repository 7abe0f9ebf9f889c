"""Deals and statistics of bots: the odd shapes of responses, and the times that a query sends."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import BotSandbox


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (date(2024, 3, 10), "2024-03-10T00:00:00.000Z"),
        (datetime(2024, 3, 10, 4, 0, 0, 125_000, tzinfo=UTC), "2024-03-10T04:00:00.125Z"),
        (datetime(2024, 3, 10, 4, tzinfo=timezone(timedelta(hours=5))), "2024-03-09T23:00:00.000Z"),
        ("2024-03-10T04:00:00Z", "2024-03-10T04:00:00Z"),
    ],
)
def test_a_time_is_sent_as_iso_8601(context: BotSandbox, given: date | str, sent: str) -> None:
    context.client.dca_bots.stats_by_date(given)
    context.client.deals.list(from_=given)
    for request, name in zip(context.sandbox.requests[-2:], ("date", "from"), strict=True):
        assert request.query == f"{name}={sent.replace(':', '%3A')}"


@pytest.mark.parametrize("given", [datetime(2024, 3, 10), 1.5, "yesterday"])  # noqa: DTZ001
def test_a_time_without_a_meaning_is_rejected(context: BotSandbox, given: object) -> None:
    before = len(context.sandbox.requests)
    with pytest.raises(botdesk.ValidationError, match="date"):
        context.client.dca_bots.stats_by_date(given)
    assert len(context.sandbox.requests) == before


def test_statistics_keep_every_digit_of_numbers_and_strings() -> None:
    stats = botdesk.BotStats.from_json(
        '{"overall_stats": {"USDT": "1.000000000000000000000000000000000001", "BTC": 0.1}, "today_stats": {},'
        ' "profits_in_usd": {"overall_usd_profit": 12.123456789, "today_usd_profit": "0.5"}}'
    )
    assert stats.overall_stats == {"USDT": Decimal("1.000000000000000000000000000000000001"), "BTC": Decimal("0.1")}
    assert stats.today_stats == {}
    assert stats.profits_in_usd is not None
    assert stats.profits_in_usd.overall_usd_profit == Decimal("12.123456789")
    assert stats.profits_in_usd.today_usd_profit == Decimal("0.5")


def test_the_profits_of_a_day_have_one_of_two_names() -> None:
    for name in ("stats", "profits_in_usd"):
        stats = botdesk.StatsByDate.from_json(f'{{"{name}": {{"USDT": "1.50"}}, "usd_profit": 1.5}}')
        assert (stats.stats, stats.usd_profit) == ({"USDT": Decimal("1.50")}, Decimal("1.5"))
        assert stats.to_dict() == {name: {"USDT": "1.50"}, "usd_profit": Decimal("1.5")}


def test_an_order_has_the_identifier_that_cancels_it_as_digits_or_as_a_number() -> None:
    orders = botdesk.Order.list_from_json('[{"order_id": "410801"}, {"order_id": 2376446537}]')
    assert [order.order_id for order in orders] == [410_801, 2_376_446_537]
    assert orders[0].to_dict() == {"order_id": "410801"}


def test_a_step_reads_numbers_and_strings() -> None:
    numbers = '{"id": 0, "amount_percentage": 40.0, "trade_id": 7}'
    strings = '{"id": "0", "amount_percentage": "40.0", "trade_id": "7"}'
    for step in (numbers, strings):
        read = botdesk.DealStep.from_json(step)
        assert (read.id, str(read.amount_percentage), read.trade_id) == (0, "40.0", 7)


def test_the_chart_has_a_cyrillic_name() -> None:
    chart = botdesk.Chart.from_json(
        '{"TTP\u0410ctivated": true, "LP": null, "stopLosses": [["3000.5", false]], "marks": [{"type": "tp"}]}'
    )
    assert (chart.ttp_activated, chart.lp, chart.extra) == (True, None, {})
    assert chart.stop_losses == [["3000.5", False]]
    assert chart.marks == [{"type": "tp"}]


def test_an_undocumented_status_is_read() -> None:
    deal = botdesk.Deal.from_json('{"status": "brand_new", "take_profit": null, "actual_profit": null}')
    assert (deal.status, deal.take_profit, deal.actual_profit) == ("brand_new", None, None)


def test_an_option_of_a_strategy_takes_a_number_or_one_of_its_values() -> None:
    read = botdesk.StrategyDescription.from_json('{"options": {"points": null, "time": {"3m": "3m"}}}')
    assert read.options == {"points": None, "time": {"3m": "3m"}}


def test_an_unknown_bot_has_no_statistics(context: BotSandbox, call: Callable[..., object]) -> None:
    with pytest.raises(botdesk.NotFoundError) as caught:
        call(context.client.dca_bots, "deals_stats", 9_999_999)
    assert (caught.value.status, caught.value.error) == (400, "not_found")


def test_the_deals_of_a_bot_have_its_client(context: BotSandbox) -> None:
    (deal,) = context.bot.active_deals
    assert [order.deal_order_type for order in deal.orders()][-1] == "Base"
    assert deal.refresh().id == deal.id
