"""Responses that are not the requested record: they never lead to a write, and never pass as a success."""

from __future__ import annotations

import asyncio
import json
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sample_calls import SAMPLES

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Calls, Service

    Call = Callable[..., Any]

FIXTURES = Path(__file__).parents[1] / "fixtures"

# Bodies that are not bot 41 or account 41, with a part of the error message about each.
NOT_41 = {
    "another": (b'{"id":42,"name":"x"}', "42, not 41"),
    "another in text": (b'{"id":"42","name":"x"}', '"42", not 41'),
    "not a number": (b'{"id":"forty-one","name":"x"}', '"forty-one", not 41'),
    "negative": (b'{"id":-41,"name":"x"}', "-41, not 41"),
    "null": (b'{"id":null,"name":"x"}', "it has no id"),
    "without": (b'{"name":"x"}', "it has no id"),
    "the last of two": (b'{"id":41,"name":"x","id":42}', "42, not 41"),
    "empty": (b"{}", "it has no id"),
    "an error about it": (b'{"id":41,"name":"x","error":"Forbidden"}', "the body is an error: Forbidden"),
    "an error": (b'{"error":"record_invalid","error_description":"Invalid parameters"}', "record_invalid (Invalid"),
}
BODIES = pytest.mark.parametrize(("body", "why"), NOT_41.values(), ids=NOT_41)
WRITES = ["dca_bots.disable", "dca_bots.cancel_all_deals", "accounts.load_balances", "grid_bots.enable"]


@pytest.fixture(params=["blocking", "asyncio"])
def call(request: pytest.FixtureRequest) -> Call:
    """Call an operation by its name, once blocking and once as a coroutine."""

    def call(owner: Any, operation: str, *args: object, **named: object) -> Any:  # noqa: ANN401
        *path, method = operation.split(".")
        for name in path:
            owner = getattr(owner, name)
        if request.param == "blocking":
            return getattr(owner, method)(*args, **named)
        return asyncio.run(getattr(owner, f"{method}_async")(*args, **named))

    return call


def methods(service: Service) -> list[str]:
    return [request.method for request in service.requests]


@BODIES
@pytest.mark.shows("promise the requested record")
def test_an_edit_is_not_sent_after_a_read_of_something_else(
    client: botdesk.Client, service: Service, call: Call, body: bytes, why: str
) -> None:
    service.responds(body=body)
    with pytest.raises(botdesk.DecodeError) as caught:
        call(client, "dca_bots.edit", 41, name="New")
    assert why in str(caught.value)
    assert caught.value.method == "GET"
    assert methods(service) == ["GET"]


@BODIES
def test_a_read_of_something_else_is_a_decode_error(
    client: botdesk.Client, service: Service, call: Call, body: bytes, why: str
) -> None:
    service.responds(body=body)
    with pytest.raises(botdesk.DecodeError) as caught:
        call(client, "dca_bots.get", 41)
    assert why in str(caught.value)
    assert "carried out" not in str(caught.value)


@BODIES
@pytest.mark.parametrize("operation", WRITES)
@pytest.mark.shows("promise a success that is not a record")
def test_the_error_of_a_write_with_a_malformed_response_warns_that_it_may_have_been_applied(
    *, client: botdesk.Client, service: Service, call: Call, operation: str, body: bytes, why: str
) -> None:
    service.responds(201, body=body)
    with pytest.raises(botdesk.DecodeError) as caught:
        call(client, operation, 41)
    assert why in str(caught.value)
    assert "probably carried out" in str(caught.value)
    assert len(service.requests) == 1


def test_the_bot_that_was_requested_is_the_one_that_is_edited(
    client: botdesk.Client, service: Service, call: Call
) -> None:
    service.responds()
    service.responds()
    call(client, "dca_bots.edit", 41, name="New")
    assert service.requests[-1].target == "/public/api/ver1/bots/41/update"


def test_a_refresh_that_returns_another_bot_is_a_decode_error(
    client: botdesk.Client, service: Service, call: Call, calls: Calls
) -> None:
    service.responds()
    bot = calls.get(client)
    service.responds(body=b'{"id":42}')
    with pytest.raises(botdesk.DecodeError, match="42, not 41"):
        call(bot, "refresh")


def test_a_preview_is_not_applied_after_a_read_of_another_bot(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes
) -> None:
    service.responds()
    preview = calls.get(client).preview_edit(name="New")
    service.responds(body=bot_json.replace(b'"id":41', b'"id":42'))
    with pytest.raises(botdesk.DecodeError, match="42, not 41"):
        calls.apply(preview)
    assert methods(service) == ["GET", "GET"]


def test_a_check_after_an_unknown_outcome_looks_at_the_same_bot(
    client: botdesk.Client, service: Service, call: Call
) -> None:
    service.sends(b"", then="close")
    with pytest.raises(botdesk.OutcomeUnknownError) as caught:
        call(client, "dca_bots.disable", 41)
    service.responds(body=b'{"id":42}')
    with pytest.raises(botdesk.DecodeError, match="42, not 41"):
        call(caught.value, "check")


def test_many_edits_leave_out_a_bot_that_was_read_as_another(
    client: botdesk.Client, service: Service, call: Call, bot_json: bytes
) -> None:
    service.responds(body=bot_json.replace(b'"id":41', b'"id":42'))
    result = call(client, "dca_bots.edit_many", [41], name="New", concurrency=1)
    assert ([item.id for item in result.failed], result.done, result.unknown) == ([41], [], [])
    assert methods(service) == ["GET"]


def test_many_writes_call_a_response_for_another_bot_unknown(
    client: botdesk.Client, service: Service, call: Call
) -> None:
    service.responds(201, body=b'{"id":42}')
    result = call(client, "dca_bots.disable_many", [41], concurrency=1)
    assert (result.failed, result.done, [item.id for item in result.unknown]) == ([], [], [41])


def test_a_watch_reports_a_bot_that_was_read_as_another_as_a_failure(client: botdesk.Client, service: Service) -> None:
    service.responds(body=b'[{"id":41,"is_enabled":true,"active_deals_count":1}]')
    service.responds(body=b"[]")
    service.responds(body=b'{"id":42,"active_deals":[]}')
    errors: list[botdesk.BotdeskError] = []
    client.dca_bots.watch(on_error=errors.append).poll()
    (error,) = errors
    assert isinstance(error, botdesk.DecodeError)
    assert "42, not 41" in str(error)


@pytest.mark.parametrize("body", [b"{}", b'{"error":"Forbidden"}', b'{"new":1}'])
@pytest.mark.parametrize("operation", ["accounts.deposit_data", "smart_trades.reduce_funds_info"])
def test_an_object_without_any_documented_field_is_not_a_record(
    client: botdesk.Client, service: Service, call: Call, operation: str, body: bytes
) -> None:
    service.responds(body=body)
    with pytest.raises(botdesk.DecodeError) as caught:
        call(client, operation, 41, **SAMPLES[operation].arguments)
    assert caught.value.body == body.decode()


@pytest.mark.parametrize("body", [b"{}", b'{"error":"Forbidden. Unavailable for this account."}'])
def test_an_error_in_place_of_a_list_of_networks_is_a_decode_error(
    client: botdesk.Client, service: Service, call: Call, body: bytes
) -> None:
    service.responds(body=body)
    with pytest.raises(botdesk.DecodeError):
        call(client, "accounts.networks_info", 41)


def test_an_element_of_a_list_without_any_documented_field_is_unreadable(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds(body=b'[{"id":1},{},{"error":"record_invalid"}]')
    first, *others = calls.list(client)
    assert first.id == 1
    for bot in others:
        for same in (bot, pickle.loads(pickle.dumps(bot))):  # noqa: S301
            assert "unreadable" in repr(same)
            with pytest.raises(botdesk.DecodeError, match="not a field of the object"):
                _ = same.name


@pytest.mark.shows("promise a success that is not a record")
@pytest.mark.parametrize("kept", [1, 3, 4, 10, 40])
def test_an_error_beside_a_part_of_a_record_is_an_error(
    client: botdesk.Client, service: Service, calls: Calls, kept: int
) -> None:
    fields = json.loads((FIXTURES / "dca_bot.json").read_text())
    part = {**dict(list(fields.items())[:kept]), "id": 41, "error": "Forbidden"}
    service.responds(body=json.dumps(part).encode())
    with pytest.raises(botdesk.DecodeError, match="the body is an error: Forbidden"):
        calls.disable(client)


def test_an_error_in_a_list_is_unreadable(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds(body=b'[{"id":1,"name":"first"},{"id":2,"name":"x","error":"Forbidden"}]')
    first, other = calls.list(client)
    assert first.name == "first"
    with pytest.raises(botdesk.DecodeError, match="not a field of the object"):
        _ = other.name


def test_a_new_account_needs_an_identifier(client: botdesk.Client, service: Service, call: Call) -> None:
    service.responds(body=b'{"error":"record_invalid"}')
    with pytest.raises(botdesk.DecodeError, match="record_invalid"):
        call(client, "accounts.add", type="x", name="Main", api_key="a-key", secret="a-secret", types_to_create=[])


def test_a_secret_in_an_error_body_is_not_repeated(client: botdesk.Client, service: Service, call: Call) -> None:
    service.responds(body=b'{"error":"no such key: canary-of-a-secret"}')
    keys = {"api_key": "a-key", "secret": "canary-of-a-secret"}
    with pytest.raises(botdesk.DecodeError) as caught:
        call(client, "accounts.add", type="x", name="Main", types_to_create=[], **keys)
    assert "canary" not in f"{caught.value}{caught.value.body}"
