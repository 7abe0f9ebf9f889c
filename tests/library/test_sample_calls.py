"""The sample calls of operations. `tests/conformance` makes each of them."""

from __future__ import annotations

import pytest
from sample_calls import SAMPLES, call, prepare

import botdesk
from botdesk._native import Operation


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "asyncio"])
@pytest.mark.parametrize("operation", SAMPLES)
def test_a_prepared_sample_sends_one_request(operation: str, *, awaited: bool) -> None:
    with botdesk.Sandbox() as sandbox:
        act = prepare(sandbox.client(), operation, awaited=awaited)
        before = len(sandbox.requests)
        act()
        sent = sandbox.requests[before:]
        # What adds to a list reads the list first.
        assert [request.carried_out for request in sent if request.method == Operation(operation).method] == [True]


def test_other_arguments_and_another_id_can_be_given() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        assert call(client, "dca_bots.edit", record_id=42, name="Other").name == "Other"
        assert prepare(client, "dca_bots.edit", record_id=42, name="Again")().id == 42
        assert client.dca_bots.get(42).name == "Again"
