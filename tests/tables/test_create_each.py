"""New bots from a table, previewed as a whole."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from pathlib import Path

COINS = [{"pairs": "USDT_BTC"}, {"pairs": "USDT_SOL", "take_profit": "*2"}]
NAME = "{strategy} {pair} {n}"


def created(sandbox: botdesk.Sandbox) -> list[Any]:
    return [each for each in sandbox.requests if each.method == "POST" and each.path.endswith("/create_bot")]


def test_bots_like_another_have_names_of_their_own(sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> None:
    preview = bots.create_each(COINS, like=41, name=NAME)
    assert "“long USDT_SOL 2”  USDT_SOL  take profit 2 %  budget 247.70 USDT" in str(preview)
    assert created(sandbox) == []
    result = preview.create()
    assert [bot.name for bot in result.done] == ["long USDT_BTC 1", "long USDT_SOL 2"]
    assert [bot.take_profit for bot in result.done] == [Decimal(1), Decimal(2)]
    assert not any(bot.is_enabled for bot in result.done)
    with pytest.raises(botdesk.ConfigurationError, match="used before"):
        preview.create()


def test_the_budgets_of_all_bots_are_compared_with_what_is_free(bots: botdesk.DcaBots) -> None:
    preview = bots.create_each([{**COINS[0], "base_order_volume": 9000}] * 1, like=41, name="Big {pair}")
    ((account_id, currency, budget, available),) = preview.budgets
    assert (account_id, currency, budget > available) == (1001, "USDT", True)
    assert preview.warnings[0].startswith("the bots together need ")


def test_a_file_needs_no_other_bot(bots: botdesk.DcaBots, tmp_path: Path) -> None:
    bots.export(tmp_path / "bots.csv")
    row = {
        "name": "From a file",
        "account_id": 1001,
        "pairs": "USDT_ETH",
        "strategy_list": '[{"strategy": "nonstop"}]',
        "base_order_volume": 80,
        "take_profit": "1.5",
        "take_profit_type": "total",
        "safety_order_volume": 30,
        "safety_order_step_percentage": 2,
        "max_safety_orders": 3,
        "active_safety_orders_count": 1,
        "martingale_volume_coefficient": 1,
        "martingale_step_coefficient": 1,
    }
    cells = ['"' + str(cell).replace('"', '""') + '"' for cell in row.values()]
    (tmp_path / "new.csv").write_text(f"{','.join(row)}\n{','.join(cells)}\n", encoding="utf-8")
    result = asyncio.run(asyncio.run(bots.create_each_async(tmp_path / "new.csv")).create_async())
    assert [bot.name for bot in result.done] == ["From a file"]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ([{"pair": "USDT_BTC"}], {"like": 41}, "column pair: .*did you mean pairs"),
        (COINS, {"like": 41}, "row 1: has no name"),
        (COINS, {"like": 999, "name": NAME}, "like: there is no DCA bot 999"),
        (COINS, {"like": 41, "name": "{coin}"}, r"row 1.name: \{coin\} is no placeholder"),
        (COINS, {"like": 41, "name": "Same"}, "row 2: row 1 has the name 'Same'"),
        (COINS, {"like": 41, "name": "Same", "skip_existing": True}, "row 2: row 1 has the name 'Same'"),
        ([{"name": "A"}], {}, "row 1.account_id: is required"),
        ([{"take_profit": "1,5"}], {"like": 41, "name": NAME}, "row 1.take_profit: '1,5' has a comma"),
        ([{"pairs": "BTC"}], {"like": 41, "name": NAME}, "row 1.pairs"),
    ],
)
def test_a_wrong_table_is_refused_before_anything_is_sent(
    sandbox: botdesk.Sandbox, bots: botdesk.DcaBots, table: object, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(botdesk.ValidationError, match=message):
        bots.create_each(table, **options)
    assert created(sandbox) == []


def test_a_name_that_exists_is_refused_or_left_out(bots: botdesk.DcaBots) -> None:
    bots.create_each(COINS[:1], like=41, name=NAME).create()
    with pytest.raises(botdesk.ValidationError, match="row 1: the bot 53 has the name 'long USDT_BTC 1'"):
        bots.create_each(COINS, like=41, name=NAME)
    rest = bots.create_each(COINS, like=41, name=NAME, skip_existing=True)
    assert [preview.body["name"] for preview in rest] == ["long USDT_SOL 2"]


def test_an_unknown_outcome_is_never_repeated(sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> None:
    sandbox.faults.add("dca_bots.create", kind="close_after")
    result = bots.create_each(COINS, like=41, name=NAME).create()
    assert [item.status for item in result] == ["unknown", "done"]
    again = result.retry_failed()
    assert [item.status for item in again] == ["unknown", "done"]
    assert len([bot for bot in bots.iter() if bot.name == "long USDT_BTC 1"]) == 1


def test_a_run_that_was_stopped_is_continued(sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> None:
    preview = bots.create_each(COINS, like=41, name=NAME)
    sandbox.faults.add("dca_bots.create", "status", status=401)
    result = preview.create()
    assert [item.status for item in result] == ["failed", "not_started"]
    assert result.ended_by is not None
    assert result.retry_failed().is_complete
    assert len([bot for bot in bots.iter() if str(bot.name).startswith("long USDT_")]) == 2


def test_ctrl_c_leaves_the_outcome_of_each_bot(bots: botdesk.DcaBots, monkeypatch: pytest.MonkeyPatch) -> None:
    preview = bots.create_each(COINS, like=41, name=NAME)

    def interrupted() -> botdesk.DcaBot:
        raise KeyboardInterrupt

    monkeypatch.setattr(preview[0], "_send", interrupted)
    with pytest.raises(botdesk.BulkInterrupted) as caught:
        preview.create()
    assert [item.status for item in caught.value.result] == ["unknown", "not_started"]
    assert [item.status for item in caught.value.result.retry_failed()] == ["unknown", "done"]


def test_a_bot_that_was_created_by_its_own_preview_is_not_created_again(
    sandbox: botdesk.Sandbox, bots: botdesk.DcaBots
) -> None:
    preview = bots.create_each(COINS, like=41, name=NAME)
    preview[0].apply()
    result = preview.create()
    assert [item.status for item in result] == ["failed", "done"]
    assert "used before" in str(result.failed[0].error)
    with pytest.raises(botdesk.ConfigurationError, match="used before"):
        preview[1].apply()
    assert len(created(sandbox)) == 2


@pytest.mark.parametrize("awaited", [False, True])
def test_what_the_service_refused_may_be_tried_again(
    sandbox: botdesk.Sandbox, bots: botdesk.DcaBots, *, awaited: bool
) -> None:
    sandbox.faults.add("dca_bots.create", "status", status=404)
    preview = bots.create_each(COINS, like=41, name=NAME)
    result = asyncio.run(preview.create_async()) if awaited else preview.create()
    assert [item.status for item in result] == ["failed", "done"]
    again = asyncio.run(result.retry_failed_async()) if awaited else result.retry_failed()
    assert again.is_complete
    assert len(created(sandbox)) == 3


def test_a_cancelled_run_leaves_the_outcome_of_each_bot(bots: botdesk.DcaBots, monkeypatch: pytest.MonkeyPatch) -> None:
    preview = bots.create_each(COINS, like=41, name=NAME)
    monkeypatch.setattr(preview[0], "_send_async", asyncio.Event().wait)

    async def create() -> None:
        async with asyncio.timeout(0.01):
            await preview.create_async()

    with pytest.raises(TimeoutError) as caught:
        asyncio.run(create())
    result = botdesk.BulkResult.behind(caught.value)
    assert [item.status for item in result or ()] == ["unknown", "not_started"]
