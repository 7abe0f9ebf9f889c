"""Tab in IPython for the records of a list: `bots[0].`, and `b.` in `for b in bots`.

jedi does not run code of objects, so it can't know what a list holds. Here only objects of botdesk are looked into, and
nothing is called that sends a request.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from IPython.core import completer

if TYPE_CHECKING:
    from collections.abc import Callable

_PATH = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_ELEMENT = re.compile(rf"(?P<path>{_PATH})\[[^][:]+\]\.(?P<start>\w*)$")
# A loop, or the part of a comprehension, with the path of what it iterates over; none if that is an expression.
_LOOP = re.compile(rf"\bfor\s+(?P<targets>[\w\s,()*]+?)\s+in\s+(?:(?P<path>{_PATH})\s*(?![\w.(\[]))?")
_VARIABLE = re.compile(r"(?<![\w.\])])(?P<name>[A-Za-z_]\w*)\.(?P<start>\w*)$")


def matcher_of(namespace: dict[str, Any]) -> Callable[..., Any]:
    """Return the matcher of an IPython with these variables."""
    # `Any`: IPython has no types for it.
    untyped: Any = completer

    def complete(context: Any) -> Any:  # noqa: ANN401
        kind, start = _found(context, namespace)
        names = [name for name in _attributes(kind) if name[0] != "_" and name.startswith(start)]
        # Other matchers offer the attributes of the list.
        completions = [untyped.SimpleCompletion(text=name, type="property") for name in names]
        return {"completions": completions, "matched_fragment": start, "suppress": bool(names)}

    matcher: Callable[..., Any] = untyped.context_matcher(identifier="botdesk")(complete)
    return matcher


def _attributes(kind: object) -> list[str]:
    return [] if kind is None else dir(kind)


def _found(context: Any, namespace: dict[str, Any]) -> tuple[object, str]:  # noqa: ANN401
    """Return the class of the object before the last dot, and what is typed after it."""
    before: str = context.text_until_cursor
    if element := _ELEMENT.search(before):
        return _kind(_look_up(element["path"], namespace)), element["start"]
    variable = _VARIABLE.search(before)
    if variable is None:
        return None, ""
    path = _iterated(variable["name"], context.full_text)
    return (_kind(_look_up(path, namespace)) if path else None), variable["start"]


def _iterated(name: str, text: str) -> str | None:
    """Return the path of the list that a variable iterates over; None if it was last set in another way."""
    # A comprehension names its variable before the loop, so the whole text counts.
    loops = [loop for loop in _LOOP.finditer(text) if name in re.findall(r"\w+", loop["targets"])]
    if not loops or loops[-1]["targets"] != name:
        return None
    is_assigned = re.search(rf"^\s*{name}\s*(?::[^=\n]*)?=(?!=)", text[loops[-1].end() :], re.MULTILINE)
    return None if is_assigned else loops[-1]["path"]


def _look_up(path: str, namespace: dict[str, Any]) -> object:
    """Return the object of a path such as `bot.active_deals`; None if it is not known."""
    name, *attributes = path.split(".")
    found: Any = namespace.get(name)
    for attribute in attributes:
        # Attributes of botdesk's records send no request.
        if found is None or type(found).__module__ != "botdesk" or attribute not in dir(found):
            return None
        found = getattr(found, attribute)
    return found


def _kind(records: Any) -> object:  # noqa: ANN401
    """Return the class of the elements of a list."""
    kind: Any = None
    if type(records).__module__.partition(".")[0] == "botdesk":
        kind = getattr(records, "_kind", None)
    if kind is None and isinstance(records, list) and records:
        kind = type(records[0])  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    found: object = kind
    return found if getattr(found, "__module__", None) == "botdesk" else None
