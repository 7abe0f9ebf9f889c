"""The output of IPython in a terminal: tables, and colours if the terminal has them."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.terminal.interactiveshell import TerminalInteractiveShell

import botdesk
from botdesk import DcaBot, _ipython
from botdesk._native import _operation_names

RED, GREEN, BOLD, YELLOW = "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[33m"
BOTS = DcaBot.list_from_json(
    '[{"id": 1, "is_enabled": true, "name": "-5 \\u001b[31m", "finished_deals_profit_usd": "-1.23456789"}, {"id": 2}]'
)
RESOURCES = sorted({name.partition(".")[0] for name in _operation_names()} - {"general"})


@pytest.fixture(scope="module")
def shell() -> Any:  # noqa: ANN401
    """Return an IPython, with the displays of botdesk."""
    shell: Any = TerminalInteractiveShell.instance()
    _ipython.install()
    yield shell
    TerminalInteractiveShell.clear_instance()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Make the output a wide terminal with colours."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return monkeypatch


def printed(shell: Any, thing: object) -> str:  # noqa: ANN401
    text: str = shell.display_formatter.format(thing)[0]["text/plain"]
    return text


class TestColours:
    def test_a_terminal_shows_them(self, shell: Any, terminal: object) -> None:  # noqa: ANN401, ARG002
        with botdesk.display(decimals=2):
            heads, row, *_, note = printed(shell, BOTS).splitlines()
        assert heads.startswith(BOLD)
        assert f"{GREEN}True\x1b[0m" in row
        assert f"{RED}-1.23…\x1b[0m" in row
        assert note.startswith(f"{YELLOW}! a number that ends in …")

    def test_a_comparison_marks_no_difference_as_a_loss(self, shell: Any, terminal: object) -> None:  # noqa: ANN401, ARG002
        candles = botdesk.Candles([[0, 100, 102, 98, 102], [60_000, 102, 104, 99, 101]])
        with botdesk.Sandbox() as sandbox:
            preview = sandbox.client().dca_bots.get(41).preview_edit(take_profit="5")
        comparison = preview.backtest(candles, fee="0.1%")
        assert "-" in repr(comparison)
        assert RED not in printed(shell, comparison)

    def test_without_them_the_text_is_the_same(self, shell: Any, terminal: object) -> None:  # noqa: ANN401, ARG002
        assert re.sub("\x1b\\[[0-9]+m", "", printed(shell, BOTS)) == repr(BOTS)

    @pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
    def test_the_environment_turns_them_off(
        self,
        name: str,
        value: str,
        shell: Any,  # noqa: ANN401
        terminal: pytest.MonkeyPatch,
    ) -> None:
        terminal.setenv(name, value)
        assert printed(shell, BOTS) == repr(BOTS)

    def test_an_empty_no_color_does_not(self, shell: Any, terminal: pytest.MonkeyPatch) -> None:  # noqa: ANN401
        terminal.setenv("NO_COLOR", "")
        assert BOLD in printed(shell, BOTS)

    def test_a_file_has_none(self, shell: Any) -> None:  # noqa: ANN401
        assert printed(shell, BOTS) == repr(BOTS)

    def test_repr_and_str_never_have_any(self, terminal: object) -> None:  # noqa: ARG002
        assert "\x1b" not in repr(BOTS) + str(BOTS)

    def test_a_name_can_set_no_colour(self, shell: Any, terminal: object) -> None:  # noqa: ANN401, ARG002
        row = printed(shell, BOTS).splitlines()[1]
        assert "  [31m" in row


class TestTables:
    def test_a_handle_prints_what_it_offers(self, shell: Any) -> None:  # noqa: ANN401
        with botdesk.Sandbox() as sandbox:
            text = printed(shell, sandbox.client().dca_bots)
        assert re.search(r"^\.edit\(\) +Edit a DCA bot: change the given fields", text, re.MULTILINE)

    @pytest.mark.parametrize("resource", RESOURCES)
    def test_every_resource_prints_what_it_offers(self, shell: Any, resource: str) -> None:  # noqa: ANN401
        with botdesk.Sandbox() as sandbox:
            owner = getattr(sandbox.client(), resource)
        assert printed(shell, owner) == owner._offered()

    def test_a_filtered_list_is_a_table(self, shell: Any) -> None:  # noqa: ANN401
        assert printed(shell, [bot for bot in BOTS if bot.id == 2]).split()[:2] == ["id", "is_enabled"]

    def test_other_lists_are_printed_as_usual(self, shell: Any) -> None:  # noqa: ANN401
        assert printed(shell, [1, [2]]) == "[1, [2]]"
        assert printed(shell, {"bots": [BOTS[1]]}) == "{'bots': [<DcaBot id=2>]}"
        assert printed(shell, [BOTS[1], 5]) == "[<DcaBot id=2>, 5]"

    def test_the_usual_objects_have_no_html(self, shell: Any) -> None:  # noqa: ANN401
        assert _ipython._list_html([1]) is None
        assert "text/html" not in shell.display_formatter.format([1])[0]

    def test_without_a_shell_nothing_is_registered(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: None)
        _ipython.install()


class TestTab:
    @pytest.mark.parametrize("jedi", [True, False])
    @pytest.mark.parametrize(
        ("code", "name"),
        [
            ("for b in bots:\n    b.take_", "take_profit"),
            ("for b in bots[:5]:\n    for d in bot.active_deals:\n        d.bought_vol", "bought_volume"),
            ("[b.take_", "take_profit"),
            ("[x for x in filtered if x.take_", "take_profit"),
            ("bots[0].take_", "take_profit"),
            ("bots[-1].", "take_profit"),
            ("bot.active_deals[0].bought_vol", "bought_volume"),
            ("deals[0].bought_vol", "bought_volume"),
            ("for d in deals:\n    d.bought_vol", "bought_volume"),
            ("for b in empty:\n    b.take_", "take_profit"),
        ],
    )
    def test_it_knows_what_a_list_holds(self, code: str, name: str, jedi: bool, shell: Any) -> None:  # noqa: ANN401
        if code.startswith("[b."):
            code, cursor = "[b.take_ for b in bots]", len(code)
        else:
            cursor = len(code)
        assert name in completed(shell, code, cursor, jedi=jedi)

    @pytest.mark.parametrize(
        "code", ["for b in bots.plot():\n    b.take_", "for b in other:\n    b.take_", "for b in numbers:\n    b.take_"]
    )
    def test_it_calls_nothing_and_knows_nothing_of_other_objects(self, code: str, shell: Any) -> None:  # noqa: ANN401
        assert completed(shell, code, len(code), jedi=False) == []

    @pytest.mark.parametrize(
        "code",
        [
            "for b in bots:\n    pass\nfor b in [1]:\n    b.take_",
            "for b in bots:\n    pass\nfor n, b in enumerate(numbers):\n    b.take_",
            "for b in bots:\n    pass\nb = other\nb.take_",
            "for b in bots:\n    pass\nb: object = other\nb.take_",
        ],
    )
    def test_a_variable_is_what_it_was_last_set_to(self, code: str, shell: Any) -> None:  # noqa: ANN401
        assert completed(shell, code, len(code), jedi=False) == []

    @pytest.mark.parametrize(
        "code",
        [
            "for b in numbers:\n    pass\nfor b in bots:\n    b.take_",
            "b = other\nfor b in bots:\n    b.take_",
            "for b in bots:\n    if b.id == 1: print(b.take_",
            "[n for n in numbers for b in bots if b.take_",
        ],
    )
    def test_the_last_loop_counts(self, code: str, shell: Any) -> None:  # noqa: ANN401
        assert "take_profit" in completed(shell, code, len(code), jedi=False)

    def test_methods_of_a_list_are_completed_as_usual(self, shell: Any) -> None:  # noqa: ANN401
        assert "to_polars" in completed(shell, "bots.to_po", 10, jedi=True)


def completed(shell: Any, code: str, cursor: int, *, jedi: bool) -> list[str]:  # noqa: ANN401
    """Return the names that Tab offers at a place of a cell."""
    bot = DcaBot.from_json('{"id": 41, "active_deals": [{"id": 1}]}')
    variables = {"bots": BOTS, "bot": bot, "deals": bot.active_deals, "filtered": list(BOTS), "numbers": [1]}
    shell.user_ns.update({**variables, "empty": botdesk.Records([], DcaBot), "other": object()})
    shell.Completer.use_jedi = jedi
    with provisionalcompleter():
        return [found.text.rpartition(".")[2] for found in shell.Completer.completions(code, cursor)]
