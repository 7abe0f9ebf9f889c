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


def test_both_errors_have_a_retry_after() -> None:
    with botdesk.Sandbox(bots=1, rate_limit=0) as sandbox:
        client = sandbox.client()
        with pytest.raises(botdesk.RateLimitedError) as limited:
            client.dca_bots.list()
        assert limited.value.retry_after == 300
        statuses(sandbox, client, 10)
        with pytest.raises(botdesk.IpBannedError) as banned:
            client.dca_bots.list()
        assert banned.value.retry_after == 120


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
