"""Pictures of plans, records, backtests and sweeps, drawn with matplotlib in colours of a notebook or of a style."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botdesk._pictures import themes
from botdesk._pictures.backtests import backtest, backtest_comparison
from botdesk._pictures.bars import account, deposit_data, network_info
from botdesk._pictures.calendars import profit_by_day
from botdesk._pictures.deals import deal, deals_of
from botdesk._pictures.desk import equity, funds, open_deals, overview, profits
from botdesk._pictures.grid import grid_bot, grid_plan
from botdesk._pictures.ladder import ladder
from botdesk._pictures.lists import records
from botdesk._pictures.smart_trades import smart_trade_plan
from botdesk._pictures.sweeps import sweep

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
    "equity",
    "funds",
    "grid_bot",
    "grid_plan",
    "ladder",
    "network_info",
    "open_deals",
    "overview",
    "profit_by_day",
    "profits",
    "records",
    "smart_trade_plan",
    "sweep",
]


def draw(name: str, thing: object, ax: Axes | None, theme: object, options: tuple[object, ...] = ()) -> Axes:
    """Draw an object in a theme with the function `name` of this package, which takes the options after the axes."""
    with themes.use(theme, ax):
        axes: Axes = globals()[name](thing, ax, *options)
        return axes
