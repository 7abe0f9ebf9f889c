"""A finalizer that takes long; import this before botdesk, whose shutdown then runs before `after_shutdown`."""

from __future__ import annotations

import atexit
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Slow:
    """An object whose finalizer takes long, and lets other threads run."""

    seconds = 0.0

    # The functions are defaults, because the module may have been cleared when the finalizer runs.
    def wait(self, now: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep) -> None:
        """Let other threads run."""
        until = now() + self.seconds
        while now() < until:
            sleep(0.0003)

    __del__ = wait


# Functions that were registered first run last.
after_shutdown = Slow()
atexit.register(after_shutdown.wait)
