"""When a request is sent again, and when it certainly is not."""

from __future__ import annotations

import datetime as dt
import email.utils
import itertools
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from ..wire.conftest import Calls, Service  # noqa: TID252
    from .conftest import Connect

PLAN = b'{"error":"The request type \'read\' is not available with your current subscription plan"}'
PAST = "Wed, 21 Oct 2015 07:28:00 GMT"
FAR = "Fri, 31 Dec 2100 23:59:59 GMT"

# What may arrive in place of a response: the bytes, and what happens to the connection.
NO_ANSWER = {
    "closed": b"",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "half a body": b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"id"',
}


# A backoff that is longer than a response takes, and short enough for a test.
STEP = 0.02
HOUR = 3600.0


def ago(*, hours: int) -> str:
    """Format the date of some hours ago as an HTTP date."""
    return email.utils.format_datetime(dt.datetime.now(dt.UTC) - dt.timedelta(hours=hours), usegmt=True)


def methods(service: Service) -> list[str]:
    return [request.method for request in service.requests]


class TestReads:
    @pytest.mark.parametrize("status", [502, 503, 504, 520, 521, 522, 523, 524])
    def test_a_read_is_sent_again_after_a_failure_on_the_way(
        self, client: botdesk.Client, service: Service, calls: Calls, status: int
    ) -> None:
        service.responds(status, b"<html>")
        service.responds(status, b"<html>")
        service.responds()
        assert calls.get(client).id == 41
        assert methods(service) == ["GET"] * 3

    @pytest.mark.parametrize("data", NO_ANSWER.values(), ids=list(NO_ANSWER))
    def test_a_read_is_sent_again_after_a_broken_connection(
        self, client: botdesk.Client, service: Service, calls: Calls, data: bytes
    ) -> None:
        service.sends(data)
        service.responds()
        assert calls.get(client).id == 41
        assert methods(service) == ["GET"] * 2

    def test_a_read_is_sent_again_after_an_attempt_that_took_too_long(
        self, connect: Connect, service: Service, calls: Calls
    ) -> None:
        service.sends(b"", then="stall")
        service.responds()
        client = connect(retries=botdesk.RetryPolicy(1, backoff=0.0, attempt_timeout=0.5))
        assert calls.get(client).id == 41

    def test_all_attempts_together_keep_within_the_time_of_the_call(
        self, connect: Connect, service: Service, calls: Calls
    ) -> None:
        for _ in range(50):
            service.sends(b"", then="stall")
        client = connect(timeout=2.0, retries=botdesk.RetryPolicy(50, backoff=0.0, attempt_timeout=0.4))
        with pytest.raises(botdesk.TransportError, match=r"tried \d times"):
            calls.get(client)
        assert 1 < len(service.requests) < 8

    def test_every_attempt_has_the_same_bytes(self, client: botdesk.Client, service: Service, calls: Calls) -> None:
        service.responds(503)
        service.responds()
        calls.get(client)
        assert service.requests[0] == service.requests[1]

    @pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 418, 422, 501])
    def test_a_read_is_not_sent_again_where_that_does_not_help(
        self, client: botdesk.Client, service: Service, calls: Calls, status: int
    ) -> None:
        service.responds(status)
        with pytest.raises(botdesk.ApiError) as caught:
            calls.get(client)
        assert caught.value.status == status
        assert len(service.requests) == 1

    def test_a_read_that_the_service_fails_to_carry_out_is_sent_once_more(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        for _ in range(3):
            service.responds(500, b'{"error":"unknown_error"}')
        with pytest.raises(botdesk.ServerError):
            calls.get(client)
        assert len(service.requests) == 2

    @pytest.mark.parametrize("error", ["grid_lines_not_marked", "pair_not_supported", "unknown_error #NoMethodError"])
    def test_a_read_is_not_sent_again_if_the_reason_would_be_the_same(
        self, client: botdesk.Client, service: Service, calls: Calls, error: str
    ) -> None:
        service.responds(500, f'{{"error":"{error}"}}'.encode())
        with pytest.raises(botdesk.ServerError):
            calls.get(client)
        assert len(service.requests) == 1

    def test_a_read_that_can_not_be_read_is_not_sent_again(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        service.responds(body=b"{")
        with pytest.raises(botdesk.DecodeError):
            calls.get(client)
        assert len(service.requests) == 1

    def test_an_error_has_the_number_of_attempts(self, client: botdesk.Client, service: Service, calls: Calls) -> None:
        for _ in range(3):
            service.sends(b"")
        with pytest.raises(botdesk.TransportError, match="tried 3 times"):
            calls.get(client)
        assert len(service.requests) == 3

    def test_no_retries_is_one_attempt(self, connect: Connect, service: Service, calls: Calls) -> None:
        service.responds(503)
        with pytest.raises(botdesk.ServerError):
            calls.get(connect(retries=0))
        assert len(service.requests) == 1


class TestWrites:
    @pytest.mark.parametrize("status", [302, 400, 408, 409, 418, 500, 502, 503, 504, 520, 521, 522, 523, 524])
    def test_a_write_with_a_response_is_not_retried(
        self, client: botdesk.Client, service: Service, calls: Calls, status: int
    ) -> None:
        service.responds(status, headers={"Retry-After": "0"})
        with pytest.raises((botdesk.ApiError, botdesk.OutcomeUnknownError)):
            calls.disable(client)
        assert len(service.requests) == 1

    @pytest.mark.parametrize("data", NO_ANSWER.values(), ids=list(NO_ANSWER))
    def test_a_write_that_may_have_arrived_is_not_sent_again(
        self, client: botdesk.Client, service: Service, calls: Calls, data: bytes
    ) -> None:
        service.sends(data)
        with pytest.raises(botdesk.OutcomeUnknownError):
            calls.disable(client)
        assert len(service.requests) == 1

    def test_a_write_that_takes_too_long_is_not_sent_again(
        self, connect: Connect, service: Service, calls: Calls
    ) -> None:
        service.sends(b"", then="stall")
        with pytest.raises(botdesk.OutcomeUnknownError):
            calls.disable(connect(timeout=1.0))
        assert len(service.requests) == 1

    def test_a_write_has_all_of_the_time(self, connect: Connect, service: Service, calls: Calls) -> None:
        service.sends(b"", then="stall")
        client = connect(timeout=1.0, retries=botdesk.RetryPolicy(5, attempt_timeout=0.3))
        begun = time.monotonic()
        with pytest.raises(botdesk.OutcomeUnknownError):
            calls.disable(client)
        assert time.monotonic() - begun > 0.9
        assert len(service.requests) == 1

    def test_a_write_that_was_turned_away_by_the_rate_limit_is_sent_again(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        service.responds(429, headers={"Retry-After": "0"})
        service.responds(201)
        assert calls.disable(client).id == 41
        assert methods(service) == ["POST"] * 2
        assert service.requests[0] == service.requests[1]

    def test_a_write_that_found_no_connection_is_sent_again(self, sandbox: botdesk.Sandbox, calls: Calls) -> None:
        def open_again(_: botdesk.RequestEvent) -> None:
            sandbox.faults.clear()

        sandbox.faults.add("*", kind="refuse", times=None)
        retries = botdesk.RetryPolicy(200, backoff=0.05)
        client = sandbox.client().with_options(retries=retries, on_retry=open_again)
        assert calls.disable(client).is_enabled is False
        assert [request.method for request in sandbox.requests] == ["POST"]


class TestRetryAfter:
    @pytest.mark.parametrize("when", ["0", " 0 ", "0.0", PAST])
    def test_the_wait_may_be_over_at_once(
        self, client: botdesk.Client, service: Service, calls: Calls, when: str
    ) -> None:
        service.responds(429, headers={"Retry-After": when})
        service.responds()
        assert calls.get(client).id == 41

    @pytest.mark.parametrize("when", ["0", "0.001", PAST])
    @pytest.mark.shows("promise wait after a 429")
    def test_a_rate_limit_is_waited_for_by_full_steps_however_little_the_service_asks_for(
        self, connect: Connect, service: Service, calls: Calls, when: str
    ) -> None:
        client = connect(retries=botdesk.RetryPolicy(3, backoff=STEP))
        for act in (calls.get, calls.disable):
            service.times.clear()
            for _ in range(4):
                service.responds(429, headers={"Retry-After": when})
            with pytest.raises(botdesk.RateLimitedError):
                act(client)
            waits = [after - before for before, after in itertools.pairwise(service.times)]
            assert [wait >= step for wait, step in zip(waits, [STEP, 2 * STEP, 4 * STEP], strict=True)] == [True] * 3

    @pytest.mark.parametrize("status", [429, 503])
    @pytest.mark.shows("promise Retry-After as a date")
    def test_a_date_is_read_against_that_of_the_response(
        self, client: botdesk.Client, service: Service, calls: Calls, status: int
    ) -> None:
        # By the clock of this machine the wait was over an hour ago.
        service.responds(status, headers={"Date": ago(hours=2), "Retry-After": ago(hours=1)})
        with pytest.raises(botdesk.ApiError) as caught:
            calls.get(client)
        assert caught.value.status == status
        assert getattr(caught.value, "retry_after", HOUR) == HOUR
        assert len(service.requests) == 1

    @pytest.mark.parametrize(
        "when",
        [
            "Fri, 31 Dec 9999 23:59:59 GMT",
            pytest.param("Sat, 01 Jan 2500 00:00:00 GMT", id="a wrong weekday"),
            "9" * 400,
        ],
    )
    @pytest.mark.parametrize("status", [429, 418])
    @pytest.mark.shows("promise the longest wait")
    def test_a_wait_that_is_too_long_counts_as_three_days(
        self, client: botdesk.Client, service: Service, calls: Calls, status: int, when: str
    ) -> None:
        service.responds(status, headers={"Retry-After": when})
        with pytest.raises((botdesk.RateLimitedError, botdesk.IpBannedError)) as caught:
            calls.get(client)
        assert getattr(caught.value, "retry_after", None) == 259_200
        assert len(service.requests) == 1

    def test_a_read_is_not_repeated_before_a_date_that_is_too_far_away(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        service.responds(503, headers={"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"})
        with pytest.raises(botdesk.ServerError):
            calls.get(client)
        assert len(service.requests) == 1

    @pytest.mark.parametrize("date", ["yesterday", "", "\xe9"])
    def test_a_date_is_read_against_the_clock_where_that_of_the_response_makes_no_sense(
        self, client: botdesk.Client, service: Service, calls: Calls, date: str
    ) -> None:
        service.responds(429, headers={"Date": date, "Retry-After": ago(hours=-1)})
        with pytest.raises(botdesk.RateLimitedError) as caught:
            calls.get(client)
        assert caught.value.retry_after is not None
        assert HOUR - 60 < caught.value.retry_after <= HOUR

    @pytest.mark.parametrize("status", [429, 502, 503, 504])
    @pytest.mark.parametrize("when", ["3600", "1e300", FAR])
    def test_a_wait_that_is_longer_than_the_call_may_take_ends_the_call_at_once(
        self, client: botdesk.Client, service: Service, calls: Calls, status: int, when: str
    ) -> None:
        service.responds(status, headers={"Retry-After": when})
        with pytest.raises(botdesk.ApiError) as caught:
            calls.get(client)
        assert caught.value.status == status
        assert len(service.requests) == 1

    @pytest.mark.parametrize("headers", [{}, {"Retry-After": "soon"}, {"Retry-After": "-1"}, {"Retry-After": "nan"}])
    def test_a_rate_limit_without_retry_after_is_a_wait_of_300_seconds(
        self, client: botdesk.Client, service: Service, calls: Calls, headers: dict[str, str]
    ) -> None:
        service.responds(429, headers=headers)
        with pytest.raises(botdesk.RateLimitedError):
            calls.get(client)
        assert len(service.requests) == 1

    def test_a_plan_is_not_asked_again(self, client: botdesk.Client, service: Service, calls: Calls) -> None:
        for act in (calls.get, calls.disable):
            service.responds(429, PLAN, headers={"Retry-After": "0"})
            with pytest.raises(botdesk.PlanRestrictedError):
                act(client)
        assert len(service.requests) == 2

    def test_a_ban_is_not_tried_again(self, client: botdesk.Client, service: Service, calls: Calls) -> None:
        for act in (calls.get, calls.disable):
            service.responds(418, headers={"Retry-After": "0"})
            with pytest.raises(botdesk.IpBannedError):
                act(client)
        assert len(service.requests) == 2


class TestConnectionsThatAreKept:
    """A kept connection may be closed by the service just as the next request goes out."""

    ROUNDS = 200

    def test_no_write_arrives_twice_where_connections_are_closed_after_each_response(
        self, client: botdesk.Client, service: Service
    ) -> None:
        done: list[int] = []
        for bot_id in range(1, self.ROUNDS + 1):
            # The response does not announce that the connection is closed.
            service.responds(201, b'{"id":%d}' % bot_id, then="close")
            try:
                client.dca_bots.disable(bot_id)
            # After a request that never arrived, the next one gets the response that was meant for it.
            except (botdesk.OutcomeUnknownError, botdesk.DecodeError):
                continue
            done.append(bot_id)
        arrived = [int(request.target.split("/")[-2]) for request in service.requests]
        assert len(arrived) == len(set(arrived))
        assert set(done) <= set(arrived)

    def test_a_write_on_a_connection_that_was_closed_meanwhile_arrives_at_most_once(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        service.responds(then="close")
        calls.get(client)
        service.responds(201)
        # It is a race if the client has already noticed that the connection was closed.
        with suppress(botdesk.OutcomeUnknownError):
            calls.disable(client)
        assert methods(service).count("POST") <= 1

    def test_a_write_whose_kept_connection_closes_without_a_response_is_not_repeated(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        service.responds()
        client.dca_bots.get(41)
        service.sends(b"", then="close")
        with pytest.raises(botdesk.OutcomeUnknownError):
            calls.disable(client)
        assert methods(service) == ["GET", "POST"]

    def test_a_read_whose_kept_connection_closes_without_a_response_is_retried(
        self, client: botdesk.Client, service: Service, calls: Calls
    ) -> None:
        service.responds()
        client.dca_bots.get(41)
        service.sends(b"", then="reset")
        service.responds()
        assert calls.get(client).id == 41
        assert methods(service) == ["GET"] * 3


@pytest.mark.parametrize(
    ("method", "response", "arrives"),
    [("GET", 503, 2), ("POST", 503, 1), ("PATCH", 502, 1), ("PUT", 504, 1), ("DELETE", 503, 1), ("POST", 429, 2)],
)
def test_a_request_by_hand_is_sent_again_by_the_same_rules(
    connect: Connect, service: Service, calls: Calls, *, method: str, response: int, arrives: int
) -> None:
    client = connect(retries=botdesk.RetryPolicy(1, backoff=0.0))
    for _ in range(2):
        service.responds(response, headers={"Retry-After": "0"})
    given: dict[str, Any] = {} if method == "GET" else {"json": {"a": 1}}
    with pytest.raises(botdesk.ApiError):
        calls.request(client, method, "/ver1/anything", **given)
    assert len(service.requests) == arrives
