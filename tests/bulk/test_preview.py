"""The preview of sixty edits."""

from __future__ import annotations

import asyncio
import html

import pytest

import botdesk

from .conftest import COUNT, Call, Desk


def test_a_preview_of_records_sends_nothing(desk: Desk, call: Call) -> None:
    preview = call(desk.client.dca_bots, "edit_many", desk.bots, cooldown=60, preview=True)
    assert isinstance(preview, botdesk.BulkPreview)
    assert len(preview) == COUNT
    assert desk.arrived == []


def test_a_preview_of_identifiers_only_reads(desk: Desk, call: Call) -> None:
    preview = call(desk.client.dca_bots, "edit_many", desk.ids, cooldown=60, preview=True)
    assert len(preview) == len(desk.arrived) == COUNT
    assert desk.writes() == []


def test_it_shows_what_changes_in_which_bot(desk: Desk) -> None:
    bot = desk.bots[0]
    preview = desk.client.dca_bots.edit_many([bot], cooldown=61, preview=True)
    key = desk.client.sign("GET", "/ver1/bots").fingerprint
    account = f"account {bot.account_id} “{bot.account_name}”"
    base_url = repr(desk.client).split()[1]
    assert repr(preview).splitlines() == [
        "Preview of dca_bots.edit of 1",
        f"at {base_url}, key {key}, {account}",
        f"  DcaBot {bot.id} “{bot.name}”  cooldown: {bot.cooldown} → 61",
        "nothing is sent until apply()",
    ]
    assert f"cooldown: {bot.cooldown} → 61" in repr(preview[0])


def test_a_volume_that_changes_a_thousandfold_is_pointed_out(desk: Desk) -> None:
    bot = desk.bots[0]
    volume = (bot.base_order_volume or 0) * 1_000
    preview = desk.client.dca_bots.edit_many(desk.bots[:2], base_order_volume=volume, preview=True)
    assert isinstance(preview, botdesk.BulkPreview)
    warning = f"base_order_volume: {bot.base_order_volume} → {volume} is a change by more than a factor of ten"
    assert preview.warnings[0] == f"DcaBot {bot.id} “{bot.name}”: {warning}; check every digit"
    assert f"! {preview.warnings[0]}" in repr(preview).splitlines()
    assert warning in preview._repr_html_()


def test_a_preview_without_edits_names_the_accounts_of_the_records(desk: Desk) -> None:
    preview = desk.client.dca_bots.disable_many(desk.bots[:1], preview=True)
    assert isinstance(preview, botdesk.BulkPreview)
    assert preview.destination.endswith(f", account {desk.bots[0].account_id} “{desk.bots[0].account_name}”")
    assert preview.warnings == []


def test_it_shows_as_a_table_in_which_nothing_breaks_out(desk: Desk) -> None:
    preview = desk.client.dca_bots.edit_many(desk.bots[:2], name="<b>&", preview=True)
    assert "<b>" not in preview._repr_html_()
    assert html.escape("<b>&") in preview._repr_html_()
    assert "prefers-color-scheme: dark" in preview._repr_html_()


def test_what_changes_nothing_is_named(desk: Desk) -> None:
    bot = desk.bots[0]
    preview = desk.client.dca_bots.edit_many([bot], cooldown=bot.cooldown, preview=True)
    assert f"nothing changes, but the request is sent: {bot.id}" in repr(preview)


def test_it_is_applied_as_it_was_shown(desk: Desk, call: Call) -> None:
    preview = call(desk.client.dca_bots, "edit_many", desk.bots, cooldown=60, preview=True)
    result = call(preview, "apply")
    assert result.is_complete
    sent = sorted(request.body for request in desk.arrived if request.method == "PATCH")
    assert sent == sorted(edit.body for edit in preview)


def test_what_somebody_else_changed_meanwhile_is_not_set_back(desk: Desk, call: Call) -> None:
    preview = call(desk.client.dca_bots, "edit_many", desk.bots[:5], cooldown=60, preview=True)
    desk.client.dca_bots.edit(desk.ids[2], name="Meanwhile")
    result = call(preview, "apply")
    assert [item.status for item in result] == ["done", "done", "failed", "done", "done"]
    assert isinstance(result.failed[0].error, botdesk.EditConflictError)
    assert desk.client.dca_bots.get(desk.ids[2]).name == "Meanwhile"


def test_a_preview_is_applied_once(desk: Desk, call: Call) -> None:
    preview = call(desk.client.dca_bots, "disable_many", desk.ids[:3], preview=True)
    assert call(preview, "apply").is_complete
    with pytest.raises(botdesk.ConfigurationError, match=r"preview of dca_bots\.disable was applied already"):
        call(preview, "apply")
    assert len(desk.writes()) == 3


def test_a_conflict_stays_one_when_it_is_retried(desk: Desk) -> None:
    preview = desk.client.dca_bots.edit_many(desk.bots[:1], cooldown=60, preview=True)
    desk.client.dca_bots.edit(desk.ids[0], name="Meanwhile")
    assert isinstance(preview, botdesk.BulkPreview)
    again = preview.apply().retry_failed()
    assert isinstance(again.failed[0].error, botdesk.EditConflictError)


def test_force_sets_it_back(desk: Desk, call: Call) -> None:
    preview = desk.client.dca_bots.edit_many(desk.bots[:1], cooldown=60, preview=True)
    desk.client.dca_bots.edit(desk.ids[0], name="Meanwhile")
    (bot,) = call(preview, "apply", force=True).done
    assert bot.name == desk.bots[0].name


def test_a_bot_that_can_not_be_read_is_shown_and_not_sent(desk: Desk, call: Call) -> None:
    desk.sandbox.faults.add("dca_bots.get", kind="status", status=404)
    preview = call(desk.client.dca_bots, "edit_many", desk.ids[:3], cooldown=60, preview=True, concurrency=1)
    assert [item.id for item in preview.failed] == desk.ids[:1]
    assert f"can't be read; nothing is sent for it: DcaBot {desk.ids[0]}: NotFoundError" in repr(preview)
    result = call(preview, "apply")
    assert [item.status for item in result] == ["failed", "done", "done"]
    assert len(desk.writes()) == 2
    # The bot exists after all, and the caller passes it again.
    assert call(result, "retry_failed").is_complete


def test_a_fatal_error_ends_a_preview(desk: Desk, call: Call) -> None:
    desk.sandbox.faults.add("dca_bots.get", kind="status", status=418)
    with pytest.raises(botdesk.IpBannedError):
        call(desk.client.dca_bots, "edit_many", desk.ids, cooldown=60, preview=True)


@pytest.mark.parametrize("method", ["disable_many", "cancel_all_deals_many"])
def test_a_preview_of_other_calls_shows_what_is_sent_to_which(desk: Desk, call: Call, method: str) -> None:
    preview = call(desk.client.dca_bots, method, desk.bots[:2], preview=True)
    operation = method.removesuffix("_many")
    assert [(planned.id, planned.method, planned.path) for planned in preview] == [
        (id_, "POST", f"/public/api/ver1/bots/{id_}/{operation}") for id_ in desk.ids[:2]
    ]
    assert desk.arrived == []
    assert f"/{operation}" in preview._repr_html_()
    assert call(preview, "apply").is_complete


def test_accounts_are_previewed_too(desk: Desk, call: Call) -> None:
    preview = call(desk.client.accounts, "load_balances_many", [1001], preview=True)
    assert "POST /public/api/ver1/accounts/1001/load_balances" in repr(preview)
    assert call(preview, "apply").is_complete


CANDLES = [[0, 2500, 2500, 2490, 2495], [60000, 2495, 2530, 2470, 2525]]


def test_the_edits_of_a_preview_are_backtested_together() -> None:
    with botdesk.Sandbox() as sandbox:
        bots = sandbox.client().dca_bots
        preview = bots.edit_many([41, 43], take_profit="0.5", preview=True)
    assert isinstance(preview, botdesk.BulkPreview)
    found = preview.backtest({"USDT_ETH": CANDLES}, fee="0.1%")
    alone = preview[0].backtest(CANDLES, fee="0.1%")
    assert found.items[0].comparison == alone
    assert found.items[1].comparison is None
    assert found.items[1].skipped == "there are no candles of USDT_XRP"
    (profit,) = found.profits
    assert (profit.currency, profit.bots) == ("USDT", 1)
    assert (profit.before, profit.after) == (alone.before.summary.profit, alone.after.summary.profit)
    assert profit.difference == alone.difference.profit
    assert asyncio.run(preview.backtest_async({"USDT_ETH": CANDLES}, fee="0.1%")).profits == found.profits


def test_bots_of_several_pairs_need_the_candles_of_each() -> None:
    with botdesk.Sandbox() as sandbox:
        preview = sandbox.client().dca_bots.edit_many([41, 43], take_profit="0.5", preview=True)
    assert isinstance(preview, botdesk.BulkPreview)
    with pytest.raises(botdesk.ValidationError, match=r"candles: must be a dict by pair.*: USDT_ETH, USDT_XRP"):
        preview.backtest(CANDLES)


def test_a_bot_that_can_not_be_backtested_with_the_arguments_is_skipped() -> None:
    with botdesk.Sandbox() as sandbox:
        bots = sandbox.client().dca_bots
        preview = bots.edit_many([41], base_order_volume_type="percent", base_order_volume=5, preview=True)
    assert isinstance(preview, botdesk.BulkPreview)
    (item,) = preview.backtest(CANDLES).items
    assert item.comparison is None
    assert "balance" in item.skipped
    assert f"! {item.title}: skipped, {item.skipped}" in repr(preview.backtest(CANDLES))


def test_only_edits_of_bots_are_backtested(desk: Desk) -> None:
    preview = desk.client.dca_bots.disable_many(desk.bots[:1], preview=True)
    assert isinstance(preview, botdesk.BulkPreview)
    with pytest.raises(botdesk.ConfigurationError, match=r"a preview of dca_bots\.disable can't be backtested"):
        preview.backtest(CANDLES)
