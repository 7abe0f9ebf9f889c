"""Requests to any path: what is sent, what is returned, and what is rejected before anything is sent."""

from __future__ import annotations

from collections import OrderedDict
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .conftest import Calls, Connect, Request, Service

    IsSigned = Callable[[Request], bool]

METHODS = ["GET", "POST", "PATCH", "PUT", "DELETE"]
WRITES = METHODS[1:]
SECRET = "s3cret+value/of=an exchange"

# A query, and how it is sent.
QUERIES: list[tuple[Mapping[str, Any], str]] = [
    ({"limit": 1, "scope": "enabled"}, "limit=1&scope=enabled"),
    ({"flag": True, "other": False}, "flag=true&other=false"),
    ({"id": [1, 2], "x": ("a",)}, "id=1&id=2&x=a"),
    ({"id": [1, None]}, "id=1"),
    ({"none": None, "x": 1}, "x=1"),
    ({"empty": ""}, "empty="),
    ({"price": Decimal("1.10")}, "price=1.10"),
    ({"price": [Decimal("1E-7"), 1e-7, Decimal("1E+3")]}, "price=0.0000001&price=0.0000001&price=1000"),
    ({"price": 0.00001}, "price=0.00001"),
    ({"big": 2**70}, "big=1180591620717411303424"),
    ({"name": "a b+c&d=e/é[|]'#?"}, "name=a%20b%2Bc%26d%3De%2F%C3%A9%5B%7C%5D%27%23%3F"),
    ({"a[]": "1\r\nX: y"}, "a%5B%5D=1%0D%0AX%3A%20y"),
    (OrderedDict(b=1, a=2), "b=1&a=2"),
    (MappingProxyType({"b": 1}), "b=1"),
]

# A body, and how it is sent.
BODIES: list[tuple[dict[str, Any] | Sequence[Any], str]] = [
    ({"price": Decimal("1.10"), "n": 10**30}, '{"price":1.10,"n":1000000000000000000000000000000}'),
    ({"a": Decimal("1E-7"), "b": 1e22, "c": [Decimal("2E+1")]}, '{"a":0.0000001,"b":10000000000000000000000,"c":[20]}'),
    ({"tenth": 0.1, "one": 1.0}, '{"tenth":0.1,"one":1.0}'),
    ({"b": None, "a": [True, {}]}, '{"b":null,"a":[true,{}]}'),
    ({"name": "é😀'\"\\\n"}, '{"name":"\\u00e9\\ud83d\\ude00\'\\"\\\\\\n"}'),
    ({"ключ": 1}, '{"\\u043a\\u043b\\u044e\\u0447":1}'),
    ([1, 2], "[1,2]"),
    ((), "[]"),
    ({}, "{}"),
]


def cyclic() -> list[Any]:
    """Return a list that holds itself."""
    endless: list[Any] = []
    endless.append(endless)
    return endless


class TestSent:
    @pytest.mark.parametrize("method", METHODS)
    def test_each_method_is_sent_and_signed(
        self, client: botdesk.Client, service: Service, calls: Calls, is_signed: IsSigned, method: str
    ) -> None:
        service.responds()
        calls.request(client, method, "/ver1/anything/5")
        request = service.request()
        assert (request.method, request.target, request.body) == (method, "/public/api/ver1/anything/5", b"")
        assert is_signed(request)

    def test_a_method_may_be_in_lower_case(self, client: botdesk.Client, service: Service) -> None:
        service.responds()
        client.request("patch", "/ver1/anything")
        assert service.request().method == "PATCH"

    @pytest.mark.parametrize("method", WRITES)
    def test_a_write_without_a_body_shows_its_length(
        self, client: botdesk.Client, service: Service, method: str
    ) -> None:
        service.responds()
        client.request(method, "/ver1/anything")
        headers = service.request().headers
        assert headers["content-length"] == "0"
        assert "content-type" not in headers

    def test_a_whole_path_is_taken_as_well(self, client: botdesk.Client, service: Service) -> None:
        service.responds()
        client.request("GET", "/public/api/ver1/bots")
        assert service.request().target == "/public/api/ver1/bots"

    def test_the_prefix_of_the_base_url_is_not_signed(
        self, connect: Connect, service: Service, is_signed: IsSigned
    ) -> None:
        service.responds()
        connect(f"{service.url}/proxy/").request("GET", "/ver1/bots", query={"limit": 1})
        request = service.request()
        assert request.target == "/proxy/public/api/ver1/bots?limit=1"
        assert is_signed(request)

    @pytest.mark.parametrize(
        "path", ["/ver1/bots/", "/ver1//bots", "//host.example/x", "/ver1/a%20b%2Fc", "/ver1/..%2fx", "/ver1/~a,b;c=d"]
    )
    def test_a_path_is_sent_as_it_was_written(
        self, client: botdesk.Client, service: Service, is_signed: IsSigned, path: str
    ) -> None:
        service.responds()
        client.request("GET", path)
        request = service.request()
        assert request.target == f"/public/api{path}"
        assert is_signed(request)


class TestQuery:
    @pytest.mark.parametrize(
        ("query", "sent"),
        QUERIES,
        ids=range(14),
    )
    @pytest.mark.shows("promise decimals of any request")
    def test_a_query_is_signed_as_it_is_sent(
        self, *, client: botdesk.Client, service: Service, calls: Calls, is_signed: IsSigned, query: object, sent: str
    ) -> None:
        service.responds()
        calls.request(client, "GET", "/ver1/bots", query=query)
        request = service.request()
        assert request.query == sent
        assert is_signed(request)

    @pytest.mark.parametrize("query", [None, {}, {"none": None}, {"empty": []}], ids=repr)
    def test_a_query_of_nothing_leaves_no_question_mark(
        self, client: botdesk.Client, service: Service, is_signed: IsSigned, query: dict[str, Any] | None
    ) -> None:
        service.responds()
        client.request("GET", "/ver1/bots", query=query)
        request = service.request()
        assert request.target == "/public/api/ver1/bots"
        assert is_signed(request)

    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(query=st.dictionaries(st.text(), st.text(), max_size=4))
    def test_any_text_arrives_as_it_was_given(
        self, client: botdesk.Client, service: Service, is_signed: IsSigned, query: dict[str, str]
    ) -> None:
        service.responds()
        client.request("GET", "/ver1/bots", query=query)
        request = service.request()
        assert dict(parse_qsl(request.query, keep_blank_values=True)) == query
        assert is_signed(request)


class TestJson:
    @pytest.mark.parametrize(
        ("json", "sent"),
        BODIES,
        ids=range(9),
    )
    @pytest.mark.shows("promise decimals of any request")
    def test_a_body_is_signed_as_it_is_sent(
        self, *, client: botdesk.Client, service: Service, calls: Calls, is_signed: IsSigned, json: object, sent: str
    ) -> None:
        service.responds()
        calls.request(client, "POST", "/ver1/anything", json=json)
        request = service.request()
        assert request.body.decode("ascii") == sent
        assert request.headers["content-type"] == "application/json"
        assert request.headers["content-length"] == str(len(sent))
        assert is_signed(request)

    def test_fifty_digits_arrive(self, client: botdesk.Client, service: Service) -> None:
        digits = "1.00399920581210916146041542739112586575949572812639182"
        service.responds()
        client.request("POST", "/ver1/anything", json={"price": Decimal(digits)})
        assert service.request().body.decode() == f'{{"price":{digits}}}'


class TestAnswer:
    def test_a_response_shows_status_headers_and_body(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        service.responds(201, b' {"a": 1.10} ', {"X-Request-Id": "abc", "x-odd": "\xe9"})
        response = calls.request(client, "POST", "/ver1/anything")
        assert response.status == 201
        assert response.body == ' {"a": 1.10} '
        assert response.headers["x-request-id"] == "abc"
        assert response.headers["content-type"] == "application/json"
        assert "x-odd" in response.headers

    def test_a_header_that_came_several_times_is_joined(self, client: botdesk.Client, service: Service) -> None:
        service.sends(b"HTTP/1.1 200 OK\r\nLink: a\r\nlink: b\r\nContent-Length: 0\r\n\r\n")
        assert client.request("GET", "/ver1/anything").headers["link"] == "a, b"

    def test_its_json_keeps_every_digit(self, client: botdesk.Client, service: Service, calls: Calls) -> None:
        service.responds(body=b'{"id":2376446537,"price":1.10,"flag":true,"none":null,"list":["\\u00e9"]}')
        read = calls.request(client, "GET", "/ver1/anything").json()
        assert read == {"id": 2376446537, "price": Decimal("1.10"), "flag": True, "none": None, "list": ["é"]}
        assert (type(read["id"]), str(read["price"])) == (int, "1.10")

    @pytest.mark.parametrize("body", [b"", b"<html>", b"{", b"NaN"], ids=repr)
    def test_a_body_that_is_not_json_is_still_text(self, client: botdesk.Client, service: Service, body: bytes) -> None:
        service.responds(200, body)
        response = client.request("GET", "/ver1/anything")
        assert response.body == body.decode()
        with pytest.raises(botdesk.DecodeError, match="the JSON is invalid") as caught:
            response.json()
        assert caught.value.body == body.decode()

    def test_an_empty_success_is_a_success(self, client: botdesk.Client, service: Service, calls: Calls) -> None:
        service.sends(b"HTTP/1.1 204 No Content\r\n\r\n")
        response = calls.request(client, "DELETE", "/ver1/anything")
        assert (response.status, response.body) == (204, "")

    def test_a_body_that_is_not_utf_8_is_not_an_error(self, client: botdesk.Client, service: Service) -> None:
        service.responds(200, b"caf\xe9")
        assert client.request("POST", "/ver1/anything").body == "caf\ufffd"

    @pytest.mark.parametrize("body", [b'{"name":"caf\xe9","id":41}', b'{"name":"caf\\udce9","id":41}'])
    def test_a_string_that_is_not_unicode_reads_as_in_pythons_json(
        self, client: botdesk.Client, service: Service, body: bytes
    ) -> None:
        service.responds(200, body)
        assert client.request("POST", "/ver1/anything").json() == {"name": "caf\udce9", "id": 41}

    def test_it_does_not_show_its_body(self, client: botdesk.Client, service: Service) -> None:
        service.responds(200, b'{"url_secret":"hunter2hunter2"}')
        assert repr(client.request("GET", "/ver1/anything")) == "<Answer 200 of 31 bytes>"


class TestRefusedByTheService:
    @pytest.mark.parametrize(
        ("status", "error", "expected"),
        [
            (400, "record_invalid", botdesk.RecordInvalidError),
            (401, "signature_invalid", botdesk.SignatureInvalidError),
            (403, "Forbidden", botdesk.ForbiddenError),
            (404, "Not found", botdesk.NotFoundError),
            (429, "too_many_requests", botdesk.RateLimitedError),
            (410, "gone", botdesk.ApiError),
            (500, "internal", botdesk.ServerError),
        ],
    )
    def test_an_error_has_its_class(
        self,
        *,
        client: botdesk.Client,
        service: Service,
        calls: Calls,
        status: int,
        error: str,
        expected: type[botdesk.ApiError],
    ) -> None:
        service.responds(status, f'{{"error":"{error}"}}'.encode())
        with pytest.raises(botdesk.ApiError) as caught:
            calls.request(client, "PUT", "/ver1/anything/5")
        assert type(caught.value) is expected
        refused = caught.value
        assert (refused.status, refused.method, refused.path) == (status, "PUT", "/public/api/ver1/anything/5")

    @pytest.mark.parametrize("method", WRITES)
    def test_a_write_without_a_response_may_have_happened(
        self, client: botdesk.Client, service: Service, calls: Calls, method: str
    ) -> None:
        service.sends(b"")
        with pytest.raises(botdesk.OutcomeUnknownError, match=f"{method} /public/api/ver1/anything"):
            calls.request(client, method, "/ver1/anything")
        assert len(service.requests) == 1

    def test_a_read_without_a_response_is_only_a_read(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        service.sends(b"")
        with pytest.raises(botdesk.TransportError) as caught:
            calls.request(client, "GET", "/ver1/anything")
        assert not isinstance(caught.value, botdesk.OutcomeUnknownError)

    def test_a_write_whose_response_is_cut_may_have_happened(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        service.sends(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
        with pytest.raises(botdesk.OutcomeUnknownError):
            calls.request(client, "DELETE", "/ver1/anything")


class TestRefusedBeforeSending:
    @pytest.mark.parametrize(
        "path",
        [
            "",
            "ver1/bots",
            "https://host.example/ver1/bots",
            "/ver1/../../admin",
            "/ver1/./bots",
            "/ver1/%2e%2e/admin",
            "/ver1/.%2E/admin",
            "/ver1/..",
            "/public/api/../admin",
            "/ver1/bots?limit=1",
            "/ver1/bots#x",
            "/ver1/bots/{bot_id}/show",
            "/ver1/bots HTTP/1.1\r\nHost: host.example",
            "/ver1/bots\r\nX: y",
            "/ver1/bots\n",
            "/ver1\\bots",
            "/ver1/böts",
            "/ver1/a b",
            "/ver1/\x00",
            "/ver1/\x7f",
        ],
    )
    def test_a_path_that_leads_elsewhere(
        self, client: botdesk.Client, service: Service, calls: Calls, path: str
    ) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            calls.request(client, "GET", path)
        assert list(caught.value.errors) == ["path"]
        assert service.connections == 0

    @pytest.mark.parametrize("method", ["", "TRACE", "CONNECT", "GET ", "GET / HTTP/1.1\r\nX: y", "HEAD", "\uff27ET"])
    def test_a_method_that_the_api_does_not_have(
        self, client: botdesk.Client, service: Service, calls: Calls, method: str
    ) -> None:
        with pytest.raises(botdesk.ValidationError, match="one of GET, POST, PATCH, PUT, DELETE") as caught:
            calls.request(client, method, "/ver1/bots")
        assert list(caught.value.errors) == ["method"]
        assert service.connections == 0

    @pytest.mark.parametrize(
        "query",
        [
            "limit=1",
            [("limit", 1)],
            5,
            {1: 2},
            {"a": {}},
            {"a": [[1]]},
            {"a": float("nan")},
            {"a": b"bytes"},
            {"a": object()},
            {"a": "\ud800"},
            {"\ud800": 1},
        ],
        ids=range(11),
    )
    def test_a_query_that_can_not_be_sent(
        self, client: botdesk.Client, service: Service, calls: Calls, query: object
    ) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            calls.request(client, "GET", "/ver1/bots", query=query)
        assert list(caught.value.errors) == ["query"]
        assert service.connections == 0

    @pytest.mark.parametrize(
        "json",
        [
            "text",
            b"{}",
            5,
            True,
            {1: 2},
            {"a": float("inf")},
            {"a": Decimal("NaN")},
            {"a": {1}},
            {"a": "\ud800"},
            cyclic(),
        ],
        ids=range(10),
    )
    def test_a_body_that_can_not_be_sent(
        self, client: botdesk.Client, service: Service, calls: Calls, json: object
    ) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            calls.request(client, "POST", "/ver1/bots", json=json)
        assert list(caught.value.errors) == ["json"]
        assert service.connections == 0

    def test_all_that_is_wrong_is_reported_at_once(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            calls.request(client, "LOOK", "bots", query="limit=1", json=5)
        assert set(caught.value.errors) == {"method", "path", "query", "json"}
        assert service.connections == 0


class TestSecrets:
    def test_a_query_that_a_service_repeats_as_it_came_is_not_shown(
        self, client: botdesk.Client, service: Service
    ) -> None:
        service.echoes(500)
        with pytest.raises(botdesk.ServerError) as caught:
            client.request("GET", "/ver1/anything", query={"secret": SECRET, "page": 3})
        assert "s3cret" not in repr(vars(caught.value))
        assert "page=3" in caught.value.body

    def test_a_short_or_numeric_secret_is_not_in_what_was_signed(
        self, client: botdesk.Client, service: Service
    ) -> None:
        service.responds(401, b'{"error":"signature_invalid"}')
        with pytest.raises(botdesk.SignatureInvalidError) as caught:
            client.request("GET", "/ver1/anything", query={"secret": 1234, "passphrase": "abc", "page": 3})
        expected = "/public/api/ver1/anything?secret=<hidden>&passphrase=<hidden>&page=3"
        assert caught.value.payload == expected

    def test_a_response_that_is_not_json_shows_no_secret(self, client: botdesk.Client, service: Service) -> None:
        service.responds(200, b'{"url_secret":"hunter2hunter2"')
        with pytest.raises(botdesk.DecodeError) as caught:
            client.request("GET", "/ver1/anything").json()
        assert "hunter2" not in caught.value.body + str(caught.value)
