"""Which closed deals have made a profit.

A deal that is cancelled or fails leaves its coins on the account, so it has made none. If it was converted, the profit
of the SmartTrade counts.
"""

from __future__ import annotations

_KEEP_COINS = ("cancelled", "failed")

# The condition for the deals of an archive.
MADE_PROFIT_SQL = f"closed_at IS NOT NULL AND coalesce(status, '') NOT IN {_KEEP_COINS!r}"


def made_profit(status: str | None) -> bool:
    """Return whether the profit of a closed deal counts, by the status of the deal."""
    return status not in _KEEP_COINS
