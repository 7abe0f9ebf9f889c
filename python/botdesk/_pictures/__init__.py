"""Pictures of ladders, grids and deals, drawn with matplotlib in the colours of the style that is in use."""

from botdesk._pictures.deals import deals, deals_of
from botdesk._pictures.grid import grid_bot, grid_plan
from botdesk._pictures.ladder import ladder

__all__ = ["deals", "deals_of", "grid_bot", "grid_plan", "ladder"]
