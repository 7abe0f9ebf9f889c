"""The rules of each input: what breaks none is sent, and what breaks one is rejected before anything is sent."""

from __future__ import annotations

import json
import re
import traceback
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import botdesk

from .reference import INPUTS, OPERATIONS, Statement, call, valid
from .rows import rows
from .test_calls import prepare, sent_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Service

    Attempt = Callable[..., None]
    Rejected = Callable[..., dict[str, list[str]]]


def path_of(value: object) -> str | None:
    return value.path if isinstance(value, Statement) else None


def each(found: Iterator[Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("statement", "value"), list(found), ids=path_of)


def each_input(chosen: Callable[[Statement], object]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("statement", [one for one in INPUTS if chosen(one)], ids=path_of)


def bounds_of(statement: Statement) -> Iterator[tuple[Decimal, int, bool]]:
    """Return each bound, the direction in which it is exceeded, and whether it is a value itself."""
    row = rows()[statement.owner].inputs[statement.name]
    if statement.name in OPERATIONS[statement.owner].sample.get("formed", ()):
        # A text of any length has the wrong form.
        return
    for documented, held, outward in zip(statement.bounds, row.bounds, (-1, 1), strict=True):
        # The package rejects some values without a meaning that the reference does not mention.
        bound = documented if held is None else Decimal(str(held))
        if bound is not None and statement.type != "list":
            yield bound, outward, "between" not in statement.says


def inside(statement: Statement) -> Iterator[tuple[Statement, object]]:
    for bound, outward, is_value in bounds_of(statement):
        yield statement, written(statement, bound if is_value else bound - outward * Decimal("0.001"))


def outside(statement: Statement) -> Iterator[tuple[Statement, object]]:
    for bound, outward, is_value in bounds_of(statement):
        step = Decimal("0.001") if statement.type == "decimal" else 1
        yield statement, written(statement, bound + outward * step if is_value else bound)


def values_of(
    statement: Statement, limits: Callable[[Statement], Iterator[tuple[Statement, object]]], choices: list[str]
) -> Iterator[object]:
    """Return values at or beyond the bounds, and these choices if the input has some."""
    yield from (value for _, value in limits(statement))
    yield from choices if statement.choices else []


def written(statement: Statement, number: Decimal) -> object:
    """Return a value of this size: a number, or a text of so many characters."""
    if statement.type == "text":
        return "🤖" * int(number)
    return int(number) if statement.type == "integer" else str(number)


@pytest.fixture
def attempt(client: botdesk.Client, service: Service) -> Attempt:
    """Return a function that makes a call with some arguments, and without others."""

    def attempt(statement: Statement, *, left_out: tuple[str, ...] = (), **arguments: object) -> None:
        prepare(service, statement.owner)
        call(client, statement.owner, arguments, left_out=left_out)

    return attempt


@pytest.fixture
def rejected(attempt: Attempt, service: Service) -> Rejected:
    """Return a function that makes such a call, and returns the messages of the error that it raises."""

    def rejected(statement: Statement, **arguments: object) -> dict[str, list[str]]:
        with pytest.raises(botdesk.ValidationError) as caught:
            attempt(statement, **arguments)
        method = OPERATIONS[statement.owner].method
        assert [request.method for request in service.requests if request.method == method] == []
        return caught.value.errors

    return rejected


# A pair has two currencies, however few characters the reference allows.
@each(case for statement in INPUTS if statement.name != "pair" for case in inside(statement))
def test_a_value_at_its_bound_is_sent(attempt: Attempt, service: Service, statement: Statement, value: Any) -> None:  # noqa: ANN401
    attempt(statement, **{statement.argument: value})
    sent = sent_of(service.requests[-1], statement)
    assert sent == value or Decimal(sent) == Decimal(value)


@each(case for statement in INPUTS for case in outside(statement))
def test_a_value_beyond_its_bound_is_rejected(rejected: Rejected, statement: Statement, value: Any) -> None:  # noqa: ANN401
    ((name, (message,)),) = rejected(statement, **{statement.argument: value}).items()
    assert name == statement.argument
    if value != "":
        shown = [len(value) if statement.type == "text" else value, *(bound for bound, *_ in bounds_of(statement))]
        assert [number for number in shown if str(number) not in message] == []


# Edits send what breaks a rule if they are told to.
EDITED = [statement for statement in INPUTS if statement.owner in {"dca_bots.edit", "grid_bots.edit"}]
# The sandbox has few accounts, a bot of one pair has one deal, and an account of one kind has no actions of the other.
LIMITED = {
    "dca_bots.edit.account_id",
    "dca_bots.edit.max_active_deals",
    "grid_bots.edit.lower_stop_loss_action",
    "grid_bots.edit.upper_stop_loss_action",
}


@each((statement, wrong) for statement in EDITED for wrong in values_of(statement, outside, ["brand_new"]))
def test_the_sandbox_rejects_what_is_not_checked(
    sandbox: botdesk.Sandbox, connect: Callable[..., botdesk.Client], statement: Statement, value: object
) -> None:
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        call(connect(), statement.owner, {statement.argument: value, "validate": False})
    assert set(caught.value.error_attributes) == {statement.name}
    assert sandbox.requests[-1].carried_out is False


@each(
    (statement, right)
    for statement in EDITED
    for right in values_of(statement, inside, statement.choices)
    if statement.path not in LIMITED
)
def test_the_sandbox_accepts_what_breaks_no_rule(
    connect: Callable[..., botdesk.Client],
    statement: Statement,
    value: Any,  # noqa: ANN401
) -> None:
    result = call(connect(), statement.owner, {statement.argument: value})
    assert getattr(result, statement.argument) == (value if statement.type == "text" else Decimal(value))


@pytest.mark.shows("fact scope of some servers")
@each((statement, choice) for statement in INPUTS for choice in statement.choices)
def test_a_documented_value_is_sent(attempt: Attempt, service: Service, statement: Statement, value: str) -> None:
    attempt(statement, **{statement.argument: value})
    assert sent_of(service.requests[-1], statement) == value


@each_input(lambda statement: statement.choices)
@pytest.mark.shows("contradiction order_direction in brackets")
def test_any_other_value_is_rejected_with_those_that_exist(rejected: Rejected, statement: Statement) -> None:
    for wrong in (
        "brand_new",
        statement.choices[0].swapcase(),
        f" {statement.choices[0]}",
        f"[{statement.choices[0]}]",
    ):
        ((name, (message,)),) = rejected(statement, **{statement.argument: wrong}).items()
        assert name == statement.argument
        assert [choice for choice in statement.choices if choice not in message] == []


def is_sent_by_default(statement: Statement) -> bool:
    """Whether the client sends a value of its own if the argument is left out."""
    sample = OPERATIONS[statement.owner].sample
    is_sent = f'"{statement.name}":' in sample["sends"] and "reads" not in sample
    return is_sent and statement.argument not in sample.get("arguments", {})


def is_needed(statement: Statement) -> bool:
    # Of an input with two spellings, either is needed.
    is_other_spelling = statement.name in OPERATIONS[statement.owner].sample.get("spelled", {}).values()
    is_listed = "listed as required" in statement.says and "default" not in statement.says
    if is_sent_by_default(statement):
        return False
    return statement.is_required or is_listed or is_other_spelling


@each_input(is_needed)
def test_a_required_input_cannot_be_none(rejected: Rejected, statement: Statement) -> None:
    assert set(rejected(statement, **{statement.argument: None})) == {statement.argument}


def is_always_needed(statement: Statement) -> bool:
    """Return True unless the record that is read before a write has the input."""
    return is_needed(statement) and "reads" not in OPERATIONS[statement.owner].sample


@each_input(is_always_needed)
def test_a_required_input_cannot_be_left_out(attempt: Attempt, service: Service, statement: Statement) -> None:
    with pytest.raises((botdesk.ValidationError, TypeError), match=rf"'?{statement.argument}\b'?"):
        attempt(statement, left_out=(statement.argument,))
    assert service.requests == []


@pytest.mark.filterwarnings("ignore:.* is empty")
@each_input(lambda statement: is_always_needed(statement) and statement.type == "text")
def test_a_required_text_cannot_be_empty(rejected: Rejected, statement: Statement) -> None:
    assert set(rejected(statement, **{statement.argument: ""})) == {statement.argument}


@each_input(lambda statement: statement.condition)
def test_an_input_is_required_by_another(
    rejected: Rejected, attempt: Attempt, service: Service, statement: Statement
) -> None:
    name, value = statement.condition or ("", "")
    cause = {name: True if value == "true" else value}
    for missing in ({}, {statement.argument: None}):
        ((argument, (message,)),) = rejected(statement, **cause, **missing).items()
        assert (argument, name in message) == (statement.argument, True)
    if value == "true":
        for off in (False, None):
            attempt(statement, **{name: off}, left_out=(statement.argument,))
    attempt(statement, **cause, **{statement.argument: valid(statement)})
    assert str(sent_of(service.requests[-1], statement)) == str(valid(statement))


# Values that are of no type that an input of this type takes.
WRONG: dict[str, list[Any]] = {
    "decimal": [
        *("high", "NaN", "Infinity", " 1", "1,5", "1_000", "+1", "0x10", "\ud800", True, [1], {"a": 1}, {}, {1}),
        *(float("inf"), float("-inf"), b"1", bytearray(b"1"), Fraction(1, 2), 1j, object),
        *(Decimal(text) for text in ("NaN", "sNaN", "Infinity", "1E+9999")),
    ],
    "integer": [
        *(1.5, "many", True, "1.5", "5", [1], {}, Decimal("5.5"), 2**63, b"5", np.float64(5.5), np.bool_(1)),
    ],
    "boolean": [1, 0, 1.0, "yes", "true", "False", [], [True], {}, np.int64(1), np.array([True])],
    "text": [5, 1.5, True, ["\ud800"], {1: object()}, {"x"}, object(), "\ud800", "a\udc00b", b"x"],
    "list": ["text", [object()], {"a": 1}, 5, object(), {"text"}, [5], [[]], [None], {}],
    "object": ["text", [1], [], 5, True, {1: object()}],
}


# Values of another type that an argument takes all the same: seconds since 1970, and prices of a SmartTrade.
SHORT: dict[str, list[Any]] = {"date": [5], "from_": [5], "to": [5], "take_profit": [5, [1]], "stop_loss": [5]}


@each_input(lambda statement: statement.type in WRONG)
def test_a_value_of_another_type_is_rejected(rejected: Rejected, statement: Statement) -> None:
    taken = SHORT.get(statement.argument, []) if statement.type != "decimal" else []
    for wrong in (wrong for wrong in WRONG[statement.type] if wrong not in taken):
        errors = rejected(statement, **{statement.argument: wrong})
        assert [name for name in errors if re.match(rf"{statement.argument}\b", name)], repr(wrong)


@each_input(lambda statement: statement.is_secret)
def test_an_error_about_a_secret_shows_none(attempt: Attempt, service: Service, statement: Statement) -> None:
    inputs = OPERATIONS[statement.owner].inputs.values()
    secrets = {each.argument: f"canary-{each.name}" for each in inputs if each.is_secret}
    secret = secrets[statement.argument]
    for wrong in ([secret], {secret: secret}, f"{secret}\ud800", secret.encode()):
        with pytest.raises(botdesk.ValidationError) as caught:
            attempt(statement, **{**secrets, statement.argument: wrong})
        error = caught.value
        assert list(error.errors) == [statement.argument]
        assert "canary" not in "".join([str(error), repr(error), repr(vars(error)), *traceback.format_exception(error)])
    assert service.requests == []


def bounds_are_wide(statement: Statement) -> bool:
    low, high = statement.bounds
    return (low is None or low <= 0) and (high is None or high > 13)


def wide(statement: Statement) -> dict[str, str]:
    """Return bounds of a range between which any of the values is, if the operation has a range."""
    inputs = OPERATIONS[statement.owner].inputs
    return {name: price for name, price in (("lower_price", "1"), ("upper_price", "90000")) if name in inputs}


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ("12.50", "12.50"),
        (Decimal("12.50"), "12.50"),
        (12, "12"),
        (12.5, "12.5"),
        ("1.25e1", "12.5"),
        ("12." + "1" * 60, "12." + "1" * 60),
    ],
    ids=["text", "Decimal", "int", "float", "exponent", "long"],
)
@pytest.mark.shows("promise decimals of grid edits")
@each_input(lambda statement: statement.type == "decimal" and bounds_are_wide(statement))
def test_a_decimal_is_sent_with_its_digits(
    attempt: Attempt, service: Service, statement: Statement, value: object, sent: str
) -> None:
    # A price is between the two others, if there are two.
    attempt(statement, **{**wide(statement), statement.argument: value})
    raw = re.search(rf'"{statement.name}":"?([^",}}]+)', service.requests[-1].body.decode())
    assert raw is not None
    assert raw[1] == sent


def takes_any_text(statement: Statement) -> bool:
    values = OPERATIONS[statement.owner].sample.get("values", {})
    return statement.type == "text" and not statement.choices and statement.argument not in values


@each_input(takes_any_text)
def test_a_text_beyond_ascii_travels_whole_and_in_ascii(
    attempt: Attempt, service: Service, statement: Statement
) -> None:
    text = 'Früh & 10% +[x|y]"#?/\\ Бот 🤖'
    attempt(statement, **{statement.argument: text})
    request = service.requests[-1]
    assert (request.target + request.body.decode("ascii")).isascii()
    assert sent_of(request, statement) == text


# The reference does not mark it as required, although nothing can be created without it.
UNMARKED = {"smart_trades.create.position"}


def is_left_out(statement: Statement) -> bool:
    return statement.path not in UNMARKED and not (
        is_needed(statement) or is_sent_by_default(statement) or "default" in statement.says
    )


@each_input(is_left_out)
@pytest.mark.shows("fact None on purpose")
def test_none_is_sent_only_in_an_edit(attempt: Attempt, service: Service, statement: Statement) -> None:
    # None of those that are given together or not at all.
    together: list[str] = OPERATIONS[statement.owner].sample.get("together", [])
    others = {*together} - {statement.argument} if statement.argument in together else ()
    attempt(statement, left_out=tuple(others), **{statement.argument: None})
    request = service.requests[-1]
    # A SmartTrade is edited by whole parts, of which None is none.
    if request.method == "PATCH" and statement.owner != "smart_trades.edit":
        assert json.loads(request.body).get(statement.name, ...) is None
    else:
        assert f"{statement.name}=" not in request.query
        assert f'"{statement.name}"' not in request.body.decode()


@pytest.mark.parametrize("name", OPERATIONS)
def test_everything_that_is_missing_or_wrong_is_reported_at_once(
    client: botdesk.Client, service: Service, name: str
) -> None:
    prepare(service, name)
    inputs = [each for each in OPERATIONS[name].inputs.values() if "." not in each.name]
    needed = {each.argument for each in inputs if is_always_needed(each)}
    with pytest.raises((botdesk.ValidationError, TypeError)) as caught:
        call(client, name, {**dict.fromkeys(needed), "colour": "red"})
    if isinstance(caught.value, botdesk.ValidationError):
        assert set(caught.value.errors) == {*needed, "colour"}
    assert re.search("colour|takes no keyword arguments", str(caught.value))
    assert [request for request in service.requests if request.method == OPERATIONS[name].method != "GET"] == []


def is_left_to_the_service(statement: Statement) -> bool:
    """Whether the service has a default, and the client has none of its own that is safer."""
    sample = OPERATIONS[statement.owner].sample
    is_sent = f'"{statement.name}"' in sample["sends"] and statement.argument not in sample.get("arguments", {})
    return "default" in statement.says and "listed" not in statement.says and ("reads" in sample or not is_sent)


@each_input(is_left_to_the_service)
def test_a_default_of_the_service_is_not_sent(attempt: Attempt, service: Service, statement: Statement) -> None:
    attempt(statement, left_out=(statement.argument,))
    read = OPERATIONS[statement.owner].sample.get("reads", "")
    assert f'"{statement.name}"' in read or f"&{statement.name}=" not in f"&{service.requests[-1].query}"
    assert f'"{statement.name}"' in read or f'"{statement.name}"'.encode() not in service.requests[-1].body
