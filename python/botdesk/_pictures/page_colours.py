"""The colours of pictures as variables of CSS, which follow the theme of the page."""

from __future__ import annotations

from botdesk._pictures.colours import DARK, LIGHT, Colours

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


def variable(role: str) -> str:
    """Return the variable of a colour."""
    return f"--bd-plot-{role}"


def _values(colours: Colours) -> str:
    return "; ".join(f"{variable(role)}: {colour}" for role, colour in colours._asdict().items())


def _rule(pages: tuple[str, ...], colours: Colours) -> str:
    return f"{', '.join(f'{page} .botdesk-plot' for page in pages)} {{ {_values(colours)} }}"


# The system decides on pages that have none of the marks. The background is set too, so that text is readable on any.
STYLE = "\n".join(
    [
        f".botdesk-plot {{ {_values(LIGHT)} }}",
        f"@media (prefers-color-scheme: dark) {{ .botdesk-plot {{ {_values(DARK)} }} }}",
        _rule(_PAGES["light"], LIGHT),
        _rule(_PAGES["dark"], DARK),
        f".botdesk-plot {{ display: inline-block; max-width: 100%; background: var({variable('paper')}) }}",
        f".botdesk-plot svg {{ max-width: 100%; height: auto; fill: var({variable('price')}) }}",
    ]
)
