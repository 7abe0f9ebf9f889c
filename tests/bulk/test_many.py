"""One edit of sixty bots, and the outcome of each if something fails."""

from __future__ import annotations

import pickle
import threading
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import pytest

import botdesk

from .conftest import COUNT, Call, Desk, identifier

if TYPE_CHECKING:
    from ..lifecycle.conftest import Service  # noqa: TID252

FAULTS = {
    "close_after": ({"kind": "close_after"}, "unknown"),
    "close_before": ({"kind": "close_before"}, "unknown"),
    "a success that can't be read": ({"kind": "wrong_json"}, "unknown"),
    "500": ({"kind": "status", "status": 500}, "unknown"),
    "502": ({"kind": "status", "status": 502}, "unknown"),
    "422": ({"kind": "status", "status": 422}, "failed"),
    "404": ({"kind": "status", "status": 404}, "failed"),
    "403": ({"kind": "status", "status": 403}, "failed"),
}


class TestDone:
    def test_one_number_is_changed_in_sixty_bots(self, desk: Desk, call: Call) -> None:
        result = call(desk.client.dca_bots, "edit_many", desk.bots, cooldown=60)
        assert result.is_complete
        assert {bot.cooldown for bot in result.done} == {Decimal(60)}
        assert {bot.cooldown for bot in desk.client.dca_bots.iter()} == {Decimal(60)}

    def test_each_bot_is_written_to_once(self, desk: Desk, call: Call) -> None:
        call(desk.client.dca_bots, "edit_many", desk.bots, cooldown=60)
        assert set(Counter(desk.writes()).values()) == {1}
        assert len(desk.arrived) == COUNT

    def test_what_is_not_named_stays_as_it_is(self, desk: Desk) -> None:
        result = desk.client.dca_bots.edit_many(desk.bots, cooldown=60)
        assert [bot.name for bot in result.done] == [bot.name for bot in desk.bots]
        assert [bot.take_profit for bot in result.done] == [bot.take_profit for bot in desk.bots]

    def test_the_order_is_that_in_which_the_bots_were_given(self, desk: Desk, call: Call) -> None:
        mixed = [bot if place % 2 else identifier(bot) for place, bot in enumerate(reversed(desk.bots))]
        result = call(desk.client.dca_bots, "edit_many", mixed, cooldown=60)
        expected = [identifier(bot) for bot in reversed(desk.bots)]
        assert [bot.id for bot in result.done] == expected
        assert [item.id for item in result] == expected

    def test_bots_that_are_named_by_identifier_are_read_first(self, desk: Desk) -> None:
        desk.client.dca_bots.edit_many(desk.ids, cooldown=60)
        methods = [request.method for request in desk.arrived]
        assert methods == ["GET"] * COUNT + ["PATCH"] * COUNT

    def test_an_iterator_is_exhausted_before_the_first_bot_is_changed(self, desk: Desk) -> None:
        client = desk.client
        enabled = sum(bot.is_enabled is True for bot in desk.bots)
        result = client.dca_bots.disable_many(client.dca_bots.iter(scope="enable", limit=7))
        assert len(result) == enabled > 0
        assert list(client.dca_bots.iter(scope="enable")) == []

    def test_deals_of_many_bots_are_cancelled(self, desk: Desk, call: Call) -> None:
        result: botdesk.BulkResult[botdesk.DcaBot] = call(desk.client.dca_bots, "cancel_all_deals_many", desk.ids)
        statuses = {deal.status for bot in result.done for deal in bot.active_deals or []}
        assert result.is_complete
        assert statuses == {"cancel_pending"}

    def test_balances_of_many_accounts_are_loaded(self, desk: Desk, call: Call) -> None:
        result = call(desk.client.accounts, "load_balances_many", [1001, 1002])
        assert [account.id for account in result.done] == [1001, 1002]

    def test_none_at_all_is_nothing_to_do(self, desk: Desk, call: Call) -> None:
        result = call(desk.client.dca_bots, "disable_many", [])
        assert (len(result), result.is_complete, desk.arrived) == (0, True, [])

    def test_a_bot_that_is_so_already_is_sent_as_a_single_edit_sends_it(self, desk: Desk) -> None:
        bot = desk.bots[0]
        result = desk.client.dca_bots.edit_many([bot], cooldown=bot.cooldown)
        assert result.is_complete
        assert len(desk.writes()) == 1


class TestSideBySide:
    @pytest.mark.parametrize("concurrency", [1, 3, 8])
    def test_no_more_are_under_way_than_may_be(
        self, service: Service, stalling: botdesk.Client, concurrency: int
    ) -> None:
        ids = range(1, 11)
        results: list[botdesk.BulkResult[botdesk.DcaBot]] = []
        run = threading.Thread(
            target=lambda: results.append(stalling.dca_bots.disable_many(ids, concurrency=concurrency))
        )
        run.start()
        waiting = [service.stalled() for _ in range(concurrency)]
        for answered in range(len(ids)):
            # Another request is sent only when one of those in flight has got its response.
            assert len(service.targets) == min(answered + concurrency, len(ids))
            request = waiting.pop(0)
            request.respond_with_record()
            if answered + concurrency < len(ids):
                waiting.append(service.stalled())
        run.join()
        assert results[0].is_complete

    def test_the_rate_limit_is_kept(self, desk: Desk) -> None:
        limit = botdesk.RateLimit(5, per=0.2)
        client = desk.client.with_options(rate_limit=limit)
        result = client.dca_bots.disable_many(desk.ids[:12], concurrency=64)
        assert result.is_complete
        assert client.budget is not None
        assert client.budget.used <= limit.requests

    def test_a_429_is_waited_for_and_nothing_is_lost(self, desk: Desk, call: Call) -> None:
        client = desk.client.with_options(retries=1)
        desk.sandbox.faults.add("dca_bots.edit", kind="status", status=429, retry_after=0)
        result = call(client.dca_bots, "edit_many", desk.bots, cooldown=60)
        assert result.is_complete
        assert set(Counter(desk.writes(carried_out=True)).values()) == {1}


class TestGoesWrong:
    @pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
    def test_each_bot_has_an_outcome_of_its_own(
        self, desk: Desk, call: Call, fault: tuple[dict[str, str], str]
    ) -> None:
        named, outcome = fault
        desk.sandbox.faults.add("dca_bots.edit", **named, times=3)  # type: ignore[arg-type]
        result = call(desk.client.dca_bots, "edit_many", desk.bots, cooldown=60)
        assert Counter(item.status for item in result) == {"done": COUNT - 3, outcome: 3}
        assert set(Counter(desk.writes()).values()) == {1}

    def test_an_unknown_outcome_can_be_looked_at(self, desk: Desk, call: Call) -> None:
        desk.sandbox.faults.add("dca_bots.edit", kind="close_after")
        (item,) = call(desk.client.dca_bots, "edit_many", desk.bots, cooldown=60).unknown
        assert isinstance(item.error, botdesk.OutcomeUnknownError)
        assert item.error.operation == "dca_bots.edit"
        assert item.error.check().cooldown == 60
        assert item.record == desk.bots[desk.ids.index(item.id)]

    def test_a_bot_that_does_not_exist_leaves_the_others_alone(self, desk: Desk, call: Call) -> None:
        result = call(desk.client.dca_bots, "edit_many", [*desk.ids[:3], 99_999, desk.ids[3]], cooldown=60)
        assert [item.status for item in result] == ["done"] * 3 + ["failed", "done"]
        assert isinstance(result.failed[0].error, botdesk.NotFoundError)
        assert result.failed[0].record is None

    @pytest.mark.parametrize(("status", "error"), [(401, botdesk.ApiError), (418, botdesk.IpBannedError)])
    def test_nothing_is_sent_after_a_fatal_error(
        self, desk: Desk, call: Call, status: int, error: type[botdesk.ApiError]
    ) -> None:
        desk.sandbox.faults.add("dca_bots.disable", kind="status", status=status, times=None)
        result = call(desk.client.dca_bots, "disable_many", desk.ids, concurrency=4)
        assert isinstance(result.ended_by, error)
        assert 1 <= len(desk.writes()) <= 4
        assert len(result.failed) == len(desk.writes())
        assert len(result.not_started) == COUNT - len(desk.writes())

    def test_a_fatal_error_while_bots_are_read_changes_none(self, desk: Desk, call: Call) -> None:
        desk.sandbox.faults.add("dca_bots.get", kind="status", status=401)
        result = call(desk.client.dca_bots, "edit_many", desk.ids, cooldown=60, concurrency=1)
        assert (len(result.failed), len(result.not_started)) == (1, COUNT - 1)
        assert desk.writes() == []

    def test_a_request_outside_the_plan_is_not_repeated_sixty_times(self, desk: Desk) -> None:
        desk.sandbox.faults.add("dca_bots.disable", kind="status", status=429, plan=True, times=None)
        result = desk.client.dca_bots.disable_many(desk.ids, concurrency=1)
        assert isinstance(result.ended_by, botdesk.PlanRestrictedError)
        assert len(desk.writes()) == 1

    def test_a_service_that_can_not_be_reached_fails_each(self, desk: Desk, call: Call) -> None:
        desk.sandbox.faults.add("*", kind="refuse")
        result = call(desk.client.dca_bots, "disable_many", desk.ids)
        assert {type(item.error) for item in result.failed} == {botdesk.ConnectionFailedError}
        assert len(result.failed) == COUNT


class TestRetry:
    def test_what_failed_is_sent_again_and_nothing_else(self, desk: Desk, call: Call) -> None:
        desk.sandbox.faults.add("dca_bots.edit", kind="status", status=422, times=4)
        desk.sandbox.faults.add("dca_bots.edit", kind="close_after", times=2)
        first = call(desk.client.dca_bots, "edit_many", desk.bots, cooldown=60)
        failed, unknown = [item.id for item in first.failed], [item.id for item in first.unknown]
        before = len(desk.writes())
        again = call(first, "retry_failed")
        assert sorted(desk.writes()[before:]) == sorted(f"/public/api/ver1/bots/{id_}/update" for id_ in failed)
        assert [item.id for item in again.unknown] == unknown
        assert (len(again.done), again.failed) == (COUNT - 2, [])
        assert set(Counter(desk.writes(carried_out=True)).values()) == {1}

    def test_targets_that_were_not_started_are_started(self, desk: Desk, call: Call) -> None:
        desk.sandbox.faults.add("dca_bots.disable", kind="status", status=401)
        result = call(desk.client.dca_bots, "disable_many", desk.ids, concurrency=1)
        assert len(result.not_started) == COUNT - 1
        assert call(result, "retry_failed").is_complete
        assert set(Counter(desk.writes(carried_out=True)).values()) == {1}

    def test_the_order_stays(self, desk: Desk) -> None:
        desk.sandbox.faults.add("dca_bots.disable", kind="status", status=422, times=30)
        again = desk.client.dca_bots.disable_many(desk.ids).retry_failed()
        assert [bot.id for bot in again.done] == desk.ids

    def test_bots_that_were_named_by_identifier_are_read_again(self, desk: Desk) -> None:
        desk.sandbox.faults.add("dca_bots.edit", kind="status", status=422)
        first = desk.client.dca_bots.edit_many(desk.ids[:1], cooldown=60)
        desk.client.dca_bots.edit(desk.ids[0], name="Meanwhile")
        (bot,) = first.retry_failed().done
        assert (bot.name, bot.cooldown) == ("Meanwhile", 60)

    def test_the_first_result_stays_as_it_was(self, desk: Desk) -> None:
        desk.sandbox.faults.add("dca_bots.disable", kind="status", status=422)
        first = desk.client.dca_bots.disable_many(desk.ids[:2])
        first.retry_failed()
        assert len(first.failed) == 1

    def test_what_was_sent_again_is_not_sent_once_more(self, desk: Desk, call: Call) -> None:
        desk.sandbox.faults.add("dca_bots.cancel_all_deals", kind="status", status=422, times=2)
        first = call(desk.client.dca_bots, "cancel_all_deals_many", desk.ids[:2])
        assert call(first, "retry_failed").is_complete
        with pytest.raises(botdesk.ConfigurationError, match="was retried already"):
            call(first, "retry_failed")
        assert set(Counter(desk.writes(carried_out=True)).values()) == {1}

    def test_nothing_is_sent_where_all_is_done(self, desk: Desk, call: Call) -> None:
        first = desk.client.dca_bots.disable_many(desk.ids[:2])
        before = len(desk.arrived)
        assert call(first, "retry_failed").is_complete
        assert len(desk.arrived) == before


class TestResult:
    def test_it_shows_its_counts_in_one_line(self, desk: Desk) -> None:
        desk.sandbox.faults.add("dca_bots.disable", kind="status", status=422)
        desk.sandbox.faults.add("dca_bots.disable", kind="close_after")
        result = desk.client.dca_bots.disable_many(desk.ids)
        assert repr(result) == "<BulkResult dca_bots.disable of 60: 58 done, 1 failed, 1 unknown>"
        assert len(result) == COUNT

    def test_it_prints_as_a_table(self, desk: Desk) -> None:
        result = desk.client.dca_bots.disable_many([desk.ids[0], 99_999])
        lines = str(result).splitlines()
        assert lines[0] == "dca_bots.disable of 2: 1 done, 1 failed"
        assert lines[1].endswith("  done")
        assert "DcaBot 99999" in lines[2]
        assert "NotFoundError: POST /public/api/ver1/bots/99999/disable: 404 Not found" in lines[2]

    def test_it_says_what_ended_it(self, desk: Desk) -> None:
        desk.sandbox.faults.add("dca_bots.disable", kind="status", status=418)
        result = desk.client.dca_bots.disable_many(desk.ids)
        assert "ended by IpBannedError" in str(result)
        assert "ended by IpBannedError" in result._repr_html_()

    def test_names_can_not_break_out_of_its_table(self, desk: Desk) -> None:
        result = desk.client.dca_bots.edit_many(desk.bots[:1], name="<script>alert(1)</script>")
        assert "<script>" not in result._repr_html_()
        assert "&lt;script&gt;" in result._repr_html_()

    def test_an_error_is_raised_unless_all_is_done(self, desk: Desk) -> None:
        result = desk.client.dca_bots.disable_many([desk.ids[0], 99_999])
        with pytest.raises(botdesk.BulkError, match="1 done, 1 failed; the first error, of DcaBot 99999") as caught:
            result.raise_for_failures()
        assert caught.value.result is result
        assert isinstance(caught.value.__cause__, botdesk.NotFoundError)

    def test_no_error_is_raised_where_all_is_done(self, desk: Desk) -> None:
        desk.client.dca_bots.disable_many(desk.ids[:2]).raise_for_failures()

    def test_it_travels_to_another_process_and_can_not_be_retried_there(self, desk: Desk) -> None:
        desk.sandbox.faults.add("dca_bots.disable", kind="close_after")
        result = desk.client.dca_bots.disable_many(desk.ids[:3])
        again: botdesk.BulkResult[botdesk.DcaBot] = pickle.loads(pickle.dumps(result))  # noqa: S301
        assert (repr(again), list(again.done)) == (repr(result), list(result.done))
        assert list(again) == list(result)
        with pytest.raises(botdesk.ConfigurationError, match="was pickled to another process"):
            again.retry_failed()

    def test_what_is_done_is_a_table(self, desk: Desk) -> None:
        done = desk.client.dca_bots.disable_many(desk.ids[:3]).done
        assert isinstance(done, botdesk.Records)
        assert done.to_polars(decimals="text").height == 3

    def test_a_record_that_is_done_can_be_worked_with(self, desk: Desk) -> None:
        bot = desk.client.dca_bots.disable_many(desk.ids[:1]).done[0]
        assert bot.edit(cooldown=7).cooldown == 7


@pytest.mark.parametrize(("response_type", "returned"), [("market_order", botdesk.Order), ("deal", botdesk.Deal)])
def test_funds_added_to_many_deals_return_what_was_asked_for(
    response_type: Literal["market_order", "deal"], returned: type
) -> None:
    with botdesk.Sandbox() as sandbox:
        result = sandbox.client().deals.add_funds_many(
            [410, 440], quantity="0.01", is_market=True, response_type=response_type
        )
    assert [type(record) for record in result.done] == [returned, returned]
