"""Plans, backtests, comparisons, sweeps, reports and pictures."""

from __future__ import annotations

import base64
import csv
import os
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agents import Agent
    from mcp import Client

PNG = b"\x89PNG\r\n"
# An hour each; the price swings by some percent.
HOUR = 3_600_000
START = 1_704_067_200_000


@pytest.fixture
def candles(tmp_path: Path) -> Path:
    """Return a folder with a file of candles."""
    folder = tmp_path / "candles"
    folder.mkdir()
    with (folder / "eth.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["timestamp", "open", "high", "low", "close"])
        for hour in range(200):
            low, high = (3400, 3600) if hour % 2 else (3380, 3580)
            writer.writerow([START + hour * HOUR, 3500, high, low, 3500])
    return folder


@pytest.fixture
def tester(agent_of: Callable[..., Agent], candles: Path) -> Agent:
    """Return an agent that may read the candles."""
    return agent_of(candles=(candles,))


def test_a_plan_has_the_orders_and_the_budget(reader: Agent) -> None:
    computed = reader.call("plan", bot_id=41, price="3500")["computed"]
    assert (computed["budget"], computed["bot_budget"]) == ("247.7", "247.7")
    assert computed["orders"]["rows"][0][:2] == ["3500", "80"]
    after = reader.call("plan", bot_id=41, price="3500", changes={"base_order_volume": "100"})["computed"]
    assert after["budget"] == "267.7"


def test_a_bot_that_does_not_exist_can_be_planned_and_tested(tester: Agent, sandbox: botdesk.Sandbox) -> None:
    settings = {"base_order_volume": "100", "max_safety_orders": 0, "take_profit": "1"}
    assert tester.call("plan", settings=settings, price="3500")["computed"]["budget"] == "100"
    assert tester.call("backtest", settings=settings, candles="eth.csv")["computed"]["summary"]["deals"] > 0
    swept = tester.call("sweep", settings=settings, parameters={"take_profit": ["1", "2"]}, candles="eth.csv")
    assert swept["computed"]["run"] == 2
    assert "settings: give an object" in tester.refused("plan", settings=settings, bot_id=41)
    assert sandbox.requests == []


def test_a_plan_without_a_price_takes_that_of_the_market(reader: Agent) -> None:
    assert reader.call("plan", bot_id=41)["computed"]["price_of_base_order"] == "3506.67"


def test_the_plan_of_a_grid_has_its_levels(reader: Agent) -> None:
    computed = reader.call("plan", grid_bot_id=204)["computed"]
    assert len(computed["levels"]["rows"]) == 30
    assert reader.refused("plan", grid_bot_id=204, changes={"name": "x"}).startswith("changes: a grid")


def test_a_backtest_reads_candles_by_path(tester: Agent) -> None:
    computed = tester.call("backtest", bot_id=41, candles="eth.csv", deals=True)["computed"]
    assert computed["summary"]["deals"] > 0
    assert isinstance(computed["summary"]["profit"], str)
    assert len(computed["deals"]["rows"]) <= 50
    assert tester.call("backtest", bot_id=41, candles="eth.csv")["computed"]["deals"].endswith(" deals")


def test_an_edit_is_compared_without_sending_it(tester: Agent, sandbox: botdesk.Sandbox) -> None:
    changes = {"take_profit": "2.5"}
    computed = tester.call("compare_edit", bot_id=41, changes=changes, candles="eth.csv", fee="0.1%")["computed"]
    assert set(computed) == {"before", "after", "difference"}
    assert {request.method for request in sandbox.requests} == {"GET"}
    assert "changes: give at least one input" in tester.refused(
        "compare_edit", bot_id=41, changes={}, candles="eth.csv"
    )


def test_a_sweep_returns_the_best_combinations(tester: Agent) -> None:
    parameters = {"take_profit": ["1", "1.5", "2"], "cooldown": ["0", "3600"]}
    computed = tester.call("sweep", bot_id=41, parameters=parameters, candles="eth.csv", best=2)["computed"]
    assert (computed["run"], len(computed["best"])) == (6, 2)
    many = {"take_profit": [str(value) for value in range(1, 2_002)]}
    error = tester.refused("sweep", bot_id=41, parameters=many, candles="eth.csv")
    assert error.startswith("parameters: 2001 combinations, and 2000 are allowed")


def test_a_number_that_may_have_lost_digits_is_refused_wherever_it_is(tester: Agent) -> None:
    sweep = {"parameters": {"take_profit": [1.5]}, "candles": "eth.csv"}
    for bot in ({"bot_id": 41}, {"settings": {"base_order_volume": "100"}}):
        assert "parameters.take_profit: 1.5 may have lost digits" in tester.refused("sweep", **sweep, **bot)


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("plan", {"bot_id": 41, "changes": "x"}, "changes: must be of the type object, not 'x'"),
        ("plan", {"bot_id": True}, "bot_id: must be of the type integer, not True"),
        ("report", {"year": "2024"}, "year: must be of the type integer, not '2024'"),
    ],
)
def test_an_argument_of_another_type_is_named(
    reader: Agent, tool: str, arguments: dict[str, object], message: str
) -> None:
    assert reader.refused(tool, **arguments) == message


def test_pictures_are_images(tester: Agent) -> None:
    async def draw(client: Client) -> list[Any]:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("picture", {"deal_id": 410}),
            ("compare_edit", {"bot_id": 41, "changes": {"take_profit": "2"}, "candles": "eth.csv", "picture": True}),
        ]
        return [await client.call_tool(tool, arguments) for tool, arguments in calls]

    for result in tester.over_protocol(draw):
        text, image = result.content
        assert text.type == "text"
        assert image.mime_type == "image/png"
        assert base64.b64decode(image.data).startswith(PNG)


@pytest.mark.skipif(os.name == "nt", reason="Windows needs a privilege to create links")
@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "link.csv", "eth.txt", "", ".", "a\0b", 5, None])
def test_only_candles_of_the_allowed_folders_are_read(tester: Agent, candles: Path, name: object) -> None:
    secret = candles.parent / "secret.csv"
    secret.write_text((candles / "eth.csv").read_text())
    (candles / "link.csv").symlink_to(secret)
    (candles / "eth.txt").write_text((candles / "eth.csv").read_text())
    error = tester.refused("backtest", bot_id=41, candles=name)
    assert error.startswith("candles: ")
    assert "there are: eth.csv" in error


def test_an_absolute_path_inside_of_a_folder_is_read(tester: Agent, candles: Path) -> None:
    assert tester.call("backtest", bot_id=41, candles=str(candles / "eth.csv"))["computed"]["summary"]


def test_without_a_folder_no_candles_are_read(reader: Agent) -> None:
    error = reader.refused("backtest", bot_id=41, candles="eth.csv")
    assert error == "no candles can be read; ask the person to start the server with --candles FOLDER"


def test_a_report_adds_up_the_archive(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox, tmp_path: Path, reader: Agent
) -> None:
    path = tmp_path / "desk.sqlite"
    with botdesk.Archive(path) as archive:
        archive.sync(sandbox.client())
        wanted = archive.report(by="pair")
    found = agent_of(archive=path).call("report", by="pair")["from_service"]
    assert found["columns"] == list(wanted.columns)
    assert [row[2] for row in found["rows"]] == [format(row[2], "f") for row in wanted.rows]
    assert reader.refused("report").startswith("there is no archive; ask the person to start the server with --archive")
    limited = agent_of(archive=path, accounts=frozenset({1001}))
    assert limited.refused("report").startswith("a report adds up all accounts and bots")


def test_the_overview_adds_up_everything(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox, reader: Agent
) -> None:
    found = reader.call("overview")["from_service"]
    view = sandbox.client().overview()
    assert (found["active_deals"], found["open_profit"]) == (view.active_deals, format(view.open_profit, "f"))
    assert agent_of(accounts=frozenset({1001})).refused("overview").startswith("the overview adds up all accounts")


def test_times_without_a_timezone_are_in_utc(tester: Agent) -> None:
    period = {"start": "2024-01-02", "end": "2024-01-03T00:00:00Z"}
    assert tester.call("backtest", bot_id=41, candles="eth.csv", **period)["computed"]["summary"]
    assert tester.refused("backtest", bot_id=41, candles="eth.csv", start="soon").startswith("start: 'soon' is no time")
