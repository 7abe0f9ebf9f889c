"""The colours of all pictures: one table, for light and for dark backgrounds.

Each colour has a contrast of at least 4.5 to the background, so that it may be the colour of text, and differs from all
others for eyes that do not see red or green. The tests check both.
"""

from __future__ import annotations

from typing import NamedTuple


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
