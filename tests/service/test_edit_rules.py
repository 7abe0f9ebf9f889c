"""The rules of an edit: a violation is rejected before anything is sent."""

from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import botdesk

if TYPE_CHECKING:
    from .conftest import BotSandbox, DcaBotService


def steps(*amounts: object) -> list[dict[str, object]]:
    return [{"amount_percentage": amount, "profit_percentage": number} for number, amount in enumerate(amounts, 1)]


def errors_of(bot: Any, **changes: Any) -> dict[str, list[str]]:  # noqa: ANN401
    """Return the errors of an edit."""
    with pytest.raises(botdesk.ValidationError) as caught:
        bot.edit(**changes)
    assert all(message in str(caught.value) for messages in caught.value.errors.values() for message in messages)
    return caught.value.errors


class TestChoices:
    @pytest.mark.parametrize("by", ["record", "identifier"])
    def test_a_value_that_the_bot_holds_already_may_be_given_again(self, bot_service: DcaBotService, by: str) -> None:
        bot = bot_service.bot(leverage_type="not_specified")
        if by == "identifier":
            with pytest.raises(botdesk.ValidationError, match="leverage_type"):
                bot_service.client.dca_bots.edit(bot.id, leverage_type="not_specified")
            return
        bot.edit(leverage_type="not_specified", name="changed")
        assert "leverage_type" not in bot_service.body

    def test_a_pair_may_be_listed_once(self, context: BotSandbox) -> None:
        errors = errors_of(context.bot, pairs=["USDT_ETH", "USDT_ETH"], strategy_list=[])
        assert errors == {"pairs": ['"USDT_ETH" is listed twice']}
        assert context.sent == []


class TestSteps:
    @pytest.mark.parametrize(
        "amounts", [[100], [50, 50], [50, 30, 20], [25, 25, 25, 25], ["33.33", "33.33", "33.34"], [99.5, 0.5]], ids=str
    )
    @pytest.mark.shows("rule dca_bots.edit: steps_cover_the_position")
    def test_up_to_four_that_cover_the_position_are_accepted(self, context: BotSandbox, amounts: list[object]) -> None:
        bot = context.bot.edit(take_profit=0, take_profit_steps=steps(*amounts))
        assert [step.amount_percentage for step in bot.take_profit_steps] == [
            Decimal(str(amount)) for amount in amounts
        ]

    @pytest.mark.parametrize("amounts", [[99], [101], [50, 49], [50, 51], ["33.33", "33.33", "33.33"]], ids=str)
    @pytest.mark.shows("rule dca_bots.edit: steps_cover_the_position")
    def test_steps_that_do_not_cover_the_position_are_rejected(
        self, context: BotSandbox, amounts: list[object]
    ) -> None:
        errors = errors_of(context.bot, take_profit=0, take_profit_steps=steps(*amounts))
        assert list(errors) == ["take_profit_steps"]
        assert "100" in errors["take_profit_steps"][0]
        assert context.sent == []

    @pytest.mark.parametrize("amounts", [[0], [0, 100], [-50, 150]], ids=str)
    def test_a_step_without_an_amount_is_rejected(self, context: BotSandbox, amounts: list[object]) -> None:
        errors = errors_of(context.bot, take_profit=0, take_profit_steps=steps(*amounts))
        assert list(errors) == ["take_profit_steps"]
        assert "more than 0 %" in errors["take_profit_steps"][0]
        assert context.sent == []

    @pytest.mark.shows("rule dca_bots.edit: steps_cover_the_position")
    def test_more_than_four_are_rejected(self, context: BotSandbox) -> None:
        errors = errors_of(context.bot, take_profit=0, take_profit_steps=steps(20, 20, 20, 20, 20))
        assert list(errors) == ["take_profit_steps"]
        assert "4" in errors["take_profit_steps"][0]
        assert context.sent == []

    @pytest.mark.shows("rule dca_bots.edit: no_take_profit_beside_steps")
    def test_several_steps_need_a_take_profit_of_0(self, context: BotSandbox) -> None:
        errors = errors_of(context.bot, take_profit_steps=steps(50, 50))
        assert list(errors) == ["take_profit"]
        assert "0" in errors["take_profit"][0]
        assert context.sent == []

    @pytest.mark.parametrize("zero", [0, 0.0, "0", "0.00", Decimal(0)], ids=repr)
    @pytest.mark.shows("rule dca_bots.edit: no_take_profit_beside_steps")
    def test_a_take_profit_of_0_may_be_written_in_any_way(self, context: BotSandbox, zero: Any) -> None:  # noqa: ANN401
        context.bot.edit(take_profit=zero, take_profit_steps=steps(50, 50))
        assert context.sent[-1].status == 200

    @pytest.mark.shows("contradiction take_profit required and null")
    def test_a_take_profit_of_none_means_0_if_steps_are_used(self, context: BotSandbox) -> None:
        bot = context.bot.edit(take_profit=None, take_profit_steps=steps(50, 50))
        assert bot.take_profit is None
        assert context.sent[-1].status == 200

    def test_one_step_may_be_combined_with_a_take_profit(self, bot_service: DcaBotService) -> None:
        bot_service.bot().edit(take_profit="1.5", take_profit_steps=steps(100))
        assert bot_service.body["take_profit"] == "1.5"

    def test_a_take_profit_is_rejected_if_the_bot_has_several_steps(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(take_profit=None, take_profit_steps=steps(50, 50))
        assert list(errors_of(bot, take_profit="1.5")) == ["take_profit"]
        assert bot_service.sent == []

    def test_a_take_profit_may_take_the_place_of_the_steps(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(take_profit=None, take_profit_steps=steps(50, 50))
        bot.edit(take_profit="1.5", take_profit_steps=[])
        assert (bot_service.body["take_profit"], bot_service.body["take_profit_steps"]) == ("1.5", [])

    @pytest.mark.shows("rule dca_bots.edit.take_profit: required unless take_profit_steps has elements")
    def test_without_steps_a_take_profit_is_needed(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(take_profit=None, take_profit_steps=steps(50, 50))
        assert errors_of(bot, take_profit_steps=[]) == {"take_profit": ["is required"]}
        assert bot_service.sent == []

    def test_without_the_check_the_service_rejects(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            context.bot.edit(take_profit=0, take_profit_steps=steps(50, 49), validate=False)
        assert set(caught.value.error_attributes) == {"take_profit_steps"}


class TestBreakeven:
    @pytest.mark.parametrize("amounts", [[], [100]], ids=["no step", "one step"])
    @pytest.mark.shows("rule dca_bots.edit: breakeven_needs_two_steps")
    def test_it_needs_two_steps(self, bot_service: DcaBotService, amounts: list[int]) -> None:
        bot = bot_service.bot(take_profit_steps=steps(*amounts))
        assert list(errors_of(bot, sl_to_breakeven_enabled=True)) == ["sl_to_breakeven_enabled"]
        assert bot_service.sent == []

    @pytest.mark.shows("rule dca_bots.edit: breakeven_needs_two_steps")
    def test_with_two_steps_it_is_accepted(self, context: BotSandbox) -> None:
        context.bot.edit(take_profit=0, take_profit_steps=steps(50, 50), sl_to_breakeven_enabled=True)
        assert context.sent[-1].status == 200

    def test_the_steps_that_the_bot_holds_will_do(self, bot_service: DcaBotService) -> None:
        bot_service.bot(take_profit=None, take_profit_steps=steps(50, 50)).edit(sl_to_breakeven_enabled=True)
        assert bot_service.body["sl_to_breakeven_enabled"] is True

    def test_the_steps_cannot_be_taken_away_while_it_is_on(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(take_profit=None, take_profit_steps=steps(50, 50), sl_to_breakeven_enabled=True)
        assert list(errors_of(bot, take_profit=1, take_profit_steps=[])) == ["sl_to_breakeven_enabled"]
        assert list(errors_of(bot, take_profit_steps=steps(100))) == ["sl_to_breakeven_enabled"]

    @pytest.mark.parametrize("limit", [0, 1, 2])
    @pytest.mark.shows("rule dca_bots.edit: breakeven_limit_is_known")
    def test_its_limit_is_the_base_order_or_one_of_two_steps(self, context: BotSandbox, limit: int) -> None:
        context.bot.edit(sl_to_breakeven_data={"upper_breakeven_limit": limit})
        assert context.body["sl_to_breakeven_data"] == {"upper_breakeven_limit": limit}
        assert context.sent[-1].status == 200

    @pytest.mark.parametrize("data", [{"upper_breakeven_limit": 3}, {"upper_breakeven_limit": -1}, {}], ids=repr)
    @pytest.mark.shows("rule dca_bots.edit: breakeven_limit_is_known")
    def test_any_other_limit_is_rejected(self, context: BotSandbox, data: dict[str, int]) -> None:
        assert list(errors_of(context.bot, sl_to_breakeven_data=data)) == ["sl_to_breakeven_data"]
        assert context.sent == []


class TestStopLoss:
    """Published figures: step 1, coefficient 4 gives 1, 5, 21; step 1, coefficient 2 gives 1, 3, 7."""

    @pytest.mark.parametrize(
        ("step", "coefficient", "orders", "last"),
        [
            ("1", "2", 1, "1"),
            ("1", "2", 2, "3"),
            ("1", "2", 3, "7"),
            ("1", "4", 2, "5"),
            ("1", "4", 3, "21"),
            ("1.5", "1", 4, "6"),
            ("2", "0.5", 3, "3.5"),
        ],
    )
    @pytest.mark.shows("rule dca_bots.edit: stop_loss_below_last_safety_order", "fact deviation of a safety order")
    def test_it_lies_below_the_last_safety_order(
        self, bot_service: DcaBotService, step: str, coefficient: str, orders: int, last: str
    ) -> None:
        ladder = {
            "safety_order_step_percentage": step,
            "martingale_step_coefficient": coefficient,
            "max_safety_orders": orders,
        }
        for refused in (last, str(Decimal(last) - Decimal("0.0001"))):
            errors = errors_of(bot_service.bot(**ladder), stop_loss_percentage=refused)
            assert list(errors) == ["stop_loss_percentage"]
            assert last in errors["stop_loss_percentage"][0]
            assert bot_service.sent == []
        for accepted in (str(Decimal(last) + Decimal("0.0001")), str(Decimal(last) + 1), "0", 0):
            bot_service.bot(**ladder).edit(stop_loss_percentage=accepted)
            assert Decimal(bot_service.body["stop_loss_percentage"]) == Decimal(accepted)

    @pytest.mark.parametrize(("stop_loss", "status"), [("8", 200), ("7.0001", 200), ("0", 200), ("7", 400), ("1", 400)])
    @pytest.mark.shows("response stop loss too high", "fact stop loss below is meant in price")
    def test_the_service_applies_the_same_rule(self, context: BotSandbox, stop_loss: str, status: int) -> None:
        refused = pytest.raises(botdesk.RecordInvalidError) if status == 400 else nullcontext()
        with refused as caught:
            context.bot.edit(stop_loss_percentage=stop_loss, validate=False)
        assert context.sent[-1].status == status
        if caught is not None:
            message = "Stop Loss should be below the last safety order (7.0)"
            assert caught.value.error_attributes == {"stop_loss_percentage": [message]}

    @pytest.mark.parametrize(
        "change",
        [{"max_safety_orders": 4}, {"safety_order_step_percentage": "2"}, {"martingale_step_coefficient": "3"}],
        ids=str,
    )
    def test_a_ladder_may_not_be_made_longer_than_it(
        self, bot_service: DcaBotService, change: dict[str, object]
    ) -> None:
        bot = bot_service.bot(stop_loss_percentage="8.0")
        assert list(errors_of(bot, **change)) == ["stop_loss_percentage"]
        assert bot_service.sent == []
        bot.edit(**change, stop_loss_percentage="20")
        assert bot_service.body["stop_loss_percentage"] == "20"

    def test_a_bot_without_safety_orders_may_have_any(self, bot_service: DcaBotService) -> None:
        bot_service.bot(max_safety_orders=0).edit(stop_loss_percentage="0.5")
        assert bot_service.body["stop_loss_percentage"] == "0.5"

    @pytest.mark.shows("fact custom_safety_steps")
    def test_a_bot_with_steps_of_its_own_may_have_any(self, bot_service: DcaBotService) -> None:
        custom = [{"price_deviation": "0.1", "volume": "10"}]
        bot_service.bot(custom_safety_steps=custom).edit(stop_loss_percentage="0.5")
        assert bot_service.body["stop_loss_percentage"] == "0.5"

    @pytest.mark.parametrize("none", [None, []])
    def test_a_bot_whose_own_steps_are_none_has_the_ladder(
        self, bot_service: DcaBotService, none: list[object] | None
    ) -> None:
        bot = bot_service.bot(custom_safety_steps=none)
        assert list(errors_of(bot, stop_loss_percentage="7")) == ["stop_loss_percentage"]

    def test_a_long_ladder_is_counted_exactly(self, bot_service: DcaBotService) -> None:
        ladder = {"max_safety_orders": 200, "safety_order_step_percentage": "0.1", "martingale_step_coefficient": "1"}
        bot = bot_service.bot(**ladder)
        assert list(errors_of(bot, stop_loss_percentage="20")) == ["stop_loss_percentage"]
        bot.edit(stop_loss_percentage="20.0000000000000000000000000000000001")
        assert bot_service.sent != []


class TestCustomSafetySteps:
    @pytest.mark.shows("rule dca_bots.edit: safety_steps_are_in_range")
    @pytest.mark.parametrize("deviation", ["-100.1", "10000.1"])
    def test_a_deviation_is_in_range(self, bot_service: DcaBotService, deviation: str) -> None:
        short = Decimal(deviation) > 0
        bot = bot_service.bot(strategy="short" if short else "long")
        errors = errors_of(bot, custom_safety_steps=[{"deviation": deviation, "size": 1}])
        assert errors == {
            "custom_safety_steps": [f"each deviation must be between -100 and 10000 %, not {deviation} %"]
        }
        bot.edit(custom_safety_steps=[{"deviation": "10000" if short else "-100", "size": 1}])

    @pytest.mark.parametrize(
        ("steps", "message"),
        [
            (
                [("1.5", 10)],
                "each deviation of a long bot must be below 0 and below the deviation before it, not 1.5 %",
            ),
            (
                [("-2", 10), ("-1", 10)],
                "each deviation of a long bot must be below 0 and below the deviation before it, not -1 %",
            ),
            ([("-1", 0)], "each size must be greater than 0, not 0"),
            (
                [("-1", 1), ("-2", 1), ("-3", 1), ("-4", 1)],
                "must have at most as many steps as max_safety_orders, 3, and there are 4",
            ),
        ],
    )
    def test_botdesks_own_checks(self, bot_service: DcaBotService, steps: list[tuple[str, int]], message: str) -> None:
        bot = bot_service.bot(max_safety_orders=3, strategy="long", custom_safety_steps=None)
        change: Any = [{"deviation": deviation, "size": size} for deviation, size in steps]
        assert errors_of(bot, custom_safety_steps=change) == {
            "custom_safety_steps": [f"{message} (botdesk's own check; validate=False sends it anyway)"]
        }
        bot.edit(custom_safety_steps=change, validate=False)
        assert len(bot_service.body["custom_safety_steps"]) == len(steps)


class TestDealsOfPairs:
    @pytest.mark.parametrize(
        ("fields", "most", "limit"),
        [
            ({"pairs": ["USDT_ETH"], "type": "Bot::SingleBot"}, 1, "1 pair, 1 deal"),
            (
                {"pairs": [f"USDT_C{number}" for number in range(12)], "allowed_deals_on_same_pair": None},
                12,
                "12 pairs, 1 deal",
            ),
            ({"pairs": ["USDT_BTC", "USDT_ETH"], "allowed_deals_on_same_pair": 3}, 6, "2 pairs, 3 deals"),
        ],
    )
    def test_a_bot_has_at_most_as_many_deals_as_its_pairs_allow(
        self, bot_service: DcaBotService, fields: dict[str, Any], most: int, limit: str
    ) -> None:
        bot = bot_service.bot(**{"type": "Bot::MultiBot", "strategy_list": [], "max_active_deals": 1, **fields})
        assert errors_of(bot, max_active_deals=most + 1) == {
            "max_active_deals": [
                (
                    f"must be less than or equal to {most} ({limit} on each by allowed_deals_on_same_pair), "
                    f"not {most + 1} (botdesk's own check; validate=False sends it anyway)"
                )
            ]
        }
        bot.edit(max_active_deals=most)
        assert bot_service.body["max_active_deals"] == most

    def test_the_check_can_be_switched_off(self, bot_service: DcaBotService) -> None:
        bot_service.bot(pairs=["USDT_ETH"], max_active_deals=1).edit(max_active_deals=199, validate=False)
        assert bot_service.body["max_active_deals"] == 199

    def test_the_sandbox_refuses_more_and_names_the_bound(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            context.bot.edit(max_active_deals=199, validate=False)
        assert caught.value.error_attributes == {"max_active_deals": ["must be less than or equal to 1"]}


class TestPairsAndStrategies:
    @pytest.mark.shows("rule dca_bots.edit: nonstop_needs_one_pair", "strategy nonstop")
    def test_nonstop_is_only_for_one_pair(self, context: BotSandbox) -> None:
        assert list(errors_of(context.bot, pairs=["USDT_ETH", "USDT_BTC"])) == ["strategy_list"]
        assert context.sent == []

    def test_nonstop_is_rejected_if_the_bot_has_several_pairs(self, context: BotSandbox) -> None:
        bot = next(bot for bot in context.client.dca_bots.list() if bot.type == "Bot::MultiBot")
        assert list(errors_of(bot, strategy_list=[{"strategy": "nonstop", "options": {}}])) == ["strategy_list"]

    @pytest.mark.shows("rule dca_bots.edit: nonstop_needs_one_pair")
    def test_several_pairs_with_another_strategy_are_accepted(self, context: BotSandbox) -> None:
        bot = context.bot.edit(pairs=["USDT_ETH", "USDT_BTC"], strategy_list=[{"strategy": "manual"}])
        assert bot.pairs == ["USDT_ETH", "USDT_BTC"]

    @pytest.mark.parametrize(
        ("pairs", "message"),
        [
            (["USDT_BTC", "BUSD_ETH"], "these have USDT and BUSD; pass only pairs of one of them"),
            (["BTC_USDT", "ETH_USDT"], "these have BTC and ETH; did you mean USDT_BTC, USDT_ETH?"),
            (["USDT_BTC", "ETH_USDT"], "these have USDT and ETH; did you mean USDT_BTC, USDT_ETH?"),
        ],
    )
    @pytest.mark.shows("rule dca_bots.edit: pairs_have_one_quote")
    def test_the_pairs_of_a_bot_have_one_quote_currency(
        self, context: BotSandbox, pairs: list[str], message: str
    ) -> None:
        expected = {"pairs": [f"must have the same quote currency, and {message}"]}
        basket = context.client.dca_bots.get(42)
        before = len(context.sent)
        assert errors_of(basket, pairs=pairs, max_active_deals=1) == expected
        assert errors_of(context.bot, pairs=pairs, strategy_list=[]) == expected
        with pytest.raises(botdesk.ValidationError, match="same quote currency"):
            context.client.dca_bots.edit(42, pairs=pairs)
        assert [request.method for request in context.sent[before:]] == ["GET"]
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            basket.edit(pairs=pairs, max_active_deals=1, validate=False)
        assert caught.value.error_attributes == expected

    @pytest.mark.shows("rule dca_bots.edit: pairs_have_one_quote")
    def test_a_single_pair_may_have_its_currencies_in_either_order(self, context: BotSandbox) -> None:
        assert context.bot.edit(pairs=["BTC_USDT"]).pairs == ["BTC_USDT"]

    def test_pairs_of_several_quotes_that_the_bot_has_are_sent_back(self, bot_service: DcaBotService) -> None:
        held = ["USDT_BTC", "BUSD_ETH"]
        bot_service.bot(pairs=held, type="Bot::MultiBot", strategy_list=[]).edit(name="changed")
        assert bot_service.body["pairs"] == held

    @pytest.mark.parametrize(
        "pair",
        [
            "USDT_1INCH",
            "BTC_ETHUSD_PERP",
            "USD_BTC-PERP",
            "USDT_BTC-240329",
            "USDT_BRK.B",
            "EUR_1000SHIB",
            "USDC_币安人生",
            "USDT_ÄTH",
            "USDT_٣٤",
        ],
    )
    def test_a_pair_may_be_any_symbol_of_an_exchange(self, context: BotSandbox, pair: str) -> None:
        assert context.bot.edit(pairs=pair).pairs == [pair]

    @pytest.mark.parametrize(
        ("pair", "spelling"),
        [
            ("BTC-USDT", "'USDT_BTC'"),
            ("BTC/USDT", "'USDT_BTC'"),
            ("BTC/USDT:USDT", "'USDT_BTC'"),
            ("BTCUSDT", "'USDT_BTC'"),
            ("usdt_btc", "'USDT_BTC'"),
            ("USDT_BTC,USDT_ETH", '["USDT_BTC", "USDT_ETH"]'),
            ("BTC", "QUOTE_BASE, such as 'USDT_BTC'"),
        ],
    )
    @pytest.mark.shows("promise pairs")
    def test_another_spelling_is_rejected_with_the_one_to_use(
        self, context: BotSandbox, pair: str, spelling: str
    ) -> None:
        message = f"'{pair}' is not a pair; write it as {spelling}"
        for pairs in (pair, [pair], ["USDT_ETH", pair]):
            assert errors_of(context.bot, pairs=pairs, strategy_list=[]) == {"pairs": [message]}
        with pytest.raises(botdesk.ValidationError, match="pairs: "):
            context.client.dca_bots.edit(41, pairs=pair)
        assert context.sent == []

    def test_without_the_check_the_service_rejects_a_pair(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            context.bot.edit(pairs="BTC-USDT", validate=False)
        message = "'BTC-USDT' is not a pair; write it as 'USDT_BTC'"
        assert caught.value.error_attributes == {"pairs": [message]}

    def test_a_malformed_pair_of_the_bot_is_sent_back(self, bot_service: DcaBotService) -> None:
        held = ["USDT_BTC", "usdt-odd"]
        bot_service.bot(pairs=held, type="Bot::MultiBot", strategy_list=[]).edit(name="changed")
        assert bot_service.body["pairs"] == held

    def test_a_malformed_pair_of_the_bot_may_stay_beside_a_new_one(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(pairs=["USDT_BTC", "usdt-odd"], type="Bot::MultiBot", strategy_list=[])
        bot.edit(pairs=[*bot.pairs, "USDT_ETH"])
        assert bot_service.body["pairs"] == ["USDT_BTC", "usdt-odd", "USDT_ETH"]

    @pytest.mark.parametrize("field", ["strategy_list", "close_strategy_list"])
    @pytest.mark.parametrize(
        "strategy", [{}, {"strategy": None}, {"strategy": 5}, {"strategy": ""}, {"options": {}}, {"new": 1}], ids=str
    )
    @pytest.mark.shows("promise strategies")
    def test_a_strategy_needs_its_code(self, context: BotSandbox, field: str, strategy: dict[str, object]) -> None:
        errors = errors_of(context.bot, **{field: [{"strategy": "manual"}, strategy]})
        assert list(errors) == [field]
        assert '{"strategy": "manual"}' in errors[field][0]
        assert context.sent == []

    @pytest.mark.shows("strategy nonstop")
    def test_the_options_of_nonstop_may_be_in_an_object(self, context: BotSandbox) -> None:
        strategies: list[dict[str, Any]] = [{"strategy": "nonstop"}, {"options": {}}]
        context.bot.edit(strategy_list=strategies)
        assert context.body["strategy_list"] == strategies
        assert context.sent[-1].status == 200

    def test_a_malformed_strategy_of_the_bot_may_stay(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(strategy_list=[{"new": 1.0}])
        bot.edit(strategy_list=[{"new": 1}, {"strategy": "manual"}])
        assert bot_service.body["strategy_list"] == [{"new": 1}, {"strategy": "manual"}]


class TestDealsOnTheSamePair:
    @pytest.mark.shows("rule dca_bots.edit.allowed_deals_on_same_pair: only where type is Bot::MultiBot")
    def test_they_are_only_for_a_bot_of_several_pairs(self, context: BotSandbox) -> None:
        errors = errors_of(context.bot, allowed_deals_on_same_pair=2)
        assert list(errors) == ["allowed_deals_on_same_pair"]
        assert "Bot::MultiBot" in errors["allowed_deals_on_same_pair"][0]
        assert context.sent == []

    @pytest.mark.shows("rule dca_bots.edit.allowed_deals_on_same_pair: only where type is Bot::MultiBot")
    def test_a_bot_of_several_pairs_may_have_them(self, context: BotSandbox) -> None:
        bot = next(bot for bot in context.client.dca_bots.list() if bot.type == "Bot::MultiBot")
        assert bot.edit(allowed_deals_on_same_pair=2).allowed_deals_on_same_pair == 2

    @pytest.mark.parametrize("validate", [True, False], ids=["client", "service"])
    @pytest.mark.shows("promise deals on the same pair")
    def test_the_edit_that_sets_several_pairs_may_set_them(self, context: BotSandbox, validate: bool) -> None:
        pairs = ["USDT_ETH", "USDT_BTC"]
        bot = context.bot.edit(pairs=pairs, strategy_list=[], allowed_deals_on_same_pair=2, validate=validate)
        assert (bot.type, bot.allowed_deals_on_same_pair) == ("Bot::MultiBot", 2)

    @pytest.mark.parametrize("validate", [True, False], ids=["client", "service"])
    @pytest.mark.shows("promise deals on the same pair")
    def test_a_bot_of_one_pair_may_have_none(self, context: BotSandbox, validate: bool) -> None:
        bot = context.bot.edit(allowed_deals_on_same_pair=None, validate=validate)
        assert bot.allowed_deals_on_same_pair is None
        assert context.body["allowed_deals_on_same_pair"] is None

    def test_by_identifier_the_result_is_validated_as_well(self, context: BotSandbox) -> None:
        pairs = ["USDT_ETH", "USDT_BTC"]
        bot = context.client.dca_bots.edit(41, pairs=pairs, strategy_list=[], allowed_deals_on_same_pair=2)
        assert bot.allowed_deals_on_same_pair == 2
        single = next(bot for bot in context.client.dca_bots.list() if bot.type == "Bot::SingleBot")
        with pytest.raises(botdesk.ValidationError, match="Bot::MultiBot"):
            context.client.dca_bots.edit(single.id, allowed_deals_on_same_pair=2)

    def test_what_a_bot_of_one_pair_holds_is_not_carried_over(self, bot_service: DcaBotService) -> None:
        bot_service.bot(allowed_deals_on_same_pair=1).edit(name="changed")
        assert "allowed_deals_on_same_pair" not in bot_service.body


# Values that the reference allows and that make no sense: botdesk's own checks.
OWN: dict[str, tuple[list[object], list[object]]] = {
    "base_order_volume": (["0.0001", 80], ["0", "-80", -1]),
    "take_profit": (["0.0001", "150"], ["0", "-0.0", "-1"]),
    "safety_order_volume": (["0.0001"], ["0", "-30"]),
    "safety_order_step_percentage": (["0.0001"], ["0", "-1"]),
    "active_safety_orders_count": ([0, 1], [-1]),
    "stop_loss_percentage": (["0", "99.9"], ["100", "150"]),
    "trailing_deviation": (["0", "99.9"], ["-0.1", "100"]),
    "leverage_custom_value": (["0.5", 125], ["0", "-3"]),
    "stop_loss_timeout_in_seconds": ([0], [-1]),
    "min_volume_btc_24h": (["0"], ["-0.1"]),
    "deal_start_delay_seconds": ([0], [-1]),
    "disable_after_deals_count": ([0], [-1]),
    "risk_reduction_percentage": (["0", "100"], ["-1", "100.1"]),
}
OWN_OUTSIDE = [(field, value) for field, (_, outside) in OWN.items() for value in outside]


class TestOwnChecks:
    @pytest.mark.parametrize(
        ("field", "value"), [(field, value) for field, (inside, _) in OWN.items() for value in inside]
    )
    @pytest.mark.shows("promise own checks")
    def test_a_plausible_value_is_sent(self, bot_service: DcaBotService, field: str, value: object) -> None:
        bot_service.bot(leverage_type="cross").edit(**{field: value})
        assert Decimal(bot_service.body[field]) == Decimal(str(value))

    @pytest.mark.parametrize(("field", "value"), OWN_OUTSIDE)
    def test_nonsense_is_rejected_and_the_message_names_the_way_out(
        self, context: BotSandbox, field: str, value: object
    ) -> None:
        errors = errors_of(context.bot, **{field: value})
        assert list(errors) == [field]
        assert errors[field][0].endswith("(botdesk's own check; validate=False sends it anyway)")
        assert context.sent == []

    @pytest.mark.parametrize(("field", "value"), OWN_OUTSIDE)
    def test_without_the_check_the_service_takes_it(self, context: BotSandbox, field: str, value: object) -> None:
        context.bot.edit(**{field: value}, validate=False)
        assert context.sent[-1].status == 200

    @pytest.mark.parametrize(("field", "value"), OWN_OUTSIDE)
    def test_the_current_values_of_a_bot_may_be_set_again(
        self, bot_service: DcaBotService, field: str, value: object
    ) -> None:
        bot_service.bot(**{field: value}).edit(**{field: value})
        assert Decimal(bot_service.body[field]) == Decimal(str(value))

    def test_deals_on_the_same_pair_are_at_least_one(self, context: BotSandbox) -> None:
        bot = next(bot for bot in context.client.dca_bots.list() if bot.type == "Bot::MultiBot")
        assert list(errors_of(bot, allowed_deals_on_same_pair=0)) == ["allowed_deals_on_same_pair"]

    def test_a_bot_that_strategies_close_needs_no_take_profit(self, context: BotSandbox) -> None:
        context.bot.edit(take_profit=0, close_strategy_list=[{"strategy": "rsi", "options": {}}])
        assert context.sent[-1].status == 200

    @pytest.mark.parametrize("profit", ["0", "-1"])
    def test_a_step_takes_profit(self, context: BotSandbox, profit: str) -> None:
        targets = [{"amount_percentage": 100, "profit_percentage": profit}]
        assert list(errors_of(context.bot, take_profit=0, take_profit_steps=targets)) == ["take_profit_steps"]

    def test_a_bot_without_safety_orders_needs_no_volume_for_them(self, bot_service: DcaBotService) -> None:
        bot_service.bot().edit(max_safety_orders=0, safety_order_volume=0, safety_order_step_percentage=0)
        assert bot_service.body["safety_order_volume"] == "0"
        bot = bot_service.bot(max_safety_orders=0, safety_order_volume="0", safety_order_step_percentage="0")
        fields = ["safety_order_volume", "safety_order_step_percentage"]
        assert list(errors_of(bot, max_safety_orders=3)) == fields

    def test_a_deviation_of_0_does_not_trail(self, context: BotSandbox) -> None:
        errors = errors_of(context.bot, trailing_enabled=True, trailing_deviation=0)
        assert list(errors) == ["trailing_deviation"]

    def test_a_stop_loss_is_not_negative(self, bot_service: DcaBotService) -> None:
        errors = errors_of(bot_service.bot(max_safety_orders=0), stop_loss_percentage="-1")
        assert "must be at least 0" in errors["stop_loss_percentage"][0]

    def test_a_short_bot_may_stop_its_loss_above_twice_the_price(self, bot_service: DcaBotService) -> None:
        bot_service.bot(strategy="short").edit(stop_loss_percentage="150")
        assert bot_service.body["stop_loss_percentage"] == "150"


class TestAllAtOnce:
    def test_every_violation_is_reported(self, context: BotSandbox) -> None:
        errors = errors_of(
            context.bot,
            tak_profit="1",
            name="",
            base_order_volume=b"80",
            max_active_deals=0,
            take_profit_steps=steps(50, 49),
            max_safety_orders=201,
            stop_loss_percentage="nothing",
            sl_to_breakeven_data={"upper_breakeven_limit": 5},
            start_order_type="brand_new",
            trailing_enabled=1,
            allowed_deals_on_same_pair=3,
            min_price_percentage=-95,
            close_deals_timeout=59,
        )
        assert set(errors) == {
            "tak_profit",
            "name",
            "base_order_volume",
            "max_active_deals",
            "take_profit",
            "take_profit_steps",
            "max_safety_orders",
            "stop_loss_percentage",
            "sl_to_breakeven_data",
            "start_order_type",
            "trailing_enabled",
            "allowed_deals_on_same_pair",
            "min_price_percentage",
            "close_deals_timeout",
        }
        assert context.sent == []

    def test_the_message_shows_them_too(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            context.bot.edit(max_active_deals=0, close_deals_timeout=59)
        assert "max_active_deals" in str(caught.value)
        assert "close_deals_timeout" in str(caught.value)

    def test_a_validation_error_is_a_value_error(self, context: BotSandbox) -> None:
        with pytest.raises(ValueError, match="max_active_deals"):
            context.bot.edit(max_active_deals=0)

    def test_asyncio_shows_the_same(self, context: BotSandbox) -> None:
        changes: dict[str, Any] = {"max_active_deals": 0, "cooldown": -1, "tak_profit": 1}
        with pytest.raises(botdesk.ValidationError) as caught:
            asyncio.run(context.bot.edit_async(**changes))
        assert caught.value.errors == errors_of(context.bot, **changes)
        assert context.sent == []

    def test_an_edit_by_identifier_shows_the_same_and_asks_nothing_first(self, context: BotSandbox) -> None:
        changes: dict[str, Any] = {"max_active_deals": 0, "cooldown": "x", "tak_profit": 1, "name": None}
        with pytest.raises(botdesk.ValidationError) as caught:
            context.client.dca_bots.edit(41, **changes)
        assert caught.value.errors == errors_of(context.bot, **changes)
        assert context.sent == []

    def test_an_edit_by_identifier_that_is_wrong_for_this_bot_changes_nothing(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            context.client.dca_bots.edit(41, stop_loss_percentage="7")
        assert list(caught.value.errors) == ["stop_loss_percentage"]
        assert [request.method for request in context.sent] == ["GET"]


class TestWithoutTheCheck:
    def test_values_of_a_wrong_type_are_sent_as_they_are(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            context.bot.edit(take_profit="much", max_active_deals=500, validate=False)
        assert set(caught.value.error_attributes) == {"take_profit", "max_active_deals"}
        assert (context.body["take_profit"], context.body["max_active_deals"]) == ("much", 500)

    def test_a_valid_edit_sends_the_same(self, bot_service: DcaBotService) -> None:
        sent: list[str] = []
        for validate in (True, False):
            bot_service.bot().edit(take_profit=2.5, validate=validate)
            sent.append(bot_service.sent[0].body)
        assert sent[0] == sent[1]

    @pytest.mark.parametrize(
        "changes", [{"tak_profit": 1}, {"take_profit": float("inf")}, {"name": "\ud800"}], ids=ascii
    )
    def test_unsendable_values_are_rejected_even_without_validation(
        self, context: BotSandbox, changes: dict[str, Any]
    ) -> None:
        with pytest.raises(botdesk.ValidationError):
            context.bot.edit(**changes, validate=False)
        assert context.sent == []

    @pytest.mark.shows("promise numbers that JSON does not have")
    @pytest.mark.parametrize(
        "number",
        [
            *(float(text) for text in ("inf", "-inf")),
            *(Decimal(text) for text in ("NaN", "-NaN", "sNaN", "NaN123", "Infinity", "-Infinity")),
            *(kind(text) for kind in (np.float16, np.float32, np.float64) for text in ("inf", "-inf")),
        ],
        ids=repr,
    )
    def test_a_number_that_json_does_not_have_is_rejected_and_a_string_is_sent(
        self,
        context: BotSandbox,
        number: Any,  # noqa: ANN401
    ) -> None:
        step = {"amount_percentage": number, "profit_percentage": 1}
        for changes in (
            {"take_profit": number},
            {"max_active_deals": number},
            {"name": number},
            {"take_profit_steps": [step]},
            {"sl_to_breakeven_data": {"upper_breakeven_limit": number}},
        ):
            with pytest.raises(botdesk.ValidationError, match="is not a number that can be sent"):
                context.bot.edit(**changes, validate=False)
        with pytest.raises(botdesk.ValidationError, match="is not a number that can be sent"):
            context.client.request("POST", "/ver1/bots", json={"take_profit": [number]})
        assert context.sent == []
        preview = context.bot.preview_edit(take_profit=str(number), validate=False)
        assert json.loads(preview.body)["take_profit"] == str(number)

    def test_by_identifier_the_service_validates_too(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            context.client.dca_bots.edit(41, max_active_deals=0, validate=False)
        assert set(caught.value.error_attributes) == {"max_active_deals"}
        assert [request.method for request in context.sent] == ["GET", "PATCH"]

    def test_a_service_that_rejects_changes_nothing(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.RecordInvalidError):
            context.bot.edit(name="changed", max_active_deals=0, validate=False)
        assert context.bot.refresh() == context.bot


class TestUnknownKeywords:
    @pytest.mark.parametrize(
        ("keyword", "nearest"),
        [
            ("tak_profit", "take_profit"),
            ("takeProfit", "take_profit"),
            ("coldown", "cooldown"),
            ("max_active_deal", "max_active_deals"),
            ("stop_loss_percent", "stop_loss_percentage"),
            ("nmae", "name"),
            ("pair", "pairs"),
            ("Валюта", ""),
        ],
    )
    def test_the_nearest_field_is_named(self, context: BotSandbox, keyword: str, nearest: str) -> None:
        for edit in (context.bot.edit, partial(context.client.dca_bots.edit, 41)):
            with pytest.raises(botdesk.ValidationError) as caught:
                edit(**{keyword: 1})
            assert list(caught.value.errors) == [keyword]
            assert nearest in caught.value.errors[keyword][0]
        assert context.sent == []

    @pytest.mark.parametrize(
        "keyword", ["id", "url_secret", "created_at", "type", "strategy", "is_enabled", "deletable"]
    )
    def test_a_field_that_cannot_be_edited_is_rejected(self, context: BotSandbox, keyword: str) -> None:
        assert list(errors_of(context.bot, **{keyword: 1})) == [keyword]
        assert context.sent == []

    def test_fields_have_no_positions(self, context: BotSandbox) -> None:
        with pytest.raises(TypeError):
            context.bot.edit("a name")
