"""Every field of the API reference's tables reads as its documented type."""

from __future__ import annotations

import inspect
import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import botdesk

FIXTURES = Path(__file__).parents[1] / "fixtures"
# For each record: name in the response, type as the API reference writes it, and the value of the attribute.
DOCUMENTED: dict[str, list[tuple[str, str, str]]] = json.loads((FIXTURES / "documented_fields.json").read_text("utf-8"))
SAMPLE: dict[str, Any] = json.loads((FIXTURES / "dca_bot.json").read_text("utf-8"))
ACCOUNT: dict[str, Any] = json.loads((FIXTURES / "account.json").read_text("utf-8"))
GRID_BOT: dict[str, Any] = json.loads((FIXTURES / "grid_bot.json").read_text("utf-8"))
NETWORK_INFO: dict[str, Any] = json.loads((FIXTURES / "network_info.json").read_text("utf-8"))
OBJECTS: dict[str, dict[str, Any]] = {
    "DcaBot": SAMPLE,
    "Deal": SAMPLE["active_deals"][0],
    "Strategy": SAMPLE["strategy_list"][0],
    "TakeProfitStep": SAMPLE["take_profit_steps"][1],
    "SafetyStep": SAMPLE["active_deals"][0]["custom_safety_steps"][1],
    "Account": ACCOUNT,
    "Money": ACCOUNT["total_primary_display_currency_profit"],
    "GridBot": GRID_BOT,
    "GridLine": GRID_BOT["grid_lines"][0],
    "NetworkInfo": NETWORK_INFO,
    "Network": NETWORK_INFO["network_list"][0],
    "DepositData": {
        "address": "rDemo",
        "address_tag": "4711",
        "available_balance": "3411.00000000",
        "in_orders": "655.00000000",
        "total_balance": "4066.00000000",
    },
    "LeverageType": {
        "code": "cross",
        "name": "Cross",
        "can_set_leverage_value": True,
        "max_leverage": "50",
        "available_leverage_values": ["1", "2.5"],
        "valid": {"min": "1", "max": None},
    },
    "ReduceFundsInfo": {"max_reduce_funds_amount": "20.63369344"},
}
# The names of attributes that differ from the names in the response.
RENAMED = {"withdrawMax": "withdraw_max", "withdrawMultiple": "withdraw_multiple"}
FIELDS = [(record, *field) for record, fields in DOCUMENTED.items() for field in fields]
NAMES = [f"{record}.{wire}" for record, wire, *_ in FIELDS]
SCALARS: dict[str, type] = {
    "int": int,
    "str": str,
    "bool": bool,
    "Decimal": Decimal,
    "datetime": datetime,
    "dict": dict,
    "Deal": botdesk.Deal,
    "Strategy": botdesk.Strategy,
    "TakeProfitStep": botdesk.TakeProfitStep,
    "SafetyStep": botdesk.SafetyStep,
    "Money": botdesk.Money,
    "GridLine": botdesk.GridLine,
    "Network": botdesk.Network,
}

each_field = pytest.mark.parametrize(("record", "wire", "written", "reads_as"), FIELDS, ids=NAMES)
each_shown_field = pytest.mark.parametrize(
    ("record", "wire", "written", "reads_as"),
    [
        pytest.param(*field, marks=pytest.mark.shows(f"field {name}"), id=name)
        for field, name in zip(FIELDS, NAMES, strict=True)
    ],
)
each_record = pytest.mark.parametrize("record", DOCUMENTED)


def record_of(record: str, fields: dict[str, Any]) -> Any:  # noqa: ANN401
    return getattr(botdesk, record).from_json(json.dumps(fields))


def attribute_of(wire: str) -> str:
    return RENAMED.get(wire, wire.removesuffix("?"))


def is_read_as(value: Any, reads_as: str) -> bool:  # noqa: ANN401
    if reads_as == "Any":
        return value is not None
    if reads_as.startswith("list["):
        elements: list[Any] = value
        return isinstance(value, list) and value != [] and all(is_read_as(one, reads_as[5:-1]) for one in elements)
    return type(value) is SCALARS[reads_as]


@each_record
def test_the_sample_holds_every_field_of_the_api_reference(record: str) -> None:
    assert set(OBJECTS[record]) == {wire for wire, *_ in DOCUMENTED[record]}


@each_record
def test_a_record_has_an_attribute_for_every_field_of_the_api_reference_and_no_other(record: str) -> None:
    owner: type = getattr(botdesk, record)
    public = {
        name
        for name in dir(owner)
        if not name.startswith("_") and inspect.isdatadescriptor(inspect.getattr_static(owner, name))
    }
    assert public == {attribute_of(wire) for wire, *_ in DOCUMENTED[record]} | {"extra", "fields_set"}


@each_shown_field
def test_a_field_reads_with_its_type(record: str, wire: str, written: str, reads_as: str) -> None:
    value = getattr(record_of(record, OBJECTS[record]), attribute_of(wire))
    assert is_read_as(value, reads_as), f"{value!r} is not of {reads_as} ({written})"


@each_field
def test_a_field_alone_is_the_only_one_set(record: str, wire: str, written: str, reads_as: str) -> None:
    del written, reads_as
    read = record_of(record, {wire: OBJECTS[record][wire]})
    others = [attribute_of(other) for other, *_ in DOCUMENTED[record] if other != wire]
    assert read.fields_set == {attribute_of(wire)}
    assert [name for name in others if getattr(read, name) is not None] == []


@each_field
def test_a_field_that_is_null_reads_none_and_is_set(record: str, wire: str, written: str, reads_as: str) -> None:
    del written, reads_as
    read = record_of(record, {wire: None})
    assert getattr(read, attribute_of(wire)) is None
    assert read.fields_set == {attribute_of(wire)}


@each_field
def test_a_field_that_is_absent_reads_none_and_is_not_set(record: str, wire: str, written: str, reads_as: str) -> None:
    del written, reads_as
    read = record_of(record, {})
    assert getattr(read, attribute_of(wire)) is None
    assert read.fields_set == frozenset()


@each_record
def test_the_sample_has_nothing_that_the_api_reference_does_not_know(record: str) -> None:
    read = record_of(record, OBJECTS[record])
    assert read.extra == {}
    assert read.fields_set == {attribute_of(wire) for wire, *_ in DOCUMENTED[record]}


@pytest.mark.parametrize(
    ("record", "wire"), [(record, wire) for record, wire, _, reads_as in FIELDS if reads_as == "Decimal"]
)
@pytest.mark.parametrize("text", ["12.50", "-0.0", "7"])
@pytest.mark.shows("common decimals as strings")
def test_a_decimal_reads_the_same_from_a_string_and_from_a_number(record: str, wire: str, text: str) -> None:
    for json_value in (text, f'"{text}"'):
        value = getattr(getattr(botdesk, record).from_json(f'{{"{wire}":{json_value}}}'), attribute_of(wire))
        assert str(value) == text


@pytest.mark.parametrize(
    ("record", "wire"), [(record, wire) for record, wire, _, reads_as in FIELDS if reads_as == "int"]
)
@pytest.mark.parametrize("number", [0, -1, 40, 2_376_446_537, 2**63 - 1])
@pytest.mark.shows("fact counts as strings", "fact long identifiers")
def test_a_whole_number_reads_the_same_from_a_number_and_from_a_string(record: str, wire: str, number: int) -> None:
    for json_value in (number, str(number)):
        value = getattr(record_of(record, {wire: json_value}), attribute_of(wire))
        assert (type(value), value) == (int, number)


@pytest.mark.parametrize(
    ("record", "wire"), [(record, wire) for record, wire, _, reads_as in FIELDS if reads_as == "bool"]
)
@pytest.mark.shows("fact booleans as strings")
def test_a_boolean_reads_the_same_from_a_boolean_and_from_a_string(record: str, wire: str) -> None:
    for json_value, flag in ((True, True), ("true", True), (False, False), ("false", False)):
        assert getattr(record_of(record, {wire: json_value}), attribute_of(wire)) is flag


@pytest.mark.parametrize(
    ("record", "wire"),
    [
        *((record, wire) for record, wire, written, reads_as in FIELDS if reads_as == "str" and ": `" in written),
        ("Deal", "status"),
    ],
)
def test_an_enumeration_is_open_to_values_that_the_api_reference_does_not_know(record: str, wire: str) -> None:
    assert getattr(record_of(record, {wire: "brand_new"}), attribute_of(wire)) == "brand_new"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-02-29T12:30:00.125Z", datetime(2024, 2, 29, 12, 30, 0, 125_000, tzinfo=UTC)),
        ("2024-02-29T12:30:00.125+05:30", datetime(2024, 2, 29, 7, 0, 0, 125_000, tzinfo=UTC)),
        ("1969-12-31T23:59:59.999Z", datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)),
        ("2024-02-29T12:30:00Z", datetime(2024, 2, 29, 12, 30, tzinfo=UTC)),
    ],
)
@pytest.mark.shows("common timestamps")
def test_a_timestamp_knows_its_timezone(text: str, moment: datetime) -> None:
    created_at = botdesk.DcaBot.from_json(json.dumps({"created_at": text})).created_at
    assert created_at is not None
    assert created_at == moment
    assert created_at.utcoffset() == timedelta()


@pytest.mark.parametrize(
    "text", ["2024-02-29T12:30:00.125", "yesterday", "", "2024-02-30T00:00:00Z", "-000100-01-01T00:00:00Z"]
)
def test_a_value_that_is_not_a_timestamp_is_unreadable(text: str) -> None:
    bot = botdesk.DcaBot.from_json(json.dumps({"created_at": text}))
    with pytest.raises(botdesk.DecodeError, match=r"DcaBot\.created_at"):
        _ = bot.created_at


def test_the_question_mark_belongs_to_the_name_on_the_wire() -> None:
    bot = botdesk.DcaBot.from_json('{"deletable?":true,"deletable":5}')
    assert bot.deletable is True
    assert bot.extra == {"deletable": 5}


def test_deals_and_their_parts_are_records_too() -> None:
    (deal,) = botdesk.DcaBot.from_json(json.dumps(SAMPLE)).active_deals or []
    assert (deal.id, deal.finished) == (2_376_446_999, False)
    assert [step.profit_percentage for step in deal.take_profit_steps or []] == [1, 2]
    assert [one.options for one in deal.close_strategy_list or []] == [{"time": "4h", "type": "buy_or_strong_buy"}]


def test_open_fields_read_a_decimal_where_they_hold_one_and_any_json_else() -> None:
    bot = botdesk.DcaBot.from_json(
        '{"min_price":"1000.50","max_price":9.0,"min_price_percentage":[1,2.50],"max_price_percentage":"high"}'
    )
    assert [str(bot.min_price), str(bot.max_price)] == ["1000.50", "9.0"]
    assert bot.min_price_percentage == [1, Decimal("2.50")]
    assert bot.max_price_percentage == "high"


@pytest.mark.shows("fact a bare amount")
def test_the_total_profit_of_an_account_reads_the_same_from_a_bare_number_and_from_a_string() -> None:
    bare, text = (
        botdesk.Account.from_json(
            f'{{"total_primary_display_currency_profit":{{"currency":"USD","amount":{amount}}}}}'
        ).total_primary_display_currency_profit
        for amount in ("5228.240", '"5228.240"')
    )
    assert bare is not None
    assert text is not None
    assert (bare.currency, str(bare.amount)) == (text.currency, str(text.amount)) == ("USD", "5228.240")


def test_a_bare_number_keeps_every_digit() -> None:
    digits = "1.00399920581210916146041542739112586575949572812639182"
    money = botdesk.Money.from_json(f'{{"currency":"BTC","amount":{digits}}}')
    assert str(money.amount) == digits


def test_the_level_nearest_to_the_price_has_no_side() -> None:
    lines = botdesk.GridBot.from_json(json.dumps(GRID_BOT)).grid_lines or []
    assert [(line.side, line.order_placed) for line in lines] == [("buy", True), (None, False)]


def test_the_empty_object_of_a_leverage_without_values_reads_as_an_empty_dict() -> None:
    assert botdesk.LeverageType.from_json('{"valid":{},"available_leverage_values":[]}').valid == {}


def test_the_networks_of_a_currency_are_records_too() -> None:
    info = botdesk.NetworkInfo.from_json(json.dumps(NETWORK_INFO))
    assert [(network.network, network.withdraw_max) for network in info.network_list or []] == [
        ("XRP", Decimal(1_000_000))
    ]
    assert info.extra == {}
