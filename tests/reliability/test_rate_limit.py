"""The rate limiter: the number of requests, the waiting callers, and the effect of a rate limit error."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from itertools import count
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from ..wire.conftest import Calls, Service  # noqa: TID252
    from .conftest import Connect

HOUR = 3600
NUMBERS = count(1)


@pytest.fixture
def api_key() -> str:
    """Return an API key that no other test uses."""
    return f"api-key-{next(NUMBERS)}"


def once(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"retries": 0, "rate_limit": botdesk.RateLimit(1, per=HOUR), **more}


def lost(client: botdesk.Client) -> str:
    """Open a stream, and return why its connection was lost."""
    errors = SimpleQueue[BaseException]()
    with client.stream("deals", on_error=errors.put) as stream:
        reader = threading.Thread(target=lambda: list(stream))
        reader.start()
        while not isinstance(error := errors.get(timeout=60), botdesk.TransportError):
            pass
    reader.join(60)
    return str(error)


class TestTheAccount:
    def test_a_client_has_a_limit_by_default(self, private_key: str, api_key: str) -> None:
        client = botdesk.Client(api_key, private_key, base_url="https://service.example")
        assert client.budget == client.with_options().budget
        assert repr(client.budget) == "<Budget 0 of 100 used, resets in 0.0 s>"

    def test_without_a_limit_there_is_no_budget(self, connect: Connect, sandbox: botdesk.Sandbox) -> None:
        assert connect(rate_limit=None).budget is None
        assert sandbox.client().budget is None

    def test_each_attempt_counts(self, connect: Connect, service: Service, calls: Calls, api_key: str) -> None:
        client = connect(api_key=api_key, rate_limit=botdesk.RateLimit(5, per=HOUR))
        service.responds(503)
        service.responds()
        calls.get(client)
        budget = client.budget
        assert budget is not None
        assert (budget.used, budget.limit) == (2, 5)
        assert 0 < budget.resets_in <= HOUR

    def test_clients_of_one_key_share_it(self, connect: Connect, service: Service, calls: Calls, api_key: str) -> None:
        one, same = (connect(api_key=api_key, **once(wait=False)) for _ in range(2))
        other = connect(api_key=f"{api_key}-other", **once(wait=False))
        service.responds()
        calls.get(one)
        with pytest.raises(botdesk.RateLimitedError):
            calls.get(same)
        service.responds()
        assert calls.get(other).id == 41

    def test_another_address_has_an_account_of_its_own(self, connect: Connect, service: Service, api_key: str) -> None:
        service.responds()
        client = connect(api_key=api_key, **once(wait=False))
        client.dca_bots.get(41)
        elsewhere = connect("https://service.example", api_key=api_key, **once(wait=False))
        assert elsewhere.budget is not None
        assert elsewhere.budget.used == 0


class TestWaiting:
    def test_without_waiting_a_call_too_many_is_rejected_and_not_sent(
        self, connect: Connect, service: Service, calls: Calls, api_key: str
    ) -> None:
        client = connect(api_key=api_key, **once(wait=False))
        service.responds()
        calls.get(client)
        with pytest.raises(
            botdesk.RateLimitedError, match=r"dca_bots.get was not sent: .* try again in 3600 s"
        ) as caught:
            calls.get(client)
        assert caught.value.retry_after is not None
        assert HOUR - 60 < caught.value.retry_after <= HOUR
        assert len(service.requests) == 1

    def test_a_call_waits_its_turn(self, connect: Connect, service: Service, calls: Calls, api_key: str) -> None:
        client = connect(api_key=api_key, rate_limit=botdesk.RateLimit(1, per=0.02))
        for _ in range(3):
            service.responds()
            assert calls.get(client).id == 41
        assert len(service.requests) == 3

    def test_a_task_that_is_cancelled_leaves_the_line(self, connect: Connect, service: Service, api_key: str) -> None:
        spent = connect(api_key=api_key, **once())
        roomy = connect(api_key=api_key, rate_limit=botdesk.RateLimit(5, per=HOUR))
        service.responds()
        spent.dca_bots.get(41)

        async def give_up() -> botdesk.DcaBot:
            waiting = [asyncio.ensure_future(spent.dca_bots.get_async(41)) for _ in range(3)]
            await asyncio.sleep(0)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            assert all(task.cancelled() for task in waiting)
            service.responds()
            return await roomy.dca_bots.get_async(41)

        assert asyncio.run(give_up()).id == 41
        assert roomy.budget is not None
        assert roomy.budget.used == 2
        assert len(service.requests) == 2

    @pytest.mark.skipif(os.name == "nt", reason="signals are sent as POSIX has them")
    def test_ctrl_c_ends_the_wait_and_leaves_the_line(self, connect: Connect, service: Service, api_key: str) -> None:
        spent = connect(api_key=api_key, **once())
        service.responds()
        spent.dca_bots.get(41)

        def call_while_interrupted() -> None:
            interrupting = threading.Thread(target=os.kill, args=[os.getpid(), signal.SIGINT])
            interrupting.start()
            spent.dca_bots.get(41)

        with pytest.raises(KeyboardInterrupt):
            call_while_interrupted()
        service.responds()
        roomy = spent.with_options(rate_limit=botdesk.RateLimit(5, per=HOUR))
        assert roomy.dca_bots.get(41).id == 41
        assert len(service.requests) == 2


class TestRefusals:
    def limited(self, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        return {"retries": 0, "rate_limit": botdesk.RateLimit(100, per=60), "wait": False, **more}

    @pytest.mark.parametrize(
        ("headers", "wait"), [({}, 300), ({"Retry-After": "70"}, 70), ({"Retry-After": "900"}, 900)]
    )
    def test_after_a_429_everything_of_the_key_waits(
        self, connect: Connect, service: Service, calls: Calls, api_key: str, *, headers: dict[str, str], wait: float
    ) -> None:
        one, same = (connect(api_key=api_key, **self.limited()) for _ in range(2))
        service.responds(429, headers=headers)
        with pytest.raises(botdesk.RateLimitedError):
            calls.get(one)
        with pytest.raises(botdesk.RateLimitedError, match="the service rejects this API key") as caught:
            calls.disable(same)
        assert caught.value.retry_after is not None
        assert wait - 60 < caught.value.retry_after <= wait
        assert len(service.requests) == 1

    def test_a_ban_of_a_request_holds_back_the_stream(
        self, connect: Connect, service: Service, calls: Calls, api_key: str
    ) -> None:
        client = connect(api_key=api_key, **self.limited())
        service.responds(418, headers={"Retry-After": "900"})
        with pytest.raises(botdesk.IpBannedError):
            calls.get(client)
        assert "has banned this IP address for a while; connects again in " in lost(client)
        assert len(service.requests) == 1

    def test_a_ban_of_the_stream_holds_back_requests(
        self, connect: Connect, service: Service, calls: Calls, api_key: str
    ) -> None:
        client = connect(api_key=api_key, **self.limited())
        service.responds(418, headers={"Retry-After": "900"})
        assert "refused the handshake with the status 418; connects again in 900.0 s" in lost(client)
        with pytest.raises(botdesk.IpBannedError, match="was not sent"):
            calls.get(client)

    @pytest.mark.parametrize("when", ["0", "0.001", "Wed, 21 Oct 2015 07:28:00 GMT"])
    @pytest.mark.shows("promise wait after a 429")
    def test_a_429_holds_the_key_for_a_full_step_however_little_the_service_asks_for(
        self, connect: Connect, service: Service, calls: Calls, api_key: str, when: str
    ) -> None:
        slow = botdesk.RetryPolicy(0, backoff=HOUR, max_backoff=HOUR)
        one, same = (connect(api_key=api_key, **self.limited(retries=slow)) for _ in range(2))
        service.responds(429, headers={"Retry-After": when})
        with pytest.raises(botdesk.RateLimitedError):
            calls.get(one)
        with pytest.raises(botdesk.RateLimitedError, match="the service rejects this API key") as caught:
            calls.get(same)
        assert caught.value.retry_after is not None
        assert HOUR - 60 < caught.value.retry_after <= HOUR
        assert len(service.requests) == 1

    def test_a_429_far_under_the_limit_halves_the_rate_and_warns_once(
        self, connect: Connect, service: Service, calls: Calls, api_key: str
    ) -> None:
        client = connect(api_key=api_key, **self.limited())
        service.responds(429)
        with (
            pytest.warns(UserWarning, match=r"only 1 of 100 .* at most 50 .*`requests_per_minute`"),
            pytest.raises(botdesk.RateLimitedError),
        ):
            calls.get(client)
        assert client.budget is not None
        assert client.budget.limit == 50

    def test_a_429_does_not_affect_another_key(
        self, connect: Connect, service: Service, calls: Calls, api_key: str
    ) -> None:
        service.responds(429)
        with pytest.raises(botdesk.RateLimitedError):
            calls.get(connect(api_key=api_key, **self.limited()))
        service.responds()
        assert calls.get(connect(api_key=f"{api_key}-other", **self.limited())).id == 41

    def test_a_429_of_the_plan_holds_nobody(
        self, connect: Connect, service: Service, calls: Calls, api_key: str
    ) -> None:
        client = connect(api_key=api_key, **self.limited())
        service.responds(429, b'{"error":"not available with your current subscription plan"}')
        with pytest.raises(botdesk.PlanRestrictedError):
            calls.get(client)
        service.responds()
        assert calls.get(client).id == 41

    @pytest.mark.parametrize("wait", [False, True], ids=["at once", "waiting"])
    def test_after_a_418_everything_to_the_address_is_rejected_at_once(
        self, connect: Connect, service: Service, calls: Calls, api_key: str, *, wait: bool
    ) -> None:
        service.responds(418, headers={"Retry-After": "900"})
        with pytest.raises(botdesk.IpBannedError):
            calls.get(connect(api_key=api_key, **self.limited()))
        other = connect(api_key=f"{api_key}-other", **self.limited(wait=wait))
        with pytest.raises(botdesk.IpBannedError, match="was not sent") as caught:
            calls.disable(other)
        assert caught.value.retry_after is not None
        assert 600 < caught.value.retry_after <= 900
        assert len(service.requests) == 1

    @pytest.mark.parametrize("when", ["0", "0.001", "Wed, 21 Oct 2015 07:28:00 GMT"])
    @pytest.mark.shows("promise a ban of less than a second")
    def test_a_ban_that_should_be_over_lasts_as_long_as_one_of_unknown_length(
        self, connect: Connect, service: Service, calls: Calls, api_key: str, when: str
    ) -> None:
        client = connect(api_key=api_key, **self.limited())
        service.responds(418, headers={"Retry-After": when})
        with pytest.raises(botdesk.IpBannedError):
            calls.get(client)
        with pytest.raises(botdesk.IpBannedError, match="was not sent") as caught:
            calls.get(client)
        assert caught.value.retry_after is not None
        assert 60 < caught.value.retry_after <= 120
        assert len(service.requests) == 1

    @pytest.mark.shows("promise Retry-After as a date")
    def test_a_ban_until_a_date_is_read_against_the_date_of_the_response(
        self, connect: Connect, service: Service, calls: Calls, api_key: str
    ) -> None:
        client = connect(api_key=api_key, **self.limited())
        dates = {"Date": "Wed, 21 Oct 2015 07:28:00 GMT", "Retry-After": "Wed, 21 Oct 2015 07:43:00 GMT"}
        service.responds(418, headers=dates)
        with pytest.raises(botdesk.IpBannedError) as caught:
            calls.get(client)
        assert caught.value.retry_after == 900
        with pytest.raises(botdesk.IpBannedError, match="was not sent"):
            calls.get(client)
        assert len(service.requests) == 1

    def test_waiting_calls_are_rejected_as_soon_as_the_ip_is_banned(
        self, connect: Connect, service: Service, api_key: str
    ) -> None:
        spent = connect(api_key=api_key, **once())
        roomy = connect(api_key=api_key, **self.limited())
        service.responds()
        spent.dca_bots.get(41)
        service.responds(418)

        async def both() -> list[object]:
            waiting = spent.dca_bots.get_async(41)
            banned = roomy.dca_bots.get_async(41)
            return list(await asyncio.gather(waiting, banned, return_exceptions=True))

        assert [type(error) for error in asyncio.run(both())] == [botdesk.IpBannedError] * 2
        assert len(service.requests) == 2

    def test_without_a_limit_nothing_is_held_back(self, connect: Connect, service: Service, api_key: str) -> None:
        client = connect(api_key=api_key, retries=0, rate_limit=None)
        for status in (429, 418):
            service.responds(status)
            with pytest.raises(botdesk.ApiError):
                client.dca_bots.get(41)
        service.responds()
        assert client.dca_bots.get(41).id == 41

    @pytest.mark.parametrize("body", [b"", b'{"error":"record_invalid"}', b"<html>"])
    def test_a_429_counts_with_any_body(
        self, connect: Connect, service: Service, calls: Calls, api_key: str, body: bytes
    ) -> None:
        client = connect(api_key=api_key, **self.limited())
        service.responds(429, body)
        for _ in range(2):
            with pytest.raises(botdesk.RateLimitedError):
                calls.get(client)
        assert len(service.requests) == 1


def test_a_client_within_its_limit_is_never_rejected_by_a_sandbox_that_counts(private_key: str) -> None:
    with botdesk.Sandbox(bots=1, rate_limit=5) as sandbox:
        api_key = sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem)
        limit = botdesk.RateLimit(5, per=60)
        client = botdesk.Client(api_key, private_key, base_url=sandbox.url, rate_limit=limit, wait=False)
        for _ in range(5):
            client.dca_bots.get(41)
        with pytest.raises(botdesk.RateLimitedError, match="was not sent"):
            client.dca_bots.get(41)
        assert [request.status for request in sandbox.requests] == [200] * 5
