"""Watches of deals and SmartTrades, which end, and of grid bots, which have nothing in them."""

from __future__ import annotations

import pytest

import botdesk

# At this price of USDT_DOGE the only deal on it takes its profit.
TAKEN = 5


def paths(sandbox: botdesk.Sandbox, since: int) -> list[str]:
    """Return the paths of the requests after the first ones."""
    return [request.path for request in sandbox.requests[since:]]


def test_a_deal_that_ends_is_reported_once_as_it_was_last(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    watch = client.deals.watch()
    assert watch.poll() == []
    sandbox.set_price("USDT_DOGE", TAKEN)
    (change,) = watch.poll()
    assert (change.kind, change.deal.id) == ("closed", 470)
    assert (change.deal.status, change.before and change.before.status) == ("completed", "bought")
    assert change.fields["status"].new == "completed"
    assert watch.poll() == []


def test_a_deal_that_has_ended_is_not_requested_any_more(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    watch = client.deals.watch()
    watch.poll()
    quiet = len(sandbox.requests)
    watch.poll()
    per_poll = paths(sandbox, quiet)
    sandbox.set_price("USDT_DOGE", TAKEN)
    before = len(sandbox.requests)
    watch.poll()
    assert [path for path in paths(sandbox, before) if path.endswith("/show")] == ["/public/api/ver1/deals/470/show"]
    before = len(sandbox.requests)
    watch.poll()
    assert paths(sandbox, before) == per_poll


def test_only_open_deals_are_listed(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    before = len(sandbox.requests)
    client.deals.watch().poll()
    assert all("scope=active" in str(request.query) for request in sandbox.requests[before:])
    before = len(sandbox.requests)
    client.smart_trades.watch().poll()
    assert all("status=active" in str(request.query) for request in sandbox.requests[before:])


def test_a_deal_that_is_opened_is_reported(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    watch = client.deals.watch(bot_id=41)
    watch.poll()
    # The bot opens the next deal at once.
    sandbox.set_price("USDT_ETH", 4000)
    kinds = {change.kind: change.deal for change in watch.poll()}
    assert set(kinds) == {"opened", "closed"}
    assert kinds["opened"].bot_id == kinds["closed"].bot_id == 41


def test_a_safety_order_that_fills_changes_a_deal(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    watch = client.deals.watch()
    watch.poll()
    sandbox.set_price("USDC_LINK", 100)
    kinds = {change.deal.id: change.kind for change in watch.poll()}
    assert kinds == {462: "changed", 502: "closed"}


def test_the_end_of_a_deal_is_found_by_a_watch_that_continues(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    watch = client.deals.watch()
    watch.poll()
    sandbox.set_price("USDT_DOGE", TAKEN)
    later = client.deals.watch(since=watch.state)
    assert [(change.kind, change.deal.id) for change in later.poll()] == [("closed", 470)]
    assert client.deals.watch(since=later.state).poll() == []


def test_a_change_that_was_not_taken_is_in_the_state(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    watch = client.deals.watch()
    watch.poll()
    sandbox.set_price("USDT_DOGE", TAKEN)
    for change in watch:
        assert change.kind == "closed"
        break
    sandbox.add_smart_trade()
    trades = client.smart_trades.watch()
    trades.poll()
    added = sandbox.add_smart_trade()
    (opened,) = client.smart_trades.watch(since=trades.state).poll()
    assert (opened.kind, opened.trade.id) == ("opened", added)


def test_a_state_of_deals_is_not_one_of_smart_trades(client: botdesk.Client) -> None:
    watch = client.deals.watch()
    watch.poll()
    with pytest.raises(botdesk.ConfigurationError, match="it is of a watch of deals, not of smart_trades"):
        client.smart_trades.watch(since=watch.state)


def test_an_edited_grid_bot_is_reported_and_the_watch_continues(client: botdesk.Client) -> None:
    watch = client.grid_bots.watch()
    watch.poll()
    assert watch.poll() == []
    later = client.grid_bots.watch(since=watch.state)
    client.grid_bots.set_note(203, "Mind the range")
    (change,) = later.poll()
    assert (change.kind, change.bot.id, list(change.fields)) == ("edited", 203, ["note"])
    again = client.grid_bots.watch(since=later.state)
    assert again.poll() == []


def test_the_price_does_not_edit_grid_bots(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    watch = client.grid_bots.watch()
    watch.poll()
    bot = next(bot for bot in client.grid_bots.iter() if bot.is_enabled)
    assert bot.pair
    assert bot.current_price
    sandbox.set_price(bot.pair, bot.current_price * 101 / 100)
    assert watch.poll() == []


def test_a_watch_of_enabled_grid_bots_reports_one_that_is_enabled(client: botdesk.Client) -> None:
    watch = client.grid_bots.watch(state="enabled")
    watch.poll()
    client.grid_bots.enable(203)
    assert "enabled" in [change.kind for change in watch.poll()]
