"""A script that follows a stream in a thread, saves its state, and is started again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import botdesk

RESOURCES = ("deals", "smart_trades")
# Seconds; longer than any event takes unless it is lost.
_PATIENCE = 60.0


class Follower:
    """Keeps the last state of each record that the stream returned, as `docs/streams.md` shows it.

    The state of the stream is saved after every few events only, as if the script were killed between an event and its
    save: the next stream returns some events again.
    """

    def __init__(self, client: botdesk.Client, path: Path, *, every: int) -> None:
        self.last: dict[tuple[str, Any], Any] = {}
        self._path, self._every = path, every
        self._news = threading.Condition()
        self._failure: BaseException | None = None
        self._start(client)

    def _start(self, client: botdesk.Client) -> None:
        since = self._path if self._path.exists() else None
        self._stream = client.stream(*RESOURCES, since=since, on_error=lambda _: None, every=1)
        # A `with` block begins when no change is missed any more.
        self._stream.__enter__()
        if since is None:
            self._stream.save(self._path)
        self._thread = threading.Thread(target=self._follow, args=(self._stream,), daemon=True)
        self._thread.start()

    def _follow(self, stream: botdesk.Stream) -> None:
        try:
            for number, event in enumerate(stream, 1):
                with self._news:
                    self.last[str(event.resource), _id(event.record)] = event.record
                    self._news.notify_all()
                if number % self._every == 0:
                    stream.save(self._path)
        except BaseException as error:  # noqa: BLE001 - raised by the next wait
            with self._news:
                self._failure = error
                self._news.notify_all()

    def restart(self, client: botdesk.Client) -> None:
        """End the script, and start it again from the state that it saved."""
        self.end()
        self._start(client)

    def end(self) -> None:
        """End the stream and its thread."""
        self._stream.close()
        self._thread.join(_PATIENCE)
        assert not self._thread.is_alive(), "the iteration over a closed stream does not end"
        if self._failure is not None:
            raise self._failure

    def wait(self, resource: str, identifier: int | None, difference: Callable[[Any], str]) -> None:
        """Wait until there is no difference between the last state of a record and the expected one."""

        def what_is_wrong() -> str:
            record = self.last.get((resource, identifier))
            return "it never came" if record is None else difference(record)

        with self._news:
            is_found = self._news.wait_for(lambda: self._failure is not None or not what_is_wrong(), _PATIENCE)
        if self._failure is not None:
            raise self._failure
        if not is_found:
            pytest.fail(f"{resource} {identifier} in the stream, which is {self._stream.status}: {what_is_wrong()}")


def _id(record: Any) -> Any:  # noqa: ANN401 - of any resource
    return record.id
