"""The widget of `tune`: the traits and messages between the script in the notebook and the bot."""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING, Any

import traitlets

from botdesk._widgets import assets
from botdesk._widgets.newest_job import NewestJob
from botdesk._widgets.tuning import Planned, Tuning, messages, request_of, shown, unexpected
from botdesk._widgets.view import Shown, new_view
from botdesk.errors import BotdeskError, EditConflictError, OutcomeUnknownError

if TYPE_CHECKING:
    from botdesk._api import DcaBot, DcaBotEditPreview, GridBot, GridBotEditPreview


# The steps at which an edit may be offered. The others show an outcome, which only the user closes.
_OPEN = ("editing", "asking", "sent")


class TuneWidget(Shown):
    """The settings of a bot as sliders and fields, and the effect of each change.

    `bot.tune()` returns one. Nothing is sent until *Apply* is pressed and confirmed.

    Attributes:
        bot: The bot as it was read last.
        preview: The edit with the current values; None if they break a rule.
    """

    def __init__(self, bot: DcaBot | GridBot, candles: object, fee: object) -> None:
        """Plan the bot as it is, and begin its backtest."""
        self._view = new_view(
            "TuneView",
            assets.read("elements.js", "charts.js", "tune.js"),
            assets.read("theme.css", "tune.css"),
            {name: traitlets.Dict() for name in ("form", "planned", "backtested", "step")},
            self._receive,
        )
        self._tuning = Tuning(bot, candles, fee)
        self._worker = NewestJob()
        self._asked: tuple[str, DcaBotEditPreview | GridBotEditPreview] | None = None
        # The changes of the latest edit that was sent.
        self._sent: list[Any] = []
        self._plan = Planned(None, {})
        self._show_form()
        self._edit()
        market = {control["name"]: control["value"] for control in self._tuning.market_controls()}
        self._replan({"id": "", "values": {}, "market": market})

    def __repr__(self) -> str:
        """Name the bot."""
        return f"<TuneWidget of {self._tuning.title()}>"

    @property
    def bot(self) -> DcaBot | GridBot:
        """The bot as it was read last."""
        bot: DcaBot | GridBot = self._tuning.bot
        return bot

    @property
    def preview(self) -> DcaBotEditPreview | GridBotEditPreview | None:
        """The edit with the current values; None if they break a rule."""
        return self._plan.preview

    def _receive(self, message: dict[str, Any]) -> None:
        """Handle a message of the script."""
        match message:
            case {"kind": "plan"}:
                self._replan(message)
            case {"kind": "ask", "id": plan_id}:
                self._ask(plan_id)
            case {"kind": "send", "token": token}:
                self._send_asked(token)
            case {"kind": "cancel", "step": step} if step == self._view.step["name"]:
                self._edit()
            case {"kind": "refresh"}:
                self._refresh()
            case {"kind": "undo"}:
                self._undo()
            case _:
                pass

    def _replan(self, request: dict[str, Any], *, backtests: bool = True) -> None:
        """Plan with the values of the controls.

        The backtest runs on another thread, so that the next plan need not wait for it.
        """
        values, market = request["values"], request["market"]
        try:
            self._plan = self._tuning.plan(values, market)
        except Exception as error:
            # Without a reply, the page would wait for it, and take no further input.
            nothing: dict[str, Any] = {"plan": None, "before": None, "changes": [], "warnings": [], "notes": []}
            self._plan = Planned(None, {**nothing, "errors": unexpected(error)})
            raise
        finally:
            self._view.planned = {**self._plan.shown, "id": request["id"], "values": values, "market": market}
        if backtests and self._tuning.candles is not None:
            self._worker.submit(lambda: self._rebacktest(request["id"], values, market))

    def _rebacktest(self, plan_id: str, values: dict[str, Any], market: dict[str, Any]) -> None:
        try:
            found = self._tuning.backtest(values, market)
        except Exception as error:
            self._view.backtested = {"errors": unexpected(error), "id": plan_id}
            raise
        self._view.backtested = {**found, "id": plan_id}

    def _ask(self, plan_id: str) -> None:
        """Show what would be sent. The edit is that of the plan which the user saw, and no other."""
        if self._view.step["name"] not in _OPEN:
            return
        preview = self._plan.preview
        if preview is None or not preview.changes or self._view.planned["id"] != plan_id:
            self._edit("The values have changed since; look at the preview and press Apply again.")
            return
        token = token_hex(8)
        self._asked = token, preview
        self._view.step = {"name": "asking", "token": token, **request_of(preview)}

    def _send_asked(self, token: str) -> None:
        """Send the edit that the user has confirmed, once."""
        asked, self._asked = self._asked, None
        if asked is None or asked[0] != token:
            # A second click on Send must not hide the outcome of the first.
            if self._view.step["name"] in ("editing", "asking"):
                self._edit("This edit is no longer offered; press Apply again.")
            return
        self._view.step = {"name": "sending"}
        try:
            bot = asked[1].apply()
        except EditConflictError as error:
            self._fail("conflict", error, [[name, *map(shown, values)] for name, values in error.fields.items()])
        except OutcomeUnknownError as error:
            self._fail("unknown", error)
        except BotdeskError as error:
            self._fail("failed", error)
        except BaseException:
            self._view.step = {
                "name": "unknown",
                "message": "The request was interrupted; it may have been carried out.",
            }
            raise
        else:
            market = self._view.planned["market"]
            self._tuning.adopt(bot, market)
            self._sent = list(asked[1].changes)
            self._show_form()
            self._view.step = {"name": "sent"}
            # The backtest before and after stays in sight.
            self._replan({"id": "", "values": {}, "market": market}, backtests=False)

    def _undo(self) -> None:
        """Plan the edit that takes the latest one back, and show what would be sent."""
        if self._view.step["name"] != "sent" or not self._sent:
            return
        values = self._tuning.undoing(self._sent)
        self._replan({"id": "", "values": values, "market": self._view.planned["market"]})
        if self._plan.preview is None:
            self._edit("The former values break a rule; look at the messages.")
        else:
            self._ask("")

    def _refresh(self) -> None:
        """Read the bot again, and keep the values that the user has set."""
        try:
            self._tuning.refresh()
        except BotdeskError as error:
            self._view.step = {**self._view.step, "refresh_error": str(error)}
            return
        self._show_form()
        self._edit()
        self._replan({**self._view.planned, "id": ""})

    def _show_form(self) -> None:
        self._view.form = {
            "title": self._tuning.title(),
            "controls": self._tuning.controls(),
            "market": self._tuning.market_controls(),
            "has_backtest": self._tuning.candles is not None,
        }

    def _edit(self, message: str = "") -> None:
        self._asked = None
        self._view.step = {"name": "editing", "message": message}

    def _fail(self, name: str, error: BotdeskError, changes: list[list[str]] | None = None) -> None:
        self._view.step = {"name": name, "message": str(error), "errors": messages(error), "changes": changes or []}
