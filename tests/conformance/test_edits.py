"""Edits of a record: what the record holds is sent along, and meets the rules together with what changes."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .reference import INPUTS, OPERATIONS, RECORDS, Statement, call, valid
from .test_record_methods import MAKERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Service

    Held = Callable[..., Any]

CHANGE = {"name": "Edited"}


def field_of(statement: Statement) -> str:
    """Return the field of the record that has the value of an input."""
    spelled: dict[str, str] = OPERATIONS[statement.owner].sample.get("spelled", {})
    return spelled.get(statement.name, statement.name)


# Of two spellings of an input, one is enough here. Each edit changes the name.
EDITED = [
    statement
    for statement in INPUTS
    if OPERATIONS[statement.owner].method == "PATCH"
    and CHANGE.keys() <= OPERATIONS[statement.owner].inputs.keys()
    and field_of(statement) in RECORDS[MAKERS[statement.owner].returns]
    and statement.name not in {*CHANGE, *OPERATIONS[statement.owner].sample.get("spelled", {}).values()}
]
# One is sent only if it is given, the others only beside a type of leverage.
NOT_ALONE = {
    "dca_bots.edit.account_id",
    "dca_bots.edit.leverage_custom_value",
    "grid_bots.edit.leverage_custom_value",
}


def each_input(chosen: Callable[[Statement], object]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "statement", [one for one in EDITED if chosen(one)], ids=lambda statement: statement.path
    )


@pytest.fixture
def held(client: botdesk.Client, service: Service) -> Held:
    """Return a function that gets a record with these fields; it has no field whose value is `...`."""

    def held(statement: Statement, **fields: object) -> Any:  # noqa: ANN401
        operation, maker = OPERATIONS[statement.owner], MAKERS[statement.owner]
        whole = json.loads(operation.sample.get("reads", maker.response(operation.id)), parse_float=Decimal)
        fields = {name: value for name, value in {**whole, **fields}.items() if value is not ...}
        service.body = json.dumps(fields, default=str)
        record = call(client, maker.name, record_id=operation.id)
        service.requests.clear()
        return record

    return held


def rejected(record: Any, **changes: object) -> dict[str, list[str]]:  # noqa: ANN401
    with pytest.raises(botdesk.ValidationError) as caught:
        record.edit(**changes)
    return caught.value.errors


def body_of(service: Service) -> dict[str, Any]:
    (request,) = service.requests
    body: dict[str, Any] = json.loads(request.body, parse_float=Decimal)
    return body


@each_input(lambda statement: statement.is_required)
def test_a_required_field_that_the_record_lacks_is_reported(held: Held, service: Service, statement: Statement) -> None:
    for lacking in (..., None):
        assert rejected(held(statement, **{field_of(statement): lacking}), **CHANGE) == {
            statement.argument: ["is required"]
        }
    assert service.requests == []


@each_input(lambda statement: statement.is_required)
def test_a_required_field_cannot_be_taken_away(held: Held, service: Service, statement: Statement) -> None:
    assert set(rejected(held(statement), **{statement.argument: None})) == {statement.argument}
    assert service.requests == []


@each_input(lambda statement: not statement.is_required)
@pytest.mark.shows("fact null is not echoed", "fact null trailing_enabled")
def test_a_null_field_of_the_record_is_not_sent(held: Held, service: Service, statement: Statement) -> None:
    cause, _ = statement.condition or ("", "")
    held(statement, **{field_of(statement): None, cause: False}).edit(**CHANGE)
    assert statement.name not in body_of(service)


@each_input(lambda statement: statement.path not in NOT_ALONE)
def test_a_field_of_the_record_is_sent_along(held: Held, service: Service, statement: Statement) -> None:
    value = valid(statement)
    held(statement, **{field_of(statement): value}).edit(**CHANGE)
    sent = body_of(service)[statement.name]
    assert sent == value or Decimal(sent) == Decimal(value)


@each_input(lambda statement: statement.condition)
def test_an_input_that_another_requires_may_be_one_of_the_record(
    held: Held, service: Service, statement: Statement
) -> None:
    (cause, _), name, value = statement.condition or ("", ""), statement.name, valid(statement)
    held(statement, **{name: value}).edit(**{cause: True})
    assert Decimal(body_of(service)[name]) == Decimal(value)
    for record, changes in (
        (held(statement, **{name: ...}), {cause: True}),
        (held(statement, **{name: None}), {cause: True}),
        (held(statement, **{name: value, cause: True}), {name: None}),
    ):
        assert set(rejected(record, **changes)) == {name}
        assert service.requests == []
    for off in (False, None):
        held(statement, **{name: ...}).edit(**{cause: off})
        assert name not in body_of(service)
