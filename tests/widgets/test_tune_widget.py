"""The messages between the script of `tune` and the bot: what is sent, and that it is sent once."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from typing import Any

import pytest

import botdesk
from botdesk._widgets.tune_widget import TuneWidget

MARKET = {"price": "3500"}


def plan(widget: TuneWidget, plan_id: str = "view:1", **values: str | None) -> dict[str, Any]:
    """Send the values of the controls, and return what the widget shows."""
    widget._receive({"kind": "plan", "id": plan_id, "values": values, "market": MARKET})
    shown: dict[str, Any] = widget._view.planned
    return shown


def ask(widget: TuneWidget, plan_id: str = "view:1") -> dict[str, Any]:
    widget._receive({"kind": "ask", "id": plan_id})
    shown: dict[str, Any] = widget._view.step
    return shown


def send(widget: TuneWidget, token: str | None = None) -> dict[str, Any]:
    widget._receive({"kind": "send", "token": token or widget._view.step["token"]})
    shown: dict[str, Any] = widget._view.step
    return shown


def saved_state(widget: TuneWidget) -> dict[str, object]:
    """Return what a notebook saves of a widget."""
    state: dict[str, object] = widget._view.get_state()
    return state


def writes(sandbox: botdesk.Sandbox) -> list[botdesk.ReceivedRequest]:
    return [request for request in sandbox.requests if request.method == "PATCH"]


def test_the_widget_begins_with_the_plan_of_the_bot(bot: botdesk.DcaBot) -> None:
    widget = bot.tune()
    assert isinstance(widget, TuneWidget)
    assert widget.bot == bot
    assert widget.preview is not None
    assert widget._view.planned["changes"] == []
    assert len(widget._view.planned["plan"]["rungs"]) == 4
    assert repr(widget) == "<TuneWidget of DcaBot 41 “Steady ETH long”>"


def test_apply_shows_the_request_and_sends_it_once(bot: botdesk.DcaBot, sandbox: botdesk.Sandbox) -> None:
    widget = bot.tune()
    plan(widget, take_profit="2.37")
    asked = ask(widget)
    expected = bot.preview_edit(take_profit="2.37")
    assert (asked["method"], asked["path"], asked["body"]) == (expected.method, expected.path, expected.body)
    assert writes(sandbox) == []
    assert send(widget) == {"name": "sent"}
    assert [request.body for request in writes(sandbox)] == [expected.body]
    assert isinstance(widget.bot, botdesk.DcaBot)
    assert widget.bot.take_profit == Decimal("2.37")
    assert (widget._view.planned["values"], widget._view.planned["changes"]) == ({}, [])
    # The same message again, such as by a double click.
    assert send(widget, asked["token"]) == {"name": "sent"}
    assert len(writes(sandbox)) == 1


def test_only_the_plan_that_was_shown_can_be_sent(bot: botdesk.DcaBot, sandbox: botdesk.Sandbox) -> None:
    widget = bot.tune()
    plan(widget, "view:1", take_profit="2")
    plan(widget, "view:2", take_profit="20")
    assert "changed since" in ask(widget, "view:1")["message"]
    asked = ask(widget, "view:2")
    assert "no longer offered" in send(widget, "guessed")["message"]
    assert "no longer offered" in send(widget, asked["token"])["message"]
    assert writes(sandbox) == []


def test_the_question_says_where_it_goes_and_what_may_be_a_mistake(bot: botdesk.DcaBot) -> None:
    widget = bot.tune()
    planned = plan(widget, base_order_volume="80000")
    (warning,) = planned["warnings"]
    assert "is a change by more than a factor of ten" in warning
    asked = ask(widget)
    expected = bot.preview_edit(base_order_volume="80000")
    assert asked["title"] == f"Edit of DcaBot {bot.id} “{bot.name}”"
    assert (asked["destination"], asked["warnings"]) == (f"at {expected.destination}", [warning])


def test_a_cancelled_edit_is_not_sent(bot: botdesk.DcaBot, sandbox: botdesk.Sandbox) -> None:
    widget = bot.tune()
    plan(widget, take_profit="2")
    token = ask(widget)["token"]
    widget._receive({"kind": "cancel", "step": "asking"})
    assert "no longer offered" in send(widget, token)["message"]
    assert writes(sandbox) == []


def test_values_that_break_a_rule_cannot_be_sent(bot: botdesk.DcaBot) -> None:
    widget = bot.tune()
    assert plan(widget, max_safety_orders="201")["errors"]
    assert ask(widget)["name"] == "editing"
    assert widget.preview is None


def test_a_plan_without_changes_cannot_be_sent(bot: botdesk.DcaBot) -> None:
    widget = bot.tune()
    plan(widget, take_profit="1.00")
    assert ask(widget)["name"] == "editing"


def test_a_conflict_shows_the_other_change_and_sends_nothing(
    bot: botdesk.DcaBot, client: botdesk.Client, sandbox: botdesk.Sandbox
) -> None:
    widget = bot.tune()
    plan(widget, take_profit="2")
    ask(widget)
    client.dca_bots.edit(41, cooldown=60)
    step = send(widget)
    assert (step["name"], step["changes"]) == ("conflict", [["cooldown", "0", "60"]])
    assert len(writes(sandbox)) == 1
    widget._receive({"kind": "refresh"})
    assert widget._view.step["name"] == "editing"
    assert widget._view.planned["values"] == {"take_profit": "2"}
    assert widget._view.planned["changes"] == [["take_profit", "1.0", "2"]]
    ask(widget, "")
    assert send(widget) == {"name": "sent"}
    now = client.dca_bots.get(41)
    assert (now.take_profit, now.cooldown) == (Decimal(2), Decimal(60))


def test_an_unknown_outcome_stays_until_the_bot_is_read(bot: botdesk.DcaBot, sandbox: botdesk.Sandbox) -> None:
    widget = bot.tune()
    plan(widget, take_profit="2")
    token = ask(widget)["token"]
    sandbox.faults.add("dca_bots.edit", kind="close_after")
    assert send(widget)["name"] == "unknown"
    unknown = widget._view.step
    # The page sent these before it showed the outcome, such as by a double click while the kernel was busy.
    late = [{"kind": "send", "token": token}, {"kind": "cancel", "step": "asking"}, {"kind": "ask", "id": ""}]
    for message in (*late, {"kind": "ask", "id": "view:1"}, {"kind": "cancel"}):
        widget._receive(message)
        assert widget._view.step == unknown
    assert len(writes(sandbox)) == 1
    widget._receive({"kind": "refresh"})
    assert widget._view.step["name"] == "editing"


def test_an_error_while_the_bot_is_read_again_is_shown(bot: botdesk.DcaBot, sandbox: botdesk.Sandbox) -> None:
    widget = bot.tune()
    plan(widget, take_profit="2")
    ask(widget)
    sandbox.faults.add("dca_bots.edit", kind="close_after")
    send(widget)
    sandbox.faults.add("dca_bots.get", kind="status", status=503)
    widget._receive({"kind": "refresh"})
    assert widget._view.step["name"] == "unknown"
    assert "503" in widget._view.step["refresh_error"]
    widget._receive({"kind": "refresh"})
    assert widget._view.step["name"] == "editing"
    assert widget._view.planned["changes"] == []


def test_an_error_of_the_service_is_shown(bot: botdesk.DcaBot, sandbox: botdesk.Sandbox) -> None:
    widget = bot.tune()
    plan(widget, take_profit="2")
    ask(widget)
    sandbox.faults.add("dca_bots.edit", kind="status", status=403)
    step = send(widget)
    assert step["name"] == "failed"
    assert "403" in step["message"]


def test_an_interrupted_request_is_shown_as_unknown(bot: botdesk.DcaBot, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = bot.tune()
    plan(widget, take_profit="2")
    token = ask(widget)["token"]

    class Interrupted:
        def apply(self) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(widget, "_asked", (token, Interrupted()))
    with pytest.raises(KeyboardInterrupt):
        send(widget)
    assert widget._view.step["name"] == "unknown"
    assert "may have been carried out" in widget._view.step["message"]


def test_a_grid_bot_is_edited(grid_bot: botdesk.GridBot, sandbox: botdesk.Sandbox) -> None:
    widget = grid_bot.tune()
    plan(widget, grids_quantity="11")
    ask(widget)
    assert send(widget) == {"name": "sent"}
    assert isinstance(widget.bot, botdesk.GridBot)
    assert widget.bot.grids_quantity == 11
    assert len(writes(sandbox)) == 1


def test_the_state_that_a_notebook_saves_has_no_secrets(client: botdesk.Client) -> None:
    strategies = [{"strategy": "manual", "options": {"secret": "canary-of-a-strategy"}}]
    bot = client.dca_bots.edit(41, strategy_list=strategies)
    widget = bot.tune([[60_000 * minute, 3500, 3510, 3400, 3500] for minute in range(10)])
    plan(widget, take_profit="2")
    ask(widget)
    state = json.dumps(saved_state(widget), default=str)
    assert "canary" not in state
    assert str(bot.url_secret) not in state
    assert "canary" in bot.preview_edit(take_profit="2").body


def fails(*_: object, **__: object) -> None:
    """Fail as no code expects."""
    raise ZeroDivisionError("integer division or modulo by zero")


def test_an_unexpected_error_of_a_plan_is_shown_and_the_next_plan_follows(
    bot: botdesk.DcaBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    widget = bot.tune()
    with monkeypatch.context() as broken:
        broken.setattr("botdesk._widgets.tuning.described", fails)
        with pytest.raises(ZeroDivisionError):
            plan(widget, take_profit="2")
    shown = widget._view.planned
    assert (shown["id"], shown["values"], shown["plan"], shown["changes"]) == ("view:1", {"take_profit": "2"}, None, [])
    assert shown["errors"][""][0].startswith("unexpected error: ZeroDivisionError: integer division")
    assert widget.preview is None
    assert plan(widget, "view:2", take_profit="2")["errors"] == {}


def test_unknown_messages_are_ignored(bot: botdesk.DcaBot) -> None:
    widget = bot.tune()
    before = saved_state(widget)
    widget._receive({"kind": "other"})
    assert saved_state(widget) == before


def test_without_anywidget_the_error_says_what_to_install(
    bot: botdesk.DcaBot, client: botdesk.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(botdesk.ConfigurationError, match=r"^tune\(\) needs anywidget; install it with: pip install"):
        bot.tune()
    with pytest.raises(botdesk.ConfigurationError, match=r"^live\(\) needs anywidget; install it with: pip install"):
        client.dca_bots.live()


def test_candles_that_cannot_be_read_are_an_error_at_once(bot: botdesk.DcaBot) -> None:
    with pytest.raises(botdesk.ValidationError):
        bot.tune([["no candle"]])


def test_a_page_without_scripts_shows_the_name(bot: botdesk.DcaBot) -> None:
    widget = bot.tune()
    data, _ = widget._repr_mimebundle_()
    assert data["text/plain"] == repr(widget)
    assert "application/vnd.jupyter.widget-view+json" in data
    assert widget._display_() is widget._view


def test_undo_shows_the_reverse_edit_and_sends_it_after_a_confirmation(
    bot: botdesk.DcaBot, sandbox: botdesk.Sandbox
) -> None:
    widget = bot.tune()
    plan(widget, take_profit="2.37", max_safety_orders="5")
    ask(widget)
    send(widget)
    widget._receive({"kind": "undo"})
    asked = widget._view.step
    assert asked["name"] == "asking"
    assert {field: (old, new) for field, old, new in asked["changes"]} == {
        "take_profit": ("2.37", str(bot.take_profit)),
        "max_safety_orders": ("5", str(bot.max_safety_orders)),
    }
    assert len(writes(sandbox)) == 1
    assert send(widget) == {"name": "sent"}
    assert isinstance(widget.bot, botdesk.DcaBot)
    assert (widget.bot.take_profit, widget.bot.max_safety_orders) == (bot.take_profit, bot.max_safety_orders)
    assert len(writes(sandbox)) == 2


def test_nothing_is_undone_before_something_was_sent(bot: botdesk.DcaBot, sandbox: botdesk.Sandbox) -> None:
    widget = bot.tune()
    widget._receive({"kind": "undo"})
    plan(widget, take_profit="2.37")
    ask(widget)
    widget._receive({"kind": "undo"})
    assert widget._view.step["name"] == "asking"
    assert writes(sandbox) == []


def test_a_bot_that_was_changed_since_is_not_changed_back(bot: botdesk.DcaBot, client: botdesk.Client) -> None:
    widget = bot.tune()
    plan(widget, take_profit="2.37")
    ask(widget)
    send(widget)
    client.dca_bots.edit(41, take_profit="4")
    widget._receive({"kind": "undo"})
    assert send(widget)["name"] == "conflict"
    assert client.dca_bots.get(41).take_profit == 4


def test_what_was_before_stays_in_sight_after_it_was_sent(bot: botdesk.DcaBot) -> None:
    candles = [[60_000 * minute, 3500, 3550, 3400, 3500 + minute % 50] for minute in range(300)]
    widget = bot.tune(candles)
    before = widget._view.planned["plan"]["rungs"]
    changed = plan(widget, max_safety_orders="5")
    assert changed["before"]["rungs"] == [*changed["plan"]["rungs"][: len(before)]]
    ask(widget)
    send(widget)
    sent = widget._view.planned
    assert (len(sent["plan"]["rungs"]), len(sent["before"]["rungs"])) == (6, 4)
    # The next change is compared with the bot as it is now.
    assert len(plan(widget, "view:2", max_safety_orders="7")["before"]["rungs"]) == 6
