"""The bytes of a request, and the signature over them."""

from __future__ import annotations

import importlib.metadata
import json
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    import botdesk

    from .conftest import Calls, Connect, Request, Service

    IsSigned = Callable[[Request], bool]


def test_a_request_identifies_the_client(client: botdesk.Client, service: Service, calls: Calls, api_key: str) -> None:
    service.responds()
    calls.get(client)
    headers = service.request().headers
    assert headers["apikey"] == api_key
    assert headers["user-agent"] == f"botdesk/{importlib.metadata.version('botdesk')}"
    assert headers["host"] == f"127.0.0.1:{service.port}"
    assert headers["accept"] == "*/*"
    assert headers["accept-encoding"] == "gzip"


def test_a_request_carries_no_other_headers(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds()
    calls.get(client)
    expected = {"apikey", "signature", "user-agent", "host", "accept", "accept-encoding"}
    assert service.request().headers.keys() == expected


@pytest.mark.shows("authentication 3")
def test_the_signature_is_base64_in_one_line(client: botdesk.Client, service: Service) -> None:
    service.responds()
    client.dca_bots.get(41)
    signature = service.request().headers["signature"]
    # 256 bytes of an RSA signature with a 2048-bit key.
    assert len(signature) == 344
    assert " " not in signature


@pytest.mark.shows("fact nothing but the payload is signed")
def test_the_same_request_has_the_same_signature(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds()
    service.responds()
    calls.get(client)
    calls.get(client)
    assert service.request().headers["signature"] == service.request().headers["signature"]


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ("a b", "a%20b"),
        ("a+b", "a%2Bb"),
        ("[a]", "%5Ba%5D"),
        ("a|b", "a%7Cb"),
        ("é", "%C3%A9"),
        ("😀", "%F0%9F%98%80"),
        ("a&b=c", "a%26b%3Dc"),
        ("100%", "100%25"),
        ("%41", "%2541"),
        ("a#b", "a%23b"),
        ("a?b", "a%3Fb"),
        ("a/b", "a%2Fb"),
        ("a'b\"c", "a%27b%22c"),
        ("a\nb\x00c", "a%0Ab%00c"),
        ("a.b-c_d~e", "a.b-c_d~e"),
    ],
)
@pytest.mark.shows("fact a query is ASCII", "fact a query is signed as it is sent")
def test_a_query_value_is_percent_encoded(
    client: botdesk.Client, service: Service, is_signed: IsSigned, value: str, sent: str
) -> None:
    service.responds(body=b"[]")
    client.dca_bots.list(quote=value)
    request = service.request()
    assert request.query == f"quote={sent}"
    assert unquote(sent) == value
    assert is_signed(request)


def test_query_parameters_keep_the_order_of_the_api_reference(client: botdesk.Client, service: Service) -> None:
    service.responds(body=b"[]")
    client.dca_bots.list(quote="USDT", order_direction="ASC", scope="enabled", offset=0, limit=1)
    assert service.request().query == "limit=1&offset=0&scope=enabled&order_direction=ASC&quote=USDT"


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("Грид", rb'"name":"\u0413\u0440\u0438\u0434"'),
        ("é", rb'"name":"\u00e9"'),
        ("😀", rb'"name":"\ud83d\ude00"'),
        ("a\u2028b", rb'"name":"a\u2028b"'),
        ('"\\/', rb'"name":"\"\\/"'),
        ("a\nb\x01\x7f", b'"name":"a\\nb\\u0001\x7f"'),
    ],
)
@pytest.mark.shows("fact a body is ASCII")
def test_a_name_travels_in_ascii(
    client: botdesk.Client, service: Service, calls: Calls, name: str, sent: bytes
) -> None:
    service.responds()
    bot = calls.get(client)
    service.request()
    service.responds()
    calls.edit(bot, name=name)
    request = service.request()
    assert sent in request.body
    assert request.body.isascii()
    assert json.loads(request.body)["name"] == name


def test_a_non_ascii_name_that_the_record_holds_travels_in_ascii(
    client: botdesk.Client, service: Service, calls: Calls, is_signed: IsSigned, bot_json: bytes
) -> None:
    service.responds(body=bot_json.replace(b'"first"', '"Грид 😀"'.encode()))
    bot = calls.get(client)
    service.request()
    service.responds()
    calls.edit(bot, take_profit="2")
    request = service.request()
    assert json.loads(request.body)["name"] == "Грид 😀"
    assert request.body.isascii()
    assert is_signed(request)


@pytest.mark.parametrize(
    ("suffix", "path"),
    [
        ("", "/public/api/ver1/bots/41/show"),
        ("/", "/public/api/ver1/bots/41/show"),
        ("/public/api", "/public/api/ver1/bots/41/show"),
        ("/public/api/", "/public/api/ver1/bots/41/show"),
        ("/public/api/ver1", "/public/api/ver1/bots/41/show"),
        ("/public/api/ver1/", "/public/api/ver1/bots/41/show"),
        ("/public/api/v2", "/public/api/ver1/bots/41/show"),
        ("/public/api/v2/", "/public/api/ver1/bots/41/show"),
        ("/v2", "/v2/public/api/ver1/bots/41/show"),
        ("/gate", "/gate/public/api/ver1/bots/41/show"),
        ("/gate/public/api/ver1", "/gate/public/api/ver1/bots/41/show"),
        ("/gate/", "/gate/public/api/ver1/bots/41/show"),
        ("/gate/v%C3%A9/public/api/", "/gate/v%C3%A9/public/api/ver1/bots/41/show"),
        ("/gate/é", "/gate/%C3%A9/public/api/ver1/bots/41/show"),
        ("/public", "/public/public/api/ver1/bots/41/show"),
    ],
)
@pytest.mark.shows("fact base_url has a prefix")
def test_the_prefix_of_the_url_is_sent_but_not_signed(
    connect: Connect, service: Service, is_signed: IsSigned, suffix: str, path: str
) -> None:
    service.responds()
    connect(service.url + suffix).dca_bots.get(41)
    request = service.request()
    assert request.target == path
    assert is_signed(request)


def test_a_prefix_is_not_signed_where_there_is_a_query_or_a_body(
    connect: Connect, service: Service, calls: Calls, is_signed: IsSigned, bot_json: bytes
) -> None:
    client = connect(service.url + "/gate/")
    service.responds(body=b"[" + bot_json + b"]")
    [bot] = calls.list(client, quote="a b")
    service.responds()
    calls.edit(bot, name="é")
    read, write = service.request(), service.request()
    assert read.target == "/gate/public/api/ver1/bots?quote=a%20b"
    assert write.target == "/gate/public/api/ver1/bots/41/update"
    assert is_signed(read)
    assert is_signed(write)


def test_requests_share_a_connection(client: botdesk.Client, service: Service, calls: Calls) -> None:
    for _ in range(3):
        service.responds()
        calls.get(client)
    assert service.connections == 1
