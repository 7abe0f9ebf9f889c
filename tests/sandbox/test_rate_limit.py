"""A sandbox that lets a key ask only so often."""

from __future__ import annotations

from contextlib import suppress

import pytest

import botdesk


def statuses(sandbox: botdesk.Sandbox, client: botdesk.Client, times: int) -> list[int | None]:
    for _ in range(times):
        with suppress(botdesk.ApiError):
            client.dca_bots.list(limit=1)
    return [request.status for request in sandbox.requests]


def test_there_is_no_limit_by_default() -> None:
    with botdesk.Sandbox(bots=1) as sandbox:
        assert set(statuses(sandbox, sandbox.client(), 120)) == {200}


def test_past_the_limit_a_key_is_rejected_and_going_on_gets_the_address_banned() -> None:
    with botdesk.Sandbox(bots=1, rate_limit=100) as sandbox:
        expected = [200] * 100 + [429] * 11 + [418] * 3
        assert statuses(sandbox, sandbox.client(), 114) == expected
        assert [request.carried_out for request in sandbox.requests] == [status == 200 for status in expected]


@pytest.mark.parametrize("retry_after", [False, True])
def test_both_errors_have_a_retry_after_if_that_is_set(*, retry_after: bool) -> None:
    with botdesk.Sandbox(bots=1, rate_limit=0, retry_after=retry_after) as sandbox:
        client = sandbox.client()
        with pytest.raises(botdesk.RateLimitedError) as limited:
            client.dca_bots.list()
        assert limited.value.retry_after == (300 if retry_after else None)
        statuses(sandbox, client, 10)
        with pytest.raises(botdesk.IpBannedError) as banned:
            client.dca_bots.list()
        assert banned.value.retry_after == (120 if retry_after else None)


def test_a_key_does_not_use_up_what_another_has() -> None:
    with botdesk.Sandbox(bots=1, rate_limit=1) as sandbox:
        one, other = sandbox.client(), sandbox.client()
        one.dca_bots.list()
        with pytest.raises(botdesk.RateLimitedError):
            one.dca_bots.list()
        other.dca_bots.list()


def test_a_banned_ip_is_rejected_with_any_key() -> None:
    with botdesk.Sandbox(bots=1, rate_limit=1) as sandbox:
        other = sandbox.client()
        statuses(sandbox, sandbox.client(), 13)
        with pytest.raises(botdesk.IpBannedError):
            other.dca_bots.list()


@pytest.mark.parametrize("limit", [-1, 2**40])
def test_a_limit_out_of_range_is_reported(limit: int) -> None:
    with pytest.raises(botdesk.ConfigurationError, match=f"rate_limit={limit} is out of range"):
        botdesk.Sandbox(rate_limit=limit)


@pytest.mark.parametrize("name", ["rate_limit", "requests_per_second"])
def test_a_negative_limit_is_reported_by_its_name(name: str) -> None:
    options: dict[str, int] = {name: -1}
    with pytest.raises(botdesk.ConfigurationError, match=f"{name}=-1 is out of range"):
        botdesk.Sandbox(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("plan", "requests", "writes"), [("lowest", 5, False), ("middle", 50, False), ("highest", 120, True)]
)
def test_a_plan_has_a_number_of_requests_and_perhaps_writes(plan: str, requests: int, *, writes: bool) -> None:
    with botdesk.Sandbox(bots=1, plan=plan) as sandbox:
        client = sandbox.client()
        if writes:
            client.dca_bots.disable(41)
        else:
            with pytest.raises(botdesk.ForbiddenError, match=r"'write'.*subscription plan"):
                client.dca_bots.disable(41)
        left = requests - writes
        assert statuses(sandbox, client, left + 1)[1:] == [200] * left + [429]


def test_an_unknown_plan_is_reported() -> None:
    with pytest.raises(botdesk.ConfigurationError, match='plan: unknown plan "midle"; did you mean middle'):
        botdesk.Sandbox(plan="midle")


def test_an_endpoint_with_a_limit_of_its_own_is_blocked_for_its_own_time() -> None:
    with botdesk.Sandbox(bots=1, rate_limit=100, retry_after=True) as sandbox:
        client = sandbox.client().with_options(retries=0)
        for _ in range(40):
            client.smart_trades.list(per_page=1)
        with pytest.raises(botdesk.RateLimitedError) as limited:
            client.smart_trades.list(per_page=1)
        assert limited.value.retry_after == 10
        client.dca_bots.list()
        sandbox.clock.advance(10)
        client.smart_trades.list(per_page=1)


def test_an_address_that_sends_too_many_requests_in_a_second_is_rejected_with_any_key() -> None:
    with botdesk.Sandbox(bots=1, requests_per_second=0, retry_after=True) as sandbox:
        for client in (sandbox.client().with_options(retries=0) for _ in range(2)):
            with pytest.raises(botdesk.RateLimitedError) as limited:
                client.dca_bots.list()
            assert limited.value.retry_after == 1


def test_a_ban_lasts_twice_as_long_each_time() -> None:
    with botdesk.Sandbox(bots=1, retry_after=True) as sandbox:
        client = sandbox.client()
        for seconds in (120, 240, 480):
            sandbox.faults.add("*", "ban")
            assert statuses(sandbox, client, 2)[-2:] == [418, 418]
            sandbox.clock.advance(seconds - 60)
            with pytest.raises(botdesk.IpBannedError) as banned:
                client.dca_bots.list()
            assert banned.value.retry_after is not None
            assert 0 < banned.value.retry_after <= 60
            sandbox.clock.advance(60)
            client.dca_bots.list()
