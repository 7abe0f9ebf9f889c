"""The axes that a picture is drawn on, and colours that are visible on their background."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from botdesk._pictures import themes
from botdesk._pictures.colours import DARK, LIGHT, Colours
from botdesk._pictures.hover import add_texts
from botdesk._pictures.values import brief

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# 900 pixels in a notebook and in a file.
_WIDTH = 9
# The height of a legend of one line, in inches.
_ROOM = 0.3
_MOST_IN_LINE = 6

_Item = TypeVar("_Item")


class Canvas:
    """The axes of a picture, and the colours to draw in."""

    def __init__(self, ax: Axes | None, height: float) -> None:
        """Use the given axes, or create new ones."""
        self.ax = _new_axes(height) if ax is None else ax
        theme = themes.current()
        self.colours = theme.colours or (DARK if _is_dark(self.ax) else LIGHT)
        if theme.colours is not None:
            _set_text_colours(self.ax, theme.colours)
        if theme.sets_background:
            _set_background(self.ax, self.colours.paper)

    def line(self, price: float | None, label: str) -> None:
        """Draw a dashed line at a price limit, if it is set."""
        if price is not None:
            label = f"{label} {brief(price)}"
            self.ax.axhline(price, color=self.colours.loss, linewidth=1.4, linestyle="--", label=label)

    def text(self, place: tuple[float, float], text: str, colour: str, up: float) -> None:
        """Write text with an offset of `up` points from a place."""
        from matplotlib.patheffects import withStroke  # noqa: PLC0415

        self.ax.annotate(
            text,
            place,
            (0, up),
            textcoords="offset points",
            ha="center",
            va="center",
            color=colour,
            fontsize="small",
            path_effects=[withStroke(linewidth=3, foreground=self.ax.get_facecolor())],
        )

    def hover(self, artist: Artist, text: str) -> None:
        """Show text when the pointer is over an artist in a notebook."""
        self.hover_each(artist, str, [text])

    def hover_each(self, artist: Artist, about: Callable[[_Item], str], each: Sequence[_Item]) -> None:
        """Show a text about each mark of an artist. The texts are made when a notebook shows the figure."""
        # Subfigures are drawn by their root.
        add_texts(self.ax.get_figure(root=True), artist, partial(map, about, each))

    def number(self, axis: Axis) -> None:
        """Label an axis with numbers."""
        from botdesk._pictures.ticks import BriefTicks  # noqa: PLC0415

        axis.set_major_formatter(BriefTicks())

    def nothing(self, text: str) -> None:
        """Say that there is nothing to draw, in place of an empty axis."""
        style: dict[str, Any] = {"ha": "center", "va": "center", "transform": self.ax.transAxes}
        self.ax.text(0.5, 0.5, text, color=self.colours.soft, **style)
        self.ax.set_xticks([])
        self.ax.set_yticks([])
        self.ax.spines[:].set_visible(False)

    def finish(self, title: str, *, x: str | None = None, y: str | None = None) -> None:
        """Set the title and labels of the axes, and hide the upper and right border."""
        # Names of the user may contain what matplotlib would parse as a formula.
        self.ax.set_title(title, loc="left", parse_math=False)
        if x is not None:
            self.ax.set_xlabel(x, parse_math=False)
        if y is not None:
            self.ax.set_ylabel(y, parse_math=False)
        self.ax.spines[["top", "right"]].set_visible(False)
        self.ax.spines[["left", "bottom"]].set_color(self.colours.soft)
        self.ax.tick_params(color=self.colours.soft)

    def legend(self, *, above: bool = False) -> None:
        """Add the legend: where it covers least, or in lines above everything that is drawn."""
        handles, labels = self.ax.get_legend_handles_labels()
        # `Any`: the keyword arguments have several types.
        place: dict[str, Any] = {"loc": "best"}
        if above:
            place = {"loc": "upper left", "ncols": min(len(handles), _MOST_IN_LINE), "borderpad": 0.2}
            room = _ROOM * -(-len(handles) // _MOST_IN_LINE)
            low, high = self.ax.get_ylim()
            self.ax.set_ylim(low, high + room / max(self._height(), room) * (high - low))
        if handles:
            self.ax.legend(handles, labels, framealpha=0.85, edgecolor="none", fontsize="small", **place)

    def _height(self) -> float:
        """Return the height of the axes in inches."""
        figure: Any = self.ax.get_figure(root=True)
        return float(self.ax.get_position().height * figure.get_figheight())


def _new_axes(height: float) -> Axes:
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, ax = plt.subplots(figsize=(_WIDTH, height), layout="constrained")
    if themes.current().adapts:
        from botdesk._pictures.figure import adapt  # noqa: PLC0415

        adapt(figure)
    return ax


def _set_text_colours(ax: Axes, colours: Colours) -> None:
    """Set the colours of the text that axes of the caller already have."""
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_color(colours.price)
    ax.tick_params(labelcolor=colours.price)


def _set_background(ax: Axes, colour: str) -> None:
    figure = ax.get_figure(root=True)
    if figure is not None:
        figure.set_facecolor(colour)
    ax.set_facecolor(colour)


def _is_dark(ax: Axes) -> bool:
    """Return True if the background is dark; a transparent one is judged by the colour of the text."""
    from matplotlib import rcParams  # noqa: PLC0415
    from matplotlib.colors import to_rgba  # noqa: PLC0415

    def light(colour: Any) -> float:  # noqa: ANN401
        red, green, blue, _ = to_rgba(colour)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    figure = ax.get_figure(root=True)
    backgrounds = [ax.get_facecolor(), *([figure.get_facecolor()] if figure else [])]
    seen = next((colour for colour in backgrounds if to_rgba(colour)[3] > 0), None)
    half = 0.5
    return light(rcParams["text.color"]) > half if seen is None else light(seen) < half
