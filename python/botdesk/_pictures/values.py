"""Reads the values of records and plans for pictures, and formats them."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any

from botdesk import _pairs
from botdesk._native import _duration_text, _shown_column
from botdesk.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import timedelta

_MAX_NAME_LENGTH = 40
_DIGITS = 7
# A quotient has fifty digits, and a float fewer.
_MAX_DIGITS = 60
# A number with a larger exponent is written with it; filling in the zeros could take gigabytes.
_MAX_EXPONENT = 40


def read(record: Any, name: str) -> Any:  # noqa: ANN401
    """Read a field; None if it is not of its documented type."""
    try:
        return getattr(record, name)
    except DecodeError:
        return None


def number(record: Any, name: str) -> float | None:  # noqa: ANN401
    """Read a number that can be drawn."""
    value = read(record, name)
    found = None if value is None else float(value)
    return found if found is not None and isfinite(found) else None


def price(record: Any, name: str) -> float | None:  # noqa: ANN401
    """Read a price that can be drawn; the service writes 0 for none."""
    found = number(record, name)
    return found if found is not None and found > 0 else None


def brief(value: Any, digits: int = _DIGITS) -> str:  # noqa: ANN401
    """Format a number with seven digits, and without an exponent unless it is extremely large or small."""
    # Not `log10`: a float cannot hold every decimal.
    exponent = Decimal(value).adjusted() if value else digits
    if abs(exponent) > _MAX_EXPONENT:
        return f"{value:.{digits - 1}e}"
    places = max(0, digits - 1 - exponent)
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def briefs(values: Sequence[Any], digits: int = _DIGITS) -> list[str]:
    """Format numbers with so many digits, or more if two different ones would look the same."""
    texts = [brief(value, digits) for value in values]
    is_distinct = len(set(texts)) == len(set(values))
    return texts if is_distinct or digits >= _MAX_DIGITS else briefs(values, digits + 1)


def amount(value: Any, currency: str) -> str:  # noqa: ANN401
    """Format an amount with the usual decimal places of its currency, and with the currency if it is known."""
    return amounts([value], currency)[0]


def amounts(values: Sequence[Any], currency: str) -> list[str]:
    """Format amounts with the usual decimal places of their currency, or more if two would look the same."""
    texts = _shown_column("amount", [every_digit(value) for value in values], True, currency)  # noqa: FBT003
    return [f"{text} {currency}".rstrip() for text in texts]


def rounded_price(value: Any, currency: str) -> str:  # noqa: ANN401
    """Format a price with eight digits, and with its currency if it is known."""
    return f"{_rounded('price', value)} {currency}".rstrip()


def percent(value: Any) -> str:  # noqa: ANN401
    """Format a percentage with two decimal places."""
    return f"{_rounded('percentage', value)} %"


def duration(value: timedelta) -> str:
    """Format a duration with its two largest units."""
    return _shown_column("duration", [_duration_text(value)], True, None)[0]  # noqa: FBT003


def every_digit(value: object) -> str:
    """Format a number with every digit, and without an exponent unless it is extreme."""
    is_plain = isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= _MAX_EXPONENT
    return format(value, "f") if is_plain else str(value)


def _rounded(name: str, value: object) -> str:
    return _shown_column(name, [every_digit(value)], True, None)[0]  # noqa: FBT003


def one_line(text: str) -> str:
    """Format the user's text as one line, cut to a maximum length."""
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text if len(text) <= _MAX_NAME_LENGTH else text[: _MAX_NAME_LENGTH - 1] + "…"


def quote_of(pair: str | None) -> str:
    """Return the quote currency of a pair for people; empty if it is unknown."""
    return one_line(_pairs.quote_of(pair))


def common_quote(pairs: Iterable[str | None]) -> str:
    """Return the quote currency of all pairs for people; empty if it is unknown, or if they have several."""
    return one_line(_pairs.common_quote(pairs))


def price_label(pair: str | None) -> str:
    """Return the label of a price axis."""
    quote = quote_of(pair)
    base = one_line((pair or "").partition("_")[2])
    return f"price, {quote} per {base}" if quote else "price"
