"""Profits become volumes once, whatever happens in between."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import botdesk
from botdesk import Archive
from botdesk._archive import store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def archive(tmp_path: Path, client: botdesk.Client) -> Iterator[Archive]:
    with Archive(tmp_path / "desk.sqlite") as archive:
        archive.sync(client)
        yield archive


def profit(client: botdesk.Client) -> Decimal:
    deals = [deal.final_profit for deal in client.deals.iter(bot_id=41) if deal.closed_at is not None]
    return sum((each for each in deals if each is not None), Decimal(0))


def test_the_budget_grows_by_the_share_of_the_profit(client: botdesk.Client, archive: Archive) -> None:
    bot = client.dca_bots.get(41)
    preview = bot.compound("50%", archive=archive)
    assert (preview.profit, preview.added) == (profit(client), profit(client) / 2)
    assert client.dca_bots.get(41).base_order_volume == bot.base_order_volume
    edited = preview.apply()
    grown = edited.ladder(1).bot_budget - bot.ladder(1).bot_budget
    assert preview.added - Decimal("0.02") < grown <= preview.added
    assert preview.budget_after == edited.ladder(1).bot_budget


def test_a_cancelled_deal_is_not_counted(sandbox: botdesk.Sandbox, client: botdesk.Client, archive: Archive) -> None:
    before = client.dca_bots.get(41).compound(archive=archive)
    cancelled = {"bot_id": 41, "finished": True, "status": "cancelled", "from_currency": before._quote}
    sandbox.add("deals", {**cancelled, "final_profit": "-70", "closed_at": "2026-03-02T10:00:00.000Z"})
    archive.sync(client)
    after = client.dca_bots.get(41).compound(archive=archive)
    assert (after.deals, after.profit) == (before.deals, before.profit)


def test_a_deal_is_counted_once(client: botdesk.Client, archive: Archive) -> None:
    bot = client.dca_bots.get(41)
    first, second = bot.compound(archive=archive), bot.compound(archive=archive)
    edited = asyncio.run(first.apply_async())
    with pytest.raises(botdesk.ConfigurationError, match="call compound"):
        second.apply()
    again = bot.compound(archive=archive)
    assert (again.deals, again.added) == (0, Decimal(0))
    assert again.edit is None
    assert again.apply().base_order_volume == edited.base_order_volume


def test_a_loss_changes_nothing_and_is_set_against_later_profits(client: botdesk.Client, archive: Archive) -> None:
    preview = client.dca_bots.get(42).compound(archive=archive)
    assert preview.profit < 0
    assert preview.edit is None
    preview.apply()
    assert client.dca_bots.get(42).compound(archive=archive).profit == preview.profit


@pytest.mark.parametrize("kind", ["close_after", "close_before"])
def test_an_unknown_outcome_is_found_out_from_the_bot(
    sandbox: botdesk.Sandbox, client: botdesk.Client, archive: Archive, kind: str
) -> None:
    before = client.dca_bots.get(41)
    preview = before.compound(archive=archive)
    sandbox.faults.add("dca_bots.edit", kind=kind)
    with pytest.raises(botdesk.OutcomeUnknownError):
        preview.apply()
    again = before.compound(archive=archive)
    assert (again.deals == 0) == (client.dca_bots.get(41).base_order_volume != before.base_order_volume)
    again.apply()
    assert client.dca_bots.get(41).ladder(1).bot_budget == preview.budget_after


@pytest.mark.parametrize("sends", [True, False])
def test_an_archive_that_is_held_meanwhile_does_not_hide_the_outcome(
    client: botdesk.Client, archive: Archive, tmp_path: Path, *, sends: bool
) -> None:
    preview = client.dca_bots.get(41).compound(archive=archive)
    edit = preview.edit

    def apply() -> botdesk.DcaBot:
        held.enter_context(store.sole_writer(tmp_path / "desk.sqlite"))
        if not sends:
            raise botdesk.ConnectionFailedError("the line is dead")
        bot: botdesk.DcaBot = edit.apply()
        return bot

    def carry_out() -> None:
        if sends:
            assert preview.apply().ladder(1).bot_budget == preview.budget_after
            return
        with pytest.raises(botdesk.ConnectionFailedError):
            preview.apply()

    preview.edit = SimpleNamespace(apply=apply)
    with ExitStack() as held, pytest.warns(botdesk.BotdeskWarning, match="the next compound") as warned:
        carry_out()
    assert len(warned) == 1
    again = client.dca_bots.get(41).compound(archive=archive)
    assert again.deals == (0 if sends else preview.deals)


def test_what_else_uses_the_profits_is_a_warning(client: botdesk.Client, archive: Archive) -> None:
    steps = [{"deviation": "-2", "size": "30"}]
    bot = client.dca_bots.edit(41, reinvesting_percentage="50", custom_safety_steps=steps, max_safety_orders=1)
    preview = bot.compound(archive=archive)
    assert [warning.partition(":")[0] for warning in preview.warnings] == [
        "reinvesting_percentage",
        "custom_safety_steps",
    ]


def test_an_error_of_the_service_counts_nothing(
    sandbox: botdesk.Sandbox, client: botdesk.Client, archive: Archive
) -> None:
    preview = client.dca_bots.get(41).compound(archive=archive)
    sandbox.faults.add("dca_bots.edit", "status", status=404)
    with pytest.raises(botdesk.NotFoundError):
        preview.apply()
    assert client.dca_bots.get(41).compound(archive=archive).deals == preview.deals


def test_other_volumes_after_an_unknown_outcome_are_an_error(
    sandbox: botdesk.Sandbox, client: botdesk.Client, archive: Archive
) -> None:
    bot = client.dca_bots.get(41)
    sandbox.faults.add("dca_bots.edit", kind="close_after")
    with pytest.raises(botdesk.OutcomeUnknownError):
        bot.compound(archive=archive).apply()
    client.dca_bots.edit(41, base_order_volume=77)
    with pytest.raises(botdesk.ConfigurationError, match="neither those before"):
        bot.compound(archive=archive)


def test_what_is_wrong_is_named(client: botdesk.Client, archive: Archive, tmp_path: Path) -> None:
    bot = client.dca_bots.get(41)
    for share in ("0%", "150%", "half", -1, "nan", True):
        with pytest.raises(botdesk.ValidationError, match="profit_share"):
            bot.compound(share, archive=archive)
    with Archive(tmp_path / "empty.sqlite") as empty, pytest.raises(botdesk.ArchiveError, match="sync it first"):
        bot.compound(archive=empty)
    path: Any = tmp_path / "desk.sqlite"
    with pytest.raises(botdesk.ValidationError, match=r"archive: must be a botdesk.Archive, not \w*Path"):
        bot.compound(archive=path)
    coins = client.dca_bots.edit(41, base_order_volume="0.1", base_order_volume_type="base_currency")
    with pytest.raises(botdesk.ConfigurationError, match="depends on prices"):
        coins.compound(archive=archive)
