"""The figures of SmartTrades and simple trades that the samples of the API reference show, to the digit."""

# pyright: reportArgumentType=false

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import botdesk
from botdesk import Limit, StopLoss


def tried(price: str, tick: str, *, fee: str, lot: str = "1", **smart_trade: Any) -> botdesk.Backtest:  # noqa: ANN401
    """Return the backtest of a SmartTrade at one price."""
    return botdesk.backtest([[0, price, price, price, price]], smart_trade=smart_trade, tick=tick, lot=lot, fee=fee)


def test_what_an_entry_costs() -> None:
    for side, units, price, fee, leveraged, amount, total in (
        ("buy", "15", "0.10559", "0.006", False, "14.91", "1.58385"),
        ("buy", "4", "0.03716", "0.001", True, "4", "0.14878864"),
        ("buy", "34", "0.00000442", "0.001", True, "34", "0.00015043028"),
        ("sell", "7.8", "0.255", "0.006", False, "7.8", "1.977066"),
    ):
        leverage = {"enabled": True, "value": 1} if leveraged else None
        run = tried(price, "0.00000001", fee=fee, side=side, units=units, order="market", leverage=leverage)
        [deal] = run.deals
        assert (deal.quantity, deal.volume) == (Decimal(amount), Decimal(total))


def held(side: str, amount: str, total: str) -> botdesk.SmartTrade:
    """Return the record of a SmartTrade whose entry is filled."""
    record = {
        "status": {"basic_type": "waiting_targets"},
        "position": {"type": side, "order_type": "limit", "units": {"value": amount}},
        "data": {"entered_amount": amount, "entered_total": total, "closed_amount": "0.0", "closed_total": "0.0"},
    }
    return botdesk.SmartTrade.from_json(json.dumps(record))


def test_what_an_open_position_has_earned() -> None:
    for side, amount, total, price, volume, percent in (
        ("buy", "43.736", "4.57371", "0.10244", "-0.09787447584", "-2.14"),
        ("sell", "7.8", "1.977066", "0.264", "-0.0841932", "-4.26"),
        # Trailing zeros are cut, and the nearest percentage is taken.
        ("buy", "1", "100", "63.9639639639639639", "-36.1000000000000000639", "-36.1"),
        ("buy", "1", "100", "101.572972972972972", "1.471399999999999028", "1.47"),
    ):
        run = botdesk.backtest(
            [[0, price, price, price, price]], smart_trade=held(side, amount, total), fee="0.001", tick="0.00001"
        )
        [deal] = run.deals
        assert (run.summary.open_profit, deal.profit) == (Decimal(volume), Decimal(volume))
        assert str(deal.profit_percentage) == percent


def test_the_quantities_of_targets_are_whole_lots() -> None:
    def sold(units: str, targets: list[tuple[str, int]]) -> list[Decimal]:
        rows = [[0, "0.10559", "0.10559", "0.10559", "0.10559"], [60_000, "0.2", "0.2", "0.2", "0.2"]]
        trade = {"side": "buy", "units": units, "order": "market", "take_profit": targets}
        run = botdesk.backtest(rows, smart_trade=trade, fee="0.006", lot="1", tick="0.00001")
        return [order.quantity for order in run.orders][1:]

    assert sold("15", [("0.15", 100)]) == [14]
    assert sold("44", [("0.15", 100)]) == [43]
    # What is left of the whole lots goes to the first one.
    assert sold("15", [("0.15", 50), ("0.16", 25), ("0.17", 25)]) == [8, 3, 3]


def test_a_target_in_percent_and_a_stop_loss() -> None:
    rows = [["0.104575"] * 4, ["0.1013"] * 4]
    trade = {
        "side": "buy", "units": "14.91", "order": "market", "take_profit": "5%", "stop_loss": StopLoss("0.1013"),
    }  # fmt: skip
    candles = [[60_000 * number, *row] for number, row in enumerate(rows)]
    run = botdesk.backtest(candles, smart_trade=trade, lot="1", tick="0.0001")
    # 14 at 0.1013.
    assert [order.volume for order in run.orders][1:] == [Decimal("1.4182")]
    higher = [["0.104575"] * 4, ["0.11"] * 4]
    candles = [[60_000 * number, *row] for number, row in enumerate(higher)]
    run = botdesk.backtest(candles, smart_trade=trade, lot="1", tick="0.0001")
    # 5 % above the average that is not rounded, at the tick.
    assert [order.price for order in run.orders][1:] == [Decimal("0.1098")]


def test_the_record_of_a_smart_trade_and_its_trades() -> None:
    with botdesk.Sandbox(fee="0.004") as sandbox:
        client = sandbox.client()
        sandbox.set_price("USDT_NEW", "0.10664")
        trade = client.smart_trades.create(
            account_id=1001, pair="USDT_NEW", side="buy", units="15", order="market", take_profit="0.2"
        ).refresh()
        assert trade.id is not None
        entry = client.smart_trades.trades(trade.id)[0]
        reducing = client.smart_trades.reduce_funds(trade.id, order_type="market", units={"value": "2"})
        reduced = reducing.to_dict()["reduce_funds"]["steps"][0]
    record = trade.to_dict()
    data, position = record["data"], record["position"]
    # The fee is that of the exchange; the commission only estimates the close.
    assert (data["entered_amount"], data["entered_total"], str(data["commission"])) == ("14.94", "1.5996", "0.001")
    # 1.5996 by 14.94 is 0.10706827…, which is rounded down to the tick.
    assert (data["average_enter_price"], position["price"]["value"]) == ("0.107068", "0.107068")
    assert entry.average_price == Decimal("0.1070682730923694779116465863")
    assert position["total"]["value"] == "1.5996"
    step = record["take_profit"]["steps"][0]
    assert (step["units"]["value"], step["total"]) == ("14.94", "2.988")
    # The price of a reduction is the bid of the moment.
    assert reduced["price"]["value"] == data["current_price"]["bid"] == "0.106639"


def test_the_totals_of_orders_that_wait() -> None:
    with botdesk.Sandbox(balances={"USDT": "1000"}) as sandbox:
        client = sandbox.client()
        sandbox.set_price("USDT_XRP", "0.05")
        common: dict[str, Any] = {"account_id": 1001, "pair": "USDT_XRP"}
        smart = client.smart_trades.create(**common, side="buy", units="2.4869", order=Limit("0.04017")).to_dict()
        simple = client.trades.create(
            **common, order={"type": "limit", "side": "buy"}, units={"value": "2.4869"}, price={"value": "0.04017"}
        ).to_dict()
    # 2.4869 at 0.04017.
    assert smart["position"]["total"]["value"] == simple["total"]["value"] == "0.099898773"


def test_the_total_of_a_position_is_cut_and_its_price_is_rounded_down() -> None:
    with botdesk.Sandbox(fee="0.001") as sandbox:
        client = sandbox.client()
        leverage: dict[str, Any] = {"leverage": {"enabled": True, "type": "cross", "value": 1}}
        spot: dict[str, Any] = {}
        for account_id, more, entered, total in (
            (1002, leverage, "0.045830379595", "0.04583037"),
            (1001, spot, "0.045784595", "0.04578459"),
        ):
            made = client.smart_trades.create(
                account_id=account_id, pair="USDT_DOGE", side="buy", units="0.3331", order="market", **more
            )
            sandbox.clock.advance(5)
            trade = made.refresh().to_dict()
            assert (trade["data"]["entered_total"], trade["position"]["total"]["value"]) == (entered, total)
            # 0.137587… in both.
            assert trade["position"]["price"]["value"] == "0.13758"


def test_the_total_of_a_failed_market_order_stays_what_it_was_at_first() -> None:
    with botdesk.Sandbox(balances={"USDT": "1"}) as sandbox:
        made = sandbox.client().smart_trades.create(
            account_id=1001, pair="USDT_DOGE", side="buy", units="34", order="market"
        )
        sandbox.clock.advance(5)
        trade = made.refresh().to_dict()
    assert trade["status"]["basic_type"] == "failed"
    assert trade["position"]["total"] == {"value": "4.6733"}
    assert Decimal(trade["position"]["price"]["value"]) != Decimal("4.6733") / 34


def test_a_simple_trade_shows_what_was_planned_and_what_was_filled() -> None:
    with botdesk.Sandbox(slippage="0.001") as sandbox:
        trades = sandbox.client().trades
        made = trades.create(
            account_id=1001, pair="USDT_DOGE", order={"type": "market", "side": "buy"}, units={"value": "34"}
        )
        sandbox.clock.advance(5)
        trade = trades.get(str(made.uuid)).to_dict()
    assert trade["total"] == {"value": "4.6733"}
    # 0.13745 and 0.1 % are 0.13758745, at the tick above.
    assert (trade["filled"]["total"], trade["filled"]["price"]) == ("4.67806", "0.13759")
