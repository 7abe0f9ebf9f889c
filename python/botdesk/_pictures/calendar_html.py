"""A calendar of some weeks as HTML, for views that are tables. It needs no matplotlib."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from botdesk._pictures.calendars import WEEKDAYS, monday_of, shade_limits, shade_of, short_amount
from botdesk._pictures.page_colours import STYLE, variable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

_TITLE = "font-weight: 600; margin: 2px 0 6px"
_HEAD = "text-align: right; padding: 0 8px; border: 0"
_CELL = "padding: 2px 8px; min-width: 5.5em; height: 2.6em; text-align: right; vertical-align: top; border: 2px solid"


def weeks(first: date, last: date, profits: Mapping[date, Decimal]) -> str:
    """Return the weeks from one day to another: a cell for each day, with the profit in USD."""
    limits = shade_limits(list(profits.values()))
    heads = "".join(f'<th scope="col" style="{_HEAD}">{name}</th>' for name in WEEKDAYS)
    monday = monday_of(first)
    days = [monday + timedelta(days=number) for number in range((last - monday).days + 1)]
    cells = [_cell(day, profits, limits) for day in days]
    rows = ("".join(cells[place : place + 7]) for place in range(0, len(cells), 7))
    body = "".join(f'<tr style="background: none">{row}</tr>' for row in rows)
    table = f'<table style="border-collapse: collapse; font-size: 12px; color: inherit"><tr>{heads}</tr>{body}</table>'
    title = f'<div style="{_TITLE}">Profit by day in USD</div>'
    return f'<style>{STYLE}</style><div><div class="botdesk-plot" style="{_text()}">{title}{table}</div></div>'


def _text() -> str:
    font = "font: 13px/1.3 var(--jp-ui-font-family, system-ui, sans-serif)"
    return f"color: var({variable('price')}); padding: 6px 10px; {font}"


def _cell(day: date, profits: Mapping[date, Decimal], limits: Sequence[Decimal]) -> str:
    profit = profits.get(day)
    if profit is None:
        shade, shown, whole = _shade("soft", 0.1), "", "no profit"
    else:
        shade = _shade("loss" if profit < 0 else "profit", shade_of(profit, limits))
        shown, whole = short_amount(profit), f"{profit:f} USD"
    # The border has the colour of the background, and separates cells.
    style = f"{_CELL} var({variable('paper')}); background: {shade}"
    name = f'<div style="text-align: left; font-size: 10px">{day.day} {day:%b}</div>'
    return f'<td style="{style}" title="{day}: {whole}">{name}{shown}</td>'


def _shade(role: str, part: float) -> str:
    return f"color-mix(in srgb, var({variable(role)}) {part:.0%}, transparent)"
