"""Short forms of a SmartTrade: values for its entry and its targets, and their conversion to the inputs of the API."""

# Values that a user writes may be of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnnecessaryIsInstance=false

from __future__ import annotations

import re
import secrets
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any, Literal, cast

from botdesk._exact import DIVISION
from botdesk._invalid import invalid

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
_LONGEST_NOTE = 300


@dataclass(frozen=True)
class Limit:
    """An entry by a limit order.

    Attributes:
        price: The limit price, more than 0.

    Example:
        >>> import botdesk
        >>> botdesk.Limit("60000").price
        '60000'
    """

    price: Number


@dataclass(frozen=True)
class Conditional:
    """An entry that waits until the price reaches a trigger.

    Attributes:
        price: The trigger price, more than 0.
        limit: The price of the limit order that is placed at the trigger; None for a market order.
        trailing: The distance in percent at which the entry follows the price after the trigger, such as `"0.5%"`; None
            to enter at the trigger.
        price_type: The price that triggers: `bid`, `ask` or `last`; None for the service's default.

    Example:
        >>> import botdesk
        >>> botdesk.Conditional("61000", trailing="0.5%").price
        '61000'
    """

    price: Number
    limit: Number | None = None
    trailing: Number | None = None
    _: KW_ONLY
    price_type: PriceType | None = None


@dataclass(frozen=True)
class Trailing:
    """A take-profit target that follows the price once it is reached; only the last target may be one.

    Attributes:
        price: The price that starts it; or a string such as `"5%"` for the distance from the entry.
        distance: The distance in percent by which the price must fall back from its best, 0.01 to 100, such as `"1%"`.
        share: The part of the position in percent; None for what the other targets leave.
        order_type: The order that closes the part then: `market` or `limit`.
        price_type: The price that is followed: `bid`, `ask` or `last`; None for the service's default.

    Example:
        >>> import botdesk
        >>> botdesk.Trailing("66000", "1%", share=50).share
        50
    """

    price: Number
    distance: Number
    share: Number | None = None
    _: KW_ONLY
    order_type: Literal["market", "limit"] = "market"
    price_type: PriceType | None = None


@dataclass(frozen=True)
class StopLoss:
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
        >>> botdesk.StopLoss("57000", breakeven=True, timeout=60).timeout
        60
    """

    price: Number
    limit: Number | None = None
    _: KW_ONLY
    breakeven: bool = False
    timeout: int | None = None
    trailing: bool = False
    price_type: PriceType | None = None


if TYPE_CHECKING:
    Target = Number | tuple[Number, Number] | Trailing | dict[str, Any]
    Targets = Number | Trailing | dict[str, Any] | list[Target] | list[Any]

# The arguments that are no inputs of the API.
ENTRY = ("side", "units", "order")


def inputs_of_new(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of the API for the arguments of a new SmartTrade."""
    inputs = _without_entry(given)
    if inputs.pop("marker", False):
        inputs["note"] = _marked(inputs.get("note"))
    made: dict[str, Any] = {}
    if "side" in given:
        made["type"] = given["side"]
    if "order" in given:
        made |= _entry(given["order"])
    _add_position(inputs, given, made)
    if isinstance(inputs.get("position"), dict) and any(name in given for name in ENTRY):
        for member, name in (("type", "side"), ("order_type", "order"), ("units", "units")):
            if member not in inputs["position"]:
                raise invalid(name, f"is required beside {', '.join(each for each in ENTRY if each in given)}")
    return _with_targets(inputs, is_edit=False)


def inputs_of_edit(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of the API for the arguments of an edit, whose parts replace those of the SmartTrade."""
    inputs = _without_entry(given)
    made: dict[str, Any] = {}
    if "order" in given:
        if given["order"] == "market":
            raise invalid("order", "can't become a market order; force_start() enters at the market price")
        made = _entry(given["order"])
        # The type of the entry can't be edited, but the order that a conditional one places can.
        made.pop("order_type")
        if "conditional" in made:
            made["conditional"].setdefault("trailing", {"enabled": False})
    _add_position(inputs, given, made)
    return _with_targets(inputs, is_edit=True)


def check_edited_entry(given: Mapping[str, Any], inputs: Mapping[str, Any], trade: Mapping[str, Any]) -> None:
    """Refuse an edit whose entry is of another type than that of the SmartTrade, whose order would take the new price.

    Args:
        given: The arguments as they were written.
        inputs: The inputs of the API.
        trade: The SmartTrade.
    """
    position = inputs.get("position")
    if not isinstance(position, dict):
        return
    data: dict[str, Any] = trade.get("data") or {}
    entry: dict[str, Any] = trade.get("position") or {}
    known, asked = entry.get("order_type"), _type_of_entry(given, position)
    is_filled = Decimal(str(data.get("entered_amount") or 0)) > 0
    if not is_filled and None not in {known, asked} and asked != known:
        name = "order" if "order" in given else "position"
        what = f"the entry is of the type {known}, which can't become {asked}"
        raise invalid(name, f"{what}; cancel the SmartTrade and create another one")


def _type_of_entry(given: Mapping[str, Any], position: Mapping[str, Any]) -> str | None:
    """Return the type of the entry that an edit is for; None if it suits every type."""
    if position.get("conditional") is not None:
        return "conditional"
    return "limit" if "order" in given else None


def _without_entry(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in ENTRY}


def _add_position(inputs: dict[str, Any], given: Mapping[str, Any], made: dict[str, Any]) -> None:
    """Add the members of the position that were written as arguments to those of a dictionary."""
    if "units" in given:
        made["units"] = {"value": _number("units", given["units"])}
    if not made:
        return
    position = inputs.get("position", {})
    if not isinstance(position, dict):
        return
    twice = next((name for name in made if name in position), None)
    if twice is not None:
        name = _argument(f"position.{twice}", {**given, "position": None})
        raise invalid(name, f"can't be given beside position, which has {twice}")
    inputs["position"] = {**made, **position}


def _with_targets(inputs: dict[str, Any], *, is_edit: bool) -> dict[str, Any]:
    if "take_profit" in inputs:
        inputs["take_profit"] = _take_profit(inputs["take_profit"])
    if "stop_loss" in inputs:
        inputs["stop_loss"] = _stop_loss(inputs["stop_loss"], is_edit=is_edit)
    return inputs


def _marked(note: object) -> str:
    """Return a note with a marker that no other SmartTrade has."""
    text = "" if note is None else str(note)
    marked = f"{text} [{secrets.token_hex(6)}]".lstrip()
    if len(marked) > _LONGEST_NOTE:
        raise invalid(
            "note", f"has {len(text)} characters, which leaves no room for the marker; the longest is 300 with it"
        )
    return marked


def _entry(order: object) -> dict[str, Any]:
    """Return the members of a position that an order has."""
    if isinstance(order, Trailing | StopLoss):
        form = type(order).__name__
        raise invalid(
            "order", f"{form} is for targets; an entry that follows the price is Conditional('61000', trailing='1%')"
        )
    if order == "market":
        return {"order_type": "market"}
    if not isinstance(order, Conditional):
        name, price = ("order.price", order.price) if isinstance(order, Limit) else ("order", order)
        return {"order_type": "limit", "price": {"value": _number(name, price)}}
    order_type = "market" if order.limit is None else "limit"
    condition = {"order_type": order_type, "price": _trigger("order.price", order.price, order.price_type)}
    if order.trailing is not None:
        condition["trailing"] = {"enabled": True, "percent": _percent("order.trailing", order.trailing)}
    made: dict[str, Any] = {"order_type": "conditional", "conditional": condition}
    if order.limit is not None:
        made["price"] = {"value": _number("order.limit", order.limit)}
    return made


def _take_profit(given: object) -> dict[str, Any]:
    """Return the take profit: from a dictionary of the API as it is, from one target, or from a list of targets."""
    if is_of_api(given):
        return cast("dict[str, Any]", given)
    if isinstance(given, tuple):
        raise invalid("take_profit", "write the targets as a list, such as [('63000', 50), ('66000', 50)]")
    targets = given if isinstance(given, list) else [given]
    if not targets:
        raise invalid("take_profit", "has no targets; leave it out for none")
    names = [f"take_profit[{index}]" if targets is given else "take_profit" for index in range(len(targets))]
    steps = [_step(name, target) for name, target in zip(names, targets, strict=True)]
    with localcontext(DIVISION):
        return {"enabled": True, "steps": _with_shares(steps)}


def is_of_api(given: object) -> bool:
    """Return whether a take profit is a dictionary of the API, and not one of its steps."""
    return isinstance(given, dict) and ("enabled" in given or "steps" in given)


def _stop_loss(given: object, *, is_edit: bool) -> dict[str, Any]:
    """Return the stop loss: from a dictionary of the API as it is, from a price, or from a `StopLoss`."""
    if isinstance(given, dict):
        return given
    name, stop = (
        ("stop_loss.price", given) if isinstance(given, StopLoss) else ("stop_loss", StopLoss(cast("Any", given)))
    )
    if isinstance(stop.price, str) and stop.price.endswith("%"):
        # The API has a percentage only for a position whose trailing is not finished, and does not say its sign.
        raise invalid(name, f"{stop.price!r} is not a price; write the trigger price")
    made: dict[str, Any] = {
        "enabled": True,
        "order_type": "market" if stop.limit is None else "limit",
        "conditional": {"price": _trigger(name, stop.price, stop.price_type)},
    }
    if stop.limit is not None:
        made["price"] = {"value": _number("stop_loss.limit", stop.limit)}
    # An edit replaces the whole stop loss, so it also says what the new one does not have.
    if stop.trailing or is_edit:
        made["conditional"]["trailing"] = {"enabled": bool(stop.trailing)}
    if stop.breakeven or is_edit:
        made["breakeven"] = bool(stop.breakeven)
    if stop.timeout is not None:
        made["timeout"] = {"enabled": True, "value": stop.timeout}
    elif is_edit:
        made["timeout"] = {"enabled": False}
    return made


def _step(name: str, given: object) -> dict[str, Any]:
    """Return a take-profit step; it has no volume if its share is left out."""
    if isinstance(given, dict):
        return given
    if isinstance(given, Conditional | Limit | StopLoss):
        raise invalid(
            name, f"{type(given).__name__} is no target; write a price, a pair such as ('63000', 50), or a Trailing"
        )
    if isinstance(given, Trailing):
        step = _priced(name, given.price, given.share, given.order_type)
        if given.price_type is not None:
            step["price"]["type"] = given.price_type
        step["trailing"] = {"enabled": True, "percent": _percent(f"{name}.distance", given.distance)}
        return step
    # JSON has lists in place of pairs.
    if not isinstance(given, tuple | list):
        return _priced(name, given, None, "limit", called=name)
    if len(given) != 2:  # noqa: PLR2004 - a pair
        raise invalid(name, f"must be a price and a share, such as ('63000', 50), not {given!r}")
    price, share = given
    return _priced(name, price, share, "limit")


def _priced(name: str, price: object, share: object, order_type: str, *, called: str | None = None) -> dict[str, Any]:
    """Return a step at a price, which errors name `called`."""
    is_percent = isinstance(price, str) and price.endswith("%")
    amount = _percent if is_percent else _number
    step: dict[str, Any] = {
        "order_type": order_type,
        "price": {"percent" if is_percent else "value": amount(called or f"{name}.price", price)},
    }
    if share is not None:
        step["volume"] = _percent(f"{name}.share", share)
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
            raise invalid(name, f"is required: {len(steps)} equal shares do not add up to exactly 100")
    elif len(missing) > 1:
        raise invalid(name, "is required: only one share may be left out, or all of them")
    else:
        others = (each for each in enumerate(steps) if each[0] not in missing)
        held = [Decimal(_number(f"take_profit[{index}].volume", step["volume"])) for index, step in others]
        share = _WHOLE - sum(held, Decimal(0))
        if share <= 0:
            raise invalid(name, f"the other shares add up to {sum(held, Decimal(0))} already, which leaves nothing")
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
        raise invalid(name, f"write {value!r} as a string or a Decimal: a float is not exact")
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise invalid(name, f"must be a number, such as '60000', not {value!r}")
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise invalid(name, f"{value!r} is not a number that is more than 0, such as '60000'")
    number = Decimal(value)
    if not number.is_finite() or number <= 0 or abs(number.adjusted()) > _MAX_EXPONENT:
        raise invalid(name, f"must be a number that is more than 0, not {value}")
    return value if isinstance(value, str) else format(number, "f")


# What the user wrote for each path of the API, if it was written in a short form.
_ENTRY_PATHS = (
    ("position.conditional.price.value", "order.price"),
    ("position.conditional.price.type", "order.price_type"),
    ("position.conditional.trailing", "order.trailing"),
    ("position.conditional", "order"),
    ("position.order_type", "order"),
    ("position.type", "side"),
    ("position.total", "units"),
    ("position.units", "units"),
    ("units_to_buy", "units"),
    ("position", "order"),
)
_STEP_PATHS = (("volume", "share"), ("price.type", "price_type"), ("price", "price"), ("trailing", "distance"))
_STOP_PATHS = (
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
        name = f"stop_loss.{_renamed(member, _STOP_PATHS) or member}"
        return "stop_loss" if name == "stop_loss.price" and not isinstance(given.get("stop_loss"), StopLoss) else name
    if plain == "position.price" or plain.startswith("position.price."):
        order = given.get("order")
        name = (
            "order.limit" if isinstance(order, Conditional) else "order.price" if isinstance(order, Limit) else "order"
        )
    else:
        name = _renamed(plain, _ENTRY_PATHS) or path
    if name.partition(".")[0] in given:
        return name
    # What was written as in the API keeps its name.
    return "position.units" if plain == "units_to_buy" and "position" in given else path


def _step_argument(index: int, member: str | None, written: object, path: str) -> str:
    if is_of_api(written):
        return path
    of_list = isinstance(written, list)
    name = f"take_profit[{index}]" if of_list else "take_profit"
    if member is None:
        return name
    target = written[index] if isinstance(written, list) and index < len(written) else written
    if isinstance(target, dict):
        return f"{name}.{member}"
    renamed = _renamed(member, _STEP_PATHS) or member
    return f"{name}.{renamed}" if renamed != "price" or isinstance(target, Trailing | tuple | list) else name


def _renamed(path: str, names: Sequence[tuple[str, str]]) -> str | None:
    return next((name for start, name in names if path == start or path.startswith(f"{start}.")), None)
