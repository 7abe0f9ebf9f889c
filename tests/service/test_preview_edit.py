"""Previews of edits: what they show, what they send, and which conflicts stop them."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import BotSandbox, DcaBotService, GridBotService, Sent, Service

    Call = Callable[..., Any]

STEPS = [{"amount_percentage": 50, "profit_percentage": 1}, {"amount_percentage": 50, "profit_percentage": 2}]

# A field, its old value, its new value, and how the error shows both.
MOVES: list[tuple[str, object, object, tuple[object, object]]] = [
    ("safety_order_volume", "1.5", "1.51", (Decimal("1.5"), Decimal("1.51"))),
    ("reinvesting_percentage", None, "5", (None, Decimal(5))),
    ("reinvesting_percentage", "5", None, (Decimal(5), None)),
    ("pairs", ["USDT_ETH"], ["USDT_ETH", "USDT_BTC"], ("USDT_ETH", ["USDT_ETH", "USDT_BTC"])),
    ("tsl_enabled", False, True, (False, True)),
    ("strategy_list", [{"strategy": "manual"}], [], ([{"strategy": "manual"}], [])),
]


# The inputs that the service sets to a documented default if an edit omits them, with the default as Python has it.
DEFAULTS: dict[str, object] = {
    "max_active_deals": 1,
    "sl_to_breakeven_enabled": False,
    "stop_loss_timeout_enabled": False,
}

# Fields with a documented default before and after the preview, and how the error reports the one that changed.
APPEARED: list[tuple[dict[str, object], dict[str, object], dict[str, tuple[object, object]]]] = [
    ({}, {"sl_to_breakeven_enabled": True}, {"sl_to_breakeven_enabled": (None, True)}),
    ({"sl_to_breakeven_enabled": True}, {}, {"sl_to_breakeven_enabled": (True, None)}),
    ({"sl_to_breakeven_enabled": False}, {}, {"sl_to_breakeven_enabled": (False, None)}),
    ({}, {"max_active_deals": 3}, {"max_active_deals": (None, 3)}),
]


def changes(preview: botdesk.EditPreview) -> list[tuple[str, object, object]]:
    return [(change.field, change.old, change.new) for change in preview.changes]


class TestChanges:
    def test_a_change_shows_the_field_and_its_values(self, context: BotSandbox, call: Call) -> None:
        preview = call(context.bot, "preview_edit", take_profit="2.50", name="New", base_order_volume="81")
        assert changes(preview) == [
            ("name", context.bot.name, "New"),
            ("base_order_volume", context.bot.base_order_volume, Decimal(81)),
            ("take_profit", context.bot.take_profit, Decimal("2.50")),
        ]

    def test_a_decimal_keeps_its_digits(self, context: BotSandbox) -> None:
        (change,) = context.bot.preview_edit(take_profit="2.50").changes
        assert (str(change.old), str(change.new)) == ("1.0", "2.50")
        assert type(change.new) is Decimal

    def test_values_are_python_objects(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(trailing_enabled=False, trailing_deviation="0.2", cooldown="0")
        preview = bot.preview_edit(trailing_enabled=True, trailing_deviation=0.5, cooldown=60)
        assert changes(preview) == [
            ("cooldown", Decimal(0), Decimal(60)),
            ("trailing_enabled", False, True),
            ("trailing_deviation", Decimal("0.2"), Decimal("0.5")),
        ]

    def test_lists_are_lists(self, context: BotSandbox) -> None:
        preview = context.bot.preview_edit(take_profit_steps=STEPS, take_profit=0)
        assert changes(preview) == [
            ("take_profit", context.bot.take_profit, Decimal(0)),
            ("take_profit_steps", [], STEPS),
        ]

    @pytest.mark.parametrize("same", ["1.5", "1.50", 1.5, Decimal("1.500"), "15e-1"], ids=repr)
    def test_a_field_set_to_its_current_value_is_not_a_change(self, bot_service: DcaBotService, same: object) -> None:
        assert bot_service.bot(take_profit="1.5").preview_edit(take_profit=same).changes == []

    def test_an_equal_list_is_not_a_change(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(
            take_profit=None, take_profit_steps=[{"id": place, **step} for place, step in enumerate(STEPS)]
        )
        assert bot.preview_edit(take_profit_steps=STEPS).changes == []

    def test_the_preview_of_an_edit_without_changes_is_marked(self, bot_service: DcaBotService) -> None:
        assert "nothing changes" in repr(bot_service.bot(name="Calm").preview_edit(name="Calm"))

    def test_none_is_a_change_to_null(self, bot_service: DcaBotService) -> None:
        preview = bot_service.bot(reinvesting_percentage="50").preview_edit(reinvesting_percentage=None)
        assert changes(preview) == [("reinvesting_percentage", Decimal(50), None)]
        assert json.loads(preview.body)["reinvesting_percentage"] is None

    def test_a_null_field_changes_from_none(self, bot_service: DcaBotService) -> None:
        preview = bot_service.bot(reinvesting_percentage=None).preview_edit(reinvesting_percentage="50")
        assert changes(preview) == [("reinvesting_percentage", None, Decimal(50))]

    def test_a_change_unpacks(self, context: BotSandbox) -> None:
        ((field, old, new),) = context.bot.preview_edit(name="New").changes
        assert (field, old, new) == ("name", context.bot.name, "New")

    def test_a_change_shows_itself(self, context: BotSandbox) -> None:
        (change,) = context.bot.preview_edit(take_profit=2).changes
        assert repr(change) == "<FieldChange take_profit: 1.0 → 2>"


class TestUnchanged:
    def test_unchanged_fields_are_listed_with_their_values(self, context: BotSandbox) -> None:
        carried = context.bot.preview_edit(take_profit=2).carried_over
        assert carried["name"] == context.bot.name
        assert carried["base_order_volume"] == context.bot.base_order_volume
        assert "take_profit" not in carried

    def test_changed_carried_over_and_left_out_fields_are_all_editable_fields(self, context: BotSandbox) -> None:
        preview = context.bot.preview_edit(take_profit=2)
        names = [*(change.field for change in preview.changes), *preview.carried_over, *preview.left_out]
        assert len(names) == len(set(names))
        assert set(json.loads(preview.body)) == set(names) - set(preview.left_out)

    def test_null_fields_are_left_out(self, bot_service: DcaBotService) -> None:
        preview = bot_service.bot(reinvesting_percentage=None, min_profit_type=None).preview_edit(name="New")
        assert {"reinvesting_percentage", "min_profit_type"} <= set(preview.left_out)

    def test_a_field_that_the_record_lacks_is_not_listed_as_left_out(self, bot_service: DcaBotService) -> None:
        preview = bot_service.bot(without=["reinvesting_percentage"]).preview_edit(name="New")
        assert "reinvesting_percentage" not in {*preview.left_out, *preview.carried_over}

    @pytest.mark.parametrize("field", DEFAULTS)
    def test_a_field_that_the_record_lacks_is_left_out_with_its_default(
        self, bot_service: DcaBotService, field: str
    ) -> None:
        preview = bot_service.bot(without=[field]).preview_edit(name="New")
        assert field in preview.left_out
        assert f"{field} (default: {DEFAULTS[field]})" in repr(preview)
        words = field.replace("_", " ")
        assert re.search(f">{words}</th><td[^>]*>default: {DEFAULTS[field]}</td>", preview._repr_html_())

    @pytest.mark.parametrize("field", DEFAULTS)
    def test_a_null_field_is_left_out_with_its_default(self, bot_service: DcaBotService, field: str) -> None:
        preview = bot_service.bot(**{field: None}).preview_edit(name="New")
        assert f"{field} (default: {DEFAULTS[field]})" in repr(preview)

    def test_a_field_that_is_sent_is_not_left_out_with_its_default(self, bot_service: DcaBotService) -> None:
        preview = bot_service.bot(**DEFAULTS).preview_edit(name="New")
        assert set(DEFAULTS).isdisjoint(preview.left_out)
        assert "default" not in repr(preview)

    @pytest.mark.shows(
        "rule dca_bots.edit.sl_to_breakeven_enabled: returned in no record",
        "rule dca_bots.edit.sl_to_breakeven_data: returned in no record",
    )
    def test_settings_that_an_edit_loses_are_left_out_with_the_reason(self, bot_service: DcaBotService) -> None:
        fields = {"min_price": "100", "max_price": None, "safety_strategy_list": [{"strategy": "rsi"}], "note": 1}
        bot = bot_service.bot(**fields, without=["sl_to_breakeven_enabled", "sl_to_breakeven_data"])
        preview = bot.preview_edit(name="New")
        expected = {
            "strategy": "only creating a bot takes it",
            "safety_strategy_list": "only creating a bot takes it",
            "min_price": "only creating a bot takes it",
            "max_price": "only creating a bot takes it",
            "sl_to_breakeven_enabled": "default: False",
            "sl_to_breakeven_data": "the service does not return it; pass it to keep it",
            "account_id": "sent only if it is given",
        }
        assert {name: preview.left_out[name] for name in expected} == expected
        for name, reason in expected.items():
            assert f"{name} ({reason})" in repr(preview)
            words = name.replace("_", " ")
            assert re.search(f">{words}</th><td[^>]*>{re.escape(reason)}</td>", preview._repr_html_())
        assert set(expected).isdisjoint(json.loads(preview.body))

    def test_custom_safety_steps_are_sent_along_and_shown(self, bot_service: DcaBotService) -> None:
        steps = [{"deviation": "-1.5", "size": 40}, {"deviation": "-6", "size": Decimal("90.50")}]
        bot = bot_service.bot(
            custom_safety_steps=[{"deviation": "-1.5", "size": 40}, {"deviation": "-6", "size": 90.5}]
        )
        preview = bot.preview_edit(name="New")
        assert preview.carried_over["custom_safety_steps"] == steps
        assert json.loads(preview.body)["custom_safety_steps"] == [steps[0], {"deviation": "-6", "size": 90.5}]
        assert "custom_safety_steps" in repr(preview)
        (change,) = bot.preview_edit(custom_safety_steps=[{"deviation": -2, "size": "40"}]).changes
        assert str(change) == (
            '<FieldChange custom_safety_steps: [{"deviation":"-1.5","size":40},{"deviation":"-6","size":90.5}] → '
            '[{"deviation":"-2","size":40}]>'
        )

    def test_what_has_no_meaning_in_an_edit_is_left_out(self, bot_service: DcaBotService) -> None:
        preview = bot_service.bot(leverage_type="not_specified", leverage_custom_value="1.0").preview_edit(name="New")
        assert {"leverage_type", "leverage_custom_value"} <= set(preview.left_out)


class TestBytes:
    def test_previewing_sends_nothing(self, context: BotSandbox, call: Call) -> None:
        preview = call(context.bot, "preview_edit", take_profit=2)
        shown = [preview.changes, preview.body, preview.payload, repr(preview), preview._repr_html_()]
        assert all(shown)
        assert context.sent == []

    def test_apply_sends_the_previewed_request(self, context: BotSandbox, call: Call) -> None:
        preview = context.bot.preview_edit(take_profit="2.50", name="Ünïcode ✓")
        call(preview, "apply")
        sent = context.sent[-1]
        assert (sent.method, sent.path, sent.body) == (preview.method, preview.path, preview.body)

    def test_it_is_what_an_edit_sends(self, context: BotSandbox) -> None:
        preview = context.bot.preview_edit(take_profit="2.50")
        context.bot.edit(take_profit="2.50")
        assert context.sent[-1].body == preview.body

    def test_what_is_signed_is_the_path_and_the_body(self, context: BotSandbox) -> None:
        preview = context.bot.preview_edit(name="Ünïcode ✓")
        assert preview.path == "/public/api/ver1/bots/41/update"
        assert preview.payload == preview.path + preview.body
        assert preview.payload == context.client.sign("PATCH", preview.path, json=json.loads(preview.body)).payload
        assert preview.payload.isascii()

    def test_the_service_accepts_the_signature(self, context: BotSandbox, call: Call) -> None:
        assert call(context.bot.preview_edit(take_profit="2.5"), "apply").take_profit == Decimal("2.5")
        assert context.client.dca_bots.get(41).take_profit == Decimal("2.5")


class TestRefused:
    def test_all_that_breaks_rules_is_reported_at_once(self, context: BotSandbox, call: Call) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            call(context.bot, "preview_edit", cooldown=-1, max_active_deals=0, take_profit="much", nmae="New")
        assert list(caught.value.errors) == ["nmae", "max_active_deals", "take_profit", "cooldown"]
        assert context.sent == []

    def test_without_validation_the_service_validates(self, context: BotSandbox, call: Call) -> None:
        preview = call(context.bot, "preview_edit", max_active_deals=200, validate=False)
        assert json.loads(preview.body)["max_active_deals"] == 200
        with pytest.raises(botdesk.RecordInvalidError):
            call(preview, "apply")

    def test_an_edit_of_nothing_is_rejected(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.ValidationError, match="name at least one field"):
            context.bot.preview_edit()

    def test_the_error_for_a_record_without_a_client_explains_it(self, context: BotSandbox) -> None:
        bot = botdesk.DcaBot.from_json(context.bot.to_json())
        with pytest.raises(botdesk.ConfigurationError, match="not made by a client"):
            bot.preview_edit(name="New")

    def test_a_record_that_lacks_a_required_field_names_it(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(without=["base_order_volume"])
        with pytest.raises(botdesk.ValidationError) as caught:
            bot.preview_edit(name="New")
        assert caught.value.errors == {"base_order_volume": ["is required"]}
        assert bot_service.sent == []

    def test_a_preview_can_not_be_made_by_hand(self) -> None:
        with pytest.raises(TypeError):
            botdesk.EditPreview()


class TestShown:
    def test_it_is_a_diff(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(name="Calm", take_profit="1.0", reinvesting_percentage=None)
        lines = repr(bot.preview_edit(take_profit="2.5", reinvesting_percentage=10)).splitlines()
        assert lines[1].startswith("at http://127.0.0.1:")
        assert [lines[0], *lines[2:4]] == [
            f"Edit of DcaBot {bot.id} “Calm”",
            "  take_profit: 1.0 → 2.5",
            "  reinvesting_percentage: None → 10",
        ]
        assert lines[4].startswith("sent along unchanged: name, ")
        assert lines[5].startswith("left out: ")
        assert len(lines) == 6

    def test_it_names_the_service_the_key_and_the_account(self, bot_service: DcaBotService, service: Service) -> None:
        bot = bot_service.bot(account_id=7, account_name="Spot <b>")
        preview = bot.preview_edit(take_profit="2.5")
        assert preview.destination.startswith(f"{service.url}, key SHA256:")
        assert preview.destination.endswith(", account 7 “Spot <b>”")
        assert repr(preview).splitlines()[1] == f"at {preview.destination}"
        assert "account 7 “Spot &lt;b&gt;”" in preview._repr_html_()

    @pytest.mark.parametrize(("old", "new"), [("80", "80000"), ("80000", "80"), ("0.00000123", "0.0000123001")])
    def test_a_volume_that_changes_more_than_tenfold_is_pointed_out(
        self, bot_service: DcaBotService, old: str, new: str
    ) -> None:
        preview = bot_service.bot(base_order_volume=old).preview_edit(base_order_volume=new)
        (warning,) = preview.warnings
        assert "is a change by more than a factor of ten" in warning
        assert f"! {warning}" in repr(preview).splitlines()
        assert warning in preview._repr_html_()

    def test_other_changes_have_no_warning(self, bot_service: DcaBotService) -> None:
        preview = bot_service.bot(base_order_volume="80", take_profit="1").preview_edit(
            base_order_volume="800", take_profit="50"
        )
        assert preview.warnings == []

    def test_a_name_does_not_break_or_turn_the_diff(self, bot_service: DcaBotService) -> None:
        # A mark that turns the direction of writing would make old and new change places.
        bot = bot_service.bot(name="a\n  b: 1 → 2\x1b[31m\u202e")
        shown = repr(bot.preview_edit(name="c\r\n\u2066d\u2028e"))
        assert len(shown.splitlines()) == 5
        assert not set("\x1b\u202e\u2066\u2028\r") & set(shown)

    def test_an_empty_text_is_seen(self, bot_service: DcaBotService) -> None:
        preview = bot_service.bot(name="Calm").preview_edit(name="", validate=False)
        assert '  name: Calm → ""' in repr(preview).splitlines()

    def test_a_long_value_is_cut(self, bot_service: DcaBotService) -> None:
        assert len(repr(bot_service.bot().preview_edit(name="x" * 10_000))) < 2_000

    def test_a_notebook_shows_a_table(self, bot_service: DcaBotService) -> None:
        html = bot_service.bot(take_profit="1.0").preview_edit(take_profit="2.5")._repr_html_()
        cells = re.findall("<td[^>]*>([^<]*)</td>", html.partition("<details>")[0])
        assert cells == ["take_profit", "1.0", "2.5"]
        assert "left out: " in html

    def test_what_a_notebook_shows_is_escaped(self, bot_service: DcaBotService) -> None:
        evil = "<script>alert('&\")</script>"
        bot = bot_service.bot(name=evil)
        html = bot.preview_edit(name=f"{evil} again")._repr_html_()
        assert "<script" not in html
        assert "&lt;script&gt;alert(&#x27;&amp;" in html

    def test_the_secret_of_a_bot_is_not_shown(self, bot_service: DcaBotService) -> None:
        preview = bot_service.bot(url_secret="a-secret-of-the-bot").preview_edit(name="New")
        output = repr(preview) + preview._repr_html_() + preview.body + preview.payload
        assert "a-secret-of-the-bot" not in output


class TestApply:
    def test_the_bot_is_read_again_first(self, context: BotSandbox, call: Call) -> None:
        call(context.bot.preview_edit(take_profit=2), "apply")
        assert [(sent.method, sent.path.rpartition("/")[2]) for sent in context.sent] == [
            ("GET", "show"),
            ("PATCH", "update"),
        ]

    def test_the_bot_after_the_change_comes_back(self, context: BotSandbox, call: Call) -> None:
        after = call(context.bot.preview_edit(take_profit=2), "apply")
        assert isinstance(after, botdesk.DcaBot)
        assert after.take_profit == 2
        assert after.disable().is_enabled is False

    def test_changes_by_others_are_reported(self, context: BotSandbox, call: Call) -> None:
        preview = context.bot.preview_edit(take_profit="2.5")
        context.client.dca_bots.get(41).edit(cooldown=60, name="Moved")
        seen = len(context.sent)
        with pytest.raises(botdesk.EditConflictError) as caught:
            call(preview, "apply")
        assert caught.value.fields == {
            "name": (context.bot.name, "Moved"),
            "cooldown": (context.bot.cooldown, Decimal(60)),
        }
        assert "nothing was sent" in str(caught.value)
        assert [sent.method for sent in context.sent[seen:]] == ["GET"]
        assert context.client.dca_bots.get(41).take_profit == context.bot.take_profit

    def test_a_move_of_the_very_field_is_a_conflict(self, context: BotSandbox, call: Call) -> None:
        preview = context.bot.preview_edit(take_profit="2.5")
        context.bot.edit(take_profit=3)
        with pytest.raises(botdesk.EditConflictError) as caught:
            call(preview, "apply")
        assert caught.value.fields == {"take_profit": (context.bot.take_profit, Decimal(3))}

    def test_the_same_preview_is_not_applied_twice(self, context: BotSandbox, call: Call) -> None:
        preview = context.bot.preview_edit(take_profit="2.5")
        call(preview, "apply")
        with pytest.raises(botdesk.ConfigurationError, match=r"preview of an edit of DcaBot 41 .* was applied already"):
            call(preview, "apply", force=True)
        assert [sent.method for sent in context.sent].count("PATCH") == 1

    def test_of_several_threads_one_applies_a_preview(self, context: BotSandbox) -> None:
        preview = context.bot.preview_edit(take_profit="2.5")
        start = threading.Barrier(4)

        def apply(_: int) -> object:
            start.wait()
            try:
                return preview.apply(force=True)
            except botdesk.ConfigurationError as error:
                return error

        with ThreadPoolExecutor(4) as threads:
            results = list(threads.map(apply, range(4)))
        assert [sent.method for sent in context.sent] == ["PATCH"]
        assert sum(isinstance(result, botdesk.DcaBot) for result in results) == 1

    def test_a_preview_that_conflicted_can_be_applied(self, context: BotSandbox, call: Call) -> None:
        preview = context.bot.preview_edit(take_profit="2.5")
        context.bot.edit(take_profit=3)
        with pytest.raises(botdesk.EditConflictError):
            call(preview, "apply")
        assert call(preview, "apply", force=True).take_profit == Decimal("2.5")

    def test_a_preview_that_the_service_rejected_can_be_applied_again(
        self, bot_service: DcaBotService, service: Service, call: Call
    ) -> None:
        preview = bot_service.bot().preview_edit(take_profit="2.5")
        service.status = 429
        with pytest.raises(botdesk.RateLimitedError):
            call(preview, "apply", force=True)
        service.status = 200
        assert isinstance(call(preview, "apply", force=True), botdesk.DcaBot)

    def test_a_preview_with_an_unknown_outcome_is_not_applied_again(
        self, bot_service: DcaBotService, service: Service, call: Call
    ) -> None:
        preview = bot_service.bot().preview_edit(take_profit="2.5")
        service.status = 500
        with pytest.raises(botdesk.ApiError):
            call(preview, "apply", force=True)
        with pytest.raises(botdesk.ConfigurationError, match="was applied already"):
            call(preview, "apply", force=True)
        assert [sent.method for sent in bot_service.sent] == ["PATCH"]

    @pytest.mark.parametrize(
        ("held", "now"),
        [
            ({"active_deals_count": 1}, {"active_deals_count": 2}),
            ({"updated_at": "2026-01-01T00:00:00.000Z"}, {"updated_at": "2026-01-02T00:00:00.000Z"}),
            ({"finished_deals_profit_usd": "1"}, {"finished_deals_profit_usd": "2"}),
            ({"is_enabled": True}, {"is_enabled": False}),
            ({"safety_order_volume": "1.5"}, {"safety_order_volume": "1.50"}),
            ({"safety_order_volume": "1.5"}, {"safety_order_volume": 1.5}),
            ({"max_safety_orders": 3}, {"max_safety_orders": "3"}),
            ({"trailing_enabled": True, "trailing_deviation": "1"}, {"trailing_enabled": "true"}),
            ({"pairs": ["USDT_ETH"]}, {"pairs": "USDT_ETH"}),
        ],
    )
    def test_a_change_that_the_edit_does_not_revert_is_not_a_conflict(
        self, bot_service: DcaBotService, service: Service, call: Call, held: dict[str, Any], now: dict[str, Any]
    ) -> None:
        preview = bot_service.bot(**held).preview_edit(take_profit="2.5")
        text = bot_service.text((), {**held, **now})
        service.respond = lambda _: text
        call(preview, "apply")
        assert [sent.method for sent in bot_service.sent] == ["GET", "PATCH"]

    @pytest.mark.parametrize(
        ("field", "held", "now", "expected"),
        MOVES,
    )
    def test_a_field_that_moved_is_a_conflict(
        self,
        *,
        bot_service: DcaBotService,
        service: Service,
        call: Call,
        field: str,
        held: object,
        now: object,
        expected: tuple[object, object],
    ) -> None:
        preview = bot_service.bot(**{field: held}).preview_edit(take_profit="2.5")
        text = bot_service.text((), {field: now})
        service.respond = lambda _: text
        with pytest.raises(botdesk.EditConflictError) as caught:
            call(preview, "apply")
        assert caught.value.fields == {field: expected}
        assert [sent.method for sent in bot_service.sent] == ["GET"]

    @pytest.mark.parametrize(("held", "now", "fields"), APPEARED)
    def test_a_field_with_a_default_that_appeared_or_vanished_is_a_conflict(
        self,
        *,
        bot_service: DcaBotService,
        service: Service,
        call: Call,
        held: dict[str, object],
        now: dict[str, object],
        fields: dict[str, tuple[object, object]],
    ) -> None:
        preview = bot_service.bot(without=set(fields) - set(held), **held).preview_edit(take_profit="2.5")
        text = bot_service.text(set(fields) - set(now), now)
        service.respond = lambda _: text
        with pytest.raises(botdesk.EditConflictError) as caught:
            call(preview, "apply")
        assert caught.value.fields == fields
        assert [sent.method for sent in bot_service.sent] == ["GET"]

    @pytest.mark.parametrize("now", [False, None])
    def test_a_field_that_appeared_with_its_default_is_not_a_conflict(
        self, bot_service: DcaBotService, service: Service, call: Call, now: object
    ) -> None:
        preview = bot_service.bot(without=["sl_to_breakeven_enabled"]).preview_edit(take_profit="2.5")
        text = bot_service.text((), {"sl_to_breakeven_enabled": now})
        service.respond = lambda _: text
        call(preview, "apply")
        assert [sent.method for sent in bot_service.sent] == ["GET", "PATCH"]

    def test_a_field_that_the_record_lacked_is_not_a_conflict(
        self, bot_service: DcaBotService, service: Service, call: Call
    ) -> None:
        preview = bot_service.bot(without=["reinvesting_percentage"]).preview_edit(take_profit="2.5")
        text = bot_service.text((), {"reinvesting_percentage": "50"})
        service.respond = lambda _: text
        call(preview, "apply")
        assert "reinvesting_percentage" not in json.loads(bot_service.sent[-1].body)

    def test_a_bot_of_a_list_is_edited_though_it_has_fewer_fields(self, context: BotSandbox, call: Call) -> None:
        for bot in context.client.dca_bots.list():
            assert "active_deals" not in bot.fields_set
            assert call(bot.preview_edit(name="New"), "apply").name == "New"

    def test_force_sends_without_reading(self, context: BotSandbox, call: Call) -> None:
        preview = context.bot.preview_edit(take_profit="2.5")
        context.bot.edit(take_profit=3)
        seen = len(context.sent)
        assert call(preview, "apply", force=True).take_profit == Decimal("2.5")
        assert [sent.method for sent in context.sent[seen:]] == ["PATCH"]

    def test_a_bot_that_was_deleted_meanwhile_is_not_found(
        self, bot_service: DcaBotService, service: Service, call: Call
    ) -> None:
        preview = bot_service.bot().preview_edit(take_profit="2.5")
        service.status = 404
        service.respond = lambda _: '{"error":"Not found"}'
        with pytest.raises(botdesk.NotFoundError):
            call(preview, "apply")
        assert [sent.method for sent in bot_service.sent] == ["GET"]

    def test_an_error_of_the_service_is_raised(self, bot_service: DcaBotService, service: Service, call: Call) -> None:
        preview = bot_service.bot().preview_edit(take_profit="2.5")
        service.status = 400
        service.respond = lambda _: '{"error":"record_invalid","error_attributes":{"take_profit":["is odd"]}}'
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            call(preview, "apply", force=True)
        assert caught.value.error_attributes == {"take_profit": ["is odd"]}

    def test_a_response_that_is_not_a_bot_stops_the_edit(
        self, bot_service: DcaBotService, service: Service, call: Call
    ) -> None:
        preview = bot_service.bot().preview_edit(take_profit="2.5")
        service.respond = lambda _: "[]"
        with pytest.raises(botdesk.DecodeError):
            call(preview, "apply")
        assert [sent.method for sent in bot_service.sent] == ["GET"]

    def test_a_response_that_does_not_come_leaves_the_outcome_unknown(
        self, bot_service: DcaBotService, service: Service, call: Call
    ) -> None:
        preview = bot_service.bot().preview_edit(take_profit="2.5")
        text = bot_service.text((), {})

        def respond(sent: Sent) -> str:
            if sent.method == "PATCH":
                # The connection is closed without a response.
                raise ConnectionAbortedError
            return text

        service.respond = respond
        with pytest.raises(botdesk.OutcomeUnknownError) as caught:
            call(preview, "apply")
        assert caught.value.sent
        assert [sent.method for sent in bot_service.sent] == ["GET", "PATCH"]

    def test_a_conflict_can_be_pickled(self, context: BotSandbox) -> None:
        import pickle

        preview = context.bot.preview_edit(take_profit="2.5")
        context.bot.edit(take_profit=3)
        with pytest.raises(botdesk.EditConflictError) as caught:
            preview.apply()
        again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
        assert (str(again), again.fields) == (str(caught.value), caught.value.fields)


class TestKinds:
    def test_the_preview_of_a_dca_bot_is_a_preview(self, context: BotSandbox) -> None:
        preview = context.bot.preview_edit(name="New")
        assert isinstance(preview, botdesk.EditPreview)
        assert type(preview) is botdesk.DcaBotEditPreview

    def test_the_preview_of_a_grid_bot_is_a_preview(self, grid_bot_service: GridBotService) -> None:
        preview = grid_bot_service.bot().preview_edit(name="New")
        assert isinstance(preview, botdesk.EditPreview)
        assert type(preview) is botdesk.GridBotEditPreview


class TestGridBot:
    def test_booleans_and_counts_that_came_as_text_are_compared_as_what_they_are(
        self, grid_bot_service: GridBotService
    ) -> None:
        bot = grid_bot_service.bot(grids_quantity="40", trailing_up_enabled="true")
        assert bot.preview_edit(grids_quantity=40, trailing_up_enabled=True).changes == []
        preview = bot.preview_edit(grids_quantity=41, trailing_up_enabled=False)
        assert changes(preview) == [("grids_quantity", 40, 41), ("trailing_up_enabled", True, False)]

    def test_the_body_carries_both_names_of_the_number_of_levels(self, grid_bot_service: GridBotService) -> None:
        preview = grid_bot_service.bot().preview_edit(grids_quantity=41)
        body = json.loads(preview.body)
        assert (body["grid_quantity"], body["grids_quantity"]) == (41, 41)
        assert preview.payload == "/public/api/ver1/grid_bots/2376446601/manual" + preview.body

    def test_it_sends_the_previewed_requests(self, grid_bot_service: GridBotService, call: Call) -> None:
        preview = grid_bot_service.bot().preview_edit(upper_price="71000.50", note="Grenze ✓")
        assert grid_bot_service.sent == []
        assert isinstance(call(preview, "apply"), botdesk.GridBot)
        read, sent = grid_bot_service.sent
        assert (read.method, read.target) == ("GET", "/public/api/ver1/grid_bots/2376446601")
        assert (sent.method, sent.target, sent.body) == (preview.method, preview.path, preview.body)

    def test_what_others_changed_since_is_a_conflict(
        self, grid_bot_service: GridBotService, service: Service, call: Call
    ) -> None:
        preview = grid_bot_service.bot(upper_price="70000", current_profit="1").preview_edit(note="New")
        now = grid_bot_service.text((), {"upper_price": "70000.5", "current_profit": "2"})
        service.respond = lambda _: now
        with pytest.raises(botdesk.EditConflictError) as caught:
            call(preview, "apply")
        assert list(caught.value.fields) == ["upper_price"]
        assert [sent.method for sent in grid_bot_service.sent] == ["GET"]
        call(preview, "apply", force=True)
        assert [sent.method for sent in grid_bot_service.sent] == ["GET", "PATCH"]

    def test_it_is_applied_once(self, grid_bot_service: GridBotService, call: Call) -> None:
        preview = grid_bot_service.bot().preview_edit(note="Once")
        call(preview, "apply")
        with pytest.raises(botdesk.ConfigurationError, match="was applied already"):
            call(preview, "apply")
        assert [sent.method for sent in grid_bot_service.sent] == ["GET", "PATCH"]

    def test_rules_are_kept(self, grid_bot_service: GridBotService, call: Call) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            call(grid_bot_service.bot(), "preview_edit", upper_price="1", note="x" * 301)
        assert set(caught.value.errors) == {"upper_price", "note"}
        assert grid_bot_service.sent == []

    def test_it_shows_itself(self, grid_bot_service: GridBotService) -> None:
        preview = grid_bot_service.bot(name="<i>").preview_edit(note="New")
        title, destination, change, *_ = repr(preview).splitlines()
        assert (title, change) == ("Edit of GridBot 2376446601 “<i>”", "  note: Mind the range → New")
        assert destination.startswith("at http://127.0.0.1:")
        assert "<i>" not in preview._repr_html_()

    def test_no_response_leaves_the_outcome_unknown(
        self, grid_bot_service: GridBotService, service: Service, call: Call
    ) -> None:
        preview = grid_bot_service.bot().preview_edit(note="New")
        read = service.respond

        def respond(sent: Sent) -> str:
            if sent.method == "GET":
                return read(sent)
            raise ConnectionAbortedError

        service.respond = respond
        with pytest.raises(botdesk.OutcomeUnknownError) as caught:
            call(preview, "apply")
        assert [sent.method for sent in grid_bot_service.sent] == ["GET", "PATCH"]
        found: Any = caught.value.check()
        assert found.note == "Mind the range"
