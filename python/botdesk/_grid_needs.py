"""What the start of a grid bot needs: funds, and the market order that balances them."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal, localcontext
from typing import TYPE_CHECKING, Literal, NamedTuple

from botdesk._exact import DIVISION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from botdesk._api.grid_bots import BalancePair, RequiredBalances
    from botdesk._native import GridPlan
    from botdesk._new_records import Surroundings

# Figures for people have at most these decimal places.
_PLACES = Decimal("1e-8")

_ZERO = Decimal(0)


class Currencies(NamedTuple):
    """The two currencies of a pair."""

    quote: str
    base: str

    @classmethod
    def of(cls, pair: str) -> Currencies:
        """Split a pair at the first `_`, as the service does."""
        quote, _, base = pair.partition("_")
        return cls(quote, base)


class GridBalancing(NamedTuple):
    """The market order that a grid bot places at its start, before its limit orders.

    Attributes:
        side: `buy` or `sell`.
        quantity: Quantity in the base currency.
        currency: Code of the base currency.
        volume: About what it costs or brings at the current price, in the quote currency, before the fee.
        quote: Code of the quote currency.
    """

    side: Literal["buy", "sell"]
    quantity: Decimal
    currency: str
    volume: Decimal
    quote: str

    def __str__(self) -> str:
        """Return the order as text."""
        return f"{self.side} {shown(self.quantity)} {self.currency} for about {shown(self.volume)} {self.quote}"


class GridNeeds(NamedTuple):
    """What a start needs.

    Attributes:
        required: The amount of each currency for all orders.
        missing: What the account lacks of each; 0 if nothing is.
        balancing: The market order before the limit orders; None if there is none.
        is_funded: True if nothing is missing, or if the market order gets what is.
    """

    required: dict[str, Decimal]
    missing: dict[str, Decimal]
    balancing: GridBalancing | None
    is_funded: bool

    def warnings(self) -> list[str]:
        """Say what is missing, if nothing gets it."""
        lacking = amounts({code: amount for code, amount in self.missing.items() if amount})
        if self.is_funded or not lacking:
            return []
        others = ", and the account has too little of the other currency to get it" if len(self.missing) > 1 else ""
        return [f"{lacking} is missing{others}"]


def shown(amount: Decimal) -> str:
    """Return an amount with at most 8 decimal places, rounded up so that a need never looks smaller."""
    with localcontext(DIVISION):
        text = f"{amount.quantize(_PLACES, ROUND_CEILING):f}"
    return text.rstrip("0").rstrip(".")


def amounts(by_currency: Mapping[str, Decimal]) -> str:
    """Return amounts with their currencies."""
    return " and ".join(f"{shown(amount)} {code}" for code, amount in by_currency.items())


def of_service(balances: RequiredBalances, currencies: Currencies, price: Decimal | None) -> GridNeeds:
    """Read what the service says that a start needs. Without a price, the market order is left out."""
    required, missing = (_by_currency(pair) for pair in (balances.required_balance, balances.missing_balance))
    needs, gets = balances.need_balancing or False, balances.balancing_available or False
    balancing = _balancing(missing, currencies, price) if needs and gets and price else None
    return GridNeeds(required, missing, balancing, gets or not needs)


def _by_currency(pair: BalancePair | None) -> dict[str, Decimal]:
    found = [] if pair is None else [pair.base, pair.quote]
    return {amount.currency or "": amount.quantity or _ZERO for amount in found if amount is not None}


def _balancing(missing: Mapping[str, Decimal], currencies: Currencies, price: Decimal) -> GridBalancing | None:
    """Return the order that gets what is missing of one currency with the other one."""
    quote, base = currencies
    with localcontext(DIVISION):
        if quantity := missing.get(base, _ZERO):
            return GridBalancing("buy", quantity, base, quantity * price, quote)
        if volume := missing.get(quote, _ZERO):
            return GridBalancing("sell", volume / price, base, volume, quote)
    return None


class PlannedStart(NamedTuple):
    """A start with the lines of a plan, at a price, on an account."""

    plan: GridPlan
    pair: str
    around: Surroundings
    price: Decimal

    @property
    def is_on_spot(self) -> bool:
        """Return whether the account trades spot."""
        return self.around.rates[self.pair].instrument_kind in {None, "spot"}

    def on_spot(self) -> GridNeeds:
        """Return what the orders need on a spot account: quote to buy with, and base to sell."""
        plan, price = self.plan, self.price
        quote, base = Currencies.of(self.pair)
        required = {base: plan.investment_base_currency or _ZERO, quote: plan.investment_quote_currency or _ZERO}
        with localcontext(DIVISION):
            left = {code: self.around.free(code) - amount for code, amount in required.items()}
            missing = {code: max(-amount, _ZERO) for code, amount in left.items()}
            surplus_volume = max(left[quote], _ZERO) + max(left[base], _ZERO) * price
            missing_volume = missing[quote] + missing[base] * price
        is_funded = not (missing[base] and missing[quote]) and surplus_volume >= missing_volume
        balancing = _balancing(missing, Currencies(quote, base), price) if is_funded else None
        return GridNeeds(required, missing, balancing, is_funded)

    def on_futures(self, mode: str, leverage: Decimal) -> GridNeeds:
        """Return the margin of the orders on a futures account, and the position with which the bot starts."""
        quote, base = Currencies.of(self.pair)
        side: Literal["buy", "sell"] = "sell" if mode == "short" else "buy"
        closing = [level.quantity or _ZERO for level in self.plan if level.side is not None and level.side != side]
        with localcontext(DIVISION):
            margin = (self.plan.investment or _ZERO) / leverage
            missing = max(margin - self.around.free(quote), _ZERO)
            quantity = _ZERO if mode == "reversal" else sum(closing, _ZERO)
            entered = GridBalancing(side, quantity, base, quantity * self.price, quote) if quantity else None
        return GridNeeds({quote: margin}, {quote: missing}, entered, not missing)
