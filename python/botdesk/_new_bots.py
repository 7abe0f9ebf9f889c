"""New DCA bots from others, and what a new bot would need: the methods of `_methods.py` call these functions."""

# ruff: noqa: SLF001 - `Operation` has these methods for the modules of the package

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from botdesk._native import Operation, plan_ladder
from botdesk._types import UNSET
from botdesk.errors import ConfigurationError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from botdesk._api.accounts import Account
    from botdesk._api.balances import Balance
    from botdesk._api.dca_bots import DcaBot
    from botdesk._api.markets import PairRates
    from botdesk._native import Backtest, Ladder, Record, Resource

_CREATE = Operation("dca_bots.create")
_ACCOUNT = Operation("accounts.get")
_BALANCES = Operation("accounts.table_data")
_RATES = Operation("markets.rates")

_INPUTS = tuple(_CREATE._input_names())
# Settings of a new bot that its ladder does not follow from.
_NOT_PLANNED = frozenset({"account_id", "name", "safety_strategy_list", "min_price", "max_price"})


def create_like(bot: Record, name: str, changes: dict[str, Any]) -> DcaBot:
    """Send the request for a new bot with the settings of another one."""
    settings = {**settings_of(bot, changes), "name": name}
    return cast("DcaBot", _CREATE._send(bot, _inputs(settings), unknown=_unknown(settings)))


async def create_like_async(bot: Record, name: str, changes: dict[str, Any]) -> DcaBot:
    """Send the request for a new bot with the settings of another one."""
    settings = {**settings_of(bot, changes), "name": name}
    return cast("DcaBot", await _CREATE._send_async(bot, _inputs(settings), unknown=_unknown(settings)))


def create_tried(
    bots: Resource, backtest: Backtest, account_id: int, name: str, changes: dict[str, Any] | None
) -> DcaBot:
    """Send the request for a new bot with the settings of a backtest."""
    settings = _tried(backtest, account_id, name, changes)
    return cast("DcaBot", _CREATE._send(bots, _inputs(settings), unknown=_unknown(settings)))


async def create_tried_async(
    bots: Resource, backtest: Backtest, account_id: int, name: str, changes: dict[str, Any] | None
) -> DcaBot:
    """Send the request for a new bot with the settings of a backtest."""
    settings = _tried(backtest, account_id, name, changes)
    return cast("DcaBot", await _CREATE._send_async(bots, _inputs(settings), unknown=_unknown(settings)))


def _tried(backtest: Backtest, account_id: int, name: str, changes: dict[str, Any] | None) -> dict[str, Any]:
    """Return the settings of a backtest as those of a new bot, with changes."""
    settings = settings_of(cast("Record", backtest._tried()), changes or {})
    settings.setdefault("take_profit_type", "total")
    if not settings.get("max_safety_orders"):
        # The service needs them, although there is no safety order.
        settings = {"max_safety_orders": 0, "safety_order_volume": 0, "safety_order_step_percentage": 0, **settings}
        settings.setdefault("active_safety_orders_count", 0)
    return {**settings, "account_id": account_id, "name": name}


def settings_of(bot: Record, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a bot as those of a new one, with changes."""
    held = {name: getattr(bot, name, None) for name in _INPUTS if name != "name"}
    settings = {name: value for name, value in held.items() if value is not None and value != []}
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
    settings.setdefault("strategy_list", held.get("strategy_list") or [])
    return {**settings, **changes}


def _inputs(settings: dict[str, Any]) -> list[Any]:
    """Return the inputs in the order of their rows."""
    return [settings.get(name, UNSET) for name in _INPUTS]


def _unknown(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that a new bot does not have."""
    return {name: value for name, value in settings.items() if name not in _INPUTS}


class NewBotPreview:
    """What a new DCA bot would be, before it is created: its request, its orders, and what they cost.

    Attributes:
        body: The body of the request, as it would be sent.
        ladder: The orders of a deal on the first pair at the current price; None if they can't be planned.
        budget: The funds that all deals of the bot need at once, in the quote currency; None without a ladder.
        available: The free amount of the quote currency on the account.
        minimums: The smallest total of an order of each pair, in the quote currency.
        warnings: What speaks against the bot: funds that do not suffice, orders that are too small, and the warnings of
            the ladder.
    """

    def __init__(
        self,
        owner: Resource,
        settings: dict[str, Any],
        body: str,
        balances: Iterable[Balance],
        rates: dict[str, PairRates],
    ) -> None:
        """Plan a bot. The account and the prices were read before."""
        self._owner = owner
        self._settings = settings
        self._is_created = False
        self.body: dict[str, Any] = json.loads(body, parse_float=Decimal)
        self.warnings: list[str] = []
        pairs = list(rates)
        self._quote = pairs[0].partition("_")[0]
        held = [balance.position_available for balance in balances if balance.currency_code == self._quote]
        self.available: Decimal = sum((amount for amount in held if amount is not None), Decimal(0))
        self.minimums: dict[str, Decimal | None] = {pair: each.min_total for pair, each in rates.items()}
        self.ladder: Ladder | None = self._planned(pairs[0], rates[pairs[0]])
        self.budget: Decimal | None = None if self.ladder is None else self.ladder.bot_budget
        self._check()

    def _planned(self, pair: str, rates: PairRates) -> Ladder | None:
        planned = {name: value for name, value in self._settings.items() if name not in _NOT_PLANNED}
        planned.pop("pairs", None)
        try:
            return plan_ladder(price=rates.last, tick=rates.price_step, lot=rates.lot_step, pairs=pair, **planned)
        except ValidationError as error:
            self.warnings.append(f"the orders can't be planned: {error}")
            return None

    def _check(self) -> None:
        if self.ladder is None or self.budget is None:
            return
        self.warnings += self.ladder.warnings
        if self.budget > self.available:
            self.warnings.append(
                f"all deals together need {self.budget:.2f} {self._quote}, "
                f"and the account has {self.available:.2f} free"
            )
        smallest = min((rung.size for rung in self.ladder), default=None)
        for pair, minimum in self.minimums.items():
            if smallest is not None and minimum is not None and smallest < minimum:
                self.warnings.append(f"{pair}: an order of {smallest} {self._quote} is below the minimum, {minimum}")

    def create(self) -> DcaBot:
        """Create the bot.

        API reference: Create DCA bot. Permission BOTS_WRITE.

        Returns:
            The new bot, which is disabled.

        Raises:
            ConfigurationError: The preview was used before; a bot is created once.
            OutcomeUnknownError: The outcome is unknown: the bot may have been created; look for one with its name.
            ApiError: The service returned an error.
        """
        self._use()
        return cast("DcaBot", _CREATE._send(self._owner, _inputs(self._settings)))

    async def create_async(self) -> DcaBot:
        """Create the bot; see `create`."""
        self._use()
        return cast("DcaBot", await _CREATE._send_async(self._owner, _inputs(self._settings)))

    def _use(self) -> None:
        if self._is_created:
            raise ConfigurationError("the preview was used before; a bot is created once")
        self._is_created = True

    def __str__(self) -> str:
        """Return the preview as text."""
        budget = "unknown" if self.budget is None else f"{self.budget:.2f} {self._quote}"
        lines = [
            f"New DCA bot “{self.body['name']}” on account {self.body['account_id']}",
            f"  budget: {budget} of {self.available:.2f} {self._quote} free",
            *(f"  {name}: {json.dumps(value, default=str)}" for name, value in self.body.items()),
            *(f"! {warning}" for warning in self.warnings),
            "nothing is sent until create()",
        ]
        return "\n".join(lines)

    __repr__ = __str__


def preview(bots: Resource, settings: dict[str, Any]) -> NewBotPreview:
    """Check the settings of a new bot, and read its account and the prices of its pairs."""
    body, pairs = _checked(settings)
    account = cast("Account", _ACCOUNT._ask(bots, [UNSET] * len(_ACCOUNT._input_names()), settings["account_id"]))
    balances = cast("list[Balance]", _BALANCES._ask(bots, [], settings["account_id"]))
    rates = {pair: cast("PairRates", _RATES._ask(bots, _rates_inputs(account, pair))) for pair in pairs}
    return NewBotPreview(bots, settings, body, balances, rates)


async def preview_async(bots: Resource, settings: dict[str, Any]) -> NewBotPreview:
    """Check the settings of a new bot, and read its account and the prices of its pairs."""
    body, pairs = _checked(settings)
    account = cast(
        "Account", await _ACCOUNT._ask_async(bots, [UNSET] * len(_ACCOUNT._input_names()), settings["account_id"])
    )
    balances = cast("list[Balance]", await _BALANCES._ask_async(bots, [], settings["account_id"]))
    rates = {pair: cast("PairRates", await _RATES._ask_async(bots, _rates_inputs(account, pair))) for pair in pairs}
    return NewBotPreview(bots, settings, body, balances, rates)


def _checked(settings: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the body and the pairs; the rules of the API reference are checked."""
    body = _CREATE._body(_inputs(settings), _unknown(settings))
    pairs = json.loads(body)["pairs"]
    return body, [pairs] if isinstance(pairs, str) else pairs


def _rates_inputs(account: Account, pair: str) -> list[Any]:
    given = {"market_code": account.market_code, "pair": pair}
    return [given.get(name, UNSET) for name in _RATES._input_names()]
