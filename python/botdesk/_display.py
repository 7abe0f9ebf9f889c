"""What a notebook shows: tables in HTML, everything in them escaped, in the colours of the notebook."""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


# A notebook's own colours where it has them (Jupyter's, then VS Code's); elsewhere those that the system prefers.
# The name stands twice in some rules so that they count more than Jupyter's own for tables.
# The background is set as well: a page that knows nothing of dark colours stays readable.
_STYLE = """<style>
.botdesk {
  --bd-fg: #1f2328; --bd-soft: #59636e; --bd-bg: #ffffff; --bd-line: #d1d9e0; --bd-band: #f6f8fa;
  --bd-good: #1a7f37; --bd-bad: #cf222e;
}
@media (prefers-color-scheme: dark) {
  .botdesk {
    --bd-fg: #e6edf3; --bd-soft: #9198a1; --bd-bg: #0d1117; --bd-line: #3d444d; --bd-band: #151b23;
    --bd-good: #3fb950; --bd-bad: #ff7b72;
  }
}
.botdesk {
  display: inline-block; max-width: 100%; overflow-x: auto; box-sizing: border-box; padding: 6px 10px;
  font: 13px/1.45 var(--jp-ui-font-family, system-ui, sans-serif);
  color: var(--jp-content-font-color1, var(--vscode-editor-foreground, var(--bd-fg)));
  background: var(--jp-layout-color0, var(--vscode-editor-background, var(--bd-bg)));
}
.botdesk .bd-title { font-weight: 600; margin: 2px 0 6px; }
.botdesk table { border-collapse: collapse; margin: 0 0 4px; font-size: 12px; border: 0; color: inherit; }
.botdesk.botdesk table th, .botdesk.botdesk table td {
  padding: 3px 10px; border: 0; text-align: left; vertical-align: top; max-width: 44em; overflow-wrap: anywhere;
  white-space: pre-wrap; unicode-bidi: isolate; background: none;
}
.botdesk.botdesk table th {
  font-weight: 500; color: var(--jp-content-font-color2, var(--vscode-descriptionForeground, var(--bd-soft)));
}
.botdesk.botdesk thead th {
  border-bottom: 1px solid var(--jp-border-color1, var(--vscode-panel-border, var(--bd-line)));
  vertical-align: bottom; white-space: normal; overflow-wrap: normal;
}
.botdesk.botdesk tbody th, .botdesk.botdesk .bd-list td { white-space: nowrap; overflow-wrap: normal; }
.botdesk.botdesk tbody tr { background: none; }
.botdesk.botdesk tbody tr:nth-child(even) {
  background: var(--jp-rendermime-table-row-background, var(--vscode-keybindingTable-rowsBackground, var(--bd-band)));
}
.botdesk.botdesk table .bd-number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.botdesk.botdesk table .bd-minus { color: var(--jp-error-color1, var(--vscode-charts-red, var(--bd-bad))); }
.botdesk.botdesk table .bd-yes { color: var(--jp-success-color1, var(--vscode-charts-green, var(--bd-good))); }
.botdesk.botdesk table .bd-soft, .botdesk .bd-note, .botdesk summary {
  color: var(--jp-content-font-color2, var(--vscode-descriptionForeground, var(--bd-soft)));
}
.botdesk summary { cursor: pointer; padding: 2px 0; }
.botdesk .bd-note { font-size: 12px; max-width: 64em; }
</style>"""

# What stands for a value that there is none of, beside the empty text.
_NOTHING = ("-", "None", "")
# What is told apart at a glance beside losses: what is so, and what became of each of many.
_GOOD = ("True", "done")
_BAD = ("failed", "unknown")


def table(
    title: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    notes: Iterable[str],
    gap: tuple[int, str] | None = None,
) -> str:
    """Draw a table under a title, with notes below it; a gap is a place between two rows, and what stands there."""
    return _page(title, _table(head, rows, gap), _notes(notes))


def record(
    title: str,
    shown: Sequence[tuple[str, str]],
    lists: Iterable[tuple[str, Sequence[str], Iterable[Sequence[str]], Iterable[str]]],
    others: Sequence[tuple[str, str]],
    unknown: Sequence[tuple[str, str]],
) -> str:
    """Draw a record: the fields that matter most, and all others folded away."""
    folded = [_folded(name, _table(head, rows), _notes(notes)) for name, head, rows, notes in lists]
    if others:
        folded.append(_folded(_counted(len(others), "more field"), _fields(others)))
    if unknown:
        what = f"{_counted(len(unknown), 'field')} that the document does not know"
        folded.append(_folded(what, _fields(unknown)))
    return _page(title, _fields(shown) or _notes(["None of the fields that matter most were in the answer."]), *folded)


def records(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], places: Sequence[int], whole: int) -> str:
    """Draw a list of records, each with its place in it; where places are missing, the table says how many."""
    cells = [(str(place), *row) for place, row in zip(places, rows, strict=True)]
    first_after = next((at for at in range(1, len(places)) if places[at] != places[at - 1] + 1), None)
    gap = None if first_after is None else (first_after, f"… {whole - len(places)} more …")
    return _page(title, f'<div class="bd-list">{_table(("", *head), cells, gap)}</div>')


def _page(title: str, *parts: str) -> str:
    return f'{_STYLE}<div class="botdesk"><div class="bd-title">{escape(title)}</div>{"".join(parts)}</div>'


def _folded(title: str, *parts: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{''.join(parts)}</details>"


def _notes(notes: Iterable[str]) -> str:
    return "".join(f'<div class="bd-note">{escape(note)}</div>' for note in notes)


def _fields(pairs: Sequence[tuple[str, str]]) -> str:
    rows = "".join(f'<tr><th scope="row">{escape(name)}</th>{_cell(value, number=False)}</tr>' for name, value in pairs)
    return f"<table><tbody>{rows}</tbody></table>" if rows else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], gap: tuple[int, str] | None = None) -> str:
    """Draw a table; a gap is a place between two rows, and what stands there."""
    rows = list(rows)
    numbers = [_are_numbers(column) for column in zip(*rows, strict=True)] or [False] * len(head)
    heads = "".join(
        f'<th scope="col"{_class(number=number)}>{_breakable(name)}</th>' for name, number in _both(head, numbers)
    )
    lines = ["".join(_cell(text, number=number) for text, number in _both(row, numbers)) for row in rows]
    if gap is not None:
        at, text = gap
        lines.insert(at, f'<td class="bd-soft" colspan="{len(head)}">{escape(text)}</td>')
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _breakable(name: str) -> str:
    """Escape a column's name, which may be broken between its words."""
    return escape(name).replace("_", "_<wbr>")


def _both(texts: Sequence[str], numbers: Sequence[bool]) -> Iterable[tuple[str, bool]]:
    return zip(texts, numbers, strict=True)


def _cell(text: str, *, number: bool) -> str:
    marks = [
        "bd-number" if number else "",
        "bd-minus" if text in _BAD or _is_below_zero(text) else "",
        "bd-yes" if text in _GOOD else "",
        "bd-soft" if text in (*_NOTHING, "False") else "",
    ]
    return f"<td{_class(*marks)}>{escape(text)}</td>"


def _class(*names: str, number: bool = False) -> str:
    names = (*filter(None, names), *(("bd-number",) if number else ()))
    return f' class="{" ".join(names)}"' if names else ""


def _are_numbers(texts: Iterable[str]) -> bool:
    values = [text for text in texts if text not in _NOTHING]
    return bool(values) and all(map(_is_number, values))


def _is_below_zero(text: str) -> bool:
    return text.startswith("-") and not text.endswith("%") and _is_number(text)


def _is_number(text: str) -> bool:
    try:
        float(text.removesuffix("%").removesuffix("…"))
    except ValueError:
        return False
    return True


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
