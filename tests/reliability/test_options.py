"""The options of retries and of the rate limit."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from ..wire.conftest import Service  # noqa: TID252
    from .conftest import Connect

POLICY = botdesk.RetryPolicy(5, backoff=1.5, max_backoff=30, attempt_timeout=2)
# A clock can't be set to it, though a duration can be as long.
AGES = 1e19
# No float is as large.
VAST = pytest.param(10**400, id="10**400")
DIVERS: list[Any] = [-1, 0, float("nan"), float("inf"), AGES, VAST]


def again(value: object) -> object:
    return pickle.loads(pickle.dumps(value))  # noqa: S301


class TestRetryPolicy:
    def test_it_prints_as_it_is_written(self) -> None:
        text = "RetryPolicy(5, backoff=1.5, max_backoff=30.0, attempt_timeout=2.0)"
        assert repr(POLICY) == text
        assert eval(text, dict(vars(botdesk))) == POLICY  # noqa: S307

    def test_it_has_defaults(self) -> None:
        default = botdesk.RetryPolicy()
        assert (default.retries, default.backoff, default.max_backoff, default.attempt_timeout) == (3, 0.5, 20.0, None)

    def test_it_is_compared_by_its_values(self) -> None:
        assert botdesk.RetryPolicy() == botdesk.RetryPolicy(3)
        assert botdesk.RetryPolicy(3) != botdesk.RetryPolicy(2)
        assert botdesk.RetryPolicy(3) != botdesk.RetryPolicy(3, attempt_timeout=1)
        assert botdesk.RetryPolicy() != 3

    def test_it_is_frozen(self) -> None:
        policy: Any = botdesk.RetryPolicy()
        with pytest.raises(AttributeError):
            policy.retries = 4

    @pytest.mark.parametrize("policy", [POLICY, botdesk.RetryPolicy(), botdesk.RetryPolicy(0, backoff=0.1)])
    def test_it_travels_to_another_process(self, policy: botdesk.RetryPolicy) -> None:
        assert again(policy) == policy

    @pytest.mark.parametrize("retries", [-1, 2**32, 2**63, -(2**100)])
    def test_a_number_out_of_range_is_rejected(self, retries: int) -> None:
        with pytest.raises(botdesk.ConfigurationError, match=f"retries={retries} is out of range"):
            botdesk.RetryPolicy(retries)

    @pytest.mark.parametrize("name", ["backoff", "max_backoff", "attempt_timeout"])
    @pytest.mark.parametrize("given", [-1, float("nan"), float("inf"), AGES, VAST])
    def test_a_time_that_is_none_is_rejected(self, name: str, given: float) -> None:
        options: dict[str, Any] = {name: given}
        with pytest.raises(botdesk.ConfigurationError, match=f"^{name} must be"):
            botdesk.RetryPolicy(**options)

    def test_an_attempt_takes_some_time(self) -> None:
        with pytest.raises(
            botdesk.ConfigurationError, match="attempt_timeout must be a number of seconds greater than"
        ):
            botdesk.RetryPolicy(attempt_timeout=0)


class TestRateLimit:
    def test_it_prints_as_it_is_written(self) -> None:
        assert repr(botdesk.RateLimit(10, per=1)) == "RateLimit(10, per=1.0)"
        assert eval(repr(botdesk.RateLimit()), dict(vars(botdesk))) == botdesk.RateLimit(100, 60)  # noqa: S307

    def test_it_is_compared_by_its_values(self) -> None:
        assert botdesk.RateLimit(10) == botdesk.RateLimit(10, per=60)
        assert botdesk.RateLimit(10) != botdesk.RateLimit(10, per=61)
        assert botdesk.RateLimit(10) != botdesk.RateLimit(11)

    def test_it_travels_to_another_process(self) -> None:
        assert again(botdesk.RateLimit(7, per=0.3)) == botdesk.RateLimit(7, per=0.3)

    def test_no_requests_at_all_are_rejected(self) -> None:
        with pytest.raises(botdesk.ConfigurationError, match="at least 1; rate_limit=None sets no limit"):
            botdesk.RateLimit(0)

    @pytest.mark.parametrize("requests", [-1, 2**32, 2**63, -(2**100)])
    def test_a_number_out_of_range_is_rejected(self, requests: int) -> None:
        with pytest.raises(botdesk.ConfigurationError, match=f"requests={requests} is out of range"):
            botdesk.RateLimit(requests)

    @pytest.mark.parametrize("per", DIVERS)
    def test_a_time_that_is_none_is_rejected(self, per: float) -> None:
        with pytest.raises(botdesk.ConfigurationError, match=r"^per must be"):
            botdesk.RateLimit(10, per)


class TestBudget:
    @pytest.fixture
    def budget(self, connect: Connect, service: Service) -> botdesk.Budget:
        """Return a budget of which one of five was spent."""
        client = connect(api_key="key-of-a-budget", rate_limit=botdesk.RateLimit(5, per=60))
        service.responds()
        client.dca_bots.get(41)
        assert client.budget is not None
        return client.budget

    def test_it_prints_the_budget(self, budget: botdesk.Budget) -> None:
        assert repr(budget).startswith("<Budget 1 of 5 used, resets in ")

    def test_it_is_compared_by_its_values(self, budget: botdesk.Budget) -> None:
        assert again(budget) == budget
        assert budget != 1

    def test_it_is_a_snapshot(self, budget: botdesk.Budget) -> None:
        before = budget.resets_in
        assert budget.resets_in == before


class TestClients:
    @pytest.mark.parametrize("option", ["timeout", "connect_timeout"])
    @pytest.mark.parametrize("given", DIVERS)
    def test_a_time_that_is_none_is_rejected(self, connect: Connect, option: str, given: float) -> None:
        options: dict[str, Any] = {option: given}
        with pytest.raises(botdesk.ConfigurationError, match=f"^{option} must be"):
            connect(**options)

    @pytest.mark.parametrize(("retries", "arrives"), [(0, 1), (1, 2), (botdesk.RetryPolicy(2, backoff=0), 3)])
    def test_retries_are_a_number_or_a_policy(
        self, connect: Connect, service: Service, retries: int | botdesk.RetryPolicy, arrives: int
    ) -> None:
        for _ in range(arrives):
            service.responds(503, headers={"Retry-After": "0"})
        with pytest.raises(botdesk.ServerError):
            connect(retries=retries).dca_bots.get(41)
        assert len(service.requests) == arrives

    @pytest.mark.parametrize("retries", [-1, 2**32, 2**63, -(2**100)])
    def test_a_number_of_retries_out_of_range_is_rejected(self, connect: Connect, retries: int) -> None:
        with pytest.raises(botdesk.ConfigurationError, match="out of range"):
            connect(retries=retries)

    @pytest.mark.parametrize("option", ["max_body", "signature_cache"])
    @pytest.mark.parametrize("given", [-1, 2**63, -(2**70), VAST])
    def test_a_size_out_of_range_is_rejected(self, connect: Connect, option: str, given: int) -> None:
        options: dict[str, Any] = {option: given}
        with pytest.raises(botdesk.ConfigurationError, match=rf"^{option}=\S+ is out of range$"):
            connect(**options)

    @pytest.mark.parametrize(("option", "given"), [("retries", "3"), ("rate_limit", 100), ("wait", "yes")])
    def test_what_is_of_another_kind_is_rejected(self, connect: Connect, option: str, given: object) -> None:
        options: dict[str, Any] = {option: given}
        with pytest.raises(TypeError):
            connect(**options)

    def test_other_options_keep_what_is_left_out(self, connect: Connect, service: Service) -> None:
        client = connect(
            api_key="key-of-options", retries=0, rate_limit=botdesk.RateLimit(1, per=3600), wait=False
        ).with_options(timeout=20)
        service.responds(503)
        with pytest.raises(botdesk.ServerError):
            client.dca_bots.get(41)
        with pytest.raises(botdesk.RateLimitedError, match="was not sent"):
            client.dca_bots.get(41)
        assert len(service.requests) == 1
        assert client.with_options(rate_limit=None).budget is None
        assert client.with_options(rate_limit=None).with_options(rate_limit=botdesk.RateLimit()).budget is not None


class TestPlan:
    @pytest.mark.parametrize(("requests", "message"), [(0, "it must be at least 1"), (-1, ""), (2**40, "")])
    def test_a_number_that_no_plan_has_is_reported_with_its_limit(
        self, connect: Connect, requests: int, message: str
    ) -> None:
        with pytest.raises(
            botdesk.ConfigurationError, match=f"requests_per_minute={requests} is out of range.*{message}"
        ):
            connect(requests_per_minute=requests)

    @pytest.mark.parametrize("rate_limit", [None, botdesk.RateLimit(100, per=10, shared=False)])
    def test_it_replaces_the_number_of_the_rate_limit(
        self, connect: Connect, rate_limit: botdesk.RateLimit | None
    ) -> None:
        client = connect(api_key="key-of-a-plan", rate_limit=rate_limit, requests_per_minute=50)
        assert client.budget is not None
        assert client.budget.limit == 50
        assert client.with_options(rate_limit=None).budget is None


class TestSecond:
    @pytest.mark.parametrize(
        ("options", "is_limited"),
        [({"requests_per_second": 1}, True), ({"requests_per_second": 2}, False), ({"requests_per_second": 0}, False)],
    )
    def test_requests_with_any_key_count_together(
        self, connect: Connect, service: Service, options: dict[str, Any], *, is_limited: bool
    ) -> None:
        errors: list[str] = []

        # The first request is in flight, so that it counts however fast the machine is.
        def send_another(_: botdesk.RequestEvent) -> None:
            other = connect(api_key="other-key", rate_limit=botdesk.RateLimit(), wait=False, **options)
            service.responds()
            try:
                other.dca_bots.get(41)
            except botdesk.RateLimitedError as error:
                errors.append(str(error))

        client = connect(api_key="one-key", rate_limit=botdesk.RateLimit(), on_request=send_another, **options)
        service.responds()
        client.dca_bots.get(41)
        assert len(errors) == is_limited
        assert all("rate limit reached: 1 requests in 1 s" in error for error in errors)

    @pytest.mark.parametrize("requests", [-1, 2**40])
    def test_a_number_out_of_range_is_reported(self, connect: Connect, requests: int) -> None:
        with pytest.raises(botdesk.ConfigurationError, match=f"requests_per_second={requests} is out of range"):
            connect(requests_per_second=requests)
