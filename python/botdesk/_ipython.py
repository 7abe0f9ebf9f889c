"""The display of plain lists in IPython, and colours in its terminal. Imported if IPython runs."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

from botdesk import _completion, _lists
from botdesk._native import BacktestComparison

if TYPE_CHECKING:
    from collections.abc import Callable

# The classes whose text is a table, and those that print what they offer, by their modules.
_TABLES = {
    "botdesk": (
        *("Backtest", "BacktestBounds", "BacktestComparison", "EditPreview", "GridPlan", "Ladder", "Sweep"),
        *(
            "Client",
            "Clock",
            "Faults",
            "Playback",
            "RecordAsyncWatch",
            "RecordWatch",
            "Recording",
            "Replay",
            "Sandbox",
            "SandboxStreams",
            "Stream",
        ),
    ),
    "botdesk._bulk": ("BulkPreview",),
    "botdesk._lists": ("DisplayedList",),
    "botdesk._native": ("Resource",),
    "botdesk._records": ("Records",),
}
_BOLD, _RED, _GREEN, _YELLOW = "1", "31", "32", "33"
# Cells that stand out, with two spaces or an end of the line on either side.
_CELLS = {
    _RED: r"-\d[\d.]*(?:E[+-]?\d+)?…?|failed|unknown",
    _GREEN: r"True|done",
}
_PATTERNS = {colour: re.compile(rf"(?:(?<=  )|^)(?:{cells})(?=  |$)") for colour, cells in _CELLS.items()}


def install() -> None:
    """Register the displays with the running IPython; do nothing if only its package is imported."""
    shell = sys.modules["IPython"].get_ipython()
    if shell is None:
        return
    formatters = shell.display_formatter.formatters
    html, plain = formatters["text/html"], formatters["text/plain"]
    # A formatter that the user registered takes precedence.
    if list not in html.type_printers:
        html.for_type(list, _list_html)
    plain.for_type(list, _list_printer(plain.for_type(list)))
    for module, names in _TABLES.items():
        for name in names:
            plain.for_type_by_name(module, name, _print)
    shell.Completer.custom_matchers.append(_completion.matcher_of(shell.user_ns))


def _list_html(records: list[Any]) -> str | None:
    if type(records) is not list:
        # A subclass may display itself.
        method = getattr(records, "_repr_html_", None)
        found: Any = method() if callable(method) else None
        return None if found is None else str(found)
    return None if _lists.columns_of(records, None) is None else _lists.html(records, None)


def _list_printer(usual: Callable[..., None] | None) -> Callable[..., None]:
    def show(records: list[Any], printer: Any, cycle: bool) -> None:  # noqa: ANN401, FBT001
        if type(records) is list and printer.indentation == 0 and _lists.columns_of(records, None) is not None:
            _print_lines(_lists.text(records, None), printer)
        elif usual is not None:
            usual(records, printer, cycle)
        else:
            printer.text(repr(records))

    return show


def _print(thing: Any, printer: Any, cycle: bool) -> None:  # noqa: ANN401, ARG001, FBT001
    text = thing._offered() if hasattr(thing, "_offered") else repr(thing)  # noqa: SLF001
    # In a comparison, a number below zero may be the better one.
    _print_lines(text, printer, signs=not isinstance(thing, BacktestComparison))


def _print_lines(text: str, printer: Any, *, signs: bool = True) -> None:  # noqa: ANN401
    lines = text.splitlines()
    for number, line in enumerate(_coloured(lines, signs=signs) if has_colours() else lines):
        if number:
            printer.break_()
        printer.text(line)


def has_colours() -> bool:
    """Return True if the output is a terminal that shows colours, and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _coloured(lines: list[str], *, signs: bool) -> list[str]:
    first, *others = lines
    return [_in_colour(_BOLD, first), *(_coloured_line(line, signs=signs) for line in others)]


def _coloured_line(line: str, *, signs: bool) -> str:
    if line.startswith("! "):
        return _in_colour(_YELLOW, line)
    if not signs:
        return line
    for colour, pattern in _PATTERNS.items():
        line = pattern.sub(_in_colour(colour, r"\g<0>"), line)
    return line


def _in_colour(colour: str, text: str) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m"
