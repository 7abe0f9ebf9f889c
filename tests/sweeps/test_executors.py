"""Sweeps on the workers of executors."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

import pytest

import botdesk

GRID: dict[str, Any] = {"take_profit": ["1", "1.5", "-1"], "max_safety_orders": range(1, 6)}


@pytest.fixture
def processes() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


def test_a_process_pool_returns_the_same(
    processes: ProcessPoolExecutor, candles: botdesk.Candles, bot: dict[str, Any]
) -> None:
    expected = botdesk.sweep(bot, candles, GRID, folds=3)
    assert botdesk.sweep(bot, candles, GRID, folds=3, executor=processes) == expected


def test_the_async_version_takes_an_executor(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    async def main() -> botdesk.Sweep:
        with ThreadPoolExecutor(2) as pool:
            return await botdesk.sweep_async(bot, candles, GRID, executor=pool)

    assert asyncio.run(main()) == botdesk.sweep(bot, candles, GRID)


def test_a_dask_cluster_returns_the_same(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    distributed: Any = pytest.importorskip("dask.distributed")
    options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": "127.0.0.1:0"}
    with (
        distributed.LocalCluster(**options, silence_logs=logging.CRITICAL) as cluster,
        distributed.Client(cluster) as client,
    ):
        sweep = botdesk.sweep(bot, candles, GRID, executor=client.get_executor())
    assert sweep == botdesk.sweep(bot, candles, GRID)


class LosingWorker(Executor):
    """A pool in which a worker dies once all chunks but the last have ended."""

    def __init__(self, pool: ProcessPoolExecutor, chunks: int) -> None:
        self._pool = pool
        self._chunks = chunks
        self._futures: list[Future[Any]] = []
        self._max_workers = 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        if len(self._futures) == self._chunks - 1:
            wait(self._futures)
            return self._pool.submit(os._exit, 1)
        self._futures.append(self._pool.submit(fn, *args, **kwargs))
        return self._futures[-1]


def test_what_is_done_is_kept_if_a_worker_dies(
    processes: ProcessPoolExecutor, candles: botdesk.Candles, bot: dict[str, Any]
) -> None:
    grid: dict[str, Any] = {"take_profit": [1, 2, 3, 4]}
    sweep = botdesk.sweep(bot, candles, grid, executor=LosingWorker(processes, 4))
    assert sweep.interrupted
    assert isinstance(sweep.error, BrokenProcessPool)
    assert [point.parameters["take_profit"] for point in sweep] == [1, 2, 3]
    assert sweep.missing == [{"take_profit": 4}]
    assert repr(sweep).endswith("! interrupted: 1 combination was not run; see missing")
    whole = list(botdesk.sweep(bot, candles, grid))
    assert list(sweep) == whole[:3]


def test_an_executor_that_takes_nothing_is_an_error(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="shutdown"):
        botdesk.sweep(bot, candles, GRID, executor=pool)


class Answering(Executor):
    """An executor whose futures all have the same result."""

    def __init__(self, result: object) -> None:
        self._result = result

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        del fn, args, kwargs
        future: Future[Any] = Future()
        future.set_result(self._result)
        return future


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (
            '[{"Finished": 1}]',
            ValueError("the outcomes of a worker can't be read; it needs the same version of botdesk"),
        ),
        (
            '[{"Done": {"whole": null, "stretches": []}}]',
            ValueError("the outcomes of a worker can't be read; it needs the same version of botdesk"),
        ),
        (b"[]", TypeError("the executor returned bytes instead of the outcomes of a chunk")),
        (None, TypeError("the executor returned NoneType instead of the outcomes of a chunk")),
    ],
)
def test_outcomes_that_can_not_be_read_are_an_error_of_the_sweep(
    candles: botdesk.Candles, bot: dict[str, Any], result: object, error: Exception
) -> None:
    sweep = botdesk.sweep(bot, candles, GRID, executor=Answering(result))
    assert (len(sweep), len(sweep.missing), sweep.interrupted) == (0, 15, True)
    assert repr(sweep.error) == repr(error)


class Counting(Executor):
    """An executor that counts the combinations of each chunk, and cancels it."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self._max_workers = 2

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        del fn, kwargs
        _, first, last = args
        self.sizes.append(last - first)
        future: Future[Any] = Future()
        future.cancel()
        return future


@pytest.mark.parametrize(("count", "sizes"), [(3, {1}), (100, {12, 13}), (2000, {100}), (12_800, {200})])
def test_long_sweeps_have_more_chunks(bot: dict[str, Any], count: int, sizes: set[int]) -> None:
    executor = Counting()
    sweep = botdesk.sweep(bot, [[0, 9, 9, 9, 9]], {"cooldown": range(count)}, executor=executor)
    assert (set(executor.sizes), sum(executor.sizes), len(sweep.missing)) == (sizes, count, count)
