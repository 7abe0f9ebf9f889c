"""The tools follow from the table: all operations are there, few tools, short schemas, right hints."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from mcp.shared.tool_name_validation import validate_tool_name
from sample_calls import SAMPLES, SECRETS, reference

from botdesk._cli.mcp.json_types import is_list, is_object
from botdesk._native import _operation_names

if TYPE_CHECKING:
    from collections.abc import Callable

    import mcp_types as types
    from agents import Agent
    from mcp import Client

    import botdesk

MOST_TOOLS = 40
MOST_TOKENS = 30_000
# They require secrets, which no agent should know.
WITHHELD = {
    name
    for name in SAMPLES
    if any(
        wire in SECRETS and says == "text, required"
        for where in ("query", "body")
        for wire, says in reference(name).get(where, {}).items()
    )
}


def listed(agent: Agent) -> list[types.Tool]:
    """Return the tools that the server lists over the protocol."""

    async def tools(client: Client) -> list[types.Tool]:
        return (await client.list_tools()).tools

    found: list[types.Tool] = agent.over_protocol(tools)
    return found


def tokens(tools: list[types.Tool]) -> int:
    """Count the tokens of the schemas, as the tokenizer o200k_base of OpenAI does."""
    with warnings.catch_warnings():
        # It reads its vocabulary with a function that Python 3.11 calls deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai  # type: ignore[import-untyped]

    content = json.dumps([tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools])
    return len(bpe_openai.get_encoding("o200k_base").encode(content))


@pytest.mark.parametrize("settings", [{}, {"writes": True, "dangerous": True}])
def test_the_default_tools_are_few_and_their_schemas_are_short(
    agent_of: Callable[..., Agent], settings: dict[str, bool]
) -> None:
    tools = listed(agent_of(**settings))
    assert len(tools) <= MOST_TOOLS
    assert tokens(tools) <= MOST_TOKENS


def test_even_a_tool_for_each_operation_fits(agent_of: Callable[..., Agent]) -> None:
    assert tokens(listed(agent_of(writes=True, dangerous=True, tools=("all",)))) <= MOST_TOKENS


def test_the_default_tools_reach_every_operation_but_those_with_secrets(writer: Agent) -> None:
    reached = {
        f"{name.removeprefix('preview_').removesuffix('_read')}.{action}"
        for name, tool in writer.server.tools.items()
        for action in tool.properties.get("action", {}).get("enum", ())
    }
    assert reached == set(_operation_names()) - WITHHELD


def test_no_tool_takes_a_secret(writer: Agent, agent_of: Callable[..., Agent]) -> None:
    for agent in (writer, agent_of(writes=True, dangerous=True, tools=("all",))):
        for tool in agent.server.tools.values():
            assert not SECRETS & tool.properties.keys(), tool.name


def test_a_server_without_writes_has_only_tools_that_read(reader: Agent) -> None:
    tools = listed(reader)
    assert not [tool.name for tool in tools if tool.name.startswith("preview_") or tool.name == "apply"]
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)


def test_the_hints_of_what_changes_something_say_so(writer: Agent) -> None:
    hints = {tool.name: tool.annotations for tool in listed(writer)}
    changing = {name for name, hint in hints.items() if hint is not None and not hint.read_only_hint}
    assert changing == {"apply"}
    assert hints["apply"] is not None
    assert hints["apply"].destructive_hint
    assert not hints["apply"].idempotent_hint


def test_the_schemas_have_the_limits_of_the_inputs(writer: Agent) -> None:
    properties = writer.server.tools["preview_deals"].properties
    assert (properties["max_safety_orders"]["minimum"], properties["max_safety_orders"]["maximum"]) == (0, 200)
    assert properties["take_profit_type"]["enum"] == ["base", "total"]
    # Decimals are strings: a number with a point loses digits in JSON.
    assert properties["take_profit"]["type"] == "string"


def test_tools_are_chosen_by_name(agent_of: Callable[..., Agent]) -> None:
    agent = agent_of(writes=True, tools=("dca_bots_list", "preview_dca_bots_edit"))
    assert set(agent.server.tools) == {"dca_bots_list", "preview_dca_bots_edit", "apply", "check_outcome"}


def test_an_unknown_name_of_a_tool_is_an_error(agent_of: Callable[..., Agent]) -> None:
    with pytest.raises(ValueError, match="there is no tool dca_bots_destroy; there are: accounts_read"):
        agent_of(tools=("dca_bots_destroy",))


@pytest.mark.parametrize("writes", [False, True])
def test_each_tool_works_in_a_sandbox(agent_of: Callable[..., Agent], *, writes: bool) -> None:
    agent = agent_of(writes=True, dangerous=True, tools=("all",), writes_per_hour=1_000)
    entries = [each for each in agent.desk.catalog.entries.values() if each.operation.writes == writes]
    assert entries

    async def call_each(client: Client) -> dict[str, Any]:
        problems: dict[str, Any] = {}
        for entry in entries:
            name = f"{'preview_' if writes else ''}{entry.resource}_{entry.action}"
            result = await client.call_tool(name, arguments_of(entry.name, entry.ids, entry.paging))
            # Every result says where it is from, and every preview can be applied.
            wanted = {"source", "token"} if writes else {"source"}
            if result.is_error or not wanted <= result.structured_content.keys():
                problems[name] = result.structured_content
        return problems

    assert agent.over_protocol(call_each) == {}


def test_each_write_is_carried_out_once_it_is_applied(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    problems: dict[str, Any] = {}
    for entry in writer.desk.catalog.writes(dangerous=True):
        sandbox.reset()
        arguments = arguments_of(entry.name, entry.ids, entry.paging)
        preview = writer.call(f"preview_{entry.resource}", action=entry.action, **arguments)
        applied = writer.result("apply", token=preview["token"])
        sent = [request.path for request in sandbox.requests if request.method != "GET"]
        path = preview["preview"]["request"].partition(" ")[2]
        if applied.get("outcome") != "done" or sent != [f"/public/api{path}"]:
            problems[entry.name] = (applied, sent)
    assert problems == {}


def arguments_of(operation: str, ids: dict[str, Any], paging: frozenset[str]) -> dict[str, Any]:
    """Return the sample of an operation as the arguments of its tool: JSON, with decimals as strings."""
    sample = SAMPLES[operation]
    given = {name: value for name, value in sample.arguments.items() if name not in paging | SECRETS}
    named = {} if sample.record_id is None else {next(iter(ids)): sample.record_id}
    return {**named, **{name: exact(value) for name, value in given.items()}}


def exact(value: Any) -> Any:  # noqa: ANN401
    """Return a value of a TOML file as an agent should write it."""
    if is_object(value):
        return {name: exact(each) for name, each in value.items()}
    if is_list(value):
        return [exact(each) for each in value]
    return str(value) if isinstance(value, float) else value


def test_the_schemas_and_names_are_valid(agent_of: Callable[..., Agent]) -> None:
    for settings in ({}, {"tools": ("all",)}):
        for tool in listed(agent_of(writes=True, dangerous=True, **settings)):
            assert validate_tool_name(tool.name).is_valid
            jsonschema_rs.meta.validate(tool.input_schema)
            assert tool.input_schema["type"] == "object"
            # Some hosts reject these at the top.
            assert not {"oneOf", "anyOf", "allOf"} & tool.input_schema.keys()
            assert set(tool.input_schema.get("required", ())) <= tool.input_schema["properties"].keys()


def test_neither_botdesk_nor_its_commands_import_the_packages_of_agents() -> None:
    code = "import sys, botdesk, botdesk._cli.app; print(sorted({'mcp', 'anyio', 'sqlite3'} & sys.modules.keys()))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
