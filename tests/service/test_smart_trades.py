"""SmartTrades: by how much their funds can be reduced."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import BotSandbox

    Call = Callable[..., Any]


@pytest.mark.parametrize("smart_trade_id", [301, 303])
@pytest.mark.shows("transition SmartTrade waiting_targets, Available reduce funds")
def test_the_most_that_can_be_taken_out_comes_back(context: BotSandbox, smart_trade_id: int, call: Call) -> None:
    info = call(context.client.smart_trades, "reduce_funds_info", smart_trade_id)
    assert type(info) is botdesk.ReduceFundsInfo
    assert type(info.max_reduce_funds_amount) is Decimal


@pytest.mark.parametrize("smart_trade_id", [302, 304])
@pytest.mark.shows("transition SmartTrade waiting_targets, Available reduce funds")
def test_a_status_that_does_not_allow_it_is_reported(context: BotSandbox, smart_trade_id: int, call: Call) -> None:
    with pytest.raises(botdesk.WrongParamsError, match="not allowed in the current status") as caught:
        call(context.client.smart_trades, "reduce_funds_info", smart_trade_id)
    assert (caught.value.status, caught.value.error) == (400, "Wrong param(s)")
