"""Backtests of SmartTrades: what one takes, what it answers, and what it leaves out."""

# pyright: reportArgumentType=false, reportUnknownMemberType=false, reportUnnecessaryTypeIgnoreComment=false

from __future__ import annotations

import asyncio
import pickle
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk
from botdesk import Conditional, Limit, StopLoss, Trailing

from .conftest import HOUR, START, each, hours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Falls to 990, rises to 1120, and falls to 985.
ROWS = [("1010", "1015", "990", "1000"), ("1000", "1120", "995", "1110"), ("1110", "1115", "985", "990")]
TRADE: dict[str, Any] = {
    "side": "buy",
    "units": "2",
    "order": Limit("1000"),
    "take_profit": [("1100", 50), ("1200", 50)],
    "stop_loss": StopLoss("950", breakeven=True),
}


def orders(run: botdesk.Backtest) -> list[str]:
    return [f"{order.kind} {order.side} {order.quantity} at {order.price}" for order in run.orders]


def errors(**arguments: Any) -> dict[str, list[str]]:  # noqa: ANN401
    with pytest.raises(botdesk.ValidationError) as caught:
        botdesk.backtest(hours(*ROWS), **arguments)
    return caught.value.errors


def test_a_smart_trade_has_its_orders_its_status_and_its_profit() -> None:
    run = botdesk.backtest(smart_trade=TRADE, candles=hours(*ROWS), fee="0.1%")
    assert orders(run) == ["entry buy 2 at 1000", "take_profit sell 0.999 at 1100", "stop_loss sell 0.999 at 1001"]
    # Both sales bring 0.999 * 0.999 of 1100 and of 1001, and 2000 were paid.
    assert (run.status, run.summary.profit, run.summary.profit_percentage) == (
        "stop_loss_finished",
        Decimal("96.800101"),
        Decimal("4.84"),
    )
    assert (run.summary.deals, run.summary.won, run.summary.most_capital) == each(1, 1, 2000)
    # 0.1 % of 2000, 1098.9 and 999.999.
    assert run.summary.fees == Decimal("4.098899")
    [deal] = run.deals
    assert (deal.direction, deal.status) == ("long", "stop_loss_finished")
    assert (deal.quantity, deal.volume) == each(Decimal("1.998"), 2000)


def test_the_async_version_is_the_same() -> None:
    candles = hours(*ROWS)
    run = asyncio.run(botdesk.backtest_async(smart_trade=TRADE, candles=candles, fee="0.1%"))
    assert run == botdesk.backtest(smart_trade=TRADE, candles=candles, fee="0.1%")
    assert pickle.loads(pickle.dumps(run)).summary == run.summary  # noqa: S301


def test_short_forms_and_the_dictionaries_of_the_api_are_the_same() -> None:
    dictionaries = {
        "position": {
            "type": "buy",
            "order_type": "conditional",
            "units": {"value": "2"},
            "conditional": {"order_type": "market", "price": {"value": "1005", "type": "last"}},
        },
        "take_profit": {
            "enabled": True,
            "steps": [
                {"order_type": "limit", "price": {"value": "1050"}, "volume": "50"},
                {
                    "order_type": "market",
                    "price": {"value": "1100"},
                    "volume": "50",
                    "trailing": {"enabled": True, "percent": "1"},
                },
            ],
        },
    }
    short = {
        "side": "buy",
        "units": 2,
        "order": Conditional("1005", price_type="last"),
        "take_profit": [("1050", 50), Trailing("1100", "1%")],
    }
    candles = hours(*ROWS)
    run = botdesk.backtest(candles, smart_trade=short)
    assert run == botdesk.backtest(candles, smart_trade=dictionaries)
    # The first price is beyond the trigger. 1120 less 1 % is 1108.8.
    assert orders(run) == ["entry buy 2 at 1010", "take_profit sell 1 at 1050", "trailing sell 1 at 1108"]
    assert run.not_simulated == []


def test_the_first_price_that_a_trigger_follows_is_not_known_from_candles() -> None:
    run = botdesk.backtest(hours(*ROWS), smart_trade={**TRADE, "order": Conditional("1005")})
    assert [setting.field for setting in run.not_simulated] == ["position.conditional.price.type"]


def test_a_short_trade_a_held_position_and_a_simple_buy() -> None:
    short = {"side": "sell", "units": 1, "order": "market", "take_profit": "990"}
    run = botdesk.backtest(hours(*ROWS), smart_trade=short)
    assert orders(run) == ["entry sell 1 at 1010", "take_profit buy 1 at 990"]
    assert (run.status, run.summary.profit) == each("finished", 20)
    held = {"side": "buy", "units": 1, "order": Limit("900"), "skip_enter_step": True, "take_profit": "1100"}
    run = botdesk.backtest(hours(*ROWS), smart_trade=held)
    assert (orders(run), run.summary.profit) == each(["take_profit sell 1 at 1100"], 200)
    run = botdesk.backtest(hours(*ROWS), smart_trade={"side": "buy", "units": 1, "order": "market", "instant": True})
    assert (orders(run), run.status, run.summary.profit) == each(["entry buy 1 at 1010"], "finished", 0)
    assert list(run.deals) == []
    assert run.warnings == ["a simple buy or sell is not closed, so the backtest has its order and no profit"]


def test_a_stop_loss_with_a_timeout_waits_for_it() -> None:
    # A candle of an hour has a point every quarter of an hour.
    rows = [("100", "100", "89", "95"), ("95", "96", "88", "89"), ("89", "89", "87", "88")]
    trade = {"side": "buy", "units": 1, "order": "market", "stop_loss": StopLoss("90", timeout=1_800)}
    run = botdesk.backtest(hours(*rows), smart_trade=trade)
    _, stop = run.orders
    # Beyond the trigger at 0:30, but not at 1:00. Beyond it again at 1:30, and still at 2:00, before the price of 2:00.
    assert (stop.kind, stop.price) == each("stop_loss", 89)
    assert stop.time.timestamp() * 1000 == START + 2 * HOUR


def test_the_timeout_of_a_stop_loss_begins_again_after_the_price_recovered() -> None:
    # Beyond the trigger at 0:30, not at 0:45, and beyond it again from 1:00 on.
    rows = [("100", "100", "89", "95"), ("89", "89", "89", "89")]
    trade = {"side": "buy", "units": 1, "order": "market", "stop_loss": StopLoss("90", timeout=2_700)}
    run = botdesk.backtest(hours(*rows), smart_trade=trade)
    assert run.orders[1].time.timestamp() * 1000 == START + HOUR + 2_700_000


def test_a_trade_that_never_enters_says_why() -> None:
    run = botdesk.backtest(hours(*ROWS), smart_trade={**TRADE, "order": Limit("900")})
    assert (run.status, orders(run), run.summary.deals) == ("waiting_position", [], 0)
    assert run.warnings == [
        "the entry was not filled: the candles end before the price reached 900 and the order filled"
    ]


def test_what_is_less_than_a_lot_stays_and_is_named() -> None:
    trade = {"side": "buy", "units": 15, "order": "market", "take_profit": "1100"}
    run = botdesk.backtest(hours(*ROWS), smart_trade=trade, fee="0.6%", lot=1)
    assert orders(run)[1:] == ["take_profit sell 14 at 1100"]
    assert run.warnings == [
        "0.91 of the base currency is not closed, because orders are multiples of the lot 1; it counts as lost"
    ]


def test_it_is_displayed_and_drawn_as_any_backtest() -> None:
    trade = {**TRADE, "pair": "USDT_ETH"}
    run = botdesk.backtest({"USDT_ETH": hours(*ROWS)}, smart_trade=trade, fee="0.1%")
    assert repr(run).startswith("Backtest of a SmartTrade on USDT_ETH: 3 candles, ")
    assert "SmartTrade on USDT_ETH" in run._repr_html_()
    assert run.bounds().profit == (Decimal("96.800101"), Decimal("96.800101"))
    # With its high first, the second candle would have stopped it at the same price.
    assert run.ambiguous == 1
    axes = run.plot()
    assert axes.get_ylabel() == "price, USDT per ETH"
    assert "average price" in axes.get_legend_handles_labels()[1]


def test_a_record_goes_on_from_where_it_is(sandbox: botdesk.Sandbox) -> None:
    trade = sandbox.client().smart_trades.get(301)
    assert trade.data is not None
    assert trade.take_profit is not None
    assert trade.take_profit.steps is not None
    price = max(step.price.value for step in trade.take_profit.steps if step.price and step.price.value)
    candles = hours((price, price, price, price))
    run = botdesk.backtest({"USDT_ETH": candles}, smart_trade=trade)
    sold = sum((order.quantity for order in run.orders), Decimal(0))
    assert (run.status, sold) == ("finished", trade.data.entered_amount)
    earned = sum((order.volume for order in run.orders), Decimal(0))
    assert run.summary.profit == earned - (trade.data.entered_total or 0)
    ended = next(each for each in sandbox.client().smart_trades.iter() if each.data and each.data.finished)
    assert list(errors(smart_trade=ended)) == ["smart_trade"]


def test_what_a_cancelled_target_leaves_open_is_neither_profit_nor_loss() -> None:
    with botdesk.Sandbox(fee="0") as sandbox:
        sandbox.set_price("USDT_ETH", "1000")
        orders: Any = sandbox.client().smart_trades
        targets = [("1100", 35), ("1150", 30), ("1200", 35)]
        trade = orders.create(
            account_id=1001, pair="USDT_ETH", side="buy", units="2", order="market", take_profit=targets
        )
        trade = orders.cancel_trade(trade.id, trade.refresh().take_profit.steps[1].id)
        run = botdesk.backtest({"USDT_ETH": hours((1000, 1300, 1000, 1300), (1300, 1300, 500, 500))}, smart_trade=trade)
        sandbox.move_price("USDT_ETH", "1300")
        assert trade.refresh().profit.volume == run.summary.profit == Decimal("0.7") * (100 + 200)
    assert (run.status, run.equity[-1].realized_profit) == ("finished", Decimal(210))
    (warning,) = run.warnings
    assert (
        warning == "0.6 of the base currency is left open, because no target covers it; the profit is that of the rest"
    )


@pytest.fixture
def sandbox_of_eth() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox without fees, whose price of ETH is 1000."""
    with botdesk.Sandbox(bots=0, fee="0") as sandbox:
        sandbox.set_price("USDT_ETH", "1000")
        yield sandbox


@pytest.fixture
def bought(sandbox_of_eth: botdesk.Sandbox) -> Callable[..., Any]:
    """Return a function that buys 1 ETH in it, by default at the market price."""
    trades: Any = sandbox_of_eth.client().smart_trades

    def buy(**given: Any) -> Any:  # noqa: ANN401
        common = {"account_id": 1001, "pair": "USDT_ETH", "side": "buy", "units": "1", "order": "market"}
        return trades.create(**{**common, **given}).refresh()

    return buy


def test_the_response_of_an_edit_is_tried_with_its_new_target(bought: Callable[..., Any]) -> None:
    edited = bought(take_profit="1100", stop_loss="900").edit(take_profit="1050")
    run = botdesk.backtest(hours((1000, 1200, 1000, 1100)), smart_trade=edited)
    assert (run.status, orders(run)) == each("finished", ["take_profit sell 1 at 1050"])


def test_the_response_of_an_edit_is_tried_with_its_new_stop_loss(bought: Callable[..., Any]) -> None:
    edited = bought(take_profit="1100", stop_loss="900").edit(stop_loss="950")
    run = botdesk.backtest(hours((1000, 1000, 800, 850)), smart_trade=edited)
    assert (run.status, orders(run)) == each("stop_loss_finished", ["stop_loss sell 1 at 950"])


def test_a_target_that_follows_the_price_goes_on_from_its_trigger_and_says_so(
    sandbox_of_eth: botdesk.Sandbox, bought: Callable[..., Any]
) -> None:
    trade = bought(take_profit=[Trailing("1050", "5%")])
    sandbox_of_eth.move_price("USDT_ETH", "1060")
    # The best price of the record is unknown; it was at least 1050, so the target is sold 5 % below.
    run = botdesk.backtest(hours((1000, 1000, 990, 990)), smart_trade=trade.refresh(), tick="0.01")
    assert orders(run) == ["trailing sell 1 at 997.5"]
    [setting] = run.not_simulated
    assert (setting.field, "best price" in setting.reason) == ("take_profit.steps.trailing", True)


def test_an_entry_that_follows_the_price_goes_on_from_its_trigger_and_says_so(
    sandbox_of_eth: botdesk.Sandbox, bought: Callable[..., Any]
) -> None:
    trade = bought(order=Conditional("1050", trailing="5%"))
    sandbox_of_eth.move_price("USDT_ETH", "1060")
    run = botdesk.backtest(hours((1110, 1110, 1110, 1110)), smart_trade=trade.refresh(), tick="0.01")
    assert orders(run) == ["entry buy 1 at 1110"]
    assert "position.conditional.trailing" in [setting.field for setting in run.not_simulated]


def test_a_market_order_fills_at_the_tick_past_a_trigger_between_two_ticks(
    sandbox_of_eth: botdesk.Sandbox, bought: Callable[..., Any]
) -> None:
    def filled(end: str, **trade: object) -> str:
        candles = hours(("1000.00", max("1000.00", end, key=Decimal), min("1000.00", end, key=Decimal), end))
        trade = {"side": "buy", "units": 1, "order": "market", **trade}
        return orders(botdesk.backtest(candles, smart_trade=trade, tick="0.01"))[-1]

    assert filled("900.00", stop_loss="950.005") == "stop_loss sell 1 at 950"
    assert filled("1100.00", side="sell", stop_loss="1050.005") == "stop_loss buy 1 at 1050.01"
    assert filled("1100.00", order=Conditional("1050.005", price_type="last")) == "entry buy 1 at 1050.01"
    # The price does not get there.
    assert filled("950.002", stop_loss="950.0025") == "stop_loss sell 1 at 950.002"
    trade = bought(side="sell", stop_loss="1050.005")
    sandbox_of_eth.move_price("USDT_ETH", "1100")
    assert trade.refresh().data.average_close_price == Decimal("1050.01")


def test_a_timeout_that_may_run_already_is_named(sandbox_of_eth: botdesk.Sandbox, bought: Callable[..., Any]) -> None:
    trade = bought(stop_loss=StopLoss("950", timeout=60))
    sandbox_of_eth.set_price("USDT_ETH", "940")
    beyond = botdesk.backtest(hours((940, 940, 940, 940)), smart_trade=trade.refresh())
    assert [setting.field for setting in beyond.not_simulated] == ["stop_loss.timeout"]
    before = botdesk.backtest(hours((960, 960, 960, 960)), smart_trade=trade.refresh())
    assert before.not_simulated == []


def test_a_position_that_is_being_closed_has_its_entry_and_its_drawdown(bought: Callable[..., Any]) -> None:
    closing = bought().close()
    [deal] = botdesk.backtest(hours((950, 950, 950, 950)), smart_trade=closing).deals
    assert (deal.base_price, deal.exit_price, deal.drawdown_percentage) == each(1000, 950, 5)


def test_the_sandbox_does_what_the_backtest_says() -> None:
    with botdesk.Sandbox(fee="0.001") as sandbox:
        client = sandbox.client()
        sandbox.set_price("USDT_ETH", "1010")
        trade = client.smart_trades.create(account_id=1001, pair="USDT_ETH", **TRADE)
        for price in ("990", "1120", "985"):
            sandbox.move_price("USDT_ETH", price)
        record, tick = trade.refresh(), client.markets.rates("demo_spot", "USDT_ETH").price_step
    run = botdesk.backtest(hours(*ROWS), smart_trade=TRADE, fee="0.001", tick=tick)
    assert record.status is not None
    assert record.profit is not None
    assert (record.status.basic_type, record.profit.volume) == (run.status, run.summary.profit)
    assert record.profit.percent == run.summary.profit_percentage


def test_wrong_arguments_are_named_as_they_were_written() -> None:
    assert list(errors(smart_trade={**TRADE, "units": "0"})) == ["units"]
    assert list(errors(smart_trade={**TRADE, "take_profit": ["1100", "1200", "1300"]})) == ["take_profit[0].share"]
    assert errors(smart_trade={**TRADE, "take_proft": "1"}) == {
        "smart_trade": ["'take_proft' is not an argument of smart_trades.create"]
    }
    assert list(errors(smart_trade="buy")) == ["smart_trade"]
    assert list(errors(smart_trade=TRADE, take_profit=1, signals=[START])) == ["take_profit", "signals"]
    assert list(errors(smart_trade=TRADE, balance=1000)) == ["balance"]
    with pytest.raises(botdesk.ValidationError, match="does not trade USDT_BTC"):
        botdesk.backtest({"USDT_BTC": hours(*ROWS)}, smart_trade={**TRADE, "pair": "USDT_ETH"})
