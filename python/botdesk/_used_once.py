"""What may be sent once: previews and runs that would send the same requests again if they were used again."""

from __future__ import annotations

from contextlib import contextmanager

from botdesk._types import TYPE_CHECKING
from botdesk.errors import (
    BotdeskError,
    ConfigurationError,
    DecodeError,
    OutcomeUnknownError,
    ServerError,
    ValidationError,
)

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import TracebackType
    from typing import Any

# A write with such an error may have been carried out.
UNKNOWN_OUTCOMES = (OutcomeUnknownError, DecodeError, ServerError)


class UsedOnce:
    """A sender that may be used once, as `with once as sender:`.

    A second use is possible only if an error was raised before anything was sent.
    """

    def __init__(self, sender: Any, message: str) -> None:  # noqa: ANN401 - each user knows its own
        """Store the sender, and the message of the error at a second use."""
        self._sender = sender
        self._message = message
        # The first caller removes the element; `list.pop` is atomic, so only one thread gets it.
        self._permits = [True]

    def __enter__(self) -> Any:  # noqa: ANN401
        """Return the sender."""
        try:
            self._permits.pop()
        except IndexError:
            raise ConfigurationError(self._message) from None
        return self._sender

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Allow another use after an error that is raised before anything is sent."""
        if isinstance(error, (ConfigurationError, ValidationError)):
            self._renew()

    @contextmanager
    def until_known(self) -> Generator[Any]:
        """Return the sender. Another use is possible unless the request was or may have been carried out."""
        with self as sender:
            try:
                yield sender
            except BotdeskError as error:
                if not isinstance(error, UNKNOWN_OUTCOMES):
                    self._renew()
                raise

    def _renew(self) -> None:
        self._permits[:] = [True]
