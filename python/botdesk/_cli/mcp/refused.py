"""The error of a call that the server does not carry out."""

from __future__ import annotations


class RefusedError(Exception):
    """A call was not carried out: the message says why, and what to do. Nothing was sent for it."""
