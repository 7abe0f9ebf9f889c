"""Short forms of a SmartTrade: values for its entry and its targets, and their conversion to the inputs of the API.

The names say *order* and *target* because `StopLoss`, `Market` and `Trailing` are records already.
"""

# Values that a user writes may be of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnnecessaryIsInstance=false

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, Never, cast

from botdesk.errors import ValidationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    PriceType = Literal["bid", "ask", "last"]
    Number = str | int | Decimal

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
# Keeps a malicious exponent from exhausting the memory.
_MAX_EXPONENT = 100
_WHOLE = Decimal(100)
# An equal share must not need more decimals than this: three shares of 33.33 do not add up to 100.
_SHARE_STEP = Decimal("0.01")


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """What the entries have in common.

    Attributes:
        when: The trigger price, which makes the entry a conditional one; None for one that is placed at once.
        trailing: The distance in percent at which the entry follows the price after the trigger; needs `when`.
        price_type: The price that triggers: `bid`, `ask` or `last`; None for the service's default.
    """

    when: Number | None = None
    trailing: Number | None = None
    price_type: PriceType | None = None


@dataclass(frozen=True, kw_only=True)
class MarketOrder(_Entry):
    """An entry at the market price.

    Attributes:
        when: The trigger price, which makes the entry a conditional one; None for one that trades at once.
        trailing: The distance in percent at which the entry follows the price after the trigger; needs `when`.
        price_type: The price that triggers: `bid`, `ask` or `last`; None for the service's default.

    Example:
        >>> import botdesk
        >>> botdesk.MarketOrder(when="61000", trailing="0.5%").when
        '61000'
    """


@dataclass(frozen=True)
class LimitOrder(_Entry):
    """An entry by a limit order.

    Attributes:
        price: The limit price, more than 0.
        when: The trigger price, which makes the entry a conditional one; None for one that is placed at once.
        trailing: The distance in percent at which the entry follows the price after the trigger; needs `when`.
        price_type: The price that triggers: `bid`, `ask` or `last`; None for the service's default.

    Example:
        >>> import botdesk
        >>> botdesk.LimitOrder("60000", when="61000").price
        '60000'
    """

    price: Number


@dataclass(frozen=True)
class Target:
    """A take-profit step.

    Attributes:
        price: The price; or a string such as `"5%"` for the distance from the entry.
        share: The part of the position in percent; None for what the other targets leave.
        order_type: `limit` or `market`.
        trailing: The distance in percent at which the step follows the price, 0.01 to 100; only on the last target.
        price_type: The price that is followed: `bid`, `ask` or `last`; None for the service's default.

    Example:
        >>> import botdesk
        >>> botdesk.Target("63000", share=50).share
        50
    """

    price: Number
    share: Number | None = None
    order_type: Literal["limit", "market"] = "limit"
    trailing: Number | None = None
    price_type: PriceType | None = None


@dataclass(frozen=True)
class StopOrder:
    """A stop loss.

    Attributes:
        price: The trigger price.
        limit: The price of the limit order that is placed at the trigger; None for a market order.
        breakeven: True to move the stop loss to the entry price after the first target; needs two targets.
        timeout: The time in seconds that the price must stay beyond the trigger; None for none.
        trailing: True if the trigger follows the price at its distance from the entry.
        price_type: The price that triggers: `bid`, `ask` or `last`; None for the service's default.

    Example:
        >>> import botdesk
        >>> botdesk.StopOrder("57000", breakeven=True, timeout=60).timeout
        60
    """

    price: Number
    limit: Number | None = None
    breakeven: bool = False
    timeout: int | None = None
    trailing: bool = False
    price_type: PriceType | None = None


def position(side: str, units: Number, order: MarketOrder | LimitOrder) -> dict[str, Any]:
    """Return the position of a new SmartTrade."""
    if not isinstance(order, MarketOrder | LimitOrder):
        _refuse("order", f"must be a MarketOrder or a LimitOrder, not {type(order).__name__}")
    made: dict[str, Any] = {"type": side, "order_type": _order_type(order), "units": {"value": _number("units", units)}}
    if isinstance(order, LimitOrder):
        made["price"] = {"value": _number("order.price", order.price)}
    if order.when is None:
        for name in ("trailing", "price_type"):
            if getattr(order, name) is not None:
                _refuse(f"order.{name}", "needs when, the trigger price")
        return made
    condition = {"order_type": made["order_type"], "price": _trigger("order.when", order.when, order.price_type)}
    if order.trailing is not None:
        condition["trailing"] = {"enabled": True, "percent": _percent("order.trailing", order.trailing)}
    return {**made, "order_type": "conditional", "conditional": condition}


def take_profit(given: object) -> dict[str, Any]:
    """Return the take profit: from a dictionary of the API as it is, from one target, or from a list of targets."""
    if is_of_api(given):
        return cast("dict[str, Any]", given)
    if isinstance(given, tuple):
        _refuse("take_profit", "write the targets as a list, such as [('63000', 50), ('66000', 50)]")
    targets = given if isinstance(given, list) else [given]
    if not targets:
        _refuse("take_profit", "has no targets; leave it out for none")
    steps = [_step(f"take_profit[{index}]", target) for index, target in enumerate(targets)]
    return {"enabled": True, "steps": _with_shares(steps)}


def is_of_api(given: object) -> bool:
    """Return whether a take profit is a dictionary of the API, and not one of its steps."""
    return isinstance(given, dict) and ("enabled" in given or "steps" in given)


def stop_loss(given: object) -> dict[str, Any]:
    """Return the stop loss: from a dictionary of the API as it is, from a price, or from a `StopOrder`."""
    if isinstance(given, dict):
        return given
    stop = given if isinstance(given, StopOrder) else StopOrder(cast("Any", given))
    if isinstance(stop.price, str) and stop.price.endswith("%"):
        # The API has a percentage only for a position whose trailing is not finished, and does not say its sign.
        _refuse("stop_loss.price", f"{stop.price!r} is not a price; write the trigger price")
    made: dict[str, Any] = {
        "enabled": True,
        "order_type": "market" if stop.limit is None else "limit",
        "conditional": {"price": _trigger("stop_loss.price", stop.price, stop.price_type)},
    }
    if stop.limit is not None:
        made["price"] = {"value": _number("stop_loss.limit", stop.limit)}
    if stop.trailing:
        made["conditional"]["trailing"] = {"enabled": True}
    if stop.breakeven:
        made["breakeven"] = True
    if stop.timeout is not None:
        made["timeout"] = {"enabled": True, "value": stop.timeout}
    return made


def _order_type(order: MarketOrder | LimitOrder) -> str:
    return "limit" if isinstance(order, LimitOrder) else "market"


def _step(name: str, given: object) -> dict[str, Any]:
    """Return a take-profit step; it has no volume if its share is left out."""
    if isinstance(given, dict):
        return given
    if isinstance(given, tuple):
        if len(given) != 2:  # noqa: PLR2004 - a pair
            _refuse(name, f"must be a price and a share, such as ('63000', 50), not {given!r}")
        given = Target(*given)
    target = given if isinstance(given, Target) else Target(cast("Any", given))
    is_percent = isinstance(target.price, str) and target.price.endswith("%")
    amount = _percent if is_percent else _number
    price = {"percent" if is_percent else "value": amount(f"{name}.price", target.price)}
    step: dict[str, Any] = {"order_type": target.order_type, "price": price}
    if target.price_type is not None:
        price["type"] = target.price_type
    if target.share is not None:
        step["volume"] = _percent(f"{name}.share", target.share)
    if target.trailing is not None:
        step["trailing"] = {"enabled": True, "percent": _percent(f"{name}.trailing", target.trailing)}
    return step


def _with_shares(steps: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the steps with the shares that were left out, if only one division is possible."""
    missing = [index for index, step in enumerate(steps) if step.get("volume") is None]
    if not missing:
        return list(steps)
    name = f"take_profit[{missing[0]}].share"
    if len(missing) == len(steps):
        share = _WHOLE / len(steps)
        if share != share.quantize(_SHARE_STEP):
            _refuse(name, f"is required: {len(steps)} equal shares do not add up to exactly 100")
    elif len(missing) > 1:
        _refuse(name, "is required: only one share may be left out, or all of them")
    else:
        others = (each for each in enumerate(steps) if each[0] not in missing)
        held = [Decimal(_number(f"take_profit[{index}].volume", step["volume"])) for index, step in others]
        share = _WHOLE - sum(held, Decimal(0))
        if share <= 0:
            _refuse(name, f"the other shares add up to {sum(held, Decimal(0))} already, which leaves nothing")
    text = format(share.normalize(), "f")
    return [{**step, "volume": text} if index in missing else step for index, step in enumerate(steps)]


def _trigger(name: str, value: Number, price_type: str | None) -> dict[str, Any]:
    price: dict[str, Any] = {"value": _number(name, value)}
    return price if price_type is None else {**price, "type": price_type}


def _percent(name: str, value: object) -> str:
    """Return a percentage, which may be written with its sign."""
    return _number(name, value.removesuffix("%").rstrip() if isinstance(value, str) else value)


def _number(name: str, value: object) -> str:
    """Return an exact number that is more than 0 as the body has it."""
    if isinstance(value, float):
        _refuse(name, f"write {value!r} as a string or a Decimal: a float is not exact")
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        _refuse(name, f"must be a number, such as '60000', not {value!r}")
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        _refuse(name, f"{value!r} is not a number that is more than 0, such as '60000'")
    number = Decimal(value)
    if not number.is_finite() or number <= 0 or abs(number.adjusted()) > _MAX_EXPONENT:
        _refuse(name, f"must be a number that is more than 0, not {value}")
    return value if isinstance(value, str) else format(number, "f")


def _refuse(name: str, message: str) -> Never:
    raise ValidationError(f"{name}: {message}", errors={name: [message]})


# What the user wrote for each path of the API, if it was written in a short form.
_ENTRY = (
    ("position.conditional.price.value", "order.when"),
    ("position.conditional.price.type", "order.price_type"),
    ("position.conditional.trailing", "order.trailing"),
    ("position.conditional", "order"),
    ("position.price", "order.price"),
    ("position.order_type", "order"),
    ("position.type", "side"),
    ("position.total", "units"),
    ("position.units", "units"),
    ("units_to_buy", "units"),
    ("position", "order"),
)
_STEP = (("volume", "share"), ("price.type", "price_type"), ("price", "price"), ("trailing", "trailing"))
_STOP = (
    ("conditional.price.type", "price_type"),
    ("conditional.price", "price"),
    ("conditional.trailing", "trailing"),
    ("price", "limit"),
    ("timeout", "timeout"),
)
_STEP_PATH = re.compile(r"take_profit\.steps\.([0-9]+)(?:\.(.+))?")


def named_by_user(errors: Mapping[str, list[str]], given: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the errors under the arguments that the user wrote; those that have none keep their names.

    `given` has the arguments. A key may join several paths by commas.
    """
    named: dict[str, list[str]] = {}
    for key, messages in errors.items():
        arguments = dict.fromkeys(_argument(path.strip(), given) for path in key.split(","))
        for argument in arguments:
            known = named.setdefault(argument, [])
            known += [message for message in messages if message not in known]
    return named


def _argument(path: str, given: Mapping[str, object]) -> str:
    """Return the argument of a path such as `take_profit[steps][0][price][value]` or `position.total`."""
    plain = path.replace("][", ".").replace("[", ".").replace("]", "")
    step = _STEP_PATH.fullmatch(plain)
    if step is not None:
        return _step_argument(int(step[1]), step[2], given.get("take_profit"), path)
    if plain.startswith("stop_loss.") and not isinstance(given.get("stop_loss"), dict):
        member = plain.removeprefix("stop_loss.")
        return f"stop_loss.{_renamed(member, _STOP) or member}"
    return _renamed(plain, _ENTRY) or path


def _step_argument(index: int, member: str | None, written: object, path: str) -> str:
    if is_of_api(written):
        return path
    of_list = isinstance(written, list)
    name = f"take_profit[{index}]" if of_list else "take_profit"
    if member is None:
        return name
    is_short = not isinstance(written[index] if isinstance(written, list) and index < len(written) else written, dict)
    return f"{name}.{(_renamed(member, _STEP) if is_short else None) or member}"


def _renamed(path: str, names: Sequence[tuple[str, str]]) -> str | None:
    return next((name for start, name in names if path == start or path.startswith(f"{start}.")), None)
