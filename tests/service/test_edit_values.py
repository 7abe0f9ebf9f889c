"""The values of an edit: how they are written, and which are rejected."""

from __future__ import annotations

import decimal
import enum
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import botdesk
from botdesk import SafetyStep, Strategy, TakeProfitStep

if TYPE_CHECKING:
    from .conftest import BotSandbox, DcaBotService

# It has no types.
pd: Any = import_module("pandas")


class Seven:
    """An integer of another library, such as numpy's."""

    def __repr__(self) -> str:
        return "Seven()"

    def __index__(self) -> int:
        return 7


class Changing:
    """A number that refills the dict that it is in, with another member."""

    def __init__(self) -> None:
        self.held: dict[str, object] = {"first": self, "second": 2}

    def __index__(self) -> int:
        self.held.clear()
        self.held.update({"third": 3, "first": self, "fourth": 4})
        return 1


class Depth(int, enum.Enum):
    """An integer whose string differs from its value."""

    DEEP = 7


class Shown(int):
    """Another one."""

    def __str__(self) -> str:
        return "seven"


class Kind(str, enum.Enum):  # noqa: UP042
    """A string whose `str()` differs from its value."""

    BASE = "base"


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"inner": value}
    return value


def endless() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


class TestDecimals:
    """Any number may be a `min_profit_percentage`, so that no rule limits the values here."""

    @pytest.mark.parametrize(
        ("given_value", "text"),
        [
            ("2.50", "2.50"),
            ("-0.0", "-0.0"),
            ("1e-7", "0.0000001"),
            (Decimal("2.50"), "2.50"),
            (Decimal("1E+2"), "100"),
            (Decimal("1E-30"), "0." + "0" * 29 + "1"),
            (Decimal("0." + "3" * 60), "0." + "3" * 60),
            (2, "2"),
            (10**40, "1" + "0" * 40),
            (0.1, "0.1"),
            (2.0, "2.0"),
            (1e-7, "0.0000001"),
            (1e22, "10000000000000000000000"),
            (0.1 + 0.2, "0.30000000000000004"),
            (np.float64(0.1), "0.1"),
            (np.float32(0.1), "0.1"),
            (np.float16(0.1), "0.1"),
            (np.int64(7), "7"),
            (np.array("0.1", dtype=float), "0.1"),
            (Seven(), "7"),
            (Depth.DEEP, "7"),
            (Shown(7), "7"),
        ],
        ids=repr,
    )
    @pytest.mark.shows("common decimals sent either way")
    def test_a_decimal_is_sent_as_text_without_an_exponent(
        self,
        bot_service: DcaBotService,
        given_value: Any,  # noqa: ANN401
        text: str,
    ) -> None:
        bot_service.bot().edit(min_profit_percentage=given_value)
        assert bot_service.body["min_profit_percentage"] == text

    @given(st.decimals(allow_nan=False, allow_infinity=False, places=None).filter(lambda d: abs(d.adjusted()) < 900))
    @settings(
        derandomize=True,
        deadline=None,
        max_examples=40,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    def test_any_decimal_arrives_as_the_same_number(self, bot_service: DcaBotService, value: Decimal) -> None:
        bot_service.bot().edit(min_profit_percentage=value)
        text = bot_service.body["min_profit_percentage"]
        assert isinstance(text, str)
        assert "e" not in text.lower()
        assert Decimal(text) == value

    @given(st.floats(allow_nan=False, allow_infinity=False))
    @settings(
        derandomize=True,
        deadline=None,
        max_examples=40,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    def test_any_float_arrives_as_its_shortest_text(self, bot_service: DcaBotService, value: float) -> None:
        bot_service.bot().edit(min_profit_percentage=value)
        assert Decimal(bot_service.body["min_profit_percentage"]) == Decimal(repr(value))

    def test_the_context_of_decimal_has_no_part_in_it(self, bot_service: DcaBotService) -> None:
        with decimal.localcontext() as context:
            context.prec = 3
            bot_service.bot().edit(min_profit_percentage=Decimal("1.23456789"))
        assert bot_service.body["min_profit_percentage"] == "1.23456789"


class TestEmptyCells:
    """A row of a sheet has a value for each column."""

    @pytest.mark.parametrize("empty", ["", float("nan"), np.float32("nan"), np.float64("nan"), pd.NA, pd.NaT], ids=repr)
    @pytest.mark.parametrize("field", ["take_profit", "max_active_deals", "start_order_type", "trailing_enabled"])
    def test_an_empty_cell_is_not_part_of_an_edit(self, context: BotSandbox, field: str, empty: Any) -> None:  # noqa: ANN401
        with pytest.warns(UserWarning, match=f"^{field} is empty .*, so it is left out$"):
            preview = context.bot.preview_edit(**{field: empty, "min_volume_btc_24h": "7"})
        assert [change.field for change in preview.changes] == ["min_volume_btc_24h"]

    def test_an_empty_text_is_a_value(self, context: BotSandbox) -> None:
        preview = context.bot.preview_edit(name="", validate=False)
        assert [change.field for change in preview.changes] == ["name"]

    def test_an_edit_of_empty_cells_alone_is_an_error(self, context: BotSandbox) -> None:
        with pytest.warns(UserWarning, match="take_profit is empty"), pytest.raises(botdesk.ValidationError):
            context.bot.edit(take_profit=float("nan"))
        assert context.sent == []


class TestWholeNumbers:
    @pytest.mark.parametrize(
        "value",
        [7, 7.0, Decimal("7.00"), Seven(), Depth.DEEP, Shown(7), np.int64(7), np.uint8(7), np.float64(7)],
        ids=["int", "float", "decimal", "index", "enum", "subclass", "int64", "uint8", "float64"],
    )
    def test_a_whole_number_is_sent_as_a_number(self, bot_service: DcaBotService, value: Any) -> None:  # noqa: ANN401
        bot_service.bot().edit(active_safety_orders_count=value)
        assert bot_service.body["active_safety_orders_count"] == 7


class TestFlags:
    @pytest.mark.parametrize("value", [True, False])
    @pytest.mark.parametrize("kind", [bool, np.bool_], ids=["bool", "numpy"])
    @pytest.mark.shows("promise numpy scalars")
    def test_a_boolean_is_sent_as_a_boolean(self, bot_service: DcaBotService, value: bool, kind: Any) -> None:  # noqa: ANN401
        bot_service.bot().edit(tsl_enabled=kind(value))
        assert bot_service.body["tsl_enabled"] is value


class TestTexts:
    @pytest.mark.parametrize("name", ["Grün", "Тихий", "😀", 'a"\\b', "a\n\t\x00\x7f", "\u2028", " ", "x" * 100_000])
    def test_a_string_arrives_as_it_is(self, context: BotSandbox, name: str) -> None:
        assert context.bot.edit(name=name).name == name

    @pytest.mark.parametrize("name", ["\ud800", "a\udc00b"], ids=ascii)
    def test_half_of_a_surrogate_pair_is_rejected(self, context: BotSandbox, name: str) -> None:
        with pytest.raises(botdesk.ValidationError, match="surrogate") as caught:
            context.bot.edit(name=name)
        assert set(caught.value.errors) == {"name"}
        assert context.sent == []

    def test_an_enumeration_takes_a_string_of_another_type(self, bot_service: DcaBotService) -> None:
        bot_service.bot().edit(take_profit_type=Kind.BASE)
        assert bot_service.body["take_profit_type"] == "base"


class TestPairs:
    @pytest.mark.parametrize("pairs", ["USDT_BTC", ["USDT_BTC"], ("USDT_BTC",)], ids=repr)
    def test_one_pair_is_sent_as_text(self, bot_service: DcaBotService, pairs: Any) -> None:  # noqa: ANN401
        bot_service.bot().edit(pairs=pairs)
        assert bot_service.body["pairs"] == "USDT_BTC"

    @pytest.mark.parametrize("pairs", [["USDT_BTC", "USDT_ETH"], ("USDT_BTC", "USDT_ETH")], ids=repr)
    def test_several_pairs_are_sent_as_an_array(self, bot_service: DcaBotService, pairs: Any) -> None:  # noqa: ANN401
        bot_service.bot().edit(pairs=pairs, strategy_list=[])
        assert bot_service.body["pairs"] == ["USDT_BTC", "USDT_ETH"]


class TestCustomSafetySteps:
    def test_steps_may_be_objects_or_records(self, bot_service: DcaBotService) -> None:
        record = SafetyStep.from_json('{"deviation":"-1.10","size":10,"editable":false}')
        bot_service.bot().edit(custom_safety_steps=(record, {"deviation": Decimal("-2.5"), "size": "12.5"}))
        assert bot_service.body["custom_safety_steps"] == [
            {"deviation": "-1.10", "size": 10},
            {"deviation": "-2.5", "size": 12.5},
        ]

    def test_none_and_an_empty_list_remove_the_steps(self, context: BotSandbox) -> None:
        bot: botdesk.DcaBot = context.bot.edit(custom_safety_steps=[{"deviation": "-1.5", "size": 40}])
        assert [(str(step.deviation), step.size, step.editable) for step in bot.custom_safety_steps or []] == [
            ("-1.5", Decimal(40), None)
        ]
        assert bot.edit(custom_safety_steps=[]).custom_safety_steps == []
        assert bot.edit(custom_safety_steps=None).custom_safety_steps is None


class TestSteps:
    def test_steps_may_be_objects_or_records(self, bot_service: DcaBotService) -> None:
        record = TakeProfitStep.from_json('{"amount_percentage":40,"profit_percentage":"1.50","id":0}')
        bot_service.bot().edit(
            take_profit=0, take_profit_steps=(record, {"amount_percentage": Decimal(60), "profit_percentage": 2.5})
        )
        sent = [
            {name: Decimal(value) for name, value in step.items()} for step in bot_service.body["take_profit_steps"]
        ]
        assert sent == [
            {"amount_percentage": 40, "profit_percentage": Decimal("1.50")},
            {"amount_percentage": 60, "profit_percentage": Decimal("2.5")},
        ]

    def test_the_position_of_a_step_is_not_sent(self, bot_service: DcaBotService) -> None:
        bot_service.bot().edit(
            take_profit=0, take_profit_steps=[{"id": 7, "amount_percentage": 100, "profit_percentage": 2}]
        )
        assert [set(step) for step in bot_service.body["take_profit_steps"]] == [
            {"amount_percentage", "profit_percentage"}
        ]

    def test_the_steps_of_a_bot_can_be_given_back(self, bot_service: DcaBotService) -> None:
        steps = [{"amount_percentage": 100, "profit_percentage": 3, "id": 0, "brand_new": 1}]
        bot = bot_service.bot(take_profit=None, take_profit_steps=steps)
        bot.edit(take_profit_steps=bot.take_profit_steps)
        (step,) = bot_service.body["take_profit_steps"]
        assert (step["amount_percentage"], step["profit_percentage"]) == (100, 3)
        assert "id" not in step


class TestStrategies:
    def test_strategies_may_be_objects_or_records(self, bot_service: DcaBotService) -> None:
        record = Strategy.from_json('{"strategy":"qfl","options":{"percent":3.10}}')
        rsi = {"strategy": "rsi", "options": {"points": Decimal("30.50"), "time": "5m"}}
        bot_service.bot().edit(strategy_list=[record, rsi])
        assert bot_service.body["strategy_list"] == [{"strategy": "qfl", "options": {"percent": Decimal("3.10")}}, rsi]
        assert "3.10" in bot_service.sent[0].body
        assert "30.50" in bot_service.sent[0].body

    def test_the_strategies_of_another_bot_can_be_given(self, context: BotSandbox) -> None:
        other = context.client.dca_bots.get(42)
        bot = context.bot.edit(strategy_list=other.strategy_list)
        assert bot.strategy_list == other.strategy_list


# Elements and members of another shape, by the field.
SHAPES: dict[str, list[Any]] = {
    "pairs": [[], [""], [5], {"USDT_BTC"}, b"USDT_BTC", [["USDT_BTC"]]],
    "custom_safety_steps": [[{"size": 1}], [{"deviation": "-1"}], [{"deviation": "x", "size": 1}]],
    "take_profit_steps": [
        *(["x"], [{}], [{"amount_percentage": 100}], {"amount_percentage": 100, "profit_percentage": 1}),
        *([{"amount_percentage": 100, "profit_percentage": profit}] for profit in (None, "x")),
        *([{name: amount, "profit_percentage": 1}] for name, amount in (("amount_percentage", "x"), ("amount", 100))),
        [{"amount_percentage": float("nan"), "profit_percentage": 1}],
    ],
    "strategy_list": [["manual"]],
    "close_strategy_list": [["manual"]],
}


class TestShapes:
    @pytest.mark.parametrize(
        ("field", "value"), [(field, value) for field, values in SHAPES.items() for value in values], ids=repr
    )
    def test_it_is_rejected(self, context: BotSandbox, field: str, value: Any) -> None:  # noqa: ANN401
        with pytest.raises(botdesk.ValidationError) as caught:
            context.bot.edit(**{field: value})
        assert set(caught.value.errors) == {field}
        assert context.sent == []


class TestObjects:
    @pytest.mark.parametrize(
        "inner",
        [
            float("nan"),
            Decimal("Infinity"),
            {1},
            b"x",
            "\ud800",
            {5: 1},
            {"\ud800": 1},
            nested(10_000),
            endless(),
            object,
        ],
        ids=["nan", "infinity", "set", "bytes", "surrogate", "key", "surrogate key", "deep", "endless", "class"],
    )
    def test_unsendable_values_are_rejected_at_any_depth(self, context: BotSandbox, inner: Any) -> None:  # noqa: ANN401
        with pytest.raises(botdesk.ValidationError) as caught:
            context.bot.edit(strategy_list=[{"strategy": "rsi", "options": {"points": [inner]}}])
        assert set(caught.value.errors) == {"strategy_list"}
        assert context.sent == []

    def test_an_object_may_nest(self, bot_service: DcaBotService) -> None:
        options = nested(50)
        bot_service.bot().edit(strategy_list=[{"strategy": "rsi", "options": options}])
        assert bot_service.body["strategy_list"][0]["options"] == options

    @pytest.mark.shows("promise dicts that change")
    def test_an_object_that_changes_while_it_is_read_is_sent_as_it_was(self, bot_service: DcaBotService) -> None:
        bot_service.bot().edit(strategy_list=[{"strategy": "rsi", "options": Changing().held}])
        assert bot_service.body["strategy_list"][0]["options"] == {"first": 1, "second": 2}
