"""Grid bots as the service returns them: members under two names, counts as strings, null, and pages of events."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

import botdesk

if TYPE_CHECKING:
    from .conftest import Sent, Service

TIME = "2024-03-11T06:00:00.889Z"


@pytest.fixture
def client(service_client: botdesk.Client) -> Any:  # noqa: ANN401
    """Return a client of the service, without its type."""
    return service_client


@pytest.mark.parametrize("name", ["grid_line", "grid_lines"])
def test_the_line_of_a_profit_has_either_name(client: Any, service: Service, name: str) -> None:  # noqa: ANN401
    line = {"id": "7", "price": "61000.10", "side": None, "order_placed": "false"}
    profit = {"grid_line_id": "7", "profit": "-0.10", "usd_profit": 0.1, "created_at": TIME, name: line}
    service.respond = lambda _: json.dumps([profit])
    (read,) = client.grid_bots.profits(201)
    assert (read.grid_line_id, str(read.profit), read.usd_profit) == (7, "-0.10", Decimal("0.1"))
    assert (read.grid_line.id, str(read.grid_line.price), read.grid_line.side) == (7, "61000.10", None)
    assert read.grid_line.order_placed is False
    assert read.to_dict()[name] == {**line}


def test_the_documented_name_comes_first(client: Any, service: Service) -> None:  # noqa: ANN401
    lines = {"grid_lines": {"id": 1}, "grid_line": {"id": 2}}
    service.respond = lambda _: json.dumps([{"grid_line_id": 2, **lines}])
    (read,) = client.grid_bots.profits(201)
    assert read.grid_line.id == 2
    assert read.extra == {"grid_lines": {"id": 1}}


def test_the_time_of_a_change_may_be_misspelled(client: Any, service: Service) -> None:  # noqa: ANN401
    orders = {
        "grid_lines_orders": [{"order_id": 2, "order_type": "Buy", "updated_at": TIME}],
        "balancing_orders": [{"order_id": "1", "order_type": "BUY", "update_at": TIME, "status_string": "Brand new"}],
    }
    service.respond = lambda _: json.dumps(orders)
    read = client.grid_bots.orders(201)
    (placed,), (balancing,) = read.grid_lines_orders, read.balancing_orders
    assert placed.updated_at == balancing.updated_at
    assert balancing.updated_at.isoformat() == "2024-03-11T06:00:00.889000+00:00"
    assert (balancing.order_id, balancing.status_string, balancing.rate) == (1, "Brand new", None)


def test_a_bot_that_never_started_has_no_start_price(client: Any, service: Service) -> None:  # noqa: ANN401
    bot = {"id": 201, "start_price": None, "mode": None, "total_profits_count": "0", "trailing_up_enabled": "true"}
    service.respond = lambda _: json.dumps(bot)
    read = client.grid_bots.get(201)
    assert (read.start_price, read.mode, read.total_profits_count, read.trailing_up_enabled) == (None, None, 0, True)
    assert "start_price" in read.fields_set
    assert "name" not in read.fields_set


def test_events_are_read_until_a_page_is_empty(client: Any, service: Service) -> None:  # noqa: ANN401
    pages = [["a", "b", "c"], ["d"], ["e", "f"], []]

    def respond(sent: Sent) -> str:
        (number,) = parse_qs(urlsplit(sent.target).query)["page"]
        return json.dumps([{"message": message, "created_at": TIME} for message in pages[int(number) - 1]])

    service.respond = respond
    assert [event.message for event in client.grid_bots.iter_events(201, per_page=3)] == list("abcdef")
    assert [urlsplit(sent.target).query for sent in service.sent] == [
        f"page={page}&per_page=3" for page in (1, 2, 3, 4)
    ]


def test_the_pages_of_bots_are_sorted_by_what_does_not_change(client: Any, service: Service) -> None:  # noqa: ANN401
    service.respond = lambda _: "[]"
    for given, sent in (({}, ["created_at"]), ({"sort_by": "profit"}, ["profit"]), ({"sort_by": None}, ["created_at"])):
        assert list(client.grid_bots.iter(**given)) == []
        assert parse_qs(urlsplit(service.sent[-1].target).query)["sort_by"] == sent
    client.grid_bots.list()
    assert "sort_by" not in service.sent[-1].target


def test_events_that_say_the_same_are_all_returned(client: Any, service: Service) -> None:  # noqa: ANN401
    def respond(sent: Sent) -> str:
        count = 2 if "page=1&" in sent.target else 0
        return json.dumps([{"message": "Bot turned on", "created_at": TIME}] * count)

    service.respond = respond
    assert len(list(client.grid_bots.iter_events(201))) == 2


def test_the_page_of_events_is_always_sent(client: Any, service: Service) -> None:  # noqa: ANN401
    service.respond = lambda _: "[]"
    client.grid_bots.events(201)
    assert service.sent[0].target.endswith("/grid_bots/201/events?page=1&per_page=100")
    for wrong in ({"page": 0}, {"per_page": 101}, {"per_page": 0}):
        with pytest.raises(botdesk.ValidationError):
            client.grid_bots.events(201, **wrong)
    assert len(service.sent) == 1


def test_an_error_of_the_state_of_a_bot_is_not_retried(client: Any, service: Service) -> None:  # noqa: ANN401
    service.status = 500
    service.respond = lambda _: json.dumps({"error": "grid_lines_not_marked"})
    with pytest.raises(botdesk.ServerError, match="grid_lines_not_marked"):
        client.with_options(retries=3).grid_bots.required_balances(201)
    assert len(service.sent) == 1


def test_a_record_has_the_reads_of_its_bot(client: Any, service: Service) -> None:  # noqa: ANN401
    service.respond = lambda _: '{"id": 201}'
    bot = client.grid_bots.get(201)
    service.respond = lambda _: "[]"
    assert (list(bot.profits()), list(bot.iter_events()), list(bot.events(page=2))) == ([], [], [])
    assert {urlsplit(sent.target).path.rpartition("/")[2] for sent in service.sent[1:]} == {"profits", "events"}


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (datetime(2024, 3, 1, 9, 0, 0, 125_000, timezone(timedelta(hours=1))), "2024-03-01T08:00:00.125Z"),
        (date(2024, 3, 1), "2024-03-01T00:00:00.000Z"),
        ("2024-03-01T08:00:00.125Z", "2024-03-01T08:00:00.125Z"),
    ],
)
def test_times_are_sent_in_iso_8601(client: Any, service: Service, given: object, sent: str) -> None:  # noqa: ANN401
    service.respond = lambda _: "[]"
    client.grid_bots.profits(201, from_=given, to=given)
    client.grid_bots.list(from_=given)
    queries = [parse_qs(urlsplit(request.target).query) for request in service.sent]
    assert queries == [{"from": [sent], "to": [sent]}, {"from": [sent]}]


@pytest.mark.parametrize("wrong", ["yesterday", datetime(2024, 3, 1), 1.5])  # noqa: DTZ001
def test_what_is_no_time_of_iso_8601_is_rejected(client: Any, service: Service, wrong: object) -> None:  # noqa: ANN401
    with pytest.raises(botdesk.ValidationError, match="to: "):
        client.grid_bots.profits(201, to=wrong)
    assert service.sent == []
