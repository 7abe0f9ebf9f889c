"""The currencies of pairs: the quote currency of `USDT_BTC` is USDT, and its base currency BTC."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Currencies that are worth a US dollar.
DOLLARS = frozenset({"BUSD", "DAI", "FDUSD", "TUSD", "USD", "USDC", "USDT"})


def quote_of(pair: str | None) -> str:
    """Return the quote currency of a pair; empty if it is unknown."""
    quote, _, base = (pair or "").partition("_")
    return quote if base else ""


def common_quote(pairs: Iterable[str | None]) -> str:
    """Return the quote currency of all pairs; empty if it is unknown, or if they have several."""
    quotes = {quote_of(pair) for pair in pairs}
    return quotes.pop() if len(quotes) == 1 else ""
