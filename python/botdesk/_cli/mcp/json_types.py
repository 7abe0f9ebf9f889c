"""The types of JSON, for values of any type."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Return True for a list."""
    return isinstance(value, list)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Return True for an object."""
    return isinstance(value, dict)


def is_integer(value: object) -> TypeGuard[int]:
    """Return True for a whole number, and not for true."""
    return isinstance(value, int) and not isinstance(value, bool)
