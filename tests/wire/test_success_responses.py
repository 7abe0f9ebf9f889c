"""Successful responses: which are accepted, and which differ from the API reference."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from .conftest import Calls, Service


def raw(body: bytes, *headers: str) -> bytes:
    return "".join(f"{line}\r\n" for line in ("HTTP/1.1 200 OK", *headers)).encode() + b"\r\n" + body


def undecodable(client: botdesk.Client, calls: Calls) -> botdesk.DecodeError:
    with pytest.raises(botdesk.DecodeError) as caught:
        calls.get(client)
    return caught.value


@pytest.mark.parametrize("body", [b"no JSON", b'{"id":42}', b"[]"])
def test_a_response_that_can_not_be_read_has_its_request_id(
    client: botdesk.Client, service: Service, calls: Calls, body: bytes
) -> None:
    service.responds(200, body, {"X-Request-Id": "5f3c-19"})
    assert undecodable(client, calls).request_id == "5f3c-19"
    service.responds(200, body)
    assert undecodable(client, calls).request_id is None


def test_the_content_type_does_not_matter(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds(headers={"Content-Type": "text/plain; charset=latin-1"})
    assert calls.get(client).id == 41


def test_white_space_around_a_response_does_not_matter(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds(body=b'\r\n {"id": 41}\n\n')
    assert calls.get(client).id == 41


def test_a_response_in_gzip_is_unpacked(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes
) -> None:
    service.responds(body=gzip.compress(bot_json), headers={"Content-Encoding": "gzip"})
    assert calls.get(client).to_json() == bot_json.decode()


@pytest.mark.parametrize("encoding", ["GZIP", "Gzip", " gzip ", "X-GZIP", "x-gzip"])
@pytest.mark.shows("promise byte order marks and encodings")
def test_the_name_of_an_encoding_may_be_in_capitals(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes, encoding: str
) -> None:
    service.responds(body=gzip.compress(bot_json), headers={"Content-Encoding": encoding})
    assert calls.disable(client).to_json() == bot_json.decode()


@pytest.mark.parametrize("encoding", ["GZIP", "identity", "utf-8", "br"])
def test_an_encoding_that_was_not_applied_does_not_matter(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes, encoding: str
) -> None:
    service.responds(body=bot_json, headers={"Content-Encoding": encoding})
    assert calls.disable(client).to_json() == bot_json.decode()


def test_an_error_in_gzip_in_capitals_is_read(client: botdesk.Client, service: Service, calls: Calls) -> None:
    body = gzip.compress(b'{"error":"Not found"}')
    service.responds(404, body=body, headers={"Content-Encoding": "GZIP"})
    with pytest.raises(botdesk.NotFoundError) as caught:
        calls.get(client)
    assert caught.value.error == "Not found"


def test_the_error_names_an_encoding_that_was_not_requested(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds(body=b"\x1b\x05\x00", headers={"Content-Encoding": "br"})
    assert 'Content-Encoding is "br"' in str(undecodable(client, calls))


def test_a_gzip_in_capitals_that_is_cut_is_a_decode_error(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes
) -> None:
    service.responds(body=gzip.compress(bot_json)[:-9], headers={"Content-Encoding": "GZIP"})
    with pytest.raises(botdesk.DecodeError, match="probably carried out"):
        calls.disable(client)


@pytest.mark.parametrize("status", [200, 404])
@pytest.mark.shows("promise byte order marks and encodings")
def test_a_byte_order_mark_is_left_out(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes, status: int
) -> None:
    body = bot_json if status == 200 else b'{"error":"Not found"}'
    service.responds(status, b"\xef\xbb\xbf" + body)
    if status == 200:
        assert calls.disable(client).to_json() == bot_json.decode()
        return
    with pytest.raises(botdesk.NotFoundError) as caught:
        calls.get(client)
    assert caught.value.error == "Not found"


@pytest.mark.parametrize("malformed", [b"caf\xe9", rb"\ud83d", b"\xf0\x9f\x98", rb"\ude00x"])
@pytest.mark.shows("promise malformed strings")
def test_a_string_that_is_not_unicode_affects_only_its_field(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes, malformed: bytes
) -> None:
    bots = [bot_json.replace(b'"id":41', b'"id":%d' % number) for number in range(1, 101)]
    bots[49] = bots[49].replace(b"first", malformed)
    service.responds(body=b"[" + b",".join(bots) + b"]")
    page = calls.list(client)
    assert [bot.id for bot in page] == list(range(1, 101))
    assert [bot.name for number, bot in enumerate(page) if number != 49] == ["first"] * 99
    with pytest.raises(botdesk.DecodeError, match=r"DcaBot\.name"):
        _ = page[49].name
    assert "id=50" in repr(page[49])


def test_a_name_that_is_not_unicode_is_not_sent_back_as_another(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes
) -> None:
    service.responds(body=bot_json.replace(b"first", b"caf\xe9"))
    bot = calls.get(client)
    with pytest.raises(botdesk.ValidationError) as caught:
        calls.edit(bot, take_profit="2")
    assert list(caught.value.errors) == ["name"]
    service.responds()
    calls.edit(bot, take_profit="2", name="Coffee")
    assert b'"name":"Coffee"' in service.requests[-1].body


def test_a_write_whose_response_is_not_unicode_is_a_success(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes
) -> None:
    service.responds(body=bot_json.replace(b"first", b"\xff"))
    assert calls.disable(client).id == 41


@pytest.mark.parametrize(
    ("text", "read"),
    [('"0012"', "0012"), ('"12"', Decimal(12)), ("12", Decimal(12)), ('"equal"', "equal"), ("null", None)],
)
@pytest.mark.shows("promise codes with zeros")
def test_a_value_of_an_open_type_reads_as_it_is(text: str, read: object) -> None:
    account = botdesk.Account.from_json(f'{{"id":1,"auto_balance_method":{text}}}')
    assert account.auto_balance_method == read


@pytest.mark.shows("promise the last day of 9999")
def test_the_last_moment_of_the_calendar_is_a_timestamp() -> None:
    for text in ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999000Z", "9999-12-31T23:59:59.999+00:00"):
        bot = botdesk.DcaBot.from_json(f'{{"id":1,"created_at":"{text}"}}')
        assert bot.created_at == datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)


def test_a_response_in_chunks_is_put_together(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes
) -> None:
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (bot_json[:1], bot_json[1:100], bot_json[100:]))
    service.sends(raw(chunks + b"0\r\nX-Trailer: a\r\n\r\n", "Transfer-Encoding: chunked"), then="keep")
    assert calls.get(client).to_json() == bot_json.decode()


def test_a_response_in_chunks_of_gzip_is_unpacked(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes
) -> None:
    packed = gzip.compress(bot_json)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (packed[:5], packed[5:])) + b"0\r\n\r\n"
    service.sends(raw(chunks, "Transfer-Encoding: chunked", "Content-Encoding: gzip"), then="keep")
    assert calls.get(client).to_json() == bot_json.decode()


def test_a_response_without_a_length_ends_with_the_connection(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes
) -> None:
    service.sends(raw(bot_json, "Connection: close"))
    assert calls.get(client).to_json() == bot_json.decode()


def test_a_response_of_http_1_0_is_taken(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes
) -> None:
    service.sends(b"HTTP/1.0 200 OK\r\n\r\n" + bot_json)
    assert calls.get(client).to_json() == bot_json.decode()


@pytest.mark.parametrize("interim", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"])
def test_an_interim_response_is_passed_over(
    client: botdesk.Client, service: Service, calls: Calls, bot_json: bytes, interim: bytes
) -> None:
    service.sends(interim + raw(bot_json, f"Content-Length: {len(bot_json)}"), then="keep")
    assert calls.get(client).id == 41


def test_a_connection_that_the_service_closes_is_not_used_again(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    for _ in range(2):
        service.responds(headers={"Connection": "close"}, then="close")
        assert calls.get(client).id == 41
    assert service.connections == 2


def test_bytes_after_a_response_are_not_taken_for_the_next_one(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    smuggled = raw(b'{"id":666}', "Content-Length: 10")
    service.sends(raw(b'{"id":41}', "Content-Length: 9") + smuggled, then="keep")
    service.responds(body=b'{"id":42}')
    assert [calls.get(client).id, calls.get(client, 42).id] == [41, 42]


def test_a_success_without_content_is_a_decode_error(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.sends(b"HTTP/1.1 204 No Content\r\n\r\n", then="keep")
    assert undecodable(client, calls).body == ""


def test_a_write_whose_response_is_not_json_is_a_decode_error(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds(201, b"OK")
    with pytest.raises(botdesk.DecodeError) as caught:
        calls.disable(client)
    assert caught.value.body == "OK"
    assert len(service.requests) == 1


@pytest.mark.parametrize("body", [b"\xff\xfe{\x00}\x00", b"caf\xe9", b'{"id":41}\xff'])
def test_a_success_that_is_not_text_is_a_decode_error(
    client: botdesk.Client, service: Service, calls: Calls, body: bytes
) -> None:
    service.responds(body=body)
    assert undecodable(client, calls).method == "GET"


def test_a_long_response_is_kept_in_part(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.responds(body=b"x" * 1_000_000)
    kept = undecodable(client, calls).body
    assert kept == "x" * 65536


def test_the_secret_of_a_bot_is_taken_out_of_the_kept_text(
    client: botdesk.Client, service: Service, calls: Calls
) -> None:
    service.responds(body=b'{"id":41,"url_secret":"hunter2","name":"fir')
    error = undecodable(client, calls)
    assert "hunter2" not in error.body
    assert '"name":"fir' in error.body
