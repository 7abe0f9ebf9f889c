"""The results of a backtest, with figures worked by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

import botdesk

from .conftest import DIP, STEADY, each, hours


def at(hour: float) -> datetime:
    return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=hour)


@pytest.fixture(scope="module")
def result() -> botdesk.Backtest:
    return botdesk.backtest(hours(*DIP), pairs="USDT_BTC", fee="0.001", **STEADY)


def test_a_deal_has_its_orders_times_and_profit(result: botdesk.Backtest) -> None:
    (deal,) = result.deals
    assert (deal.pair, deal.direction, deal.status) == ("USDT_BTC", "long", "completed")
    # The low is the second extreme of its candle, and the high that of the next one.
    assert (deal.opened_at, deal.closed_at, deal.duration) == (at(0), at(2.5), timedelta(hours=2.5))
    # The prices of a deal have the fees in them: 100 * 1.001, 99 * 1.001, and 100.2 * 0.999. The target is
    # 99.099 * 1.01 / 0.999 = 100.1900…, rounded up to the tick.
    assert (deal.base_price, deal.average_price) == (Decimal("100.1"), Decimal("99.099"))
    assert deal.exit_price == Decimal("100.0998")
    assert each(deal.safety_orders, deal.quantity, deal.volume) == (1, 2, Decimal("198.198"))
    # (198 + 200.4) * 0.001, and 200.4 * 0.999 - 198 * 1.001.
    assert (deal.fee, deal.profit, deal.profit_percentage) == (Decimal("0.3984"), Decimal("2.0016"), Decimal("1.01"))
    # Before the safety order fills at 98: (98 * 0.999 - 100.1) / 100.1.
    assert deal.drawdown_percentage == Decimal("2.2")


def test_orders_fill_at_their_prices_and_times(result: botdesk.Backtest) -> None:
    orders = [
        each(order.deal, order.time, order.side, order.kind, order.price, order.quantity) for order in result.orders
    ]
    assert orders == [
        (1, at(0), "buy", "base_order", 100, 1),
        (1, at(1.5), "buy", "safety_order", 98, 1),
        (1, at(2.5), "sell", "take_profit", Decimal("100.2"), 2),
    ]
    assert [(order.volume, order.fee) for order in result.orders] == [
        (100, Decimal("0.1")),
        (98, Decimal("0.098")),
        (Decimal("200.4"), Decimal("0.2004")),
    ]


def test_the_equity_has_a_point_for_each_fill_and_the_end(result: botdesk.Backtest) -> None:
    points = [
        each(point.time, point.realized_profit, point.unrealized_profit, point.capital) for point in result.equity
    ]
    assert points == [
        (at(0), 0, Decimal("-0.2"), Decimal("100.1")),
        (at(1.5), 0, Decimal("-2.394"), Decimal("198.198")),
        (at(2.5), Decimal("2.0016"), 0, 0),
        (at(2.75), Decimal("2.0016"), 0, 0),
    ]


def test_the_equity_has_a_point_for_each_day() -> None:
    quiet = hours(*[(100, 100, 100, 100)] * 50)
    result = botdesk.backtest(quiet, base_order_volume=100, max_safety_orders=0, take_profit=1)
    assert [point.time for point in result.equity] == [at(0), at(24), at(48), at(49.75)]


def test_the_summary_has_all_figures(result: botdesk.Backtest) -> None:
    summary = result.summary
    assert (summary.deals, summary.won, summary.lost, summary.most_safety_orders) == (1, 1, 0, 1)
    assert each(summary.profit, summary.open_profit, summary.fees) == (Decimal("2.0016"), 0, Decimal("0.3984"))
    # The budget is the volume of the orders, without fees.
    assert each(summary.most_capital, summary.budget) == (Decimal("198.198"), 198)
    assert (summary.profit_percentage, summary.profit_percentage_of_budget) == (Decimal("1.01"), Decimal("1.01"))
    assert summary.drawdown == Decimal("2.394")
    # The deal is open for 2 h 30 of 2 h 45.
    assert (summary.mean_duration, summary.longest_duration) == (timedelta(hours=2.5), timedelta(hours=2.5))
    assert summary.time_in_market == Decimal("90.91")
    # The fees of buying and selling count: 198.198 * (100.4 * 0.999 - 100 * 1.001) / 100, rounded to 8 places.
    assert summary.buy_and_hold == Decimal("0.39560321")


def test_capital_counts_between_orders_of_the_same_time() -> None:
    candles = hours((100, 100, 100, 100), (90, 90, 90, 90))
    bot: dict[str, Any] = {
        "base_order_volume": 100,
        "safety_order_volume": 98,
        "max_safety_orders": 1,
        "take_profit": 1,
    }
    result = botdesk.backtest(candles, safety_order_step_percentage=2, stop_loss_percentage=3, cooldown=86_400, **bot)
    # The jump to 90 buys 1 at 98, and then sells both.
    assert [order.kind for order in result.orders] == ["base_order", "safety_order", "stop_loss"]
    assert each(result.summary.most_capital, result.summary.profit) == (198, -18)
    assert result.summary.profit_percentage == Decimal("-9.09")


def test_the_budget_counts_all_deals_that_may_be_open() -> None:
    result = botdesk.backtest(hours(*DIP), max_active_deals=3, allowed_deals_on_same_pair=3, **STEADY)
    assert each(len(result.deals), result.summary.budget, result.summary.most_capital) == (3, 594, 594)
    assert each(result.summary.profit, result.summary.profit_percentage_of_budget) == (6, Decimal("1.01"))


def test_a_deal_that_is_open_at_the_end_is_valued_at_the_last_price() -> None:
    (deal,) = botdesk.backtest(hours(*DIP[:2]), **STEADY).deals
    assert (deal.status, deal.closed_at, deal.exit_price) == ("open", None, None)
    assert each(deal.profit, deal.duration) == (-1, timedelta(hours=1.75))


def test_a_short_bot_earns_as_the_price_falls() -> None:
    candles = hours((100, 100, 100, 100), (100, 100, 98, 98))
    (deal,) = botdesk.backtest(
        candles, strategy="short", base_order_volume=100, max_safety_orders=0, take_profit=1, cooldown=86_400
    ).deals
    assert each(deal.direction, deal.exit_price, deal.profit) == ("short", 99, 1)


def test_slippage_makes_market_orders_worse() -> None:
    candles = hours((100, 100, 100, 100), (100, 100, 90, 90))
    (deal,) = botdesk.backtest(
        candles,
        slippage="0.01",
        base_order_volume=101,
        max_safety_orders=0,
        take_profit=5,
        stop_loss_percentage=5,
        start_order_type="market",
        cooldown=86_400,
        tick="0.01",
    ).deals
    # 100 * 1.01; its stop loss at 95.95 fills at 95.95 * 0.99, rounded down.
    assert each(deal.status, deal.base_price, deal.exit_price) == ("stop_loss_finished", 101, Decimal("94.99"))
    assert deal.profit == Decimal("-6.01")


def test_the_path_decides_what_comes_first_and_is_counted() -> None:
    candles = hours((100, 100, 100, 100), (100, 102, 97, 100))
    fields: dict[str, Any] = {
        "base_order_volume": 100,
        "max_safety_orders": 0,
        "take_profit": 2,
        "stop_loss_percentage": 3,
    }
    low, high = (
        botdesk.backtest(candles, path=path, cooldown=86_400, **fields) for path in ("low_first", "high_first")
    )
    assert ([deal.status for deal in low.deals], low.path) == (["stop_loss_finished"], "low_first")
    assert ([deal.status for deal in high.deals], high.path) == (["completed"], "high_first")
    nearest = botdesk.backtest(candles, cooldown=86_400, **fields)
    assert (nearest.path, nearest.ambiguous, nearest == high) == ("nearest", 1, False)
    bounds = nearest.bounds()
    assert (bounds.low_first, bounds.high_first) == (low.summary, high.summary)
    assert bounds.profit == (Decimal(-3), Decimal(2))


def test_the_drawdown_of_an_open_deal_counts_the_last_price() -> None:
    [deal] = botdesk.backtest(hours((100, 100, 94, 95)), base_order_volume=100, max_safety_orders=0).deals
    assert (deal.profit_percentage, deal.drawdown_percentage) == (Decimal(-5), Decimal(5))
    # It opens after the low of the last candle.
    later: dict[str, Any] = {"base_order_volume": 100, "max_safety_orders": 0, "deal_start_delay_seconds": 6_000}
    [deal] = botdesk.backtest(hours((100, 100, 100, 100), (100, 104, 98, 99)), path="low_first", **later).deals
    assert (deal.base_price, deal.profit_percentage, deal.drawdown_percentage) == each(
        104, Decimal("-4.81"), Decimal("4.81")
    )


def test_the_drawdown_counts_the_fees_of_a_deal_that_opens_within_a_move() -> None:
    candles = hours((100, 103, 100, 103), (103, 103, 103, 103))
    fields: dict[str, Any] = {"base_order_volume": 100, "max_safety_orders": 0, "take_profit": 1}
    deals = botdesk.backtest(candles, fee="0.001", **fields).deals
    assert [deal.drawdown_percentage for deal in deals] == [Decimal("0.2")] * len(deals)
    assert len(deals) > 1


def test_candles_whose_extremes_fill_nothing_are_not_ambiguous(result: botdesk.Backtest) -> None:
    # With the low of the second candle first, its high takes the profit.
    assert result.ambiguous == 1
    assert botdesk.backtest(hours(DIP[0], DIP[2]), **STEADY).ambiguous == 0


def test_a_candle_in_which_a_pause_ends_at_its_first_extreme_is_ambiguous() -> None:
    candles = hours((100, 100, 100, 100), (100, 102, 100, 102), (102, 110, 90, 100))
    pause = 4_000  # seconds; it ends between the extremes of the last candle
    result = botdesk.backtest(candles, base_order_volume=100, max_safety_orders=0, take_profit=1, cooldown=pause)
    assert [order.price for order in result.orders][:3] == [100, 101, 90]
    assert result.ambiguous == 1


def test_a_grid_bot_earns_a_step_for_each_sell_order() -> None:
    grid_bot = botdesk.GridBot.from_json(
        '{"lower_price": "100", "upper_price": "140", "grids_quantity": "5", "quantity_per_grid": "2"}'
    )
    result = grid_bot.backtest(hours((120, 120, 120, 120), (120, 131, 119, 120)), fee="0.001")
    # It buys 4 a tick of 1 below the first price, sells 2 at 130 and buys 2 at 120.
    assert [each(order.deal, order.side, order.kind, order.price) for order in result.orders] == [
        (None, "buy", "balancing_order", 119),
        (None, "sell", "grid_line", 130),
        (None, "buy", "grid_line", 120),
    ]
    assert (list(result.deals), result.summary.deals) == ([], 0)
    # A step of 10 with 2, minus the fees of both prices.
    assert result.summary.profit == 20 - (4 * 119 + (130 + 120) * 2) * Decimal("0.001")
    # 220 + 200 to buy, and 4 at 119 to sell.
    assert result.summary.budget == 2 * 110 + 2 * 100 + 4 * 119


def test_prices_of_many_digits_are_exact() -> None:
    candles = hours(["12345678.123456789012"] * 4, ("12345678.123456789012", "13000000", "12345678", "13000000"))
    (deal,) = botdesk.backtest(
        candles, base_order_volume="12345678.123456789012", max_safety_orders=0, take_profit=1, cooldown=86_400
    ).deals
    assert each(deal.base_price, deal.quantity) == (Decimal("12345678.123456789012"), 1)
    # * 1.01, rounded up to the twelfth place
    assert deal.exit_price == Decimal("12469134.904691356903")
    assert deal.profit == Decimal("12469134.904691356903") - Decimal("12345678.123456789012")


def test_a_short_deal_at_prices_of_many_digits_is_exact() -> None:
    candles = hours(["12345678.123456789012"] * 4, ("12345678.123456789012", "12345679", "12000000", "12000000"))
    (deal,) = botdesk.backtest(
        candles,
        strategy="short",
        base_order_volume="12345678.123456789012",
        max_safety_orders=0,
        take_profit=1,
        cooldown=86_400,
    ).deals
    assert each(deal.base_price, deal.quantity) == (Decimal("12345678.123456789012"), 1)
    # * 0.99, rounded down to the twelfth place
    assert deal.exit_price == Decimal("12222221.342222221121")
    assert deal.profit == Decimal("12345678.123456789012") - Decimal("12222221.342222221121")


def test_a_safety_order_at_prices_of_many_digits_is_exact() -> None:
    prices = ("12345678.123456789012", "12345678.123456789012", "12000000", "12000000.000000000001")
    result = botdesk.backtest(
        hours(prices),
        base_order_volume="12345678.123456789012",
        safety_order_volume="12222221.342222221121",
        max_safety_orders=1,
        safety_order_step_percentage=1,
        take_profit=50,
    )
    assert [order.price for order in result.orders] == [Decimal(prices[0]), Decimal("12222221.342222221121")]
    volume = sum(order.price * order.quantity for order in result.orders)
    assert result.deals[0].volume == volume
    held = sum(order.quantity for order in result.orders)
    assert result.summary.open_profit == held * Decimal(prices[3]) - volume


def test_one_candle_is_enough() -> None:
    result = botdesk.backtest(hours((100, 102, 99, 101)), base_order_volume=100, max_safety_orders=0, take_profit=1)
    assert [deal.status for deal in result.deals] == ["completed", "open"]
    assert "there is only one candle" in result.warnings[0]


def test_the_result_displays_itself(result: botdesk.Backtest) -> None:
    lines = repr(result).splitlines()
    title = "Backtest of a DCA bot on USDT_BTC: 3 candles, 2024-01-01T00:00:00Z to 2024-01-01T02:00:00Z, path nearest"
    title += ", fee 0.1 %"
    assert lines[0] == title
    assert [line.split()[0] for line in lines[2:7]] == ["profit", "open_profit", "drawdown", "fees", "deals"]
    assert lines[6].split() == ["deals", "1"]
    assert len({len(line) for line in lines[1:]}) == 1
    assert title in result._repr_html_()
    assert "<BacktestDeal pair=USDT_BTC direction=long" in repr(result.deals[0])
    assert "90.91" in result.summary._repr_html_()
    assert "high_first" in repr(result.bounds())
    assert 'title="high_first">high first<' in result.bounds()._repr_html_()


def test_a_grid_does_not_need_the_current_price_of_its_record() -> None:
    fields = '"lower_price": "90", "upper_price": "110", "grids_quantity": "5", "quantity_per_grid": "2"'
    candles = hours((100, 106, 100, 104), (104, 104, 94, 100))
    expected = botdesk.GridBot.from_json(f'{{{fields}, "current_price": "100"}}').backtest(candles)
    for price in ('"many"', "null", '"0"'):
        result = botdesk.GridBot.from_json(f'{{{fields}, "current_price": {price}}}').backtest(candles)
        assert (result.summary, result.warnings) == (expected.summary, expected.warnings)


def test_a_bot_has_no_budget_for_more_deals_than_its_pairs_allow() -> None:
    result = botdesk.backtest(hours(*DIP), pairs="USDT_BTC", max_active_deals=3, **STEADY)
    assert each(result.summary.budget) == (198,)
    assert result.warnings == [
        (
            "max_active_deals is 3, but at most 1 can be open at once "
            "(1 pair, 1 deal on each by allowed_deals_on_same_pair); the budget is that of 1"
        )
    ]


def test_custom_safety_steps_fill_at_their_own_prices() -> None:
    rows = [(100, 100, 98, 98), (98, 98, 94, 94)]
    steps = [{"deviation": "-1.5", "size": 40}, {"deviation": "-6", "size": 90}]
    result = botdesk.backtest(hours(*rows), tick="0.1", base_order_volume=80, custom_safety_steps=steps, take_profit=1)
    assert [(order.kind, order.price) for order in result.orders[1:]] == [
        ("safety_order", Decimal("98.5")),
        ("safety_order", Decimal("94.0")),
    ]
    assert result.summary.budget == 210


def test_orders_that_cannot_be_placed_are_warned_of_and_not_in_the_budget() -> None:
    settings: dict[str, Any] = {
        "base_order_volume": 100,
        "safety_order_volume": 100,
        "safety_order_step_percentage": 60,
        "take_profit": 1,
    }
    warning = "safety order 2 has a price of zero or less; neither it nor the orders after it can be placed"
    assert botdesk.plan_ladder(price=100, max_safety_orders=5, **settings).warnings == [warning]
    result = botdesk.backtest(hours(*DIP), max_safety_orders=5, **settings)
    assert (result.warnings, result.summary.budget) == ([warning], Decimal(200))
    sweep = botdesk.sweep(settings, hours(*DIP), {"max_safety_orders": [1, 2, 5]})
    assert sweep.warnings == [warning]
    assert [point.summary.budget for point in sweep] == [200, 200, 200]


def test_a_tick_that_bends_the_plan_is_warned_of() -> None:
    row = ("0.00000150",) * 4
    settings: dict[str, Any] = {
        "base_order_volume": 10,
        "safety_order_volume": 10,
        "max_safety_orders": 5,
        "safety_order_step_percentage": "0.2",
    }
    price = "at the first price, the tick is large: rounded to it, "
    sharing = f"{price}safety orders 1 to 3 share the price 0.00000149, and others share theirs"
    result = botdesk.backtest(hours(row, row), tick="0.00000001", lot=1, take_profit=20, **settings)
    assert result.warnings == [sharing]
    sweep = botdesk.sweep(settings, hours(row, row), {"take_profit": [20, "0.3"]}, tick="0.00000001", lot=1)
    assert sweep.warnings == [
        sharing,
        f"{price}the take profit of safety order 5 is 0.786 % away from the average price, not 0.3 %",
    ]
