"""Which accounts and bots an agent may read and change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._cli.mcp.json_types import is_object
from botdesk._cli.mcp.refused import RefusedError
from botdesk._cli.mcp.settings import Bot

if TYPE_CHECKING:
    from botdesk._cli.mcp.catalog import Entry
    from botdesk._cli.mcp.settings import Settings

_BOTS = ("dca_bots", "grid_bots")
# The records of these classes say to which account or bot they belong.
_RESOURCE_OF = {
    "Account": "accounts",
    "DcaBot": "dca_bots",
    "Deal": "deals",
    "GridBot": "grid_bots",
    "SimpleTrade": "trades",
    "SmartTrade": "smart_trades",
}
# Public data, and lists that are the same for every account.
_OF_NOBODY = frozenset({"dca_bots.blacklist", "general.validate"})


class Owner(NamedTuple):
    """The account and the bot that a record belongs to; None if it has none, or if it is unknown."""

    account: int | None
    bot: Bot | None


def owner_of(record: Any) -> Owner | None:  # noqa: ANN401
    """Return the owner of a record; None for records that do not say it."""
    resource = _RESOURCE_OF.get(type(record).__name__)
    return None if resource is None else _owner(resource, record.to_dict())


def _owner(resource: str, fields: dict[str, Any]) -> Owner:
    if resource == "accounts":
        return Owner(fields.get("id"), None)
    if resource == "smart_trades":
        account: Any = fields.get("account")
        return Owner(account.get("id") if is_object(account) else None, None)
    if resource == "deals":
        bot = fields.get("bot_id")
        return Owner(fields.get("account_id"), None if bot is None else Bot("dca_bots", bot))
    bot = fields.get("id") if resource in _BOTS else None
    return Owner(fields.get("account_id"), None if bot is None else Bot(resource, bot))


class Scope:
    """The limits of a server on accounts and bots."""

    def __init__(self, settings: Settings) -> None:
        """Take the limits of these settings."""
        self._accounts = settings.accounts
        self._bots = settings.bots

    @property
    def is_limited(self) -> bool:
        """Whether there are limits."""
        return self._accounts is not None or self._bots is not None

    def admits(self, record: object) -> bool:
        """Return True if a record may be read."""
        owner = owner_of(record)
        return owner is None or (self._admits_account(owner.account) and self._admits_bot(owner.bot))

    def check_read(self, entry: Entry, ids: list[Any], inputs: dict[str, Any]) -> None:
        """Check the accounts and bots that a read names.

        Raises:
            RefusedError: One is not allowed, or the result would be about others too.
        """
        self._check_named(entry, ids, inputs)
        if not self.is_limited or ids or entry.resource == "markets" or entry.name in _OF_NOBODY or entry.paging:
            return
        # What is added up over all accounts and bots can't be filtered.
        for limit, name in ((self._accounts, "account_id"), (self._bots, "bot_id")):
            if limit is not None and name in entry.inputs and inputs.get(name) is None:
                raise RefusedError(f"{entry.name}: give {name}; this server is limited to {self._text()}")

    def check_record(self, record: object) -> None:
        """Raise an error for a record that may not be read."""
        if not self.admits(record):
            raise RefusedError(
                f"this record belongs to another account or bot; this server is limited to {self._text()}"
            )

    def check_write(self, entry: Entry, ids: list[Any], inputs: dict[str, Any], record: object) -> None:
        """Check that a write changes only what is allowed; what can't be told is not.

        Raises:
            RefusedError: It is not, or it can't be told.
        """
        if not self.is_limited:
            return
        self._check_named(entry, ids, inputs)
        owner = owner_of(record)
        account = owner.account if owner else _named_account(entry, ids, inputs)
        bot = owner.bot if owner else None
        if self._accounts is not None and account not in self._accounts:
            raise RefusedError(f"{entry.name}: not in the allowed accounts; this server is limited to {self._text()}")
        if self._bots is not None and bot not in self._bots:
            raise RefusedError(f"{entry.name}: not in the allowed bots; this server is limited to {self._text()}")

    def _check_named(self, entry: Entry, ids: list[Any], inputs: dict[str, Any]) -> None:
        account = _named_account(entry, ids, inputs)
        if account is not None and not self._admits_account(account):
            raise RefusedError(f"account {account} is not allowed; this server is limited to {self._text()}")
        bot = Bot(entry.resource, ids[0]) if ids and entry.resource in _BOTS else None
        if bot is None and inputs.get("bot_id") is not None:
            bot = Bot("dca_bots", inputs["bot_id"])
        if not self._admits_bot(bot):
            raise RefusedError(f"bot {bot.id if bot else ''} is not allowed; this server is limited to {self._text()}")

    def _admits_account(self, account: object) -> bool:
        return self._accounts is None or account in self._accounts

    def _admits_bot(self, bot: Bot | None) -> bool:
        return self._bots is None or bot is None or bot in self._bots

    def _text(self) -> str:
        accounts = f"accounts {', '.join(map(str, sorted(self._accounts)))}" if self._accounts is not None else ""
        bots = ", ".join(f"{bot.resource} {bot.id}" for bot in sorted(self._bots or ()))
        return " and ".join(filter(None, [accounts, bots]))


def _named_account(entry: Entry, ids: list[Any], inputs: dict[str, Any]) -> object:
    """Return the account that the arguments name; `summary` is all of them."""
    return ids[0] if ids and entry.resource == "accounts" else inputs.get("account_id")
