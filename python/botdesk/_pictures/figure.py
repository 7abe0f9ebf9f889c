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

from botdesk._pictures.colours import DARK, LIGHT, Colours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The marks of light and of dark pages: JupyterLab and Notebook, VS Code, Colab, and Material for MkDocs.
_PAGES = {
    "light": (
        'body[data-jp-theme-light="true"]',
        "body.vscode-light",
        "html[theme=light]",
        '[data-md-color-scheme="default"]',
    ),
    "dark": (
        'body[data-jp-theme-light="false"]',
        "body.vscode-dark",
        "html[theme=dark]",
        '[data-md-color-scheme="slate"]',
    ),
}
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
    return f'<style>{_STYLE}</style><div class="botdesk-plot">{svg}</div>'


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


def _variable(role: str) -> str:
    return f"--bd-plot-{role}"


def _values(colours: Colours) -> str:
    return "; ".join(f"{_variable(role)}: {colour}" for role, colour in colours._asdict().items())


def _rule(pages: tuple[str, ...], colours: Colours) -> str:
    return f"{', '.join(f'{page} .botdesk-plot' for page in pages)} {{ {_values(colours)} }}"


# Black and white are what a caller may have added.
_ROLES = {"#000000": "price", "#ffffff": "paper", **{colour: role for role, colour in LIGHT._asdict().items()}}
_VARIABLES = {colour: f"var({_variable(role)})" for colour, role in _ROLES.items()}
# The system decides on pages that have none of the marks. The background is set too, so that text is readable on any.
_STYLE = "\n".join(
    [
        f".botdesk-plot {{ {_values(LIGHT)} }}",
        f"@media (prefers-color-scheme: dark) {{ .botdesk-plot {{ {_values(DARK)} }} }}",
        _rule(_PAGES["light"], LIGHT),
        _rule(_PAGES["dark"], DARK),
        f".botdesk-plot {{ display: inline-block; max-width: 100%; background: var({_variable('paper')}) }}",
        f".botdesk-plot svg {{ max-width: 100%; height: auto; fill: var({_variable('price')}) }}",
    ]
)
