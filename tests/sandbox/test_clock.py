"""The clock of a sandbox."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

import botdesk

DAY = timedelta(days=1)


def test_it_does_not_advance_without_writes(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    before = sandbox.clock.now
    client.dca_bots.list()
    assert sandbox.clock.now == before
    assert before.utcoffset() == timedelta(0)


def test_it_ticks_with_each_write(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    before = sandbox.clock.now
    bot = client.grid_bots.set_note(201, "one")
    assert sandbox.clock.now == before + timedelta(seconds=1) == bot.updated_at
    client.grid_bots.set_note(201, "two")
    assert sandbox.clock.now == before + timedelta(seconds=2)


@pytest.mark.parametrize(
    ("seconds", "passed"),
    [(0, timedelta(0)), (1, timedelta(seconds=1)), (0.25, timedelta(milliseconds=250)), (DAY, DAY), (DAY / 8, DAY / 8)],
)
def test_it_is_advanced(sandbox: botdesk.Sandbox, seconds: float | timedelta, passed: timedelta) -> None:
    before = sandbox.clock.now
    sandbox.clock.advance(seconds)
    assert sandbox.clock.now - before == passed


@pytest.mark.parametrize(
    "seconds", [-1, -0.001, timedelta(seconds=-1), float("nan"), float("inf"), -float("inf"), "1", None, True, 1e300]
)
def test_a_value_that_is_not_a_length_of_time_is_rejected(sandbox: botdesk.Sandbox, seconds: Any) -> None:  # noqa: ANN401
    before = sandbox.clock.now
    with pytest.raises(botdesk.ValidationError) as caught:
        sandbox.clock.advance(seconds)
    assert list(caught.value.errors) == ["seconds"]
    assert sandbox.clock.now == before


@pytest.mark.parametrize("seconds", [10**12, 10**18, timedelta(days=365 * 9000)])
def test_it_is_not_advanced_past_the_last_timestamp(sandbox: botdesk.Sandbox, seconds: float | timedelta) -> None:
    before = sandbox.clock.now
    with pytest.raises(botdesk.ValidationError, match="no timestamp is later than 9999-12-30T22:00:00") as caught:
        sandbox.clock.advance(seconds)
    assert list(caught.value.errors) == ["seconds"]
    assert sandbox.clock.now == before


def test_it_is_set_to_a_time(sandbox: botdesk.Sandbox) -> None:
    time = datetime(2030, 5, 17, 12, 30, 0, 125_000, tzinfo=timezone(timedelta(hours=2)))
    sandbox.clock.set(time)
    assert sandbox.clock.now == time
    sandbox.clock.set(time)


@pytest.mark.parametrize(
    "time",
    [
        datetime(2020, 1, 1, tzinfo=UTC),  # past
        datetime(2030, 1, 1),  # noqa: DTZ001 - without a timezone
        "2030-01-01T00:00:00Z",
        1_900_000_000,
        None,
    ],
)
def test_a_value_that_is_not_a_time_to_come_is_rejected(sandbox: botdesk.Sandbox, time: Any) -> None:  # noqa: ANN401
    before = sandbox.clock.now
    with pytest.raises(botdesk.ValidationError) as caught:
        sandbox.clock.set(time)
    assert list(caught.value.errors) == ["time"]
    assert sandbox.clock.now == before


def test_it_follows_the_wall_clock_and_stops_again(sandbox: botdesk.Sandbox) -> None:
    before = datetime.now(UTC)
    sandbox.clock.real()
    shown = sandbox.clock.now
    assert before - timedelta(milliseconds=1) <= shown <= datetime.now(UTC)
    sandbox.clock.manual()
    assert sandbox.clock.now == sandbox.clock.now >= shown


def test_timestamps_of_a_real_clock_are_those_of_the_wall(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.clock.real()
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    bots = [client.grid_bots.set_note(201, "x") for _ in range(3)]
    times = [bot.updated_at for bot in bots]
    assert all(time is not None and time >= before for time in times)
    assert len(set(times)) == len(times)


def test_a_clock_ahead_of_the_wall_does_not_go_back(sandbox: botdesk.Sandbox) -> None:
    far = datetime(2200, 1, 1, tzinfo=UTC)
    sandbox.clock.set(far)
    sandbox.clock.real()
    assert far <= sandbox.clock.now < far + DAY
    sandbox.clock.advance(2 * DAY)
    assert far + 2 * DAY <= sandbox.clock.now < far + 3 * DAY


@pytest.mark.parametrize("real", [True, False])
def test_due_events_have_happened(sandbox: botdesk.Sandbox, client: botdesk.Client, real: bool) -> None:
    bot_id = sandbox.add_dca_bot(active_deals=[{"note": "short-lived"}], close_deals_timeout=3600)
    if real:
        sandbox.clock.real()
    else:
        sandbox.clock.advance(60 * DAY)
    assert client.dca_bots.get(bot_id).active_deals == []


def test_it_prints_its_time(sandbox: botdesk.Sandbox) -> None:
    assert repr(sandbox.clock) == f"<Clock {sandbox.clock.now:%Y-%m-%dT%H:%M:%S}.000Z>"
