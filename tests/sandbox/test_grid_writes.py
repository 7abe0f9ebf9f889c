"""What the sandbox does with grid bots that are stopped and deleted."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    with botdesk.Sandbox(bots=0) as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: botdesk.Sandbox) -> botdesk.Client:
    return sandbox.client()


def test_a_disabled_bot_withdraws_its_orders_and_keeps_its_profits(client: botdesk.Client) -> None:
    before = client.grid_bots.get(201)
    stopped = client.grid_bots.disable(201)
    assert (stopped.is_enabled, stopped.editable) == (False, False)
    assert {(line.side, line.order_placed) for line in stopped.grid_lines} == {(None, False)}
    assert (stopped.investment_base_currency, stopped.investment_quote_currency) == (0, 0)
    assert (stopped.current_profit_loss, stopped.start_price) == (None, before.start_price)
    assert (stopped.current_profit, stopped.total_profits_count) == (before.current_profit, before.total_profits_count)
    assert client.grid_bots.orders(201).grid_lines_orders == []
    assert [event.message for event in client.grid_bots.iter_events(201)][-1] == "Bot turned off"


def test_disabling_a_bot_that_is_off_changes_nothing(client: botdesk.Client) -> None:
    before = client.grid_bots.get(203)
    assert client.grid_bots.disable(203).to_dict() == before.to_dict()


def test_a_disabled_bot_does_not_trade_and_starts_again_with_its_counters(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    stopped = client.grid_bots.disable(201)
    sandbox.move_price("USDT_BTC", "65000")
    later = client.grid_bots.get(201)
    assert (later.current_price, later.total_profits_count) == (Decimal(65000), stopped.total_profits_count)
    assert {line.side for line in later.grid_lines} == {None}
    started = client.grid_bots.enable(201)
    assert (started.is_enabled, started.editable, started.start_price) == (True, True, Decimal(65000))
    assert started.total_profits_count == stopped.total_profits_count
    sandbox.move_price("USDT_BTC", "63000")
    sandbox.move_price("USDT_BTC", "65000")
    assert client.grid_bots.get(201).total_profits_count > stopped.total_profits_count


def test_a_stopped_bot_has_no_required_balances(client: botdesk.Client) -> None:
    client.grid_bots.disable(201)
    with pytest.raises(botdesk.ApiError, match="grid_lines_not_marked"):
        client.grid_bots.required_balances(201)


def test_an_enabled_bot_is_not_deleted(client: botdesk.Client) -> None:
    with pytest.raises(botdesk.ForbiddenError):
        client.grid_bots.delete(201)
    assert client.grid_bots.get(201).is_enabled


def test_a_deleted_bot_is_gone(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    client.grid_bots.disable(201)
    client.grid_bots.delete(201)
    with pytest.raises(botdesk.NotFoundError):
        client.grid_bots.get(201)
    assert 201 not in [bot.id for bot in client.grid_bots.iter()]
    sandbox.set_price("USDT_BTC", "60000")


def test_many_bots_are_deleted_each_with_its_outcome(client: botdesk.Client) -> None:
    result = client.grid_bots.delete_many([203, 201])
    assert [(item.id, item.status) for item in result] == [(203, "done"), (201, "failed")]
