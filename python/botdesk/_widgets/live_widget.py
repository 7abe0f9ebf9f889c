"""The widget of `live`: the traits and messages between the script in the notebook and the table of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

import traitlets

from botdesk._widgets import assets
from botdesk._widgets.newest_job import NewestJob
from botdesk._widgets.record_table import RecordTable
from botdesk._widgets.view import Shown, new_view

if TYPE_CHECKING:
    from botdesk._records import Records


_R = TypeVar("_R")


class LiveTable(Shown, Generic[_R]):
    """A table that follows the records of a list, such as the DCA bots of an account, while it is visible on the page.

    It stops, and says why, after a 401, a 403, a 418, or another error that no later poll can overcome.

    `client.dca_bots.live()` returns one, and so do `grid_bots`, `deals` and `smart_trades`. The script in the page asks
    for each poll, so that none is sent for a page that is closed.
    """

    def __init__(self, records: object, name: str, interval: float) -> None:
        """Show an empty table; the page asks for the first poll."""
        table = RecordTable(records, name, interval)
        self._view = new_view(
            "LiveView",
            assets.read("elements.js", "charts.js", "live.js"),
            assets.read("theme.css", "live.css"),
            {"shown": traitlets.Dict(), "chosen": traitlets.List(), "is_closed": traitlets.Bool(default_value=False)},
            self._receive,
        )
        self._table = table
        self._worker = NewestJob()
        self._polls = 0
        self._show()

    def __repr__(self) -> str:
        """Count the records."""
        if self._view.is_closed:
            return "<LiveTable closed>"
        stopped = f", stopped: {self._table.error}" if self._table.is_stopped else ""
        return f"<LiveTable {len(self._table.rows)} {self._table.several}{stopped}>"

    @property
    def selected(self) -> Records[_R]:
        """The selected records as the latest poll found them, for methods such as `client.dca_bots.disable_many`."""
        return self._table.records(self._view.chosen)

    def close(self) -> None:
        """End the polls; the table stays visible."""
        self._view.is_closed = True

    def _receive(self, message: dict[str, Any]) -> None:
        # Several views may show the table, and each asks for polls.
        if message.get("kind") != "poll" or self._view.is_closed or self._table.is_stopped:
            return
        # A poll may wait for the rate limit, so the page learns at once that the kernel is there.
        self._view.send({"wait": self._table.wait})
        if not self._table.wait:
            self._worker.submit(self._poll)

    def _poll(self) -> None:
        if self._view.is_closed or self._table.wait:
            return
        self._table.poll()
        self._polls += 1
        self._show()

    def _show(self) -> None:
        table = self._table
        self._view.shown = {
            "columns": table.columns,
            "several": table.several,
            "rows": [row._asdict() for row in table.rows],
            "error": table.error,
            "pause": table.pause,
            "is_stopped": table.is_stopped,
            "polls": self._polls,
        }
