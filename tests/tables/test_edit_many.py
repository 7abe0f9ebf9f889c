"""Edits of many bots by calculations with what each has, and by pairs to add and remove."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk
from botdesk._budgets import budget_change
from botdesk._exact import plain
from botdesk._tables.cells import value_of

if TYPE_CHECKING:
    from pathlib import Path

# A bot with four pairs.
BASKET = 42


def writes(sandbox: botdesk.Sandbox) -> int:
    return len([request for request in sandbox.requests if request.method == "PATCH"])


def preview_of(planned: object) -> botdesk.BulkPreview:
    assert isinstance(planned, botdesk.BulkPreview)
    return planned


def test_a_number_is_calculated_from_that_of_each_bot(bots: botdesk.DcaBots) -> None:
    ids = [41, 43]
    before = [bots.get(id_) for id_ in ids]
    result = bots.edit_many(ids, base_order_volume="*1.1", max_safety_orders="+1", cooldown=90)
    assert result.is_complete
    for old, new in zip(before, map(bots.get, ids), strict=True):
        assert old.base_order_volume is not None
        assert old.max_safety_orders is not None
        assert new.base_order_volume == old.base_order_volume * Decimal("1.1")
        assert new.max_safety_orders == old.max_safety_orders + 1
        assert new.cooldown == Decimal(90)


def test_a_calculation_uses_the_current_value_and_not_that_of_an_old_record(bots: botdesk.DcaBots) -> None:
    old = bots.get(41)
    bots.edit(41, base_order_volume=200)
    asyncio.run(bots.edit_many_async([old], base_order_volume="*2"))
    assert bots.get(41).base_order_volume == 400


def test_a_calculation_keeps_every_digit() -> None:
    number = Decimal("1234567890.123456789012345678901234567891")
    assert value_of("*1.1", "decimal", number) == Decimal("1358024679.1358024679135802467913580246801")
    assert value_of("+0.1", "decimal", number) == Decimal("1234567890.223456789012345678901234567891")


def test_pairs_are_added_and_removed(bots: botdesk.DcaBots) -> None:
    before = list(bots.get(BASKET).pairs or [])
    result = bots.edit_many([BASKET], add_pairs=["USDC_SOL", before[0]], remove_pairs=before[1])
    assert result.is_complete
    assert bots.get(BASKET).pairs == [before[0], *before[2:], "USDC_SOL"]


def test_bots_that_do_not_change_are_not_sent(sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> None:
    pair = (bots.get(BASKET).pairs or [])[0]
    assert len(bots.edit_many([BASKET], add_pairs=pair)) == 0
    assert len(bots.edit_many([BASKET, 41], base_order_volume="*1")) == 0
    assert writes(sandbox) == 0


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({"add_pairs": "USDC_SOL", "pairs": "USDC_BTC"}, "pairs"),
        ({"add_pairs": "USDC_SOL", "remove_pairs": "USDC_SOL"}, "add_pairs"),
        ({"remove_pairs": ["USDC_BTC", "USDC_ETH", "USDC_LINK", "USDC_AVAX"]}, "42.remove_pairs"),
        ({"base_order_volume": "*x"}, "42.base_order_volume"),
        ({"max_safety_orders": "*1.3"}, "42.max_safety_orders"),
        ({"take_profit": "+-100"}, "42.take_profit"),
        ({"add_pairs": "USDC-SOL"}, "42.pairs"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_sent(
    sandbox: botdesk.Sandbox, bots: botdesk.DcaBots, arguments: dict[str, Any], where: str
) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        bots.edit_many([BASKET], **arguments)
    assert next(iter(caught.value.errors)).startswith(where)
    assert writes(sandbox) == 0


def test_an_unknown_or_repeated_bot_is_refused(sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> None:
    with pytest.raises(botdesk.ValidationError, match="41: is listed more than once"):
        bots.edit_many([41, 41], take_profit="*2")
    with pytest.raises(botdesk.NotFoundError):
        bots.edit_many([41, 999], take_profit="*2")
    with pytest.raises(botdesk.ValidationError, match="999: there is none with this id"):
        bots.edit_many([*(bot for bot in bots.iter()), 999], take_profit="*2")
    assert writes(sandbox) == 0


def test_a_preview_shows_the_budgets_before_and_after(bots: botdesk.DcaBots) -> None:
    preview = preview_of(bots.edit_many([41, 43], base_order_volume="+8", preview=True))
    planned = [bots.get(id_).ladder(price=1).bot_budget for id_ in (41, 43)]
    assert [(each.before, each.after) for each in preview.budgets] == [(budget, budget + 8) for budget in planned]
    total = sum(planned, Decimal(0))
    assert f"budget: {plain(planned[0]):f} → " in str(preview)
    assert f"budgets of 2 together: {plain(total):f} → {plain(total + 16):f} USDT" in str(preview)
    assert "budget" in preview._repr_html_()
    assert "budget" not in str(bots.edit_many([41, 43], cooldown=9, preview=True))


def test_a_budget_in_coins_depends_on_prices(bots: botdesk.DcaBots) -> None:
    edit = bots.get(41).preview_edit(base_order_volume_type="base_currency", base_order_volume="0.1")
    assert budget_change(41, edit).after is None
    preview = preview_of(
        bots.edit_many([41], base_order_volume_type="base_currency", base_order_volume="0.1", preview=True)
    )
    assert "budget: 247.7 → depends on prices" in str(preview)


@pytest.mark.parametrize("name", ["plan.csv", "plan.xlsx"])
def test_a_plan_continues_a_run_that_was_stopped_without_calculating_twice(
    sandbox: botdesk.Sandbox, bots: botdesk.DcaBots, tmp_path: Path, name: str
) -> None:
    before = [bots.get(id_).base_order_volume or 0 for id_ in (41, 43)]
    table = [{"id": 41, "base_order_volume": "*2"}, {"id": 43, "base_order_volume": "*3"}]
    preview = preview_of(bots.edit_each(table, preview=True))
    assert preview.export(tmp_path / name) == 2
    sandbox.faults.add("dca_bots.edit", "status", status=401)
    preview.apply()
    for _ in range(2):
        bots.edit_each(tmp_path / name).raise_for_failures()
        assert [bots.get(id_).base_order_volume for id_ in (41, 43)] == [before[0] * 2, before[1] * 3]


@pytest.mark.parametrize("name", ["plan.csv", "plan.xlsx"])
def test_a_plan_keeps_a_list_that_becomes_empty(
    sandbox: botdesk.Sandbox, bots: botdesk.DcaBots, tmp_path: Path, name: str
) -> None:
    closes = [{"strategy": "rsi", "options": {"time": "3m", "points": "20", "trigger_condition": "less"}}]
    bot_id = sandbox.add_dca_bot(close_strategy_list=closes)
    table = [{"id": bot_id, "close_strategy_list": "[]", "cooldown": "60"}]
    preview_of(bots.edit_each(table, preview=True)).export(tmp_path / name)
    bots.edit_each(tmp_path / name).raise_for_failures()
    assert bots.get(bot_id).to_dict()["close_strategy_list"] == []


def test_only_edits_have_values_to_export(bots: botdesk.DcaBots, tmp_path: Path) -> None:
    with pytest.raises(botdesk.ConfigurationError, match="only edits have"):
        preview_of(bots.disable_many([41], preview=True)).export(tmp_path / "plan.csv")


def test_the_outcome_is_a_table(sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> None:
    sandbox.faults.add("dca_bots.edit", "status", status=404)
    rows = bots.edit_many([41, 43], cooldown=9, concurrency=1).to_dicts()
    assert [(row["id"], row["outcome"]) for row in rows] == [(41, "failed"), (43, "done")]
    assert rows[0]["error"].startswith("NotFoundError")


def test_a_note_that_begins_like_a_calculation_is_text() -> None:
    with botdesk.Sandbox() as sandbox:
        deals = sandbox.client().deals
        deals.edit_many([410], note="*2")
        assert deals.get(410).note == "*2"
