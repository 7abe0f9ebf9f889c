"""Fixtures of agents: servers of a sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from agents import Agent

import botdesk
from botdesk._cli.mcp.catalog import Catalog
from botdesk._cli.mcp.schemas import Schemas
from botdesk._cli.mcp.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """Return the table of operations."""
    with botdesk.Sandbox() as sandbox:
        return Catalog(Schemas.of_sandbox(sandbox))


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
