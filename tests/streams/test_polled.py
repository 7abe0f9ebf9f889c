"""What has no stream: prices of pairs, and the targets of SmartTrades."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

import botdesk

TARGETS: dict[str, Any] = {
    "enabled": True,
    "steps": [
        {"order_type": "limit", "volume": 60, "price": {"value": "4000"}},
        {"order_type": "limit", "volume": 40, "price": {"value": "4500"}},
    ],
}


def test_prices_of_pairs_are_polled(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.set_price("USDT_BTC", "61000")
    with client.stream("prices", market_code="demo_spot", pairs=["USDT_ETH", "USDT_BTC"], every=1) as stream:
        assert (stream.resources, stream.status) == (["prices"], "polling")
        sandbox.set_price("USDT_BTC", "62000.1")
        event = next(event for event in stream if event.pair == "USDT_BTC")
    assert (event.resource, event.kind, event.origin) == ("prices", "changed", "poll")
    assert isinstance(event.record, botdesk.PairRates)
    assert event.record.last == Decimal("62000.1")
    assert str(event.fields["last"].old).startswith("61000")
    assert repr(event) == "<StreamEvent changed prices USDT_BTC (poll)>"


def test_a_pair_that_is_refused_leaves_the_prices_of_the_others(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    pairs = ["USDT_NOTHING", "USDT_BTC"]
    sandbox.set_price("USDT_BTC", "61000")
    with client.stream("prices", market_code="demo_spot", pairs=pairs, every=1) as stream:
        sandbox.set_price("USDT_BTC", "62000.1")
        with pytest.warns(botdesk.StreamWarning, match="the prices of USDT_NOTHING can't be followed"):
            event = next(stream)
    assert event.pair == "USDT_BTC"


def test_a_target_that_is_hit_is_polled_if_the_caller_asks_for_it(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    sandbox.set_price("USDT_ETH", "3500")
    position = {"type": "buy", "order_type": "market", "units": {"value": "1"}}
    trade = client.smart_trades.create(account_id=1001, pair="USDT_ETH", position=position, take_profit=TARGETS)
    assert trade.refresh().id == trade.id
    with client.stream("smart_trades", targets=True, every=1) as stream:
        sandbox.set_price("USDT_ETH", "4100")
        event = next(event for event in stream if event.record.id == trade.id)
        assert (event.kind, event.origin) == ("changed", "poll")
        steps: Any = event.record.take_profit.steps
        assert [step.status.basic_type for step in steps] == ["finished", "order_placed"]
        # The stream goes on, and a state that it sends is not polled once more.
        sandbox.set_price("USDT_ETH", "4600")
        event = next(event for event in stream if event.record.id == trade.id)
        assert (event.kind, event.origin) == ("closed", "stream")


@pytest.mark.parametrize(
    ("names", "arguments", "message"),
    [
        (["prices"], {}, "needs market_code="),
        (["prices"], {"market_code": "demo_spot", "pairs": []}, "needs market_code="),
        (["deals"], {"pairs": ["USDT_BTC"], "market_code": "demo_spot"}, 'are for "prices"'),
        (["deals"], {"targets": True}, 'is for "smart_trades"'),
        (["price"], {}, 'did you mean "prices"'),
    ],
)
def test_an_option_of_something_else_is_an_error(
    names: list[str], arguments: dict[str, Any], message: str, client: botdesk.Client
) -> None:
    with pytest.raises(botdesk.ConfigurationError, match=message):
        client.stream(*names, **arguments)


def test_a_pair_that_the_exchange_has_not_ends_the_prices_alone(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    errors: list[botdesk.BotdeskError] = []
    names = ("deals", "prices")
    with client.stream(
        *names, market_code="demo_spot", pairs=["USDT_NOTHING"], on_error=errors.append, every=60
    ) as stream:
        deal = next(deal for deal in client.deals.list(scope="active") if not deal.take_profit_steps)
        deal.edit(take_profit="7.5")
        assert next(stream).record.id == deal.id
    assert len(errors) == 1
    assert isinstance(errors[0], botdesk.ApiError)
    assert sandbox.streams.attempts
