"""Tunes a bot: plans, previews and backtests the changes of its settings, and sends them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from botdesk._api import DcaBot
from botdesk._native import Candles, _edit_lines, _printable, _tuning_inputs
from botdesk._pictures.values import common_quote
from botdesk._widgets.plans import can_be_drawn, described
from botdesk._widgets.settings import Setting, current_value, has_setting, settings, text_of
from botdesk.errors import BotdeskError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from botdesk._api import DcaBotEditPreview, GridBot, GridBotEditPreview

Control: TypeAlias = str | bool | None

# The price of a ladder if none is known: prices are then percentages of it.
_PRICE = "100"
# The parts of a bot, and what the names of their settings begin with; the first that fits counts.
_GROUPS = (
    ("Range", ("upper_price", "lower_price", "grids_quantity", "grid_type", "quantity_per_grid")),
    ("Base order", ("base_order", "max_active_deals")),
    ("Safety orders", ("safety_order", "max_safety", "active_safety", "custom_safety", "martingale")),
    ("Take profit", ("take_profit", "trailing_deviation", "trailing_enabled", "min_profit", "reinvesting")),
    ("Stop loss", ("stop_loss", "sl_", "tsl", "risk_reduction", "upper_stop_loss", "lower_stop_loss")),
)
_OTHERS = "Other settings"
# The profit over time is drawn from about this many points.
_POINTS = 400


class Planned(NamedTuple):
    """The edit with the values of the controls, and what a widget shows of it."""

    preview: DcaBotEditPreview | GridBotEditPreview | None
    shown: dict[str, Any]


class Tuning:
    """A bot and the settings of it that can be tuned."""

    def __init__(self, bot: DcaBot | GridBot, candles: object, fee: object = None) -> None:
        """Read the candles, if any, so that no backtest reads them again."""
        self.bot: Any = bot
        self.candles = _read(candles)
        self._fee = None if fee is None else str(fee)
        edit, plan, backtest = map(settings, _tuning_inputs(f"{self._resource}.edit"))
        accepted = inspect.signature(self.bot.backtest).parameters if self.candles is not None else ()
        self._plan_market = plan
        self._backtest_market = {name: setting for name, setting in backtest.items() if name in accepted}
        self._settings = {name: setting for name, setting in edit.items() if has_setting(bot, name)}
        # The plan before the latest edit that was sent, which stays in sight until the next change.
        self._sent_before: dict[str, Any] | None = None
        # The bot, the market, and the plan without changes: it stays the same while the settings are moved.
        self._unchanged_before: tuple[object, dict[str, Control], dict[str, Any] | None] | None = None

    @property
    def _resource(self) -> str:
        return "dca_bots" if isinstance(self.bot, DcaBot) else "grid_bots"

    def controls(self) -> list[dict[str, Any]]:
        """Describe the controls of the settings."""
        found = [
            {**setting.control(current_value(self.bot, name)), "group": group_of(name)}
            for name, setting in self._settings.items()
        ]
        order = [*(group for group, _ in _GROUPS), _OTHERS]
        return sorted(found, key=lambda control: order.index(control["group"]))

    def market_controls(self) -> list[dict[str, Any]]:
        """Describe the controls of the market, which is not part of the edit."""
        market = {**self._backtest_market, **self._plan_market}
        return [{**setting.control(self._market_value(name)), "slider": None} for name, setting in market.items()]

    def _market_value(self, name: str) -> object:
        if name == "fee":
            return self._fee
        if name != "price" or not isinstance(self.bot, DcaBot):
            return None
        if isinstance(self.candles, Candles):
            return self.candles[-1].close
        deals = current_value(self.bot, "active_deals")
        prices = [current_value(deal, "current_price") for deal in deals] if isinstance(deals, list) else []  # pyright: ignore[reportUnknownVariableType]
        return next((price for price in prices if price is not None), _PRICE)

    def plan(self, values: Mapping[str, Control], market: Mapping[str, Control]) -> Planned:
        """Preview the edit with these values, and plan the bot after it.

        Values that break a rule are planned if that is possible, but the preview is None, so that they are not sent.
        """
        preview, errors = None, {}
        try:
            preview = self._edit(values)
        except BotdeskError as error:
            errors = messages(error)
        plan = None
        try:
            plan = self._described(preview or self._edit(values, validate=False), market)
        except BotdeskError as error:
            errors = {**messages(error), **errors}
        changes = changes_of(preview) if preview else []
        notes = _edit_lines(preview)[2] if preview else []
        warnings: list[str] = preview.warnings if preview else []
        before = self._unchanged_plan(market) if values else self._sent_before
        edit = {"changes": changes, "warnings": warnings, "notes": notes}
        return Planned(preview, {"errors": errors, "plan": plan, "before": before, **edit})

    def _unchanged_plan(self, market: Mapping[str, Control]) -> dict[str, Any] | None:
        """Describe the plan of the bot as it is; None if it has none, which the edit does not cause."""
        if (known := self._unchanged_before) and known[0] is self.bot and known[1] == market:
            return known[2]
        try:
            plan = self._described(self._edit({}, validate=False), market)
        except BotdeskError:
            plan = None
        self._unchanged_before = self.bot, dict(market), plan
        return plan

    def _described(self, edit: Any, market: Mapping[str, Control]) -> dict[str, Any]:  # noqa: ANN401
        return described(edit._plan(**_arguments(self._plan_market, market)))  # noqa: SLF001

    def title(self) -> str:
        """Name the bot."""
        try:
            return _edit_lines(self._edit({}))[0]
        except BotdeskError:
            return repr(self.bot)

    def backtest(self, values: Mapping[str, Control], market: Mapping[str, Control]) -> dict[str, Any]:
        """Backtest the bot before and after the edit with these values."""
        try:
            comparison = self._edit(values).backtest(self.candles, **_arguments(self._backtest_market, market))
        except BotdeskError as error:
            return {"errors": messages(error)}
        heads, rows, notes = comparison._table()  # noqa: SLF001
        lines: dict[str, list[tuple[int, float]]] = {
            "before": comparison.before._profit_line(_POINTS),  # noqa: SLF001
            "after": comparison.after._profit_line(_POINTS),  # noqa: SLF001
        }
        if not can_be_drawn(profit for line in lines.values() for _, profit in line):
            lines = {"before": [], "after": []}
            notes = [*notes, "the profit over time is not drawn, because its numbers are too large or too small"]
        drawing = {"lines": lines, "profit_label": self._profit_label()}
        return {"errors": {}, "heads": heads, "rows": rows, "notes": notes, **drawing}

    def _profit_label(self) -> str:
        pairs: Any = current_value(self.bot, "pairs") or [current_value(self.bot, "pair")]
        quote = common_quote(pairs)
        return f"profit, {quote}" if quote else "profit"

    def adopt(self, bot: Any, market: Mapping[str, Control]) -> None:  # noqa: ANN401
        """Tune the bot as an edit has left it, and keep the plan before that for comparison."""
        self._sent_before = self._unchanged_plan(market)
        self.bot = bot

    def undoing(self, changes: Sequence[Any]) -> dict[str, Control]:
        """Return the values of the controls that take changes back."""
        controls = {change.field: self._settings[change.field].control(change.old) for change in changes}
        return {name: control["value"] for name, control in controls.items()}

    def refresh(self) -> None:
        """Read the bot again."""
        self.bot = self.bot.refresh()
        self._sent_before = None

    def _edit(self, values: Mapping[str, Control], *, validate: bool = True) -> Any:  # noqa: ANN401
        changes = _arguments(self._settings, values, with_none=True)
        return self.bot.preview_edit(**(changes or self._unchanged()), validate=validate)

    def _unchanged(self) -> dict[str, object]:
        """Return an argument that changes nothing, because an edit without arguments is an error."""
        for name in self._settings:
            if (value := current_value(self.bot, name)) is not None:
                return {name: value}
        return {}


def group_of(name: str) -> str:
    """Return the part of a bot to which a setting belongs."""
    return next((group for group, beginnings in _GROUPS if name.startswith(beginnings)), _OTHERS)


def changes_of(preview: DcaBotEditPreview | GridBotEditPreview) -> list[list[str]]:
    """Return the field, the old and the new value of each change."""
    return [[change.field, shown(change.old), shown(change.new)] for change in preview.changes]


def request_of(preview: DcaBotEditPreview | GridBotEditPreview) -> dict[str, Any]:
    """Describe what is sent, without secrets: a notebook is saved with it."""
    return {
        "title": f"Edit of {_edit_lines(preview)[0]}",
        "destination": f"at {preview.destination}",
        "changes": changes_of(preview),
        "warnings": preview.warnings,
        "method": preview.method,
        "path": preview.path,
        "body": _printable(preview.body, secrets=False),
    }


def unexpected(error: Exception) -> dict[str, list[str]]:
    """Return the message of an error that is not one of botdesk, as `messages` does."""
    return {"": [f"unexpected error: {type(error).__name__}: {error}; please report it"]}


def messages(error: BotdeskError) -> dict[str, list[str]]:
    """Return the messages of an error for each setting; those about no setting have an empty name."""
    named = error.errors if isinstance(error, ValidationError) else getattr(error, "error_attributes", {})
    return named or {"": [str(error)]}


def _arguments(
    settings: Mapping[str, Setting], values: Mapping[str, Control], *, with_none: bool = False
) -> dict[str, object]:
    arguments = {name: settings[name].argument(value) for name, value in values.items() if name in settings}
    return {name: value for name, value in arguments.items() if with_none or value is not None}


def shown(value: object) -> str:
    """Return a value as the previews print it."""
    return text_of(value) or "None"


def _read(candles: Any) -> Candles | dict[str, Candles] | None:  # noqa: ANN401
    if candles is None or isinstance(candles, Candles):
        return candles
    return _read_each(candles) if isinstance(candles, Mapping) else Candles(candles)  # pyright: ignore[reportUnknownArgumentType]


def _read_each(candles: Mapping[str, object]) -> dict[str, Candles]:
    """Return the candles of each pair."""
    return {pair: Candles(of_pair) for pair, of_pair in candles.items()}
