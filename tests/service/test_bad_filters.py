"""Arguments of reads that are rejected before anything is sent: reversed times, unknown filters, wrong identifiers."""

# The lambdas take clients of any kind.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Service

    Read = Callable[[Any, object, object], object]

# The reads between two times: the names of the start and the end, and the read.
BETWEEN: list[Any] = [
    pytest.param(("from_", "to"), lambda client, start, end: client.deals.list(from_=start, to=end), id="deals.list"),
    pytest.param(("from_", "to"), lambda client, start, end: client.deals.iter(from_=start, to=end), id="deals.iter"),
    pytest.param(
        ("from_", "to"),
        lambda client, start, end: client.smart_trades.list(from_=start, to=end),
        id="smart_trades.list",
    ),
    pytest.param(
        ("from_", "to"), lambda client, start, end: client.grid_bots.profits(203, from_=start, to=end), id="profits"
    ),
    pytest.param(
        ("date_from", "date_to"),
        lambda client, start, end: client.accounts.balance_chart_data(1001, start, end),
        id="balance_chart_data",
    ),
]


@pytest.mark.parametrize(("names", "read"), BETWEEN)
@pytest.mark.parametrize(
    "times",
    [
        (date(2026, 1, 1), date(2026, 2, 1)),
        ("2026-01-31T23:00:00Z", datetime(2026, 2, 1, tzinfo=UTC)),
        ("2026-01-31T23:59:59Z", "2026-02-01T01:00:00+01:00"),
    ],
    ids=["dates", "text and datetime", "offsets"],
)
def test_an_end_before_the_start_is_rejected(
    service: Service,
    service_client: Any,  # noqa: ANN401
    names: tuple[str, str],
    read: Read,
    times: tuple[object, object],
) -> None:
    (start, end), (earlier, later) = names, times
    with pytest.raises(botdesk.ValidationError) as caught:
        read(service_client, later, earlier)
    ((name, (message,)),) = caught.value.errors.items()
    assert name == end
    assert message.startswith(f"must not be before {start} (2026-02-01T00:00:00Z), not 2026-01-")
    assert message.endswith("(botdesk's own check; client.request sends it anyway)")
    assert service.sent == []


@pytest.mark.parametrize(("names", "read"), BETWEEN)
def test_an_end_at_the_start_is_sent(
    service: Service,
    service_client: Any,  # noqa: ANN401
    names: tuple[str, str],
    read: Read,
) -> None:
    service.respond = lambda _: "[]"
    read(service_client, date(2026, 1, 1), date(2026, 1, 1))
    assert all(f"{name.rstrip('_')}=" in sent.target for sent in service.sent for name in names)


@pytest.mark.parametrize(
    ("read", "name", "value"),
    [
        (lambda client: client.dca_bots.list(scope="on"), "scope", '"on"'),
        (lambda client: client.deals.iter(order="size"), "order", '"size"'),
        (lambda client: client.deals.list(bot_id="forty"), "bot_id", '"forty"'),
        (lambda client: client.grid_bots.list(state="paused"), "state", '"paused"'),
        (lambda client: client.smart_trades.list(page=0), "page", "0"),
        (lambda client: client.dca_bots.get("abc"), "bot_id", '"abc"'),
        (lambda client: client.deals.orders(1.5), "deal_id", "1.5"),
        (lambda client: client.trades.get(5), "uuid", "5"),
        (lambda client: client.accounts.get("all"), "account_id", '"all"'),
        (lambda client: client.accounts.monthly_volume(1001, "2026-13"), "month", '"2026-13"'),
    ],
    ids=["scope", "order", "id filter", "state", "page", "id", "fraction", "uuid", "word", "month"],
)
def test_an_error_names_the_argument_and_its_value(
    service: Service,
    service_client: Any,  # noqa: ANN401
    read: Callable[[Any], object],
    name: str,
    value: str,
) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        read(service_client)
    ((rejected, (message,)),) = caught.value.errors.items()
    assert rejected == name
    assert f"not {value}" in message
    assert "validate=False" not in message
    assert service.sent == []
