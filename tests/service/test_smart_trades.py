"""SmartTrades: by how much their funds can be reduced."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import BotSandbox, Service

    Call = Callable[..., Any]


def test_it_asks_the_second_version_of_the_service(service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
    call(service_client.smart_trades, "reduce_funds_info", 301)
    assert service.sent == [("GET", "/public/api/v2/smart_trades/301/reduce_funds_info", "")]


@pytest.mark.parametrize("smart_trade_id", [301, 303])
@pytest.mark.shows("transition SmartTrade waiting_targets, Available reduce funds")
def test_the_most_that_can_be_taken_out_comes_back(context: BotSandbox, smart_trade_id: int, call: Call) -> None:
    info = call(context.client.smart_trades, "reduce_funds_info", smart_trade_id)
    assert type(info) is botdesk.ReduceFundsInfo
    assert type(info.max_reduce_funds_amount) is Decimal


def test_every_digit_is_kept(service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
    digits = "20.63369344208109161460415427391125865759495728126"
    service.respond = lambda _: f'{{"max_reduce_funds_amount":"{digits}"}}'
    assert str(call(service_client.smart_trades, "reduce_funds_info", 1).max_reduce_funds_amount) == digits


@pytest.mark.parametrize("smart_trade_id", [302, 304])
@pytest.mark.shows("transition SmartTrade waiting_targets, Available reduce funds")
def test_a_status_that_does_not_allow_it_is_reported(context: BotSandbox, smart_trade_id: int, call: Call) -> None:
    with pytest.raises(botdesk.WrongParamsError, match="not allowed in the current status") as caught:
        call(context.client.smart_trades, "reduce_funds_info", smart_trade_id)
    assert (caught.value.status, caught.value.error) == (400, "Wrong param(s)")


def test_a_smart_trade_that_is_not_there_is_reported(context: BotSandbox, call: Call) -> None:
    with pytest.raises(botdesk.NotFoundError, match="Smart Trade") as caught:
        call(context.client.smart_trades, "reduce_funds_info", 9_999)
    assert (caught.value.status, caught.value.error) == (404, "Not found")


@pytest.mark.parametrize("smart_trade_id", [0, -1, "one", "", 1.5, True, None, 2**63, 2**64 - 1, 2**64], ids=repr)
def test_it_needs_an_identifier(context: BotSandbox, smart_trade_id: object, call: Call) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        call(context.client.smart_trades, "reduce_funds_info", smart_trade_id)
    assert set(caught.value.errors) == {"smart_trade_id"}
    assert context.sent == []


@pytest.mark.shows("authentication 6")
def test_it_is_rejected_without_its_permission(sandbox: botdesk.Sandbox, client_of: Call, call: Call) -> None:
    client = client_of(sandbox, ["BOTS_READ", "BOTS_WRITE", "ACCOUNTS_READ", "ACCOUNTS_WRITE"])
    with pytest.raises(botdesk.ForbiddenError, match="SMART_TRADES_WRITE"):
        call(client.smart_trades, "reduce_funds_info", 301)


def test_its_permission_alone_will_do(sandbox: botdesk.Sandbox, client_of: Call, call: Call) -> None:
    client = client_of(sandbox, ["SMART_TRADES_WRITE"])
    assert call(client.smart_trades, "reduce_funds_info", 301).max_reduce_funds_amount > 0
