"""The progress bar of bulk operations."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tqdm import auto

import botdesk
from botdesk import _progress

from .conftest import COUNT, Call, Desk

if TYPE_CHECKING:
    from collections.abc import Iterator


class Bar:
    """Records the calls to a tqdm bar."""

    made: list[Bar]

    def __init__(self, **options: object) -> None:
        self.options = options
        self.steps = 0
        self.closed = False
        Bar.made.append(self)

    def update(self) -> None:
        """Advance by one step."""
        self.steps += 1

    def close(self) -> None:
        """Close the bar."""
        self.closed = True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Bar]]:
    """Return the bars that are drawn."""
    Bar.made = []
    monkeypatch.setattr(auto, "tqdm", Bar)
    yield Bar.made
    Bar.made = []


class Terminal:
    """A standard error that is or is not a terminal."""

    def __init__(self, *, watched: bool) -> None:
        self._watched = watched

    def isatty(self) -> bool:
        """Return true for a terminal."""
        return self._watched

    def write(self, text: str) -> int:
        """Accept a string."""
        return len(text)

    def flush(self) -> None:
        """Do nothing: the output is not buffered."""


def test_a_requested_bar_counts_each_bot(desk: Desk, call: Call, bars: list[Bar]) -> None:
    call(desk.client.dca_bots, "disable_many", desk.ids, progress=True)
    (bar,) = bars
    assert bar.options["total"] == bar.steps == COUNT
    assert bar.options["desc"] == "dca_bots.disable"
    assert bar.closed


def test_bots_that_are_read_first_count_as_well(desk: Desk, call: Call, bars: list[Bar]) -> None:
    call(desk.client.dca_bots, "edit_many", desk.ids, cooldown=60, progress=True)
    assert bars[0].options["total"] == bars[0].steps == 2 * COUNT


@pytest.mark.parametrize("watched", [True, False])
def test_a_long_run_that_somebody_watches_has_a_bar(
    desk: Desk, call: Call, bars: list[Bar], monkeypatch: pytest.MonkeyPatch, *, watched: bool
) -> None:
    monkeypatch.setattr(_progress, "_DELAY", 0.0)
    monkeypatch.setattr(sys, "stderr", Terminal(watched=watched))
    call(desk.client.dca_bots, "disable_many", desk.ids)
    assert len(bars) == watched


def test_a_short_run_has_none(desk: Desk, bars: list[Bar], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "_DELAY", 3600.0)
    monkeypatch.setattr(sys, "stderr", Terminal(watched=True))
    desk.client.dca_bots.disable_many(desk.ids)
    assert bars == []


def test_a_bar_can_be_disabled(desk: Desk, call: Call, bars: list[Bar], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "_DELAY", 0.0)
    monkeypatch.setattr(sys, "stderr", Terminal(watched=True))
    call(desk.client.dca_bots, "disable_many", desk.ids, progress=False)
    assert bars == []


def test_the_error_for_a_bar_without_tqdm_names_the_package(
    desk: Desk, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(botdesk.ConfigurationError, match="pip install tqdm"):
        call(desk.client.dca_bots, "disable_many", desk.ids, progress=True)
    assert desk.arrived == []


def test_without_tqdm_a_long_run_goes_on_without_a_bar(desk: Desk, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(_progress, "_DELAY", 0.0)
    monkeypatch.setattr(sys, "stderr", Terminal(watched=True))
    assert call(desk.client.dca_bots, "disable_many", desk.ids).is_complete


def test_a_bar_that_fails_does_not_end_the_run(
    desk: Desk, call: Call, bars: list[Bar], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Bar) -> None:
        raise OverflowError

    unraisable: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    monkeypatch.setattr(Bar, "update", fail)
    assert call(desk.client.dca_bots, "disable_many", desk.ids, progress=True).is_complete
    assert [type(each.exc_value) for each in unraisable] == [OverflowError]
    assert len(bars) == 1


def test_ctrl_c_while_the_bar_is_drawn_loses_nothing(
    desk: Desk, bars: list[Bar], monkeypatch: pytest.MonkeyPatch
) -> None:
    def press(bar: Bar) -> None:
        bar.steps += 1
        if bar.steps == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(Bar, "update", press)
    with pytest.raises(botdesk.BulkInterrupted) as caught:
        desk.client.dca_bots.disable_many(desk.ids, concurrency=1, progress=True)
    result = caught.value.result
    assert len(result.done) == len(desk.writes(carried_out=True))
    assert len(result.done) + len(result.not_started) == COUNT
    assert bars[0].closed


def test_the_bar_is_drawn_on_the_thread_that_waits(
    desk: Desk, call: Call, bars: list[Bar], monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    threads = set[int]()

    def note(_: Bar) -> None:
        threads.add(threading.get_ident())

    monkeypatch.setattr(Bar, "update", note)
    call(desk.client.dca_bots, "disable_many", desk.ids, progress=True)
    assert threads == {threading.get_ident()}
    assert len(bars) == 1


def test_hooks_receive_each_request(desk: Desk, call: Call) -> None:
    operations: list[str] = []
    client = desk.client.with_options(on_request=lambda event: operations.append(event.operation))
    call(client.dca_bots, "disable_many", desk.ids[:5])
    assert operations == ["dca_bots.disable"] * 5


def test_a_loop_goes_on_meanwhile(desk: Desk) -> None:
    async def main() -> int:
        task = asyncio.create_task(desk.client.dca_bots.disable_many_async(desk.ids))
        turns = 0
        while not task.done():
            turns += 1
            await asyncio.sleep(0)
        assert task.result().is_complete
        return turns

    assert asyncio.run(main()) > 1
