"""Actions on a deal that take several requests: the methods of `_methods.py` call these functions."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation, localcontext
from typing import TYPE_CHECKING, NamedTuple, cast

from botdesk._exact import DIVISION
from botdesk._invalid import invalid
from botdesk._text import safe_lines, trimmed
from botdesk._used_once import UsedOnce
from botdesk.errors import ConfigurationError

if TYPE_CHECKING:
    from botdesk._api.deal_orders import FundsData, Order
    from botdesk._api.deals import Deal
    from botdesk._native import Record


def preview_close(record: Record) -> ClosePreview:
    """Read a deal, and return what the market would take for it."""
    return ClosePreview(cast("Deal", record).refresh())


async def preview_close_async(record: Record) -> ClosePreview:
    """Read a deal, and return what the market would take for it."""
    return ClosePreview(await cast("Deal", record).refresh_async())


def add_volume(record: Record, volume: object, below_average: object, rate: object) -> Order | None:
    """Read a deal and its limits, and place an order of a volume."""
    deal = cast("Deal", record).refresh()
    order = funds_order(deal, deal.data_for_adding_funds(), volume, below_average, rate)
    placed = deal.add_funds(
        quantity=order.quantity, is_market=order.rate is None, rate=order.rate, response_type="market_order"
    )
    return cast("Order | None", placed)


async def add_volume_async(record: Record, volume: object, below_average: object, rate: object) -> Order | None:
    """Read a deal and its limits, and place an order of a volume."""
    deal = await cast("Deal", record).refresh_async()
    order = funds_order(deal, await deal.data_for_adding_funds_async(), volume, below_average, rate)
    placed = await deal.add_funds_async(
        quantity=order.quantity, is_market=order.rate is None, rate=order.rate, response_type="market_order"
    )
    return cast("Order | None", placed)


class ClosePreview:
    """The amount that the market would take for a deal now, and the profit, before it is closed.

    Attributes:
        deal: The deal as it was read.
        amount: The amount that would be sold, or bought back for a short deal, in the base currency.
        price: The current price. A market order may get a worse one.
        volume: The value of the amount at that price, in the quote currency, before the commission.
        profit: The profit in the quote currency, after all commissions.
        usd_profit: The profit in USD.
        profit_percentage: The distance of the price from the average price, in percent.
    """

    def __init__(self, deal: Deal) -> None:
        """Store the figures of a deal that was just read."""
        if not deal.panic_sellable:
            raise ConfigurationError(f"deal {deal.id} can't be closed: its status is {deal.status}")
        sides = [deal.bought_amount, deal.sold_amount]
        entered, left = sides if deal.strategy != "short" else reversed(sides)
        self.deal: Deal = deal
        self.price: Decimal | None = deal.current_price
        with localcontext(DIVISION):
            self.amount: Decimal | None = None if entered is None or left is None else entered - left
            self.volume: Decimal | None = (
                None if self.amount is None or self.price is None else self.amount * self.price
            )
        self.profit: Decimal | None = deal.actual_profit
        self.usd_profit: Decimal | None = deal.actual_usd_profit
        self.profit_percentage: Decimal | None = deal.actual_profit_percentage
        self._once = UsedOnce(deal, "the preview was used before; preview the deal again")

    def close(self) -> Deal:
        """Close the deal, as it is then: it is not read again, and an order that filled since the preview counts.

        API reference: Close deal at market price. Permission BOTS_WRITE.

        Returns:
            The deal with the status `panic_sell_pending`. Its `wait_closed()` waits until it is sold.

        Raises:
            ConfigurationError: The preview was used before.
            ForbiddenError: The deal is over or already being closed, or the API key lacks the permission.
            OutcomeUnknownError: The outcome is unknown: the deal may have been closed.
            ApiError: The service returned an error.
        """
        with self._once as deal:
            return cast("Deal", deal.close())

    async def close_async(self) -> Deal:
        """Close the deal; see `close`."""
        with self._once as deal:
            return cast("Deal", await deal.close_async())

    def __str__(self) -> str:
        """Return the preview as text."""
        deal = self.deal
        action = "buys back" if deal.strategy == "short" else "sells"
        quote = deal.from_currency
        return safe_lines(
            [
                f"Close of deal {deal.id} on {deal.pair}, of bot “{deal.bot_name}”",
                f"  {action}: {_shown(self.amount)} {deal.to_currency} for about {_shown(self.volume)} {quote}",
                f"  at: {_shown(self.price)} or a worse price",
                f"  profit: {_shown(self.profit)} {quote}, {_shown(self.profit_percentage)} %",
                "nothing is sent until close()",
            ]
        )

    __repr__ = __str__


def _shown(figure: Decimal | None) -> str:
    return "unknown" if figure is None else trimmed(figure)


class FundsOrder(NamedTuple):
    """An order that adds funds: its quantity, and its price if it is a limit order."""

    quantity: Decimal
    rate: Decimal | None


def funds_order(deal: Deal, data: FundsData, volume: object, below_average: object, rate: object) -> FundsOrder:
    """Size an order for a volume: its quantity is rounded down to the lot, and a price from the average to the tick."""
    with localcontext(DIVISION):
        return _sized(deal, data, volume, below_average, rate)


def _sized(deal: Deal, data: FundsData, volume: object, below_average: object, rate: object) -> FundsOrder:
    amount = _positive("volume", volume)
    limit = _limit(deal, data, below_average, rate)
    price = data.orderbook_price if limit is None else limit
    lot = data.limits.lot_step if data.limits is not None else None
    if not price or not lot:
        raise ConfigurationError(f"the service did not say at which price and in which lots deal {deal.id} trades")
    quantity = _rounded(amount / price, lot, ROUND_FLOOR)
    least = data.limit or Decimal(0)
    if quantity <= 0 or quantity * price < least:
        currency = data.adding_funds_currency or data.quote_currency
        raise invalid("volume", f"{amount} is below the smallest order, {least} {currency}")
    # Leverage needs less than the volume, and a short deal sells what it has.
    is_paid_in_full = deal.strategy != "short" and not data.is_contract
    if is_paid_in_full and data.available_amount is not None and quantity * price > data.available_amount:
        raise invalid("volume", f"{amount} is more than is free on the account, {data.available_amount}")
    return FundsOrder(quantity, limit)


def _limit(deal: Deal, data: FundsData, below_average: object, rate: object) -> Decimal | None:
    """Return the price of a limit order; None for a market order."""
    if rate is not None and below_average is not None:
        raise invalid("below_average", "can't be given together with rate; pass one of the two")
    if rate is not None:
        return _positive("rate", rate)
    if below_average is None:
        return None
    distance = _percent("below_average", below_average)
    is_short = deal.strategy == "short"
    average = deal.sold_average_price if is_short else deal.bought_average_price
    tick = data.limits.price_step if data.limits is not None else None
    if not average or not tick:
        raise ConfigurationError(f"the service did not return the average price and the tick of deal {deal.id}")
    # A short deal gets better as the price rises, so its order lies above the average.
    part = (1 + distance if is_short else 1 - distance) * average
    price = _rounded(part, tick, ROUND_CEILING if is_short else ROUND_FLOOR)
    if price <= 0:
        raise invalid("below_average", f"leads to a price below the tick, {tick}")
    return price


def _percent(name: str, given: object) -> Decimal:
    """Return a percentage such as `"2%"` or `2` as a fraction."""
    text = given[:-1].strip() if isinstance(given, str) and given.endswith("%") else given
    percent = _positive(name, text)
    most = Decimal(100)
    if percent >= most:
        raise invalid(name, f"must be less than 100 %, not {percent} %")
    return percent / most


def _positive(name: str, given: object) -> Decimal:
    try:
        number = Decimal(str(given))
    except InvalidOperation:
        raise invalid(name, f"must be a number, not {given!r}") from None
    if isinstance(given, bool) or not number.is_finite() or number <= 0:
        raise invalid(name, f"must be a number greater than 0, not {given!r}")
    return number


def _rounded(number: Decimal, step: Decimal, rounding: str) -> Decimal:
    return (number / step).to_integral_value(rounding=rounding) * step
