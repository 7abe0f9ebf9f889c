"""Ctrl-C, cancelled coroutines, threads and processes during a backtest."""

from __future__ import annotations

import _thread
import asyncio
import inspect
import multiprocessing
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

import botdesk

from .conftest import DIP, STEADY, hours

# Generous, so that a busy machine passes; an idle one takes 50 ms or less. The backtest takes longer.
SOON = 2.0

BUSY: dict[str, Any] = {"base_order_volume": 100, "max_safety_orders": 0, "take_profit": 1, "stop_loss_percentage": 1}


def test_ctrl_c_stops_a_backtest(long_candles: botdesk.Candles) -> None:
    interrupted: list[float] = []

    def interrupt() -> None:
        interrupted.append(time.monotonic())
        _thread.interrupt_main()

    timer = threading.Timer(0.1, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            botdesk.backtest(long_candles, **BUSY)
    finally:
        timer.join()
    assert time.monotonic() - interrupted[0] < SOON


def test_ctrl_c_stops_a_result_that_is_calculated_later(long_candles: botdesk.Candles) -> None:
    result = botdesk.backtest(long_candles[:50_000], **BUSY)
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            result.bounds()
    finally:
        timer.join()
    assert result.summary.deals > 0


def test_a_cancelled_coroutine_stops_its_backtest(long_candles: botdesk.Candles) -> None:
    async def cancel() -> None:
        await asyncio.wait_for(botdesk.backtest_async(long_candles, **BUSY), 0.1)

    started = time.monotonic()
    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(cancel())
    assert time.monotonic() - started < SOON


def test_the_event_loop_runs_on_during_a_backtest(long_candles: botdesk.Candles) -> None:
    async def count() -> int:
        task = asyncio.ensure_future(botdesk.backtest_async(long_candles[:20_000], **BUSY))
        turns = 0
        while not task.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert (await task).summary.deals > 0
        return turns

    assert asyncio.run(count()) > 10


def test_the_async_versions_return_the_same(bot: botdesk.DcaBot, grid_bot: botdesk.GridBot) -> None:
    candles = hours(*DIP)

    async def both() -> None:
        assert await bot.backtest_async(candles, fee="0.001") == bot.backtest(candles, fee="0.001")
        assert await grid_bot.backtest_async(candles) == grid_bot.backtest(candles)
        assert await botdesk.backtest_async(candles, **STEADY) == botdesk.backtest(candles, **STEADY)
        with pytest.raises(botdesk.ValidationError, match="base_order_volume: is required"):
            await botdesk.backtest_async(candles)

    asyncio.run(both())


def test_the_async_version_is_a_coroutine_function() -> None:
    assert inspect.iscoroutinefunction(botdesk.backtest_async)
    assert (botdesk.backtest_async.__name__, botdesk.backtest_async.__qualname__) == ("backtest_async",) * 2


def test_threads_run_backtests_at_the_same_time() -> None:
    candles = hours(*DIP * 200)
    expected = botdesk.backtest(candles, **STEADY).summary

    def run(_: int) -> botdesk.BacktestSummary:
        return botdesk.backtest(candles, **STEADY).summary

    with ThreadPoolExecutor(4) as pool:
        assert set(map(repr, pool.map(run, range(16)))) == {repr(expected)}


def test_threads_share_the_results_of_one_backtest() -> None:
    result = botdesk.backtest(hours(*DIP * 200), **STEADY)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(repr, [result] * 16)) == {repr(result)}


def _summary(result: botdesk.Backtest) -> botdesk.BacktestSummary:
    return result.summary


def test_another_process_runs_a_backtest_again() -> None:
    result = botdesk.backtest(hours(*DIP), **STEADY)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(_summary, result).result() == result.summary
