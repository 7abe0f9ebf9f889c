"""The error of one argument that breaks a rule."""

from __future__ import annotations

from botdesk.errors import ValidationError


def invalid(name: str, message: str) -> ValidationError:
    """Return the error of an argument, in the words of those of the inputs of operations."""
    return ValidationError(f"validation failed: {name}: {message}", errors={name: [message]})
