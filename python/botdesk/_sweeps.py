"""Sweeps on the workers of an executor of `concurrent.futures`."""

from __future__ import annotations

import os
import pickle
from functools import partial

# Stands in for `typing.TYPE_CHECKING`: importing `typing` takes longer than the rest of the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Executor, Future
    from typing import Any

# Chunks for each worker: few, because the candles travel with each; more than one, so that no worker waits for long.
# Long sweeps have more, because a chunk that has not ended is lost after Ctrl-C.
_FEWEST_CHUNKS_PER_WORKER = 4
_MOST_CHUNKS_PER_WORKER = 32
_COMBINATIONS_PER_CHUNK = 100


def submit(
    executor: Executor,
    plan: object,
    count: int,
    on_end: Callable[[int, str | None, object], None],
) -> tuple[list[Future[str]], int]:
    """Submit all combinations of a sweep in chunks.

    Returns:
        The futures, and the number of chunks. `on_end` is called once for each chunk.
    """
    data = pickle.dumps(plan)
    workers = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    per_worker = max(_FEWEST_CHUNKS_PER_WORKER, count // (workers * _COMBINATIONS_PER_CHUNK))
    chunks = min(count, workers * min(per_worker, _MOST_CHUNKS_PER_WORKER))
    futures: list[Future[str]] = []
    for chunk in range(chunks):
        first, last = count * chunk // chunks, count * (chunk + 1) // chunks
        try:
            future = executor.submit(run_chunk, data, first, last)
        except Exception as error:
            if not futures:
                raise
            on_end(first, None, error)
            continue
        futures.append(future)
        future.add_done_callback(partial(_report, on_end, first))
    return futures, chunks


def run_chunk(data: bytes, first: int, last: int) -> str:
    """Run some combinations of a pickled sweep; a worker calls this."""
    outcomes: str = _plan(data).run(first, last)
    return outcomes


# The last sweep that this process ran as a worker, by its pickle.
_last: dict[bytes, Any] = {}


def _plan(data: bytes) -> Any:  # noqa: ANN401
    """Return the sweep of a pickle. A worker keeps the last one, and so reads its candles once."""
    plan = _last.get(data)
    if plan is None:
        plan = pickle.loads(data)  # noqa: S301 - it is from the process that runs the sweep
        _last.clear()
        _last[data] = plan
    return plan


def cancel(futures: Iterable[Future[str]]) -> None:
    """Cancel the chunks that have not started."""
    for future in futures:
        future.cancel()


def _report(on_end: Callable[[int, str | None, object], None], first: int, future: Future[Any]) -> None:
    # Imported here, because it is slow to import and only pools need it, which have imported it.
    from concurrent.futures import CancelledError  # noqa: PLC0415

    if future.cancelled():
        on_end(first, None, CancelledError())
    elif (error := future.exception()) is not None:
        on_end(first, None, error)
    elif isinstance(outcomes := future.result(), str):
        on_end(first, outcomes, None)
    else:
        message = f"the executor returned {type(outcomes).__name__} instead of the outcomes of a chunk"
        on_end(first, None, TypeError(message))
