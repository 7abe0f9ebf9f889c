"""The audit log: every call, preview and write, by time, with its outcome, and without secrets."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from botdesk._cli.mcp.audit import Audit

if TYPE_CHECKING:
    from pathlib import Path

    from agents import Agent

    import botdesk

MULTILINE = "first\nsecond\u2028third \ud83d\ude00"


def lines(agent: Agent) -> list[dict[str, Any]]:
    """Return the lines of the log."""
    return [json.loads(line) for line in agent.audit_file.read_text("ascii").splitlines()]


def test_every_call_preview_and_write_has_a_line(writer: Agent) -> None:
    token = writer.call("preview_dca_bots", action="edit", bot_id=41, take_profit="2.5")["token"]
    writer.call("apply", token=token)
    writer.refused("apply", token=token)
    writer.refused("dca_bots_read", action="get", bot_id=999)
    found = [(line["event"], line.get("tool"), line.get("outcome")) for line in lines(writer)]
    assert found == [
        ("preview", None, None),
        ("call", "preview_dca_bots", "ok"),
        ("send", None, None),
        ("call", "apply", "ok"),
        ("call", "apply", "refused"),
        ("call", "dca_bots_read", "error"),
    ]
    # The log shows which preview was applied, but no token that could be used.
    assert lines(writer)[0]["token"] == lines(writer)[2]["token"] == lines(writer)[3]["arguments"]["token"]
    assert token not in writer.audit_file.read_text("ascii")
    assert lines(writer)[0]["inputs"] == {"take_profit": "2.5"}
    assert lines(writer)[5]["error"] == "NotFoundError"


def test_the_line_of_a_write_is_there_before_it_is_sent(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    token = writer.call("preview_dca_bots", action="disable", bot_id=41)["token"]
    sandbox.faults.add("dca_bots.disable", kind="close_after")
    writer.result("apply", token=token)
    assert [(line["event"], line.get("outcome")) for line in lines(writer)[-2:]] == [
        ("send", None),
        ("call", "unknown"),
    ]


def test_the_log_has_no_secrets(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    canaries = [client.dca_bots.get(41).to_dict()["url_secret"], client.accounts.get(1001).to_dict()["api_key"]]
    typed = "canary-of-the-agent"
    writer.call("dca_bots_read", action="get", bot_id=41, fields=["all"])
    writer.call("accounts_read", action="get", account_id=1001, fields=["all"])
    for name in ("api_key", "secret", "passphrase"):
        writer.refused("preview_accounts", action="edit", account_id=1001, **{name: typed})
    key = "-----BEGIN PRIVATE KEY-----\nMIIcanary\n-----END PRIVATE KEY-----"
    writer.call("preview_dca_bots", action="edit", bot_id=41, name=key)
    writer.refused(key)
    content = writer.audit_file.read_text("ascii")
    for canary in (*canaries, typed, "MIIcanary"):
        assert canary not in content


def test_a_line_is_one_line_whatever_was_typed(writer: Agent) -> None:
    writer.refused("dca_bots_read", action=MULTILINE)
    writer.refused(MULTILINE * 1_000, argument="x" * 100_000)
    (first, second) = lines(writer)
    assert first["arguments"]["action"].startswith("first")
    assert len(json.dumps(second)) < 10_000


def test_arguments_that_are_nested_too_deeply_are_left_out(writer: Agent) -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    assert writer.refused("dca_bots_read", action="list", fields=nested).startswith("fields: give a list of names")
    writer.result("preview_dca_bots", action="edit", bot_id=41, take_profit_steps=nested)
    for line in lines(writer):
        assert line["left_out"] == "arguments that are nested too deeply"
        assert line["outcome"] in {"refused", "error"}


def test_without_its_log_nothing_is_sent(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    token = writer.call("preview_dca_bots", action="disable", bot_id=41)["token"]
    read_only = os.open(writer.audit_file, os.O_RDONLY)
    log = writer.desk.audit._file
    writer.desk.audit._file = read_only
    try:
        assert "the audit log" in writer.refused("apply", token=token)
        assert "nothing is done without it" in writer.refused("dca_bots_read", action="list")
    finally:
        writer.desk.audit._file = log
        os.close(read_only)
    assert not [request for request in sandbox.requests if request.method != "GET"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
@pytest.mark.usefixtures("writer")
def test_only_the_user_can_read_the_log_and_the_state(tmp_path: Path) -> None:
    for name in ("audit.jsonl", "writes.sqlite"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_a_log_that_can_not_be_opened_is_an_error_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError if os.name != "nt" else PermissionError):
        Audit(tmp_path / "folder", "sandbox")
