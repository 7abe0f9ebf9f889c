"""The closed deals and SmartTrades that have made a profit.

What is cancelled or fails leaves its coins on the account: only what it has closed before, with a step of its take
profit, has made one. If a deal was converted, its SmartTrade makes the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from botdesk._api.deals import Deal

_KEEP_COINS = ("cancelled", "failed")

# The conditions for the deals and the SmartTrades of an archive. A short deal sells first.
DEAL_MADE_PROFIT = f"""
closed_at IS NOT NULL AND (
    coalesce(status, '') NOT IN {_KEEP_COINS!r}
    OR CAST(CASE strategy WHEN 'short' THEN bought_amount ELSE sold_amount END AS REAL) > 0
)"""
SMART_TRADE_MADE_PROFIT = f"""
data_closed_at IS NOT NULL AND (
    coalesce(status_basic_type, '') NOT IN {_KEEP_COINS!r} OR CAST(data_closed_amount AS REAL) > 0
)"""


def made_profit(deal: Deal) -> bool:
    """Return whether the profit of a closed deal counts."""
    closed = deal.bought_amount if deal.strategy == "short" else deal.sold_amount
    return deal.status not in _KEEP_COINS or bool(closed)
