"""Lists of what belongs to a record: the methods of `_methods.py` call these functions."""

# ruff: noqa: SLF001 - `Operation` has these methods for the modules of the package

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from botdesk._invalid import invalid
from botdesk._native import Operation
from botdesk._types import UNSET

if TYPE_CHECKING:
    from botdesk._api.accounts import Account
    from botdesk._api.balances import Balance
    from botdesk._api.dca_bots import DcaBot
    from botdesk._api.deals import DealAsyncIterator, DealIterator
    from botdesk._native import Record
    from botdesk._records import Records

_DEALS = Operation("deals.list")
_FILTERS = tuple(_DEALS._input_names())


def deals(bot: Record, filters: dict[str, Any]) -> DealIterator:
    """Return an iterator over the deals of a bot."""
    return cast("DealIterator", _DEALS._iter_asked(bot, _inputs(bot, filters), _unknown(filters)))


def deals_async(bot: Record, filters: dict[str, Any]) -> DealAsyncIterator:
    """Return an iterator over the deals of a bot, for `async for`."""
    return cast("DealAsyncIterator", _DEALS._iter_asked_async(bot, _inputs(bot, filters), _unknown(filters)))


def balances(account: Record) -> Records[Balance]:
    """Return the balances of an account."""
    return cast("Account", account).table_data()


async def balances_async(account: Record) -> Records[Balance]:
    """Return the balances of an account."""
    return await cast("Account", account).table_data_async()


def _inputs(bot: Record, filters: dict[str, Any]) -> list[Any]:
    """Return the inputs of the list, with the id: without it, the service would list the deals of all bots."""
    number = cast("DcaBot", bot).id
    if number is None:
        message = "the bot has no id"
        raise invalid("id", message)
    return [{**filters, "bot_id": number}.get(name, UNSET) for name in _FILTERS]


def _unknown(filters: dict[str, Any]) -> dict[str, Any]:
    """Return the filters that the list does not have."""
    return {name: value for name, value in filters.items() if name not in _FILTERS}
