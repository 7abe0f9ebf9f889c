"""The notebook widgets: `tune` of bots, and `live` of lists of bots. They need anywidget."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from botdesk._libraries import library

if TYPE_CHECKING:
    from botdesk._api import DcaBot, GridBot
    from botdesk._widgets.live_widget import LiveTable
    from botdesk._widgets.tune_widget import TuneWidget

__all__ = ["live", "tune"]


def tune(bot: DcaBot | GridBot, candles: object, fee: object) -> TuneWidget:
    """Return the widget that tunes a bot."""
    widget: TuneWidget = _module("tune").TuneWidget(bot, candles, fee)
    return widget


def live(records: object, name: str, interval: float) -> LiveTable[Any]:
    """Return the table that follows the records of a resource."""
    table: LiveTable[Any] = _module("live").LiveTable(records, name, interval)
    return table


def _module(method: str) -> Any:  # noqa: ANN401
    """Import the module of a widget, or raise an error that says what to install."""
    library("anywidget", f"{method}()", "pip install 'botdesk[notebook]'")
    return import_module(f"botdesk._widgets.{method}_widget")
