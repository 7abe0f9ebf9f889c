"""The exit codes, and which error ends with which."""

from __future__ import annotations

from typing import Final

from botdesk import errors

REFUSED: Final = 1
USAGE: Final = 2
NO_ANSWER: Final = 3
UNKNOWN: Final = 4
INTERRUPTED: Final = 130

# The first that fits is taken.
_OF_ERRORS: Final = (
    (errors.OutcomeUnknownError, UNKNOWN),
    # A change was carried out, most likely, and the answer tells nothing of it.
    (errors.DecodeError, UNKNOWN),
    (errors.TransportError, NO_ANSWER),
    (errors.ConfigurationError, USAGE),
    (errors.ValidationError, USAGE),
    (errors.RecordingError, USAGE),
)

EPILOG: Final = (
    "Exit codes: 0 done; 1 refused, by the service or by you; 2 what was asked can't be done, and nothing was sent; "
    "3 no answer, and nothing was changed; 4 no answer that can be read, and a change may have happened: look before "
    "you repeat it; 130 ended by Ctrl-C."
)


def code(error: errors.BotdeskError) -> int:
    """Give the exit code of a command that the error ended."""
    return next((code for kind, code in _OF_ERRORS if isinstance(error, kind)), REFUSED)
