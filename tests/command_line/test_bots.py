"""DCA bots on the command line: shown, edited, stopped."""

from __future__ import annotations

import csv
import inspect
import json
from decimal import Decimal
from typing import TYPE_CHECKING, cast

import pytest

import botdesk
from botdesk._cli.edits import show_differences

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Ended

    Desk = Callable[..., Ended]


def writes(sandbox: botdesk.Sandbox) -> list[str]:
    """Return the requests that change something."""
    return [f"{request.method} {request.path}" for request in sandbox.requests if request.method != "GET"]


class TestList:
    def test_bots_are_a_table(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "list")
        assert ended == (0, f"{sandbox.client().dca_bots.list()!r}\n", "")

    @pytest.mark.parametrize(
        ("options", "note"),
        [
            ("--limit 3", "the first 3; there may be more: --all"),
            ("--limit 3 --offset 3", "records 4 to 6; there may be more: --all"),
        ],
    )
    def test_a_full_page_may_not_be_the_whole_list(self, desk: Desk, options: str, note: str) -> None:
        assert desk("bots", "list", *options.split()).out.splitlines()[-1] == f"! {note}"
        in_json = desk("bots", "list", *options.split(), "--json")
        assert (len(in_json.json), in_json.err) == (3, f"{note}\n")

    @pytest.mark.parametrize("options", ["--limit 100", "--limit 3 --all", "--limit 3 --offset 10"])
    def test_a_whole_list_has_no_note(self, desk: Desk, options: str) -> None:
        ended = desk("bots", "list", *options.split())
        assert (ended.err, "there may be more" in ended.out) == ("", False)

    def test_a_list_is_csv_with_nested_fields_as_json(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "list", "--limit", "3", "--csv")
        rows = list(csv.DictReader(ended.out.splitlines()))
        bots = sandbox.client().dca_bots.list(limit=3)
        assert [row["id"] for row in rows] == [str(bot.id) for bot in bots]
        assert [Decimal(row["take_profit"]) for row in rows] == [bot.take_profit for bot in bots]
        assert [json.loads(row["pairs"]) for row in rows] == [bot.pairs for bot in bots]
        secrets = [bot.url_secret for bot in bots if bot.url_secret]
        assert secrets
        assert not any(secret in ended.out for secret in secrets)
        assert ended.err == "the first 3; there may be more: --all\n"

    def test_a_record_is_csv_with_one_row(self, desk: Desk) -> None:
        (row,) = csv.DictReader(desk("bots", "show", "41", "--csv").out.splitlines())
        assert row["id"] == "41"
        assert json.loads(row["active_deals"])[0]["bot_id"] == 41

    def test_csv_and_json_exclude_each_other(self, desk: Desk) -> None:
        ended = desk("bots", "list", "--csv", "--json")
        assert (ended.code, ended.out) == (2, "")
        assert "exclude each other" in ended.err

    def test_an_empty_list_is_reported(self, desk: Desk) -> None:
        assert desk("bots", "list", "--from", "4102444800") == (0, "no bots\n", "")

    def test_the_filters_are_those_of_the_method(self, desk: Desk) -> None:
        shown = desk("bots", "list", "--scope", "disabled", "--account-id", "1001", "--json").json
        assert shown
        assert {(bot["is_enabled"], bot["account_id"]) for bot in shown} == {(False, 1001)}

    def test_a_time_may_be_seconds_or_iso_8601(self, desk: Desk) -> None:
        assert desk("bots", "list", "--from", "4102444800", "--json").json == []
        assert desk("bots", "list", "--from", "2100-01-01T00:00:00Z", "--json").json == []

    def test_all_pages_are_fetched(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        assert len(desk("bots", "list", "--all", "--limit", "5", "--json").json) == 12
        assert len(sandbox.requests) == 3


class TestShow:
    def test_decimals_in_json_are_strings_with_every_digit(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        shown = desk("bots", "show", "41", "--json").json
        bot = sandbox.client().dca_bots.get(41)
        assert shown["take_profit"] == str(bot.take_profit)
        assert shown["deletable?"] is bot.deletable

    def test_each_field_has_a_line_and_the_deals_a_table(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        bot = sandbox.client().dca_bots.get(41)
        lines = desk("bots", "show", "41").out.splitlines()
        assert ["name", *str(bot.name).split()] in [line.split() for line in lines]
        assert "active_deals" in lines

    @pytest.mark.parametrize("how", [["--json"], []])
    def test_secrets_are_left_out(self, desk: Desk, sandbox: botdesk.Sandbox, how: list[str]) -> None:
        secret = sandbox.client().dca_bots.get(41).url_secret
        assert secret
        assert secret not in desk("bots", "show", "41", *how).out

    def test_an_unknown_bot_is_an_error_in_one_line(self, desk: Desk) -> None:
        ended = desk("bots", "show", "999")
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
        assert ended.err.startswith("botdesk: ")
        assert "Not found" in ended.err


class Incomparable:
    """A record of which no edit can be previewed."""

    def preview_edit(self, **_: object) -> None:
        """Raise an error."""
        raise botdesk.ConfigurationError("odd")


class TestEdit:
    def test_an_option_for_each_field(self, desk: Desk) -> None:
        shown = desk("bots", "edit", "--help").out
        fields = set(inspect.signature(botdesk.DcaBots.edit).parameters) - {"self", "bot_id", "validate", "unknown"}
        assert len(fields) > 35
        assert [field for field in fields if f"--{field.replace('_', '-')} " not in shown] == []

    def test_a_preview_sends_nothing(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "edit", "41", "--take-profit", "1.5", "--preview")
        preview = sandbox.client().dca_bots.get(41).preview_edit(take_profit="1.5")
        assert (ended.code, ended.err) == (0, "")
        title, destination, *lines = ended.out.splitlines()
        assert [title, *lines] == [repr(preview).splitlines()[0], *repr(preview).splitlines()[2:]]
        assert destination.startswith(f"at {sandbox.url}, key SHA256:")
        assert destination.endswith(", account 1001 “Demo spot”")
        assert writes(sandbox) == []

    def test_a_volume_that_changes_a_thousandfold_is_pointed_out(self, desk: Desk) -> None:
        warning = "base_order_volume: 80.0 → 80000 is a change by more than a factor of ten; check every digit"
        asked = desk("bots", "edit", "41", "--base-order-volume", "80000", answers="n\n")
        assert f"! {warning}" in asked.err.splitlines()
        shown = desk("bots", "edit", "41", "--base-order-volume", "80000", "--preview")
        assert f"! {warning}" in shown.out.splitlines()
        in_json = desk("bots", "edit", "41", "--base-order-volume", "80000", "--preview", "--json").json
        assert in_json["warnings"] == [warning]

    def test_a_preview_in_json_has_the_exact_body(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        shown = desk("bots", "edit", "41", "--take-profit", "1.50", "--preview", "--json").json
        assert shown["changes"] == {"take_profit": {"old": "1.0", "new": "1.50"}}
        assert shown["body"] == sandbox.client().dca_bots.get(41).preview_edit(take_profit="1.50").body

    def test_yes_sends_the_edit(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "edit", "41", "--take-profit", "1.5", "--trailing-enabled", "--trailing-deviation", "0.2",
                     "--active-safety-orders-count", "2", "--pairs", "USDT_ETH", "--yes", "--json")  # fmt: skip
        assert ended.code == 0, ended.err
        bot = sandbox.client().dca_bots.get(41)
        assert (str(bot.take_profit), bot.trailing_enabled, bot.active_safety_orders_count) == ("1.5", True, 2)
        assert bot.pairs == ["USDT_ETH"]
        assert ended.json["take_profit"] == "1.5"

    def test_the_question_comes_before_the_changes_and_is_asked_after_them(
        self, desk: Desk, sandbox: botdesk.Sandbox
    ) -> None:
        ended = desk("bots", "edit", "41", "--take-profit", "1.5", answers="y\n")
        assert ended.code == 0
        question, change, *_, asked = ended.err.splitlines()
        assert question.startswith(f"Send this edit of DcaBot 41 “Steady ETH long” at {sandbox.url}, key SHA256:")
        assert question.endswith(", account 1001 “Demo spot”?")
        assert change == "  take_profit: 1.0 → 1.5"
        assert asked.startswith("Send this edit of DcaBot 41 “Steady ETH long”? [y/N]:")
        assert len(writes(sandbox)) == 1

    def test_answering_no_sends_nothing(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "edit", "41", "--take-profit", "1.5", answers="n\n")
        assert ended.code == 1
        assert ended.err.endswith("botdesk: cancelled; nothing was sent\n")
        assert writes(sandbox) == []

    def test_lists_and_objects_are_json(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        steps = (
            '[{"amount_percentage": 50, "profit_percentage": 1.50}, {"amount_percentage": 50, "profit_percentage": 2}]'
        )
        assert desk("bots", "edit", "41", "--take-profit", "0", "--take-profit-steps", steps, "--yes").code == 0
        assert len(sandbox.client().dca_bots.get(41).take_profit_steps or []) == 2

    def test_commas_separate_several_pairs(self, desk: Desk) -> None:
        given = ("--pairs", "USDT_BTC,USDT_ETH", "--no-validate", "--preview", "--json")
        assert '"pairs":["USDT_BTC","USDT_ETH"]' in desk("bots", "edit", "41", *given).json["body"]

    def test_null_needs_an_option(self, desk: Desk) -> None:
        shown = desk("bots", "edit", "41", "--null", "min-profit-type", "--preview", "--json").json
        assert '"min_profit_type":null' in shown["body"]

    def test_broken_rules_are_reported_before_anything_is_sent(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "edit", "41", "--max-active-deals", "200", "--cooldown", "-1", "--yes")
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "max_active_deals" in ended.err
        assert "cooldown" in ended.err
        assert writes(sandbox) == []

    def test_an_error_names_the_option_that_skips_the_checks(self, desk: Desk) -> None:
        ended = desk("bots", "edit", "41", "--take-profit", "-1", "--yes")
        assert "(botdesk's own check; edit --no-validate sends it anyway)" in ended.err
        assert "validate=False" not in ended.err

    def test_no_validate_leaves_the_decision_to_the_service(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "edit", "41", "--max-active-deals", "200", "--no-validate", "--yes")
        assert ended.code == 1
        assert len(writes(sandbox)) == 1

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "no changes given"),
            (["--take-proft", "1"], "No such option"),
            (["--max-active-deals", "many"], "max-active-deals"),
            (["--strategy-list", "[{"], "--strategy-list is not JSON"),
            (["--leverage-type", "crossed"], "one of cross"),
            (["--null", "nmae"], "did you mean name?"),
        ],
    )
    def test_a_wrong_argument_is_an_error_in_one_line(self, desk: Desk, arguments: list[str], message: str) -> None:
        ended = desk("bots", "edit", "41", *arguments, "--yes")
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert message in ended.err

    def test_an_edit_without_changes_is_not_sent(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "edit", "41", "--take-profit", "1.0", "--yes")
        message = "nothing changes: the bot already has these values; nothing was sent\n"
        assert ended == (0, "", message)
        assert writes(sandbox) == []
        again = desk("bots", "edit", "41", "--take-profit", "1.0", "--yes", "--json")
        assert (again.code, again.err, again.json["id"]) == (0, message, 41)

    def test_a_preview_without_changes_says_so(self, desk: Desk) -> None:
        ended = desk("bots", "edit", "41", "--take-profit", "1.0", "--preview")
        assert ended.out.splitlines()[2] == "  nothing changes"

    def test_yes_prints_the_change_and_not_the_bot(self, desk: Desk) -> None:
        ended = desk("bots", "edit", "41", "--take-profit", "1.5", "--name", "Calm", "--yes")
        head, *changes = ended.out.splitlines()
        assert (ended.code, ended.err) == (0, "")
        assert head.startswith("Edited DcaBot 41 “Steady ETH long” at http://127.0.0.1:")
        assert changes == ["  name: Steady ETH long → Calm", "  take_profit: 1.0 → 1.5"]

    def test_the_whole_bot_is_printed_as_json(self, desk: Desk) -> None:
        assert len(desk("bots", "edit", "41", "--take-profit", "1.5", "--yes", "--json").json) > 50

    def test_a_change_that_the_service_did_not_make_is_reported(
        self, desk: Desk, sandbox: botdesk.Sandbox, fixed_response: Callable[[bytes], None]
    ) -> None:
        fixed_response(json.dumps(sandbox.client().dca_bots.get(41).to_dict(), default=str).encode())
        ended = desk("bots", "edit", "41", "--take-profit", "1.5", "--yes")
        assert (ended.code, ended.err) == (0, "the service returned take_profit=1.0, not 1.5\n")

    def test_a_response_that_can_not_be_compared_is_not_an_error(self, capsys: pytest.CaptureFixture[str]) -> None:
        show_differences(cast("botdesk.DcaBot", Incomparable()), {"take_profit": "1.5"})
        message = "the edit succeeded, but its response can't be compared with it: odd\n"
        assert capsys.readouterr() == ("", message)


class TestStop:
    def test_a_bot_is_disabled(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        assert desk("bots", "disable", "41", "--yes", "--json").json["is_enabled"] is False
        assert writes(sandbox) == ["POST /public/api/ver1/bots/41/disable"]

    def test_deals_are_cancelled(self, desk: Desk) -> None:
        shown = desk("bots", "cancel-deals", "41", "--yes", "--json").json
        assert {deal["status"] for deal in shown["active_deals"]} == {"cancel_pending"}

    def test_without_a_terminal_it_does_not_ask(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "disable", "41")
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert "--yes" in ended.err
        assert writes(sandbox) == []

    def test_the_question_names_the_change_and_the_bot(self, desk: Desk) -> None:
        ended = desk("bots", "disable", "41", answers="n\n")
        assert ended.code == 1
        question = (ended.err + ended.out).splitlines()[0]
        assert question.startswith("Disable DCA bot 41 “Steady ETH long” at http://127.0.0.1:")
        assert ", account 1001 “Demo spot”? [y/N]" in question

    def test_the_line_after_it_names_the_bot_and_the_account(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "disable", "41", "--yes")
        assert (ended.code, ended.err, ended.out.count("\n")) == (0, "", 1)
        assert ended.out.startswith(f"Disabled DCA bot 41 “Steady ETH long” at {sandbox.url}, key SHA256:")
        assert ended.out.endswith(", account 1001 “Demo spot”\n")

    def test_the_question_has_no_name_if_the_key_may_not_read_it(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        sandbox.faults.add("dca_bots.get", kind="status", status=403)
        ended = desk("bots", "disable", "41", answers="n\n")
        assert "Disable DCA bot 41 at http://127.0.0.1:" in ended.err + ended.out
        assert "“" not in ended.err + ended.out

    def test_an_unknown_bot_is_reported_before_the_question(self, desk: Desk) -> None:
        ended = desk("bots", "disable", "999", answers="y\n")
        assert (ended.code, "Disable" in ended.err + ended.out) == (1, False)


class TestStopSeveral:
    def test_several_are_disabled_at_once(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "disable", "41", "43", "--yes")
        assert (ended.code, ended.out.splitlines()[0]) == (0, "dca_bots.disable of 2: 2 done")
        assert sorted(writes(sandbox)) == [f"POST /public/api/ver1/bots/{number}/disable" for number in (41, 43)]

    def test_each_has_an_outcome_of_its_own(self, desk: Desk) -> None:
        ended = desk("bots", "cancel-deals", "41", "999", "--yes", "--json")
        assert ended.code == 1
        assert [(each["id"], each["outcome"]) for each in ended.json] == [(41, "done"), (999, "failed")]
        assert ended.json[0]["record"]["is_enabled"] is False
        assert "url_secret" not in str(ended.json[0]["record"].get("url_secret") or "")
        assert "Not found" in ended.json[1]["error"]

    def test_an_unknown_outcome_has_its_exit_code(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        sandbox.faults.add("dca_bots.disable", kind="close_after")
        ended = desk("bots", "disable", "41", "43", "--yes")
        assert (ended.code, "unknown" in ended.out) == (4, True)

    def test_the_question_names_each(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("bots", "disable", "41", "43", answers="n\n")
        output = ended.err + ended.out
        question, first, second, asked = output.splitlines()[:4]
        assert question.startswith(f"Disable 2 DCA bots at {sandbox.url}, key SHA256:")
        assert first == "  41 “Steady ETH long”, account 1001 “Demo spot”"
        assert second.startswith("  43 “")
        assert asked.startswith("Disable 2 DCA bots? [y/N]")
        assert writes(sandbox) == []
