"""Pictures of plans, records and backtests, drawn with matplotlib in the colours of the notebook or of a style."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botdesk._pictures import themes
from botdesk._pictures.backtests import backtest, backtest_comparison
from botdesk._pictures.bars import account, deposit_data, network_info
from botdesk._pictures.deals import deal, deals_of
from botdesk._pictures.grid import grid_bot, grid_plan
from botdesk._pictures.ladder import ladder
from botdesk._pictures.lists import records

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "account",
    "backtest",
    "backtest_comparison",
    "deal",
    "deals_of",
    "deposit_data",
    "draw",
    "grid_bot",
    "grid_plan",
    "ladder",
    "network_info",
    "records",
]


def draw(name: str, thing: object, ax: Axes | None, theme: object) -> Axes:
    """Draw an object with the function `name` of this package, in a theme."""
    with themes.use(theme, ax):
        axes: Axes = globals()[name](thing, ax)
        return axes
