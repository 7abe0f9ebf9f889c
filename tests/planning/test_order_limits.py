"""The ladder of a DCA bot on a market: the tick, the lot, and the orders that the exchange would refuse."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

import botdesk

RATES: dict[str, Any] = {"last": "100", "priceStep": "0.1", "lotStep": "0.01", "minLotSize": "0.01", "minTotal": "5.0"}

# Two safety orders at 98.5 and 97.
BOT: dict[str, Any] = {
    "base_order_volume": 10,
    "safety_order_volume": 10,
    "max_safety_orders": 2,
    "safety_order_step_percentage": "1.5",
    "take_profit": 1,
}


def rates(**fields: Any) -> botdesk.PairRates:  # noqa: ANN401
    return botdesk.PairRates.from_json(json.dumps({**RATES, **fields}))


def of_exchange(ladder: botdesk.Ladder) -> list[str]:
    """Return the warnings about orders that the exchange would refuse, from the name of the order on."""
    start = "the exchange would refuse "
    return [warning.removeprefix(start) for warning in ladder.warnings if warning.startswith(start)]


def refused(market: botdesk.PairRates, **fields: Any) -> list[str]:  # noqa: ANN401
    return of_exchange(botdesk.plan_ladder(**{**BOT, **fields}, rates=market))


def test_rates_give_the_price_the_tick_and_the_lot() -> None:
    ladder = botdesk.plan_ladder(**BOT, rates=rates())
    assert ladder == botdesk.plan_ladder(**BOT, price=100, tick="0.1", lot="0.01")
    assert [rung.price for rung in ladder] == [Decimal(100), Decimal("98.5"), Decimal(97)]
    assert [rung.quantity for rung in ladder] == [Decimal("0.1"), Decimal("0.11"), Decimal("0.11")]


def test_an_argument_replaces_what_the_rates_have() -> None:
    ladder = botdesk.plan_ladder(**BOT, price=200, tick="1", lot="0.001", rates=rates())
    assert ladder == botdesk.plan_ladder(**BOT, price=200, tick="1", lot="0.001")


def test_orders_within_the_limits_have_no_warning() -> None:
    assert refused(rates()) == []


@pytest.mark.parametrize(
    ("limits", "fields", "expected"),
    [
        pytest.param(
            {},
            {"base_order_volume": 4},
            ["the base order: its value of 4 is below 5 (min_total)"],
            id="a small value",
        ),
        pytest.param(
            {"minTotal": "11"},
            {},
            [
                "the base order: its value of 10 is below 11 (min_total)",
                "safety order 1: its value of 10.835 is below 11 (min_total)",
                "safety order 2: its value of 10.67 is below 11 (min_total)",
            ],
            id="each order",
        ),
        pytest.param(
            {"minTotal": "10"},
            {"safety_order_volume": "9.8"},
            ["safety order 1: its value of 9.85 is below 10 (min_total)"],
            id="a value rounded up to the lot counts",
        ),
        pytest.param(
            {"minLotSize": "0.11"},
            {},
            ["the base order: its quantity of 0.1 is below 0.11 (min_lot_size)"],
            id="a small quantity",
        ),
        pytest.param(
            {"maxPrice": "99", "maxTotal": "9.9"},
            {"max_safety_orders": 0},
            ["the base order: its value of 10 is above 9.9 (max_total), and its price of 100 is above 99 (max_price)"],
            id="two reasons",
        ),
        pytest.param(
            {"minPrice": "98", "maxPrice": "99"},
            {},
            [
                "the base order: its price of 100 is above 99 (max_price)",
                "safety order 2: its price of 97 is below 98 (min_price)",
            ],
            id="a price",
        ),
        pytest.param(
            {"bidMultiplierDown": "0.98", "askMultiplierDown": "0.99"},
            {},
            ["safety order 2: its price of 97 is below 98 (bid_multiplier_down)"],
            id="a purchase far from the price",
        ),
        pytest.param(
            {"bidMultiplierUp": "1", "askMultiplierUp": "1.02"},
            {"strategy": "short"},
            ["safety order 2: its price of 103 is above 102 (ask_multiplier_up)"],
            id="a sale far from the price",
        ),
        pytest.param(
            {"minMarketTotal": "12", "maxLotSize": "0.1", "maxMarketSellAmount": "0.05"},
            {"start_order_type": "market", "max_safety_orders": 0},
            ["the base order: its value of 10 is below 12 (min_market_total)"],
            id="a market order",
        ),
        pytest.param(
            {"maxLotSize": "1", "maxMarketBuyAmount": "0.05"},
            {"start_order_type": "market", "max_safety_orders": 0},
            ["the base order: its quantity of 0.1 is above 0.05 (max_market_buy_amount)"],
            id="a large market order",
        ),
        pytest.param({"minMarketTotal": "12"}, {"start_order_type": "limit"}, [], id="limits of market orders"),
        pytest.param({"maxTotal": "0", "maxLotSize": "Infinity", "minTotal": None}, {}, [], id="no limit"),
        pytest.param(
            {"minTotal": "5"},
            {"base_order_volume": 80, "max_safety_orders": 2, "safety_order_step_percentage": 60},
            [],
            id="an order that is never placed",
        ),
    ],
)
def test_each_order_that_the_exchange_would_refuse_has_a_warning(
    limits: dict[str, Any], fields: dict[str, Any], expected: list[str]
) -> None:
    assert refused(rates(**limits), **fields) == expected


def test_without_a_lot_the_size_of_an_order_is_its_value() -> None:
    market = rates(lotStep=None, minTotal="10", minLotSize=None, last="3")
    assert refused(market) == []


def test_a_bot_is_planned_on_the_market_of_its_account() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        bot = client.dca_bots.get(41)
        assert bot.account_id
        assert bot.pairs
        market = client.accounts.get(bot.account_id).market_code or ""
        small = client.dca_bots.edit(41, base_order_volume=1)
        ladder = small.ladder(rates=client.markets.rates(market, bot.pairs[0]))
        assert ladder[0].price == client.markets.rates(market, bot.pairs[0]).last
        assert of_exchange(ladder) == ["the base order: its value of 1.0000321506 is below 5 (min_total)"]


def test_the_bots_of_a_new_sandbox_have_orders_within_the_limits_of_their_markets() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        markets = {account.id: account.market_code or "" for account in client.accounts.list()}
        for bot in client.dca_bots.list():
            for pair in bot.pairs or ():
                ladder = bot.ladder(rates=client.markets.rates(markets[bot.account_id], pair))
                assert of_exchange(ladder) == [], (bot, pair)


def test_a_plan_without_a_price_is_refused() -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        botdesk.plan_ladder(**BOT, rates=rates(last=None))
    assert caught.value.errors == {"price": ["is required"]}


def test_a_limit_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(botdesk.DecodeError, match="min_total is not a decimal"):
        botdesk.plan_ladder(**BOT, rates=rates(minTotal="much"))


def test_rates_are_a_record() -> None:
    with pytest.raises(TypeError, match="must be a PairRates, not dict"):
        botdesk.plan_ladder(**BOT, rates=RATES)  # type: ignore[arg-type]
