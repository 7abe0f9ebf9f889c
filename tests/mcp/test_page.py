"""The page of agents: its conversation is what the tools return, and its options and settings exist."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from botdesk._cli.app import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest
    from agents import Agent

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text("utf-8")


def conversation() -> Iterator[tuple[str, str, str]]:
    """Yield the calls of the page: the tool, the arguments, and the result."""
    (block,) = re.findall(r"(?ms)^```text\n(→.*?)^```", PAGE)
    for call, result in re.findall(r"→ (.*)\n← (.*)\n", block):
        tool, _, arguments = call.partition(" ")
        yield tool, arguments, result


def pattern(result: str) -> str:
    """Return the regular expression of a result, in which `…` stands for anything, and TOKEN for the token."""
    return re.escape(result).replace("…", ".*").replace("TOKEN", r"(?P<token>[\w-]+)")


def test_the_conversation_of_the_page_is_what_the_tools_return(agent_of: Callable[..., Agent]) -> None:
    agent = agent_of(writes=True)
    token = ""
    calls = list(conversation())
    assert len(calls) == 7
    for tool, arguments, wanted in calls:
        result = agent.result(tool, **json.loads(arguments.replace("TOKEN", token)))
        found = re.fullmatch(pattern(wanted), json.dumps(result, ensure_ascii=False))
        assert found, result
        token = found.groupdict().get("token") or token


def test_the_settings_of_hosts_are_json() -> None:
    blocks = re.findall(r"(?ms)^( *)```json\n(.*?)^ *```", PAGE)
    assert len(blocks) == 3
    for _, block in blocks:
        (servers,) = json.loads(block).values()
        assert servers["botdesk"]["args"] == ["mcp"]


def test_the_options_of_the_page_exist(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert run(["mcp", "--help"]) == 0
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    assert options <= set(re.findall(r"--[a-z-]+", PAGE))
    assert set(re.findall(r"--[a-z][a-z-]+", PAGE)) <= options
