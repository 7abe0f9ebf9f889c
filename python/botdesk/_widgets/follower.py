"""Follows the records that the service sends live, for a table that is polled less often."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

from botdesk._native import _stream
from botdesk.errors import BotdeskError

if TYPE_CHECKING:
    from collections.abc import Callable

    from botdesk import Stream, StreamEvent


class Follower:
    """Passes the events of a resource to a function, on a thread of its own.

    The first call is without an event: changes from then on are events, and a poll finds those before. It does nothing
    for what the service does not send, and ends when the service stops to: the polls of the table go on.
    """

    def __init__(
        self,
        records: Any,  # noqa: ANN401 - any resource
        name: str,
        interval: float,
        take: Callable[[StreamEvent | None], None],
    ) -> None:
        """Start to follow the records of a resource, such as `client.deals`."""
        self._stream = _stream(records, name, interval, _ignore)
        self._take = take
        if self._stream is not None:
            Thread(target=self._run, args=[self._stream], daemon=True, name="botdesk-live").start()

    def close(self) -> None:
        """End it."""
        if self._stream is not None:
            self._stream.close()

    def _run(self, stream: Stream) -> None:
        with suppress(BotdeskError), stream:
            self._take(None)
            for event in stream:
                if event.kind == "polling":
                    return
                if event.record is not None:
                    self._take(event)


def _ignore(error: Exception) -> None:
    """Leave an error to the next poll of the table, which meets it too and shows it."""
