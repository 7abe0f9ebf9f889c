"""Open deals by age and depth, for the overview and the archive."""

from __future__ import annotations

from datetime import UTC
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._exact import DIVISION, EXACT
from botdesk._pictures.values import read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

_HUNDREDTH = Decimal("0.01")
_SECONDS_OF_DAY = 86_400


class OpenDeal(NamedTuple):
    """How old an open deal is, and how deep.

    Attributes:
        id: The id of the deal.
        bot: The name of its bot.
        pair: The pair.
        opened_at: When it was created, in UTC, in ISO 8601.
        age_days: Its age in days, to two decimal places.
        safety_orders: How many safety orders were filled, without those by hand.
        max_safety_orders: The most safety orders that it may place.
        from_entry_percentage: How far the price is from that of the base order, in percent to two decimal places. It is
            negative if the price has moved against the deal: down for a long deal, up for a short one.
        profit_usd: The profit at the current price, in USD.
    """

    id: int | None
    bot: str | None
    pair: str | None
    opened_at: str | None
    age_days: Decimal | None
    safety_orders: int | None
    max_safety_orders: int | None
    from_entry_percentage: Decimal | None
    profit_usd: Decimal | None

    @property
    def is_spent(self) -> bool:
        """True if all safety orders were filled."""
        return bool(self.max_safety_orders) and (self.safety_orders or 0) >= (self.max_safety_orders or 0)


def open_deals(deals: Iterable[Any], time: datetime) -> list[OpenDeal]:
    """Describe deals at a time, the oldest first."""
    found = [_described(deal, time) for deal in deals]
    return sorted(found, key=lambda deal: deal.opened_at or "")


def _described(deal: Any, time: datetime) -> OpenDeal:  # noqa: ANN401
    opened: datetime | None = read(deal, "created_at")
    return OpenDeal(
        read(deal, "id"),
        read(deal, "bot_name"),
        read(deal, "pair"),
        opened.astimezone(UTC).isoformat().replace("+00:00", "Z") if opened else None,
        _rounded(Decimal((time - opened).total_seconds() / _SECONDS_OF_DAY)) if opened else None,
        read(deal, "completed_safety_orders_count"),
        read(deal, "max_safety_orders"),
        _from_entry(deal),
        read(deal, "actual_usd_profit"),
    )


def _from_entry(deal: Any) -> Decimal | None:  # noqa: ANN401
    entry, price = read(deal, "base_order_average_price"), read(deal, "current_price")
    # Only finite prices above zero have a distance.
    if not all(isinstance(each, Decimal) and each.is_finite() and each > 0 for each in (entry, price)):
        return None
    moved = (DIVISION.divide(price, entry) - 1) * 100
    return _rounded(-moved if read(deal, "strategy") == "short" else moved)


def _rounded(number: Decimal) -> Decimal:
    # Adding zero makes -0.00 positive.
    return number.quantize(_HUNDREDTH, context=EXACT) + 0
