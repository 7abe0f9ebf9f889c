"""The actions of `py3cw`, each with the operation of botdesk that sends the same request.

They are the table of docs/coming-from-py3cw.md.

`just py3cw` writes the table, and `tests/sandbox/test_py3cw.py` compares it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import py3cw.config  # pyright: ignore[reportMissingTypeStubs] - it has no types

import botdesk

PAGE = Path(__file__).parents[2] / "docs" / "coming-from-py3cw.md"
BEGIN = "<!-- the actions, written by `just py3cw` -->\n"
END = "<!-- end of the actions -->\n"


class Action(NamedTuple):
    """An action of py3cw, with the request that it sends."""

    entity: str
    action: str
    method: str
    path: str


def actions() -> list[Action]:
    """Return the actions of py3cw."""
    return [
        Action(entity, action, method, _path(entity, path))
        for entity, found in py3cw.config.API_METHODS.items()
        # The service has withdrawn these.
        if not entity.endswith("_deprecated")
        for action, (method, path) in found.items()
    ]


def _path(entity: str, path: str) -> str:
    version = "v2" if entity in py3cw.config.API_VERSION_V2_ENTITIES else "ver1"
    return f"/{version}/{entity.removesuffix('_v2')}/{path}".rstrip("/")


def operations() -> dict[tuple[str, str], str]:
    """Return the operations of botdesk by the method and the path."""
    with botdesk.Sandbox(bots=0) as sandbox:
        return {(one.method, one.path): one.name for one in sandbox.client().operations()}


def covered() -> dict[str, Action]:
    """Return the actions that are operations of botdesk, by the name of the operation."""
    known = operations()
    found = ((known.get((action.method, action.path)), action) for action in actions())
    return {name: action for name, action in found if name is not None}


def table() -> str:
    """Format the table."""
    known = operations()
    lines = ["| entity and action of py3cw | botdesk |", "|---|---|"]
    for entity, action, method, path in actions():
        name = known.get((method, path))
        call = f"client.{name.removeprefix('general.')}" if name else f'client.request("{method}", "{path}")'
        lines.append(f"| `{f'{entity} {action}'.strip()}` | `{call}` |")
    return "\n".join(lines) + "\n"


def page(text: str) -> str:
    """Replace the table in the page."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{PAGE} has no place for the table, between {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
