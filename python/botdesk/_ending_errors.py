"""Errors that every further request would meet as well; a bulk run of the core ends with the same."""

from __future__ import annotations

from botdesk.errors import (
    AuthenticationError,
    BotdeskError,
    BulkError,
    IpBannedError,
    PlanRestrictedError,
    SignatureInvalidError,
)

_ENDING = (AuthenticationError, IpBannedError, PlanRestrictedError, SignatureInvalidError)


def ends_all(error: BotdeskError) -> bool:
    """Return whether the next request would meet an error too, or the one that ended a bulk run."""
    return isinstance(error.result.ended_by if isinstance(error, BulkError) else error, _ENDING)
