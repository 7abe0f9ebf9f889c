"""New DCA bots from others, and what a new bot would need: the methods of `_methods.py` call these functions."""

# ruff: noqa: SLF001 - `Backtest` has this method for the modules of the package

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any, cast

from botdesk._exact import DIVISION, total
from botdesk._new_records import CreatePreview, Creation, Surroundings, surroundings, surroundings_async
from botdesk._planning import plan_ladder
from botdesk._text import rounded_amounts
from botdesk.errors import ValidationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from botdesk._api.dca_bots import DcaBot
    from botdesk._api.markets import PairRates
    from botdesk._native import Backtest, Ladder, Record, Resource

_CREATION = Creation("dca_bots.create")

# Settings of a new bot that its ladder does not follow from.
_NOT_PLANNED = frozenset({"account_id", "name", "safety_strategy_list", "min_price", "max_price"})


def create_like(bot: Record, name: str, changes: dict[str, Any]) -> DcaBot:
    """Send the request for a new bot with the settings of another one."""
    return cast("DcaBot", _CREATION.send(bot, {**settings_of(bot, changes), "name": name}))


async def create_like_async(bot: Record, name: str, changes: dict[str, Any]) -> DcaBot:
    """Send the request for a new bot with the settings of another one."""
    return cast("DcaBot", await _CREATION.send_async(bot, {**settings_of(bot, changes), "name": name}))


def create_tried(
    bots: Resource, backtest: Backtest, account_id: int, name: str, changes: dict[str, Any] | None
) -> DcaBot:
    """Send the request for a new bot with the settings of a backtest."""
    return cast("DcaBot", _CREATION.send(bots, _tried(backtest, account_id, name, changes)))


async def create_tried_async(
    bots: Resource, backtest: Backtest, account_id: int, name: str, changes: dict[str, Any] | None
) -> DcaBot:
    """Send the request for a new bot with the settings of a backtest."""
    return cast("DcaBot", await _CREATION.send_async(bots, _tried(backtest, account_id, name, changes)))


def _tried(backtest: Backtest, account_id: int, name: str, changes: dict[str, Any] | None) -> dict[str, Any]:
    """Return the settings of a backtest as those of a new bot, with changes."""
    settings = settings_of(cast("Record", backtest._tried("dca_bots")), changes or {})
    settings.setdefault("take_profit_type", "total")
    if not settings.get("max_safety_orders"):
        # The service needs them, although there is no safety order.
        settings = {"max_safety_orders": 0, "safety_order_volume": 0, "safety_order_step_percentage": 0, **settings}
        settings.setdefault("active_safety_orders_count", 0)
    return {**settings, "account_id": account_id, "name": name}


def settings_of(bot: Record, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a bot as those of a new one, with changes."""
    settings = _CREATION.held(bot)
    if settings.get("leverage_type") == "not_specified":
        del settings["leverage_type"]
    if "leverage_type" not in settings:
        settings.pop("leverage_custom_value", None)
    several = changes.get("pairs", settings.get("pairs"))
    if isinstance(several, str) or len(several or ()) <= 1:
        settings.pop("allowed_deals_on_same_pair", None)
    if changes.get("take_profit_steps"):
        settings.pop("take_profit", None)
    # The service needs the list, even if it is empty.
    settings.setdefault("strategy_list", [])
    return {**settings, **changes}


class NewBotPreview(CreatePreview["DcaBot"]):
    """What a new DCA bot would be, before it is created: its request, its orders, and what they cost.

    Attributes:
        body: The body of the request, as it would be sent.
        ladder: The orders of a deal on the first pair at the current price; None if they can't be planned.
        budget: The funds that all deals of the bot need at once, in the quote currency; None without a ladder.
        needed: What they take of the quote currency: the budget, or its margin at the given leverage on a futures
            account; None without a ladder, and for a short bot on a spot account, which sells coins.
        available: The free amount of the quote currency on the account.
        minimums: The smallest total of an order of each pair, in the quote currency.
        warnings: What speaks against the bot: funds that do not suffice, orders that are too small, and the warnings of
            the ladder.
    """

    def __init__(self, owner: Resource, settings: dict[str, Any], body: dict[str, Any], around: Surroundings) -> None:
        """Plan a bot. The account and the prices were read before."""
        super().__init__(_CREATION, owner, settings, body, kind="DCA bot")
        pairs = list(around.rates)
        self.quote: str = pairs[0].partition("_")[0]
        self.available: Decimal = around.free(self.quote)
        self.minimums: dict[str, Decimal | None] = {pair: each.min_total for pair, each in around.rates.items()}
        self._ladders = self._planned(around.rates)
        self.ladder: Ladder | None = self._ladders.get(pairs[0])
        self.budget: Decimal | None = self._budget()
        self._is_spot = around.rates[pairs[0]].instrument_kind in {None, "spot"}
        self.needed: Decimal | None = self._needed()
        self._check(around)

    def _planned(self, rates: Mapping[str, PairRates]) -> dict[str, Ladder]:
        """Return a plan for each pair, since volumes in coins need different funds; {} if one can't be planned."""
        # With all pairs: how many deals may be open at once follows from their number.
        planned = {name: value for name, value in self._settings.items() if name not in _NOT_PLANNED}
        planned["pairs"] = self.body["pairs"]
        try:
            return {
                pair: plan_ladder(price=each.last, tick=each.price_step, lot=each.lot_step, **planned)
                for pair, each in rates.items()
            }
        except ValidationError as error:
            self.warnings.append(f"the orders can't be planned: {error}")
            return {}

    def _budget(self) -> Decimal | None:
        """Return the funds of as many deals as may be open at once, on the pairs where they need the most."""
        if self.ladder is None:
            return None
        deals = int(self.ladder.bot_budget / self.ladder.budget) if self.ladder.budget else 1
        on_a_pair = int(self.body.get("allowed_deals_on_same_pair") or 1)
        budgets = sorted((each.budget for each in self._ladders.values() for _ in range(on_a_pair)), reverse=True)
        return total(budgets[:deals])

    @property
    def _sells_coins(self) -> bool:
        """Whether the bot sells what the account has, as short bots do without a position."""
        return self._is_spot and self.body.get("strategy") == "short"

    def _needed(self) -> Decimal | None:
        if self.budget is None or self._sells_coins:
            return None
        leverage = self.body.get("leverage_custom_value")
        # The service ignores leverage on spot.
        if self._is_spot or leverage is None or self.body.get("leverage_type") not in {"cross", "isolated"}:
            return self.budget
        with localcontext(DIVISION):
            return self.budget / Decimal(leverage)

    def _check(self, around: Surroundings) -> None:
        if self.ladder is None:
            return
        self.warnings.extend(self.ladder.warnings)
        if self.needed is not None and self.needed > self.available:
            needed, available = rounded_amounts([self.needed, self.available], self.quote)
            self.warnings.append(f"all deals together need {needed} {self.quote}, and the account has {available} free")
        if self._sells_coins:
            self._check_coins(self.ladder, around)
        for pair, minimum in self.minimums.items():
            smallest = min((rung.size for rung in self._ladders[pair]), default=None)
            if smallest is not None and minimum is not None and smallest < minimum:
                self.warnings.append(f"{pair}: an order of {smallest} {self.quote} is below the minimum, {minimum}")

    def _check_coins(self, ladder: Ladder, around: Surroundings) -> None:
        """Warn of coins that a short bot on a spot account lacks."""
        pairs = list(self.minimums)
        if len(pairs) > 1:
            self.warnings.append(
                "strategy: a short bot sells coins of its pairs; whether the account has them is unknown"
            )
            return
        coin = pairs[0].partition("_")[2]
        with localcontext(DIVISION):
            sold = sum((rung.quantity for rung in ladder), Decimal(0)) * ladder.bot_budget / ladder.budget
        free = around.free(coin)
        if sold > free:
            texts = rounded_amounts([sold, free], coin)
            self.warnings.append(f"all deals together sell {texts[0]} {coin}, and the account has {texts[1]} free")

    def create(self) -> DcaBot:
        """Create the bot: another name of `apply`."""
        return self.apply()

    async def create_async(self) -> DcaBot:
        """Create the bot: another name of `apply_async`."""
        return await self.apply_async()

    def _figures(self) -> list[tuple[str, str]]:
        if self.budget is None:
            return [("budget", "unknown")]
        if self.needed is None:
            return [("budget", f"{rounded_amounts([self.budget], self.quote)[0]} {self.quote}, in coins that are sold")]
        budget, needed, available = rounded_amounts([self.budget, self.needed, self.available], self.quote)
        margin = "" if self.needed == self.budget else f" with a margin of {needed} {self.quote},"
        return [("budget", f"{budget} {self.quote}{margin} of {available} {self.quote} free")]


def preview(bots: Resource, settings: dict[str, Any]) -> NewBotPreview:
    """Check the settings of a new bot, and read its account and the prices of its pairs."""
    body, pairs = checked(settings)
    return NewBotPreview(bots, settings, body, surroundings(bots, body["account_id"], pairs))


async def preview_async(bots: Resource, settings: dict[str, Any]) -> NewBotPreview:
    """Check the settings of a new bot, and read its account and the prices of its pairs."""
    body, pairs = checked(settings)
    return NewBotPreview(bots, settings, body, await surroundings_async(bots, body["account_id"], pairs))


def checked(settings: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the body and the pairs; the rules of the API reference are checked."""
    body = _CREATION.body(settings)
    pairs = body["pairs"]
    return body, [pairs] if isinstance(pairs, str) else pairs
