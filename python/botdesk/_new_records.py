"""What the creation of bots of all kinds shares: the request, what is read before it, and the preview of it."""

# ruff: noqa: SLF001 - `Operation` has these methods for the modules of the package

from __future__ import annotations

import json
from copy import deepcopy
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from botdesk._exact import total
from botdesk._native import Operation, _record_html
from botdesk._text import safe_lines
from botdesk._types import UNSET
from botdesk._used_once import UsedOnce

if TYPE_CHECKING:
    from collections.abc import Iterable

    from botdesk._api.accounts import Account
    from botdesk._api.balances import Balance
    from botdesk._api.markets import PairRates
    from botdesk._native import Record, Resource

_Created = TypeVar("_Created")

_ACCOUNT = Operation("accounts.get")
_BALANCES = Operation("accounts.table_data")
_RATES = Operation("markets.rates")


class Creation:
    """The operation that creates a record, with inputs by name."""

    def __init__(self, operation: str) -> None:
        """Look the operation up by its name."""
        self._operation = Operation(operation)
        self.names: tuple[str, ...] = tuple(self._operation._input_names())

    def send(self, owner: Record | Resource, settings: dict[str, Any]) -> Any:  # noqa: ANN401 - the record
        """Send the request with the client of a record or a resource."""
        return self._operation._send(owner, self._inputs(settings), unknown=self._unknown(settings))

    async def send_async(self, owner: Record | Resource, settings: dict[str, Any]) -> Any:  # noqa: ANN401
        """Send the request with the client of a record or a resource."""
        return await self._operation._send_async(owner, self._inputs(settings), unknown=self._unknown(settings))

    def body(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the body of the request; the rules of the API reference are checked."""
        body: dict[str, Any] = json.loads(
            self._operation._body(self._inputs(settings), self._unknown(settings)), parse_float=Decimal
        )
        return body

    def held(self, record: Record) -> dict[str, Any]:
        """Return the inputs that a record has a value for."""
        values = {name: getattr(record, name, None) for name in self.names if name != "name"}
        return {name: value for name, value in values.items() if value is not None and value != []}

    def _inputs(self, settings: dict[str, Any]) -> list[Any]:
        """Return the inputs in the order of their rows."""
        return [settings.get(name, UNSET) for name in self.names]

    def _unknown(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings that the new record does not have."""
        return {name: value for name, value in settings.items() if name not in self.names}


class Surroundings(NamedTuple):
    """What a new bot meets: its account, the balances there, and the prices and limits of its pairs."""

    account: Account
    balances: list[Balance]
    rates: dict[str, PairRates]

    def free(self, currency: str) -> Decimal:
        """Return the amount of a currency that no order holds."""
        return free_amount(self.balances, currency)


def free_amount(balances: Iterable[Balance], currency: str) -> Decimal:
    """Return the amount of a currency that no order holds."""
    held = [balance.position_available for balance in balances if balance.currency_code == currency]
    return total(amount for amount in held if amount is not None)


def surroundings(owner: Record | Resource, account_id: int, pairs: Iterable[str]) -> Surroundings:
    """Read what a new bot meets."""
    account = cast("Account", _ask(owner, account_read(account_id)))
    balances = cast("list[Balance]", _ask(owner, balances_read(account_id)))
    rates = {pair: cast("PairRates", _ask(owner, rates_read(account, pair))) for pair in pairs}
    return Surroundings(account, balances, rates)


async def surroundings_async(owner: Record | Resource, account_id: int, pairs: Iterable[str]) -> Surroundings:
    """Read what a new bot meets."""
    account = cast("Account", await _ask_async(owner, account_read(account_id)))
    balances = cast("list[Balance]", await _ask_async(owner, balances_read(account_id)))
    rates = {pair: cast("PairRates", await _ask_async(owner, rates_read(account, pair))) for pair in pairs}
    return Surroundings(account, balances, rates)


def _ask(owner: Record | Resource, read: Read) -> object:
    return read.operation._ask(owner, read.inputs, *read.ids)


async def _ask_async(owner: Record | Resource, read: Read) -> object:
    return await read.operation._ask_async(owner, read.inputs, *read.ids)


class Read(NamedTuple):
    """A request that a preview needs: the operation, its inputs and its ids."""

    operation: Operation
    inputs: list[Any]
    ids: tuple[Any, ...] = ()


def account_read(account_id: int) -> Read:
    """Return the request for an account."""
    return Read(_ACCOUNT, [UNSET] * len(_ACCOUNT._input_names()), (account_id,))


def balances_read(account_id: int) -> Read:
    """Return the request for the balances of an account."""
    return Read(_BALANCES, [], (account_id,))


def rates_read(account: Account, pair: str) -> Read:
    """Return the request for the prices of a pair on the market of an account."""
    given = {"market_code": account.market_code, "pair": pair}
    return Read(_RATES, [given.get(name, UNSET) for name in _RATES._input_names()])


class CreatePreview(Generic[_Created]):
    """What a new record would be, before it is created. Nothing is sent until `apply()`."""

    def __init__(
        self, creation: Creation, owner: Resource, settings: dict[str, Any], body: dict[str, Any], *, kind: str
    ) -> None:
        """Store the request. `kind` names the record, such as `DCA bot`."""
        self._creation = creation
        # What is sent does not change with lists that the caller changes.
        self._settings = deepcopy(settings)
        self._kind = kind
        self._owner = owner
        self._once = UsedOnce(owner, f"the preview was used before; a {kind} is created once")
        self.body: dict[str, Any] = body
        self.warnings: list[str] = []

    def apply(self) -> _Created:
        """Create what the preview shows: send the request with `body`, once.

        Returns:
            The new record, which does not trade until it is enabled.

        Raises:
            ConfigurationError: The preview was used before.
            OutcomeUnknownError: The outcome is unknown: it may have been created; look for one with its name.
            ApiError: The service returned an error.
            TransportError: Nothing was sent. Make another preview to try again.
        """
        with self._once:
            return self._send()

    async def apply_async(self) -> _Created:
        """Create what the preview shows, once; see `apply`."""
        with self._once:
            return await self._send_async()

    def _apply_again(self) -> _Created:
        """Create it as one of many, which may be tried again unless it was or may have been created."""
        with self._once.until_known():
            return self._send()

    async def _apply_again_async(self) -> _Created:
        """Create it as one of many: see `_apply_again`."""
        with self._once.until_known():
            return await self._send_async()

    def _send(self) -> _Created:
        return cast("_Created", self._creation.send(self._owner, self._settings))

    async def _send_async(self) -> _Created:
        return cast("_Created", await self._creation.send_async(self._owner, self._settings))

    def _figures(self) -> list[tuple[str, str]]:
        """Return the figures of the preview, each with its name."""
        return []

    def _title(self) -> str:
        name = self.body.get("name")
        named = "with a name that the service makes up" if name is None else f"“{name}”"
        return f"New {self._kind} {named} on account {self.body['account_id']}"

    def _sent(self) -> list[tuple[str, str]]:
        return [(name, json.dumps(value, default=str, ensure_ascii=False)) for name, value in self.body.items()]

    def __str__(self) -> str:
        """Return the preview as text."""
        lines = [
            self._title(),
            *(f"  {name}: {value}" for name, value in [*self._figures(), *self._sent()]),
            *(f"! {warning}" for warning in self.warnings),
            "nothing is sent until apply()",
        ]
        return safe_lines(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        warnings = [("warning", warning) for warning in self.warnings]
        return _record_html(self._title(), [*self._figures(), *self._sent(), *warnings])
