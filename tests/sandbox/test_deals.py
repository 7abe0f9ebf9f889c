"""The deals of a sandbox and their statistics: they agree with each other, whatever the market did."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


@pytest.fixture(params=[False, True], ids=["plausible", "odd"])
def seeded(request: pytest.FixtureRequest) -> Iterator[botdesk.Sandbox]:
    """Run a sandbox with bots, some of whose deals end."""
    with botdesk.Sandbox(bots=6, odd_values=request.param) as sandbox:
        for pair, price in (("USDT_ETH", 3700), ("USDT_ETH", 3000), ("USDT_XRP", "0.5"), ("USDT_SOL", 150)):
            sandbox.move_price(pair, price)
        yield sandbox


@pytest.fixture
def trading(seeded: botdesk.Sandbox) -> botdesk.Client:
    """Return a client of that sandbox."""
    return seeded.client()


def total(amounts: Iterable[Decimal | None]) -> Decimal:
    """Add up amounts of any length."""
    with localcontext(prec=200):
        return sum((amount for amount in amounts if amount is not None), Decimal(0))


def test_the_orders_of_a_deal_add_up_to_its_amounts(trading: botdesk.Client) -> None:
    deals = trading.deals.list(limit=1000)
    assert {deal.strategy for deal in deals} == {"long", "short"}
    for deal in deals:
        orders = [order for order in deal.orders() if order.status_string == "Filled"]
        for side, amount, volume in (
            ("BUY", deal.bought_amount, deal.bought_volume),
            ("SELL", deal.sold_amount, deal.sold_volume),
        ):
            of_side = [order for order in orders if order.order_type == side]
            assert total(order.quantity for order in of_side) == amount, deal
            assert total(order.total for order in of_side) == volume, deal


def test_the_orders_of_a_deal_are_those_that_it_counts(trading: botdesk.Client) -> None:
    for deal in trading.deals.list(limit=1000):
        orders = deal.orders()
        safety = [order.status_string for order in orders if order.deal_order_type == "Safety"]
        assert safety.count("Filled") == deal.completed_safety_orders_count
        assert safety.count("Active") == deal.current_active_safety_orders_count
        assert orders[-1].deal_order_type == "Base"
        assert [order.cancellable for order in orders] == [order.status_string == "Active" for order in orders]
        if deal.finished:
            assert {order.status_string for order in orders} == {"Filled"}


def test_a_take_profit_step_is_an_order(trading: botdesk.Client) -> None:
    deals = [deal for deal in trading.deals.list(scope="active", limit=1000) if deal.take_profit_steps]
    for deal in deals:
        orders = {order.order_id: order for order in deal.orders()}
        steps = deal.take_profit_steps or []
        assert total(step.initial_amount for step in steps) == deal.bought_amount
        for step in steps:
            order = orders[step.trade_id]
            if step.status == "Placed":
                assert (order.quantity, order.rate, order.cancellable) == (step.initial_amount, step.price, True)
            assert step.editable == step.panic_sellable == (step.status == "Placed")
    assert deals


def test_the_events_of_a_deal_tell_what_its_orders_did(trading: botdesk.Client) -> None:
    for listed in trading.deals.list(limit=1000)[::7]:
        deal = trading.deals.get(listed.id or 0)
        events = deal.bot_events or []
        messages = [event.message or "" for event in events]
        times = [event.created_at for event in events if event.created_at is not None]
        assert times == sorted(times)
        assert messages[0].startswith("Placing base order. Price: ")
        executed = [message for message in messages if message.startswith("Safety trade (")]
        assert len(executed) == deal.completed_safety_orders_count
        assert ("TakeProfit trade executed" in messages[-1]) == (deal.status == "completed")


def test_the_next_safety_order_is_the_same_everywhere(trading: botdesk.Client) -> None:
    for listed in trading.deals.list(scope="active"):
        deal = listed.refresh()
        prices = [
            order.rate for order in deal.orders() if (order.deal_order_type, order.cancellable) == ("Safety", True)
        ]
        steps = [step.price for step in deal.buy_steps or []]
        assert steps == prices[-1:]
        assert deal.crypto_widget is not None
        assert [step.price for step in deal.crypto_widget.buy_steps or []] == steps


def test_the_profits_by_day_add_up_to_that_of_the_bot(trading: botdesk.Client) -> None:
    for bot in trading.dca_bots.list():
        days = bot.profit_by_day(days=365)
        assert total(day.profit.usd for day in days if day.profit) == bot.finished_deals_profit_usd
        dates = [day.s_date for day in days]
        assert dates == sorted(set(dates), key=str)


def test_profit_by_day_has_only_the_last_days(seeded: botdesk.Sandbox, trading: botdesk.Client) -> None:
    last = trading.dca_bots.profit_by_day(41, days=365)[-1]
    (today,) = trading.dca_bots.profit_by_day(41, days=1)
    assert (today.s_date, last.s_date) == (last.s_date, f"{seeded.clock.now:%Y-%m-%d}")
    assert today.unix_timestamp is not None
    assert today.unix_timestamp % 86_400 == 0
    seeded.clock.advance(86_400)
    assert trading.dca_bots.profit_by_day(41, days=1) == []
    with pytest.raises(botdesk.RecordInvalidError, match="days"):
        trading.dca_bots.profit_by_day(41, days=366)


def test_the_statistics_of_a_bot_count_its_deals(trading: botdesk.Client) -> None:
    for bot in trading.dca_bots.list():
        deals = trading.deals.list(bot_id=bot.id, limit=1000)
        completed = [deal for deal in deals if deal.status == "completed"]
        stats = bot.deals_stats()
        assert (stats.active, stats.completed, stats.panic_sold) == (bot.active_deals_count, len(completed), 0)
        assert stats.completed_deals_usd_profit == total(deal.usd_final_profit for deal in completed)
        assert stats.active_deals_usd_profit == bot.active_deals_usd_profit
        assert sum(deal.finished is True for deal in deals) == bot.finished_deals_count


def test_the_statistics_of_all_bots_are_the_sum_of_theirs(trading: botdesk.Client) -> None:
    bots = trading.dca_bots.list()
    stats = trading.dca_bots.stats()
    assert stats.profits_in_usd is not None
    assert stats.profits_in_usd.overall_usd_profit == total(bot.finished_deals_profit_usd for bot in bots)
    assert stats.profits_in_usd.active_deals_usd_profit == total(bot.active_deals_usd_profit for bot in bots)
    of_bots = [trading.dca_bots.stats(bot_id=bot.id) for bot in bots]
    for currency, profit in (stats.overall_stats or {}).items():
        assert profit == total((each.overall_stats or {}).get(currency) for each in of_bots)
    assert trading.dca_bots.stats(account_id=1001, bot_id=43).overall_stats == {}


def test_the_statistics_of_a_day_are_its_row(seeded: botdesk.Sandbox, trading: botdesk.Client) -> None:
    for row in trading.dca_bots.profit_by_day(41):
        stats = trading.dca_bots.stats_by_date(row.s_date or "", bot_id=41)
        assert row.profit is not None
        assert (stats.usd_profit, stats.btc_profit) == (row.profit.usd, row.profit.btc)
    today = trading.dca_bots.stats_by_date(seeded.clock.now.date())
    profits = trading.dca_bots.stats().profits_in_usd
    assert profits is not None
    assert today.usd_profit == profits.today_usd_profit != 0
    assert trading.dca_bots.stats_by_date("2020-01-01").stats == {}


def test_finished_deals_are_in_the_list(seeded: botdesk.Sandbox, trading: botdesk.Client) -> None:
    listed = list(trading.deals.iter(bot_id=41, scope="finished", order="closed_at", order_direction="ASC"))
    assert [deal.id for deal in seeded.finished_deals(41)] == [deal.id for deal in listed]
    assert len(listed) == trading.dca_bots.get(41).finished_deals_count


# Filters of the list, and whether each keeps a deal.
FILTERS: list[tuple[dict[str, Any], Callable[[botdesk.Deal], bool]]] = [
    ({"scope": "active"}, lambda deal: deal.status == "bought"),
    ({"scope": "completed"}, lambda deal: deal.status == "completed"),
    ({"scope": "failed"}, lambda deal: deal.status == "failed"),
    ({"scope": "null"}, lambda _: True),
    ({"account_id": 1002}, lambda deal: deal.account_id == 1002),
    ({"base": "ETH", "quote": "USDT"}, lambda deal: deal.pair == "USDT_ETH"),
    ({"from_": "2024-03-10", "to": "2024-03-12"}, lambda deal: f"{deal.created_at:%d}" in {"10", "11"}),
    ({"note": "by HAND"}, lambda deal: deal.note == "Closed by hand?"),
]


@pytest.mark.parametrize(("filters", "keeps"), FILTERS)
def test_deals_are_filtered(
    seeded: botdesk.Sandbox, trading: botdesk.Client, filters: dict[str, Any], keeps: Callable[[botdesk.Deal], bool]
) -> None:
    seeded.add("deals", {"bot_id": 42, "note": "Closed by hand?"})
    every = trading.deals.list(limit=1000)
    found = trading.deals.list(limit=1000, **filters)
    assert [deal.id for deal in found] == [deal.id for deal in every if keeps(deal)]


def test_deals_are_sorted_by_their_profit(trading: botdesk.Client) -> None:
    def profit(deal: botdesk.Deal) -> Decimal:
        return (deal.final_profit if deal.finished else deal.actual_profit) or Decimal(0)

    profits = [profit(deal) for deal in trading.deals.list(order="profit", order_direction="ASC", limit=1000)]
    assert profits == sorted(profits)
    # Open deals have no such time, so they are last in either order.
    for direction in ("ASC", "DESC"):
        times = [
            deal.closed_at for deal in trading.deals.list(order="closed_at", order_direction=direction, limit=1000)
        ]
        known = [time for time in times if time is not None]
        assert known == sorted(known, reverse=direction == "DESC")
        assert times == known + [None] * (len(times) - len(known))


def test_deals_are_listed_page_by_page(trading: botdesk.Client) -> None:
    every = [deal.id for deal in trading.deals.list(limit=1000)]
    assert [deal.id for deal in trading.deals.list()] == every[:50]
    assert [deal.id for deal in trading.deals.list(limit=10, offset=20)] == every[20:30]
    assert [deal.id for deal in trading.deals.iter(limit=60)] == every


def test_deals_become_a_table(trading: botdesk.Client) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(trading.deals.list(scope="finished", limit=5))
    assert table.num_rows == 5
    assert set(table["status"].to_pylist()) == {"completed"}


def test_a_deal_that_was_added_has_one_order_for_all_of_its_amount(seeded: botdesk.Sandbox) -> None:
    deal_id = seeded.add("deals", {"bot_id": 41, "bought_amount": "7", "bought_volume": "21000", "id": 9})
    orders = seeded.client().deals.orders(deal_id)
    filled = [(order.deal_order_type, order.quantity, order.total) for order in orders if not order.cancellable]
    assert filled == [("Base", Decimal(7), Decimal(21000))]


def test_a_state_file_keeps_the_deals_and_their_orders(seeded: botdesk.Sandbox, tmp_path: Path) -> None:
    for name in ("before.json", "after.json"):
        seeded.dump(tmp_path / name)
        deals = seeded.client().deals.list(limit=1000)
        with botdesk.Sandbox(state=tmp_path / name) as resumed:
            client = resumed.client()
            assert [deal.to_json() for deal in client.deals.list(limit=1000)] == [deal.to_json() for deal in deals]
            resumed_orders, orders = client.deals.orders(410), seeded.client().deals.orders(410)
            assert [order.to_json() for order in resumed_orders] == [order.to_json() for order in orders]


def test_the_data_for_adding_funds_are_those_of_the_market(trading: botdesk.Client) -> None:
    deal = trading.deals.list(scope="active", base="ETH", quote="USDT")[0]
    data, rates = deal.data_for_adding_funds(), trading.markets.rates("demo_spot", "USDT_ETH")
    assert data.limits is not None
    assert (data.limits.price_step, data.limits.min_total) == (rates.price_step, rates.min_total)
    assert (data.orderbook_price, data.take_profit_price) == (rates.last, deal.take_profit_price)
    assert str(data.limit) == "5.00000000"


def test_strategies_depend_on_the_account_and_on_their_use(trading: botdesk.Client) -> None:
    every = trading.dca_bots.strategies()
    used = {each.strategy for bot in trading.dca_bots.list() for each in bot.strategy_list or []}
    assert used <= set(every)
    # Account 104 is a wallet, which can't trade.
    assert all(each.strategy_type == "signal" for each in trading.dca_bots.strategies(account_id=104).values())
    assert "manual" not in trading.dca_bots.strategies(strategy="composite")
    with pytest.raises(botdesk.RecordInvalidError, match="account_id"):
        trading.dca_bots.strategies(account_id=9)
