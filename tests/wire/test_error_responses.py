"""Error responses of the service: each error of the API reference, and malformed ones."""

from __future__ import annotations

import datetime as dt
import email.utils
import gzip
import json
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from .conftest import Calls, Connect, Service

PATH = "/public/api/ver1/bots/41/show"

PLAN = "The request type 'read' is not available with your current subscription plan"

HTML = b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n</html>\r\n"


def api_error(client: botdesk.Client, calls: Calls) -> botdesk.ApiError:
    with pytest.raises(botdesk.ApiError) as caught:
        calls.get(client)
    return caught.value


@pytest.mark.shows("response error body")
def test_an_error_shows_all_that_the_response_does(client: botdesk.Client, service: Service, calls: Calls) -> None:
    body = (
        b'{"error":"record_invalid","error_description":"Invalid parameters",'
        b'"error_attributes":{"stop_loss_percentage":["is too high","is odd"],"name":["is missing"]}}'
    )
    service.responds(400, body, {"X-Request-Id": "5f3c-19"})
    error = api_error(client, calls)
    assert error.status == 400
    assert error.error == "record_invalid"
    assert error.error_description == "Invalid parameters"
    assert error.error_attributes == {"stop_loss_percentage": ["is too high", "is odd"], "name": ["is missing"]}
    assert error.request_id == "5f3c-19"
    assert (error.method, error.path) == ("GET", PATH)
    assert error.body == body.decode()


def test_the_message_has_the_request_and_the_reason_of_the_rejection(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds(
        400,
        b'{"error":"record_invalid","error_description":"Invalid parameters",'
        b'"error_attributes":{"name":["is bad"],"note":["is missing"]}}',
        {"X-Request-Id": "5f3c-19"},
    )
    message = str(api_error(client, calls))
    parts = ("400", "record_invalid", "Invalid parameters", "name: is bad; note: is missing", "5f3c-19")
    for part in (f"GET {PATH}", *parts):
        assert part in message


@pytest.mark.shows("response error body")
def test_what_the_response_lacks_is_none_or_empty(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds(404, b"{}")
    error = api_error(client, calls)
    assert (error.error, error.error_description, error.request_id) == (None, None, None)
    assert error.error_attributes == {}


@pytest.mark.shows("fact any message of an exchange")
def test_an_exchange_may_return_any_message(client: botdesk.Client, service: Service, calls: Calls) -> None:
    description = '{:code=>-4019, "msg"=>"Депозит закрыт\n\t😀"} <b>%s {0}</b>'
    service.responds(422, json.dumps({"error": "unknown_market_api_error", "error_description": description}).encode())
    error = api_error(client, calls)
    assert error.error_description == description
    # In the message it is one line.
    assert description.replace("\n\t", "  ") in str(error)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (b'{"name":"is missing"}', {"name": ["is missing"]}),
        (b'{"name":["a",5]}', {"name": ["a", "5"]}),
        (b'{"name":null}', {"name": []}),
        (b'["name is missing"]', {}),
        (b'"name is missing"', {}),
        (b"null", {}),
    ],
)
def test_attributes_of_another_shape_do_not_hide_the_error(
    client: botdesk.Client, service: Service, calls: Calls, attributes: bytes, expected: dict[str, list[str]]
) -> None:
    service.responds(400, b'{"error":"record_invalid","error_attributes":' + attributes + b"}")
    error = api_error(client, calls)
    assert type(error) is botdesk.RecordInvalidError
    assert error.error_attributes == expected
    assert attributes.decode() in error.body


PAGE = b"\n<!DOCTYPE html><title>Attention Required!</title><p>You have been blocked.</p>"


@pytest.mark.parametrize(
    ("status", "expected"),
    [(401, botdesk.AuthenticationError), (403, botdesk.ForbiddenError), (429, botdesk.RateLimitedError)],
)
@pytest.mark.parametrize(
    ("content_type", "body"),
    [("text/html; charset=UTF-8", PAGE), ("Text/HTML", b"Blocked"), ("application/octet-stream", PAGE)],
)
def test_a_page_of_something_in_front_of_the_service_is_not_about_the_key(
    client: botdesk.Client,
    service: Service,
    calls: Calls,
    *,
    status: int,
    expected: type[botdesk.ApiError],
    content_type: str,
    body: bytes,
) -> None:
    service.responds(status, body, {"Content-Type": content_type})
    error = api_error(client, calls)
    assert type(error) is expected
    assert "; a proxy or content network in front of the service refused the request" in str(error)
    assert "not about the API key" in str(error)
    assert "check that the API key" not in str(error)
    assert ("wait 300 s before the next request" in str(error)) is (status == 429)
    assert error.body == body.decode()


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "check that the API key"),
        (403, "either the API key lacks BOTS_READ, which dca_bots.get needs, or the state of the record"),
    ],
)
@pytest.mark.parametrize("body", [b"", b"{}", b'{"error":"Forbidden"}', b"Forbidden"], ids=repr)
def test_a_response_without_a_page_is_about_the_key(
    client: botdesk.Client, service: Service, calls: Calls, *, status: int, advice: str, body: bytes
) -> None:
    service.responds(status, body)
    assert advice in str(api_error(client, calls))


def test_a_403_with_words_of_its_own_needs_no_advice(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds(403, b'{"error":"Forbidden","error_description":"The key lacks BOTS_READ"}')
    assert "either" not in str(api_error(client, calls))


@pytest.mark.parametrize(
    ("attribute", "names"),
    [
        ("grid_quantity", ["grids_quantity"]),
        ("base", ["base"]),
        ("leverage[type]", ["leverage.type"]),
        ("leverage.type", ["leverage.type"]),
        ("upper_price,lower_price", ["upper_price", "lower_price"]),
    ],
)
def test_messages_are_found_under_the_names_of_the_arguments(
    client: botdesk.Client, service: Service, attribute: str, names: list[str]
) -> None:
    body = {"error": "record_invalid", "error_attributes": {attribute: ["is missing"]}}
    service.responds(200, b'{"id":203}')
    service.responds(400, json.dumps(body).encode())
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        client.grid_bots.edit(203, grids_quantity=5, validate=False)
    assert caught.value.inputs == {name: ["is missing"] for name in names}
    assert caught.value.error_attributes == {attribute: ["is missing"]}
    assert all(f"; {name}: is missing" in str(caught.value) for name in names)


@pytest.mark.parametrize(
    ("error", "exception_class"),
    [("Unknown error occurred #JSON::ParserError", "JSON::ParserError"), ("unknown_error", None)],
)
def test_the_class_of_the_exception_of_the_service_is_kept(
    client: botdesk.Client, service: Service, error: str, exception_class: str | None
) -> None:
    service.responds(500, json.dumps({"error": error}).encode())
    with pytest.raises(botdesk.ServerError) as caught:
        client.dca_bots.get(41)
    assert caught.value.exception_class == exception_class


def test_the_first_500_characters_of_a_page_are_kept(client: botdesk.Client, service: Service, calls: Calls) -> None:
    page = "<p>" + "é" * 1_000
    service.responds(403, page.encode(), {"Content-Type": "text/html"})
    assert api_error(client, calls).body == page[:500]


@pytest.mark.parametrize("filler", [0, 440, 490])
def test_a_page_that_repeats_the_key_is_redacted_before_it_is_cut(
    client: botdesk.Client, service: Service, calls: Calls, api_key: str, filler: int
) -> None:
    service.responds(403, f"<p>{'.' * filler}{api_key}{'.' * 500}".encode())
    error = api_error(client, calls)
    assert len(error.body) == 500
    assert api_key[:8] not in error.body


def test_a_write_that_something_in_front_of_the_service_refused_was_not_carried_out(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds(403, PAGE)
    with pytest.raises(botdesk.ForbiddenError, match="content network in front of the service") as caught:
        calls.disable(client)
    assert "may have been carried out" not in str(caught.value)
    assert len(service.requests) == 1


@pytest.mark.parametrize("status", [500, 501, 502, 503, 504, 520, 599])
def test_any_5xx_is_a_server_error(client: botdesk.Client, service: Service, calls: Calls, status: int) -> None:
    service.responds(status, HTML, {"Content-Type": "text/html"})
    error = api_error(client, calls)
    assert type(error) is botdesk.ServerError
    assert (error.status, error.error, error.body) == (status, None, HTML.decode())


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, botdesk.ApiError),
        (401, botdesk.AuthenticationError),
        (403, botdesk.ForbiddenError),
        (404, botdesk.NotFoundError),
        (418, botdesk.IpBannedError),
        (429, botdesk.RateLimitedError),
        (502, botdesk.ServerError),
    ],
)
@pytest.mark.parametrize("body", [b"", HTML, b'{"error":"Not fo', b"[]", b"null", b"5"], ids=repr)
@pytest.mark.shows("fact an error body that is not JSON")
def test_a_body_without_an_error_leaves_the_error_of_its_status(
    client: botdesk.Client, service: Service, status: int, expected: type[botdesk.ApiError], body: bytes
) -> None:
    service.responds(status, body)
    with pytest.raises(botdesk.ApiError) as caught:
        client.dca_bots.get(41)
    assert type(caught.value) is expected
    assert (caught.value.status, caught.value.error, caught.value.body) == (status, None, body.decode())


def test_an_error_body_that_is_cut_keeps_its_status_and_what_came(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.sends(b'HTTP/1.1 422 Unprocessable\r\nContent-Length: 500\r\n\r\n{"error":"unknown_mark')
    error = api_error(client, calls)
    assert (error.status, error.body) == (422, '{"error":"unknown_mark')


def test_a_rejected_write_whose_error_body_is_cut_is_rejected_all_the_same(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.sends(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 500\r\n\r\n{")
    with pytest.raises(botdesk.ForbiddenError) as caught:
        calls.disable(client)
    assert caught.value.body == "{"
    assert len(service.requests) == 1


def test_an_error_body_that_never_ends_keeps_its_status_and_what_came(
    connect: Connect, service: Service, calls: Calls
) -> None:
    service.sends(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 500\r\n\r\n<html>", then="stall")
    error = api_error(connect(timeout=1.0), calls)
    assert (error.status, error.body) == (502, "<html>")


def test_an_error_body_that_is_not_utf_8_is_kept_readable(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds(502, b"<p>D\xe9pass\xe9</p>")
    assert api_error(client, calls).body == "<p>D\ufffdpass\ufffd</p>"


def test_an_error_body_in_gzip_is_unpacked(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds(404, gzip.compress(b'{"error":"Not found"}'), {"Content-Encoding": "gzip"})
    assert api_error(client, calls).error == "Not found"


def test_an_error_body_that_is_not_the_gzip_it_claims_to_be_keeps_its_status(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds(404, b'{"error":"Not found"}', {"Content-Encoding": "gzip"})
    error = api_error(client, calls)
    assert type(error) is botdesk.NotFoundError


def test_a_429_for_the_rate_shows_after_how_many_seconds_to_come_back(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds(429, b"", {"Retry-After": "70"})
    error = api_error(client, calls)
    assert isinstance(error, botdesk.RateLimitedError)
    assert error.retry_after == 70.0
    assert "wait 70 s before the next request" in str(error)


def test_the_retry_after_of_a_429_may_be_a_date(client: botdesk.Client, service: Service, calls: Calls) -> None:
    date = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)
    service.responds(429, b"", {"Retry-After": email.utils.format_datetime(date, usegmt=True)})
    error = api_error(client, calls)
    assert isinstance(error, botdesk.RateLimitedError)
    assert error.retry_after is not None
    assert 3600 - 60 < error.retry_after <= 3600


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0", 0.0), (" 7 ", 7.0), ("1.5", 1.5), ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0)],
)
def test_a_wait_that_is_over_is_none_at_all(
    client: botdesk.Client, service: Service, value: str, expected: float
) -> None:
    service.responds(429, b"", {"Retry-After": value})
    with pytest.raises(botdesk.RateLimitedError) as caught:
        client.dca_bots.get(41)
    assert caught.value.retry_after == expected


@pytest.mark.parametrize(
    "value", ["", "soon", "-5", "nan", "inf", "Thu, 99 Jan 1970 00:00:00 GMT", "5 minutes", "\xe9"]
)
def test_an_invalid_wait_is_ignored(client: botdesk.Client, service: Service, value: str) -> None:
    service.responds(429, b"", {"Retry-After": value})
    with pytest.raises(botdesk.RateLimitedError) as caught:
        client.dca_bots.get(41)
    assert caught.value.retry_after is None


@pytest.mark.shows("fact Retry-After is missing")
def test_a_429_for_the_rate_may_not_show_when_to_come_back(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds(429, b"")
    error = api_error(client, calls)
    assert isinstance(error, botdesk.RateLimitedError)
    assert error.retry_after is None


@pytest.mark.parametrize(
    "body", [{"error": PLAN}, {"error": "forbidden", "error_description": PLAN}], ids=["error", "description"]
)
@pytest.mark.shows("fact 429 of a plan")
def test_a_429_for_the_plan_is_not_one_for_the_rate(
    client: botdesk.Client, service: Service, calls: Calls, body: dict[str, str]
) -> None:
    service.responds(429, json.dumps(body).encode(), {"Retry-After": "5"})
    error = api_error(client, calls)
    assert type(error) is botdesk.PlanRestrictedError
    assert not hasattr(error, "retry_after")
    assert "waiting does not help" in str(error)


def test_a_banned_ip_address_gets_an_error(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds(418, b"", {"Retry-After": "120"})
    error = api_error(client, calls)
    assert type(error) is botdesk.IpBannedError
    assert "stop" in str(error)


def test_a_request_id_that_is_not_ascii_is_left_out(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds(404, b'{"error":"Not found"}', {"X-Request-Id": "\xe9"})
    error = api_error(client, calls)
    assert error.request_id is None
    assert type(error) is botdesk.NotFoundError


def test_a_connection_serves_on_after_an_error(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds(404, b'{"error":"Not found"}')
    api_error(client, calls)
    service.responds()
    assert calls.get(client).id == 41
    assert service.connections == 1
