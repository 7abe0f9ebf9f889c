"""The resources that a host can attach to a conversation: bots, deals, candles, and pages of the documentation."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, NamedTuple

from botdesk._cli.mcp import candles, reads
from botdesk._cli.mcp.refused import RefusedError
from botdesk._cli.mcp.results import Result
from botdesk._cli.operations import class_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from botdesk._cli.mcp.desk import Desk

_SCHEME = "botdesk://"
_JSON = "application/json"
_MARKDOWN = "text/markdown"
_LISTS = {"bots": "dca_bots", "grid_bots": "grid_bots", "deals": "deals"}
_NAMES = {"bots": "DCA bots", "grid_bots": "Grid bots", "deals": "Active deals"}
_RECORDS = {"bots": "A DCA bot", "grid_bots": "A grid bot", "deals": "A deal"}
_RECORD = re.compile(r"(bots|grid_bots|deals)/([1-9]\d{0,18})")
_DOCS = re.compile(r"docs/(\w+)")


class Listed(NamedTuple):
    """A resource that is listed."""

    uri: str
    name: str
    about: str
    mime_type: str


def listed(desk: Desk) -> Iterator[Listed]:
    """Yield the resources without a parameter."""
    for name, title in _NAMES.items():
        yield Listed(f"{_SCHEME}{name}", name, f"{title}, as a table.", _JSON)
    yield Listed(f"{_SCHEME}candles", "candles", "The files of candles that backtests can read.", _JSON)
    yield Listed(f"{_SCHEME}limits", "limits", "What this server may read and change.", _JSON)
    for name in _documented(desk):
        about = f"The reference of client.{name}: every operation with its arguments and errors."
        yield Listed(f"{_SCHEME}docs/{name}", f"docs/{name}", about, _MARKDOWN)


def templates() -> Iterator[Listed]:
    """Yield the resources with a parameter."""
    for name, title in _RECORDS.items():
        yield Listed(f"{_SCHEME}{name}/{{id}}", name.removesuffix("s"), f"{title}, by its id.", _JSON)


def read(desk: Desk, uri: str) -> Result | str:
    """Return a resource: a result, or a page of the documentation.

    Raises:
        RefusedError: There is no such resource, or it is not allowed.
        BotdeskError: It can't be read.
    """
    name = uri.removeprefix(_SCHEME) if uri.startswith(_SCHEME) else ""
    if name in _LISTS:
        inputs = {"scope": "active"} if name == "deals" else {}
        return reads.run(desk, desk.catalog.entries[f"{_LISTS[name]}.list"], {"limit": reads.MAX_LIMIT, **inputs})
    if found := _RECORD.fullmatch(name):
        entry = desk.catalog.entries[f"{_LISTS[found[1]]}.get"]
        return reads.run(desk, entry, {next(iter(entry.ids)): int(found[2])})
    if name == "candles":
        return Result({"files": candles.names(desk.settings.candles)})
    if name == "limits":
        return Result({"limits": desk.settings.described()})
    if (found := _DOCS.fullmatch(name)) and found[1] in _documented(desk):
        return _page(desk, found[1])
    known = ", ".join(each.uri for each in (*listed(desk), *templates()))
    raise RefusedError(f"there is no such resource; there are: {known}")


def _documented(desk: Desk) -> list[str]:
    return list(dict.fromkeys(entry.resource for entry in desk.catalog.entries.values()))


def _page(desk: Desk, resource: str) -> str:
    """Return the reference of a resource, from the docstrings of its methods."""
    parts = [f"# client.{resource}", inspect.cleandoc(str(class_of(resource).__doc__))]
    for entry in desk.catalog.entries.values():
        if entry.resource == resource:
            parts += [f"## {entry.action}", f"```text\n{_without_example(entry.operation.docstring)}\n```"]
    return "\n\n".join(parts) + "\n"


def _without_example(docstring: str) -> str:
    return inspect.cleandoc(docstring).partition("\n\nExample:")[0]
