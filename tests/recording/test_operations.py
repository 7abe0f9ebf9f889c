"""Every operation and outcome, against cassettes and against the live sandbox: the same assertions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .scenarios import CASSETTES, SCENARIOS, Scenario, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SCENARIO = pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])


@pytest.fixture(params=["replay", "sandbox"])
def client(request: pytest.FixtureRequest, scenario: Scenario) -> Iterator[botdesk.Client]:
    """Return a client of a cassette, or of a sandbox on which the scenario has been prepared."""
    if request.param == "replay":
        with botdesk.Replay(scenario.cassette, strict=True) as replay:
            yield replay.client()
    else:
        with botdesk.Sandbox(odd_values=True) as sandbox:
            client = scenario.client(sandbox)
            scenario.before(client)
            yield client


@SCENARIO
def test_an_operation(scenario: Scenario, client: botdesk.Client, call: Callable[..., Any]) -> None:
    scenario.run(client, call)


@SCENARIO
def test_a_cassette_is_recorded_again_byte_for_byte(scenario: Scenario, tmp_path: Path) -> None:
    record(scenario, tmp_path / "again.har")
    assert (tmp_path / "again.har").read_bytes() == scenario.cassette.read_bytes()


@SCENARIO
def test_recorded_requests_are_replayed(scenario: Scenario, tmp_path: Path, call: Callable[..., Any]) -> None:
    path = tmp_path / "desk.har"
    with botdesk.Sandbox(odd_values=True) as sandbox:
        client = scenario.client(sandbox)
        scenario.before(client)
        with botdesk.record(path, client):
            scenario.run(client, call)
    with botdesk.Replay(path, strict=True) as replay:
        scenario.run(replay.client(), call)


def test_there_is_a_cassette_for_every_operation() -> None:
    operations = {
        f"{resource}.{operation}"
        for resource, handle in {
            "accounts": botdesk.Accounts,
            "dca_bots": botdesk.DcaBots,
            "grid_bots": botdesk.GridBots,
            "smart_trades": botdesk.SmartTrades,
        }.items()
        for operation in vars(handle)
        if not operation.startswith(("_", "preview_")) and not operation.endswith("_async")
    }
    # Iterating fetches one page after the other, watching and live tables fetch pages and bots, and bulk operations
    # call one after the other.
    operations = {operation for operation in operations if not operation.endswith("_many")}
    recorded = {".".join(scenario.name.split(".")[:2]) for scenario in SCENARIOS}
    assert recorded == operations - {"dca_bots.iter", "dca_bots.watch", "dca_bots.live"}


def test_there_is_a_scenario_for_every_cassette() -> None:
    assert {path.name for path in CASSETTES.glob("*.har")} == {scenario.cassette.name for scenario in SCENARIOS}
