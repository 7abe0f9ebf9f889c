"""The exit codes, and the errors that they stand for."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from botdesk import errors

if TYPE_CHECKING:
    from collections.abc import Generator

    from botdesk import BulkResult

FAILED: Final = 1
USAGE: Final = 2
NO_RESPONSE: Final = 3
UNKNOWN: Final = 4
NO_OUTPUT: Final = 5
INTERRUPTED: Final = 130

# The first class that matches decides.
_OF_CLASSES: Final = (
    (errors.OutcomeUnknownError, UNKNOWN),
    (errors.TransportError, NO_RESPONSE),
    (errors.ConfigurationError, USAGE),
    (errors.ValidationError, USAGE),
    (errors.RecordingError, USAGE),
    (errors.ArchiveError, USAGE),
)

EPILOG: Final = (
    "Exit codes: 0 done; 1 cancelled by you, or an error response; 2 the command can't be run, nothing was changed; "
    "3 no connection, or a read without a usable response, nothing was changed; "
    "4 a change may have happened, check before you repeat it; "
    "5 the command succeeded, but its output could not be written or recorded; 130 stopped by Ctrl-C, "
    "143 by SIGTERM, 129 by SIGHUP."
)


def of_error(error: errors.BotdeskError) -> int:
    """Return the exit code for an error."""
    if isinstance(error, (errors.DecodeError, errors.ServerError)):
        # A write may have been carried out. Other statuses that leave this open raise an OutcomeUnknownError.
        return NO_RESPONSE if error.method == "GET" else UNKNOWN
    return next((code for kind, code in _OF_CLASSES if isinstance(error, kind)), FAILED)


@contextmanager
def decode_errors_of_reads() -> Generator[None]:
    """Set the method of decode errors to GET."""
    try:
        yield
    except errors.DecodeError as error:
        error.method = "GET"
        raise


def of_bulk_result(result: BulkResult[Any]) -> int:
    """Return the exit code for a bulk run: unknown outcomes take precedence over errors."""
    if result.unknown:
        return UNKNOWN
    errors = [item.error for item in result.failed if item.error is not None]
    return of_error(errors[0]) if errors else FAILED if result.not_started else 0
