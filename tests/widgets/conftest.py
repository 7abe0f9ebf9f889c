"""Fixtures of the tests of the widgets' models: a sandbox and its bots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    with botdesk.Sandbox(seed=7) as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: botdesk.Sandbox) -> botdesk.Client:
    return sandbox.client().with_options(retries=0)


@pytest.fixture
def bot(client: botdesk.Client) -> botdesk.DcaBot:
    return client.dca_bots.get(41)


@pytest.fixture
def grid_bot(client: botdesk.Client) -> botdesk.GridBot:
    return client.grid_bots.enable(203)
