"""Decimal arithmetic that never rounds, whatever the context of the thread is."""

from __future__ import annotations

from decimal import Context, Decimal
from functools import reduce
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# More digits than any sum or product of the service's numbers has.
EXACT = Context(prec=10_000)
# Digits of quotients, whatever precision the context of the caller has.
DIVISION = Context(prec=60)
# A sum, or an integer, of a number with a larger exponent takes gigabytes.
MAX_EXPONENT = 1_000


def is_moderate(number: Decimal) -> bool:
    """Return whether a number can be written in full."""
    return abs(number.adjusted()) <= MAX_EXPONENT


def total(numbers: Iterable[Decimal]) -> Decimal:
    """Return a sum."""
    return reduce(EXACT.add, numbers, Decimal(0))


def plain(number: Decimal) -> Decimal:
    """Return a number without zeros at its end, and without an exponent."""
    return Decimal(format(EXACT.normalize(number), "f"))
