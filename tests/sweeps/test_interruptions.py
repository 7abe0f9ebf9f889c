"""Ctrl-C and cancelling end a sweep early and keep what is done."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import botdesk

GRID: dict[str, Any] = {"take_profit": range(1, 41), "max_safety_orders": range(1, 51)}


class BarThat:
    """A progress bar that does something at its first step."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act
        self.steps = 0
        self.is_closed = False

    def __call__(self, operation: str, total: int, always: bool) -> "BarThat":
        assert (operation, always) == ("sweep", True)
        self.total = total
        return self

    def step(self) -> None:
        self.steps += 1
        if self.steps == 1:
            self.act()

    def close(self) -> None:
        self.is_closed = True


def press_ctrl_c() -> None:
    raise KeyboardInterrupt


def test_ctrl_c_returns_what_is_done(
    monkeypatch: pytest.MonkeyPatch, candles: botdesk.Candles, bot: dict[str, Any]
) -> None:
    bar = BarThat(press_ctrl_c)
    monkeypatch.setattr("botdesk._progress.Bar", bar)
    sweep = botdesk.sweep(bot, candles, GRID, progress=True)
    assert bar.is_closed
    assert bar.total == 2000
    assert sweep.interrupted
    assert sweep.error is None
    assert 0 < len(sweep) < 2000
    assert len(sweep) + len(sweep.missing) == 2000
    assert sweep[0].summary == sweep[0].backtest().summary


def test_ctrl_c_ends_a_sweep_on_an_executor(
    monkeypatch: pytest.MonkeyPatch, candles: botdesk.Candles, bot: dict[str, Any]
) -> None:
    monkeypatch.setattr("botdesk._progress.Bar", BarThat(press_ctrl_c))
    with ThreadPoolExecutor(1) as pool:
        sweep = botdesk.sweep(bot, candles, {"take_profit": range(1, 400)}, progress=True, executor=pool)
    assert sweep.interrupted
    assert 0 < len(sweep) < 399


def test_another_exception_of_a_signal_handler_is_raised_with_what_is_done(
    monkeypatch: pytest.MonkeyPatch, candles: botdesk.Candles, bot: dict[str, Any]
) -> None:
    def end() -> None:
        raise SystemExit(3)

    monkeypatch.setattr("botdesk._progress.Bar", BarThat(end))
    with pytest.raises(SystemExit) as caught:
        botdesk.sweep(bot, candles, GRID, progress=True)
    result: Any = getattr(caught.value, "result", None)
    assert result.interrupted
    assert len(result) > 0


def test_cancelling_raises_the_cancellation_with_what_is_done(
    monkeypatch: pytest.MonkeyPatch, candles: botdesk.Candles, bot: dict[str, Any]
) -> None:
    async def main() -> Any:  # noqa: ANN401
        task = asyncio.ensure_future(botdesk.sweep_async(bot, candles, GRID, progress=True))
        monkeypatch.setattr("botdesk._progress.Bar", BarThat(task.cancel))
        try:
            await task
        except asyncio.CancelledError as error:
            return getattr(error, "result", None)
        raise AssertionError

    result = asyncio.run(main())
    assert result.interrupted
    assert 0 < len(result) < 2000


def test_the_event_loop_runs_on_during_a_sweep(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    async def main() -> int:
        task = asyncio.ensure_future(botdesk.sweep_async(bot, candles, {"take_profit": range(1, 100)}))
        turns = 0
        while not task.done():
            turns += 1
            await asyncio.sleep(0)
        return turns

    assert asyncio.run(main()) > 10


def test_a_progress_bar_counts_every_combination(
    monkeypatch: pytest.MonkeyPatch, candles: botdesk.Candles, bot: dict[str, Any]
) -> None:
    bar = BarThat(lambda: None)
    monkeypatch.setattr("botdesk._progress.Bar", bar)
    botdesk.sweep(bot, candles, {"take_profit": [1, 2, -1]}, progress=True)
    assert (bar.steps, bar.is_closed) == (3, True)
