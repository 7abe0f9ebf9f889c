"""The exit codes, and which error ends with which."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from botdesk import errors

if TYPE_CHECKING:
    from collections.abc import Generator

    from botdesk import BulkResult

REFUSED: Final = 1
USAGE: Final = 2
NO_ANSWER: Final = 3
UNKNOWN: Final = 4
UNSHOWN: Final = 5
INTERRUPTED: Final = 130

# The first that fits is taken.
_OF_ERRORS: Final = (
    (errors.OutcomeUnknownError, UNKNOWN),
    (errors.TransportError, NO_ANSWER),
    (errors.ConfigurationError, USAGE),
    (errors.ValidationError, USAGE),
    (errors.RecordingError, USAGE),
)

EPILOG: Final = (
    "Exit codes: 0 done; 1 refused, by the service or by you; 2 what was asked can't be done, and nothing was changed; "
    "3 no connection, or a read got no response, a 5xx or one that can't be read, and nothing was changed; "
    "4 a change may have happened, and no response says whether it did: "
    "look before you repeat it; 5 done, but what came of it could not be printed or recorded; 130 ended by Ctrl-C."
)


def code(error: errors.BotdeskError) -> int:
    """Give the exit code of a command that the error ended."""
    if isinstance(error, (errors.DecodeError, errors.ServerError)):
        # A write may have been carried out. Other statuses that leave this open raise an OutcomeUnknownError.
        return NO_ANSWER if error.method == "GET" else UNKNOWN
    return next((code for kind, code in _OF_ERRORS if isinstance(error, kind)), REFUSED)


@contextmanager
def of_reads() -> Generator[None]:
    """Set the method of decode errors to GET."""
    try:
        yield
    except errors.DecodeError as error:
        error.method = "GET"
        raise


def of_many(result: BulkResult[Any]) -> int:
    """Give the exit code of what was done to many records: what nobody knows counts more than what failed."""
    if result.unknown:
        return UNKNOWN
    errors = [item.error for item in result.failed if item.error is not None]
    return code(errors[0]) if errors else REFUSED if result.not_started else 0
