"""The volume that a write adds, for `--max-volume`. What can't be bounded is refused."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import botdesk
from botdesk._cli.mcp.json_types import is_object
from botdesk._cli.mcp.refused import RefusedError
from botdesk._cli.mcp.settings import currency_of
from botdesk._cli.mcp.state import Volume
from botdesk._native import Operation as Sent
from botdesk.errors import BotdeskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from botdesk import Client
    from botdesk._cli.mcp.catalog import Entry

_EXACT = Context(prec=200)
# The budget of a ladder whose volumes are in the quote currency is the same at every price.
_ANY_PRICE = 1
_QUOTE = "quote_currency"

# Fields of an edit that decide when something is bought or sold, or how it is named, but not how much is bought.
_FREE = frozenset(
    {
        "active_safety_orders_count",
        "close_deals_timeout",
        "close_strategy_list",
        "close_timeout",
        "cooldown",
        "deal_start_delay_seconds",
        "disable_after_deals_count",
        "ignore_warnings",
        "lower_stop_loss_action",
        "lower_stop_loss_enabled",
        "lower_stop_loss_price",
        "martingale_step_coefficient",
        "max_price_percentage",
        "min_price_percentage",
        "min_profit_percentage",
        "min_profit_type",
        "min_volume_btc_24h",
        "name",
        "note",
        "profit_currency",
        "profit_currency_type",
        "safety_order_step_percentage",
        "sl_to_breakeven_data",
        "sl_to_breakeven_enabled",
        "start_order_type",
        "stop_loss",
        "stop_loss_percentage",
        "stop_loss_timeout_enabled",
        "stop_loss_timeout_in_seconds",
        "stop_loss_type",
        "strategy_list",
        "take_profit",
        "take_profit_steps",
        "take_profit_type",
        "trailing_deviation",
        "trailing_enabled",
        "tsl_enabled",
        "upper_stop_loss_action",
        "upper_stop_loss_enabled",
        "upper_stop_loss_price",
    }
)
# Fields of an edit that decide how much a bot or a deal may buy, but not by a plan that is known here.
_UNBOUNDED = frozenset(
    {
        "custom_safety_steps",
        "expansion_down_enabled",
        "expansion_down_stop_price",
        "expansion_up_enabled",
        "expansion_up_stop_price",
        "leverage",
        "leverage_custom_value",
        "leverage_type",
        "reinvesting_percentage",
        "risk_reduction_percentage",
        "trailing_down_enabled",
        "trailing_up_enabled",
    }
)
# Fields of an edit that a function below counts or refuses.
_COUNTED_FIELDS = frozenset(
    {
        "account_id",
        "allowed_deals_on_same_pair",
        "base_order_volume",
        "base_order_volume_type",
        "grid_type",
        "grids_quantity",
        "lower_price",
        "martingale_volume_coefficient",
        "max_active_buy_lines",
        "max_active_deals",
        "max_active_sell_lines",
        "max_safety_orders",
        "mode",
        "order_currency_type",
        "pairs",
        "position",
        "quantity_per_grid",
        "safety_order_volume",
        "safety_order_volume_type",
        "upper_price",
    }
)
KNOWN_FIELDS = _FREE | _UNBOUNDED | _COUNTED_FIELDS


def added(entry: Entry, client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume | None:  # noqa: ANN401
    """Return the volume that a write adds; None if it adds none.

    Args:
        entry: The write.
        client: The client, which reads prices.
        record: The record that it changes, if there is one.
        inputs: The inputs.
        edit: The preview, if it is an edit.

    Raises:
        RefusedError: The volume can't be bounded.
    """
    if entry.operation.adds_no_volume:
        return None
    changed = {change.field for change in edit.changes} if edit else {n for n, v in inputs.items() if v is not None}
    if edit and changed <= _FREE:
        return None
    # A field that is in none of the sets is new, and may add volume.
    if unbounded := sorted(changed & _UNBOUNDED | (changed - KNOWN_FIELDS if edit else set())):
        raise _unbounded(f"{', '.join(unbounded)} can add volume that botdesk does not know")
    compute = COUNTED.get(entry.name)
    if compute is None:
        raise _unbounded(f"botdesk does not know what {entry.name} adds")
    try:
        return compute(client, record, inputs, edit)
    except (BotdeskError, InvalidOperation, TypeError, AttributeError, KeyError) as error:
        raise _unbounded(f"it can't be planned ({error})") from error


def _unbounded(reason: str) -> RefusedError:
    return RefusedError(
        f"the volume of this write is unknown: {reason}; with --max-volume it is not sent; leave this change to the "
        "person who started the server"
    )


def _account_purchase(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del client, record, inputs, edit
    raise _unbounded("it buys for all that the account has")


def _dca_create(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del client, record, edit
    _check_quote_volumes(inputs)
    taken = set(Sent("dca_bots.edit")._input_names())  # noqa: SLF001
    planned = {name: value for name, value in inputs.items() if name in taken}
    ladder = botdesk.plan_ladder(price=_ANY_PRICE, **planned)
    return Volume(ladder.bot_budget, _one_currency(inputs["pairs"]))


def _dca_edit(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume | None:  # noqa: ANN401
    del client
    fields = {**record.to_dict(), **inputs}
    _check_quote_volumes(fields)
    if fields.get("custom_safety_steps"):
        raise _unbounded("the bot has safety orders of its own sizes")
    after = edit._plan(price=_ANY_PRICE).bot_budget  # noqa: SLF001
    currency = _one_currency(fields["pairs"])
    # Another currency or account has bought nothing for the bot yet.
    if currency != _one_currency(record.pairs) or fields["account_id"] != record.account_id:
        return Volume(after, currency)
    _check_quote_volumes(record.to_dict())
    before = record.ladder(price=_ANY_PRICE).bot_budget
    return Volume(_EXACT.subtract(after, before), currency) if after > before else None


def _dca_enable(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del client, inputs, edit
    _check_quote_volumes(record.to_dict())
    return Volume(record.ladder(price=_ANY_PRICE).bot_budget, _one_currency(record.pairs))


def _dca_start(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del client, edit
    if record.is_enabled is not True and inputs.get("only_for_enabled") is False:
        raise _unbounded("it would enable the bot; enable it with a write of its own")
    _check_quote_volumes(record.to_dict())
    return Volume(record.ladder(price=_ANY_PRICE).budget, _one_currency(record.pairs))


def _deal_edit(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> None:  # noqa: ANN401
    del client, edit
    _check_orders(record, inputs)


def _check_orders(record: Any, inputs: dict[str, Any]) -> None:  # noqa: ANN401
    if inputs.get("max_safety_orders", 0) > record.max_safety_orders:
        raise _unbounded("max_safety_orders grows")


def _set_orders(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> None:  # noqa: ANN401
    del client, edit
    _check_orders(record, inputs)


def _deal_funds(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del client, edit
    prices = [Decimal(str(each)) for each in (inputs.get("rate"), record.current_price) if each is not None]
    return _order(record.pair, inputs["quantity"], max(prices, default=None))


def _grid_create(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del client, record, edit
    return _grid(inputs)


def _grid_enable(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del client, inputs, edit
    return _grid(record.to_dict())


def _grid_edit(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume | None:  # noqa: ANN401
    del client, edit
    before = record.to_dict()
    was, becomes = _grid(before), _grid({**before, **inputs})
    more = _EXACT.subtract(becomes.amount, was.amount)
    return Volume(more, was.currency) if more > 0 else None


def _grid(fields: dict[str, Any]) -> Volume:
    """Return a bound: an order of the quantity at each level, at the highest price if it is in the base currency."""
    moving = ("expansion_down_enabled", "expansion_up_enabled", "trailing_down_enabled", "trailing_up_enabled")
    if any(str(fields.get(name)).lower() == "true" for name in moving):
        raise _unbounded("the grid expands or trails")
    _check_leverage(fields)
    volume = _EXACT.multiply(Decimal(str(fields["grids_quantity"])), Decimal(str(fields["quantity_per_grid"])))
    currency = fields.get("order_currency_type")
    if currency not in {"base", "quote"}:
        # The reference has no default: ten of the quote currency may as well be ten bitcoins.
        raise _unbounded("order_currency_type is not given, so the currency of quantity_per_grid is unknown")
    if currency == "base":
        volume = _EXACT.multiply(volume, Decimal(str(fields["upper_price"])))
    return Volume(volume, _one_currency(fields["pair"]))


def _trade(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del record, edit
    order: dict[str, Any] = inputs["order"]
    condition: dict[str, Any] = inputs.get("conditional") or {}
    _check_trailing(inputs)
    price = _bound(
        lambda: _market_price(client, inputs["account_id"], inputs["pair"]),
        is_limit_buy=(order["type"], order["side"]) == ("limit", "buy"),
        limit=_value(inputs.get("price")),
        others=[_value(condition.get("price"))],
    )
    return _order(inputs["pair"], _value(inputs["units"]), price)


def _smart_trade(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del record, edit
    position: dict[str, Any] = inputs["position"]
    condition: dict[str, Any] = position.get("conditional") or {}
    _check_trailing(condition)
    order_type = condition.get("order_type") if position["order_type"] == "conditional" else position["order_type"]
    price = _bound(
        lambda: _market_price(client, inputs["account_id"], inputs["pair"]),
        is_limit_buy=(order_type, position["type"]) == ("limit", "buy"),
        limit=_value(position.get("price")),
        others=[_value(condition.get("price"))],
    )
    return _order(inputs["pair"], _value(position["units"]), price)


def _smart_funds(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del edit
    known = record.to_dict()
    position: dict[str, Any] = known["position"]
    condition: dict[str, Any] = position.get("conditional") or {}
    # An entry that waits takes the units at a price of its own.
    is_waiting = known["status"]["basic_type"] != "waiting_targets"
    if is_waiting:
        _check_trailing(condition)
    price = _bound(
        lambda: _market_price(client, known["account"]["id"], record.pair),
        is_limit_buy=not is_waiting and (inputs["order_type"], position["type"]) == ("limit", "buy"),
        limit=_value(inputs.get("price")),
        others=[_value(each.get("price")) for each in (position, condition)] if is_waiting else (),
    )
    return _order(record.pair, _value(inputs["units"]), price)


def _smart_edit(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> None:  # noqa: ANN401
    # `leverage` was refused before; targets and stops only close.
    del client, record, edit
    if "position" in inputs:
        raise _unbounded("a position that is edited can add volume that botdesk does not know")


def _smart_start(client: Client, record: Any, inputs: dict[str, Any], edit: Any) -> Volume:  # noqa: ANN401
    del inputs, edit
    price = _market_price(client, record.to_dict()["account"]["id"], record.pair)
    return _order(record.pair, _value(record.to_dict()["position"]["units"]), price)


# One function for each write that may add volume.
COUNTED: dict[str, Callable[[Any, Any, dict[str, Any], Any], Volume | None]] = {
    "accounts.convert_dust_to_bnb": _account_purchase,
    "accounts.sell_all_to_btc": _account_purchase,
    "dca_bots.create": _dca_create,
    "dca_bots.edit": _dca_edit,
    "dca_bots.enable": _dca_enable,
    "dca_bots.start_deal": _dca_start,
    "deals.add_funds": _deal_funds,
    "deals.edit": _deal_edit,
    "deals.set_max_safety_orders": _set_orders,
    "grid_bots.create": _grid_create,
    "grid_bots.edit": _grid_edit,
    "grid_bots.enable": _grid_enable,
    "smart_trades.add_funds": _smart_funds,
    "smart_trades.create": _smart_trade,
    "smart_trades.edit": _smart_edit,
    "smart_trades.force_start": _smart_start,
    "trades.create": _trade,
}


def _check_quote_volumes(fields: dict[str, Any]) -> None:
    for name in ("base_order_volume_type", "safety_order_volume_type"):
        if fields.get(name) not in (None, _QUOTE):
            raise _unbounded(f"{name} is {fields[name]}, not {_QUOTE}")
    if Decimal(str(fields.get("reinvesting_percentage") or 0)):
        raise _unbounded(f"reinvesting_percentage is {fields['reinvesting_percentage']}")
    _check_leverage(fields)


def _check_leverage(fields: dict[str, Any]) -> None:
    """Refuse a bot with leverage: the reference does not say whether its volumes include that."""
    if fields.get("leverage_type") not in (None, "not_specified"):
        raise _unbounded(f"leverage_type is {fields['leverage_type']}")
    if Decimal(str(fields.get("leverage_custom_value") or 0)):
        raise _unbounded(f"leverage_custom_value is {fields['leverage_custom_value']}")


def _one_currency(pairs: Any) -> str:  # noqa: ANN401
    """Return the quote currency that all pairs have."""
    listed = [pairs] if isinstance(pairs, str) else list(pairs)
    currencies = {currency_of(str(pair).partition("_")[0]) for pair in listed}
    if len(currencies) != 1:
        raise _unbounded("its pairs have several quote currencies")
    return currencies.pop()


def _value(given: Any) -> Any:  # noqa: ANN401
    """Return the number of `{"value": "0.5"}`."""
    return given.get("value") if is_object(given) else given


def _check_trailing(fields: dict[str, Any]) -> None:
    """Refuse an order that follows the price, which may get any."""
    trailing = fields.get("trailing")
    if is_object(trailing) and trailing.get("enabled") is not False:
        raise _unbounded("the order trails the price")


def _bound(
    market: Callable[[], Decimal], *, is_limit_buy: bool, limit: object, others: Iterable[object] = ()
) -> Decimal:
    """Return the highest price that an order is counted with.

    Only a limit order that buys never gets a price above its own. Others may be filled at that of the market, whatever
    price is given beside them.
    """
    given = [Decimal(str(price)) for price in (limit, *others) if price is not None]
    if is_limit_buy and limit is not None:
        return Decimal(str(limit))
    return max([*given, market()])


def _order(pair: str, quantity: object, price: object) -> Volume:
    if price is None:
        raise _unbounded("its price is unknown")
    return Volume(_EXACT.multiply(Decimal(str(quantity)), Decimal(str(price))), _one_currency(pair))


def _market_price(client: Client, account_id: int, pair: str) -> Decimal:
    """Return the highest price of a pair on the market of an account."""
    market = client.accounts.get(account_id).market_code
    rates = client.markets.rates(str(market), pair).to_dict()
    prices = [Decimal(str(rates[name])) for name in ("last", "ask") if rates.get(name) is not None]
    if not prices:
        raise _unbounded(f"the service has no price of {pair}")
    return max(prices)
