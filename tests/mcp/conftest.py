"""Fixtures of agents: servers of a sandbox, and the calls of their tools."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

import botdesk
from botdesk._cli.mcp.audit import Audit
from botdesk._cli.mcp.catalog import Catalog
from botdesk._cli.mcp.desk import Desk
from botdesk._cli.mcp.schemas import Schemas
from botdesk._cli.mcp.server import Agents
from botdesk._cli.mcp.settings import Settings
from botdesk._cli.mcp.state import State

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator
    from pathlib import Path


class Agent:
    """An agent that calls the tools of a server."""

    def __init__(self, sandbox: botdesk.Sandbox, catalog: Catalog, folder: Path, settings: Settings) -> None:
        """Start a server over a sandbox; the log and the state are in a folder."""
        self.audit_file = folder / "audit.jsonl"
        self.desk = Desk(
            sandbox.client(),
            "the sandbox",
            catalog,
            settings,
            audit=Audit(self.audit_file, "sandbox"),
            state=State(folder / "writes.sqlite", "sandbox"),
        )
        self.server = Agents(self.desk)

    def result(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Call a tool, and return its result, whatever the outcome."""
        return self.server.call(tool, arguments).content

    def call(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Call a tool that succeeds, and return its result."""
        result = self.server.call(tool, arguments)
        assert result.outcome == "ok", result.content
        return result.content

    def refused(self, tool: str, /, **arguments: object) -> str:
        """Call a tool that refuses it or fails, and return the error."""
        result = self.server.call(tool, arguments)
        assert result.outcome in {"refused", "error"}, result.content
        return str(result.content["error"])

    def over_protocol(self, run: Callable[[Client], Awaitable[Any]]) -> Any:  # noqa: ANN401
        """Run a function with a client of the SDK that is connected to the server."""

        async def connected() -> Any:  # noqa: ANN401
            async with Client(self.server.server()) as client:
                return await run(client)

        return asyncio.run(connected())


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """Return the table of operations."""
    with botdesk.Sandbox() as sandbox:
        return Catalog(Schemas.of_sandbox(sandbox))


@pytest.fixture
def sandbox() -> Generator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def agent_of(sandbox: botdesk.Sandbox, catalog: Catalog, tmp_path: Path) -> Generator[Callable[..., Agent]]:
    """Return a function that starts a server with settings; all of a test share the log and the state."""
    agents: list[Agent] = []

    def start(**settings: Any) -> Agent:  # noqa: ANN401
        agents.append(Agent(sandbox, catalog, tmp_path, Settings(**settings)))
        return agents[-1]

    yield start
    for agent in agents:
        agent.desk.audit.close()


@pytest.fixture
def reader(agent_of: Callable[..., Agent]) -> Agent:
    """Return an agent of a server with its defaults."""
    return agent_of()


@pytest.fixture
def writer(agent_of: Callable[..., Agent]) -> Agent:
    """Return an agent that may change everything."""
    return agent_of(writes=True, dangerous=True, writes_per_hour=1_000)
