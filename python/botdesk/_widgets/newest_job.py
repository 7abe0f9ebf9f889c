"""Runs jobs on a thread of their own, always the newest."""

from __future__ import annotations

from threading import Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class NewestJob:
    """Runs one job at a time; of those that wait meanwhile, only the newest is kept.

    The thread ends as soon as no job waits, so it holds up neither an idle kernel nor its exit.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: Callable[[], None] | None = None
        self._is_running = False

    def submit(self, job: Callable[[], None]) -> None:
        """Run a job as soon as the one that runs now is done, unless a newer one comes before."""
        with self._lock:
            self._waiting = job
            if self._is_running:
                return
            self._is_running = True
        Thread(target=self._run, daemon=True, name="botdesk-widget").start()

    def _run(self) -> None:
        while (job := self._next()) is not None:
            try:
                job()
            except BaseException:
                with self._lock:
                    self._is_running = False
                raise

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            job, self._waiting = self._waiting, None
            self._is_running = job is not None
            return job
