"""What the sandbox tells of grid bots agrees: profits, events, orders and balances with the records."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import polars as pl
import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUNNING, STOPPED, FUTURES = 201, 203, 204
BOTS = [201, 202, 203, 204, 205]


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Return a sandbox whose orders cost nothing."""
    with botdesk.Sandbox(fee=0) as sandbox:
        yield sandbox


@pytest.fixture
def traded(sandbox: botdesk.Sandbox, client: botdesk.Client) -> botdesk.GridBot:
    """Return a new bot that bought and sold, and is one step below its start."""
    bot = sandbox.add_grid_bot(
        pair="USDT_BTC",
        lower_price=56000,
        upper_price=70000,
        grids_quantity=8,
        quantity_per_grid=150,
        order_currency_type="quote",
    )
    sandbox.set_price("USDT_BTC", 63000)
    client.grid_bots.enable(bot)
    for price in (64000, 62000, 60000):
        sandbox.move_price("USDT_BTC", price)
    return client.grid_bots.get(bot)


def agrees(bot: botdesk.GridBot) -> None:
    """Fail unless the profits are those of the record, and the orders those of its lines."""
    profits = bot.profits()
    assert sum((profit.profit or 0 for profit in profits), Decimal()) == bot.current_profit
    assert sum((profit.usd_profit or 0 for profit in profits), Decimal()) == bot.current_profit_usd
    assert len(profits) == bot.total_profits_count
    lines = {line.id: line for line in bot.grid_lines or []}
    assert {profit.grid_line_id for profit in profits} <= lines.keys()
    assert all(profit.grid_line == lines[profit.grid_line_id] for profit in profits)
    placed = Counter((line.price, str(line.side).upper()) for line in lines.values() if line.order_placed)
    orders = bot.orders(limit=1000).grid_lines_orders or []
    assert Counter((order.rate, order.order_type) for order in orders) == placed


@pytest.mark.parametrize("bot", BOTS)
def test_profits_and_orders_are_those_of_the_record(client: botdesk.Client, bot: int) -> None:
    agrees(client.grid_bots.get(bot))


def test_they_stay_so_while_a_bot_trades(
    sandbox: botdesk.Sandbox, client: botdesk.Client, traded: botdesk.GridBot
) -> None:
    agrees(traded)
    for price in (66000, 58000, 61000, 55000, 71000):
        sandbox.move_price("USDT_BTC", price)
        for bot in (traded.id, RUNNING, FUTURES):
            agrees(client.grid_bots.get(bot or 0))


def test_a_profit_is_the_step_that_its_line_sold(traded: botdesk.GridBot) -> None:
    (profit,) = traded.profits()
    assert (profit.grid_line_id, profit.profit) == (traded.grid_lines[4].id, traded.current_profit)  # type: ignore[index]
    assert profit.profit == 2000 * Decimal("0.00241935")


def test_profits_are_the_latest_first_and_chosen_by_time(client: botdesk.Client) -> None:
    profits = client.grid_bots.profits(RUNNING)
    times = [profit.created_at for profit in profits if profit.created_at]
    assert len(times) == len(profits)
    assert times == sorted(times, reverse=True)
    chosen = client.grid_bots.profits(RUNNING, from_=times[7], to=times[3])
    assert [profit.created_at for profit in chosen] == times[3:8]


def test_an_edit_keeps_the_profits_of_lines_that_are_gone(client: botdesk.Client) -> None:
    before = client.grid_bots.profits(RUNNING)
    client.grid_bots.edit(RUNNING, grids_quantity=7, lower_price=50000, upper_price=51000)
    after = client.grid_bots.profits(RUNNING)
    assert [profit.profit for profit in after] == [profit.profit for profit in before]
    for profit, old in zip(after, before, strict=True):
        assert profit.grid_line is not None
        assert old.grid_line is not None
        assert (profit.grid_line.price, profit.grid_line.order_placed) == (old.grid_line.price, False)


def messages(bot: botdesk.GridBot) -> list[str]:
    return [event.message or "" for event in bot.iter_events()]


def test_events_tell_what_happened_in_order(traded: botdesk.GridBot) -> None:
    told = [message.partition(". ")[0] for message in messages(traded)]
    assert told[:6] == [
        "Bot created",
        "Start command received",
        "Bot turned on",
        "Balancing order created",
        "Balancing order filled",
        "LIMIT order created",
    ]
    filled = [message.split(". ")[1] for message in messages(traded) if message.startswith("LIMIT order filled")]
    assert filled == ["Side: SELL", "Side: BUY", "Side: BUY"]
    times = [event.created_at for event in traded.iter_events()]
    assert times == sorted(times, key=lambda time: time or datetime.min.replace(tzinfo=UTC))


@pytest.mark.parametrize("bot", BOTS)
def test_as_many_orders_are_on_the_exchange_as_the_events_say(client: botdesk.Client, bot: int) -> None:
    told = Counter(message.partition(". ")[0] for message in messages(client.grid_bots.get(bot)))
    gone = told["LIMIT order filled"] + told["LIMIT order cancelled"]
    orders = client.grid_bots.orders(bot, limit=1000).grid_lines_orders or []
    assert len(orders) == told["LIMIT order created"] - gone


def test_events_come_in_pages(client: botdesk.Client) -> None:
    whole = list(client.grid_bots.iter_events(RUNNING))
    assert len(whole) > 100
    assert list(client.grid_bots.iter_events(RUNNING, per_page=33)) == whole
    assert list(client.grid_bots.events(RUNNING)) == whole[:100]
    assert list(client.grid_bots.events(RUNNING, page=3, per_page=20)) == whole[40:60]
    assert list(client.grid_bots.events(RUNNING, page=1000)) == []


def test_a_stop_loss_withdraws_the_orders(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.move_price("USDT_BTC", 44000)
    bot = client.grid_bots.get(FUTURES)
    assert bot.is_enabled is False
    assert bot.orders().grid_lines_orders == []
    assert "Stop loss reached" in messages(bot)
    assert messages(bot)[-1] == "Bot turned off"


def test_orders_come_in_pages_of_each_list(client: botdesk.Client, traded: botdesk.GridBot) -> None:
    client.grid_bots.enable(traded.id or 0)
    whole = client.grid_bots.orders(traded.id or 0)
    page = client.grid_bots.orders(traded.id or 0, limit=1, offset=1)
    for name in ("grid_lines_orders", "balancing_orders"):
        orders = getattr(whole, name)
        assert [order.order_id for order in orders] == sorted((order.order_id for order in orders), reverse=True)
        assert getattr(page, name) == orders[1:2]


def test_a_balancing_order_got_what_the_sell_orders_need(traded: botdesk.GridBot) -> None:
    (order,) = traded.orders().balancing_orders or []
    # A tick below the price of the start.
    assert (order.status_string, order.rate) == ("Filled", (traded.start_price or 0) - Decimal("0.1"))
    assert order.quantity_remaining == 0
    sold = sum((150 / Decimal(price) for price in (64000, 66000, 68000, 70000)), Decimal())
    assert abs((order.quantity or 0) - sold) < Decimal("1e-7")
    assert order.total == (order.quantity or 0) * (order.average_price or 0)


@pytest.mark.parametrize("bot", [201, 202, 203, 205])
def test_required_balances_are_those_of_the_plan(client: botdesk.Client, bot: int) -> None:
    record = client.grid_bots.get(bot)
    tick = client.markets.rates("demo_spot", record.pair or "").price_step
    balances, plan = client.grid_bots.required_balances(bot), record.levels(lot="0.00000001", tick=tick)
    required, missing = balances.required_balance, balances.missing_balance
    assert required is not None
    assert missing is not None
    assert required.quote is not None
    assert required.base is not None
    assert missing.base is not None
    assert missing.quote is not None
    assert (required.base.quantity, required.quote.quantity) == (
        plan.investment_base_currency,
        plan.investment_quote_currency,
    )
    lacking = [part for part in (missing.base, missing.quote) if part.quantity]
    assert balances.need_balancing is bool(lacking)
    assert balances.necessary_quantities == (lacking or [missing.quote])[0]


def test_required_balances_of_futures_are_refused(client: botdesk.Client) -> None:
    with pytest.raises(botdesk.ForbiddenError, match="Unavailable for this account"):
        client.grid_bots.required_balances(FUTURES)


def test_a_list_is_filtered_and_sorted(client: botdesk.Client) -> None:
    def ids(**query: object) -> list[int | None]:
        return [bot.id for bot in client.grid_bots.list(**query)]  # type: ignore[arg-type]

    assert ids(sort_by="bot_id", sort_direction="ASC") == BOTS
    assert ids(sort_by="bot_id") == BOTS[::-1]
    assert ids(state="enabled", sort_by="bot_id", sort_direction="ASC") == [201, 202, 204]
    by_profit = client.grid_bots.list(sort_by="profit", sort_direction="ASC")
    profits = [bot.current_profit or 0 for bot in by_profit]
    assert profits == sorted(profits)
    assert ids(base="BTC", quote="USDT", sort_by="bot_id", sort_direction="ASC") == [201, 204]
    accounts = {bot.id: bot.account_id for bot in by_profit}
    both = ",".join(str(account) for account in sorted({account or 0 for account in accounts.values()}))
    assert len(ids(account_id=both)) == len(BOTS)
    assert set(ids(account_id=str(accounts[204]))) == {bot for bot in BOTS if accounts[bot] == accounts[204]}
    assert ids(from_="2200-01-01") == []


def test_a_list_is_iterated_and_becomes_a_table(client: botdesk.Client) -> None:
    assert [bot.id for bot in client.grid_bots.iter(limit=2, sort_by="bot_id", sort_direction="ASC")] == BOTS
    table = pl.DataFrame(client.grid_bots.events(RUNNING))
    assert table.columns == ["message", "created_at", "extra"]


def test_a_state_file_keeps_the_history(sandbox: botdesk.Sandbox, traded: botdesk.GridBot, tmp_path: Path) -> None:
    sandbox.dump(tmp_path / "state.json")
    with botdesk.Sandbox(state=tmp_path / "state.json") as restored:
        client = restored.client()
        assert list(client.grid_bots.iter_events(traded.id or 0)) == list(traded.iter_events())
        assert list(client.grid_bots.profits(traded.id or 0)) == list(traded.profits())
        assert client.grid_bots.orders(traded.id or 0) == traded.orders()


def test_with_a_fee_a_profit_is_less_the_fees_since_the_one_before(client: botdesk.Client) -> None:
    del client
    with botdesk.Sandbox(fee="0.001") as sandbox:
        client = sandbox.client()
        bot = sandbox.add_grid_bot(
            pair="USDT_BTC", lower_price=56000, upper_price=70000, grids_quantity=8, quantity_per_grid="0.01"
        )
        sandbox.set_price("USDT_BTC", 63000)
        client.grid_bots.enable(bot)
        for price in (60000, 62000):
            sandbox.move_price("USDT_BTC", price)
        (profit,) = client.grid_bots.profits(bot)
        # The balancing order bought for the sell orders at 64 000, 66 000, 68 000 and 70 000.
        fees = Decimal("0.001") * Decimal("0.01") * (4 * Decimal("62999.9") + 60000 + 62000)
        assert profit.profit == client.grid_bots.get(bot).current_profit == 2000 * Decimal("0.01") - fees
