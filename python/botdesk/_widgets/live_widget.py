"""The widget of `live`: the traits and messages between the script in the notebook and the table of records."""

from __future__ import annotations

from inspect import getdoc
from queue import SimpleQueue
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import traitlets

from botdesk._pictures.values import one_line
from botdesk._widgets import assets
from botdesk._widgets.newest_job import NewestJob
from botdesk._widgets.record_table import RecordTable
from botdesk._widgets.settings import current_value
from botdesk._widgets.view import Shown, new_view
from botdesk.errors import BotdeskError

if TYPE_CHECKING:
    from botdesk import StreamEvent
    from botdesk._records import Records
    from botdesk._widgets.follower import Follower


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
            {
                "shown": traitlets.Dict(),
                # With the number of the last change that was taken from each view.
                "chosen": traitlets.Dict(dict[str, Any](ids=[], taken={})),
                "is_closed": traitlets.Bool(default_value=False),
                "step": traitlets.Dict(),
            },
            self._receive,
        )
        self._table = table
        self._follower: Follower | None = None
        self._events: SimpleQueue[StreamEvent | None] = SimpleQueue()
        self._is_poll_due = False
        self._worker = NewestJob()
        self._polls = 0
        self._asked: tuple[str, list[int]] | None = None
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
        return self._table.records(self._view.chosen["ids"])

    def close(self) -> None:
        """End the polls; the table stays visible."""
        self._view.is_closed = True
        if self._follower is not None:
            self._follower.close()

    def _receive(self, message: dict[str, Any]) -> None:
        """Handle a message of the script."""
        match message:
            case {"kind": "poll"}:
                self._receive_poll()
            case {"kind": "choose", "view": str(), "number": int(), "ids": [*_], "is_chosen": bool()}:
                self._choose(**message)
            case {"kind": "ask"}:
                self._ask()
            case {"kind": "disable", "token": token}:
                self._disable(token)
            case {"kind": "cancel"}:
                self._asked = None
                self._view.step = {}
            case _:
                pass

    def _choose(self, *, kind: str, view: str, number: int, ids: list[int], is_chosen: bool) -> None:
        """Select records, or end that; several views may show the table."""
        del kind
        before = self._view.chosen
        others = [id_ for id_ in before["ids"] if id_ not in ids]
        chosen = [*others, *ids] if is_chosen else others
        self._view.chosen = {"ids": chosen, "taken": {**before["taken"], view: number}}

    def _ask(self) -> None:
        """Show which of the selected records would be disabled; the question counts once."""
        disable = self._table.disable_many
        # `Any`: only records that can be disabled have these fields.
        selected: Any = self.selected
        found = [record for record in selected if current_value(record, "is_enabled")]
        if disable is None:
            return
        if not found:
            self._view.step = {"message": f"None of the selected {self._table.several} is enabled."}
            return
        self._asked = token_hex(8), [record.id for record in found]
        self._view.step = {
            "token": self._asked[0],
            "title": f"Disable {len(found)} {self._table.several}?",
            # The second paragraph of its documentation says what that means for deals and orders.
            "about": " ".join((getdoc(disable) or "").split("\n\n")[1].split()),
            "lines": [f"{record.id} {one_line(str(current_value(record, 'name') or ''))}" for record in found],
        }

    def _disable(self, token: str) -> None:
        """Disable what the user has confirmed, once."""
        asked, self._asked = self._asked, None
        if asked is None or asked[0] != token or self._table.disable_many is None:
            return
        self._view.step = {"message": "Sending…"}
        try:
            result = self._table.disable_many(asked[1], progress=False)
        except BotdeskError as error:
            self._view.step = {"message": str(error), "is_bad": True}
            return
        self._view.step = {"message": str(result), "is_bad": not result.is_complete}

    def _receive_poll(self) -> None:
        # Several views may show the table, and each asks for polls.
        if self._view.is_closed or self._table.is_stopped:
            return
        # A poll may wait for the rate limit, so the page learns at once that the kernel is there.
        self._view.send({"wait": self._table.wait})
        if not self._table.wait:
            self._is_poll_due = True
            self._worker.submit(self._update)

    def _take(self, event: StreamEvent | None) -> None:
        self._events.put(event)
        self._worker.submit(self._update)

    def _update(self) -> None:
        """Show what was sent, and poll if the page has asked for it."""
        if self._view.is_closed:
            return
        while not self._events.empty():
            event = self._events.get()
            self._table.take(event)
            # The page has asked for the first poll, and this one finds what changed since.
            self._is_poll_due = self._is_poll_due or event is None
        if self._is_poll_due and not self._table.wait:
            self._poll()
        self._is_poll_due = False
        self._show()

    def _poll(self) -> None:
        # What changes while the pages are requested is an event as well.
        if self._follower is None:
            self._follower = self._table.follow(self._take)
        self._table.poll()
        self._polls += 1

    def _show(self) -> None:
        table = self._table
        self._view.shown = {
            "columns": table.columns,
            "several": table.several,
            "totals": table.totals if table.rows else [],
            "can_disable": table.disable_many is not None,
            "rows": [row._asdict() for row in table.rows],
            "error": table.error,
            "pause": table.pause,
            "is_stopped": table.is_stopped,
            "polls": self._polls,
        }
