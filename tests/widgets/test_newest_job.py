"""Jobs on a thread: always the newest, and no thread without a job."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from botdesk._widgets.newest_job import NewestJob

TIMEOUT = 60


def wait_for_the_thread() -> None:
    for thread in threading.enumerate():
        if thread.name == "botdesk-widget":
            thread.join(TIMEOUT)


def test_of_the_jobs_that_wait_only_the_newest_runs() -> None:
    done: list[int] = []
    begun, go_on = threading.Event(), threading.Event()

    def first() -> None:
        begun.set()
        go_on.wait(TIMEOUT)
        done.append(0)

    worker = NewestJob()
    worker.submit(first)
    assert begun.wait(TIMEOUT)
    for number in (1, 2, 3):
        worker.submit(partial(done.append, number))
    go_on.set()
    wait_for_the_thread()
    assert done == [0, 3]


def test_a_job_after_the_thread_has_ended_runs() -> None:
    done: list[int] = []
    worker = NewestJob()
    for number in (1, 2):
        worker.submit(partial(done.append, number))
        wait_for_the_thread()
    assert done == [1, 2]
    assert "botdesk-widget" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_job_that_raises_does_not_block_the_next() -> None:
    done: list[int] = []
    worker = NewestJob()
    worker.submit(lambda: done.remove(0))
    wait_for_the_thread()
    worker.submit(lambda: done.append(1))
    wait_for_the_thread()
    assert done == [1]
