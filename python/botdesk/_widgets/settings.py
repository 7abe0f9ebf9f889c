"""The settings of a bot as controls: their types, limits and values, from the tables of the API."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Iterable

# A slider reaches from the lowest value to this multiple of the current one, or to this value if the current one is 0.
_REACH = 3
_REACH_OF_ZERO = 100
# A slider has at least this many positions, if the type of the setting permits.
_POSITIONS = 200
# Longer integers are left to the checks of the edit; Python may refuse to convert them.
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
# A number with a larger exponent is written with it; filling in the zeros could take gigabytes.
_MAX_EXPONENT = 5_000
# JavaScript counts the positions of a slider exactly up to this.
_LAST_POSITION = 2**53 - 1


class Setting(NamedTuple):
    """An input of an edit or of a market: a number, a boolean or a choice.

    A limit is a value, and whether the value itself is permitted.
    """

    name: str
    type: str
    choices: list[str]
    about: str
    least: tuple[str, bool] | None
    most: tuple[str, bool] | None

    def argument(self, value: str | bool | None) -> object:  # noqa: FBT001 - it is the value of a control
        """Return the argument for the value of a control.

        A string that is not a number is left to the checks of the edit.
        """
        if not isinstance(value, str):
            return value
        text = value.strip()
        return int(text) if self.type == "integer" and _INTEGER.fullmatch(text) else text or None

    def control(self, value: object) -> dict[str, Any]:
        """Describe the control of the setting with its current value."""
        shown = value if isinstance(value, bool) else text_of(value)
        return {**self._asdict(), "value": shown, "slider": self._slider(value)}

    def _slider(self, value: object) -> dict[str, int] | None:
        """Return the range of a slider, in units of `10 ** -digits`; None for what is not a number."""
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            return None
        number = Decimal(value)
        if not number.is_finite() or (number and abs(number.adjusted()) > len(str(_LAST_POSITION))):
            return None
        reach = _REACH * abs(number) or Decimal(_REACH_OF_ZERO)
        low = Decimal(self.least[0]) if self.least else min(Decimal(0), reach.copy_sign(number))
        high = max(reach, low)
        high = min(high, Decimal(self.most[0])) if self.most else high
        exponent = ((high - low) / _POSITIONS).adjusted() if high > low else 0
        exponent = max(exponent, 0) if self.type == "integer" else exponent
        digits = max(-exponent, 0)
        step = 10 ** max(exponent, 0)
        first, last = (int(bound.scaleb(digits)) for bound in (low, high))
        first += 0 if self.least is None or self.least[1] else step
        last -= 0 if self.most is None or self.most[1] or high < Decimal(self.most[0]) else step
        if not -_LAST_POSITION <= first < last <= _LAST_POSITION:
            return None
        return {"low": first, "high": last, "step": step, "digits": digits}


def settings(rows: Iterable[Any]) -> dict[str, Setting]:
    """Return the settings that the core describes, by their names."""
    return {row[0][0]: Setting(*row[0], *row[1:]) for row in rows}


def current_value(record: Any, name: str) -> object:  # noqa: ANN401
    """Return the value of a setting in a record; None if there is none, or if it can't be read."""
    try:
        return getattr(record, name, record.extra.get(name))
    except DecodeError:
        return None


def has_setting(record: Any, name: str) -> bool:  # noqa: ANN401
    """Return True if a record can have a setting. Some inputs, such as `ignore_warnings`, are not part of a bot."""
    return name in dir(record) or name in record.extra


def text_of(value: object) -> str | None:
    """Return the value of a setting as a string with every digit, and without an exponent unless it is extreme."""
    if value is None or isinstance(value, str):
        return value
    is_plain = isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= _MAX_EXPONENT
    return format(value, "f") if is_plain else str(value)
