"""Errors as tables in notebooks. Imported when an error is displayed; tracebacks do not use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botdesk._native import _changes_html, _one_line, _record_html, _value_and_rule
from botdesk.errors import EditConflictError, ValidationError

if TYPE_CHECKING:
    from botdesk.errors import BotdeskError

# The body of a response may be long.
_LONGEST = 500


def html(error: BotdeskError) -> str:
    """Return an error as HTML."""
    if isinstance(error, ValidationError) and error.errors:
        return _violations(error)
    if isinstance(error, EditConflictError) and error.fields:
        title = "EditConflictError: the record has changed since; nothing was sent"
        rows = [(name, _shown(before), _shown(now)) for name, (before, now) in error.fields.items()]
        return _changes_html(title, ["field", "before", "now"], rows, [])
    return _record_html(type(error).__name__, [("message", _shown(error)), *_details(error)])


def _violations(error: ValidationError) -> str:
    found = [(field, *_value_and_rule(message)) for field, messages in error.errors.items() for message in messages]
    count = f"{len(found)} rule{' is' if len(found) == 1 else 's are'} broken"
    rows = [(field, value or "-", rule) for field, value, rule in found]
    return _changes_html(f"ValidationError: {count}; nothing was sent", ["field", "value", "rule"], rows, [])


def _details(error: BotdeskError) -> list[tuple[str, str]]:
    """Return the public attributes that have a value."""
    nothing: tuple[object, ...] = (None, "", {}, [])
    return [(name, _shown(value)) for name, value in vars(error).items() if name[0] != "_" and value not in nothing]


def _shown(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_shown(member)}" for name, member in value.items())  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return ", ".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType]
    return _one_line(str(value), _LONGEST)
