"""Grid bots of a sandbox whose lines follow the price, and bots that are edited while they run."""

# pyright: reportArgumentType=false

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    with botdesk.Sandbox(bots=0, fee=0) as sandbox:
        sandbox.set_price("USDT_ETH", "3400")
        yield sandbox


def start(sandbox: botdesk.Sandbox, **changes: object) -> int:
    """Start a bot with lines at 3 000, 3 100, … 3 800 at a price of 3 400."""
    given: dict[str, Any] = {
        "account_id": 1001,
        "pair": "USDT_ETH",
        "lower_price": 3000,
        "upper_price": 3800,
        "grids_quantity": 9,
        "quantity_per_grid": 50,
        "order_currency_type": "quote",
    }
    client = sandbox.client()
    bot = cast("int", client.grid_bots.create(**given | changes).id)
    client.grid_bots.enable(bot)
    return bot


def lines(bot: Any) -> dict[int, Decimal]:  # noqa: ANN401
    return {line.id: line.price for line in bot.grid_lines}


def messages(bot: Any) -> list[str]:  # noqa: ANN401
    return [event.message for event in bot.iter_events()]


def test_a_range_that_trails_up_keeps_the_identifiers_of_its_lines(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    bot = start(sandbox, trailing_up_enabled=True)
    before: Any = client.grid_bots.get(bot)
    sandbox.move_price("USDT_ETH", "3950")
    after: Any = client.grid_bots.get(bot)
    old, new = lines(before), lines(after)
    assert (after.lower_price, after.upper_price, after.grids_quantity) == (3200, 4000, 9)
    assert after.grid_price_step == 100
    kept = {line: price for line, price in old.items() if price >= 3200}
    added = {line: price for line, price in new.items() if line not in old}
    assert new == kept | added
    assert list(added.values()) == [3900, 4000]
    assert min(added) > max(old)
    sides = {line.price: (line.side, line.order_placed) for line in after.grid_lines}
    assert (sides[3800], sides[3900], sides[4000]) == (("buy", True), (None, False), ("sell", True))
    assert [message for message in messages(after) if message.startswith("Trailing up")] == [
        "Trailing up. New grid line: 3900 USDT",
        "Trailing up. New grid line: 4000 USDT",
    ]
    # The first of the new lines sold; its profit names it.
    profit = client.grid_bots.profits(bot)[0]
    assert profit.grid_line is not None
    assert profit.grid_line_id == min(added)
    assert profit.grid_line.price == 3900
    assert len(client.grid_bots.profits(bot)) == after.total_profits_count
    # The start, and one market order for each new line.
    assert len(client.grid_bots.orders(bot).balancing_orders or []) == 3


def test_a_range_grows_up_to_its_stop_price_and_trails_down(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    bot = start(sandbox, expansion_up_enabled=True, expansion_up_stop_price=3950, trailing_down_enabled=True)
    sandbox.move_price("USDT_ETH", "4200")
    grown: Any = client.grid_bots.get(bot)
    assert (grown.lower_price, grown.upper_price, grown.grids_quantity) == (3000, 3900, 10)
    sandbox.move_price("USDT_ETH", "2950")
    moved: Any = client.grid_bots.get(bot)
    assert (moved.lower_price, moved.upper_price, moved.grids_quantity) == (2900, 3800, 10)
    # All that happened adds up: what is held, and money.
    orders = client.grid_bots.orders(bot)
    assert len(orders.grid_lines_orders or []) == sum(line.order_placed for line in moved.grid_lines)


def test_a_state_file_keeps_a_run_in_the_middle(sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
    bot = start(sandbox, trailing_up_enabled=True)
    for price in ("3950", "3850"):
        sandbox.move_price("USDT_ETH", price)
    sandbox.dump(tmp_path / "state.json")
    with botdesk.Sandbox(state=tmp_path / "state.json", fee=0) as restored:
        for both in (sandbox, restored):
            for price in ("3600", "4150", "4050"):
                both.move_price("USDT_ETH", price)
        kept = sandbox.client().grid_bots.get(bot).to_dict()
        assert restored.client().grid_bots.get(bot).to_dict() == kept


def test_an_edit_of_a_running_bot_withdraws_its_orders_and_gets_what_the_new_lines_need(
    sandbox: botdesk.Sandbox,
) -> None:
    client = sandbox.client()
    bot = start(sandbox)
    sandbox.move_price("USDT_ETH", "3300")
    before: Any = client.grid_bots.get(bot)
    known = len(messages(before))
    edited: Any = client.grid_bots.edit(bot, upper_price=4000, grids_quantity=11)
    assert (edited.is_enabled, edited.start_price) == (True, 3300)
    since = messages(edited)[known:]
    assert since[0] == "Settings changed"
    withdrawn = [message for message in since if message.startswith("LIMIT order cancelled")]
    assert len(withdrawn) == sum(line.order_placed for line in before.grid_lines)
    # Bought for the sell orders at 3 900 and 4 000; for the others it has what it needs, but for rounding.
    order = (client.grid_bots.orders(bot).balancing_orders or [])[0]
    needed = 50 / Decimal(3900) + 50 / Decimal(4000) - 50 / Decimal(3300) + 50 / Decimal(3400)
    assert abs((order.quantity or 0) - needed) < Decimal("0.0000001")
    # The profit does not change by the edit, but for the price of the order, a tick below that of the market.
    sandbox.move_price("USDT_ETH", "3300")
    after: Any = client.grid_bots.get(bot)
    better = (order.quantity or 0) * (3300 - (order.rate or 0))
    assert after.current_profit_loss == before.current_profit_loss + better


def test_an_edit_that_leaves_the_lines_leaves_the_run(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    bot = start(sandbox, trailing_up_enabled=True)
    sandbox.move_price("USDT_ETH", "3950")
    before: Any = client.grid_bots.get(bot)
    edited: Any = client.grid_bots.edit(bot, name="Renamed", max_active_buy_lines=2)
    assert lines(edited) == lines(before)
    assert sum(line.order_placed for line in edited.grid_lines if line.side == "buy") == 2
    assert len(client.grid_bots.orders(bot).balancing_orders or []) == 3
    sandbox.move_price("USDT_ETH", "3950")
    assert client.grid_bots.get(bot).current_profit_loss == before.current_profit_loss


def test_a_bot_that_runs_is_not_started_again(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    bot = start(sandbox)
    sandbox.move_price("USDT_ETH", "3600")
    before = client.grid_bots.get(bot).to_dict()
    assert client.grid_bots.enable(bot).to_dict() == before


def test_a_stop_loss_above_the_range_buys_with_the_funds_of_the_buy_orders(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    bot = start(
        sandbox,
        upper_stop_loss_enabled=True,
        upper_stop_loss_price=3900,
        upper_stop_loss_action="stop_bot_and_buy",
    )
    sandbox.move_price("USDT_ETH", "4000")
    stopped: Any = client.grid_bots.get(bot)
    assert stopped.is_enabled is False
    # Eight orders of 50 at 3 900.
    bought = [message for message in messages(stopped) if message.startswith("Position closed. Side: BUY")]
    assert bought
    assert "(0.1025641 ETH)" in bought[0]


def test_a_quantity_below_the_minimum_is_refused_and_the_line_is_named(sandbox: botdesk.Sandbox) -> None:
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        start(sandbox, quantity_per_grid="0.001", order_currency_type="base")
    [message] = caught.value.error_attributes["quantity_per_grid"]
    assert message == "the order at 3000 is worth 3, less than the minimum of 5"
