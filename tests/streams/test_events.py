"""Events of a stream: what comes, from where, in which order, and what does not."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from typing import TYPE_CHECKING

import pytest

import botdesk
from botdesk import _lists

from .conftest import next_of, open_deals

if TYPE_CHECKING:
    from pathlib import Path


def test_a_change_of_a_deal_is_an_event_with_both_states(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    deal = open_deals(client)[0]
    with client.stream("deals") as stream:
        client.deals.edit(deal, take_profit="7.5")
        event = next(stream)
    assert (event.resource, event.kind, event.origin) == ("deals", "changed", "stream")
    assert isinstance(event.record, botdesk.Deal)
    assert (event.record.id, str(event.record.take_profit)) == (deal, "7.5")
    assert (str(event.fields["take_profit"].new), event.before is None) == ("7.5", False)
    assert event.record.bot_events, "a frame has the events of the deal, unlike a list"
    assert event.record.refresh().id == deal
    assert event.at.tzinfo is dt.UTC
    assert repr(event) == f"<StreamEvent changed deals {deal} (stream)>"
    assert len(sandbox.streams.attempts) == 2


def test_async_for_has_the_same_events(client: botdesk.Client) -> None:
    async def main() -> list[tuple[str | None, str]]:
        deal, trade = open_deals(client)[0], client.smart_trades.list(status="active")[0]
        found: list[tuple[str | None, str]] = []
        async with client.stream("deals", "smart_trades") as stream:
            await client.deals.edit_async(deal, take_profit="7.5")
            await trade.close_async()
            async for event in stream:
                found.append((event.resource, event.kind))
                if len(found) == 2:
                    stream.close()
        return found

    assert asyncio.run(main()) == [("deals", "changed"), ("smart_trades", "changed")]


def test_nothing_is_lost_or_repeated_in_a_gap(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    first, second, third = open_deals(client)[:3]
    with client.stream("deals", states=True, on_error=lambda _: None) as stream:
        client.deals.edit(first, take_profit="7.5")
        assert next_of(stream, "changed").record.id == first
        sandbox.streams.drop()
        assert next_of(stream, "disconnected").reason
        client.deals.edit(second, take_profit="7.5")
        filled = next_of(stream, "changed")
        assert (filled.record.id, filled.origin in {"list", "poll"}) == (second, True)
        assert next_of(stream, "gap_filled").resource is None
        client.deals.edit(third, take_profit="7.5")
        # Neither of the first two comes again.
        live = next(event for event in stream if event.record is not None)
        assert (live.record.id, live.origin) == (third, "stream")


def test_doubled_frames_come_once_and_older_ones_not_at_all(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    first, second = open_deals(client)[:2]
    with client.stream("deals") as stream:
        sandbox.streams.repeat(2)
        sandbox.streams.hold()
        for take_profit in ("7.1", "7.2", "7.3"):
            client.deals.edit(first, take_profit=take_profit)
        sandbox.streams.release(reverse=True)
        client.deals.edit(second, take_profit="8")
        events = [next(stream), next(stream)]
    assert [str(event.record.take_profit) for event in events] == ["7.3", "8"]


def test_what_is_not_streamed_is_polled(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    names = ["accounts", "dca_bots", "grid_bots"]
    with client.stream(*names, every=1) as stream:
        assert (stream.resources, stream.status) == (names, "polling")
        client.dca_bots.disable(41)
        event = next(stream)
        assert (event.resource, event.kind, event.origin, event.record.id) == ("dca_bots", "disabled", "poll", 41)
        client.accounts.edit(1001, name="Renamed")
        # A grid bot may fill an order meanwhile.
        event = next(event for event in stream if event.resource == "accounts")
        assert (event.kind, event.record.name) == ("edited", "Renamed")
    assert sandbox.streams.attempts == []


def test_a_later_stream_continues_from_a_state(client: botdesk.Client, tmp_path: Path) -> None:
    deal, path = open_deals(client)[0], tmp_path / "stream.json"
    with client.stream("deals", "dca_bots", every=1) as stream:
        state = stream.state
        client.deals.edit(deal, take_profit="7.5")
        # It is not returned yet, so a later stream returns it.
        stream.save(path)
    client.dca_bots.disable(41)
    for since in (state, path):
        with client.stream("deals", "dca_bots", since=since, every=1) as stream:
            found = {(event.resource, event.record.id) for event in (next(stream), next(stream))}
        assert ("deals", deal) in found, since
    client.stream("smart_trades", since=state).close()


def test_a_time_returns_what_changed_since(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    deal, since = open_deals(client)[0], sandbox.clock.now
    client.deals.edit(deal, take_profit="7.5")
    with client.stream("deals", since=since) as stream:
        event = next(stream)
    assert (event.record.id, event.kind, event.origin) == (deal, "changed", "list")


def test_a_system_generated_key_signs_with_its_secret(sandbox: botdesk.Sandbox) -> None:
    api_key, secret = sandbox.add_key(secret=True)
    client = botdesk.Client(api_key, secret=secret, base_url=sandbox.url)
    deal = open_deals(client)[0]
    with client.stream("deals") as stream:
        client.deals.edit(deal, take_profit="7.5")
        assert next(stream).record.id == deal
    attempt = sandbox.streams.attempts[-1]
    assert (attempt.algorithm, attempt.signed_text, attempt.key) == ("HMAC", "/deals", f"…{api_key[-4:]}")


def test_an_event_of_a_list_shows_as_a_table(client: botdesk.Client) -> None:
    with client.stream("deals") as stream:
        client.deals.edit(open_deals(client)[0], take_profit="7.5")
        event = next(stream)
    assert "take_profit" in event._repr_html_()
    assert "changed deals" in _lists.html([event], None)


def test_the_examples_of_the_iterator_protocol(client: botdesk.Client) -> None:
    with contextlib.closing(client.stream("deals")) as stream:
        assert iter(stream) is stream
        assert aiter(stream) is stream


@pytest.mark.parametrize("names", [("deal",), ("dca-bots",), ("deals", "smart_trade")])
def test_a_wrong_name_is_answered_with_the_nearest(names: tuple[str, ...], client: botdesk.Client) -> None:
    with pytest.raises(
        botdesk.ConfigurationError, match=r"is no resource .* did you mean \"(deals|dca_bots|smart_trades)\""
    ):
        client.stream(*names)
