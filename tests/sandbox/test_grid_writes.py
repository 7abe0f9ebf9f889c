"""Grid bots of a sandbox that are created, stopped and deleted."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    with botdesk.Sandbox(bots=0) as sandbox:
        yield sandbox


def test_a_disabled_bot_withdraws_its_orders_and_keeps_its_profits(client: botdesk.Client) -> None:
    before: Any = client.grid_bots.get(201)
    stopped: Any = client.grid_bots.disable(201)
    assert (stopped.is_enabled, stopped.editable) == (False, False)
    assert {(line.side, line.order_placed) for line in stopped.grid_lines} == {(None, False)}
    assert (stopped.investment_base_currency, stopped.investment_quote_currency) == (0, 0)
    assert (stopped.current_profit_loss, stopped.start_price) == (None, before.start_price)
    assert (stopped.current_profit, stopped.total_profits_count) == (before.current_profit, before.total_profits_count)
    assert client.grid_bots.orders(201).grid_lines_orders == []
    assert [event.message for event in client.grid_bots.iter_events(201)][-1] == "Bot turned off"


def test_disabling_a_bot_that_is_off_changes_nothing(client: botdesk.Client) -> None:
    before: Any = client.grid_bots.get(203)
    assert client.grid_bots.disable(203).to_dict() == before.to_dict()


def test_a_disabled_bot_does_not_trade_and_starts_again_with_its_counters(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    stopped: Any = client.grid_bots.disable(201)
    sandbox.move_price("USDT_BTC", "65000")
    later: Any = client.grid_bots.get(201)
    assert (later.current_price, later.total_profits_count) == (Decimal(65000), stopped.total_profits_count)
    assert {line.side for line in later.grid_lines} == {None}
    started: Any = client.grid_bots.enable(201)
    assert (started.is_enabled, started.editable, started.start_price) == (True, True, Decimal(65000))
    assert started.total_profits_count == stopped.total_profits_count
    sandbox.move_price("USDT_BTC", "63000")
    sandbox.move_price("USDT_BTC", "65000")
    again: Any = client.grid_bots.get(201)
    assert again.total_profits_count > stopped.total_profits_count


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


def new(**changes: object) -> Any:  # noqa: ANN401
    """Return the inputs of a new bot."""
    return {
        "account_id": 1001,
        "pair": "USDT_ETH",
        "lower_price": 3000,
        "upper_price": 3800,
        "grids_quantity": 9,
        "quantity_per_grid": 50,
        "order_currency_type": "quote",
    } | changes


def test_a_new_bot_is_off_and_its_lines_are_marked_at_the_price(client: botdesk.Client) -> None:
    bot: Any = client.grid_bots.create(**new(name="Night"))
    assert (bot.name, bot.is_enabled, bot.editable, bot.start_price) == ("Night", False, True, None)
    assert [line.price for line in bot.grid_lines] == [Decimal(price) for price in range(3000, 3801, 100)]
    nearest = min(bot.grid_lines, key=lambda line: abs(line.price - bot.current_price))
    below = {line.side for line in bot.grid_lines if line.price < nearest.price}
    above = {line.side for line in bot.grid_lines if line.price > nearest.price}
    assert (nearest.side, below, above) == (None, {"buy"}, {"sell"})
    assert not any(line.order_placed for line in bot.grid_lines)
    assert (bot.max_active_buy_lines, bot.max_active_sell_lines, bot.total_profits_count) == (9, 9, 0)
    assert client.grid_bots.get(bot.id).to_dict() == bot.to_dict()


def test_a_new_bot_trades_once_it_is_enabled(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = cast("int", client.grid_bots.create(**new()).id)
    sandbox.set_price("USDT_ETH", "3400")
    client.grid_bots.enable(bot_id)
    sandbox.move_price("USDT_ETH", "3300")
    sandbox.move_price("USDT_ETH", "3400")
    bot: Any = client.grid_bots.get(bot_id)
    assert (bot.total_profits_count, bot.start_price) == (1, 3400)
    assert bot.current_profit > 0


def test_a_bot_without_a_name_gets_that_of_its_pair(client: botdesk.Client) -> None:
    assert client.grid_bots.create(**new()).name == "ETH/USDT"


def test_a_bot_of_futures_that_turns_round_earns_what_its_position_did(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    sandbox.set_price("USDT_ETH", 3400)
    bot = client.grid_bots.create(**new(account_id=1002, mode="long", leverage_type="cross")).enable()
    sandbox.set_price("USDT_ETH", 3440)
    before: Any = bot.refresh()
    after: Any = before.edit(mode="short").refresh()
    bought, sold = sorted(bot.orders().balancing_orders or [], key=lambda order: str(order.order_type))
    assert (bought.order_type, sold.order_type) == ("BUY", "SELL")
    assert bought.quantity is not None
    assert bought.rate is not None
    assert sold.rate is not None
    assert sold.quantity is not None
    fee = sold.quantity * sold.rate * Decimal("0.001")
    assert after.current_profit - before.current_profit == bought.quantity * (sold.rate - bought.rate) - fee
    # What it owes was sold at a price that it still has, but for the tick.
    assert 0 <= after.unrealized_profit_loss < Decimal("0.1")


def test_a_bot_of_a_futures_account_has_a_direction(client: botdesk.Client) -> None:
    futures = client.grid_bots.create(**new(account_id=1002, mode="short", leverage_type="cross"))
    assert (futures.mode, futures.leverage_type) == ("short", "cross")
    assert client.grid_bots.create(**new(mode="short")).mode is None


@pytest.mark.parametrize(
    ("account", "action"), [(1001, "stop_bot_and_close_position"), (1002, "stop_bot_and_buy")], ids=["spot", "futures"]
)
def test_an_account_has_its_own_stop_actions(client: botdesk.Client, account: int, action: str) -> None:
    stop = {"upper_stop_loss_enabled": True, "upper_stop_loss_price": 3900, "upper_stop_loss_action": action}
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        client.grid_bots.create(**new(account_id=account, **stop))
    assert set(caught.value.error_attributes) == {"upper_stop_loss_action"}


def test_a_stop_price_inside_the_range_is_a_warning_that_can_be_ignored(client: botdesk.Client) -> None:
    stop = {"lower_stop_loss_enabled": True, "lower_stop_loss_price": 3100}
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        client.grid_bots.create(**new(**stop))
    assert caught.value.error_attributes == {"lower_stop_loss_price": ["must be below lower_price"]}
    assert client.grid_bots.create(**new(**stop, ignore_warnings=True)).lower_stop_loss_price == 3100


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"upper_price": 3000}, "upper_price"),
        ({"grids_quantity": 1}, "grids_quantity"),
        ({"expansion_up_enabled": True}, "expansion_up_stop_price"),
        ({"upper_stop_loss_enabled": True}, "upper_stop_loss_price"),
        ({"pair": "ETH-USDT"}, "pair"),
        pytest.param(
            {"upper_price": 2999},
            "upper_price",
            marks=pytest.mark.shows("rule grid_bots.create: upper_above_lower"),
        ),
    ],
)
def test_a_bot_that_cannot_be_is_not_sent(
    sandbox: botdesk.Sandbox, client: botdesk.Client, changes: dict[str, object], field: str
) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        client.grid_bots.create(**new(**changes))
    assert set(caught.value.errors) == {field}
    assert sandbox.requests == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"pair": "USDT_NEW"}, "pair"), ({"grids_quantity": 1}, "grids_quantity")],
    ids=["pair without a price", "one level"],
)
def test_the_sandbox_refuses_what_is_not_checked(
    client: botdesk.Client, changes: dict[str, object], field: str
) -> None:
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        client.grid_bots.create(**new(**changes), validate=False)
    assert set(caught.value.error_attributes) == {field}


def test_the_id_of_a_deleted_bot_is_not_used_again(client: botdesk.Client) -> None:
    first = cast("int", client.grid_bots.create(**new()).id)
    client.grid_bots.delete(first)
    assert cast("int", client.grid_bots.create(**new()).id) > first


@pytest.mark.shows(
    "rule grid_bots.create.trailing_down_enabled: returned in no record",
    "rule grid_bots.create.expansion_up_enabled: returned in no record",
    "rule grid_bots.create.expansion_up_stop_price: returned in no record",
)
def test_what_no_record_has_is_sent_with_a_new_bot(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    given = {"trailing_down_enabled": True, "expansion_up_enabled": True, "expansion_up_stop_price": 3900}
    client.grid_bots.create(**new(**given))
    sent = json.loads(sandbox.requests[-1].body)
    assert {name: sent[name] for name in given} == given
    assert not given.keys() & {field for field in dir(botdesk.GridBot) if not field.startswith("_")}


def test_a_profit_in_the_base_currency_is_counted_in_it(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.set_price("USDT_ETH", "3400")
    pair = [client.grid_bots.create(**new(profit_currency_type=currency)) for currency in ("quote", "base")]
    for bot in pair:
        bot.enable()
    for price in ("3500", "3300", "3600", "3400"):
        sandbox.move_price("USDT_ETH", price)
    in_quote, in_base = (cast("Any", bot.refresh()) for bot in pair)
    assert in_quote.total_profits_count == in_base.total_profits_count > 2
    assert in_quote.current_profit_usd > in_quote.total_profits_count
    # Each profit is that of the other bot, at the price of its line.
    for quote, base in zip(in_quote.profits(), in_base.profits(), strict=True):
        assert abs(base.profit * base.grid_line.price - quote.profit) < Decimal("0.01")
        assert abs(base.usd_profit - quote.usd_profit) < Decimal("0.01")
    assert abs(in_base.current_profit * 3450 - in_quote.current_profit) < Decimal("0.5")
    unrealized = in_base.unrealized_profit_loss
    assert in_base.current_profit_loss == in_base.current_profit + unrealized
    assert abs(unrealized * 3400 - in_quote.unrealized_profit_loss) < Decimal("0.01")
    assert abs(in_base.profit_percentage - in_quote.profit_percentage) < Decimal("0.1")
    assert in_base.report().realized == in_base.current_profit


def test_a_profit_is_converted_when_its_currency_is_changed(client: botdesk.Client) -> None:
    bot: Any = client.grid_bots.get(203)
    edited: Any = bot.edit(profit_currency_type="base")
    assert abs(edited.current_profit * edited.current_price - bot.current_profit) < Decimal("0.000001")
    assert client.grid_bots.get(203).current_profit == edited.current_profit
