"""Commands that edit and create many bots."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from botdesk._cli import options

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import botdesk

    from .conftest import Ended


def test_edit_many_calculates_and_adds_pairs(desk: Callable[..., Ended], sandbox: botdesk.Sandbox) -> None:
    bots = sandbox.client().dca_bots
    before = bots.get(42)
    arguments = ["bots", "edit-many", "42", "--max-safety-orders", "+1", "--base-order-volume", "*2"]
    ended = desk(*arguments, "--add-pairs", "USDC_SOL", "--remove-pairs", "USDC_BTC", "--preview")
    assert "budget: " in ended.out
    assert bots.get(42).pairs == before.pairs
    ended = desk(*arguments, "--add-pairs", "USDC_SOL", "--remove-pairs", "USDC_BTC", "--yes")
    after = bots.get(42)
    assert (ended.code, after.max_safety_orders) == (0, (before.max_safety_orders or 0) + 1)
    assert after.base_order_volume == (before.base_order_volume or 0) * 2
    assert after.pairs == [*(before.pairs or [])[1:], "USDC_SOL"]


def test_a_whole_number_without_a_sign_is_the_value(desk: Callable[..., Ended], sandbox: botdesk.Sandbox) -> None:
    assert desk("bots", "edit-many", "41", "43", "--max-safety-orders", "4", "--yes").code == 0
    assert [sandbox.client().dca_bots.get(id_).max_safety_orders for id_ in (41, 43)] == [4, 4]


@pytest.mark.parametrize(
    "arguments", [[], ["--max-safety-orders", "many"], ["--pairs", "USDC_BTC", "--add-pairs", "X"]]
)
def test_a_wrong_edit_of_many_sends_nothing(
    desk: Callable[..., Ended], sandbox: botdesk.Sandbox, arguments: list[str]
) -> None:
    assert desk("bots", "edit-many", "42", *arguments, "--yes").code == 2
    assert [request for request in sandbox.requests if request.method == "PATCH"] == []


def test_a_plan_is_written_before_anything_is_sent(
    desk: Callable[..., Ended], sandbox: botdesk.Sandbox, tmp_path: Path
) -> None:
    settings, plan = tmp_path / "settings.csv", tmp_path / "plan.csv"
    settings.write_text("id,base_order_volume\n41,*1.1\n", encoding="utf-8")
    volume = sandbox.client().dca_bots.get(41).base_order_volume
    desk("bots", "edit-each", str(settings), "--plan", str(plan), "--preview")
    assert sandbox.client().dca_bots.get(41).base_order_volume == volume
    assert plan.read_text("utf-8") == "id,base_order_volume\n41,88\n"
    assert desk("bots", "edit-each", str(plan), "--yes").code == 0
    again = desk("bots", "edit-each", str(plan), "--yes", "--json")
    assert "nothing changes" in again.err
    assert again.json == []


def test_bots_are_created_from_a_file(desk: Callable[..., Ended], sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
    coins = tmp_path / "coins.csv"
    coins.write_text("pairs\nUSDT_BTC\nUSDT_SOL\n", encoding="utf-8")
    arguments = ["bots", "create-each", str(coins), "--like", "41", "--name", "{strategy} {pair}"]
    assert "“long USDT_SOL”" in desk(*arguments, "--preview").out
    assert [row["body"]["name"] for row in desk(*arguments, "--preview", "--json").json] == [
        "long USDT_BTC",
        "long USDT_SOL",
    ]
    assert desk(*arguments).code == 2
    ended = desk(*arguments, "--yes")
    assert (ended.code, "2 done" in ended.out) == (0, True)
    assert "has the name 'long USDT_BTC'; choose another" in desk(*arguments, "--yes").err
    assert "nothing to create" in desk(*arguments, "--skip-existing", "--yes").err
    assert sum(str(bot.name).startswith("long USDT_") for bot in sandbox.client().dca_bots.iter()) == 2


def test_the_question_before_new_bots_says_where_they_are_created(
    desk: Callable[..., Ended], sandbox: botdesk.Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    coins = tmp_path / "coins.csv"
    coins.write_text("pairs\nUSDT_BTC\n", encoding="utf-8")
    asked: list[options.Question] = []

    def confirm(question: Callable[[], options.Question], *, yes: bool) -> None:
        del yes
        asked.append(question())

    monkeypatch.setattr(options, "confirm", confirm)
    desk("bots", "create-each", str(coins), "--like", "41", "--name", "{pair}")
    assert [(each.what, each.destination.startswith(sandbox.url)) for each in asked] == [("Create this DCA bot", True)]


def test_a_csv_has_no_formula_and_its_numbers_stay_numbers(
    desk: Callable[..., Ended], sandbox: botdesk.Sandbox
) -> None:
    sandbox.client().dca_bots.edit(42, name="=HYPERLINK(1)")
    (row,) = csv.DictReader(io.StringIO(desk("bots", "show", "42", "--csv").out))
    assert row["name"] == "'=HYPERLINK(1)"
    assert Decimal(row["finished_deals_profit_usd"]) < 0


def test_a_file_that_can_not_be_read_or_written_is_wrong_input(desk: Callable[..., Ended], tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "bots.csv"
    for command in (
        ["edit-each", str(missing), "--yes"],
        ["edit-each", str(tmp_path), "--yes"],
        ["export", str(missing)],
    ):
        ended = desk("bots", *command)
        assert ended.code == 2, ended
        assert str(command[1]) in ended.err
        assert ".new" not in ended.err
