"""Reads the time of the service from its responses."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from botdesk import Answer


def service_time(response: Answer) -> datetime | None:
    """Return when a response was sent, by the clock of the service; None if it does not say."""
    try:
        there = parsedate_to_datetime(response.headers.get("date") or "")
    except ValueError:
        return None
    # A date without a time zone is in UTC.
    return there.astimezone(UTC) if there.tzinfo else there.replace(tzinfo=UTC)
