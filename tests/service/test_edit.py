"""The body of an edit: the changes, and all other fields as the record holds them."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from sample_calls import reference

import botdesk

if TYPE_CHECKING:
    from .conftest import BotSandbox, DcaBotService

# What the reference says of each input.
DOCUMENTED: dict[str, str] = reference("dca_bots.edit")["body"]
# What only an example body shows is sent if it is given, and not carried over.
CARRIED = [name for name, says in DOCUMENTED.items() if "in an example" not in says]
REQUIRED = {name for name, says in DOCUMENTED.items() if re.search(r", required(,|$)", says)}
NUMBERS = {name for name, says in DOCUMENTED.items() if says.startswith("decimal")}


def to_send(held: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that an edit copies from a record, by the API reference and the facts of the wire."""
    body = {name: held[name] for name in CARRIED if held.get(name) is not None}
    body |= {name: str(value) for name, value in body.items() if name in NUMBERS}
    if len(body["pairs"]) == 1:
        (body["pairs"],) = body["pairs"]
    if body.get("leverage_type") == "not_specified":
        del body["leverage_type"]
    if held["type"] != "Bot::MultiBot":
        body.pop("allowed_deals_on_same_pair", None)
    if body["take_profit_steps"]:
        body["take_profit_steps"] = [
            {name: value for name, value in step.items() if name != "id"} for step in body["take_profit_steps"]
        ]
        body.setdefault("take_profit", "0")
    return body


class TestCarriedOver:
    def test_every_bot_sends_what_it_holds_but_for_the_change(self, context: BotSandbox) -> None:
        bots = context.client.dca_bots.list()
        for bot in bots:
            bot.edit(name="changed")
            assert context.body == {**to_send(bot.to_dict()), "name": "changed"}
        assert {bot.type for bot in bots} == {"Bot::SingleBot", "Bot::MultiBot"}
        assert any(bot.take_profit is None for bot in bots)
        assert any(bot.leverage_type == "isolated" for bot in bots)

    def test_only_the_change_differs_from_what_the_bot_holds(self, bot_service: DcaBotService) -> None:
        bot_service.bot().edit(name="changed")
        plain = {**bot_service.body, "name": bot_service.bot().name}
        for change in ({"take_profit": "9.75"}, {"active_safety_orders_count": 7}, {"tsl_enabled": True}):
            bot_service.bot().edit(**change)
            assert bot_service.body == {**plain, **change}

    def test_a_bot_is_edited_with_its_own_deals_left_out(self, context: BotSandbox) -> None:
        assert context.bot.active_deals
        context.bot.edit(name="changed")
        assert set(context.body) <= set(DOCUMENTED)

    def test_decimals_are_sent_as_the_text_that_they_came_as(self, bot_service: DcaBotService) -> None:
        digits = "1.00399920581210916146041542739112586575949572812639182"
        bot_service.bot(base_order_volume=digits, min_volume_btc_24h="1.50E-7").edit(name="changed")
        assert bot_service.body["base_order_volume"] == digits
        assert Decimal(bot_service.body["min_volume_btc_24h"]) == Decimal("1.50E-7")

    def test_a_decimal_that_came_as_a_number_is_sent_as_text(self, bot_service: DcaBotService) -> None:
        text = json.dumps({**bot_service.bot().to_dict(), "safety_order_volume": 0.125, "cooldown": 300})
        bot_service.bot_of(text).edit(name="changed")
        assert (bot_service.body["safety_order_volume"], bot_service.body["cooldown"]) == ("0.125", "300")

    @pytest.mark.shows("rule dca_bots.edit.leverage_type: not carried over where it is not_specified")
    def test_leverage_that_is_not_specified_is_left_out(self, bot_service: DcaBotService) -> None:
        bot_service.bot(leverage_type="not_specified").edit(name="changed")
        assert "leverage_type" not in bot_service.body
        bot_service.bot(leverage_type="cross").edit(name="changed")
        assert bot_service.body["leverage_type"] == "cross"

    @pytest.mark.shows("rule dca_bots.edit.leverage_custom_value: carried over beside leverage_type alone")
    def test_the_value_of_leverage_that_is_not_specified_is_left_out(self, bot_service: DcaBotService) -> None:
        bot_service.bot(leverage_type="not_specified", leverage_custom_value="3.0").edit(name="changed")
        assert "leverage_custom_value" not in bot_service.body
        bot_service.bot(leverage_type="cross", leverage_custom_value="3.0").edit(name="changed")
        assert bot_service.body["leverage_custom_value"] == "3.0"

    @pytest.mark.shows("contradiction account_id in an example body")
    @pytest.mark.shows("rule dca_bots.edit.account_id: sent only if given")
    def test_the_account_is_sent_only_if_it_is_given(self, context: BotSandbox) -> None:
        context.bot.edit(name="changed")
        assert "account_id" not in context.body
        assert context.bot.edit(account_id=1002).account_id == 1002
        assert context.body["account_id"] == 1002

    def test_leverage_can_be_set_where_it_is_not_specified(self, context: BotSandbox) -> None:
        context.bot.edit(leverage_type="isolated", leverage_custom_value="3")
        assert (context.body["leverage_type"], context.body["leverage_custom_value"]) == ("isolated", "3")

    def test_one_pair_is_sent_as_text_and_several_as_an_array(self, bot_service: DcaBotService) -> None:
        bot_service.bot(pairs=["USDT_ETH"]).edit(name="changed")
        assert bot_service.body["pairs"] == "USDT_ETH"
        bot_service.bot(pairs=["USDT_ETH", "USDT_BTC"], type="Bot::MultiBot").edit(name="changed")
        assert bot_service.body["pairs"] == ["USDT_ETH", "USDT_BTC"]

    def test_steps_are_sent_without_their_position(self, bot_service: DcaBotService) -> None:
        steps = [{"amount_percentage": 100, "profit_percentage": 3, "id": 0}]
        bot_service.bot(take_profit_steps=steps, take_profit=None).edit(name="changed")
        assert bot_service.body["take_profit_steps"] == [{"amount_percentage": 100, "profit_percentage": 3}]

    @pytest.mark.shows("fact null take_profit", "contradiction take_profit required and null")
    def test_a_take_profit_that_is_null_where_steps_are_used_is_sent_as_0(self, bot_service: DcaBotService) -> None:
        steps = [{"amount_percentage": 50, "profit_percentage": number, "id": number} for number in (1, 2)]
        bot_service.bot(take_profit_steps=steps, take_profit=None).edit(name="changed")
        assert Decimal(bot_service.body["take_profit"]) == 0

    def test_the_options_of_strategies_keep_every_digit_and_unknown_member(self, bot_service: DcaBotService) -> None:
        strategies = '[{"strategy":"qfl","options":{"percent":3.10,"new":[1e-7,null]},"more":"é"}]'
        text = json.dumps({**bot_service.bot().to_dict(), "strategy_list": 0}).replace(
            '"strategy_list": 0', f'"strategy_list": {strategies}'
        )
        bot_service.bot_of(text).edit(name="changed")
        expected = [{"strategy": "qfl", "options": {"percent": Decimal("3.10"), "new": [Decimal("1e-7"), None]}}]
        assert bot_service.body["strategy_list"] == [{**expected[0], "more": "é"}]
        assert "3.10" in bot_service.sent[0].body

    def test_a_field_that_only_some_responses_hold_is_carried_over_too(self, bot_service: DcaBotService) -> None:
        steps = [{"amount_percentage": 50, "profit_percentage": number} for number in (1, 2)]
        data = {"upper_breakeven_limit": 1}
        bot_service.bot(
            take_profit=None, take_profit_steps=steps, sl_to_breakeven_enabled=True, sl_to_breakeven_data=data
        ).edit(name="changed")
        assert bot_service.body["sl_to_breakeven_enabled"] is True
        assert bot_service.body["sl_to_breakeven_data"] == data

    @pytest.mark.parametrize(
        ("field", "held"),
        [
            ("max_active_deals", 500),
            ("max_safety_orders", 900),
            ("martingale_step_coefficient", "99.5"),
            ("cooldown", "-1"),
            ("start_order_type", "brand_new"),
            ("take_profit_type", "brand_new"),
            ("close_deals_timeout", 5),
            ("reinvesting_percentage", "300.0"),
            ("min_price_percentage", "-95"),
            ("stop_loss_percentage", "7.0"),
            ("sl_to_breakeven_enabled", True),
            ("sl_to_breakeven_data", {"upper_breakeven_limit": 9}),
            ("strategy_list", [{"strategy": "manual"}, {"new": 1}]),
        ],
    )
    def test_the_current_values_of_a_bot_are_not_checked(
        self, bot_service: DcaBotService, field: str, held: object
    ) -> None:
        bot_service.bot(**{field: held}).edit(name="changed")
        assert bot_service.body[field] == held

    def test_the_current_steps_of_a_bot_are_not_checked(self, bot_service: DcaBotService) -> None:
        steps = [{"amount_percentage": 10, "profit_percentage": 1}] * 5
        bot_service.bot(take_profit_steps=steps, take_profit="1.0").edit(name="changed")
        assert (bot_service.body["take_profit_steps"], bot_service.body["take_profit"]) == (steps, "1.0")

    @pytest.mark.parametrize(
        ("field", "held"),
        [("cooldown", "Infinity"), ("max_active_deals", []), ("tsl_enabled", "maybe"), ("take_profit_steps", 5)],
    )
    def test_an_optional_field_that_cannot_be_sent_has_to_be_given_or_the_check_left_out(
        self, bot_service: DcaBotService, field: str, held: object
    ) -> None:
        bot = bot_service.bot(**{field: held})
        with pytest.raises(botdesk.ValidationError, match="can't be sent back; pass it as well") as caught:
            bot.edit(name="changed")
        assert list(caught.value.errors) == [field]
        bot.edit(name="changed", validate=False)
        assert field not in bot_service.body

    def test_steps_with_half_an_emoji_in_them_are_not_lost(self, bot_service: DcaBotService) -> None:
        steps = [{"amount_percentage": 50, "profit_percentage": each, "x": "\ud83d"} for each in (1, 2)]
        with pytest.raises(botdesk.ValidationError, match="take_profit_steps"):
            bot_service.bot(take_profit="0", take_profit_steps=steps).edit(name="changed")
        assert bot_service.sent == []

    @pytest.mark.parametrize(("field", "held"), [("base_order_volume", "Infinity"), ("max_safety_orders", [])])
    def test_a_required_field_that_cannot_be_sent_has_to_be_given(
        self, bot_service: DcaBotService, field: str, held: object
    ) -> None:
        bot = bot_service.bot(**{field: held})
        with pytest.raises(botdesk.ValidationError, match=field):
            bot.edit(name="changed")
        assert bot_service.sent == []
        bot.edit(**{field: 3})
        assert Decimal(bot_service.body[field]) == 3


class TestNone:
    def test_a_field_can_be_unset_at_the_service(self, context: BotSandbox) -> None:
        bot = context.bot.edit(close_deals_timeout=600)
        assert bot.close_deals_timeout == 600
        assert bot.edit(close_deals_timeout=None).close_deals_timeout is None


class TestResult:
    def test_an_edit_returns_the_bot_after_the_change(self, context: BotSandbox) -> None:
        before = context.bot.to_json()
        after = context.bot.edit(take_profit="2.50", name="Тихий 😀")
        assert (after.take_profit, after.name, after.id) == (Decimal("2.50"), "Тихий 😀", 41)
        assert str(after.take_profit) == "2.50"
        assert context.bot.to_json() == before
        assert context.client.dca_bots.get(41).name == "Тихий 😀"

    def test_the_bot_after_the_change_can_be_edited_on(self, context: BotSandbox) -> None:
        bot = context.bot.edit(take_profit="2").edit(cooldown="60").edit(active_safety_orders_count=2)
        assert (bot.take_profit, bot.cooldown, bot.active_safety_orders_count) == (2, 60, 2)
        assert [request.status for request in context.sent] == [200, 200, 200]

    def test_an_edit_by_identifier_reads_the_bot_first_and_sends_the_same(self, context: BotSandbox) -> None:
        context.bot.edit(take_profit="2.5")
        by_record = context.body
        bot = context.client.dca_bots.edit(41, take_profit="2.5")
        assert context.body == by_record
        assert [request.method for request in context.sent[1:]] == ["GET", "PATCH"]
        assert bot.take_profit == Decimal("2.5")

    def test_a_bot_that_an_edit_by_identifier_made_remembers_its_client(self, context: BotSandbox) -> None:
        assert context.client.dca_bots.edit(41, take_profit="2.5").disable().is_enabled is False


class TestRefusedAtOnce:
    def test_an_edit_that_changes_nothing_is_rejected(self, context: BotSandbox) -> None:
        for edit in (context.bot.edit, partial(context.client.dca_bots.edit, 41)):
            with pytest.raises(botdesk.ValidationError, match="changes nothing"):
                edit()
            with pytest.raises(botdesk.ValidationError, match="changes nothing"):
                edit(validate=False)
        assert context.sent == []

    @pytest.mark.parametrize("without", [{"id": None}, {"id": 0}, {"id": -1}])
    def test_a_record_without_an_identifier_cannot_be_edited(
        self, bot_service: DcaBotService, without: dict[str, int | None]
    ) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            bot_service.bot(**without).edit(name="changed")
        assert set(caught.value.errors) == {"id"}
        assert bot_service.sent == []

    @pytest.mark.parametrize("method", ["edit", "disable", "cancel_all_deals", "refresh"])
    def test_a_record_whose_identifier_is_unreadable_cannot_be_acted_on(
        self, bot_service: DcaBotService, method: str
    ) -> None:
        changes = {"name": "changed"} if method == "edit" else {}
        with pytest.raises((botdesk.DecodeError, botdesk.ValidationError), match=r"\bid\b"):
            getattr(bot_service.bot(id="x"), method)(**changes)
        assert bot_service.sent == []

    @pytest.mark.parametrize("method", ["edit", "disable", "cancel_all_deals", "refresh"])
    def test_an_identifier_that_came_as_text_will_do(self, bot_service: DcaBotService, method: str) -> None:
        changes = {"name": "changed"} if method == "edit" else {}
        getattr(bot_service.bot(id="2376446537"), method)(**changes)
        assert "/ver1/bots/2376446537/" in bot_service.sent[0].target
