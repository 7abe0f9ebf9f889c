"""The colours of all pictures: one table, for light and for dark backgrounds.

Each colour has a contrast of at least 4.5 to the background, so that it may be the colour of text, and differs from all
others for eyes that do not see red or green. The tests check both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Colours(NamedTuple):
    """The colours of a picture. Anything that differs in colour also differs in shape or place."""

    order: str
    average: str
    profit: str
    loss: str
    # The price, and all text.
    price: str
    soft: str
    paper: str

    @property
    def on_price(self) -> str:
        """The colour of text on an area in the colour of the price."""
        return self.paper


# The colours of text on areas that have the same colour on light and dark pages, so that these must not change either:
# notebooks replace black and white by the colours of the page.
_DARK_TEXT, _LIGHT_TEXT = "#010101", "#fefefe"
# On a lighter area, dark text has more contrast: the luminances, each + 0.05, have the same ratio to it.
_MIDDLE = 0.179


def text_colour_on(area: Sequence[float]) -> str:
    """Return the colour of text that is easier to read on an area: dark or light."""
    return _DARK_TEXT if luminance(area) > _MIDDLE else _LIGHT_TEXT


def luminance(colour: Sequence[float]) -> float:
    """Return the relative luminance of a colour, as the rules for readable web pages define it."""
    low, slope = 0.04045, 12.92
    red, green, blue = (part / slope if part <= low else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


LIGHT = Colours(
    order="#2b50d8",
    average="#7a1f8f",
    profit="#0b8149",
    loss="#b33a00",
    price="#1f2328",
    soft="#6b707d",
    paper="#ffffff",
)
DARK = Colours(
    order="#6d8cff",
    average="#f78ae0",
    profit="#35e0a0",
    loss="#ee6a30",
    price="#f0f6fc",
    soft="#8b929a",
    paper="#111111",
)
