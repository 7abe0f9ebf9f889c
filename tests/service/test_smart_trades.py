"""SmartTrades and simple trades: records as the service sends them, and their lists."""

from __future__ import annotations

import json
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Sent, Service


def smart_trade(**fields: object) -> Any:  # noqa: ANN401
    """Read a SmartTrade with these fields."""
    return botdesk.SmartTrade.from_json(json.dumps(fields))


@pytest.fixture(scope="module")
def client() -> Iterator[botdesk.Client]:
    """Return a client of a sandbox."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox.client()


def test_a_part_that_is_off_has_nothing_but_that() -> None:
    trade = smart_trade(leverage={"enabled": False}, stop_loss={"enabled": False}, market_close={})
    assert trade.leverage.fields_set == trade.stop_loss.fields_set == {"enabled"}
    assert (trade.stop_loss.conditional, trade.market_close.fields_set) == (None, frozenset())


@pytest.mark.parametrize("sent", ["0.001", '"0.001"', "0.00100000000000000000000001"])
def test_the_fee_is_exact_as_a_number_and_as_a_string(sent: str) -> None:
    data = botdesk.SmartTrade.from_json(f'{{"data": {{"commission": {sent}}}}}').data
    assert data is not None
    assert str(data.commission) == sent.strip('"')


def test_a_wait_of_a_simple_trade_may_be_a_number_or_a_string() -> None:
    for sent in (300, "300"):
        read = botdesk.SimpleTrade.from_json(json.dumps({"timeout": {"enabled": True, "value": sent}}))
        assert read.timeout is not None
        assert read.timeout.value == 300


def test_the_status_of_a_simple_trade_reads_the_same_under_either_name() -> None:
    for name in ("value", "basic_type"):
        status: Any = botdesk.SimpleTrade.from_json(json.dumps({"status": {name: "cancelled", "error": None}})).status
        assert (status.value, status.to_dict()) == ("cancelled", {name: "cancelled", "error": None})
    both = botdesk.SimpleStatus.from_json('{"value": "active", "basic_type": "new"}')
    assert (both.value, both.basic_type) == ("active", "new")


def test_a_status_without_its_code_has_that_of_its_type() -> None:
    assert smart_trade(status={"type": "created", "title": "Pending"}).status.basic_type == "created"
    assert smart_trade(status={"type": "a", "basic_type": "b"}).status.basic_type == "b"
    assert smart_trade(status={"type": "a", "basic_type": None}).status.basic_type is None


def test_the_order_type_of_a_reduction_has_one_of_two_names() -> None:
    for name in ("type", "order_type"):
        (step,) = smart_trade(reduce_funds={"steps": [{"id": 1, name: "limit"}]}).reduce_funds.steps
        assert step.type == "limit"


def test_smart_trades_are_read_in_a_fixed_order_until_a_page_is_empty(
    service: Service,
    service_client: Any,  # noqa: ANN401
) -> None:
    pages = [[3, 2], [1], [4], []]

    def respond(sent: Sent) -> str:
        (number,) = parse_qs(urlsplit(sent.target).query)["page"]
        return json.dumps([{"id": number} for number in pages[int(number) - 1]])

    service.respond = respond
    assert [trade.id for trade in service_client.smart_trades.iter(per_page=2)] == [3, 2, 1, 4]
    assert [parse_qs(urlsplit(sent.target).query)["order_by"] for sent in service.sent] == [["created_at"]] * 4
    assert list(service_client.smart_trades.iter(page=4, order_by="profit")) == []
    assert parse_qs(urlsplit(service.sent[-1].target).query)["order_by"] == ["profit"]
    service_client.smart_trades.list(page=4)
    assert "order_by" not in service.sent[-1].target


def test_the_reason_of_a_failure_is_absent_otherwise() -> None:
    failed = smart_trade(status={"basic_type": "failed", "error": "insufficient balance"})
    assert failed.status.error == "insufficient balance"
    assert "error" not in smart_trade(status={"basic_type": "created"}).status.fields_set


def test_an_unknown_smart_trade_is_not_found_although_the_status_is_400(client: botdesk.Client) -> None:
    with pytest.raises(botdesk.NotFoundError, match="Smart Trade not found") as caught:
        client.smart_trades.get(999)
    assert caught.value.status == 400


def test_every_smart_trade_is_listed_once(client: botdesk.Client) -> None:
    listed = [trade.id for trade in client.smart_trades.iter(per_page=3, order_by="created_at", order_direction="ASC")]
    assert listed == list(range(292, 305))
    active = [trade.id for trade in client.smart_trades.iter(status="active")]
    assert active == [303, 302, 301, 300, 299, 298]


def test_a_page_is_a_table(client: botdesk.Client) -> None:
    pa: Any = import_module("pyarrow")
    table = pa.table(client.smart_trades.list(per_page=5).to_arrow())
    assert table["id"].to_pylist() == [303, 302, 301, 300, 299]
    assert json.loads(table["profit"].to_pylist()[1])["volume"] is None


def test_the_methods_of_a_record_are_those_of_the_client(client: botdesk.Client) -> None:
    trade = client.smart_trades.get(301)
    assert trade.trades() == client.smart_trades.trades(301)
    assert trade.reduce_funds_info() == client.smart_trades.reduce_funds_info(301)
    assert trade.refresh() == trade
    assert trade.data is not None
    assert trade.reduce_funds_info().max_reduce_funds_amount == trade.data.entered_amount


def test_a_trade_shows_its_status_and_its_profit() -> None:
    trade = smart_trade(
        id=301,
        pair="USDT_ETH",
        status={"type": "failed", "basic_type": "failed", "title": "Failed"},
        profit={"volume": None, "usd": None, "percent": "0.0"},
    )
    assert repr(trade) == (
        "<SmartTrade id=301 pair='USDT_ETH' status=<Status basic_type='failed'> "
        "profit=<Profit volume=None usd=None percent=0>>"
    )


def test_only_a_uuid_names_a_simple_trade(client: botdesk.Client) -> None:
    (first, *_) = client.trades.active()
    assert first.uuid is not None
    assert client.trades.get(first.uuid.upper().replace("-", "")) == client.trades.get(UUID(first.uuid)) == first
    with pytest.raises(botdesk.ValidationError, match='uuid: must be a UUID, not "history"'):
        client.trades.get("history")


def test_simple_trades_are_active_or_over(client: botdesk.Client) -> None:
    active, over = client.trades.active(limit=100), client.trades.history(limit=100)
    assert {trade.closed_at for trade in active} == {None}
    assert all(trade.closed_at for trade in over)
    assert {trade.uuid for trade in active}.isdisjoint(trade.uuid for trade in over)
    filled = [trade.filled for trade in over if trade.status and trade.status.value == "finished"]
    assert [str(each.value) for each in filled if each] == ["100.0", "100.0"]
    assert all(each and each.units and each.price and each.total == each.units * each.price for each in filled)


def test_an_added_smart_trade_has_the_amount_that_is_asked_for() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        trade = client.smart_trades.get(
            sandbox.add_smart_trade(status="waiting_targets", max_reduce_funds_amount="1.5")
        )
        assert trade.data is not None
        assert (trade.data.entered_amount, trade.reduce_funds_info().max_reduce_funds_amount) == (Decimal("1.5"),) * 2
        assert trade.take_profit is not None
        assert sum(step.volume or 0 for step in trade.take_profit.steps or []) == 100
