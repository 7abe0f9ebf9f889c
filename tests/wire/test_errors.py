"""All errors can be pickled, and none shows a secret."""

from __future__ import annotations

import copy
import pickle
import traceback
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Calls, Connect, Service

    Fails = Callable[[], botdesk.BotdeskError]

REFUSALS: dict[str, tuple[int, bytes]] = {
    "ApiError": (409, b'{"error":"conflict","error_attributes":{"name":["is taken"]}}'),
    "AuthenticationError": (401, b'{"error":"api_key_invalid_or_expired"}'),
    "ForbiddenError": (403, b'{"error":"Forbidden"}'),
    "InvalidApiKeyError": (422, b'{"error":"invalid_api_key"}'),
    "IpBannedError": (418, b""),
    "MarketApiError": (422, b'{"error":"unknown_market_api_error","error_description":"{:code=>-4019}"}'),
    "NotFoundError": (404, b'{"error":"Not found"}'),
    "PlanRestrictedError": (429, b'{"error":"not available with your current subscription plan"}'),
    "RateLimitedError": (429, b""),
    "RecordInvalidError": (400, b'{"error":"record_invalid","error_attributes":{"name":["is missing"]}}'),
    "ServerError": (502, b"<html>"),
    "SignatureInvalidError": (401, b'{"error":"signature_invalid"}'),
    "WrongParamsError": (400, b'{"error":"Wrong param(s)"}'),
}

OTHERS = [
    "BulkError",
    "ConfigurationError",
    "ConnectionFailedError",
    "DecodeError",
    "EditConflictError",
    "OutcomeUnknownError",
    "RecordingError",
    "RequestTimeoutError",
    "TransportError",
    "ValidationError",
]


def conflict(service: Service, client: botdesk.Client, calls: Calls, bot_json: bytes) -> botdesk.BotdeskError:
    """Make an edit of a bot that another client changes meanwhile."""
    service.responds()
    preview = calls.get(client).preview_edit(take_profit="2.5")
    service.responds(body=bot_json.replace(b'"first"', b'"moved"'))
    return raised(lambda: calls.apply(preview))


def raised(call: Callable[[], object]) -> botdesk.BotdeskError:
    with pytest.raises(botdesk.BotdeskError) as caught:
        call()
    return caught.value


@pytest.fixture(params=[*REFUSALS, *OTHERS])
def error(  # noqa: C901 - one branch for each way to fail
    request: pytest.FixtureRequest,
    *,
    service: Service,
    connect: Connect,
    calls: Calls,
    private_key: str,
    bot_json: bytes,
) -> botdesk.BotdeskError:
    """Return each error of the package, as a call raises it."""
    name: str = request.param
    if name == "ConfigurationError":
        error = raised(lambda: botdesk.Client("a key", private_key, base_url=service.url))
    elif name == "ValidationError":
        error = raised(lambda: calls.list(connect(), limit=0, offset=-1))
    elif name == "ConnectionFailedError":
        service.slams = True
        error = raised(lambda: calls.get(connect(f"https://127.0.0.1:{service.port}")))
    elif name == "RequestTimeoutError":
        service.sends(b"", then="stall")
        error = raised(lambda: calls.get(connect(timeout=1.0)))
    elif name == "RecordingError":
        error = raised(lambda: botdesk.Replay("missing.har"))
    elif name == "OutcomeUnknownError":
        error = raised(lambda: calls.disable(connect()))
    elif name == "TransportError":
        error = raised(lambda: calls.get(connect()))
    elif name == "EditConflictError":
        error = conflict(service, connect(), calls, bot_json)
    elif name == "BulkError":
        service.responds(400, b'{"error":"record_invalid","bot":{"url_secret":"a-secret-of-the-bot"}}')
        error = raised(connect().dca_bots.disable_many([41]).raise_for_failures)
    elif name == "DecodeError":
        service.responds(body=b'{"id":41,"url_secret":"a-secret-of-the-bot"')
        error = raised(lambda: calls.get(connect()))
    else:
        status, body = REFUSALS[name]
        service.responds(status, body, {"X-Request-Id": "5f3c-19", "Retry-After": "7"})
        error = raised(lambda: calls.get(connect()))
    assert type(error).__name__ == name
    return error


def attributes_of(error: botdesk.BotdeskError) -> dict[str, object]:
    """Return the attributes of an error, except for the client that `check()` or `retry_failed()` uses."""
    attributes: dict[str, object] = {name: value for name, value in vars(error).items() if name != "_look"}
    if isinstance(error, botdesk.BulkError):
        attributes["result"] = list(error.result)
    return attributes


def is_same(one: botdesk.BotdeskError, other: botdesk.BotdeskError) -> bool:
    return (
        one is not other
        and type(one) is type(other)
        and str(one) == str(other)
        and one.args == other.args
        and attributes_of(one) == attributes_of(other)
    )


def test_every_error_of_the_package_is_tried_here() -> None:
    names = {*REFUSALS, *OTHERS, "BotdeskError"}
    # It is a KeyboardInterrupt, not an error; the tests of bulk operations cover it. Those of archives raise their own.
    names |= {"BulkInterrupted", "ArchiveError"}
    classes = {name for name, value in vars(botdesk.errors).items() if isinstance(value, type)}
    warnings = {name for name in classes if issubclass(getattr(botdesk.errors, name), Warning)}
    assert names == classes - warnings


def test_an_error_can_be_pickled(error: botdesk.BotdeskError) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert is_same(pickle.loads(pickle.dumps(error, protocol)), error)  # noqa: S301


def test_an_error_can_be_copied(error: botdesk.BotdeskError) -> None:
    assert is_same(copy.copy(error), error)
    assert is_same(copy.deepcopy(error), error)


def test_an_error_has_its_message_and_nothing_else_as_arguments(error: botdesk.BotdeskError) -> None:
    assert str(error)
    assert error.args == (str(error),)


def test_an_error_is_public(error: botdesk.BotdeskError) -> None:
    assert type(error).__module__ == "botdesk.errors"
    assert getattr(botdesk, type(error).__name__) is type(error)


def everything_shown(error: botdesk.BotdeskError) -> str:
    texts = [str(error), repr(error), repr(error.args), repr(vars(error)), *traceback.format_exception(error)]
    return "\n".join(texts)


def test_an_error_shows_no_secret(
    error: botdesk.BotdeskError, service: Service, private_key: str, api_key: str
) -> None:
    output = everything_shown(error)
    assert api_key not in output
    assert "a-secret-of-the-bot" not in output
    for line in private_key.splitlines()[1:-1]:
        assert line not in output
    for request in service.requests:
        assert request.headers["signature"] not in output


@pytest.mark.parametrize(
    "pattern",
    [
        "<pre>{head}</pre>",
        '{"error":"signature_invalid","error_description":"{apikey} {signature}"}',
        '{"error":"record_invalid","error_attributes":{"key":["{apikey} {signature}"]}}',
        '{"error":{"key":"{apikey}","signature":"{signature}"}}',
        '{"error":"cut","debug":"{apikey} {signature}',
    ],
)
@pytest.mark.parametrize("status", [401, 502])
def test_what_a_service_repeats_of_the_request_is_not_shown(
    client: botdesk.Client, service: Service, api_key: str, status: int, pattern: str
) -> None:
    service.echoes(status, pattern)
    output = everything_shown(raised(lambda: client.dca_bots.get(41)))
    assert api_key not in output
    assert service.request().headers["signature"] not in output


def test_what_a_success_repeats_of_the_request_is_not_shown(
    client: botdesk.Client, service: Service, api_key: str
) -> None:
    service.echoes(200)
    output = everything_shown(raised(lambda: client.dca_bots.get(41)))
    assert api_key not in output
    assert service.request().headers["signature"] not in output


@pytest.mark.parametrize("secret", ["apikey", "signature"])
@pytest.mark.parametrize("before", ["", "x" * 150, "x" * 195], ids=len)
def test_an_identifier_that_repeats_a_secret_of_the_request_hides_it(
    client: botdesk.Client, service: Service, calls: Calls, secret: str, before: str
) -> None:
    service.echoes(200, f'{{"id":"{before}{{{secret}}}","name":"x"}}')
    with pytest.raises(botdesk.DecodeError) as caught:
        calls.disable(client)
    (request,) = service.requests
    value = request.headers[secret]
    # Whatever the message cuts off, it has no part of the secret.
    assert not [part for part in (value[:8], value[8:16]) if part in f"{caught.value}{vars(caught.value)}"]


@pytest.mark.parametrize(
    "body",
    [
        b'{"error":"record_invalid","bot":{"url_secret":"hunter2"}}',
        b'{"error":{"url_secret":"hunter2"}}',
        b'{"error":"a","error_description":{"url_secret":"hunter2"}}',
        b'{"error":"a","error_attributes":{"bot":[{"url_secret":"hunter2"}]}}',
        b'{"error":"a","bot":{"url_secret" :\n"hunter2',
    ],
)
def test_the_secret_of_a_bot_in_an_error_is_not_shown(client: botdesk.Client, service: Service, body: bytes) -> None:
    service.responds(422, body)
    output = everything_shown(raised(lambda: client.dca_bots.get(41)))
    assert "hunter2" not in output


@pytest.mark.parametrize(
    "body",
    [
        b"<html>The request is not available with your current subscription plan</html>",
        b'{"error":"a\nb","error_description":"your current Subscription Plan"}',
        rb'{"error":"\ud83d","error_description":"your current subscription plan"}',
    ],
    ids=["HTML", "broken JSON", "half an emoji"],
)
def test_a_429_of_the_plan_is_detected_with_any_body(private_key: str, service: Service, body: bytes) -> None:
    client = botdesk.Client("an-api-key", private_key, base_url=service.url, retries=2, rate_limit=None)
    service.responds(429, body, {"Retry-After": "0"})
    with pytest.raises(botdesk.PlanRestrictedError):
        client.dca_bots.get(41)
    assert len(service.requests) == 1
