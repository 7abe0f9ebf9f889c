"""Grid bots, accounts and SmartTrades on the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import typer

from botdesk._cli.app import app
from botdesk._native import Operation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import botdesk

    from .conftest import Ended

    Desk = Callable[..., Ended]


GRID = ("--upper-price", "70000", "--grids-quantity", "11")


def test_an_edit_of_a_grid_bot_prints_the_old_and_the_new_values(desk: Desk) -> None:
    ended = desk("grid", "edit", "203", *GRID, "--yes")
    assert (ended.code, ended.err) == (0, "")
    first, *changes = ended.out.splitlines()
    assert first.startswith("Edited GridBot 203 “")
    assert [change.partition(":")[0] for change in changes] == ["  upper_price", "  grids_quantity"]
    assert changes[0].endswith(" → 70000")


def test_a_preview_of_a_grid_bot_shows_what_would_change(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    ended = desk("grid", "edit", "203", *GRID, "--preview")
    assert ended.code == 0, ended.err
    title, destination, *lines = ended.out.splitlines()
    assert title.startswith("Edit of GridBot 203 “")
    assert destination.startswith(f"at {sandbox.url}, key SHA256:")
    assert any(line.startswith("sent along unchanged: ") and "lower_price" in line for line in lines)
    assert [request.method for request in sandbox.requests] == ["GET"]


def test_a_preview_of_a_grid_bot_in_json_has_the_exact_body(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    shown = desk("grid", "edit", "203", *GRID, "--preview", "--json").json
    old = sandbox.client().grid_bots.get(203).upper_price
    assert shown["changes"]["upper_price"] == {"old": str(old), "new": "70000"}
    assert '"upper_price":70000,' in shown["body"]


def test_an_edit_of_a_grid_bot_asks_for_confirmation(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    ended = desk("grid", "edit", "203", *GRID, answers="n\n")
    assert ended.code == 1
    question, *details = (ended.err + ended.out).splitlines()
    assert question.startswith("Send this edit of GridBot 203 “")
    assert any(detail.startswith("  upper_price: ") for detail in details)
    assert [request.method for request in sandbox.requests] == ["GET"]


def test_all_events_of_a_grid_bot_are_listed(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    (first,) = sandbox.client().grid_bots.list(sort_by="bot_id", sort_direction="ASC", limit=1)
    page = desk("grid", "events", str(first.id), "--json")
    assert (len(page.json), page.err) == (100, "the first 100; there may be more: --all\n")
    assert len(desk("grid", "events", str(first.id), "--all", "--json").json) == len(list(first.iter_events()))


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("grid note 203 Mind", "Set the note of grid bot 203 “"),
        ("grid enable 203", "Enabled grid bot 203 “"),
        ("accounts rename 1001 Savings", "Renamed account 1001 “Savings” at "),
        ("accounts load-balances 1001", "Loaded the balances of account 1001 “"),
        ("bots cancel-deals 45", "Cancelled all deals of DCA bot 45 “"),
    ],
)
def test_a_write_prints_one_line(desk: Desk, arguments: str, line: str) -> None:
    ended = desk(*arguments.split(), "--yes")
    assert (ended.code, ended.err, ended.out.count("\n")) == (0, "", 1)
    assert ended.out.startswith(line)


def test_the_line_of_a_write_names_the_account_and_its_kind(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    out = desk("accounts", "rename", "1001", "Savings", "--yes").out
    account = sandbox.client().accounts.rename(1001, "Savings")
    assert f"account 1001 “Savings” ({account.exchange_name}, {account.market_code})" in out


ADD = ("accounts", "add", "--type", "binance", "--name", "Spot", "--api-key", "K-815", "--secret", "S-4711",
       "--types-to-create", "")  # fmt: skip


def test_an_account_is_added(desk: Desk) -> None:
    ended = desk(*ADD, "--yes")
    assert (ended.code, ended.err) == (0, "")
    assert re.match(r"Added account \d+ “Spot” at http://", ended.out)


def test_the_question_before_an_account_is_added_shows_no_secret(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    ended = desk(*ADD, answers="n\n")
    question, *details = ended.err.splitlines()
    assert question.startswith(f"Add an exchange account at {sandbox.url}, key SHA256:")
    assert '  name: "Spot"' in details
    assert "K-815" not in ended.err
    assert "S-4711" not in ended.err
    assert len(sandbox.requests) == 0


def test_a_secret_is_asked_for_only_at_a_terminal(desk: Desk) -> None:
    ended = desk("accounts", "add", "--secret", "-", "--yes")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "no terminal to ask for: --secret; pass its value" in ended.err


def test_balances_are_loaded_and_keys_left_out(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    ended = desk("accounts", "load-balances", "1001", "--yes", "--json")
    account = sandbox.client().accounts.load_balances(1001)
    assert ended.json["usd_amount"] == str(account.usd_amount)
    assert account.api_key
    assert account.api_key not in ended.out


def test_networks_are_listed(desk: Desk) -> None:
    assert desk("accounts", "networks", "1001", "--purpose", "deposit", "--json").json[0]["network_list"]


def test_the_address_of_a_deposit_is_shown(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    ended = desk("accounts", "deposit", "1001", "--currency", "USDT", "--network", "TRX")
    data = sandbox.client().accounts.deposit_data(1001, currency="USDT", network="TRX")
    assert ["address", data.address] in [line.split() for line in ended.out.splitlines()]


def test_a_missing_option_is_named(desk: Desk) -> None:
    ended = desk("accounts", "deposit", "1001", "--currency", "USDT")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "--network" in ended.err


@pytest.mark.parametrize("operation", ["grid_bots.set_note", "accounts.rename", "dca_bots.disable"])
def test_writes_ask_for_confirmation(operation: str) -> None:
    assert Operation(operation).effect == "write"


def commands(group: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:  # noqa: ANN401
    """Yield each command and group below a group, by the words that select it."""
    for name, command in group.commands.items():
        yield (*names, name), command
        if hasattr(command, "commands"):
            yield from commands(command, *names, name)


def test_every_command_has_its_help(desk: Desk) -> None:
    names = [names for names, _ in commands(typer.main.get_command(app))]
    assert len(names) > 20
    for name in names:
        ended = desk(*name, "--help")
        assert (ended.code, ended.err) == (0, ""), name


def test_the_help_fits_80_columns_and_cuts_off_no_option(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for names, command in commands(typer.main.get_command(app)):
        lines = desk(*names, "--help").out.splitlines()
        assert max(map(len, lines)) <= 80, names
        words = {word.rstrip(",") for line in lines for word in line.split()}
        options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert {option for option in options if option.startswith("-")} <= words, names


def test_the_help_lists_the_exit_codes(desk: Desk) -> None:
    shown = desk("--help").out
    assert all(f" {code} " in shown for code in (0, 1, 2, 3, 4, 130))


def test_a_smart_trade_has_options_for_its_side_its_units_and_its_order(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    new = ("--account-id", "1001", "--pair", "USDT_ETH", "--side", "buy", "--units", "0.5", "--order", "900")
    targets = ("--take-profit", '[["1000", 50], ["1100", 50]]', "--stop-loss", '"800"')
    created = desk("smart-trades", "create", *new, *targets, "--marker", "--yes", "--json").json
    assert created["position"]["type"] == "buy"
    assert created["position"]["price"]["value"] == "900.0"
    assert [step["volume"] for step in created["take_profit"]["steps"]] == ["50.0", "50.0"]
    assert re.fullmatch(r"\[[0-9a-f]{12}\]", created["note"])
    ended = desk("smart-trades", "edit", str(created["id"]), "--order", "890", "--yes")
    assert (ended.code, ended.err) == (0, "")
    edited = sandbox.client().smart_trades.get(created["id"]).to_dict()
    assert edited["position"]["price"]["value"] == "890.0"


def test_a_side_that_does_not_exist_is_refused_with_its_choices(desk: Desk) -> None:
    new = ("--account-id", "1001", "--pair", "USDT_ETH", "--side", "long", "--units", "0.5", "--order", "market")
    ended = desk("smart-trades", "create", *new, "--yes")
    assert ended.code != 0
    assert "side" in ended.err
