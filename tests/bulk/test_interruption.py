"""Bulk operations that are ended early, by Ctrl-C or by cancelling the coroutine. No outcome is lost."""

from __future__ import annotations

import asyncio
import pickle
import signal
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from ..lifecycle.conftest import Child, Scripts, Service  # noqa: TID252
    from .conftest import Desk

# Ten bots, three at once, none of them with a response yet.
RUN = "client.dca_bots.disable_many(range(1, 11), concurrency=3)"
BLOCKING = f"""
    import signal
    # The run checks for it after it received Ctrl-C, so this shows that the run noticed.
    signal.signal(signal.SIGUSR1, lambda *_: print("pressed", flush=True))
    try:
        {RUN}
    except KeyboardInterrupt as error:
        stopped = error
    result = stopped.result
    print(type(stopped).__name__, isinstance(stopped, botdesk.BotdeskError), flush=True)
    print(result, flush=True)
"""


def press(child: Child) -> None:
    """Press Ctrl-C, and wait until the run knows of it."""
    child.interrupt()
    child.process.send_signal(signal.SIGUSR1)
    assert child.read_line() == "pressed"


AFTERWARDS = """
    wait_for_test()
    again = result.retry_failed(progress=False)
    print(repr(again))
"""


def test_ctrl_c_lets_requests_in_flight_end_and_starts_nothing_more(scripts: Scripts, service: Service) -> None:
    child = scripts.start(BLOCKING)
    under_way = [service.stalled() for _ in range(3)]
    press(child)
    for request in under_way:
        request.respond_with_record()
    lines = child.output().splitlines()
    assert lines[:2] == ["BulkInterrupted False", "dca_bots.disable of 10: 3 done, 7 not started"]
    assert [line.split()[-1] for line in lines[2:5]] == ["done"] * 3
    assert len(service.targets) == 3


def test_ctrl_c_waits_for_the_outcome_of_requests_in_flight(scripts: Scripts, service: Service) -> None:
    child = scripts.start(BLOCKING)
    first, second, third = (service.stalled() for _ in range(3))
    press(child)
    first.respond_with_record()
    second.response(b"[")
    third.respond_with_record()
    assert "2 done, 1 unknown, 7 not started" in child.output()


def test_a_second_ctrl_c_drops_requests_in_flight_with_an_unknown_outcome(scripts: Scripts, service: Service) -> None:
    child = scripts.start(BLOCKING + "    wait_for_test()\n    print(result.unknown[0].error)\n")
    under_way = [service.stalled() for _ in range(3)]
    press(child)
    press(child)
    assert child.read_line() == "BulkInterrupted False"
    assert child.read_line() == "dca_bots.disable of 10: 3 unknown, 7 not started"
    assert all(request.is_dropped() for request in under_way)
    child.send_line()
    expected = "the response was not waited for, and POST /public/api/ver1/bots/1/disable may have been carried out"
    assert expected in child.output().splitlines()[-1]


def test_what_ctrl_c_left_is_done_afterwards_and_nothing_twice(scripts: Scripts, service: Service) -> None:
    child = scripts.start(BLOCKING + AFTERWARDS)
    under_way = [service.stalled() for _ in range(3)]
    press(child)
    for request in under_way:
        request.respond_with_record()
    child.send_line()
    for _ in range(7):
        service.stalled().respond_with_record()
    assert child.output().splitlines()[-1] == "<BulkResult dca_bots.disable of 10: 10 done>"
    assert len(set(service.targets)) == len(service.targets) == 10


def test_ctrl_c_does_not_wait_for_calls_that_wait_for_the_rate_limit(scripts: Scripts, service: Service) -> None:
    # Two may be sent in an hour: the third waits.
    child = scripts.start("    client = client.with_options(rate_limit=botdesk.RateLimit(2, per=3600))\n" + BLOCKING)
    under_way = [service.stalled() for _ in range(2)]
    press(child)
    for request in under_way:
        request.respond_with_record()
    assert "2 done, 8 not started" in child.output()
    assert len(service.targets) == 2


def test_ctrl_c_while_bots_are_read_changes_nothing(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        try:
            client.dca_bots.edit_many(range(1, 11), name="New", concurrency=3)
        except KeyboardInterrupt as error:
            print(repr(error.result))
    """)
    for _ in range(3):
        service.stalled()
    child.interrupt()
    assert child.output() == "<BulkResult dca_bots.edit of 10: 10 not started>"
    assert all("show" in target for target in service.targets)


def test_ctrl_c_during_a_preview_is_a_plain_one(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        try:
            client.dca_bots.edit_many([1], name="New", preview=True)
        except KeyboardInterrupt as error:
            print(type(error).__name__)
    """)
    service.stalled()
    child.interrupt()
    assert child.output() == "KeyboardInterrupt"


def test_what_a_signal_handler_raises_comes_back_with_the_result(scripts: Scripts, service: Service) -> None:
    child = scripts.start(f"""
        import signal
        signal.signal(signal.SIGUSR1, lambda *_: print("pressed", flush=True))
        def enough(*_):
            raise OverflowError("enough")
        signal.signal(signal.SIGINT, enough)
        try:
            {RUN}
        except OverflowError as error:
            print(repr(botdesk.BulkResult.behind(error)))
    """)
    under_way = [service.stalled() for _ in range(3)]
    press(child)
    for request in under_way:
        request.respond_with_record()
    assert child.output() == "<BulkResult dca_bots.disable of 10: 3 done, 7 not started>"


def test_ctrl_c_in_asyncio_run_loses_nothing(scripts: Scripts, service: Service) -> None:
    child = scripts.start("""
        import asyncio, signal
        async def main():
            by_asyncio = signal.getsignal(signal.SIGINT)
            loop = asyncio.get_running_loop()
            def on_signal(number, frame):
                by_asyncio(number, frame)
                # After the cancelled task has been woken.
                loop.call_soon(loop.call_soon, lambda: print("pressed", flush=True))
            signal.signal(signal.SIGINT, on_signal)
            await client.dca_bots.disable_many_async(range(1, 11), concurrency=3)
        try:
            asyncio.run(main())
        except KeyboardInterrupt as error:
            print(repr(botdesk.BulkResult.behind(error)))
    """)
    under_way = [service.stalled() for _ in range(3)]
    child.interrupt()
    assert child.read_line() == "pressed"
    for request in under_way:
        request.respond_with_record()
    assert child.output() == "<BulkResult dca_bots.disable of 10: 3 done, 7 not started>"


class TestCancelled:
    def test_requests_in_flight_end_and_the_result_is_on_the_error(
        self, service: Service, stalling: botdesk.Client
    ) -> None:
        async def main() -> BaseException:
            task = asyncio.create_task(stalling.dca_bots.disable_many_async(range(1, 11), concurrency=3))
            under_way = [await asyncio.to_thread(service.stalled) for _ in range(3)]
            task.cancel()
            await asyncio.sleep(0)
            for request in under_way:
                request.respond_with_record()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            assert task.cancelled()
            return caught.value

        result = botdesk.BulkResult.behind(asyncio.run(main()))
        assert repr(result) == "<BulkResult dca_bots.disable of 10: 3 done, 7 not started>"
        assert len(service.targets) == 3

    def test_cancelling_again_drops_requests_in_flight(self, service: Service, stalling: botdesk.Client) -> None:
        async def main() -> BaseException:
            task = asyncio.create_task(stalling.dca_bots.disable_many_async(range(1, 11), concurrency=3))
            under_way = [await asyncio.to_thread(service.stalled) for _ in range(3)]
            task.cancel()
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            assert all(request.is_dropped() for request in under_way)
            return caught.value

        result = botdesk.BulkResult.behind(asyncio.run(main()))
        assert repr(result) == "<BulkResult dca_bots.disable of 10: 3 unknown, 7 not started>"

    def test_what_waits_for_a_retry_has_failed_and_can_be_sent_again(self, desk: Desk) -> None:
        desk.sandbox.faults.add("dca_bots.disable", kind="status", status=429)

        async def main() -> BaseException:
            retried = asyncio.Event()
            # Without Retry-After the wait is five minutes.
            client = desk.client.with_options(retries=1, timeout=600, on_retry=lambda _: retried.set())
            task = asyncio.create_task(client.dca_bots.disable_many_async(desk.ids[:3], concurrency=1))
            await retried.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            return caught.value

        result = botdesk.BulkResult.behind(asyncio.run(main()))
        assert result is not None
        assert [type(item.error) for item in result.failed] == [botdesk.RateLimitedError]
        assert [item.id for item in result.not_started] == desk.ids[1:3]
        assert len(desk.writes()) == 1
        assert result.retry_failed(progress=False).is_complete

    def test_one_that_is_cancelled_before_it_begins_sends_nothing(
        self, service: Service, stalling: botdesk.Client
    ) -> None:
        async def main() -> None:
            task = asyncio.create_task(stalling.dca_bots.disable_many_async([1]))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())
        assert service.targets == []

    @pytest.mark.shows("promise ctrl-c before a cancellation")
    def test_ctrl_c_before_it_is_raised_all_the_same(self, service: Service, stalling: botdesk.Client) -> None:
        async def main() -> None:
            hooked = asyncio.Event()

            def interrupt(_: botdesk.RequestEvent) -> None:
                hooked.set()
                raise KeyboardInterrupt

            client = stalling.with_options(on_request=interrupt)
            task = asyncio.create_task(client.dca_bots.disable_many_async([41, 42, 43], concurrency=1))
            await hooked.wait()
            await asyncio.to_thread(service.stalled)
            task.cancel()
            await task

        with pytest.raises(botdesk.BulkInterrupted) as caught:
            asyncio.run(main())
        assert repr(caught.value.result) == "<BulkResult dca_bots.disable of 3: 1 unknown, 2 not started>"

    def test_the_result_is_found_behind_a_timeout(self, service: Service, stalling: botdesk.Client) -> None:
        async def main() -> BaseException:
            async with asyncio.timeout(None) as limit:

                async def hurry() -> None:
                    request = await asyncio.to_thread(service.stalled)
                    limit.reschedule(0)
                    # The timeout cancels at the loop's next turn, and the task is resumed at the one after.
                    for _ in range(4):
                        await asyncio.sleep(0)
                    request.respond_with_record()

                helper = asyncio.create_task(hurry())
                try:
                    await stalling.dca_bots.disable_many_async([1, 2], concurrency=1)
                finally:
                    await helper
            raise AssertionError

        with pytest.raises(TimeoutError) as caught:
            asyncio.run(main())
        result = botdesk.BulkResult.behind(caught.value)
        assert repr(result) == "<BulkResult dca_bots.disable of 2: 1 done, 1 not started>"

    def test_an_error_without_a_run_has_no_result(self) -> None:
        assert botdesk.BulkResult.behind(OverflowError()) is None

    def test_an_error_that_is_its_own_cause_has_no_result(self) -> None:
        one, other = OverflowError(), OverflowError()
        one.__cause__, other.__cause__ = other, one
        assert botdesk.BulkResult.behind(one) is None

    def test_an_interruption_travels_with_its_result(self, service: Service, stalling: botdesk.Client) -> None:
        del service
        result = stalling.dca_bots.disable_many([])
        error = botdesk.BulkInterrupted("ended", result)
        again = pickle.loads(pickle.dumps(error))  # noqa: S301
        assert (str(again), repr(again.result)) == ("ended", repr(result))


def test_what_waits_for_a_retry_when_the_client_is_closed_has_failed(desk: Desk) -> None:
    desk.sandbox.faults.add("dca_bots.disable", kind="status", status=429)
    client = desk.client.with_options(retries=1, timeout=600, on_retry=lambda _: client.close())
    result = client.dca_bots.disable_many(desk.ids[:3], concurrency=1, progress=False)
    assert [type(item.error) for item in result.failed] == [botdesk.RateLimitedError]
    assert [item.id for item in result.not_started] == desk.ids[1:3]
    assert isinstance(result.ended_by, botdesk.ConfigurationError)


def test_a_connection_that_can_not_be_made_is_not_started(desk: Desk) -> None:
    desk.sandbox.faults.add("dca_bots.disable", kind="refuse")
    # The wait is random, and hardly ever shorter than it takes to close the client.
    retries = botdesk.RetryPolicy(1, backoff=300, max_backoff=300)
    client = desk.client.with_options(retries=retries, timeout=600, on_retry=lambda _: client.close())
    result = client.dca_bots.disable_many(desk.ids[:1], progress=False)
    assert [item.id for item in result.not_started] == desk.ids[:1]
