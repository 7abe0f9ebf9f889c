"""Grid bots: requests, results, and rejected arguments."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import BotSandbox, GridBotService

    Call = Callable[..., Any]

# From the API reference's table of the edit.
REQUIRED: dict[str, Any] = {
    "upper_price": "3900",
    "lower_price": "2900",
    "grids_quantity": 11,
    "quantity_per_grid": "0.0123",
    "upper_stop_loss_enabled": False,
}
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


def numbers(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields as they are sent: decimals as numbers."""
    return {name: Decimal(value) if name in DECIMALS and value else value for name, value in fields.items()}


def errors_of(operation: Callable[[], object]) -> dict[str, list[str]]:
    """Return the errors that are raised before anything is sent."""
    with pytest.raises(botdesk.ValidationError) as caught:
        operation()
    assert all(message in str(caught.value) for messages in caught.value.errors.values() for message in messages)
    return caught.value.errors


@pytest.fixture
def grid_bot(context: BotSandbox) -> Any:  # noqa: ANN401
    """Return a grid bot of the sandbox."""
    return context.client.grid_bots.get(203)


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


class TestEditingByIdentifier:
    def test_one_field_is_enough_because_the_bot_is_read_first(self, context: BotSandbox, call: Call) -> None:
        before = context.client.grid_bots.get(203)
        after = call(context.client.grid_bots, "edit", 203, name="Changed")
        assert [request.method for request in context.sent] == ["GET", "GET", "PATCH"]
        assert (after.name, after.upper_price, after.grids_quantity) == (
            "Changed",
            before.upper_price,
            before.grids_quantity,
        )

    def test_what_breaks_a_rule_of_any_bot_is_reported_before_it_is_read(self, context: BotSandbox, call: Call) -> None:
        assert set(errors_of(lambda: call(context.client.grid_bots, "edit", 203, name="x" * 41))) == {"name"}
        assert context.sent == []

    def test_a_bot_that_is_not_found_is_not_edited(self, context: BotSandbox, call: Call) -> None:
        with pytest.raises(botdesk.NotFoundError) as caught:
            call(context.client.grid_bots, "edit", 999, name="Changed")
        assert (caught.value.error, caught.value.error_description) == ("not_found", "Not Found")
        assert [request.method for request in context.sent] == ["GET"]


class TestValues:
    @pytest.mark.parametrize("quoted", [False, True], ids=["numbers", "strings"])
    def test_the_sandbox_takes_decimals_as_numbers_and_as_strings(self, context: BotSandbox, *, quoted: bool) -> None:
        prices = {"upper_price": "2100.50", "lower_price": "1900.25", "quantity_per_grid": "30.01"}
        given = {name: value if quoted else Decimal(value) for name, value in prices.items()}
        json_body = {**given, "grid_quantity": 11, "upper_stop_loss_enabled": False}
        response = context.client.request("PATCH", "/ver1/grid_bots/203/manual", json=json_body).json()
        assert {name: response[name] for name in prices} == prices


class TestBounds:
    @pytest.mark.parametrize(("lower", "upper"), [("1", "1"), ("2", "1"), ("1.0", "1.00"), ("1e-10", "0")])
    @pytest.mark.shows("rule grid_bots.edit: upper_above_lower")
    def test_an_upper_price_that_is_not_above_the_lower_is_rejected(
        self, context: BotSandbox, lower: str, upper: str
    ) -> None:
        given = {**REQUIRED, "lower_price": lower, "upper_price": upper}
        assert set(errors_of(lambda: context.client.grid_bots.edit(203, **given))) == {"upper_price"}
        assert "PATCH" not in [request.method for request in context.sent]

    @pytest.mark.shows("rule grid_bots.edit: upper_above_lower")
    def test_an_upper_price_a_hair_above_the_lower_is_sent(self, grid_bot_service: GridBotService) -> None:
        prices = {"lower_price": "1", "upper_price": "1.00000000000000000000000000000000000001"}
        grid_bot_service.bot().edit(**prices)
        assert numbers(prices).items() <= grid_bot_service.body.items()

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

    def test_every_digit_is_carried_over(self, grid_bot_service: GridBotService) -> None:
        digits = "0.00399920581210916146041542739112586575949572812639182"
        grid_bot_service.bot(quantity_per_grid=digits).edit(name="Changed")
        assert str(grid_bot_service.body["quantity_per_grid"]) == digits

    def test_a_value_that_the_api_reference_does_not_know_is_carried_over(
        self, grid_bot_service: GridBotService
    ) -> None:
        grid_bot_service.bot(upper_stop_loss_action="brand_new").edit(name="Changed")
        assert grid_bot_service.body["upper_stop_loss_action"] == "brand_new"

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
        self, grid_bot_service: GridBotService, field: str, value: object
    ) -> None:
        bot = grid_bot_service.bot()
        errors = errors_of(lambda: bot.edit(**{field: value}))
        assert list(errors) == [field]
        assert errors[field][0].endswith("(botdesk's own check; validate=False sends it anyway)")
        assert grid_bot_service.sent == []
        bot.edit(**{field: value}, validate=False)
        assert grid_bot_service.body[field] == Decimal(str(value))
