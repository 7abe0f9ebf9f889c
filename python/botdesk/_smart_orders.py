"""SmartTrades from short forms: the methods of `_methods.py` call these functions."""

# ruff: noqa: SLF001 - `Operation` has these methods for the modules of the package

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from botdesk import _smart_forms
from botdesk._native import Operation
from botdesk._types import UNSET
from botdesk.errors import ApiError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from botdesk._api.smart_trades import SmartTrade
    from botdesk._native import Resource

_CREATE = Operation("smart_trades.create")
_INPUTS = tuple(_CREATE._input_names())
_ENTRY = ("side", "units", "order")


def create_inputs(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of `create` for the arguments of `place`; those that are None are left out."""
    inputs = {name: value for name, value in given.items() if value is not None and name not in _ENTRY}
    inputs["position"] = _smart_forms.position(*(given[name] for name in _ENTRY))
    if "take_profit" in inputs:
        inputs["take_profit"] = _smart_forms.take_profit(inputs["take_profit"])
    if "stop_loss" in inputs:
        inputs["stop_loss"] = _smart_forms.stop_loss(inputs["stop_loss"])
    return inputs


def place(trades: Resource, given: Mapping[str, Any]) -> SmartTrade:
    """Send the request for a SmartTrade, once."""
    inputs = _ordered(create_inputs(given))
    with _errors_by_argument(given):
        return cast("SmartTrade", _CREATE._send(trades, inputs))


async def place_async(trades: Resource, given: Mapping[str, Any]) -> SmartTrade:
    """Send the request for a SmartTrade, once."""
    inputs = _ordered(create_inputs(given))
    with _errors_by_argument(given):
        return cast("SmartTrade", await _CREATE._send_async(trades, inputs))


def _ordered(inputs: Mapping[str, Any]) -> list[Any]:
    """Return the inputs in the order of their rows."""
    return [inputs.get(name, UNSET) for name in _INPUTS]


@contextmanager
def _errors_by_argument(given: Mapping[str, Any]) -> Generator[None]:
    """Name the arguments that the user wrote in errors of the rules and of the service."""
    try:
        yield
    except ValidationError as error:
        named = _smart_forms.named_by_user(error.errors, given)
        listed = "; ".join(f"{name}: {message}" for name, messages in named.items() for message in messages)
        raise ValidationError(f"validation failed: {listed}" if named else str(error), errors=named) from error
    except ApiError as error:
        # `error_attributes` keeps the names of the service.
        named = _smart_forms.named_by_user(error.inputs, given)
        if named != error.inputs:
            error.inputs = named
            error.add_note(f"arguments: {', '.join(named)}")
        raise
