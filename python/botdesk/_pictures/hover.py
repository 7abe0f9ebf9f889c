"""Text that a notebook shows when the pointer is over a mark of a picture. It needs no script: SVG has titles."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from matplotlib.artist import Artist

# The attribute of a figure with the texts, by the names of groups in SVG.
_NAME = "_botdesk_hover"
# A group without groups below it but the one that clips scattered marks, and the marks in it.
_GROUP = re.compile(rf'<g id="({_NAME}-\d+)">(?:(?!<g id=).)*?(?=</g> ?<(?:g id=|/g))', re.DOTALL)
_MARK = re.compile(r"<use [^>]*/>|(?<!<defs> )<path [^>]*/>")


def add_texts(figure: object, artist: Artist, texts: Callable[[], Iterable[str]]) -> None:
    """Keep a function that returns a text for each mark of an artist. Only a notebook calls it."""
    known = _texts(figure)
    name = f"{_NAME}-{len(known)}"
    known[name] = texts
    artist.set_gid(name)


def with_titles(figure: object, svg: str) -> str:
    """Return the SVG of a figure with a title for each mark that has a text."""
    known = _texts(figure)

    def titled(group: re.Match[str]) -> str:
        texts = iter(known[group[1]]() if group[1] in known else ())
        return _MARK.sub(lambda mark: f"<g><title>{escape(next(texts, ''))}</title>{mark.group()}</g>", group.group())

    return _GROUP.sub(titled, svg)


def _texts(figure: object) -> dict[str, Callable[[], Iterable[str]]]:
    # The types of `vars` do not know what an attribute is.
    return cast("dict[str, Callable[[], Iterable[str]]]", vars(figure).setdefault(_NAME, {}))
