"""The market of a sandbox, as a client sees it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import botdesk

if TYPE_CHECKING:
    from pathlib import Path

PUBLISHED: dict[str, Any] = {
    "pairs": ["USDT_ETH"],
    "is_enabled": True,
    "martingale_step_coefficient": 4,
    "max_safety_orders": 3,
    "stop_loss_percentage": 22,
}


def deal_of(client: botdesk.Client, bot_id: int) -> botdesk.Deal:
    (deal,) = client.dca_bots.get(bot_id).active_deals or []
    return deal


def test_the_published_ladder_fills(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_dca_bot(**PUBLISHED)
    sandbox.set_price("USDT_ETH", "2561.66911")
    assert deal_of(client, bot_id).stop_loss_price == Decimal("1998.1019058")
    for price, filled in [("2536.05", 1), ("2433.59", 1), ("2433.58", 2), ("2023.72", 2), ("2023.71", 3)]:
        sandbox.set_price("USDT_ETH", price)
        deal = deal_of(client, bot_id)
        assert (deal.completed_safety_orders_count, deal.current_price) == (filled, Decimal(price))
    volume = deal_of(client, bot_id).bought_volume
    assert volume is not None
    assert round(volume, 4) == Decimal("247.7")


@pytest.mark.parametrize("price", ["2600", Decimal("2600.50"), 2601])
def test_a_deal_takes_its_profit(sandbox: botdesk.Sandbox, client: botdesk.Client, price: str | Decimal | int) -> None:
    bot_id = sandbox.add_dca_bot(**PUBLISHED, disable_after_deals_count=1)
    sandbox.set_price("USDT_ETH", "2561.66911")
    sandbox.set_price("USDT_ETH", price)
    bot = client.dca_bots.get(bot_id, include_events=True)
    assert (bot.active_deals, bot.active_deals_count, bot.is_enabled, bot.deletable) == ([], 0, False, True)
    assert (bot.finished_deals_count, bot.finished_deals_profit_usd) == (1, Decimal("0.8001311711796"))
    events = [event["message"].split(" ", 2)[-1] for event in bot.extra["bot_events"]]
    assert events == ["created", "opened", "disabled", "took profit"]


def test_a_stop_loss_may_disable_the_bot(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_dca_bot(**PUBLISHED, stop_loss_type="stop_loss_and_disable_bot")
    sandbox.set_price("USDT_ETH", "2561.66911")
    sandbox.set_price("USDT_ETH", "1998")
    bot = client.dca_bots.get(bot_id)
    assert (bot.is_enabled, bot.active_deals, bot.finished_deals_count) == (False, [], 1)
    assert bot.finished_deals_profit_usd is not None
    assert bot.finished_deals_profit_usd < 0


def test_a_cooldown_follows_the_clock(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_dca_bot(**PUBLISHED, cooldown=300)
    sandbox.set_price("USDT_ETH", "2561.66911")
    sandbox.set_price("USDT_ETH", "2600")
    assert client.dca_bots.get(bot_id).active_deals_count == 0
    sandbox.clock.advance(299.999)
    assert client.dca_bots.get(bot_id).active_deals_count == 0
    sandbox.clock.advance(0.001)
    deal = deal_of(client, bot_id)
    assert (deal.base_order_average_price, deal.created_at) == (Decimal(2600), sandbox.clock.now)


def test_a_disabled_bot_keeps_its_deals_and_opens_no_more(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_dca_bot(**PUBLISHED)
    sandbox.set_price("USDT_ETH", "2561.66911")
    client.dca_bots.disable(bot_id)
    sandbox.set_price("USDT_ETH", "2570")
    assert deal_of(client, bot_id).current_price == 2570
    sandbox.set_price("USDT_ETH", "2600")
    assert client.dca_bots.get(bot_id).active_deals == []


def test_an_edit_is_for_the_next_deal(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_dca_bot(**PUBLISHED)
    sandbox.set_price("USDT_ETH", "2500")
    client.dca_bots.get(bot_id).edit(take_profit=10)
    assert deal_of(client, bot_id).take_profit_price == 2525
    sandbox.set_price("USDT_ETH", "2525")
    assert deal_of(client, bot_id).take_profit_price == Decimal("2777.5")


def test_a_grid_takes_its_profit(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_grid_bot(
        pair="USDT_NEW", current_price=120, lower_price=100, upper_price=140, grids_quantity=5, quantity_per_grid=2
    )
    client.grid_bots.enable(bot_id)
    for price in (110, 120):
        sandbox.set_price("USDT_NEW", price)
    bot = client.grid_bots.set_note(bot_id, "moved")
    assert [line.side for line in bot.grid_lines or []] == ["buy", "buy", None, "sell", "sell"]
    assert (bot.current_profit, bot.total_profits_count, bot.current_price) == (Decimal(20), 1, Decimal(120))


def test_a_grid_that_the_price_leaves_stops(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.set_price("USDT_BTC", "44999")
    bot = client.grid_bots.set_note(204, "stopped")
    assert (bot.is_enabled, bot.current_price) == (False, Decimal(44999))
    assert not any(line.order_placed for line in bot.grid_lines or [])


def test_other_pairs_keep_their_prices(sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
    sandbox.dump(tmp_path / "before.json")
    sandbox.set_price("USDT_OTHER", "1.5")
    sandbox.dump(tmp_path / "after.json")
    before, after = ((tmp_path / name).read_text().splitlines() for name in ("before.json", "after.json"))
    assert [line.strip() for line in after if line not in set(before)] == ['"pair": "USDT_OTHER",', '"price": "1.5",']


def test_a_move_trades_what_a_jump_misses(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_dca_bot(**PUBLISHED, disable_after_deals_count=3)
    sandbox.set_price("USDT_ETH", 2500)
    sandbox.move_price("USDT_ETH", 2600)
    deals = sandbox.finished_deals(bot_id)
    assert [deal.sold_average_price for deal in deals] == [Decimal(2525), Decimal("2550.25"), Decimal("2575.76")]
    assert {deal.status for deal in deals} == {"completed"}
    assert client.dca_bots.get(bot_id).active_deals == []


def test_the_first_price_of_a_new_pair_may_be_a_move(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_dca_bot(**{**PUBLISHED, "pairs": ["USDT_NEW"]})
    sandbox.move_price("USDT_NEW", "1.5")
    assert deal_of(client, bot_id).base_order_average_price == Decimal("1.5")


def test_cancelled_deals_are_among_the_finished_ones(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_dca_bot(**PUBLISHED)
    sandbox.set_price("USDT_ETH", 2500)
    client.dca_bots.disable(bot_id)
    client.dca_bots.cancel_all_deals(bot_id)
    assert sandbox.finished_deals(bot_id) == []
    sandbox.clock.advance(1)
    (deal,) = sandbox.finished_deals(bot_id)
    assert (deal.status, deal.bot_id) == ("cancelled", bot_id)


@pytest.mark.parametrize("bot_id", [99, 201])
def test_only_dca_bots_have_finished_deals(sandbox: botdesk.Sandbox, bot_id: int) -> None:
    with pytest.raises(botdesk.ValidationError, match=f"bot_id: the sandbox has no DCA bot {bot_id}"):
        sandbox.finished_deals(bot_id)


@pytest.mark.parametrize(
    "price", ["0.0", 0, -1, "-0.5", "NaN", "Infinity", Decimal("sNaN"), "1,5", "", 1.5, None, True, []]
)
def test_an_invalid_price_is_rejected(sandbox: botdesk.Sandbox, price: Any) -> None:  # noqa: ANN401
    for change in (sandbox.set_price, sandbox.move_price):
        with pytest.raises(botdesk.ValidationError) as caught:
            change("USDT_ETH", price)
        assert list(caught.value.errors) == ["price"]


@pytest.mark.parametrize("pair", ["", "ETH", "usdt_eth", "USDT-ETH", "USDT_", "_ETH", "USDT ETH", "USDT_E H"])
def test_an_invalid_pair_is_rejected(sandbox: botdesk.Sandbox, pair: str) -> None:
    for change in (sandbox.set_price, sandbox.move_price):
        with pytest.raises(botdesk.ValidationError) as caught:
            change(pair, 1)
        assert list(caught.value.errors) == ["pair"]


PRICES = st.lists(st.decimals("0.01", "9999", places=2), min_size=1, max_size=8)


@settings(max_examples=15, deadline=None)
@given(prices=PRICES)
def test_the_same_prices_give_the_same_state(tmp_path_factory: pytest.TempPathFactory, prices: list[Decimal]) -> None:
    folder = tmp_path_factory.mktemp("worlds")
    for name in ("one", "other"):
        with botdesk.Sandbox(seed=5, odd_values=True) as sandbox:
            for price in prices:
                sandbox.set_price("USDT_ETH", price)
                sandbox.clock.advance(60)
            sandbox.dump(folder / name)
    assert (folder / "one").read_bytes() == (folder / "other").read_bytes()
