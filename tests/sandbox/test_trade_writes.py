"""Simple trades in the sandbox: what creates and cancels them, and how prices fill them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    # Type checkers know that any field of a record may be None.
    Client = Any
    Record = Any

    Create = Callable[..., Record]

CONDITION = {"enabled": True, "value": "greater_or_equal", "price": {"value": "4000", "type": "last"}}


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox without bots, whose price of ETH is 3500."""
    with botdesk.Sandbox(bots=0) as sandbox:
        sandbox.set_price("USDT_ETH", "3500")
        yield sandbox


@pytest.fixture
def create(client: Client) -> Create:
    """Return a function that creates an order of half an ETH, and returns it as it is afterwards."""

    def create(side: str = "buy", price: str | None = None, **more: Any) -> Record:  # noqa: ANN401
        order = {"type": "market" if price is None else "limit", "side": side}
        limit = None if price is None else {"value": price}
        trade = client.trades.create(
            account_id=1001, pair="USDT_ETH", order=order, units={"value": "0.5"}, price=limit, **more
        )
        assert (trade.status.value, trade.closed_at, trade.filled.price) == ("to_process", None, None)
        return client.trades.get(trade.uuid)

    return create


@pytest.mark.shows('rule trades.create.conditional: sent as {"enabled":false} unless it is given')
@pytest.mark.shows('rule trades.create.trailing: sent as {"enabled":false} unless it is given')
@pytest.mark.shows('rule trades.create.timeout: sent as {"enabled":false} unless it is given')
def test_a_market_order_fills_at_once(sandbox: botdesk.Sandbox, create: Create) -> None:
    trade = create()
    sent = json.loads(next(request.body for request in sandbox.requests if request.method == "POST"))
    assert [sent[part] for part in ("conditional", "trailing", "timeout")] == [{"enabled": False}] * 3
    assert (trade.status.value, trade.filled.price, trade.filled.total) == ("finished", 3500, 1750)
    assert trade.closed_at is not None
    assert trade.order.strategy is None


def test_a_limit_order_fills_when_the_price_reaches_it(
    sandbox: botdesk.Sandbox, client: Client, create: Create
) -> None:
    trade = create("buy", "3400")
    assert (trade.status.value, trade.order.strategy, trade.total.value) == ("order_placed", "gtc", 1700)
    assert trade.uuid in [each.uuid for each in client.trades.active()]
    sandbox.set_price("USDT_ETH", "3401")
    assert trade.refresh().status.value == "order_placed"
    sandbox.move_price("USDT_ETH", "3300")
    filled = trade.refresh()
    assert (filled.status.value, filled.filled.price, filled.data.cancelable) == ("finished", 3400, False)


def test_a_condition_is_met_on_the_way_of_a_move(sandbox: botdesk.Sandbox, create: Create) -> None:
    trade = create("sell", conditional=CONDITION)
    assert trade.status.value == "to_process"
    sandbox.move_price("USDT_ETH", "4200")
    assert trade.refresh().filled.price == 4000


def test_a_timeout_ends_by_the_clock(sandbox: botdesk.Sandbox, create: Create) -> None:
    trade = create("sell", conditional=CONDITION, timeout={"enabled": True, "value": 300})
    sandbox.set_price("USDT_ETH", "4100")
    sandbox.clock.advance(299)
    assert trade.refresh().status.value == "to_process"
    sandbox.clock.advance(1)
    assert trade.refresh().filled.price == 4100


def test_a_trade_that_follows_the_price_survives_a_state_file(
    sandbox: botdesk.Sandbox, create: Create, tmp_path: Path
) -> None:
    trade = create("sell", trailing={"enabled": True, "percent": "1"})
    assert trade.status.value == "trailing_activated"
    sandbox.move_price("USDT_ETH", "4000")
    sandbox.dump(tmp_path / "state.json")
    with botdesk.Sandbox(state=tmp_path / "state.json") as loaded:
        loaded.move_price("USDT_ETH", "3000")
        client: Client = loaded.client()
        assert client.trades.get(trade.uuid).filled.price == Decimal(3960)


def test_a_cancelled_trade_is_over_at_once(client: Client, create: Create) -> None:
    trade = create("buy", "3000")
    cancelled = trade.cancel()
    assert (cancelled.status.basic_type, cancelled.data.cancelable) == ("cancelled", False)
    assert trade.refresh().status.value == "cancelled"
    with pytest.raises(botdesk.WrongParamsError, match="can't be cancelled"):
        client.trades.cancel(trade.uuid)


@pytest.mark.parametrize(
    ("arguments", "field", "message"),
    [
        ({"order": {"type": "limit", "side": "buy"}}, "price", "is required for a limit order"),
        ({"conditional": {"enabled": True}}, "conditional", "has no value"),
        ({"conditional": {"enabled": True, "value": "less"}}, "conditional", "has no price"),
        ({"trailing": {"enabled": True}}, "trailing", "either value or percent"),
        ({"trailing": {"enabled": True, "value": 1, "percent": 1}}, "trailing", "either value or percent"),
        ({"timeout": {"enabled": True, "value": 5}}, "timeout", "only for a trade with a condition"),
        ({"timeout": {"enabled": True}, "conditional": CONDITION}, "timeout", "has no value"),
        ({"pair": "ETH/USDT"}, "pair", "write it as"),
        ({"units": {"value": "0"}}, "units.value", "must be greater than 0"),
        ({"order": {"type": "stop", "side": "buy"}}, "order.type", "market"),
    ],
)
def test_what_the_service_would_refuse_is_not_sent(
    sandbox: botdesk.Sandbox, client: Client, arguments: dict[str, Any], field: str, message: str
) -> None:
    given: dict[str, Any] = {
        "account_id": 1001,
        "pair": "USDT_ETH",
        "order": {"type": "market", "side": "buy"},
        "units": {"value": "0.5"},
        **arguments,
    }
    with pytest.raises(botdesk.ValidationError) as caught:
        client.trades.create(**given)
    assert message in "".join(caught.value.errors[field])
    assert sandbox.requests == []
    # The service itself does not say what is wrong.
    with pytest.raises(botdesk.RecordInvalidError) as refused:
        client.trades.create(**given, validate=False)
    assert (refused.value.status, refused.value.error) == (422, "invalid_request")


def test_an_account_of_another_user_is_forbidden(client: Client) -> None:
    order = {"type": "market", "side": "buy"}
    with pytest.raises(botdesk.ForbiddenError):
        client.trades.create(account_id=9, pair="USDT_ETH", order=order, units={"value": "1"})


def test_many_trades_are_cancelled_by_record_and_by_uuid(
    sandbox: botdesk.Sandbox, client: Client, create: Create
) -> None:
    first, second, done = create(price="3000"), create(price="3100"), create()
    chosen = [first, second.uuid.upper(), done.uuid]
    sent = len(sandbox.requests)
    preview = client.trades.cancel_many(chosen, preview=True)
    assert len(sandbox.requests) == sent
    result = client.trades.cancel_many(chosen)
    assert [item.id for item in result] == [first.uuid, second.uuid, done.uuid]
    assert [item.status for item in result] == ["done", "done", "failed"]
    sent_paths = sorted(request.path for request in sandbox.requests[sent : sent + 3])
    assert sorted(planned.path for planned in preview) == sent_paths
    assert not {trade.uuid for trade in client.trades.active()} & {first.uuid, second.uuid}


def test_many_trades_are_refused_together_if_one_is_no_trade_or_is_listed_twice(
    sandbox: botdesk.Sandbox, client: Client, create: Create
) -> None:
    trade = create(price="3000")
    sent = len(sandbox.requests)
    smart = client.smart_trades.get(301)
    for wrong, name in (
        ([trade, smart], "trades[1]"),
        ([trade.uuid, "301"], "trades[1]"),
        ([trade, trade.uuid], "trades"),
    ):
        with pytest.raises(botdesk.ValidationError) as caught:
            client.trades.cancel_many(wrong)
        assert list(caught.value.errors) == [name]
    assert [request.method for request in sandbox.requests[sent:]] == ["GET"]
