"""The rows of the package and the API reference say the same: neither has anything that the other lacks."""

from __future__ import annotations

import contextlib
import itertools
import re
from typing import Any

import pytest
from sample_calls import owner_of

import botdesk

from .reference import ALL_INPUTS, OPERATIONS, RECORDS, Operation, Statement
from .rows import Input, records, rows
from .test_calls import OF_ALL, class_of

each_operation = pytest.mark.parametrize("name", OPERATIONS)
each_input = pytest.mark.parametrize("statement", ALL_INPUTS, ids=lambda statement: statement.path)
BOUNDED = [statement for statement in ALL_INPUTS if statement.type != "list"]


def test_both_have_the_same_operations() -> None:
    assert set(rows()) == set(OPERATIONS)


@each_operation
def test_the_request_and_the_permission_are_the_same(name: str) -> None:
    row, operation = rows()[name], OPERATIONS[name]
    assert (row.method, without_names(row.path)) == (operation.method, without_names(operation.path))
    assert (row.permission, row.security) == (operation.permission, operation.security)


def without_names(path: str) -> list[str]:
    return ["{}" if part.startswith("{") else part for part in path.split("/")]


@each_operation
def test_the_response_is_the_same(name: str) -> None:
    assert (rows()[name].success, rows()[name].returns) == (OPERATIONS[name].success, OPERATIONS[name].returns)


# Any operation may have these, and 413.
COMMON = {error[:3] for error in OF_ALL} | {"413"}
# A state that forbids the action, of which the reference prints no error.
UNDOCUMENTED = {
    "dca_bots.start_deal": {"422"},
    "smart_trades.close": {"400"},
    "smart_trades.force_start": {"400"},
    "smart_trades.close_trade": {"400"},
    "smart_trades.cancel_trade": {"400"},
}


@each_operation
def test_both_have_the_same_statuses_of_errors(name: str) -> None:
    operation, held = OPERATIONS[name], rows()[name].errors
    documented = {error[:3] for error in operation.errors}
    assert documented <= held
    # Inputs may be rejected, whether the reference says so or not.
    of_inputs = {"400"} if operation.inputs else set[str]()
    assert held - documented - COMMON - of_inputs == UNDOCUMENTED.get(name, set())


OF_THEIR_OWN = [[operation] for operation in OPERATIONS.values() if operation.limit]
# Requests that are not signed count together.
SHARED = [
    [operation for operation in OPERATIONS.values() if operation.security == security and not operation.limit]
    for security in ("SIGNED", "NONE")
]


@pytest.mark.parametrize("operations", [*OF_THEIR_OWN, *SHARED], ids=lambda operations: operations[-1].name)
def test_operations_have_the_same_limit(operations: list[Operation]) -> None:
    limit = operations[0].limit or "100 requests per minute, blocked for 300 s"
    # To test the period would take as long.
    most, *_, blocked = map(int, re.findall(r"\d+", limit))
    with botdesk.Sandbox(bots=0, rate_limit=100, rolling_limits=True, retry_after=True) as sandbox:
        # A request without the permission counts too, and gets its response at once.
        key, secret = sandbox.add_key(secret=True, permissions=[])
        client = botdesk.Client(key, secret=secret, base_url=sandbox.url, retries=0, rate_limit=None)
        # A limit of its own would leave a request of the others.
        for operation in itertools.islice(itertools.cycle(operations), most):
            with contextlib.suppress(botdesk.ForbiddenError, botdesk.RecordInvalidError):
                client.request(operation.method, operation.target())
        with pytest.raises(botdesk.RateLimitedError) as caught:
            client.request(operations[0].method, operations[0].target())
    assert caught.value.retry_after == blocked


@each_operation
def test_both_have_the_same_inputs(name: str) -> None:
    documented = {wire: each.where for wire, each in OPERATIONS[name].inputs.items()}
    held = {wire: each.where for wire, each in rows()[name].inputs.items() if is_documented(name, wire)}
    assert held == documented


def is_documented(name: str, wire: str) -> bool:
    """Return True if the reference would list an input: of some objects it has no members, or the members alone."""
    listed = OPERATIONS[name].inputs
    outer = re.split(r"[.\[]", wire)[0]
    has_members = any(re.match(rf"{outer}[.\[]", each) for each in listed)
    is_implied = any(each.startswith((f"{wire}.", f"{wire}[")) for each in listed)
    return wire in listed or not ("." in wire and (not has_members or is_implied))


@each_input
@pytest.mark.shows("contradiction name typed integer", "contradiction purpose typed integer")
def test_an_input_has_the_same_type(statement: Statement) -> None:
    assert agree(statement.types, row_of(statement).types)


@each_input
def test_an_input_is_required_by_both(statement: Statement) -> None:
    row = row_of(statement)
    # The schema of an object can't name what is outside of it.
    assert row.condition == statement.condition or "." in statement.name
    # Either spelling of an input that has two is enough.
    has_another = statement.name in OPERATIONS[statement.owner].sample.get("spelled", {}).values()
    assert row.is_required == statement.is_required or has_another or "listed as required" in statement.says


@each_input
def test_an_input_is_a_secret_of_both(statement: Statement) -> None:
    assert row_of(statement).is_secret == statement.is_secret


# The reference lists other actions for a new grid bot than for an edit; each request takes those of both.
ACTIONS = {
    f"grid_bots.{operation}.{end}_stop_loss_action" for operation in ("create", "edit") for end in ("lower", "upper")
}


@each_input
def test_an_input_has_the_same_choices(statement: Statement) -> None:
    held, documented = set(row_of(statement).choices), set(statement.choices)
    assert held == documented or not documented or (statement.path in ACTIONS and held > documented)


@pytest.mark.parametrize("statement", BOUNDED, ids=lambda statement: statement.path)
def test_an_input_has_the_same_bounds(statement: Statement) -> None:
    for documented, held in zip(statement.bounds, row_of(statement).bounds, strict=True):
        assert documented is None or float(documented) == held


def row_of(statement: Statement) -> Input:
    return rows()[statement.owner].inputs[statement.name]


def agree(documented: set[str], held: set[str]) -> bool:
    # A time is a text.
    held = held | {"text"} if "time" in held else held
    return "any" in documented | held or bool(documented & held)


@pytest.mark.parametrize("record", records())
def test_a_record_has_the_same_fields(record: str) -> None:
    fields, held = RECORDS[record], set(records()[record])
    assert held <= set(fields)
    assert {wire for wire, field in fields.items() if "in some responses" not in field.says} <= held


@pytest.mark.parametrize("record", records())
def test_a_field_has_the_same_type(record: str) -> None:
    held: dict[str, Any] = records()[record]
    for name in held.keys() & RECORDS[record].keys():
        assert agree(RECORDS[record][name].types, held[name].types), name


@each_operation
def test_the_docstring_names_the_class_of_each_documented_error(client: botdesk.Client, name: str) -> None:
    documented = {class_of(error).__name__ for error in OPERATIONS[name].errors if error[:3] not in {"401", "403"}}
    method = getattr(owner_of(client, name), name.rpartition(".")[2])
    raises = method.__doc__.partition("Raises:\n")[2].partition("\n\n")[0]
    assert documented <= set(re.findall(r"(?m)^ +(\w+): ", raises))
