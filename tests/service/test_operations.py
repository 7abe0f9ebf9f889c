"""The table of operations, and operations on records of other resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sample_calls import owner_of

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    with botdesk.Sandbox() as sandbox:
        yield sandbox


def test_the_operations_are_listed_with_their_rows(sandbox: botdesk.Sandbox) -> None:
    operations = {operation.name: operation for operation in sandbox.client().operations()}
    edit = operations["dca_bots.edit"]
    assert (edit.method, edit.path, edit.effect) == ("PATCH", "/ver1/bots/{id}/update", "write")
    assert (edit.permission, edit.security, edit.section) == ("BOTS_WRITE", "SIGNED", "Edit DCA Bot")
    assert "dca_bots.edit" in repr(sandbox.client().operations())


def test_each_operation_is_a_method_of_its_resource(sandbox: botdesk.Sandbox) -> None:
    client: Any = sandbox.client()
    for operation in client.operations():
        assert callable(getattr(owner_of(client, operation.name), operation.name.partition(".")[2]))


def test_an_operation_on_a_record_of_another_resource_sends_nothing(sandbox: botdesk.Sandbox) -> None:
    grid_bot: Any = sandbox.client().grid_bots.enable(203)
    sent = len(sandbox.requests)
    with pytest.raises(TypeError, match=r"^dca_bots.disable is no operation of GridBot$"):
        botdesk.DcaBot.disable(grid_bot)
    with pytest.raises(TypeError, match="no operation of GridBot"):
        botdesk.DcaBot.preview_edit(grid_bot, name="Other")
    assert len(sandbox.requests) == sent


def test_an_operation_of_another_resource_sends_nothing(sandbox: botdesk.Sandbox) -> None:
    grid_bots: Any = sandbox.client().grid_bots
    sent = len(sandbox.requests)
    with pytest.raises(TypeError, match=r"^dca_bots.disable is no operation of grid_bots$"):
        botdesk.DcaBots.disable(grid_bots, 203)
    with pytest.raises(TypeError, match="no operation of grid_bots"):
        botdesk.DcaBots.disable_many(grid_bots, [203])
    assert len(sandbox.requests) == sent


def test_a_bulk_run_over_records_of_another_resource_sends_nothing(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    grid_bot: Any = client.grid_bots.enable(203)
    sent = len(sandbox.requests)
    with pytest.raises(botdesk.ValidationError, match=r"bots\[1\]: is a GridBot; pass a DcaBot or its id"):
        client.dca_bots.disable_many([41, grid_bot])
    assert len(sandbox.requests) == sent
