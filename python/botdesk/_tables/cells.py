"""The cells of a table of edits: their values, and whether they differ from those of a record."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from botdesk._exact import EXACT, MAX_EXPONENT, is_moderate, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# In a cell, this word sends null.
NULL: Final = "null"

_WORDS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
# Members that the service adds to an object of a list.
_ADDED: Final = frozenset({"editable", "id", "position", "status"})
# A calculation with the value that the record has now.
_CALCULATION: Final = re.compile(r"([*+])\s*(-?\d+(?:\.\d+)?)")


class CellError(ValueError):
    """A cell that is no value of its column."""


def is_empty(cell: object) -> bool:
    """Return True for a cell that changes nothing."""
    match cell:
        case None:
            return True
        case float():
            return math.isnan(cell)
        case str():
            return not cell.strip()
        case _:
            # Frames of pandas have objects of their own for what is missing.
            return type(cell).__name__ in {"NaTType", "NAType"}


def is_calculation(value: object) -> bool:
    """Return True for text that begins like a calculation; whether it is one, `value_of` says."""
    return isinstance(value, str) and value.lstrip().startswith(("*", "+"))


def value_of(cell: Any, type_: str, current: Any) -> Any:  # noqa: ANN401
    """Convert a cell to a value of a type, as the core names it; a calculation takes the current value."""
    # Frames of numpy have scalars of their own.
    cell = cell.item() if hasattr(cell, "item") else cell
    if isinstance(cell, str):
        cell = cell.strip()
        if cell.lower() == NULL:
            return None
    if type_ in {"decimal", "integer"}:
        number = _decimal(cell, current)
        return _integer(number) if type_ == "integer" else number
    return _READ.get(type_, text_of)(cell)


def text_of(cell: object) -> str:
    """Return a cell as text: frames with empty cells have floats in place of integers."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def is_same(value: Any, current: Any) -> bool:  # noqa: ANN401
    """Return True if a value is the one that a record has."""
    if isinstance(value, str) and isinstance(current, str):
        # The name 007 is another one than 7.
        return value == current
    return _is_same_member(value, current)


def _is_same_member(value: Any, current: Any) -> bool:  # noqa: ANN401
    if _is_object(value) and _is_object(current):
        # A member that is left out ends what it switches on; one that is off or empty means nothing.
        left_out = (_plain(member) for name, member in current.items() if name not in value and name not in _ADDED)
        return not any(left_out) and all(_is_same_member(member, current.get(name)) for name, member in value.items())
    if is_list(value) and is_list(current):
        return len(value) == len(current) and all(map(_is_same_member, value, current))
    return bool(_plain(value) == _plain(current))


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Return True for a list or a tuple."""
    return isinstance(value, (list, tuple))


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return a number for text with one: lists of objects have decimals as text."""
    try:
        return Decimal(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else value
    except InvalidOperation:
        return value


def _decimal(cell: Any, current: Any) -> Decimal:  # noqa: ANN401
    if isinstance(cell, bool):
        raise CellError(f"{cell} is no number")
    text = str(cell)
    if calculation := _CALCULATION.fullmatch(text):
        return _calculated(calculation[1], Decimal(calculation[2]), current)
    if text.endswith("%"):
        raise CellError(f"{text!r} has a percent sign; write the number alone, such as {text.rstrip('% ')!r}")
    if "," in text:
        raise CellError(f"{text!r} has a comma; write decimals with a point, and no separators of thousands")
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise CellError(f"{text!r} is no number, and no calculation such as '*1.1' or '+5'") from None
    if not number.is_finite():
        raise CellError(f"{text!r} is no number")
    if not is_moderate(number):
        raise CellError(f"{text!r} has an exponent beyond {MAX_EXPONENT}; write a smaller number")
    return number


def _calculated(sign: str, number: Decimal, current: Any) -> Decimal:  # noqa: ANN401
    if not isinstance(current, (Decimal, int)):
        raise CellError(f"there is no value now to calculate {sign}{number} with")
    calculate = EXACT.multiply if sign == "*" else EXACT.add
    return plain(calculate(Decimal(current), number))


def _integer(number: Decimal) -> int:
    if number != number.to_integral_value():
        raise CellError(f"{number} is no whole number")
    return int(number)


def _bool(cell: Any) -> bool:  # noqa: ANN401
    if isinstance(cell, bool):
        return cell
    text = str(cell).lower()
    if text not in _WORDS:
        raise CellError(f"{cell!r} is neither true nor false")
    return _WORDS[text]


def _strings(cell: Any) -> list[str]:  # noqa: ANN401
    if isinstance(cell, str):
        if cell.startswith("["):
            return [str(each) for each in _json(cell)]
        return [each for each in re.split(r"[,;\s]+", cell) if each]
    if not hasattr(cell, "__iter__"):
        raise CellError(f"{cell!r} is no list of texts")
    return [str(each) for each in cell]


def _json(cell: Any) -> Any:  # noqa: ANN401
    if not isinstance(cell, str):
        return cell
    try:
        return json.loads(cell, parse_float=Decimal)
    except ValueError as error:
        raise CellError(f"{cell!r} is not JSON: {error}") from None
    except RecursionError:
        raise CellError(f"{cell[:40]!r} has too many brackets in each other") from None


# How the cells of other types than numbers are read; text stays as it is.
_READ: Final[dict[str, Callable[[Any], Any]]] = {"bool": _bool, "strings": _strings, "json": _json}
