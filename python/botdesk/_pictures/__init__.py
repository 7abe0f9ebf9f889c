"""Pictures of plans, records, backtests and sweeps, drawn with matplotlib in colours that fit the current style."""

from botdesk._pictures.backtests import backtest, backtest_comparison
from botdesk._pictures.bars import account, deposit_data, network_info
from botdesk._pictures.deals import deal, deals_of
from botdesk._pictures.grid import grid_bot, grid_plan
from botdesk._pictures.ladder import ladder
from botdesk._pictures.lists import records
from botdesk._pictures.sweeps import sweep

__all__ = [
    "account",
    "backtest",
    "backtest_comparison",
    "deal",
    "deals_of",
    "deposit_data",
    "grid_bot",
    "grid_plan",
    "ladder",
    "network_info",
    "records",
    "sweep",
]
