"""The changes of bots and deals that a watch reports."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from .conftest import TRADING, kinds

if TYPE_CHECKING:
    import botdesk


def test_existing_bots_are_not_reported(watch: botdesk.DcaBotWatch) -> None:
    assert watch.poll() == []


def test_a_bot_that_is_switched_off_is_reported(
    watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int
) -> None:
    begun = datetime.now(UTC)
    client.dca_bots.disable(bot_id)
    (change,) = watch.poll()
    assert (change.kind, change.bot.id, change.deal, change.fields) == ("disabled", bot_id, None, {})
    assert change.before is not None
    assert (change.before.is_enabled, change.bot.is_enabled) == (True, False)
    assert begun <= change.at <= datetime.now(UTC)
    assert repr(change) == f"<DcaBotChange disabled bot {bot_id} “Trader”>"


def test_a_bot_that_was_made_is_reported(watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox) -> None:
    made = sandbox.add_dca_bot(name="Newcomer")
    (change,) = watch.poll()
    assert (change.kind, change.bot.id, change.before) == ("appeared", made, None)


def test_an_edit_is_reported_with_its_fields(watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int) -> None:
    client.dca_bots.edit(bot_id, name="Renamed", take_profit="2.5")
    (change,) = watch.poll()
    assert change.kind == "edited"
    assert {name: (field.old, field.new) for name, field in change.fields.items()} == {
        "name": ("Trader", "Renamed"),
        "take_profit": (Decimal("1.0"), Decimal("2.5")),
    }
    assert repr(change).endswith("name: Trader → Renamed; take_profit: 1.0 → 2.5>")


def test_an_edit_to_the_same_is_none(watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int) -> None:
    client.dca_bots.edit(bot_id, take_profit="1.000")
    assert watch.poll() == []


def test_the_life_of_a_deal(watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox, bot_id: int) -> None:
    sandbox.set_price("USDT_NEW", 100)
    (opened,) = watch.poll()
    assert opened.deal is not None
    assert (opened.kind, opened.deal.pair, opened.deal_before) == ("deal_opened", "USDT_NEW", None)
    sandbox.set_price("USDT_NEW", "98.9")
    (changed,) = watch.poll()
    filled = changed.fields["completed_safety_orders_count"]
    assert (changed.kind, filled.old, filled.new) == ("deal_changed", 0, 1)
    assert changed.deal_before is not None
    assert (changed.deal_before.current_price, changed.deal and changed.deal.current_price) == (
        Decimal(100),
        Decimal("98.9"),
    )
    sandbox.set_price("USDT_NEW", 110)
    closed, reopened = watch.poll()
    assert kinds([closed, reopened]) == ["deal_closed", "deal_opened"]
    assert closed.deal is not None
    assert (closed.deal.id, closed.bot.id, closed.bot.finished_deals_count) == (opened.deal.id, bot_id, 1)


def test_a_price_alone_changes_nothing(watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox) -> None:
    sandbox.set_price("USDT_NEW", 100)
    watch.poll()
    sandbox.set_price("USDT_NEW", "100.5")
    assert watch.poll() == []


def test_deals_that_are_cancelled_change_their_status(
    watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int
) -> None:
    sandbox.set_price("USDT_NEW", 100)
    watch.poll()
    client.dca_bots.cancel_all_deals(bot_id)
    disabled, cancelled = watch.poll()
    assert kinds([disabled, cancelled]) == ["disabled", "deal_changed"]
    assert cancelled.fields["status"].new == "cancel_pending"


def test_the_records_of_a_change_ask_the_service(
    watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int
) -> None:
    client.dca_bots.edit(bot_id, take_profit="2.5")
    (change,) = watch.poll()
    assert change.bot.refresh().take_profit == Decimal("2.5")
    assert change.before is not None
    assert change.before.edit(take_profit="3").take_profit == 3


def test_a_change_is_drawn_without_secrets(watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int) -> None:
    client.dca_bots.edit(bot_id, name="<b>& canary", take_profit="2.5")
    (change,) = watch.poll()
    drawn = change._repr_html_()
    assert "take_profit" in drawn
    assert "&lt;b&gt;&amp; canary" in drawn
    secret = change.bot.url_secret
    assert secret
    assert secret not in drawn + repr(change)


def test_a_change_can_not_be_changed(watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int) -> None:
    client.dca_bots.disable(bot_id)
    (change,) = watch.poll()
    with pytest.raises(AttributeError):
        change.kind = "enabled"  # type: ignore[misc]


class TestFilters:
    def test_bots_of_other_accounts_are_left_out(self, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
        other = sandbox.add_account(name="Other")
        mine, theirs = sandbox.add_dca_bot(**TRADING), sandbox.add_dca_bot(**TRADING, account_id=other)
        watch = client.dca_bots.watch(account_id=other)
        watch.poll()
        client.dca_bots.disable(mine)
        client.dca_bots.disable(theirs)
        assert [change.bot.id for change in watch.poll()] == [theirs]

    def test_a_bot_that_leaves_the_scope_was_switched_off_not_deleted(
        self, client: botdesk.Client, bot_id: int
    ) -> None:
        watch = client.dca_bots.watch(scope="enable")
        watch.poll()
        client.dca_bots.disable(bot_id)
        assert kinds(watch.poll()) == ["disabled"]
        client.dca_bots.edit(bot_id, take_profit="2.5")
        assert watch.poll() == []

    def test_a_bot_that_leaves_another_filter_is_followed_on(self, client: botdesk.Client, bot_id: int) -> None:
        watch = client.dca_bots.watch(quote="USDT")
        watch.poll()
        client.dca_bots.edit(bot_id, pairs="BTC_ETH")
        (change,) = watch.poll()
        assert (change.kind, change.fields["pairs"].new) == ("edited", ["BTC_ETH"])
        client.dca_bots.disable(bot_id)
        assert kinds(watch.poll()) == ["disabled"]

    def test_without_deals_a_poll_reads_the_list_alone(self, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
        for _ in range(3):
            sandbox.add_dca_bot(**TRADING)
        sandbox.set_price("USDT_NEW", 100)
        watch = client.dca_bots.watch(deals=False)
        watch.poll()
        sandbox.set_price("USDT_NEW", 110)
        assert watch.poll() == []
        # The second request of each poll finds that the page before was the last.
        assert [request.path for request in sandbox.requests] == ["/public/api/ver1/bots"] * 4

    def test_only_bots_with_deals_are_fetched_alone(self, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
        trading = sandbox.add_dca_bot(**TRADING)
        sandbox.add_dca_bot(**{**TRADING, "pairs": ["USDT_OTHER"]})
        sandbox.set_price("USDT_NEW", 100)
        client.dca_bots.watch().poll()
        paths = [request.path.rpartition("ver1/")[2] for request in sandbox.requests]
        assert paths == ["bots", "bots", f"bots/{trading}/show"]
