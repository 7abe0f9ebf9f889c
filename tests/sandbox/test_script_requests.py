"""What scripts in use send through `py3cw` has its effect, and the records hold what they read.

The requests are those of public scripts, which were run against the sandbox: `docs/coming-from-py3cw.md` names them.
"""

# pyright: reportArgumentType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from decimal import Decimal
from typing import Any, Protocol

import py3cw.request  # pyright: ignore[reportMissingTypeStubs] - it has no types
import pytest

import botdesk

SPOT, FUTURES, PAPER = 1001, 1002, 105

# What scripts send back from the record of a bot when they edit it.
SENT_BACK = (
    "name",
    "pairs",
    "base_order_volume",
    "safety_order_volume",
    "take_profit",
    "martingale_volume_coefficient",
    "martingale_step_coefficient",
    "max_active_deals",
    "max_safety_orders",
    "safety_order_step_percentage",
    "take_profit_type",
    "strategy_list",
    "active_safety_orders_count",
    "leverage_type",
    "leverage_custom_value",
)

MANUAL = [{"strategy": "manual", "options": {}}]

NEW_BOT: dict[str, Any] = {
    "account_id": str(FUTURES),
    "base_order_volume": 50,
    "take_profit": 1.5,
    "safety_order_volume": 10,
    "martingale_volume_coefficient": 1.2,
    "martingale_step_coefficient": 1.55,
    "max_safety_orders": 6,
    "active_safety_orders_count": 5.0,
    "safety_order_step_percentage": 0.21,
    "take_profit_type": "total",
    "strategy_list": [{"strategy": "manual"}],
    "leverage_type": "cross",
    "leverage_custom_value": 3,
    "start_order_type": "market",
}


class Ask(Protocol):
    """Send a request with py3cw, as a script does, and return the result."""

    def __call__(self, entity: str, action: str = "", record_id: int | None = None, **payload: object) -> Any: ...  # noqa: ANN401


class RefusedError(Exception):
    """The error of py3cw."""


@pytest.fixture
def ask(sandbox: botdesk.Sandbox, monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.setattr(py3cw.request, "API_URL", sandbox.url)
    api_key, secret = sandbox.add_key(secret=True)
    peer = py3cw.request.Py3CW(key=api_key, secret=secret)

    def ask(entity: str, action: str = "", record_id: int | None = None, **payload: object) -> Any:  # noqa: ANN401
        action_id = None if record_id is None else str(record_id)
        error, data = peer.request(entity=entity, action=action, action_id=action_id, payload=payload)
        if error:
            raise RefusedError(error["status_code"], error["msg"])
        return data

    return ask


def changes(before: botdesk.DcaBot, after: botdesk.DcaBot) -> dict[str, object]:
    """Return the fields that differ, except for what time changes."""
    old, new = before.to_dict(), after.to_dict()
    return {name: new[name] for name in new if new[name] != old[name] and name != "updated_at"}


class TestVolumes:
    def test_profits_are_put_into_the_orders(self, sandbox: botdesk.Sandbox, client: botdesk.Client, ask: Ask) -> None:
        bot_id = sandbox.add_dca_bot(
            name="Compounds", account_id=SPOT, pairs=["USDT_SOL"], is_enabled=True, take_profit="1"
        )
        sandbox.set_price("USDT_SOL", "100.00")
        sandbox.move_price("USDT_SOL", "102.5")
        bot = ask("bots", "show", bot_id)
        deals = ask("deals", scope="finished", bot_id=str(bot_id), limit=100, order="closed_at")
        assert [deal["final_profit"] for deal in deals] == ["0.8000000021", "0.8"]
        before = client.dca_bots.get(bot_id)
        # 80 and 30, each grown by its share of 1.6, as floats write it.
        grown = {"base_order_volume": 80.51675413806055, "safety_order_volume": 30.193782801772707}
        ask("bots", "update", bot_id, **{name: bot[name] for name in SENT_BACK} | grown, bot_id=bot_id)
        after = client.dca_bots.get(bot_id)
        assert changes(before, after) == {name: str(value) for name, value in grown.items()}

    def test_a_whole_record_may_be_sent_back(self, sandbox: botdesk.Sandbox, client: botdesk.Client, ask: Ask) -> None:
        steps = [{"amount_percentage": "50", "profit_percentage": percent} for percent in ("1", "2")]
        bot_id = sandbox.add_dca_bot(
            account_id=FUTURES, pairs=["USDT_ETH", "USDT_SOL"], strategy="short", take_profit_steps=steps,
            strategy_list=MANUAL,
        )  # fmt: skip
        before = client.dca_bots.get(bot_id)
        (bot,) = ask("bots")
        ask("bots", "update", bot_id, **bot | {"base_order_volume": "321.6793924466338"})
        assert changes(before, client.dca_bots.get(bot_id)) == {"base_order_volume": "321.6793924466338"}


class TestPairs:
    def test_a_bot_gets_the_pairs_of_its_market_that_are_not_blacklisted(
        self, sandbox: botdesk.Sandbox, client: botdesk.Client, ask: Ask
    ) -> None:
        client.dca_bots.add_to_blacklist(["USDT_DOGE"])
        rsi = {"time": "3m", "points": "30", "trigger_condition": "less", "time_period": "7"}
        bot_id = sandbox.add_dca_bot(
            account_id=SPOT, pairs=["USDT_SOL"], strategy_list=[{"strategy": "rsi", "options": rsi}]
        )
        bot = ask("bots", "show", bot_id)
        market = ask("accounts", "account_info", bot["account_id"])["market_code"]
        blacklist = ask("bots", "pairs_black_list")["pairs"]
        traded = ask("accounts", "market_pairs", market_code=market)
        pairs = sorted(pair for pair in traded if pair.startswith("USDT_") and pair not in blacklist)
        before = client.dca_bots.get(bot_id)
        ask("bots", "update", bot_id, **{name: bot[name] for name in SENT_BACK} | {"pairs": pairs}, bot_id=bot_id)
        found = changes(before, client.dca_bots.get(bot_id))
        assert found == {"pairs": pairs, "type": "Bot::MultiBot", "allowed_deals_on_same_pair": 1}
        assert "USDT_DOGE" not in pairs

    def test_coins_are_spread_over_bots(self, client: botdesk.Client, ask: Ask) -> None:
        for side in ("long", "short"):
            for pair in ("USD_ETH-PERP", "USD_SOL-0930"):
                bot = ask("bots", "create_bot", **NEW_BOT, name=f"{side} {pair}", pairs=pair, strategy=side)
                ask("bots", "update", bot["id"], **NEW_BOT | {"take_profit": 2}, name=bot["name"], pairs=pair)
                ask("bots", "enable", bot["id"])
        bots = client.dca_bots.list(sort_by="created_at", order_direction="ASC")
        assert [(bot.strategy, bot.pairs, bot.account_id) for bot in bots] == [
            (side, [pair], FUTURES) for side in ("long", "short") for pair in ("USD_ETH-PERP", "USD_SOL-0930")
        ]
        assert {bot.is_enabled for bot in bots} == {True}
        assert {str(bot.take_profit) for bot in bots} == {"2"}


class TestDeals:
    def test_a_stop_loss_follows_the_profit(self, sandbox: botdesk.Sandbox, client: botdesk.Client, ask: Ask) -> None:
        bot_id = sandbox.add_dca_bot(
            account_id=FUTURES, pairs=["USDT_SOL"], is_enabled=True, take_profit="50", stop_loss_percentage="10"
        )
        sandbox.set_price("USDT_SOL", "100.00")
        sandbox.move_price("USDT_SOL", "112.00")
        (deal,) = ask("bots", "show", bot_id)["active_deals"]
        assert (deal["actual_profit_percentage"], deal["stop_loss_price"]) == ("12", "90")
        # Three of these scripts send the id of the bot as that of the deal.
        changed = ask("deals", "update_deal", deal["id"], deal_id=bot_id + 1000, stop_loss_percentage=-3.99)
        assert (changed["stop_loss_percentage"], changed["stop_loss_price"]) == ("-3.99", "103.99")
        client.dca_bots.disable(bot_id)
        sandbox.move_price("USDT_SOL", "101.00")
        (closed,) = sandbox.finished_deals(bot_id)
        assert (closed.status, closed.sold_average_price) == ("stop_loss_finished", Decimal("103.99"))

    def test_a_target_follows_the_safety_orders(self, sandbox: botdesk.Sandbox, ask: Ask) -> None:
        sandbox.add_dca_bot(
            account_id=SPOT, pairs=["USDT_SOL"], is_enabled=True, take_profit="1.5", trailing_enabled=True,
            max_safety_orders=4, active_safety_orders_count=4, martingale_step_coefficient="1",
            martingale_volume_coefficient="1",
        )  # fmt: skip
        sandbox.set_price("USDT_SOL", "100")
        sandbox.set_price("USDT_SOL", "96")
        (deal,) = ask("deals", scope="active", account_id=str(SPOT))
        assert (deal["status"], deal["completed_safety_orders_count"]) == ("bought", 4)
        edit = {"take_profit": 2.0, "deal_id": str(deal["id"]), "trailing_enabled": False, "trailing_deviation": 0}
        ask("deals", "update_deal", deal["id"], **edit)
        (changed,) = ask("deals", scope="active")
        # 80 at 100 and 30 at each of 99, 98, 97 and 96 are 200 for 2.03093078: on average 98.4769…, and 2 % more.
        read = (changed["take_profit"], changed["take_profit_price"], changed["trailing_enabled"])
        assert read == ("2.0", "100.45", False)

    def test_signals_start_deals_and_close_them(
        self, sandbox: botdesk.Sandbox, client: botdesk.Client, ask: Ask
    ) -> None:
        pairs = ["USDT_SOL", "USDT_ETH", "USDT_ADA", "USDT_XRP"]
        bot_id = sandbox.add_dca_bot(
            account_id=FUTURES, pairs=pairs, is_enabled=True, max_active_deals=2, strategy_list=MANUAL
        )
        client.dca_bots.add_to_blacklist(["USDT_XRP"])
        for pair in pairs:
            sandbox.set_price(pair, "100")
        started = ask("bots", "start_new_deal", bot_id, pair="USDT_SOL", skip_signal_checks=True, bot_id=bot_id)
        assert (started["status"], started["market_type"]) == ("base_order_placed", "futures")
        for pair, status in (("USDT_DOGE", 400), ("USDT_XRP", 422), ("USDT_SOL", 500)):
            with pytest.raises(RefusedError) as error:
                ask("bots", "start_new_deal", bot_id, pair=pair)
            assert error.value.args[0] == status
        ask("bots", "start_new_deal", bot_id, pair="USDT_ETH")
        with pytest.raises(RefusedError, match="422"):
            ask("bots", "start_new_deal", bot_id, pair="USDT_ADA")
        ask("deals", "panic_sell", started["id"])
        sandbox.clock.advance(2)
        assert [(deal.pair, deal.market_type) for deal in client.deals.list(scope="active")] == [
            ("USDT_ETH", "futures")
        ]
        assert [deal.status for deal in sandbox.finished_deals(bot_id)] == ["panic_sold"]

    def test_a_safety_order_is_placed_where_the_script_wants_it(self, sandbox: botdesk.Sandbox, ask: Ask) -> None:
        bot_id = sandbox.add_dca_bot(account_id=SPOT, pairs=["USDT_ADA"], is_enabled=True, active_safety_orders_count=0)
        sandbox.set_price("USDT_ADA", "1.0000")
        (deal,) = ask("bots", "show", bot_id)["active_deals"]
        assert ask("deals", "data_for_adding_funds", deal["id"])["limits"]["lotStep"] == "0.00000001"
        order = {"quantity": 40.0, "is_market": False, "rate": 0.985, "deal_id": deal["id"]}
        assert ask("deals", "add_funds", deal["id"], **order) == {"status": "success"}

        def orders() -> list[tuple[str, str]]:
            found = ask("deals", "market_orders", deal["id"])
            return [(order["status_string"], order["rate"]) for order in found if "Manual" in order["deal_order_type"]]

        assert orders() == [("Active", "0.985")]
        sandbox.move_price("USDT_ADA", "0.98")
        assert orders() == [("Filled", "0.985")]
        assert ask("deals", "show", deal["id"])["bought_volume"] == "119.4"

    def test_all_deals_of_the_paper_account_are_closed(self, sandbox: botdesk.Sandbox, ask: Ask) -> None:
        for account_id in (PAPER, SPOT):
            sandbox.add_dca_bot(account_id=account_id, pairs=["USDT_SOL"], is_enabled=True, cooldown="3600")
        sandbox.set_price("USDT_SOL", "100")
        assert ask("users", "change_mode", mode="paper") is True
        (account,) = ask("accounts")
        for deal in ask("deals", account_id=str(account["id"]), limit=300):
            ask("deals", "panic_sell", deal["id"])
        sandbox.clock.advance(2)
        assert [deal["status"] for deal in ask("deals")] == ["panic_sold"]
        ask("users", "change_mode", mode="real")
        assert [deal["status"] for deal in ask("deals")] == ["bought"]


def test_deals_have_the_type_of_their_market() -> None:
    with botdesk.Sandbox() as sandbox:
        deals = sandbox.client().deals.list(limit=1000)
        found = {(deal.account_id, deal.market_type, deal.finished) for deal in deals}
    of_spot, of_futures = ((SPOT, "spot"), (FUTURES, "futures"))
    assert found == {(*market, finished) for market in (of_spot, of_futures) for finished in (True, False)}


@pytest.mark.parametrize(
    ("sent", "returned"),
    [
        ([{"strategy": "nonstop"}], [{"strategy": "nonstop", "options": {}}]),
        ([{"strategy": "nonstop"}, {"options": {}}], [{"strategy": "nonstop", "options": {}}]),
        ([{"strategy": "manual"}], [{"strategy": "manual"}]),
        (
            [{"strategy": "rsi", "options": {"time": "3m", "points": 30, "time_period": 7}}],
            [{"strategy": "rsi", "options": {"time": "3m", "points": "30", "time_period": "7"}}],
        ),
        (
            [{"strategy": "qfl", "options": {"type": "original", "percent": 3}}],
            [{"strategy": "qfl", "options": {"type": "original", "percent": 3}}],
        ),
    ],
)
def test_strategies_are_returned_as_the_service_writes_them(ask: Ask, sent: object, returned: object) -> None:
    new = NEW_BOT | {"name": "Strategies", "pairs": "USDT_ETH", "strategy_list": sent}
    created = ask("bots", "create_bot", **new)
    assert created["strategy_list"] == returned
    edited = ask("bots", "update", created["id"], **new | {"close_strategy_list": sent})
    assert (edited["strategy_list"], edited["close_strategy_list"]) == (returned, returned)
