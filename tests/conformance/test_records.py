"""Every field of each record reads as its documented type, whatever JSON type it has, and null differs from absent."""

from __future__ import annotations

import inspect
import json
import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

import botdesk

from .reference import RECORDS, Statement, example, value_of
from .rows import records, types_of

HELD = {name: [field for wire, field in RECORDS[name].items() if wire in records()[name]] for name in records()}
FIELDS = [field for fields in HELD.values() for field in fields]
PYTHON: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "decimal": (Decimal,),
    "text": (str,),
    "boolean": (bool,),
    "time": (datetime,),
    "list": (list, botdesk.Records),
    "object": (dict, *(getattr(botdesk, name) for name in records())),
    "any": (object,),
}
# A member that another field reads, too, if the response lacks its own.
READ_BY = {"Status.type": "basic_type", "SimpleStatus.basic_type": "value"}
each_record = pytest.mark.parametrize("record", HELD)


def each_field(*types: str) -> pytest.MarkDecorator:
    """Parametrize with the fields of these types, those of each record together; with all if none are given."""
    return each_of([field for field in FIELDS if not types or field.type in types])


def each_of(fields: list[Statement]) -> pytest.MarkDecorator:
    """Parametrize with fields, those of each record together: one test for each would take long to start."""
    owners = list(dict.fromkeys(field.owner for field in fields))
    of_owner = [[field for field in fields if field.owner == owner] for owner in owners]
    return pytest.mark.parametrize("fields", of_owner, ids=owners)


def read(field: Statement, value: object) -> Any:  # noqa: ANN401
    """Read a record with only this field."""
    return getattr(botdesk, field.owner).from_json(json.dumps({field.name: value}))


def is_read(value: object, field: Statement) -> bool:
    types = tuple(each for name in field.types for each in PYTHON[name])
    # A boolean is an `int`.
    return isinstance(value, types) and isinstance(value, bool) <= (bool in types or object in types)


def set_by(field: Statement) -> set[str]:
    """Return the fields that have a value in a record with only this one."""
    return {field.attribute, READ_BY.get(f"{field.owner}.{field.name}", field.attribute)}


def is_strict(field: Statement) -> bool:
    """Return True if the field has a type that a text cannot have. The package leaves the type of some open."""
    return field.type in {"integer", "decimal", "boolean", "time"} and records()[field.owner][field.name].types != {
        "any"
    }


@each_record
def test_a_record_has_an_attribute_for_every_field_and_no_other(record: str) -> None:
    owner: type = getattr(botdesk, record)
    public = {name for name in dir(owner) if inspect.isdatadescriptor(getattr(owner, name)) and name[0] != "_"}
    assert public == {field.attribute for field in HELD[record]} | {"extra", "fields_set"}


@each_record
def test_a_whole_record_leaves_nothing_over(record: str) -> None:
    whole = {name: value for name, value in example(record).items() if name in {field.name for field in HELD[record]}}
    held = getattr(botdesk, record).from_json(json.dumps(whole))
    assert held.extra == {}
    assert held.fields_set == {field.attribute for field in HELD[record] if field.name in whole}
    assert held.to_dict() == whole


@each_field()
def test_a_field_reads_as_its_type(fields: list[Statement]) -> None:
    for field in fields:
        value = getattr(read(field, value_of(field)), field.attribute)
        assert is_read(value, field), (field.path, value)


@each_field("list")
def test_the_elements_of_a_list_are_records(fields: list[Statement]) -> None:
    for field in fields:
        items = records()[field.owner][field.name].schema["items"]
        described = items.get("$ref", "").rpartition("/")[2]
        (element,) = getattr(read(field, [{"id": 1}] if described else ["7"]), field.attribute)
        assert isinstance(element, (getattr(botdesk, described),) if described else PYTHON[min(types_of(items))]), (
            field.path
        )
        assert field.element in {"", "text", described} or field.element not in HELD, field.path


@each_field()
def test_a_field_alone_is_the_only_one_that_is_set(fields: list[Statement]) -> None:
    for field in fields:
        held = read(field, value_of(field))
        assert held.fields_set == set_by(field), field.path
        others = [each.attribute for each in HELD[field.owner] if each.attribute not in set_by(field)]
        assert [name for name in others if getattr(held, name) is not None] == [], field.path


@each_field()
def test_null_reads_as_none_and_is_set(fields: list[Statement]) -> None:
    for field in fields:
        held = read(field, None)
        assert (getattr(held, field.attribute), held.fields_set) == (None, set_by(field)), field.path


@each_field()
def test_an_absent_field_reads_as_none_and_is_not_set(fields: list[Statement]) -> None:
    for field in fields:
        held = getattr(botdesk, field.owner).from_json("{}")
        assert (getattr(held, field.attribute), held.fields_set) == (None, frozenset()), field.path


@pytest.mark.parametrize("text", ["12.50", "-0.0", "7", "1.00399920581210916146041542739112586575949572812639182"])
@each_field("decimal")
@pytest.mark.shows("common decimals as strings", "fact long decimals")
def test_a_decimal_keeps_every_digit_of_a_string_and_of_a_number(fields: list[Statement], text: str) -> None:
    for field in fields:
        for written in (text, f'"{text}"'):
            held = getattr(botdesk, field.owner).from_json(f'{{"{field.name}":{written}}}')
            assert str(getattr(held, field.attribute)) == text, field.path


@pytest.mark.parametrize("number", [0, -1, 40, 2_376_446_537, 2**63 - 1])
@each_field("integer")
@pytest.mark.shows("fact counts as strings", "fact long identifiers")
def test_an_integer_reads_from_a_number_and_from_a_string(fields: list[Statement], number: int) -> None:
    for field in fields:
        for written in (number, str(number)):
            assert getattr(read(field, written), field.attribute) == number, field.path


@each_field("boolean")
@pytest.mark.shows("fact booleans as strings")
def test_a_boolean_reads_from_a_boolean_and_from_a_string(fields: list[Statement]) -> None:
    for field in fields:
        for written, value in ((True, True), ("true", True), (False, False), ("false", False)):
            assert getattr(read(field, written), field.attribute) is value, field.path


@each_field("text")
def test_a_text_may_have_any_value(fields: list[Statement]) -> None:
    for field in fields:
        assert getattr(read(field, "brand_new"), field.attribute) == "brand_new", field.path


@each_field("time")
@pytest.mark.shows("common timestamps")
def test_a_time_knows_its_timezone(fields: list[Statement]) -> None:
    for field in fields:
        moment = datetime(2024, 2, 29, 7, 0, 0, 125_000, tzinfo=UTC)
        for written in ("2024-02-29T12:30:00.125+05:30", "2024-02-29T07:00:00.125Z"):
            assert getattr(read(field, written), field.attribute) == moment, field.path


@each_of([field for field in FIELDS if is_strict(field)])
def test_a_value_of_another_type_is_unreadable_and_named(fields: list[Statement]) -> None:
    for field in fields:
        with pytest.raises(botdesk.DecodeError, match=f"{field.owner}.{re.escape(field.attribute)}"):
            getattr(read(field, "neither of these"), field.attribute)
