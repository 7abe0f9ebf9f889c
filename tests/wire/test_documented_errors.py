"""Every error that is known of the service: its class, what its message says, and whether a read is repeated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest

import botdesk

from .conftest import API_KEY

if TYPE_CHECKING:
    from .conftest import Service

PLAN = "The request type 'read' is not available with your current subscription plan"
PAGE = "<html><head><title>Bad Gateway</title></head></html>"
OF_STATE = "or the state of the record or of the account forbids it"
# A read is repeated once after a fault of the service, and as often as the client allows after one of a gateway.
ONCE, RETRIES = 2, 3


class Row(NamedTuple):
    """An error response, and what becomes of it."""

    status: int
    body: dict[str, object] | str
    expected: type[botdesk.ApiError]
    says: str = ""
    requests: int = 1
    exception_class: str | None = None


def code(error: str, description: str | None = None, **attributes: list[str]) -> dict[str, object]:
    """Return the body of an error."""
    body: dict[str, object] = {"error": error}
    if description is not None:
        body["error_description"] = description
    return {**body, "error_attributes": attributes} if attributes else body


ROWS = [
    Row(
        400,
        code("record_invalid", "Invalid parameters", name=["is missing"]),
        botdesk.RecordInvalidError,
        "name: is missing",
    ),
    Row(
        400,
        code("record_invalid", scope=["does not have a valid value"]),
        botdesk.RecordInvalidError,
        "scope: does not",
    ),
    Row(400, code("Not found"), botdesk.NotFoundError),
    Row(400, code("not_found"), botdesk.NotFoundError),
    Row(400, code("Wrong param(s)", "Reduce funds is not allowed"), botdesk.WrongParamsError, "Reduce funds"),
    Row(400, code("unprocessable_entity"), botdesk.WrongParamsError),
    Row(400, code("something_new"), botdesk.ApiError, "something_new"),
    Row(401, code("signature_invalid"), botdesk.SignatureInvalidError, "a self-generated key has a private key"),
    Row(
        401,
        code("api_key_invalid_or_expired"),
        botdesk.AuthenticationError,
        "has not expired, and may be used from this IP",
    ),
    Row(401, code("something_new"), botdesk.AuthenticationError, "something_new"),
    Row(403, code("access_denied"), botdesk.ForbiddenError),
    Row(
        403,
        code("Forbidden", "The API key lacks a permission"),
        botdesk.ForbiddenError,
        "(The API key lacks a permission)",
    ),
    Row(403, code("Forbidden", "Account 7 is not yours"), botdesk.ForbiddenError, "(Account 7 is not yours)"),
    Row(403, code("Forbidden"), botdesk.ForbiddenError, OF_STATE),
    Row(403, code("Forbidden. Unavailable for this account."), botdesk.ForbiddenError, "Unavailable for this account."),
    Row(403, code("Forbidden. Unavailable for this account type."), botdesk.ForbiddenError, "this account type."),
    Row(404, code("Not found"), botdesk.NotFoundError),
    Row(404, code("not_found"), botdesk.NotFoundError),
    Row(404, code("Volume data not found"), botdesk.NotFoundError, "Volume data not found"),
    Row(409, code("conflict"), botdesk.ApiError, "conflict"),
    Row(418, "", botdesk.IpBannedError, "banned for minutes to days; stop sending requests"),
    Row(
        422,
        {"error": "record_invalid", "error_attributes": {"units[value]": ["too small"]}},
        botdesk.RecordInvalidError,
        "units.value: too small",
    ),
    Row(422, code("invalid_request"), botdesk.RecordInvalidError),
    Row(422, code("Cant be cancelled"), botdesk.WrongParamsError),
    Row(422, code("account_not_deletable"), botdesk.WrongParamsError),
    Row(422, code("bnb_dust_limit_error"), botdesk.WrongParamsError),
    Row(422, code("invalid_api_key"), botdesk.InvalidApiKeyError, "the exchange rejects the API key of the account"),
    Row(422, code("unknown_market_api_error", "{:code=>-4019}"), botdesk.MarketApiError, "({:code=>-4019})"),
    Row(422, code("something_new"), botdesk.ApiError, "something_new"),
    Row(429, code("Too many requests"), botdesk.RateLimitedError, "wait 300 s before the next request"),
    Row(429, "", botdesk.RateLimitedError),
    Row(429, code(PLAN), botdesk.PlanRestrictedError, "waiting does not help"),
    Row(500, code("unknown_error"), botdesk.ServerError, "unknown_error", ONCE),
    Row(500, code("unknown_error #JSON::ParserError"), botdesk.ServerError, exception_class="JSON::ParserError"),
    Row(500, code("unknown_error #NoMethodError"), botdesk.ServerError, exception_class="NoMethodError"),
    Row(
        500,
        code("unknown_error #ActiveRecord::StatementInvalid"),
        botdesk.ServerError,
        exception_class="ActiveRecord::StatementInvalid",
    ),
    Row(
        500,
        code("unknown_error #Exceptions::OrderCancellingNeedsToWaitForInfo"),
        botdesk.ServerError,
        exception_class="Exceptions::OrderCancellingNeedsToWaitForInfo",
    ),
    Row(
        500,
        code("The deal is open #Exceptions::OpenDealPresentForThisPair"),
        botdesk.ServerError,
        exception_class="Exceptions::OpenDealPresentForThisPair",
    ),
    Row(500, code("grid_lines_not_marked"), botdesk.ServerError, "grid_lines_not_marked"),
    Row(500, code("unknown_market50x_error"), botdesk.ServerError, "unknown_market50x_error", ONCE),
    Row(500, code("pair_not_supported"), botdesk.ServerError, "pair_not_supported"),
    Row(502, PAGE, botdesk.ServerError, "502", RETRIES),
    Row(503, "", botdesk.ServerError, "503", RETRIES),
    Row(504, PAGE, botdesk.ServerError, "504", RETRIES),
    # Case, and blanks in place of underscores, do not matter.
    Row(400, code("Record Invalid"), botdesk.RecordInvalidError),
    Row(404, code("NOT_FOUND"), botdesk.NotFoundError),
    Row(400, code("wrong_param(s)"), botdesk.WrongParamsError),
    # What is no JSON has the class of its status.
    Row(403, PAGE, botdesk.ForbiddenError, "a proxy or content network in front of the service refused the request"),
    Row(404, "record_invalid", botdesk.NotFoundError),
]


def name_of(row: Row) -> str:
    words = [str(word) for word in row.body.values()] if isinstance(row.body, dict) else [row.body]
    return f"{row.status} {' '.join(words)[:60]}"


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_an_error_has_its_class_and_says_what_to_do(service: Service, private_key: str, row: Row) -> None:
    at_once = botdesk.RetryPolicy(RETRIES - 1, backoff=0.0)
    client = botdesk.Client(API_KEY, private_key, base_url=service.url, retries=at_once, rate_limit=None)
    for number in range(RETRIES):
        service.responds(
            row.status,
            (json.dumps(row.body) if isinstance(row.body, dict) else row.body).encode(),
            {"X-Request-Id": f"id-{number}"},
        )
    with pytest.raises(botdesk.ApiError) as caught:
        client.dca_bots.get(41)
    error = caught.value
    assert type(error) is row.expected
    assert row.says in str(error)
    assert (error.status, error.exception_class, error.request_id) == (
        row.status,
        row.exception_class,
        f"id-{row.requests - 1}",
    )
    assert len(service.requests) == row.requests
    assert error.error == (row.body["error"] if isinstance(row.body, dict) else None)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_write_is_not_repeated_and_its_outcome_is_unknown(
    client: botdesk.Client, service: Service, status: int
) -> None:
    service.responds(status, b"")
    with pytest.raises(botdesk.ServerError, match="it may have been carried out; look before you repeat it"):
        client.dca_bots.disable(41)
    assert len(service.requests) == 1


def test_a_request_outside_of_the_plan_is_an_error_of_permission(client: botdesk.Client, service: Service) -> None:
    service.responds(429, json.dumps({"error": PLAN}).encode())
    with pytest.raises(botdesk.ForbiddenError, match="subscription plan"):
        client.dca_bots.get(41)
