"""New grid bots from others, and what a new one would need: the methods of `_methods.py` call these functions."""

# ruff: noqa: SLF001 - `Backtest` has this method for the modules of the package

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from botdesk._grid_needs import GridNeeds, PlannedStart, amounts, shown
from botdesk._new_records import CreatePreview, Creation, Surroundings, surroundings, surroundings_async
from botdesk._planning import plan_grid
from botdesk.errors import ValidationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from botdesk._api.grid_bots import GridBot
    from botdesk._grid_needs import GridBalancing
    from botdesk._native import Backtest, GridPlan, Record, Resource

_CREATION = Creation("grid_bots.create")

# The inputs of a new bot that its lines and its funds follow from.
_PLANNED = (
    "lower_price",
    "upper_price",
    "grids_quantity",
    "grid_type",
    "quantity_per_grid",
    "order_currency_type",
    "mode",
)
_ENDS: tuple[Literal["lower", "upper"], ...] = ("lower", "upper")


def create_like(bot: Record, name: str, changes: dict[str, Any]) -> GridBot:
    """Send the request for a new bot with the settings of another one."""
    return cast("GridBot", _CREATION.send(bot, {**settings_of(bot, changes), "name": name}))


async def create_like_async(bot: Record, name: str, changes: dict[str, Any]) -> GridBot:
    """Send the request for a new bot with the settings of another one."""
    return cast("GridBot", await _CREATION.send_async(bot, {**settings_of(bot, changes), "name": name}))


def create_tried(bots: Resource, backtest: Backtest, account_id: int, name: str, changes: dict[str, Any]) -> GridBot:
    """Send the request for a new bot with the settings of a backtest."""
    return cast("GridBot", _CREATION.send(bots, _tried(backtest, account_id, name, changes)))


async def create_tried_async(
    bots: Resource, backtest: Backtest, account_id: int, name: str, changes: dict[str, Any]
) -> GridBot:
    """Send the request for a new bot with the settings of a backtest."""
    return cast("GridBot", await _CREATION.send_async(bots, _tried(backtest, account_id, name, changes)))


def _tried(backtest: Backtest, account_id: int, name: str, changes: dict[str, Any]) -> dict[str, Any]:
    tried = cast("Record", backtest._tried("grid_bots"))
    # The changes of an edit may have settings that the service does not return.
    unreturned = {setting: value for setting, value in tried.extra.items() if value is not None}
    settings = settings_of(tried, {**unreturned, **changes})
    return {**settings, "account_id": account_id, "name": name}


def settings_of(bot: Record, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a bot as those of a new one, with changes.

    What is off is left out: the price of a stop loss, the stop price of an expansion, and the leverage.
    """
    settings = _CREATION.held(bot)
    if settings.get("leverage_type") == "not_specified":
        settings.pop("leverage_custom_value", None)
    for end in _ENDS:
        if not settings.get(f"{end}_stop_loss_enabled"):
            settings.pop(f"{end}_stop_loss_price", None)
            settings.pop(f"{end}_stop_loss_action", None)
    if not settings.get("expansion_down_enabled"):
        settings.pop("expansion_down_stop_price", None)
    if "grids_quantity" in changes:
        # Unless they are limited, as many lines are active as there are.
        for limit in ("max_active_buy_lines", "max_active_sell_lines"):
            if settings.get(limit) == settings.get("grids_quantity"):
                del settings[limit]
    return {**settings, **changes}


class GridOrderMinimum(NamedTuple):
    """The smallest order of a grid, beside the smallest that the exchange accepts.

    Attributes:
        line: Price of the line.
        volume: Volume of the order at this line, after its quantity is rounded down to the lot, in the quote currency.
        minimum: Smallest volume that the exchange accepts.
    """

    line: Decimal
    volume: Decimal
    minimum: Decimal


class NewGridBotPreview(CreatePreview["GridBot"]):
    """What a new grid bot would be, before it is created: its request, its lines, and what they cost.

    The figures are those of a start at the current price.

    Attributes:
        body: The body of the request, as it would be sent.
        grid: The lines at the current price; None if they can't be planned.
        price: Current price of the pair; None if the service has none.
        budget: The amount of each currency that all orders need at once. On a futures account, it is the margin at the
            given leverage, in the quote currency.
        available: The free amount of each currency on the account.
        missing: What the account lacks of each currency; 0 if nothing is.
        balancing: The market order at the start, before the limit orders: it gets what is missing of one currency with
            the other one, and on a futures account, it opens the position. None if there is none.
        smallest_order: The smallest order of all lines, with its line and the minimum of the exchange; None if one of
            them is unknown.
        warnings: What speaks against the bot: funds that do not suffice, orders that are too small, stops that would
            trigger at once, and the warnings of the plan.
    """

    def __init__(
        self,
        owner: Resource,
        settings: dict[str, Any],
        body: dict[str, Any],
        around: Surroundings,
        fee: Any,  # noqa: ANN401
    ) -> None:
        """Plan a bot. The account and the prices were read before."""
        super().__init__(_CREATION, owner, settings, body, kind="grid bot")
        pair: str = body["pair"]
        rates = around.rates[pair]
        self.price: Decimal | None = rates.last
        self._is_spot = rates.instrument_kind in {None, "spot"}
        self._quote = pair.partition("_")[0]
        self.grid: GridPlan | None = self._planned(rates.price_step, rates.lot_step, fee)
        needs = self._needs(around)
        self.budget: dict[str, Decimal] = needs.required
        self.missing: dict[str, Decimal] = needs.missing
        self.balancing: GridBalancing | None = needs.balancing
        self.available: dict[str, Decimal] = {code: around.free(code) for code in needs.required}
        self.smallest_order: GridOrderMinimum | None = self._smallest(rates.min_total)
        self.warnings.extend(needs.warnings())
        self._check(around)

    def _planned(self, tick: Decimal | None, lot: Decimal | None, fee: Any) -> GridPlan | None:  # noqa: ANN401
        planned = {name: self.body[name] for name in _PLANNED if name in self.body}
        if self._is_spot:
            planned.pop("mode", None)
        try:
            plan = plan_grid(price=self.price, tick=tick, lot=lot, fee=fee, **planned)
        except ValidationError as error:
            if "fee" in error.errors:
                raise
            self.warnings.append(f"the lines can't be planned: {error}")
            return None
        self.warnings.extend(plan.warnings)
        return plan

    def _needs(self, around: Surroundings) -> GridNeeds:
        if self.grid is None or self.price is None:
            if self.price is None:
                self.warnings.append("the service has no price of the pair, so the funds are unknown")
            return GridNeeds({}, {}, None, is_funded=True)
        start = PlannedStart(self.grid, self.body["pair"], around, self.price)
        return start.on_spot() if self._is_spot else start.on_futures(self.body.get("mode") or "long", self._leverage())

    def _leverage(self) -> Decimal:
        given = self.body.get("leverage_custom_value")
        if given is None:
            self.warnings.append("leverage_custom_value is not given, so the budget is the margin without leverage")
            return Decimal(1)
        return Decimal(given)

    def _smallest(self, minimum: Decimal | None) -> GridOrderMinimum | None:
        placed = [level for level in self.grid or () if level.quantity]
        if minimum is None or not placed:
            return None
        orders = [GridOrderMinimum(level.price, level.price * (level.quantity or 0), minimum) for level in placed]
        return min(orders, key=lambda order: (order.volume, order.line))

    def _check(self, around: Surroundings) -> None:
        if self.smallest_order is not None and self.smallest_order.volume < self.smallest_order.minimum:
            line, volume, minimum = self.smallest_order
            self.warnings.append(
                f"the order at {line:f} is worth {volume.normalize():f} {self._quote}, below the minimum, {minimum:f}"
            )
        if around.account.grid_bots_allowed is False:
            self.warnings.append(f"account {around.account.id} does not allow grid bots")
        if "order_currency_type" not in self.body:
            self.warnings.append("order_currency_type is not given; the plan takes base, as older documentation does")
        self._check_stops()
        self._check_expansion()
        self._check_kind()

    def _check_stops(self) -> None:
        for end in _ENDS:
            stop = self._number(f"{end}_stop_loss_price")
            if not self.body.get(f"{end}_stop_loss_enabled") or stop is None:
                continue
            self._check_outside(end, f"{end}_stop_loss_price", stop)
            if self.price is not None and self._is_beyond(end, self.price, stop):
                self.warnings.append(f"{end}_stop_loss_price: the price, {self.price:f}, is there already")

    def _check_expansion(self) -> None:
        for end, direction in (("lower", "down"), ("upper", "up")):
            stop = self._number(f"expansion_{direction}_stop_price")
            if self.body.get(f"expansion_{direction}_enabled") and stop is not None:
                self._check_outside(end, f"expansion_{direction}_stop_price", stop)

    def _check_outside(self, end: str, name: str, stop: Decimal) -> None:
        bound = self._number(f"{end}_price")
        if bound is not None and self._is_beyond(end, bound, stop):
            where = "below" if end == "lower" else "above"
            self.warnings.append(f"{name}: {stop:f} is not {where} {end}_price, {bound:f}")

    @staticmethod
    def _is_beyond(end: str, price: Decimal, stop: Decimal) -> bool:
        """Return whether a price is at the stop or beyond it."""
        return price <= stop if end == "lower" else price >= stop

    def _number(self, name: str) -> Decimal | None:
        value = self.body.get(name)
        return None if value is None else Decimal(value)

    def _check_kind(self) -> None:
        """Warn of settings that the account has no use for, or refuses."""
        closing = "stop_bot_and_close_position"
        for end in _ENDS:
            action = self.body.get(f"{end}_stop_loss_action", "stop_bot")
            if action != "stop_bot" and (action == closing) == self._is_spot:
                account = "futures" if self._is_spot else "spot"
                self.warnings.append(f"{end}_stop_loss_action: {action} is for {account} accounts")
        if self._is_spot and self.body.get("mode") is not None:
            self.warnings.append("mode: a bot on a spot account has no direction")
        if self.body.get("leverage_type") == "isolated" and "leverage_custom_value" not in self.body:
            self.warnings.append("leverage_custom_value: isolated leverage needs it")

    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = "auto") -> Axes:
        """Draw the lines of the bot at the current price, and the side of each.

        Args:
            ax: The matplotlib axes to draw in; new ones by default.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one
                is set.

        Returns:
            The matplotlib axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: The lines can't be planned, as `warnings` says, or `theme` is none of the three.
        """
        if self.grid is None:
            raise ValidationError("the preview has no lines to draw; see `warnings`")
        return self.grid.plot(ax, theme=theme)

    def _figures(self) -> list[tuple[str, str]]:
        figures: list[tuple[str, str]] = []
        if self.budget:
            figures += [("budget", amounts(self.budget)), ("available", amounts(self.available))]
            figures.append(("at the start", str(self.balancing or "no market order")))
        if self.grid is not None and self.grid.profit_per_grid is not None:
            figures.append(("profit of a step", f"{shown(self.grid.profit_per_grid)} {self._quote}"))
        if self.smallest_order is not None:
            line, volume, minimum = self.smallest_order
            figures.append(("smallest order", f"{shown(volume)} at {line:f}, the minimum is {minimum:f}"))
        return figures


def preview(bots: Resource, settings: dict[str, Any], fee: Any) -> NewGridBotPreview:  # noqa: ANN401 - as plans take it
    """Check the settings of a new bot, and read its account and the price of its pair."""
    body = _CREATION.body(settings)
    return NewGridBotPreview(bots, settings, body, surroundings(bots, body["account_id"], [body["pair"]]), fee)


async def preview_async(bots: Resource, settings: dict[str, Any], fee: Any) -> NewGridBotPreview:  # noqa: ANN401
    """Check the settings of a new bot, and read its account and the price of its pair."""
    body = _CREATION.body(settings)
    around = await surroundings_async(bots, body["account_id"], [body["pair"]])
    return NewGridBotPreview(bots, settings, body, around, fee)
