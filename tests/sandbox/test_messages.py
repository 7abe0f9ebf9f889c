"""Messages of the sandbox are for clients in any language: they speak of HTTP and JSON, not of Python."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from sample_calls import SAMPLES, reference
from thorough import THOROUGH

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Raw

FIXTURES = Path(__file__).parents[1] / "fixtures"
INPUTS: dict[str, list[str]] = {
    name: [*operation.get("query", {}), *operation.get("body", {})]
    for name in SAMPLES
    if (operation := reference(name)).keys() & {"query", "body"}
}
CASES = [(operation, field) for operation, fields in INPUTS.items() for field in fields]
# The body of a request that succeeds.
VALID: dict[str, dict[str, Any]] = {
    **{operation: sample.arguments for operation, sample in SAMPLES.items()},
    "dca_bots.edit": json.loads((FIXTURES / "required_dca_bot_edit.json").read_text("utf-8")),
}
WRONG: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**30,
    "",
    "x",
    [],
    ["x"],
    [1],
    [None],
    [{}],
    [{"a": None}],
    {},
    {"a": True},
]
AMOUNTS: list[Any] = [None, True, "half", [], {"a": None}]
STEPS: list[Any] = [[{"amount_percentage": amount, "profit_percentage": 1}] for amount in AMOUNTS]
PYTHON = re.compile(
    r"\b(True|False|None|datetime|timezone|dict|dicts|tuple|Decimal|int|str|bool|float|list of|text in)\b"
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run one sandbox for all cases."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox


def target(operation: str) -> tuple[str, str]:
    method, path = reference(operation)["request"].split(" ")
    return method, re.sub(r"\{\w+\}", str(SAMPLES[operation].record_id), path)


def strings(value: Any) -> Iterator[str]:  # noqa: ANN401
    """Return all strings of a JSON value, but for the names of fields."""
    # Narrowed by `isinstance`, the elements would have no type.
    if type(value).__name__ == "str":
        yield value
    if type(value).__name__ in {"list", "dict"}:
        for element in value.values() if hasattr(value, "values") else value:
            yield from strings(element)


def check(status: int, body: Any) -> None:  # noqa: ANN401
    if status >= 400:
        for message in strings(body):
            assert not PYTHON.search(message), message


@pytest.mark.parametrize(("operation", "field"), CASES)
@pytest.mark.shows("promise messages of the sandbox")
def test_a_wrong_type_is_rejected_without_python_words(raw: Raw, operation: str, field: str) -> None:
    method, path = target(operation)
    # Every third value, and the others for the next fields: fields of a type share their messages.
    wrong = WRONG if THOROUGH else WRONG[INPUTS[operation].index(field) % 3 :: 3]
    for value in wrong + (STEPS if field == "take_profit_steps" else []):
        if method == "GET":
            text = value if isinstance(value, str) else json.dumps(value)
            reply = raw.send(method, f"{path}?{field}={quote(text)}")
        else:
            reply = raw.send_json(method, path, {**VALID[operation], field: value})
        check(reply.status, reply.body)


@pytest.mark.parametrize("operation", INPUTS)
def test_a_wrong_body_is_rejected_without_python_words(raw: Raw, operation: str) -> None:
    method, path = target(operation)
    for body in ("null", "true", "[]", "1", "{", '"x"'):
        reply = raw.send(method, path, body, "application/json")
        # Simple trades have an error of their own.
        assert reply.status == (422 if operation == "trades.create" else 400)
        check(reply.status, reply.body)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("trailing_enabled", "yes", 'must be true or false, not "yes"'),
        ("max_active_deals", 1.5, "must be an integer, not 1.5"),
        ("base_order_volume", True, "must be a decimal, as a string or a number, not true"),
        ("name", ["x"], 'must be a string, not ["x"]'),
        ("strategy_list", "rsi", 'must be an array of strategy objects, not "rsi"'),
    ],
)
def test_a_message_says_what_json_is_needed(raw: Raw, field: str, value: object, message: str) -> None:
    assert raw.send_json("PATCH", "/ver1/bots/41/update", {field: value}).messages()[field] == [message]


def test_the_description_in_openapi_has_no_python_words(sandbox: botdesk.Sandbox) -> None:
    with urllib.request.urlopen(f"{sandbox.url}/openapi.json") as response:  # noqa: S310
        described = list(strings(json.load(response)))
    assert "Take profit in percent; null if the bot has take-profit steps." in described
    assert [text for text in described if PYTHON.search(text)] == []


def test_a_time_is_asked_for_in_iso_8601(raw: Raw) -> None:
    messages = raw.send("GET", "/ver1/bots?from=yesterday").messages()
    assert messages == {"from": ['must be an ISO 8601 timestamp, or seconds since 1970, not "yesterday"']}


def test_a_secret_of_a_wrong_type_is_not_shown(raw: Raw) -> None:
    messages = raw.send_json("POST", "/ver1/accounts/new", {"secret": ["hunter2"]}).messages()
    assert messages["secret"] == ["must be a string"]


def test_the_client_speaks_of_python(sandbox: botdesk.Sandbox) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        sandbox.client().dca_bots.edit(41, trailing_enabled="yes")  # type: ignore[arg-type]
    assert caught.value.errors == {"trailing_enabled": ['must be True or False, not "yes"']}
