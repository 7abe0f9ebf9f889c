"""What all tools of a server share: the client, the limits, and the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botdesk._cli.mcp.cursors import Cursors
from botdesk._cli.mcp.scope import Scope

if TYPE_CHECKING:
    from botdesk import Client
    from botdesk._cli.mcp.audit import Audit
    from botdesk._cli.mcp.catalog import Catalog
    from botdesk._cli.mcp.settings import Settings
    from botdesk._cli.mcp.state import State


class Desk:
    """The client of a server, and what its person lets an agent do with it."""

    def __init__(
        self,
        client: Client,
        destination: str,
        catalog: Catalog,
        settings: Settings,
        *,
        audit: Audit,
        state: State,
    ) -> None:
        """Put the parts together.

        Args:
            client: The client of the service, or of the sandbox.
            destination: What every result says about where its data is from.
            catalog: The operations.
            settings: The limits.
            audit: The log.
            state: The count of writes.
        """
        self.client = client
        self.destination = destination
        self.catalog = catalog
        self.settings = settings
        self.audit = audit
        self.state = state
        self.scope = Scope(settings)
        self.cursors = Cursors()
