"""A sample call of every operation, which succeeds in a new sandbox. Tests take their calls from here.

`test_sample_calls.py` makes each call, and checks that every operation has one.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    import botdesk


class Sample(NamedTuple):
    """The arguments of a call."""

    arguments: dict[str, Any]
    # The id of a record that every new sandbox has; None for an operation that takes no id.
    record_id: int | None


def sample(record_id: int | None = None, /, **arguments: object) -> Sample:
    """Return the sample with these arguments."""
    return Sample(arguments, record_id)


SAMPLES: dict[str, Sample] = {
    "accounts.add": sample(type="binance", name="Main", api_key="a-key", secret="a-secret", types_to_create=[]),
    "accounts.rename": sample(1001, name="Savings"),
    "accounts.load_balances": sample(1001),
    "accounts.networks_info": sample(1001),
    "accounts.deposit_data": sample(1001, currency="USDT", network="TRX"),
    "accounts.leverage_data": sample(1002),
    "dca_bots.list": sample(),
    "dca_bots.get": sample(41),
    "dca_bots.edit": sample(41, name="Edited"),
    "dca_bots.disable": sample(41),
    "dca_bots.cancel_all_deals": sample(41),
    "grid_bots.edit": sample(
        201,
        upper_price="70000",
        lower_price="56000",
        grids_quantity=40,
        quantity_per_grid="0.00051",
        upper_stop_loss_enabled=False,
    ),
    "grid_bots.set_note": sample(203, note="Mind the range"),
    "grid_bots.enable": sample(203),
    "smart_trades.reduce_funds_info": sample(301),
}


def invoke(owner: object, method: str, *args: object, awaited: bool = False, **arguments: object) -> Any:  # noqa: ANN401
    """Call a method, or its `_async` version with `asyncio.run`."""
    if awaited:
        return asyncio.run(getattr(owner, f"{method}_async")(*args, **arguments))
    return getattr(owner, method)(*args, **arguments)


def call(
    client: botdesk.Client, operation: str, *, record_id: int | None = None, awaited: bool = False, **changes: object
) -> Any:  # noqa: ANN401
    """Make the sample call of an operation; `record_id` and `changes` replace what the sample says."""
    resource, _, method = operation.partition(".")
    arguments, sample_id = SAMPLES[operation]
    identifier = () if sample_id is None else (record_id or sample_id,)
    return invoke(getattr(client, resource), method, *identifier, awaited=awaited, **{**arguments, **changes})


def prepare(
    client: botdesk.Client, operation: str, *, record_id: int | None = None, awaited: bool = False, **changes: object
) -> Callable[[], Any]:
    """Return the sample call as a function that sends one request.

    `client.dca_bots.edit` reads the bot first, which is a request of its own.
    So the bot is read before the function returns.
    """
    if operation != "dca_bots.edit":
        return lambda: call(client, operation, record_id=record_id, awaited=awaited, **changes)
    bot = call(client, "dca_bots.get", record_id=record_id)
    return lambda: invoke(bot, "edit", awaited=awaited, **{**SAMPLES[operation].arguments, **changes})
