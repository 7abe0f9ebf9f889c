"""Grid bots: requests, results, and rejected arguments."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import BotSandbox, GridBotService, Service

    Call = Callable[..., Any]

# From the API reference's table of the edit.
REQUIRED: dict[str, Any] = {
    "upper_price": "3900",
    "lower_price": "2900",
    "grids_quantity": 11,
    "quantity_per_grid": "0.0123",
    "upper_stop_loss_enabled": False,
}
ACTIONS = ["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"]
CHOICES = {
    "grid_type": ["geometric", "arithmetic"],
    "upper_stop_loss_action": ACTIONS,
    "lower_stop_loss_action": ACTIONS,
    "leverage_type": ["cross", "isolated"],
}
OPTIONAL: dict[str, Any] = {
    "name": "Бот grid 🤖",
    "grid_type": "geometric",
    "upper_stop_loss_action": "stop_bot",
    "upper_stop_loss_price": "4000",
    "lower_stop_loss_enabled": True,
    "lower_stop_loss_action": "stop_bot_and_sell",
    "lower_stop_loss_price": "2800.5",
    "leverage_type": "isolated",
    "leverage_custom_value": "5",
    "max_active_buy_lines": 5,
    "max_active_sell_lines": 6,
    "trailing_up_enabled": True,
    "trailing_down_enabled": False,
    "expansion_down_enabled": True,
    "expansion_down_stop_price": "2700",
    "expansion_up_enabled": True,
    "expansion_up_stop_price": "4100",
    "ignore_warnings": True,
    "note": "Mind the range",
    "order_currency_type": "quote",
    "profit_currency_type": "quote",
    "mode": "long",
}
EXPANSIONS = ["expansion_down", "expansion_up"]
DECIMALS = [
    "upper_price",
    "lower_price",
    "quantity_per_grid",
    "upper_stop_loss_price",
    "lower_stop_loss_price",
    "leverage_custom_value",
    "expansion_down_stop_price",
    "expansion_up_stop_price",
]


def read(body: str) -> Any:  # noqa: ANN401
    """Read a body with every digit kept."""
    return json.loads(body, parse_float=Decimal)


def numbers(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields as they are sent: decimals as numbers."""
    return {name: Decimal(value) if name in DECIMALS and value else value for name, value in fields.items()}


WHOLE_NUMBERS = ["grids_quantity", "max_active_buy_lines", "max_active_sell_lines"]
FLAGS = [name for name in {**REQUIRED, **OPTIONAL} if name.endswith("_enabled") or name == "ignore_warnings"]
TEXTS = ["name", "note", "order_currency_type", "profit_currency_type", "mode"]
NO_IDENTIFIERS = [0, -1, "0", "one", "", 1.5, True, None, 2**63, 2**64 - 1, 2**64, [203]]
OPERATIONS: dict[str, dict[str, Any]] = {"edit": REQUIRED, "set_note": {"note": "Mind the range"}, "enable": {}}


def errors_of(operation: Callable[[], object]) -> dict[str, list[str]]:
    """Return the errors that are raised before anything is sent."""
    with pytest.raises(botdesk.ValidationError) as caught:
        operation()
    assert all(message in str(caught.value) for messages in caught.value.errors.values() for message in messages)
    return caught.value.errors


@pytest.fixture
def grid_bot(context: BotSandbox) -> Any:  # noqa: ANN401
    """Return a grid bot of the sandbox, made by setting its note."""
    return context.client.grid_bots.set_note(203, "Before")


class TestEnabling:
    def test_it_posts_nothing_but_the_path(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        call(service_client.grid_bots, "enable", 203)
        assert service.sent == [("POST", "/public/api/ver1/grid_bots/203/enable", "")]

    @pytest.mark.parametrize("grid_bot_id", [203, 2_376_446_601])
    @pytest.mark.shows("transition Grid bot disabled, Enable Grid Bot")
    def test_a_disabled_bot_comes_back_enabled(self, context: BotSandbox, grid_bot_id: int, call: Call) -> None:
        assert context.client.grid_bots.set_note(grid_bot_id, "Before").is_enabled is False
        enabled = call(context.client.grid_bots, "enable", grid_bot_id)
        assert (type(enabled), enabled.id, enabled.is_enabled) == (botdesk.GridBot, grid_bot_id, True)

    def test_an_enabled_bot_stays_enabled(self, context: BotSandbox, call: Call) -> None:
        assert call(context.client.grid_bots, "enable", 201).is_enabled is True

    def test_a_record_enables_its_own(self, context: BotSandbox, grid_bot: Any, call: Call) -> None:  # noqa: ANN401
        assert call(grid_bot, "enable").is_enabled is True
        assert context.sent[-1].path == "/public/api/ver1/grid_bots/203/enable"

    def test_the_record_before_is_left_as_it_was(self, grid_bot: Any, call: Call) -> None:  # noqa: ANN401
        call(grid_bot, "enable")
        assert grid_bot.is_enabled is False


class TestNotes:
    def test_it_posts_the_note(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        call(service_client.grid_bots, "set_note", 203, "Mind the range")
        (sent,) = service.sent
        assert (sent.method, sent.target) == ("POST", "/public/api/ver1/grid_bots/203/note")
        assert json.loads(sent.body) == {"note": "Mind the range"}

    def test_characters_beyond_ascii_are_escaped(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service_client.grid_bots.set_note(203, "Осторожно 🤖")
        assert service.sent[0].body.isascii()
        assert json.loads(service.sent[0].body) == {"note": "Осторожно 🤖"}

    # A robot is one character, though two units of UTF-16 and four bytes of UTF-8.
    @pytest.mark.parametrize("note", ["x", "x" * 300, "ü" * 300, "🤖", "🤖" * 300, " ", "a\nb"], ids=ascii)
    def test_a_note_of_1_to_300_characters_is_set(self, context: BotSandbox, note: str, call: Call) -> None:
        assert call(context.client.grid_bots, "set_note", 203, note).note == note
        assert context.sent[-1].status == 201

    @pytest.mark.parametrize("note", ["", "x" * 301, "ü" * 301, "🤖" * 301], ids=["none", "x", "ü", "robot"])
    def test_any_other_length_is_rejected(self, context: BotSandbox, note: str, call: Call) -> None:
        errors = errors_of(lambda: call(context.client.grid_bots, "set_note", 203, note))
        assert list(errors) == ["note"]
        assert context.sent == []

    def test_an_error_shows_the_bounds_and_the_length(self, context: BotSandbox) -> None:
        ((message,),) = errors_of(lambda: context.client.grid_bots.set_note(203, "🤖" * 301)).values()
        assert all(number in message for number in ("1", "300", "301"))

    def test_an_empty_note_is_reported_once(self, context: BotSandbox) -> None:
        assert len(errors_of(lambda: context.client.grid_bots.set_note(203, ""))["note"]) == 1

    @pytest.mark.parametrize("note", [None, 5, ["x"]], ids=repr)
    def test_a_note_is_a_string(self, context: BotSandbox, note: object, call: Call) -> None:
        assert set(errors_of(lambda: call(context.client.grid_bots, "set_note", 203, note))) == {"note"}
        assert context.sent == []

    def test_a_record_sets_its_own(self, context: BotSandbox, grid_bot: Any, call: Call) -> None:  # noqa: ANN401
        assert call(grid_bot, "set_note", "After").note == "After"
        assert context.sent[-1].path == "/public/api/ver1/grid_bots/203/note"
        assert grid_bot.note == "Before"

    def test_a_note_is_validated_alike_on_a_record(self, context: BotSandbox, grid_bot: Any, call: Call) -> None:  # noqa: ANN401
        before = len(context.sent)
        assert set(errors_of(lambda: call(grid_bot, "set_note", "x" * 301))) == {"note"}
        assert len(context.sent) == before

    @pytest.mark.parametrize("length", [1, 300])
    def test_a_note_in_an_edit_may_be_as_long(self, context: BotSandbox, grid_bot: Any, length: int) -> None:  # noqa: ANN401
        assert grid_bot.edit(note="🤖" * length).note == "🤖" * length
        assert context.sent[-1].status == 200

    @pytest.mark.parametrize("length", [0, 301])
    def test_a_note_in_an_edit_must_not_be_longer_or_empty(
        self,
        context: BotSandbox,
        grid_bot: Any,  # noqa: ANN401
        length: int,
    ) -> None:
        before = len(context.sent)
        assert set(errors_of(lambda: grid_bot.edit(note="🤖" * length))) == {"note"}
        assert len(context.sent) == before


class TestInputsThatNoRecordReturns:
    @pytest.mark.shows(
        "rule grid_bots.edit.trailing_down_enabled: returned in no record",
        "rule grid_bots.edit.expansion_up_enabled: returned in no record",
        "rule grid_bots.edit.expansion_up_stop_price: returned in no record",
    )
    def test_an_edit_leaves_them_out_and_says_why(self, grid_bot: Any) -> None:  # noqa: ANN401
        preview = grid_bot.preview_edit(quantity_per_grid="1")
        for name in ("trailing_down_enabled", "expansion_up_enabled", "expansion_up_stop_price"):
            assert preview.left_out[name] == "the service does not return it; pass it to keep it"
            assert name not in json.loads(preview.body)


class TestNames:
    # A robot is one character, though two units of UTF-16 and four bytes of UTF-8.
    @pytest.mark.shows("rule grid_bots.edit.name: 1..40 characters", "limit grid_bots.edit.name")
    @pytest.mark.parametrize("length", [1, 40])
    def test_a_name_of_1_to_40_characters_is_set(self, context: BotSandbox, grid_bot: Any, length: int) -> None:  # noqa: ANN401
        assert grid_bot.edit(name="🤖" * length).name == "🤖" * length
        assert context.sent[-1].status == 200

    @pytest.mark.shows("rule grid_bots.edit.name: 1..40 characters", "limit grid_bots.edit.name")
    @pytest.mark.parametrize("length", [0, 41])
    def test_any_other_length_is_rejected(self, context: BotSandbox, grid_bot: Any, length: int) -> None:  # noqa: ANN401
        before = len(context.sent)
        message = f"must have 1 to 40 characters, not {length}"
        assert errors_of(lambda: grid_bot.edit(name="🤖" * length)) == {"name": [message]}
        assert len(context.sent) == before

    def test_the_service_rejects_a_longer_name(self, grid_bot: Any) -> None:  # noqa: ANN401
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            grid_bot.edit(name="x" * 41, validate=False)
        assert list(caught.value.error_attributes) == ["name"]


class TestEditingByIdentifier:
    def test_it_patches_the_required_fields(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        call(service_client.grid_bots, "edit", 203, **REQUIRED)
        (sent,) = service.sent
        assert (sent.method, sent.target) == ("PATCH", "/public/api/ver1/grid_bots/203/manual")
        assert read(sent.body) == numbers({**REQUIRED, "grid_quantity": 11})

    def test_it_sends_every_optional_field_too(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        call(service_client.grid_bots, "edit", 203, **REQUIRED, **OPTIONAL)
        assert read(service.sent[0].body) == numbers({**REQUIRED, "grid_quantity": 11, **OPTIONAL})

    def test_characters_beyond_ascii_are_escaped(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service_client.grid_bots.edit(203, **REQUIRED, name="Бот 🤖")
        assert service.sent[0].body.isascii()

    @pytest.mark.shows("contradiction grid_quantity and grids_quantity")
    def test_the_quantity_travels_under_both_names(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        service_client.grid_bots.edit(203, **{**REQUIRED, "grids_quantity": 40})
        body = json.loads(service.sent[0].body)
        assert (body["grid_quantity"], body["grids_quantity"]) == (40, 40)

    def test_the_changed_bot_comes_back(self, context: BotSandbox, call: Call) -> None:
        bot = call(context.client.grid_bots, "edit", 203, **REQUIRED, name="Changed")
        assert (type(bot), bot.id, bot.name) == (botdesk.GridBot, 203, "Changed")
        assert (bot.grids_quantity, len(bot.grid_lines)) == (11, 11)

    def test_without_a_field_it_names_all_that_are_required(self, context: BotSandbox, call: Call) -> None:
        errors = errors_of(lambda: call(context.client.grid_bots, "edit", 203))
        assert errors == {field: ["is required"] for field in REQUIRED}
        assert context.sent == []

    @pytest.mark.parametrize("field", REQUIRED)
    def test_a_required_field_that_is_missing_is_reported(self, context: BotSandbox, field: str) -> None:
        given = {name: value for name, value in REQUIRED.items() if name != field}
        assert errors_of(lambda: context.client.grid_bots.edit(203, **given)) == {field: ["is required"]}
        assert context.sent == []

    @pytest.mark.parametrize("field", REQUIRED)
    def test_a_required_field_cannot_be_none(self, context: BotSandbox, field: str) -> None:
        assert set(errors_of(lambda: context.client.grid_bots.edit(203, **{**REQUIRED, field: None}))) == {field}
        assert context.sent == []

    def test_nothing_is_read_before_it_is_sent(self, context: BotSandbox, call: Call) -> None:
        call(context.client.grid_bots, "edit", 203, **REQUIRED)
        assert [request.method for request in context.sent] == ["PATCH"]

    @pytest.mark.parametrize("field", OPTIONAL)
    def test_a_field_set_to_none_is_sent_as_null(self, service: Service, service_client: Any, field: str) -> None:  # noqa: ANN401
        service_client.grid_bots.edit(203, **REQUIRED, **{field: None})
        assert read(service.sent[0].body) == numbers({**REQUIRED, "grid_quantity": 11, field: None})

    def test_a_field_that_is_not_of_a_grid_bot_is_reported(self, context: BotSandbox, call: Call) -> None:
        errors = errors_of(lambda: call(context.client.grid_bots, "edit", 203, **REQUIRED, take_profit="1"))
        assert list(errors) == ["take_profit"]
        assert context.sent == []

    def test_the_error_for_a_misspelled_field_suggests_the_nearest(self, context: BotSandbox) -> None:
        ((message,),) = errors_of(
            lambda: context.client.grid_bots.edit(203, **REQUIRED, uper_stop_loss_price=1)
        ).values()
        assert "upper_stop_loss_price" in message

    def test_everything_wrong_is_reported_at_once(self, context: BotSandbox) -> None:
        wrong = {"upper_price": "1", "note": "", "grid_type": "round", "expansion_up_enabled": True, "colour": "red"}
        errors = errors_of(lambda: context.client.grid_bots.edit(203, **{**REQUIRED, **wrong}))
        assert set(errors) == {"upper_price", "note", "grid_type", "expansion_up_stop_price", "colour"}
        assert context.sent == []

    def test_without_the_check_the_service_rejects(self, context: BotSandbox, call: Call) -> None:
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            call(context.client.grid_bots, "edit", 203, name="Changed", validate=False)
        assert (caught.value.status, caught.value.error) == (400, "record_invalid")


class TestValues:
    @pytest.mark.parametrize("field", DECIMALS)
    @pytest.mark.parametrize(
        ("value", "sent"),
        [
            ("3500.10", "3500.10"),
            (Decimal("3500.10"), "3500.10"),
            (3500, "3500"),
            (3500.1, "3500.1"),
            ("3.5001e3", "3500.1"),
            ("3500." + "1" * 60, "3500." + "1" * 60),
        ],
        ids=["text", "Decimal", "int", "float", "exponent", "long"],
    )
    @pytest.mark.shows("promise decimals of grid edits")
    def test_a_decimal_is_sent_as_a_number_with_the_same_digits(
        self, grid_bot_service: GridBotService, field: str, value: object, sent: str
    ) -> None:
        bot = grid_bot_service.bot(expansion_down_stop_price="2700", lower_price="1000", upper_price="90000")
        preview = bot.preview_edit(**{field: value})
        bot.edit(**{field: value})
        assert f'"{field}":{sent},' in grid_bot_service.sent[-1].body.replace("}", ",")
        assert preview.body == grid_bot_service.sent[-1].body

    @pytest.mark.parametrize("quoted", [False, True], ids=["numbers", "strings"])
    def test_the_sandbox_takes_decimals_as_numbers_and_as_strings(self, context: BotSandbox, *, quoted: bool) -> None:
        prices = {"upper_price": "2100.50", "lower_price": "1900.25", "quantity_per_grid": "0.01"}
        given = {name: value if quoted else Decimal(value) for name, value in prices.items()}
        json_body = {**given, "grid_quantity": 11, "upper_stop_loss_enabled": False}
        response = context.client.request("PATCH", "/ver1/grid_bots/203/manual", json=json_body).json()
        assert {name: response[name] for name in prices} == prices

    @pytest.mark.parametrize("field", DECIMALS)
    @pytest.mark.parametrize("value", ["high", True, float("inf"), "NaN", [1]], ids=repr)
    def test_a_value_that_is_not_a_decimal_is_rejected(self, context: BotSandbox, field: str, value: object) -> None:
        assert field in errors_of(lambda: context.client.grid_bots.edit(203, **{**REQUIRED, field: value}))
        assert context.sent == []

    @pytest.mark.parametrize("field", WHOLE_NUMBERS)
    @pytest.mark.parametrize("value", [1.5, "many", True, "1.5", [1]], ids=repr)
    def test_a_value_that_is_not_a_whole_number_is_rejected(
        self, context: BotSandbox, field: str, value: object
    ) -> None:
        assert set(errors_of(lambda: context.client.grid_bots.edit(203, **{**REQUIRED, field: value}))) == {field}
        assert context.sent == []

    @pytest.mark.parametrize("field", FLAGS)
    @pytest.mark.parametrize("value", [1, 0, "yes", [True]], ids=repr)
    def test_a_value_that_is_not_a_boolean_is_rejected(self, context: BotSandbox, field: str, value: object) -> None:
        assert set(errors_of(lambda: context.client.grid_bots.edit(203, **{**REQUIRED, field: value}))) == {field}
        assert context.sent == []

    @pytest.mark.parametrize("field", TEXTS)
    @pytest.mark.parametrize("value", [5, True, ["x"]], ids=repr)
    def test_a_value_that_is_not_a_string_is_rejected(self, context: BotSandbox, field: str, value: object) -> None:
        assert set(errors_of(lambda: context.client.grid_bots.edit(203, **{**REQUIRED, field: value}))) == {field}
        assert context.sent == []


class TestChoices:
    @pytest.mark.parametrize(
        ("field", "choice"), [(field, one) for field, choices in CHOICES.items() for one in choices]
    )
    def test_every_value_of_the_api_reference_is_sent(
        self, grid_bot_service: GridBotService, field: str, choice: str
    ) -> None:
        grid_bot_service.bot().edit(**{field: choice})
        assert grid_bot_service.body[field] == choice

    @pytest.mark.parametrize("action", ACTIONS)
    def test_every_action_is_accepted_by_the_service(self, context: BotSandbox, grid_bot: Any, action: str) -> None:  # noqa: ANN401
        bot = grid_bot.edit(upper_stop_loss_action=action, lower_stop_loss_action=action)
        assert (bot.upper_stop_loss_action, bot.lower_stop_loss_action) == (action, action)
        assert context.sent[-1].status == 200

    @pytest.mark.parametrize("field", CHOICES)
    @pytest.mark.parametrize("value", ["brand_new", "Stop_bot", " cross", "not_specified"])
    def test_any_other_value_is_rejected_and_the_message_shows_the_values(
        self, context: BotSandbox, field: str, value: str
    ) -> None:
        errors = errors_of(lambda: context.client.grid_bots.edit(203, **REQUIRED, **{field: value}))
        assert list(errors) == [field]
        assert all(choice in errors[field][0] for choice in CHOICES[field])
        assert context.sent == []


class TestBounds:
    @pytest.mark.parametrize(("lower", "upper"), [("1", "1"), ("2", "1"), ("1.0", "1.00"), ("1e-10", "0")])
    @pytest.mark.shows("rule grid_bots.edit: upper_above_lower")
    def test_an_upper_price_that_is_not_above_the_lower_is_rejected(
        self, context: BotSandbox, lower: str, upper: str
    ) -> None:
        given = {**REQUIRED, "lower_price": lower, "upper_price": upper}
        assert set(errors_of(lambda: context.client.grid_bots.edit(203, **given))) == {"upper_price"}
        assert context.sent == []

    @pytest.mark.shows("rule grid_bots.edit: upper_above_lower")
    def test_an_upper_price_a_hair_above_the_lower_is_sent(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        prices = {"lower_price": "1", "upper_price": "1.00000000000000000000000000000000000001"}
        service_client.grid_bots.edit(203, **{**REQUIRED, **prices})
        assert numbers(prices).items() <= read(service.sent[0].body).items()

    def test_a_lower_price_is_held_against_the_upper_price_of_the_record(
        self, grid_bot_service: GridBotService
    ) -> None:
        errors = errors_of(lambda: grid_bot_service.bot(upper_price="70000").edit(lower_price="70000.01"))
        assert len(errors) == 1
        assert set(errors) <= {"lower_price", "upper_price"}
        assert grid_bot_service.sent == []

    def test_an_error_shows_both_prices(self, context: BotSandbox) -> None:
        given = {**REQUIRED, "lower_price": "2900.5", "upper_price": "2900.25"}
        ((message,),) = errors_of(lambda: context.client.grid_bots.edit(203, **given)).values()
        assert "2900.5" in message
        assert "2900.25" in message

    def test_without_the_check_the_service_rejects(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            context.client.grid_bots.edit(203, **{**REQUIRED, "upper_price": "1"}, validate=False)
        assert "upper_price" in caught.value.error_attributes


class TestExpansion:
    @pytest.mark.parametrize("expansion", EXPANSIONS)
    @pytest.mark.parametrize("price", [{}, {"stop_price": None}], ids=["missing", "None"])
    @pytest.mark.shows(
        "rule grid_bots.edit.expansion_down_stop_price: required when expansion_down_enabled is true",
        "rule grid_bots.edit.expansion_up_stop_price: required when expansion_up_enabled is true",
    )
    def test_it_needs_a_stop_price(self, context: BotSandbox, expansion: str, price: dict[str, Any]) -> None:
        given = {f"{expansion}_enabled": True, **{f"{expansion}_{name}": value for name, value in price.items()}}
        errors = errors_of(lambda: context.client.grid_bots.edit(203, **REQUIRED, **given))
        assert list(errors) == [f"{expansion}_stop_price"]
        assert f"{expansion}_enabled" in errors[f"{expansion}_stop_price"][0]
        assert context.sent == []

    @pytest.mark.parametrize("expansion", EXPANSIONS)
    def test_with_a_stop_price_it_is_accepted(self, context: BotSandbox, expansion: str) -> None:
        given = {f"{expansion}_enabled": True, f"{expansion}_stop_price": "2700"}
        context.client.grid_bots.edit(203, **REQUIRED, **given)
        assert context.sent[-1].status == 200

    @pytest.mark.parametrize("expansion", EXPANSIONS)
    @pytest.mark.parametrize("enabled", [False, None])
    @pytest.mark.shows(
        "rule grid_bots.edit.expansion_down_stop_price: required when expansion_down_enabled is true",
        "rule grid_bots.edit.expansion_up_stop_price: required when expansion_up_enabled is true",
    )
    def test_where_it_is_off_no_stop_price_is_needed(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        expansion: str,
        enabled: bool | None,
    ) -> None:
        service_client.grid_bots.edit(203, **REQUIRED, **{f"{expansion}_enabled": enabled})
        assert f"{expansion}_stop_price" not in json.loads(service.sent[0].body)

    def test_the_stop_price_that_the_record_holds_will_do(self, grid_bot_service: GridBotService) -> None:
        grid_bot_service.bot(expansion_down_stop_price="54000.0").edit(expansion_down_enabled=True)
        assert str(grid_bot_service.body["expansion_down_stop_price"]) == "54000.0"

    def test_the_stop_price_cannot_be_taken_away_while_it_is_on(self, grid_bot_service: GridBotService) -> None:
        bot = grid_bot_service.bot(expansion_down_enabled="true", expansion_down_stop_price="54000.0")
        assert set(errors_of(lambda: bot.edit(expansion_down_stop_price=None))) == {"expansion_down_stop_price"}
        assert grid_bot_service.sent == []

    def test_what_the_record_lacks_is_reported(self, grid_bot_service: GridBotService) -> None:
        bot = grid_bot_service.bot(expansion_down_stop_price=None)
        assert set(errors_of(lambda: bot.edit(expansion_down_enabled=True))) == {"expansion_down_stop_price"}
        assert grid_bot_service.sent == []


class TestEditingARecord:
    # The fixture holds counts and booleans as strings; the body has them in their documented types.
    CARRIED: dict[str, Any] = {  # noqa: RUF012
        "name": "Бот grid",
        "upper_price": "70000.0",
        "lower_price": "56000.0",
        "grid_quantity": 40,
        "grids_quantity": 40,
        "grid_type": "arithmetic",
        "quantity_per_grid": "0.00051",
        "upper_stop_loss_enabled": True,
        "upper_stop_loss_action": "stop_bot",
        "upper_stop_loss_price": "71000.0",
        "lower_stop_loss_enabled": False,
        "lower_stop_loss_action": "stop_bot_and_sell",
        "lower_stop_loss_price": "55000.0",
        "leverage_type": "isolated",
        "leverage_custom_value": "1.0",
        "max_active_buy_lines": 50,
        "max_active_sell_lines": 49,
        "trailing_up_enabled": True,
        "expansion_down_enabled": False,
        "expansion_down_stop_price": "54000.0",
        "order_currency_type": "quote",
        "profit_currency_type": "quote",
        "mode": "long",
    }

    def test_what_is_not_changed_is_carried_over(self, grid_bot_service: GridBotService, call: Call) -> None:
        call(grid_bot_service.bot(leverage_type="isolated"), "edit", note="Changed")
        assert grid_bot_service.body == numbers({**self.CARRIED, "note": "Changed"})

    def test_it_is_one_patch_by_the_identifier_of_the_record(
        self, grid_bot_service: GridBotService, call: Call
    ) -> None:
        call(grid_bot_service.bot(), "edit", note="Changed")
        assert [(sent.method, sent.target) for sent in grid_bot_service.sent] == [
            ("PATCH", "/public/api/ver1/grid_bots/2376446601/manual")
        ]

    def test_a_note_that_the_record_holds_is_carried_over(self, grid_bot_service: GridBotService) -> None:
        grid_bot_service.bot(note="Mind the range").edit(name="Changed")
        assert grid_bot_service.body["note"] == "Mind the range"

    def test_a_mode_that_the_record_holds_is_carried_over(self, grid_bot_service: GridBotService) -> None:
        grid_bot_service.bot(mode="long").edit(name="Changed")
        assert grid_bot_service.body["mode"] == "long"

    @pytest.mark.parametrize(
        "field", ["note", "upper_stop_loss_price", "lower_stop_loss_price", "expansion_down_stop_price", "mode"]
    )
    def test_what_is_null_in_the_record_is_left_out(self, grid_bot_service: GridBotService, field: str) -> None:
        grid_bot_service.bot(**{field: None}).edit(name="Changed")
        assert field not in grid_bot_service.body

    @pytest.mark.parametrize(
        "field", ["note", "upper_stop_loss_price", "lower_stop_loss_price", "expansion_down_stop_price", "grid_type"]
    )
    @pytest.mark.shows("fact None on purpose")
    def test_what_is_set_to_none_is_sent_as_null(self, grid_bot_service: GridBotService, field: str) -> None:
        grid_bot_service.bot().edit(**{field: None})
        assert field in grid_bot_service.body
        assert grid_bot_service.body[field] is None

    @pytest.mark.shows("rule grid_bots.edit.leverage_type: not carried over where it is not_specified")
    def test_a_leverage_that_is_not_specified_is_left_out(self, grid_bot_service: GridBotService) -> None:
        grid_bot_service.bot(leverage_type="not_specified").edit(name="Changed")
        assert "leverage_type" not in grid_bot_service.body

    @pytest.mark.shows("rule grid_bots.edit.leverage_custom_value: carried over beside leverage_type alone")
    def test_the_value_of_a_leverage_that_is_not_specified_is_left_out(self, grid_bot_service: GridBotService) -> None:
        grid_bot_service.bot(leverage_type="not_specified", leverage_custom_value="3.0").edit(name="Changed")
        assert "leverage_custom_value" not in grid_bot_service.body
        grid_bot_service.bot(leverage_type="cross", leverage_custom_value="3.0").edit(name="Changed")
        assert str(grid_bot_service.body["leverage_custom_value"]) == "3.0"

    def test_a_string_for_a_count_is_sent_as_a_number(self, grid_bot_service: GridBotService) -> None:
        grid_bot_service.bot(grids_quantity="81", max_active_buy_lines="7").edit(name="Changed")
        body = grid_bot_service.body
        assert (body["grid_quantity"], body["grids_quantity"], body["max_active_buy_lines"]) == (81, 81, 7)

    def test_the_quantity_changes_under_both_names(self, grid_bot_service: GridBotService) -> None:
        grid_bot_service.bot(grids_quantity="81").edit(grids_quantity=41)
        assert (grid_bot_service.body["grid_quantity"], grid_bot_service.body["grids_quantity"]) == (41, 41)

    def test_every_digit_is_carried_over(self, grid_bot_service: GridBotService) -> None:
        digits = "0.00399920581210916146041542739112586575949572812639182"
        grid_bot_service.bot(quantity_per_grid=digits).edit(name="Changed")
        assert str(grid_bot_service.body["quantity_per_grid"]) == digits

    def test_a_value_that_the_api_reference_does_not_know_is_carried_over(
        self, grid_bot_service: GridBotService
    ) -> None:
        grid_bot_service.bot(upper_stop_loss_action="brand_new").edit(name="Changed")
        assert grid_bot_service.body["upper_stop_loss_action"] == "brand_new"

    @pytest.mark.parametrize("field", REQUIRED)
    def test_a_required_field_that_the_record_lacks_is_reported(
        self, grid_bot_service: GridBotService, field: str
    ) -> None:
        bot = grid_bot_service.bot(without=(field,))
        assert errors_of(lambda: bot.edit(name="Changed")) == {field: ["is required"]}
        assert grid_bot_service.sent == []

    @pytest.mark.parametrize("field", REQUIRED)
    def test_a_required_field_cannot_be_taken_away(self, grid_bot_service: GridBotService, field: str) -> None:
        bot = grid_bot_service.bot()
        assert set(errors_of(lambda: bot.edit(**{field: None}))) == {field}
        assert grid_bot_service.sent == []

    def test_a_field_that_is_not_of_a_grid_bot_is_reported(self, grid_bot_service: GridBotService, call: Call) -> None:
        bot = grid_bot_service.bot()
        assert set(errors_of(lambda: call(bot, "edit", grid_lines=[]))) == {"grid_lines"}
        assert grid_bot_service.sent == []

    @pytest.mark.parametrize("grid_bot_id", [201, 202, 203, 204, 2_376_446_601])
    def test_each_bot_of_the_sandbox_can_be_edited_by_one_field(
        self, context: BotSandbox, grid_bot_id: int, call: Call
    ) -> None:
        before = context.client.grid_bots.set_note(grid_bot_id, "Before")
        after = call(before, "edit", name="Changed")
        assert (after.id, after.name, before.name != "Changed") == (grid_bot_id, "Changed", True)
        moved = {
            name
            for name, value in after.to_dict().items()
            if value != before.to_dict()[name] and name not in {"name", "updated_at"}
        }
        assert moved == set()

    def test_what_comes_back_can_be_edited_again(self, grid_bot: Any, call: Call) -> None:  # noqa: ANN401
        assert call(call(grid_bot, "edit", name="Once"), "edit", name="Twice").name == "Twice"


class TestEachOperation:
    @pytest.mark.parametrize("operation", OPERATIONS)
    @pytest.mark.parametrize("grid_bot_id", NO_IDENTIFIERS, ids=repr)
    def test_it_needs_an_identifier(self, context: BotSandbox, operation: str, grid_bot_id: object, call: Call) -> None:
        errors = errors_of(lambda: call(context.client.grid_bots, operation, grid_bot_id, **OPERATIONS[operation]))
        assert set(errors) == {"grid_bot_id"}
        assert context.sent == []

    @pytest.mark.parametrize("operation", OPERATIONS)
    def test_a_bot_that_is_not_there_is_reported(self, context: BotSandbox, operation: str, call: Call) -> None:
        with pytest.raises(botdesk.NotFoundError) as caught:
            call(context.client.grid_bots, operation, 9_999, **OPERATIONS[operation])
        assert (caught.value.status, caught.value.error) == (404, "Not found")

    @pytest.mark.parametrize("operation", OPERATIONS)
    @pytest.mark.shows("contradiction BOTS_WRITE with a doubled letter", "authentication 6")
    def test_it_is_rejected_without_its_permission(
        self, sandbox: botdesk.Sandbox, client_of: Call, operation: str, call: Call
    ) -> None:
        client = client_of(sandbox, ["BOTS_READ", "ACCOUNTS_READ", "ACCOUNTS_WRITE", "SMART_TRADES_WRITE"])
        with pytest.raises(botdesk.ForbiddenError, match="BOTS_WRITE"):
            call(client.grid_bots, operation, 203, **OPERATIONS[operation])

    @pytest.mark.parametrize("operation", OPERATIONS)
    def test_a_record_that_no_client_made_has_none_to_call(self, operation: str, call: Call) -> None:
        bot = botdesk.GridBot.from_json('{"id":203}')
        with pytest.raises(botdesk.ConfigurationError):
            call(bot, operation, **OPERATIONS[operation])

    @pytest.mark.parametrize("operation", OPERATIONS)
    @pytest.mark.shows("fact long identifiers")
    def test_an_identifier_past_32_bits_is_sent_whole(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        operation: str,
    ) -> None:
        getattr(service_client.grid_bots, operation)(2_376_446_601, **OPERATIONS[operation])
        assert "/grid_bots/2376446601/" in service.sent[0].target


class TestOwnChecks:
    """Values that the API reference allows and that make no sense."""

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("lower_price", "0"),
            ("lower_price", "-1"),
            ("grids_quantity", 0),
            ("grids_quantity", -11),
            ("quantity_per_grid", "0"),
            ("quantity_per_grid", "-0.01"),
            ("upper_stop_loss_price", "-1"),
            ("lower_stop_loss_price", "-1"),
            ("leverage_custom_value", "0"),
            ("max_active_buy_lines", -1),
            ("max_active_sell_lines", -1),
            ("expansion_down_stop_price", "-1"),
            ("expansion_up_stop_price", "-1"),
        ],
    )
    def test_nonsense_is_rejected_unless_checks_are_off(
        self, service: Service, service_client: botdesk.Client, field: str, value: object
    ) -> None:
        client: Any = service_client
        errors = errors_of(lambda: client.grid_bots.edit(203, **{**REQUIRED, field: value}))
        assert list(errors) == [field]
        assert errors[field][0].endswith("(botdesk's own check; validate=False sends it anyway)")
        assert service.sent == []
        client.grid_bots.edit(203, **{**REQUIRED, field: value}, validate=False)
        assert read(service.sent[-1].body)[field] == Decimal(str(value))
