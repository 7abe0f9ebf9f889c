"""Cassettes written by hand: documented responses that the sandbox never sends."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .scenarios import CASSETTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Call = Callable[..., Any]

BY_HAND = CASSETTES / "by_hand"


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[botdesk.Client]:
    """Return a client of the cassette that the test's marker names."""
    marker = request.node.get_closest_marker("botdesk_replay")
    assert marker is not None
    with botdesk.Replay(BY_HAND / f"{marker.args[0]}.har", strict=True) as replay:
        yield replay.client()


def cassette(name: str) -> pytest.MarkDecorator:
    return pytest.mark.botdesk_replay(name)


@cassette("accounts.deposit_data.closed")
def test_an_exchange_speaks_in_its_own_words(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.MarketApiError) as caught:
        call(client.accounts, "deposit_data", 1001, currency="BTC", network="BTC")
    assert caught.value.error_description == '{"code"=>-4026, "msg"=>"Deposits are closed for this network"}'


@cassette("accounts.deposit_data.record_invalid")
def test_missing_inputs_are_reported_by_field(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        call(client.accounts, "deposit_data", 1001, currency="BTC", network="NONE")
    assert caught.value.error_attributes == {"currency": ["is missing"], "network": ["is missing"]}


@cassette("accounts.networks_info.record_invalid")
def test_networks_may_be_rejected_for_missing_inputs(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.RecordInvalidError, match="currency: is missing; network: is missing"):
        call(client.accounts, "networks_info", 1001)


@cassette("accounts.networks_info.single_object")
def test_a_single_network_info_is_a_list_of_one(client: botdesk.Client, call: Call) -> None:
    (info,) = call(client.accounts, "networks_info", 1001)
    assert (info.currency, info.withdraw_enable) == ("BTC", False)


@cassette("dca_bots.disable.forbidden")
def test_disabling_may_be_forbidden_without_a_word(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.ForbiddenError) as caught:
        call(client.dca_bots, "disable", 41)
    assert (caught.value.error, caught.value.error_description) == ("Forbidden", None)


@cassette("dca_bots.list.bad_gateway")
def test_a_proxy_that_responds_in_html(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.ServerError) as caught:
        call(client.dca_bots, "list")
    assert caught.value.body.startswith("<html>")


@cassette("dca_bots.list.plan_restricted")
def test_a_plan_does_not_include_the_request(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.PlanRestrictedError, match="waiting does not help"):
        call(client.dca_bots, "list")


@cassette("dca_bots.list.rate_limited")
def test_too_many_requests_have_a_retry_after(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.RateLimitedError) as caught:
        call(client.dca_bots, "list")
    assert (caught.value.retry_after, caught.value.request_id) == (300, "by-hand-1")


@cassette("dca_bots.list.ip_banned")
def test_going_on_gets_the_address_banned(client: botdesk.Client, call: Call) -> None:
    with pytest.raises(botdesk.IpBannedError):
        call(client.dca_bots, "list")


@cassette("dca_bots.get.odd_values")
def test_odd_values_survive(client: botdesk.Client, call: Call) -> None:
    bot = call(client.dca_bots, "get", 2376446537)
    assert bot.base_order_volume == Decimal("1.00399920581210916146041542739112586575949572812639182")
    assert bot.min_volume_btc_24h == Decimal("1.5795860715256732e-25")
    assert (bot.take_profit, bot.trailing_enabled) == (None, None)
    assert bot.to_dict()["custom_safety_steps"] == [Decimal("1.10")]


@cassette("grid_bots.set_note.flags_as_text")
def test_counts_and_booleans_may_be_texts(client: botdesk.Client, call: Call) -> None:
    bot = call(client.grid_bots, "set_note", 201, "bis Montag")
    assert (bot.grids_quantity, bot.trailing_up_enabled, bot.expansion_down_enabled) == (40, False, True)
