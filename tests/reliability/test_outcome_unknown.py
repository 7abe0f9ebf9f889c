"""Writes that may have been carried out: the error about them, and how to find out."""

from __future__ import annotations

import asyncio
import pickle
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from sample_calls import SAMPLES, call, writes

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..wire.conftest import Calls, Service  # noqa: TID252

BOT_WRITES: dict[str, Callable[[botdesk.Client], object]] = {
    "dca_bots.disable": lambda client: client.dca_bots.disable(41),
    "dca_bots.cancel_all_deals": lambda client: client.dca_bots.cancel_all_deals(41),
    "dca_bots.edit": lambda client: client.dca_bots.edit(41, name="Edited"),
}


def check(error: botdesk.OutcomeUnknownError, way: str) -> botdesk.DcaBot:
    bot = error.check() if way == "blocking" else asyncio.run(error.check_async())
    assert isinstance(bot, botdesk.DcaBot)
    return bot


def unknown(act: Callable[[], object]) -> botdesk.OutcomeUnknownError:
    with pytest.raises(botdesk.OutcomeUnknownError) as caught:
        act()
    return caught.value


@pytest.mark.parametrize("way", ["blocking", "asyncio"])
@pytest.mark.parametrize(("kind", "done"), [("close_after", True), ("close_before", False)])
def test_check_shows_whether_it_happened(sandbox: botdesk.Sandbox, way: str, kind: str, *, done: bool) -> None:
    sandbox.faults.add("dca_bots.disable", kind)
    error = unknown(lambda: sandbox.client().dca_bots.disable(41))
    bot = check(error, way)
    assert (bot.id, bot.is_enabled) == (41, not done)
    assert [request.method for request in sandbox.requests] == ["POST", "GET"]


@pytest.mark.parametrize("way", ["blocking", "asyncio"])
@pytest.mark.parametrize("operation", BOT_WRITES)
def test_every_write_of_a_dca_bot_can_be_checked(sandbox: botdesk.Sandbox, operation: str, way: str) -> None:
    sandbox.faults.add(operation, kind="close_after")
    error = unknown(lambda: BOT_WRITES[operation](sandbox.client()))
    assert (error.operation, error.sent) == (operation, True)
    assert check(error, way).id == 41


def found(operation: str, kind: str, way: str) -> list[object] | None:
    """Return what `resolve` finds after a sample call; None if the operation makes nothing that a list shows."""
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        list(client.dca_bots.list(limit=1))
        sandbox.clock.advance(10)
        sandbox.faults.add(operation, kind)
        error = unknown(lambda: call(client, operation))
        try:
            return list(error.resolve() if way == "blocking" else asyncio.run(error.resolve_async()))
        except botdesk.ConfigurationError:
            return None


@pytest.mark.parametrize("way", ["blocking", "asyncio"])
def test_resolve_finds_what_a_write_made(way: str) -> None:
    made = {name: found(name, "close_after", way) for name in SAMPLES if writes(name)}
    shown = {name: records for name, records in made.items() if records is not None}
    assert {"dca_bots.create", "dca_bots.start_deal", "deals.add_funds", "smart_trades.create"} <= shown.keys()
    assert {name: len(records) for name, records in shown.items()} == dict.fromkeys(shown, 1)


def test_resolve_finds_nothing_if_the_write_was_not_carried_out() -> None:
    made = {name: found(name, "close_before", "blocking") for name in SAMPLES if writes(name)}
    assert {name for name, records in made.items() if records} == set()


def test_the_first_request_of_a_client_can_be_resolved(sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("deals.add_funds", "close_after")
    error = unknown(lambda: sandbox.client().deals.add_funds(410, quantity="0.01", is_market=True))
    assert [order.deal_order_type for order in error.resolve()] == ["Manual Safety"]


def add_funds(client: botdesk.Client) -> object:
    return client.deals.add_funds(410, quantity="0.01", is_market=True)


def orders(client: botdesk.Client) -> list[object]:
    """Return the ids of the orders that were added by hand."""
    return [order.order_id for order in client.deals.orders(410) if order.deal_order_type == "Manual Safety"]


@pytest.mark.parametrize("seconds", [0, 1, 5])
def test_resolve_leaves_out_what_an_equal_write_has_made_just_before(sandbox: botdesk.Sandbox, seconds: int) -> None:
    client = sandbox.client()
    add_funds(client)
    first = orders(client)
    sandbox.clock.advance(seconds)
    sandbox.faults.add("deals.add_funds", "close_before")
    assert list(unknown(lambda: add_funds(client.with_options(timeout=9))).resolve()) == []
    sandbox.faults.add("deals.add_funds", "close_after")
    error = unknown(lambda: add_funds(client))
    assert [order.order_id for order in error.resolve()] == [order for order in orders(client) if order not in first]


def test_what_a_write_has_made_that_is_gone_hides_nothing(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    settings: dict[str, Any] = {**SAMPLES["dca_bots.create"].arguments, "name": "Twice"}
    client.dca_bots.create(**settings).delete()
    sandbox.faults.add("dca_bots.create", "close_after")
    error = unknown(lambda: client.dca_bots.create(**settings))
    assert [bot.name for bot in error.resolve()] == ["Twice"]


def test_writes_with_unknown_outcomes_are_told_apart_once_they_are_resolved(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    found: list[list[object]] = []
    for kind in ("close_after", "close_after", "close_before", "close_after"):
        sandbox.faults.add("deals.add_funds", kind)
        error = unknown(lambda: add_funds(client))
        found.append([order.order_id for order in error.resolve()])
        assert [order.order_id for order in error.resolve()] == found[-1]
    assert [len(ids) for ids in found] == [1, 1, 0, 1]
    assert [one for ids in reversed(found) for one in ids] == orders(client)


def test_a_guess_about_a_write_hides_nothing_of_a_write_with_other_values(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    lost: list[botdesk.OutcomeUnknownError] = []
    for kind, quantity in (("close_before", "0.01"), ("close_after", "0.02")):
        sandbox.faults.add("deals.add_funds", kind)
        lost.append(unknown(partial(client.deals.add_funds, 410, quantity=quantity, is_market=True)))
    # Which of both made it can't be told from the list of orders.
    assert [[order.order_id for order in error.resolve()] for error in lost] == [orders(client), orders(client)]


def test_more_equal_writes_than_a_page_has_hide_nothing(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    for _ in range(12):
        buy(client, "USDT_BTC")
    sandbox.faults.add("smart_trades.create", "close_after")
    error = unknown(lambda: buy(client, "USDT_BTC"))
    newest = client.smart_trades.list(order_by="created_at", order_direction="DESC")[0]
    assert [trade.id for trade in error.resolve()] == [newest.id]


def test_one_of_two_writes_at_once_can_be_resolved(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    sandbox.faults.add("deals.add_funds", "close_after")

    async def both() -> list[object]:
        calls = [client.deals.add_funds_async(410, quantity="0.01", is_market=True) for _ in range(2)]
        return await asyncio.gather(*calls, return_exceptions=True)

    lost = [error for error in asyncio.run(both()) if isinstance(error, botdesk.OutcomeUnknownError)]
    assert [len(error.resolve()) for error in lost] == [1]


def buy(client: botdesk.Client, pair: str) -> object:
    return client.smart_trades.create(account_id=1001, pair=pair, side="buy", units="0.1", order="market")


def test_a_write_with_other_values_hides_nothing(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    buy(client, "USDT_BTC")
    sandbox.faults.add("smart_trades.create", "close_after")
    error = unknown(lambda: buy(client, "USDT_ETH"))
    assert [trade.pair for trade in error.resolve()] == ["USDT_ETH"]


def test_what_check_gives_remembers_its_client(sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("dca_bots.disable", kind="close_before")
    bot = unknown(lambda: sandbox.client().dca_bots.disable(41)).check()
    assert bot.disable().is_enabled is False


def test_an_edit_of_a_record_can_be_checked(sandbox: botdesk.Sandbox) -> None:
    bot = sandbox.client().dca_bots.get(41)
    sandbox.faults.add("dca_bots.edit", kind="close_after")
    assert unknown(lambda: bot.edit(name="Edited")).check().name == "Edited"


def test_an_edit_that_was_previewed_can_be_checked(sandbox: botdesk.Sandbox) -> None:
    preview = sandbox.client().dca_bots.get(41).preview_edit(name="Edited")
    sandbox.faults.add("dca_bots.edit", kind="close_after")
    assert unknown(preview.apply).check().name == "Edited"


@pytest.mark.parametrize("way", ["blocking", "asyncio"])
def test_what_can_not_be_read_by_its_number_can_not_be_checked(sandbox: botdesk.Sandbox, way: str) -> None:
    # The number of the new account is unknown too.
    sandbox.faults.add("accounts.add", kind="close_after")
    error = unknown(lambda: call(sandbox.client(), "accounts.add"))
    with pytest.raises(botdesk.ConfigurationError, match=r"accounts.add can't be checked"):
        check(error, way)


def test_a_check_may_fail_itself(sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("dca_bots.disable", kind="close_after")
    error = unknown(lambda: sandbox.client().dca_bots.disable(41))
    sandbox.faults.add("dca_bots.get", kind="status", status=403)
    with pytest.raises(botdesk.ForbiddenError):
        error.check()
    assert error.check().is_enabled is False


def test_the_error_has_the_request(sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("grid_bots.set_note", kind="close_before")
    error = unknown(lambda: sandbox.client().grid_bots.set_note(201, "Mind the range"))
    assert (error.operation, error.method) == ("grid_bots.set_note", "POST")
    assert error.path == "/public/api/ver1/grid_bots/201/note"
    assert error.body == '{"note":"Mind the range"}'
    assert "POST /public/api/ver1/grid_bots/201/note may have been carried out" in str(error)
    assert "look before you repeat it" in str(error)


def test_it_keeps_no_secret(sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("accounts.add", kind="close_before")
    secrets = {"api_key": "exchange-key-4711", "secret": "exchange-secret-4712", "passphrase": "exchange-word-4713"}
    error = unknown(lambda: sandbox.client().accounts.add(type="binance", name="Main", types_to_create=[], **secrets))
    assert '"name":"Main"' in str(error.body)
    output = repr(error) + str(error) + repr(vars(error)) + str(pickle.loads(pickle.dumps(error)).body)  # noqa: S301
    assert [secret for secret in secrets.values() if secret in output] == []


def test_it_travels_to_another_process_without_its_client(sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("dca_bots.disable", kind="close_after")
    error = unknown(lambda: sandbox.client().dca_bots.disable(41))
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(copy) is botdesk.OutcomeUnknownError
    assert str(copy) == str(error)
    assert (copy.sent, copy.operation, copy.method, copy.path, copy.body) == (
        True,
        "dca_bots.disable",
        "POST",
        "/public/api/ver1/bots/41/disable",
        None,
    )
    with pytest.raises(botdesk.ConfigurationError, match="can't be checked from here"):
        copy.check()
    assert error.check().id == 41


def test_a_request_by_hand_says_what_was_asked(client: botdesk.Client, service: Service, calls: Calls) -> None:
    service.sends(b"")
    error = unknown(lambda: calls.request(client, "POST", "/ver1/anything", json={"a": 1}))
    assert (error.method, error.path, error.body) == ("POST", "/public/api/ver1/anything", '{"a":1}')
    with pytest.raises(botdesk.ConfigurationError):
        error.check()
