"""Any JSON in place of arguments is a result or a refusal, and changes nothing without a token."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from agents import Agent
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from thorough import cases

import botdesk
from botdesk._cli.mcp.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from botdesk._cli.mcp.catalog import Catalog

# What an agent is told, beside the errors of botdesk.
REFUSALS = {"RefusedError", *(name for name in dir(botdesk) if name.endswith("Error"))}
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(
        [41, 410, 201, 301, 1001, "41", "1.5", "*1.1", "USDT_BTC", "1e999999999", "summary", "2026-01-01"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def calls(draw: st.DrawFn, tools: dict[str, Any]) -> tuple[str, Any]:
    """Draw a call of a tool, with an action that it has, and more or less the arguments that it takes."""
    tool = tools[draw(st.sampled_from(sorted(tools)))]
    names = draw(st.lists(st.sampled_from([*tool.properties, "nope"]), max_size=5, unique=True))
    arguments = {name: draw(VALUES) for name in [*tool.required, *names]}
    actions = tool.properties.get("action", {}).get("enum")
    if actions and draw(st.booleans() | st.just(True)):
        arguments["action"] = draw(st.sampled_from(actions))
    return tool.name, arguments


# The server puts warnings into results.
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_any_arguments_of_any_tool(tmp_path: Path, catalog: Catalog) -> None:
    with botdesk.Sandbox() as sandbox:
        agents = [
            Agent(sandbox, catalog, tmp_path, Settings(writes=True, dangerous=True, tools=tools))
            for tools in (None, ("all",))
        ]
        tools = {name: tool for agent in agents for name, tool in agent.server.tools.items()}

        @settings(
            max_examples=cases(250, 5_000),
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=[HealthCheck.too_slow],
        )
        @given(call=calls(tools))
        @example(call=("nope", {}))
        def check(call: tuple[str, Any]) -> None:
            name, arguments = call
            agent = next((agent for agent in agents if name in agent.server.tools), agents[0])
            result = agent.server.call(name, arguments)
            assert result.outcome in {"ok", "refused", "error"}
            assert json.loads(json.dumps(result.content))["source"] == "the sandbox"
            logged = json.loads(agent.audit_file.read_text("utf-8").splitlines()[-1])
            assert logged.get("error", "RefusedError") in REFUSALS, logged

        check()
        for agent in agents:
            agent.desk.audit.close()
        changes = writes(sandbox)
        sent = [f"{request.method} {request.path}" for request in sandbox.requests]
        assert len(sent) > 10
        assert list(filter(changes.fullmatch, sent)) == []
        assert changes.fullmatch("POST /public/api/ver1/bots/41/disable")


def writes(sandbox: botdesk.Sandbox) -> re.Pattern[str]:
    """Return a pattern of the requests that change something."""
    operations = [each for each in sandbox.client().operations() if each.effect == "write"]
    paths = [f"{each.method} /public/api{re.sub(r'{[a-z_]+}', '[^/]+', each.path)}" for each in operations]
    return re.compile("|".join(paths))
