"""What the start of a grid bot would do first: `preview_enable` of `_methods.py` calls these functions."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Literal, cast

from botdesk._grid_needs import Currencies, GridNeeds, PlannedStart, amounts, of_service
from botdesk._native import _record_html
from botdesk._new_records import Creation, surroundings, surroundings_async
from botdesk._text import safe_lines
from botdesk._used_once import UsedOnce
from botdesk.errors import ApiError, ConfigurationError, EditConflictError, ForbiddenError

if TYPE_CHECKING:
    from botdesk._api.grid_bots import GridBot, GridBots, RequiredBalances
    from botdesk._grid_needs import GridBalancing
    from botdesk._native import Record, Resource
    from botdesk._new_records import Surroundings

# The error code of a bot whose lines have no side, such as one that was stopped.
_NOT_MARKED = "grid_lines_not_marked"
# Its inputs are the settings that a record has.
_CREATION = Creation("grid_bots.create")

State = Literal["never started", "running", "stopped"]
Source = Literal["service", "plan"]


class GridEnablePreview:
    """What a grid bot would do at its start, before it is enabled. Nothing is sent until `apply()`.

    Attributes:
        bot: The bot as it was read.
        state: `never started`, `stopped` or `running`.
        source: `service` if the figures are those of `required_balances`. They are planned (`plan`) if the service has
            none: on a futures account, and for a bot whose lines have no side, because it was stopped. None for a bot
            that is running: nothing is required.
        price: Current price of the pair.
        required: The amount of each currency for all orders. On a futures account, it is the margin at the bot's
            leverage, in the quote currency.
        missing: What the account lacks of each currency; 0 if nothing is.
        balancing: The market order that is placed first: it gets what is missing of one currency with the other one,
            and on a futures account, it opens the position. None if there is none.
        is_funded: True if nothing is missing, or if the market order gets what is.
        warnings: What speaks against a start.
    """

    def __init__(self, bot: GridBot, needs: GridNeeds, source: Source | None, price: Decimal | None) -> None:
        """Store what was read."""
        self.bot: GridBot = bot
        self.state: State = state_of(bot)
        self.source: Source | None = source
        self.price: Decimal | None = price
        self.required: dict[str, Decimal] = needs.required
        self.missing: dict[str, Decimal] = needs.missing
        self.balancing: GridBalancing | None = needs.balancing
        self.is_funded: bool = needs.is_funded
        self.warnings: list[str] = needs.warnings()
        if source == "plan" and price is None:
            self.warnings.append("the service has no price of the pair, so it is unknown what the start needs")
        self._once = UsedOnce(bot, "the preview was used before; preview the start again")
        self._check()

    def _check(self) -> None:
        bot, price = self.bot, self.price
        if self.state == "running":
            self.warnings.append("the bot is running: enabling it changes nothing")
        if price is None:
            return
        if bot.lower_price is not None and price < bot.lower_price:
            self.warnings.append(f"the price, {price:f}, is below the grid, which starts at {bot.lower_price:f}")
        if bot.upper_price is not None and price > bot.upper_price:
            self.warnings.append(f"the price, {price:f}, is above the grid, which ends at {bot.upper_price:f}")
        lower, upper = bot.lower_stop_loss_price, bot.upper_stop_loss_price
        if bot.lower_stop_loss_enabled and lower is not None and price <= lower:
            self.warnings.append(f"the price, {price:f}, is at the lower stop loss already, {lower:f}")
        if bot.upper_stop_loss_enabled and upper is not None and price >= upper:
            self.warnings.append(f"the price, {price:f}, is at the upper stop loss already, {upper:f}")

    def apply(self) -> GridBot:
        """Enable the bot, once.

        The bot is read again first: if its settings have changed since, nothing is sent. The service looks at the price
        and the balances of that moment, not at those of the preview.

        API reference: Get Grid Bot, Enable Grid Bot. Permissions BOTS_READ and BOTS_WRITE.

        Returns:
            The bot, which is enabled.

        Raises:
            ConfigurationError: The preview was used before.
            EditConflictError: The settings have changed since; `fields` lists them. Nothing was sent.
            OutcomeUnknownError: The outcome is unknown: the bot may have been enabled.
            ApiError: The service returned an error.
            TransportError: Nothing was sent. Make another preview to try again.
        """
        with self._once as bot:
            self._check_unchanged(bot.refresh())
            return cast("GridBot", bot.enable())

    async def apply_async(self) -> GridBot:
        """Enable the bot, once; see `apply`."""
        with self._once as bot:
            self._check_unchanged(await bot.refresh_async())
            return cast("GridBot", await bot.enable_async())

    def _check_unchanged(self, now: GridBot) -> None:
        before, after = _settings(self.bot), _settings(now)
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        if names:
            message = f"grid bot {now.id} has changed since the preview: {', '.join(names)}; nothing was sent"
            fields = {name: (before.get(name), after.get(name)) for name in names}
            raise EditConflictError(f"{message}; preview the start again", fields=fields)

    def _title(self) -> str:
        return f"Start of grid bot {self.bot.id} “{self.bot.name}” on {self.bot.pair}, which is {self._told_state()}"

    def _told_state(self) -> str:
        unmarked = self.source == "plan" and not _is_marked(self.bot)
        return f"{self.state}; its lines have no side until it starts" if unmarked else self.state

    def _figures(self) -> list[tuple[str, str]]:
        if self.source is None:
            return []
        planned = " (planned at the current price; the service has no figures)" if self.source == "plan" else ""
        missing = {code: amount for code, amount in self.missing.items() if amount}
        return [
            ("required", f"{amounts(self.required) or 'unknown'}{planned}"),
            ("missing", amounts(missing) or "nothing"),
            ("first", str(self.balancing or "no market order")),
        ]

    def __str__(self) -> str:
        """Return the preview as text."""
        lines = [
            self._title(),
            *(f"  {name}: {value}" for name, value in self._figures()),
            *(f"! {warning}" for warning in self.warnings),
            "nothing is sent until apply()",
        ]
        return safe_lines(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _record_html(self._title(), [*self._figures(), *(("warning", warning) for warning in self.warnings)])


def state_of(bot: GridBot) -> State:
    """Return the state of a bot."""
    if bot.is_enabled:
        return "running"
    return "never started" if bot.start_price is None else "stopped"


def _settings(bot: GridBot) -> dict[str, object]:
    """Return the settings of a bot, without its name and its note, which no order follows from."""
    return {name: value for name, value in _CREATION.held(bot).items() if name != "note"}


def _is_marked(bot: GridBot) -> bool:
    return any(line.side is not None for line in bot.grid_lines or [])


def preview_enable(bots: Resource, bot_id: int) -> GridEnablePreview:
    """Read a bot, and what its start needs."""
    return _preview(cast("GridBots", bots).get(bot_id))


async def preview_enable_async(bots: Resource, bot_id: int) -> GridEnablePreview:
    """Read a bot, and what its start needs."""
    return await _preview_async(await cast("GridBots", bots).get_async(bot_id))


def preview_enable_of(record: Record) -> GridEnablePreview:
    """Read a bot again, and what its start needs."""
    return _preview(cast("GridBot", record).refresh())


async def preview_enable_of_async(record: Record) -> GridEnablePreview:
    """Read a bot again, and what its start needs."""
    return await _preview_async(await cast("GridBot", record).refresh_async())


def _preview(bot: GridBot) -> GridEnablePreview:
    if bot.is_enabled:
        return _running(bot)
    try:
        required = bot.required_balances()
    except ApiError as error:
        _raise_unless_unknown(error)
        return _planned(bot, surroundings(bot, *_place(bot)))
    return _told(bot, required)


async def _preview_async(bot: GridBot) -> GridEnablePreview:
    if bot.is_enabled:
        return _running(bot)
    try:
        required = await bot.required_balances_async()
    except ApiError as error:
        _raise_unless_unknown(error)
        return _planned(bot, await surroundings_async(bot, *_place(bot)))
    return _told(bot, required)


def _raise_unless_unknown(error: ApiError) -> None:
    """Raise an error that is not one of the states in which the service has no figures."""
    code = (error.error or "").lower()
    is_futures = isinstance(error, ForbiddenError) and "unavailable for this account" in code
    if not (is_futures or code == _NOT_MARKED):
        raise error


def _place(bot: GridBot) -> tuple[int, list[str]]:
    if bot.account_id is None or bot.pair is None:
        raise ConfigurationError(
            f"grid bot {bot.id} has no account or no pair in its record, so nothing can be planned"
        )
    return bot.account_id, [bot.pair]


def _running(bot: GridBot) -> GridEnablePreview:
    """Return the preview of a bot that runs, which a start does not change."""
    return GridEnablePreview(bot, GridNeeds({}, {}, None, is_funded=True), None, bot.current_price)


def _told(bot: GridBot, required: RequiredBalances) -> GridEnablePreview:
    needs = of_service(required, Currencies.of(bot.pair or ""), bot.current_price)
    return GridEnablePreview(bot, needs, "service", bot.current_price)


def _planned(bot: GridBot, around: Surroundings) -> GridEnablePreview:
    """Plan what the service has no figures for, at the price of the moment."""
    pair = bot.pair or ""
    rates = around.rates[pair]
    price = rates.last
    if price is None:
        return GridEnablePreview(bot, GridNeeds({}, {}, None, is_funded=False), "plan", None)
    plan = bot.levels(price=price, tick=rates.price_step, lot=rates.lot_step)
    start = PlannedStart(plan, pair, around, price)
    leverage = bot.leverage_custom_value or Decimal(1)
    needs = start.on_spot() if start.is_on_spot else start.on_futures(bot.mode or "long", leverage)
    return GridEnablePreview(bot, needs, "plan", price)
