"""The pictures of lists of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from botdesk._api import Account
from botdesk._pictures.bars import accounts
from botdesk._pictures.deals import deals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes


def records(given: Sequence[Any], ax: Axes | None) -> Axes:
    """Draw the balances of accounts, or the deals of a list."""
    if given and all(isinstance(record, Account) for record in given):
        return accounts(cast("Sequence[Account]", given), ax)
    return deals(given, ax)
