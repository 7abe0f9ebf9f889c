"""Cursors: where a list goes on, signed, and bound to the query that they are from."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from typing import Any

from botdesk._cli.mcp.refused import RefusedError

_DIGEST_LENGTH = 16


class Cursors:
    """The cursors of one run of the server; nobody else can make one."""

    def __init__(self) -> None:
        """Choose a key."""
        self._key = secrets.token_bytes(32)

    def make(self, query: dict[str, Any], position: int) -> str:
        """Return the cursor of a position in the results of a query."""
        place = str(position).encode()
        return base64.urlsafe_b64encode(self._signature(query, place) + place).decode().rstrip("=")

    def position(self, query: dict[str, Any], cursor: str | None) -> int:
        """Return the position of a cursor; 0 without one.

        Raises:
            RefusedError: It is from another query, or from another run of the server.
        """
        if cursor is None:
            return 0
        try:
            content = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        except (binascii.Error, ValueError):
            content = b""
        signature, place = content[:_DIGEST_LENGTH], content[_DIGEST_LENGTH:]
        if not place or not hmac.compare_digest(signature, self._signature(query, place)):
            raise RefusedError(
                "cursor: it is not from this query, or the server was restarted; leave it out to begin with the first "
                "record, and pass only a cursor that the same call with the same arguments returned"
            )
        return int(place)

    def _signature(self, query: dict[str, Any], place: bytes) -> bytes:
        content = json.dumps(query, sort_keys=True, default=str).encode() + b"\n" + place
        return hmac.new(self._key, content, hashlib.sha256).digest()[:_DIGEST_LENGTH]
