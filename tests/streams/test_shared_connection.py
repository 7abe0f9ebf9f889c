"""The streams of a client share one connection, which ends with the last of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import botdesk

from .conftest import next_of, open_deals

if TYPE_CHECKING:
    from pathlib import Path


def results(sandbox: botdesk.Sandbox) -> list[tuple[str | None, str]]:
    """Return the outcome of each handshake and command, with its channel."""
    return [(attempt.channel, attempt.result) for attempt in sandbox.streams.attempts]


def wait_for_the_end(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    """Send requests until there is no connection."""
    while sandbox.streams.connections:
        client.validate()


def close_trade(client: botdesk.Client) -> int | None:
    """Close an active SmartTrade, which changes its status; return its id."""
    active = client.smart_trades.list(status="active")
    trade = next(trade for trade in active if trade.data and trade.data.panic_sell_available)
    trade.close()
    return trade.id


def test_two_streams_have_one_connection(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    deal = open_deals(client)[0]
    with client.stream("deals") as deals, client.stream("smart_trades") as trades:
        assert sandbox.streams.connections == 1
        client.deals.edit(deal, take_profit="7.5")
        trade = close_trade(client)
        assert (next(deals).record.id, next(trades).record.id) == (deal, trade)
        assert (deals.status, trades.status) == ("live", "live")
    expected = [(None, "connected"), ("DealsChannel", "confirmed"), ("SmartTradesChannel", "confirmed")]
    assert results(sandbox)[:3] == expected


def test_both_streams_of_one_resource_have_its_events(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    deal = open_deals(client)[0]
    with client.stream("deals") as first, client.stream("deals", "smart_trades") as second:
        client.deals.edit(deal, take_profit="7.5")
        events = [next(first), next(second)]
    assert [(event.record.id, event.kind, event.origin) for event in events] == [(deal, "changed", "stream")] * 2
    assert results(sandbox).count(("DealsChannel", "confirmed")) == 1


def test_a_stream_that_ends_unsubscribes_and_leaves_the_other_alone(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    first, second = open_deals(client)[:2]
    with client.stream("deals") as deals:
        with client.stream("deals", "smart_trades") as both:
            client.deals.edit(first, take_profit="7.5")
            assert next(both).record.id == first
        assert next(deals).record.id == first
        close_trade(client)
        client.deals.edit(second, take_profit="7.5")
        assert next(deals).record.id == second
        assert ("DealsChannel", "unsubscribed") not in results(sandbox)
        with client.stream("smart_trades") as trades:
            trade = close_trade(client)
            assert (next(trades).record.id, sandbox.streams.connections) == (trade, 1)
        of_trades = [result for channel, result in results(sandbox) if channel == "SmartTradesChannel"]
        assert of_trades[:3] == ["confirmed", "unsubscribed", "confirmed"]
    wait_for_the_end(sandbox, client)
    assert results(sandbox).count((None, "connected")) == 1


def test_a_stream_after_the_last_works(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    for deal in open_deals(client)[:3]:
        with client.stream("deals") as stream:
            client.deals.edit(deal, take_profit="7.5")
            assert next(stream).record.id == deal
    wait_for_the_end(sandbox, client)


def test_a_rejected_channel_of_one_stream_does_not_end_the_other(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client(permissions=["BOTS_READ"])
    deal = open_deals(client)[0]
    with client.stream("deals") as deals:
        with (
            client.stream("smart_trades", on_error=lambda _: None) as trades,
            pytest.warns(botdesk.StreamWarning, match="SMART_TRADES_READ"),
            pytest.raises(botdesk.ForbiddenError),
        ):
            next(trades)
        # It is asked for again, because the permission may have been given meanwhile.
        with (
            client.stream("smart_trades", on_error=lambda _: None) as trades,
            pytest.warns(botdesk.StreamWarning),
            pytest.raises(botdesk.ForbiddenError),
        ):
            next(trades)
        sandbox.client().deals.edit(deal, take_profit="7.5")
        assert (next(deals).record.id, deals.status) == (deal, "live")
    assert results(sandbox).count(("SmartTradesChannel", "rejected")) == 2
    assert results(sandbox).count((None, "connected")) == 1


def test_a_stream_that_joins_while_the_connection_is_lost_is_polled_and_then_live(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    first, second = open_deals(client)[:2]
    with client.stream("deals", states=True, on_error=lambda _: None) as stream:
        sandbox.streams.refuse(503, times=1)
        sandbox.streams.drop()
        next_of(stream, "disconnected")
        with client.stream("deals", every=1, states=True, on_error=lambda _: None) as late:
            client.deals.edit(first, take_profit="7.5")
            assert next_of(late, "changed").record.id == first
            assert next_of(stream, "changed").record.id == first
            # Both are live again once a change comes over the connection.
            origins: list[str | None] = []
            number = 0
            while set(origins) != {"stream"}:
                number += 1
                client.deals.edit(second, note=str(number))
                origins = [next_of(each, "changed").origin for each in (stream, late)]
            assert sandbox.streams.connections == 1


def test_the_end_of_the_stream_of_the_service_is_said_to_both(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    deal = open_deals(client)[0]
    with client.stream("deals", every=1) as first, client.stream("deals", every=1) as second:
        sandbox.streams.disconnect("unauthorized", reconnect=False)
        client.deals.edit(deal, take_profit="7.5")
        for stream in (first, second):
            with pytest.warns(botdesk.StreamWarning, match="there is no live stream"):
                assert next(stream).record.id == deal
            assert stream.status == "polling"


def test_a_stream_that_waits_for_its_confirmation_does_not_hold_up_the_other(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    with client.stream("deals") as deals:
        client.stream("smart_trades").close()
        with client.stream("smart_trades"):
            pass
        sandbox.streams.withhold("confirmation")
        trades = client.stream("smart_trades", on_error=lambda _: None)
        client.deals.edit(open_deals(client)[0], take_profit="7.5")
        assert next(deals).kind == "changed"
        trades.close()
    assert results(sandbox).count((None, "connected")) == 1


def test_a_derived_client_has_a_connection_of_its_own(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    with client.stream("deals"), client.with_options(mode="paper").stream("deals"):
        assert sandbox.streams.connections == 2


def test_one_recording_has_the_frames_of_both(client: botdesk.Client, tmp_path: Path) -> None:
    deal, path = open_deals(client)[0], tmp_path / "streams.json"
    with botdesk.record(path, client), client.stream("deals") as deals, client.stream("smart_trades") as trades:
        client.deals.edit(deal, take_profit="7.5")
        trade = close_trade(client)
        assert (next(deals).record.id, next(trades).record.id) == (deal, trade)
    text = path.read_text()
    assert (text.count('"status": 101'), "DealsChannel" in text, "SmartTradesChannel" in text) == (1, True, True)
