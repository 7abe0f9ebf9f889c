"""Errors as tables in notebooks. Imported when an error is displayed; tracebacks do not use it."""

from __future__ import annotations

from typing import Any

from botdesk._native import _changes_html, _one_line, _record_html, _value_and_rule

# The body of a response may be long.
_LONGEST = 500


def details(error: Exception) -> str:
    """Return an error as HTML: its message, and the public attributes that have a value."""
    return _record_html(type(error).__name__, [("message", _shown(error)), *_details(error)])


def violations(errors: dict[str, list[str]]) -> str:
    """Return the messages of a validation error as HTML: a table of field, value and rule."""
    found = [(field, *_value_and_rule(message)) for field, messages in errors.items() for message in messages]
    count = f"{len(found)} rule{' is' if len(found) == 1 else 's are'} broken"
    rows = [(field, value or "-", rule) for field, value, rule in found]
    return _changes_html(f"ValidationError: {count}; nothing was sent", ["field", "value", "rule"], rows, [])


def conflict(fields: dict[str, tuple[object, object]]) -> str:
    """Return the fields of a conflict as HTML, each before and now."""
    title = "EditConflictError: the record has changed since; nothing was sent"
    rows = [(name, _shown(before), _shown(now)) for name, (before, now) in fields.items()]
    return _changes_html(title, ["field", "before", "now"], rows, [])


def _details(error: Exception) -> list[tuple[str, str]]:
    """Return the public attributes that have a value."""
    nothing: tuple[object, ...] = (None, "", {}, [])
    return [(name, _shown(value)) for name, value in vars(error).items() if name[0] != "_" and value not in nothing]


def _shown(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_shown(member)}" for name, member in value.items())  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return ", ".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType]
    return _one_line(str(value), _LONGEST)
