"""Text for people: lines without control characters, and amounts with the digits that matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botdesk._native import _shown_column, _shown_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from decimal import Decimal


def safe_lines(lines: Iterable[str]) -> str:
    """Return lines without characters that control a terminal, such as those in the name of a bot."""
    return "\n".join(map(_shown_message, lines))


def aligned(rows: Sequence[Sequence[str]], names: int) -> list[str]:
    """Return a table as lines: the first columns, which are names, to the left, and figures to the right."""
    shown = [[_shown_message(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    sides = [str.ljust if place < names else str.rjust for place in range(len(widths))]
    placed = ([side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)] for row in shown)
    return ["  ".join(cells).rstrip() for cells in placed]


def rounded_amounts(amounts: Sequence[Decimal], currency: str) -> list[str]:
    """Return amounts of a currency for people. Two that differ never look the same."""
    return _shown_column("amount", [format(amount, "f") for amount in amounts], True, currency)  # noqa: FBT003


def trimmed(number: Decimal) -> str:
    """Return a number with at most 8 decimal places, which no exchange exceeds, and no zeros at the end."""
    return f"{number:.8f}".rstrip("0").rstrip(".")
