"""The sample calls: one of each operation, and each succeeds in a new sandbox."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest
from sample_calls import SAMPLES, call, prepare

import botdesk

DOCUMENTED = Path(__file__).parents[1] / "fixtures" / "documented_operations.json"


def test_every_endpoint_has_a_sample() -> None:
    with botdesk.Sandbox(bots=0) as sandbox, urllib.request.urlopen(f"{sandbox.url}/openapi.json") as response:  # noqa: S310
        paths = json.load(response)["paths"].values()
    assert {operation["operationId"] for path in paths for operation in path.values()} == SAMPLES.keys()


def test_every_documented_operation_has_a_sample() -> None:
    assert json.loads(DOCUMENTED.read_text("utf-8")).keys() == SAMPLES.keys()


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "asyncio"])
@pytest.mark.parametrize("operation", SAMPLES)
def test_a_sample_succeeds(operation: str, *, awaited: bool) -> None:
    with botdesk.Sandbox(bots=1) as sandbox:
        call(sandbox.client(), operation, awaited=awaited)
        assert sandbox.requests[-1].carried_out


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "asyncio"])
@pytest.mark.parametrize("operation", SAMPLES)
def test_a_prepared_sample_sends_one_request(operation: str, *, awaited: bool) -> None:
    with botdesk.Sandbox(bots=1) as sandbox:
        act = prepare(sandbox.client(), operation, awaited=awaited)
        before = len(sandbox.requests)
        act()
        assert [request.carried_out for request in sandbox.requests[before:]] == [True]


def test_other_arguments_and_another_id_can_be_given() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        assert call(client, "dca_bots.edit", record_id=42, name="Other").name == "Other"
        assert prepare(client, "dca_bots.edit", record_id=42, name="Again")().id == 42
        assert client.dca_bots.get(42).name == "Again"
