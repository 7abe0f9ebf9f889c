"""Fixtures of the tests of tables of edits: the DCA bots of a sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import botdesk


@pytest.fixture
def bots(sandbox: botdesk.Sandbox) -> botdesk.DcaBots:
    """Return the DCA bots of the sandbox."""
    return sandbox.client().dca_bots
