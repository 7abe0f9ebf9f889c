"""Lists of what belongs to a record: the methods of `_methods.py` call these functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from botdesk._api.deals import Deals
from botdesk.errors import ValidationError

if TYPE_CHECKING:
    from botdesk._api.accounts import Account
    from botdesk._api.balances import Balance
    from botdesk._api.dca_bots import DcaBot
    from botdesk._api.deals import DealAsyncIterator, DealIterator
    from botdesk._native import Record
    from botdesk._records import Records


def deals(bot: Record, filters: dict[str, Any]) -> DealIterator:
    """Return an iterator over the deals of a bot."""
    return _deals_of(bot).iter(bot_id=_id(bot), **filters)


def deals_async(bot: Record, filters: dict[str, Any]) -> DealAsyncIterator:
    """Return an iterator over the deals of a bot, for `async for`."""
    return _deals_of(bot).iter_async(bot_id=_id(bot), **filters)


def balances(account: Record) -> Records[Balance]:
    """Return the balances of an account."""
    return cast("Account", account).table_data()


async def balances_async(account: Record) -> Records[Balance]:
    """Return the balances of an account."""
    return await cast("Account", account).table_data_async()


def _deals_of(bot: Record) -> Deals:
    return cast("Deals", Deals._of(bot))  # noqa: SLF001 - resources have it for the modules of the package


def _id(bot: Record) -> int:
    """Return the id of a bot: without it, the service would list the deals of all bots."""
    number = cast("DcaBot", bot).id
    if number is None:
        message = "the bot has no id"
        raise ValidationError(f"id: {message}", errors={"id": [message]})
    return number
