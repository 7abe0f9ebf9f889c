"""The drawing of `botdesk bots live` and the like, which fits the terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from botdesk._cli import output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from botdesk._widgets.record_table import RecordTable, Row

# The heights of a line that is drawn with characters.
_BARS = "▁▂▃▄▅▆▇█"
_LENGTH_OF_LINE = 16
_LINE = "profit over time"
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:E[-+]?\d+)?")
# Columns of strings are cut to the space that is left, but not below these widths.
_NARROWEST = {"name": 20, "account_name": 10, "pairs": 12}
# The spaces between two columns.
_GAP = 2
# The columns that a narrow terminal leaves out first, the least important one first. Those after the first ones, which
# identify a record, follow.
_IDENTIFYING = 3
_OPTIONAL = (
    *(_LINE, "pairs", "account_name", "strategy", "active_deals_count"),
    *("active_deals_usd_profit", "finished_deals_profit_usd", "take_profit"),
)


class _Column(NamedTuple):
    """A column: its name, its head, which may have several lines, its cells, and their total."""

    name: str
    head: str
    cells: list[Text]
    total: Text

    @property
    def is_text(self) -> bool:
        return self.name in _NARROWEST

    @property
    def is_number(self) -> bool:
        texts = [cell.plain.removesuffix("…") for cell in self.cells]
        return any(text != "-" for text in texts) and all(text == "-" or _NUMBER.fullmatch(text) for text in texts)

    @property
    def least_width(self) -> int:
        width = max(
            cell_len(text) for text in (*self.head.splitlines(), *(cell.plain for cell in (*self.cells, self.total)))
        )
        return min(width, _NARROWEST.get(self.name, width))


def drawn(table: RecordTable, console: Console) -> Group:
    """Draw the records that fit the terminal, below the state of the polls."""
    columns = _columns(table)
    shown = _fitting(columns, console.width)
    above = [_state(table, len(columns) - len(shown))]
    if table.error:
        above.append(Text(output.one_line(table.error), style="red"))
    heads = max(column.head.count("\n") + 1 for column in shown)
    used = heads + sum(len(text.wrap(console, console.width)) for text in above)
    # One line is left for the number of those that do not fit, and one for the totals.
    room = max(1, console.height - used - 2)
    hidden = len(table.rows) - room
    below = [Text(f"… {hidden} more; a taller terminal shows them", style="dim")] if hidden > 0 else []
    return Group(*above, _grid(shown, room), *below)


def _state(table: RecordTable, hidden: int) -> Text:
    state = f"{len(table.rows)} {table.several}, every {table.pause:g} s; Ctrl-C ends"
    columns = "1 column is" if hidden == 1 else f"{hidden} columns are"
    return Text(f"{state}; {columns} hidden, a wider terminal shows more" if hidden else state, style="dim")


def _columns(table: RecordTable) -> list[_Column]:
    rows = [_cells(row) for row in table.rows]
    totals = [*(table.totals if table.rows else [""] * len(table.columns)), ""]
    return [
        _Column(name, _head(name), [row[place] for row in rows], Text(totals[place], style="bold"))
        for place, name in enumerate((*table.columns, _LINE))
    ]


def _fitting(columns: list[_Column], width: int) -> list[_Column]:
    """Leave out columns until the others fit."""
    shown = columns
    others = [column.name for column in columns[_IDENTIFYING:] if column.name not in _OPTIONAL]
    for name in (*_OPTIONAL, *reversed(others)):
        if sum(column.least_width + _GAP for column in shown) - _GAP <= width:
            break
        shown = [column for column in shown if column.name != name]
    return shown


def _grid(columns: list[_Column], rows: int) -> Table:
    grid = Table(box=None, pad_edge=False, padding=(0, _GAP - 1))
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.is_number else "left"
        head = Text(column.head, no_wrap=True, overflow="ellipsis")
        # rich narrows columns of text first, because they may wrap; their cells are cut instead.
        least = column.least_width
        grid.add_column(head, justify=justify, no_wrap=not column.is_text, min_width=least, vertical="top")
    for cells in list(zip(*(column.cells for column in columns), strict=True))[:rows]:
        grid.add_row(*cells)
    if any(column.total.plain for column in columns):
        grid.add_row(Text("all", style="bold"), *(column.total for column in columns[1:]))
    return grid


def _head(name: str) -> str:
    """Break a name after underscores, because most cells are shorter than it."""
    return name.replace("_", "_\n") if name != _LINE else "profit\nover time"


def _cells(row: Row) -> list[Text]:
    # Names may contain what rich would read as markup, so every cell is a `Text`.
    faint = "dim strike" if row.is_missing else ""
    cells = [
        Text(
            output.one_line(cell), style="reverse" if place in row.changed else faint, no_wrap=True, overflow="ellipsis"
        )
        for place, cell in enumerate(row.shown)
    ]
    return [*cells, Text(_line(row.profits[-_LENGTH_OF_LINE:]), no_wrap=True)]


def _line(profits: Sequence[float]) -> str:
    """Draw values as a line of characters."""
    low, high = min(profits, default=0), max(profits, default=0)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0
    return "".join(_BARS[round((profit - low) * scale)] for profit in profits)
