"""Reads the time of the service from its responses."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from botdesk._native import _one_line
from botdesk.errors import (
    ApiError,
    AuthenticationError,
    InvalidApiKeyError,
    IpBannedError,
    SignatureInvalidError,
    TransportError,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from botdesk import Answer

# Errors that affect every request.
LAST_ERRORS = (AuthenticationError, InvalidApiKeyError, IpBannedError, SignatureInvalidError)

# The shortest request; its response has the time at the service.
_CLOCK = ("GET", "/ver1/validate")
_NO_CLOCK = (ApiError, TransportError)
# The longest text of an error in a warning.
_LONGEST = 200


def service_time(response: Answer) -> datetime | None:
    """Return when a response was sent, by the clock of the service; None if it does not say."""
    try:
        there = parsedate_to_datetime(response.headers.get("date") or "")
    except ValueError:
        return None
    # A date without a time zone is in UTC.
    return there.astimezone(UTC) if there.tzinfo else there.replace(tzinfo=UTC)


def read_time(request: Callable[[str, str], Answer]) -> tuple[datetime, list[str]]:
    """Return the time at the service, or that of this machine and a warning.

    Raises:
        BotdeskError: All other requests would fail as well.
    """
    try:
        return _time_of(request(*_CLOCK))
    except _NO_CLOCK as error:
        return _time_here(error)


async def read_time_async(request: Callable[[str, str], Awaitable[Answer]]) -> tuple[datetime, list[str]]:
    """Return the time at the service, or that of this machine and a warning; see `read_time`."""
    try:
        return _time_of(await request(*_CLOCK))
    except _NO_CLOCK as error:
        return _time_here(error)


def _time_of(response: Answer) -> tuple[datetime, list[str]]:
    there = service_time(response)
    return (there, []) if there else _time_here("the response has no date")


def _time_here(reason: Exception | str) -> tuple[datetime, list[str]]:
    if isinstance(reason, LAST_ERRORS):
        raise reason
    why = _one_line(str(reason), _LONGEST)
    warning = f"the time is that of this machine; {_CLOCK[1]} did not report that of the service: {why}"
    return datetime.now(UTC), [warning]
