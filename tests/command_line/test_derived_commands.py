"""Commands that follow from the rows of operations alone, and the words of their questions."""

from __future__ import annotations

import io
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import pytest
import typer
from sample_commands import command_at, sample_command

import botdesk
from botdesk._cli import app as real
from botdesk._cli import commands as derivation
from botdesk._cli import operations, options, wording, writes
from botdesk._cli.commands import Commands, Settings
from botdesk._native import Operation, _operation_names
from botdesk._types import UNSET

from .conftest import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Ended

    Desk = Callable[..., Ended]
    Run = Callable[..., tuple[Any, str, str]]

each_operation = pytest.mark.parametrize("name", _operation_names())
each_write = pytest.mark.parametrize("name", [name for name in _operation_names() if Operation(name).effect == "write"])


@pytest.fixture
def app() -> typer.Typer:
    """Return an application without commands."""
    return typer.Typer(rich_markup_mode=None)


@pytest.fixture
def derived(app: typer.Typer, name: str) -> Commands:
    """Return the command of an operation, not made by hand; with others, since an application with one has no names."""
    commands = Commands(app, {})
    for each in dict.fromkeys([name, "general.validate", "accounts.list"]):
        commands.add(each)
    return commands


@pytest.fixture
def run(
    desk: Desk, app: typer.Typer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[Any, str, str]]:
    """Return a function that runs a command of the application against a sandbox."""
    del desk

    def run(*words: str, answer: str | None = None) -> tuple[Any, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO() if answer is None else Terminal(answer))
        try:
            code = app(list(words), standalone_mode=False)
        except typer.Abort:
            code = 1
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@each_operation
def test_each_operation_has_a_command_named_after_it(derived: Commands, name: str) -> None:
    resource, _, verb = name.partition(".")
    word = "show" if verb == "get" else verb.replace("_", "-")
    assert derived.words[name] == ((word,) if resource == "general" else (resource.replace("_", "-"), word))


@each_operation
def test_each_command_has_a_help(derived: Commands, run: Run, name: str) -> None:
    code, out, _ = run(*derived.words[name], "--help")
    assert code == 0
    # Lines may end between any two words.
    assert operations.Operation(name).about in " ".join(out.split())


@each_operation
def test_the_sample_succeeds(
    app: typer.Typer, derived: Commands, sandbox: botdesk.Sandbox, run: Run, name: str
) -> None:
    confirmed = ["--yes"] if Operation(name).effect == "write" else []
    code, out, err = run(*sample_command(app, derived, name), *confirmed)
    assert (code or 0, bool(out), err) == (0, True, "")
    assert sandbox.requests[-1].carried_out is True


@each_write
def test_a_write_sends_nothing_without_consent(
    app: typer.Typer, derived: Commands, sandbox: botdesk.Sandbox, run: Run, name: str
) -> None:
    code, _, asked = run(*sample_command(app, derived, name), answer="n\n")
    assert (code, "? [y/N]" in asked) == (1, True)
    assert [request for request in sandbox.requests if request.method != "GET"] == []


@pytest.mark.parametrize("name", [name for name in _operation_names() if operations.Operation(name).takes_several])
def test_an_operation_for_many_records_takes_several_ids(app: typer.Typer, derived: Commands, name: str) -> None:
    (ids, *_) = command_at(app, derived.words[name]).params
    assert (ids.metavar, ids.nargs) == ("ID…", -1)


def test_the_page_names_the_commands_that_take_several_ids() -> None:
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text("utf-8")
    (listed,) = re.findall(r"(?m)^(.*) take one or more ids", page)
    named: set[tuple[str, str]] = set()
    group = ""
    for command in re.findall(r"`([^`]+)`", listed):
        group, _, verb = command.rpartition(" ") if " " in command else (group, "", command)
        named.add((group, verb))
    several = [name for name in _operation_names() if operations.Operation(name).takes_several]
    assert named == {real.commands.words[name] for name in several}


def test_all_operations_have_commands_beside_each_other(app: typer.Typer) -> None:
    commands = Commands(app, {})
    commands.add_missing()
    assert list(commands.words) == list(_operation_names())
    assert len(set(commands.words.values())) == len(commands.words)


def test_two_commands_cannot_have_the_same_name(app: typer.Typer) -> None:
    Commands(app, {"dca_bots.disable": Settings("list")}).add_missing()
    with pytest.raises(ValueError, match=r"dca_bots\.disable: another command is named 'list'; give this one a name"):
        command_at(app, ("dca-bots", "list"))


@pytest.mark.parametrize(
    ("summary", "prompt", "done"),
    [
        ("Disable a deal.", "Disable {}", "Disabled {}"),
        ("Close a deal at the market price.", "Close {} at the market price", "Closed {} at the market price"),
        ("Cancel the orders of a deal, and stop it.", "Cancel the orders of {}, and stop it",
         "Cancelled the orders of {}, and stopped it"),
        ("Copy an open deal: its orders stay.", "Copy {}", "Copied {}"),
        ("Sell everything.", "Sell everything", "Sold everything"),
        ("Set the note of a deal.", "Set the note of {}", "Set the note of {}"),
    ],
)  # fmt: skip
def test_the_question_and_the_line_after_it_follow_from_the_summary(summary: str, prompt: str, done: str) -> None:
    assert wording.prompt_of(f"{summary}\n\nMore.", "deal") == prompt
    assert wording.done(prompt) == done


def test_a_question_about_several_records_has_no_pronoun_for_one() -> None:
    named = wording.named("Cancel the deals of {}, and disable it", "2 bots", are_several=True)
    assert named == "Cancel the deals of 2 bots, and disable them"


def test_the_noun_is_that_of_the_summary_and_of_the_identifier() -> None:
    assert wording.noun_of("Disable a DCA bot.\n\nArgs:\n    bot_id: Identifier of the bot.") == "DCA bot"
    assert wording.noun_of("Close a SmartTrade.\n\nArgs:\n    smart_trade_id: Identifier of the SmartTrade; or") == (
        "SmartTrade"
    )
    assert wording.noun_of("List the pairs of an exchange.") is None


class Orders:
    """A resource whose operations have several ids, and ids that are not numbers."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.result: object = None

    def cancel(self, deal_id: int, order_id: str, *, secret: str | None = UNSET) -> object:
        """Cancel an order of a deal.

        Args:
            deal_id: Identifier of the deal.
            order_id: Identifier of the order.
            secret: A secret.
        """
        self.calls.append((deal_id, order_id, None if secret is UNSET else secret))
        return self.result

    def refresh(self, deal_id: int | Literal["summary"]) -> object:
        """Refresh a deal.

        Args:
            deal_id: Identifier of the deal.
        """
        self.calls.append((deal_id,))
        return self.result


def returning(value: object) -> Callable[..., object]:
    """Return a function that returns this value, whatever its arguments are."""

    def function(*_: object) -> object:
        return value

    return function


@pytest.fixture
def orders(app: typer.Typer, monkeypatch: pytest.MonkeyPatch) -> Orders:
    """Add the commands of that resource."""
    orders = Orders()
    rows: dict[str, list[tuple[str, str, list[str], str]]] = {
        "orders.cancel": [("secret", "string", [], "A secret.")],
        "orders.refresh": [],
    }

    def operation(name: str) -> object:
        return rows[name], None, (True, False, False)

    monkeypatch.setattr(operations, "_operation", operation)
    monkeypatch.setattr(operations, "_operation_names", partial(list[str], rows))
    for module in (derivation, operations):
        monkeypatch.setattr(module, "class_of", returning(Orders))
    monkeypatch.setattr(writes, "_destination", returning("the service"))
    monkeypatch.setattr(options, "client", returning(SimpleNamespace(orders=orders)))
    operations._noun_of.cache_clear()
    commands = Commands(app, {})
    for name in rows:
        commands.add(name)
    return orders


def test_several_ids_are_given_in_the_order_of_the_path(orders: Orders, run: Run) -> None:
    assert run("orders", "cancel", "5", "5ed7c4d2", "--yes")[1] == "Cancelled an order of deal 5 at the service\n"
    assert orders.calls == [(5, "5ed7c4d2", None)]


def test_a_question_names_the_record_and_lists_the_ids_of_its_parts(orders: Orders, run: Run) -> None:
    _, _, asked = run("orders", "cancel", "5", "5ed7c4d2", answer="n\n")
    assert asked.splitlines()[:2] == ["Cancel an order of deal 5 at the service?", '  order_id: "5ed7c4d2"']
    assert orders.calls == []


@pytest.mark.parametrize(("given", "sent"), [("5", 5), ("summary", "summary")])
def test_an_id_may_be_a_word(orders: Orders, run: Run, given: str, sent: object) -> None:
    run("orders", "refresh", given, "--yes")
    assert orders.calls == [(sent,)]


def test_a_secret_can_be_typed_unseen(orders: Orders, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "ask_hidden", returning("typed"))
    _, _, asked = run("orders", "cancel", "5", "5ed7c4d2", "--secret", "-", answer="y\n")
    assert orders.calls == [(5, "5ed7c4d2", "typed")]
    assert "typed" not in asked


def test_a_result_that_is_not_the_record_is_printed(orders: Orders, run: Run) -> None:
    orders.result = botdesk.Account.from_json('{"id": 7, "name": "Main"}')
    lines = run("orders", "refresh", "5", "--yes")[1].splitlines()
    assert [line.split() for line in lines] == [["id", "7"], ["name", "Main"]]


def test_a_result_that_is_the_record_is_named(orders: Orders, run: Run) -> None:
    orders.result = botdesk.Account.from_json('{"id": 5, "name": "Main"}')
    assert run("orders", "refresh", "5", "--yes")[1] == "Refreshed deal 5 “Main” at the service\n"
