"""Hostile responses: each call ends in bounded time, with the right error."""

from __future__ import annotations

import gzip
import itertools
import zlib
from typing import TYPE_CHECKING

import pytest

import botdesk

from .conftest import PATIENCE
from .server import Hostile, http_response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Connect, Way

DEEP = b"[" * 10_000 + b"]" * 10_000
SMALL = 1_000
# How long a call may take that the service never ends.
SHORT = 1.0


def bomb(mebibytes: int) -> bytes:
    """Pack so much white space into a gzip: one block, repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * mebibytes + packer.flush()


class TestABodyThatIsTooLong:
    @pytest.mark.parametrize("headers", [(), ("Transfer-Encoding: chunked",), ("Connection: close",)])
    def test_is_rejected_as_soon_as_it_is(
        self, hostile: Hostile, connect: Connect, way: Way, headers: tuple[str, ...]
    ) -> None:
        body = b'{"name": "' + b"x" * SMALL + b'"}'
        if headers == ("Transfer-Encoding: chunked",):
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        hostile.sends(http_response(body, *headers))
        error = way.error(connect(max_body=SMALL).dca_bots, "get", 41)
        assert isinstance(error, botdesk.DecodeError)
        assert f"longer than {SMALL} bytes" in str(error)

    def test_may_be_as_long_as_the_client_says(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        body = b'{"id":41,"name":"' + b"x" * SMALL + b'"}'
        hostile.sends(http_response(body))
        assert way.call(connect(max_body=len(body)).dca_bots, "get", 41).id == 41

    def test_need_not_end(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        hostile.streams(
            itertools.chain([http_response(b"", "Transfer-Encoding: chunked")], itertools.repeat(b"1\r\n \r\n" * 99))
        )
        error = way.error(connect(max_body=SMALL).dca_bots, "get", 41)
        assert isinstance(error, botdesk.DecodeError)
        assert hostile.left.wait(PATIENCE)

    def test_of_the_sandbox_is_rejected_by_default(self, way: Way) -> None:
        with botdesk.Sandbox(odd_values=True) as sandbox:
            sandbox.faults.add("dca_bots.get", "huge_body")
            error = way.error(sandbox.client(), "request", "GET", "/ver1/bots/41/show")
        assert isinstance(error, botdesk.DecodeError)
        assert f"longer than {32 << 20} bytes" in str(error)

    def test_of_a_write_warns_that_it_was_probably_carried_out(
        self, hostile: Hostile, connect: Connect, way: Way
    ) -> None:
        hostile.sends(http_response(b" " * 2 * SMALL))
        error = way.error(connect(max_body=SMALL).dca_bots, "disable", 41)
        assert isinstance(error, botdesk.DecodeError)
        assert "probably carried out" in str(error)


class TestARefusalThatIsTooLong:
    @pytest.mark.parametrize(
        "body",
        [
            b'{"error":"%s"}' % (b"x" * (20 << 20)),
            b'{"error":"a","error_attributes":{%s}}' % b",".join(b'"k%d":["v"]' % each for each in range(500_000)),
            b"\xff" * (20 << 20),
        ],
        ids=["a text", "attributes", "no text"],
    )
    def test_is_still_an_error_of_its_status(self, hostile: Hostile, connect: Connect, way: Way, body: bytes) -> None:
        hostile.sends(http_response(body, status=409))
        error = way.error(connect().dca_bots, "get", 41)
        assert type(error) is botdesk.ApiError
        assert error.status == 409
        assert len(error.body) <= 65_536
        assert len(str(error)) < 200_000

    def test_has_a_message_that_can_be_read(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        attributes = ",".join(f'"field_{each}":["is wrong"]' for each in range(150))
        hostile.sends(
            http_response(b'{"error":"%s","error_attributes":{%s}}' % (b"x" * 9_000, attributes.encode()), status=400)
        )
        error = way.error(connect().dca_bots, "get", 41)
        assert isinstance(error, botdesk.ApiError)
        assert "x" * 1_000 + "…" in str(error)
        assert "and 50 more fields" in str(error)
        assert error.error == "x" * 9_000
        assert len(error.error_attributes) == 150

    def test_need_not_end(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        hostile.streams(
            itertools.chain([b"HTTP/1.1 502 Bad Gateway\r\n\r\n"], itertools.repeat(b"<html>" * 1_000)),
        )
        error = way.error(connect().dca_bots, "get", 41)
        assert isinstance(error, botdesk.ServerError)
        assert hostile.left.wait(PATIENCE)

    def test_shows_no_half_of_a_key_where_it_is_cut(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        # Repeated keys are shown shortened, so that the end of what was read is shown.
        hostile.sends(http_response(b"hostile-test-api-key|" * 50_000, status=502))
        error = way.error(connect().dca_bots, "get", 41)
        assert isinstance(error, botdesk.ServerError)
        assert "hostile" not in error.body


class TestJsonThatIsTooDeep:
    @pytest.mark.parametrize("body", [DEEP, b"[" * 10_000, b'{"a":' * 10_000, b'{"id":41,"pairs":%s}' % DEEP])
    def test_is_no_response(self, hostile: Hostile, connect: Connect, way: Way, body: bytes) -> None:
        hostile.sends(http_response(body))
        assert isinstance(way.error(connect().dca_bots, "get", 41), botdesk.DecodeError)

    @pytest.mark.parametrize("body", [DEEP, b"[%s]" % DEEP, b'[{"id":41,"pairs":%s}]' % DEEP])
    def test_is_no_list(self, hostile: Hostile, connect: Connect, way: Way, body: bytes) -> None:
        hostile.sends(http_response(body))
        assert isinstance(way.error(connect().dca_bots, "list"), botdesk.DecodeError)

    def test_is_a_string_of_any_path_and_no_json(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        hostile.sends(http_response(DEEP))
        reply = way.call(connect(), "request", "GET", "/ver1/x")
        assert reply.body == DEEP.decode()
        with pytest.raises(botdesk.DecodeError):
            reply.json()

    @pytest.mark.parametrize("body", [DEEP, b'{"error":%s}' % DEEP, b'{"error":"a","error_attributes":%s}' % DEEP])
    def test_is_an_error_without_a_description(self, hostile: Hostile, connect: Connect, way: Way, body: bytes) -> None:
        hostile.sends(http_response(body, status=404))
        error = way.error(connect().dca_bots, "get", 41)
        assert isinstance(error, botdesk.NotFoundError)
        assert error.error is None

    @pytest.mark.parametrize("read", [botdesk.DcaBot.from_json, botdesk.DcaBot.list_from_json])
    def test_is_no_record(self, read: Callable[[str], object]) -> None:
        with pytest.raises(botdesk.DecodeError):
            read(DEEP.decode())

    def test_as_deep_as_a_record_may_be_can_be_read_in_all_ways(self) -> None:
        bot = botdesk.DcaBot.from_json('{"unknown":' + "[" * 126 + "]" * 126 + "}")
        assert bot.to_dict().keys() == bot.extra.keys() == {"unknown"}
        assert bot == botdesk.DcaBot.from_json(bot.to_json())


class TestAGzipBomb:
    @pytest.mark.parametrize("status", [200, 502])
    def test_is_taken_by_what_it_unpacks_to(self, hostile: Hostile, connect: Connect, way: Way, status: int) -> None:
        hostile.sends(http_response(bomb(1_000), "Content-Encoding: gzip", status=status))
        error = way.error(connect().dca_bots, "get", 41)
        assert isinstance(error, botdesk.DecodeError if status == 200 else botdesk.ServerError)

    def test_in_a_bomb_is_no_text(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        hostile.sends(http_response(gzip.compress(bomb(100)), "Content-Encoding: gzip"))
        assert isinstance(way.error(connect().dca_bots, "get", 41), botdesk.DecodeError)

    def test_that_unpacks_to_nothing_for_ever_ends_with_the_time(
        self, hostile: Hostile, connect: Connect, way: Way
    ) -> None:
        # A gzip whose header has a name that does not end.
        head = http_response(b"", "Content-Encoding: gzip", "Transfer-Encoding: chunked")
        begin = b"a\r\n\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03\r\n"
        hostile.streams(itertools.chain([head, begin], itertools.repeat(b"40\r\n" + b"n" * 64 + b"\r\n")))
        assert isinstance(way.error(connect(timeout=SHORT).dca_bots, "get", 41), botdesk.TransportError)
        assert hostile.left.wait(PATIENCE)


def flood(lines: Iterator[bytes]) -> Iterator[bytes]:
    return itertools.chain([b"HTTP/1.1 200 OK\r\n"], lines)


ENDLESS: dict[str, Callable[[], Iterator[bytes]]] = {
    "headers": lambda: flood(b"X-%d: y\r\n" % each for each in itertools.count()),
    "a header": lambda: flood(itertools.chain([b"X: "], itertools.repeat(b"y" * 1_000))),
    "a status line": lambda: itertools.chain([b"HTTP/1.1 200 "], itertools.repeat(b"OK" * 1_000)),
    "interim answers": lambda: itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "a chunk's extension": lambda: itertools.chain(
        [http_response(b"", "Transfer-Encoding: chunked"), b"1;"], itertools.repeat(b"e" * 1_000)
    ),
    "trailers": lambda: itertools.chain(
        [http_response(b"", "Transfer-Encoding: chunked"), b"0\r\n"],
        (b"X-%d: y\r\n" % each for each in itertools.count()),
    ),
}


class TestAnAnswerWithoutAnEnd:
    @pytest.mark.parametrize("endless", ENDLESS.values(), ids=list(ENDLESS))
    def test_of_a_read_is_a_transport_error(
        self, hostile: Hostile, connect: Connect, way: Way, endless: Callable[[], Iterator[bytes]]
    ) -> None:
        hostile.streams(endless())
        assert isinstance(way.error(connect(timeout=SHORT).dca_bots, "get", 41), botdesk.TransportError)
        assert hostile.left.wait(PATIENCE)

    @pytest.mark.parametrize("endless", ENDLESS.values(), ids=list(ENDLESS))
    def test_of_a_write_may_have_been_carried_out(
        self, hostile: Hostile, connect: Connect, way: Way, endless: Callable[[], Iterator[bytes]]
    ) -> None:
        hostile.streams(endless())
        assert isinstance(way.error(connect(timeout=SHORT).dca_bots, "disable", 41), botdesk.OutcomeUnknownError)
        assert hostile.requests == 1


class TestATrickle:
    @pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 500 Error\r\n\r\n"])
    def test_ends_with_the_time_of_the_call(self, hostile: Hostile, connect: Connect, way: Way, head: bytes) -> None:
        def trickle() -> Iterator[bytes]:
            for byte in itertools.chain(head, itertools.repeat(0x20)):
                yield bytes([byte])
                hostile.pause(0.01)

        hostile.streams(trickle())
        error = way.error(connect(timeout=SHORT).dca_bots, "get", 41)
        # The error reports the part of the body that was read, even if it is cut off.
        refused = isinstance(error, botdesk.ServerError) and error.status == 500
        assert refused or isinstance(error, botdesk.RequestTimeoutError | botdesk.TransportError)


class TestALengthThatLies:
    def test_too_long_is_a_cut_response(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        hostile.sends(http_response(b'{"id":41}', "Content-Length: 1000"))
        error = way.error(connect().dca_bots, "get", 41)
        assert type(error) is botdesk.TransportError

    def test_too_long_leaves_open_whether_a_write_happened(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        hostile.sends(http_response(b'{"id":41}', "Content-Length: 1000"))
        assert isinstance(way.error(connect().dca_bots, "disable", 41), botdesk.OutcomeUnknownError)

    @pytest.mark.parametrize("length", [str(1 << 40), str((1 << 64) - 1), "9" * 30, "-1", "0x10", "10, 11"])
    def test_reserves_no_memory_for_what_it_only_claims(
        self, hostile: Hostile, connect: Connect, way: Way, length: str
    ) -> None:
        hostile.sends(http_response(b'{"id":41}', f"Content-Length: {length}"))
        assert type(way.error(connect().dca_bots, "get", 41)) is botdesk.TransportError

    def test_too_short_is_not_json(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        hostile.sends(http_response(b'{"id":41}', "Content-Length: 5"))
        error = way.error(connect().dca_bots, "get", 41)
        assert isinstance(error, botdesk.DecodeError)
        assert error.body == '{"id"'


class TestARedirect:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    @pytest.mark.parametrize("operation", ["get", "disable"])
    def test_is_never_followed(self, hostile: Hostile, connect: Connect, way: Way, status: int, operation: str) -> None:
        hostile.sends(http_response(b"", f"Location: {hostile.url}/elsewhere", status=status))
        error = way.error(connect(retries=3).dca_bots, operation, 41)
        assert isinstance(error, botdesk.ApiError if operation == "get" else botdesk.OutcomeUnknownError)
        assert error.status == status
        assert "redirects are not followed" in str(error)
        assert hostile.requests == 1


class TestTooManyRecords:
    def test_in_a_list_are_rejected(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        hostile.sends(http_response(b"[" + b"{}," * 1_000_000 + b"{}]"))
        error = way.error(connect().dca_bots, "list")
        assert isinstance(error, botdesk.DecodeError)
        assert "at most 100 000" in str(error)

    def test_in_a_field_affect_only_that_field(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        hostile.sends(http_response(b'{"id":41,"active_deals":[' + b"{}," * 200_000 + b"{}]}"))
        bot = way.call(connect().dca_bots, "get", 41)
        assert bot.id == 41
        with pytest.raises(botdesk.DecodeError):
            _ = bot.active_deals


class TestATextThatIsNotUtf8:
    @pytest.mark.parametrize(
        "body", [b"\xed\xa0\x80", b"\xff" * (10 << 20), b'{"id":41,"name":"' + b"\xff" * (10 << 20) + b'"}']
    )
    def test_is_no_response(self, hostile: Hostile, connect: Connect, way: Way, body: bytes) -> None:
        hostile.sends(http_response(body))
        error = way.error(connect().dca_bots, "get", 41)
        assert isinstance(error, botdesk.DecodeError)
        assert len(error.body) <= 65_536

    def test_in_a_header_is_left_out(self, hostile: Hostile, connect: Connect, way: Way) -> None:
        hostile.sends(http_response(b"{}", "X-Request-Id: \xff\xfe", "Retry-After: \xff", status=503))
        error = way.error(connect().dca_bots, "get", 41)
        assert isinstance(error, botdesk.ServerError)
        assert error.request_id is None


class TestAWaitWithoutReason:
    @pytest.mark.parametrize("wait", ["1e18", "1e19", "1.8e19", "9" * 40, "1e308", "Fri, 01 Jan 9999 00:00:00 GMT"])
    @pytest.mark.parametrize(
        ("status", "kind"),
        [(503, botdesk.ServerError), (429, botdesk.RateLimitedError), (418, botdesk.IpBannedError)],
    )
    def test_is_not_waited_for(
        self,
        banning: Hostile,
        private_key: str,
        way: Way,
        *,
        status: int,
        kind: type[botdesk.ApiError],
        wait: str,
    ) -> None:
        banning.sends(http_response(b"", f"Retry-After: {wait}", status=status))
        # Uses its own key, because a ban applies to all clients with the same key.
        client = botdesk.Client(
            f"hostile-{status}-{wait[:4].strip()}-{way}"[:40].replace(" ", "-"),
            private_key,
            base_url=banning.url,
            retries=3,
        )
        error = way.error(client.dca_bots, "get", 41)
        assert isinstance(error, kind)
        if isinstance(error, botdesk.RateLimitedError | botdesk.IpBannedError):
            assert error.retry_after is not None
            assert error.retry_after <= 3 * 86_400
        budget = client.budget
        assert budget is not None
        assert budget.resets_in <= 3 * 86_400


class TestNumbersWithoutMeasure:
    @pytest.mark.parametrize(
        "number", ["1e1000", "1e-1000", "1e999999999", "-1e-999999999", "1e" + "9" * 30, "9" * 99_999]
    )
    def test_make_no_plan_and_no_edit_that_takes_long(
        self, hostile: Hostile, connect: Connect, way: Way, number: str
    ) -> None:
        numbers = ",".join(
            f'"{name}":"{number}"'
            for name in (
                "base_order_volume",
                "safety_order_volume",
                "safety_order_step_percentage",
                "martingale_volume_coefficient",
                "martingale_step_coefficient",
                "stop_loss_percentage",
            )
        )
        rest = '"id":41,"max_safety_orders":200,"active_safety_orders_count":1,"take_profit":"1","name":"a"'
        hostile.sends(http_response(f"{{{rest},{numbers}}}".encode()))
        bot = way.call(connect().dca_bots, "get", 41)
        assert bot.id == 41
        repr(bot)
        bot.to_dict()
        assert isinstance(way.error(bot, "edit", name="b"), botdesk.ValidationError)
        with pytest.raises((botdesk.ValidationError, botdesk.DecodeError)):
            bot.ladder("100")
