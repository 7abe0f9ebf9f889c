"""Figures that adapt to the theme of a notebook. Imported when the first one is drawn."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import io
import re
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from botdesk._pictures.colours import LIGHT
from botdesk._pictures.hover import with_titles
from botdesk._pictures.page_colours import STYLE, variable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOUR = re.compile(r"(?<=: )#[0-9a-f]{6}\b")
_SUPERFLUOUS = re.compile(r"<!--.*?-->|<metadata>.*?</metadata>|\s*\n\s*", re.DOTALL)
# A larger picture slows the page down; notebooks then show the PNG, on a light background.
_LARGEST = 4_000_000


def adapt(figure: Figure) -> None:
    """Let notebooks show a figure in the light or dark colours of their own theme."""
    # An attribute instead of a subclass, whose methods matplotlib would replace. IPython asks the object.
    vars(figure)["_repr_html_"] = partial(html, figure)


def html(figure: Figure) -> str | None:
    """Return a figure as SVG whose colours are variables of CSS; None for PNG if it is large."""
    if "WebAgg" in type(figure.canvas).__name__:
        # The interactive backend has HTML of its own. `Any`: the types of matplotlib do not have it.
        untyped: Any = type(figure)
        found: str | None = untyped._repr_html_(figure)
        return found
    svg = _svg(figure)
    if len(svg) > _LARGEST:
        return None
    described = escape("; ".join(filter(None, (axes.get_title("left") for axes in figure.axes))))
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{described}" ', 1)
    return f'<style>{STYLE}</style><div class="botdesk-plot">{with_titles(figure, svg)}</div>'


def _svg(figure: Figure) -> str:
    file = io.StringIO()
    # Text becomes shapes, because the page may not have the font.
    # `Any`: matplotlib has no complete types for it.
    untyped: Any = mpl
    with untyped.rc_context({"svg.fonttype": "path", "savefig.bbox": "tight"}):
        figure.savefig(file, format="svg")
    svg = file.getvalue()
    svg = _SUPERFLUOUS.sub(" ", svg[svg.index("<svg ") :])
    return _COLOUR.sub(lambda found: _VARIABLES.get(found.group(), found.group()), svg)


# Black and white are what a caller may have added.
_ROLES = {"#000000": "price", "#ffffff": "paper", **{colour: role for role, colour in LIGHT._asdict().items()}}
_VARIABLES = {colour: f"var({variable(role)})" for colour, role in _ROLES.items()}
