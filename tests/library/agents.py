"""An agent that calls the tools of a server over a sandbox."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mcp import Client

from botdesk._cli.mcp.audit import Audit
from botdesk._cli.mcp.desk import Desk
from botdesk._cli.mcp.server import Agents
from botdesk._cli.mcp.state import State

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    import botdesk
    from botdesk._cli.mcp.catalog import Catalog
    from botdesk._cli.mcp.settings import Settings


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
