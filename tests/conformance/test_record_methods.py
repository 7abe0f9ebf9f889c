"""The operations on one record: its methods do what those of the client do, and leave the record as it was."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import TYPE_CHECKING, Any

import pytest
from sample_calls import owner_of

import botdesk

from .reference import OPERATIONS, RECORDS, Operation, call
from .test_calls import prepare, shown

if TYPE_CHECKING:
    from .conftest import Service


def maker_of(operation: Operation) -> Operation | None:
    """Return an operation that returns the record of another one, or None if the record does not have the method."""
    resource, _, verb = operation.name.partition(".")
    for other in OPERATIONS.values():
        is_of_one = (
            {"id", "uuid"} & RECORDS.get(other.value, {}).keys()
            and other.id is not None
            and "reads" not in other.sample
        )
        # A field may have the name of an operation.
        has_method = is_of_one and callable(getattr(getattr(botdesk, other.value), verb, None))
        if has_method and other.name.startswith(f"{resource}."):
            return other
    return None


MAKERS = {name: maker for name, operation in OPERATIONS.items() if operation.id and (maker := maker_of(operation))}
each_method = pytest.mark.parametrize("name", MAKERS)
each_way = pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "asyncio"])


def made(client: botdesk.Client, service: Service, name: str) -> Any:  # noqa: ANN401
    """Return a record of the client that has the id of the sample."""
    operation, maker = OPERATIONS[name], MAKERS[name]
    service.body = operation.sample.get("reads", maker.response(operation.id))
    record = call(client, maker.name, record_id=operation.id)
    service.requests.clear()
    return record


def invoke(record: object, operation: str, arguments: dict[str, Any], *, awaited: bool = False) -> Any:  # noqa: ANN401
    verb = operation.partition(".")[2]
    if awaited:
        return asyncio.run(getattr(record, f"{verb}_async")(**arguments))
    return getattr(record, verb)(**arguments)


@each_way
@each_method
def test_a_record_sends_the_request_of_the_operation(
    client: botdesk.Client, service: Service, *, name: str, awaited: bool
) -> None:
    record = made(client, service, name)
    before = record.to_json()
    prepare(service, name)
    result = invoke(record, name, OPERATIONS[name].arguments, awaited=awaited)
    (request,) = service.requests
    assert (request.method, request.target.partition("?")[0]) == (OPERATIONS[name].method, OPERATIONS[name].target())
    assert shown(result) == OPERATIONS[name].result(service.body)
    assert record.to_json() == before
    if request.method == "PATCH":
        # The body also has what the record holds.
        assert json.loads(request.body).keys() >= json.loads(OPERATIONS[name].sample["sends"]).keys()
    else:
        assert OPERATIONS[name].sample["sends"] in {request.query, request.body.decode()}


@each_way
@each_method
def test_a_record_that_no_client_made_calls_nothing(name: str, *, awaited: bool) -> None:
    record_id = OPERATIONS[name].id
    fields = json.dumps({"uuid" if isinstance(record_id, str) else "id": record_id})
    record = getattr(botdesk, MAKERS[name].value).from_json(fields)
    with pytest.raises(botdesk.ConfigurationError, match="not made by a client"):
        invoke(record, name, OPERATIONS[name].arguments, awaited=awaited)


@each_method
def test_a_record_takes_the_same_arguments(client: botdesk.Client, name: str) -> None:
    verb = name.partition(".")[2]
    methods = (getattr(getattr(botdesk, MAKERS[name].value), verb), getattr(owner_of(client, name), verb))
    of_record, of_resource = (list(inspect.signature(method).parameters) for method in methods)
    assert of_record[1:] == of_resource[1:]


@each_method
def test_a_record_checks_the_same_rules(client: botdesk.Client, service: Service, name: str) -> None:
    inputs = [each for each in OPERATIONS[name].inputs.values() if "." not in each.name]
    required = [each for each in inputs if each.is_required and "reads" not in OPERATIONS[name].sample]
    record = made(client, service, name)
    for statement in required:
        with pytest.raises(botdesk.ValidationError) as caught:
            invoke(record, name, {**OPERATIONS[name].arguments, statement.argument: None})
        assert set(caught.value.errors) == {statement.argument}
    assert service.requests == []
