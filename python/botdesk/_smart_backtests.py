"""The SmartTrade of a backtest: a record, or the arguments of a new one, as the JSON that the native code reads."""

# Values that a user writes may be of any type.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import botdesk
from botdesk import _smart_forms, _smart_orders
from botdesk._invalid import invalid

# What a new SmartTrade needs, but the backtest does not.
_ACCOUNT = {"account_id": 1}
_NO_PAIR = "QUOTE_BASE"


def settings(given: object) -> str:
    """Return the JSON of a SmartTrade."""
    if isinstance(given, botdesk.SmartTrade):
        return given.to_json()
    if not isinstance(given, Mapping):
        raise invalid(
            "smart_trade", f"must be a SmartTrade or a dict with the arguments of smart_trades.create, not {given!r}"
        )
    arguments = cast("Mapping[str, Any]", given)
    names = [*_smart_orders.CREATE._input_names(), *_smart_forms.ENTRY, "marker"]  # noqa: SLF001 - a class of the package
    unknown = [str(name) for name in arguments if name not in names]
    if unknown:
        raise invalid("smart_trade", f"{unknown[0]!r} is not an argument of smart_trades.create")
    wanted = {name: value for name, value in arguments.items() if value is not None and name != "marker"}
    body = json.loads(_smart_orders.body_of_new({**_ACCOUNT, "pair": _NO_PAIR, **wanted}))
    if "pair" not in wanted:
        del body["pair"]
    return json.dumps(body)
