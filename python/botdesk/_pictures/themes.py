"""The theme of a picture: that of the notebook around it, light, dark, or that of a matplotlib style."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._invalid import invalid
from botdesk._libraries import library
from botdesk._pictures.colours import DARK, LIGHT, Colours

if TYPE_CHECKING:
    from collections.abc import Generator

    from matplotlib.axes import Axes

_THEMES = {"auto": None, "light": LIGHT, "dark": DARK}
# A style that changes none of these leaves the colours to botdesk.
_STYLED = (
    *("figure.facecolor", "axes.facecolor", "savefig.facecolor", "text.color", "axes.labelcolor", "axes.titlecolor"),
    *("axes.edgecolor", "xtick.color", "ytick.color", "xtick.labelcolor", "ytick.labelcolor", "legend.labelcolor"),
)


class Theme(NamedTuple):
    """The colours to draw in; None for those that fit the background of the axes."""

    colours: Colours | None
    # True if a notebook shows the picture in the colours of its own theme.
    adapts: bool
    # True if the background is set, also that of axes of the caller.
    sets_background: bool


_STYLE = Theme(None, adapts=False, sets_background=False)
_current: ContextVar[Theme] = ContextVar("theme", default=_STYLE)


def current() -> Theme:
    """Return the theme of the picture that is being drawn."""
    return _current.get()


@contextmanager
def use(name: object, ax: Axes | None) -> Generator[None]:
    """Draw in a theme: `auto`, `light` or `dark`."""
    theme = _theme(name, ax)
    token = _current.set(theme)
    try:
        with _with_parameters({} if theme.colours is None else _parameters(theme.colours)):
            yield
    finally:
        _current.reset(token)


def _theme(name: object, ax: Axes | None) -> Theme:
    if not isinstance(name, str) or name not in _THEMES:
        expected = f"must be one of {', '.join(_THEMES)}, not {name!r}"
        raise invalid("theme", expected)
    colours = _THEMES[name]
    if colours is not None:
        return Theme(colours, adapts=False, sets_background=True)
    # Axes of the caller, and a style of matplotlib, have colours of their own.
    if ax is not None or _has_style():
        return _STYLE
    return Theme(LIGHT, adapts=True, sets_background=False)


def _matplotlib() -> Any:  # noqa: ANN401
    return library("matplotlib", "plot()", "pip install matplotlib")


def _has_style() -> bool:
    mpl = _matplotlib()
    return any(mpl.rcParams[name] != mpl.rcParamsDefault[name] for name in _STYLED)


@contextmanager
def _with_parameters(parameters: dict[str, str]) -> Generator[None]:
    """Set parameters of matplotlib for a block.

    Unlike `rc_context`, this restores no others. The first plot of a notebook loads the backend, whose settings must
    stay.
    """
    current = _matplotlib().rcParams
    before = {name: current[name] for name in parameters}
    current.update(parameters)
    try:
        yield
    finally:
        current.update(before)


def _parameters(colours: Colours) -> dict[str, str]:
    """Return the parameters of matplotlib for text and backgrounds."""
    backgrounds = dict.fromkeys(("figure.facecolor", "axes.facecolor"), colours.paper)
    texts = dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.labelcolor", "ytick.labelcolor"), colours.price
    )
    lines = dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), colours.soft)
    return {**backgrounds, **texts, **lines, "legend.labelcolor": colours.price}
