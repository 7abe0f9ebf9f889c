"""Interrupt calls of botdesk, and print each interrupt that was not raised as `KeyboardInterrupt`.

`test_interrupts.py` runs this script in a process of its own, once for each step.
"""

from __future__ import annotations

import _weakrefset
import asyncio
import gc
import json
import logging
import sys
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from random_interrupts import RandomMoments

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

ASYNCIO = (str(Path(asyncio.__file__).parent), _weakrefset.__file__)


class Number:
    """A number of another library, whose methods run long enough to be interrupted."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return sum(0 for _ in range(50)) + self.value

    def __float__(self) -> float:
        return sum(0.0 for _ in range(50)) + self.value


class Steps:
    """The calls that are interrupted."""

    def __init__(self, sandbox: botdesk.Sandbox) -> None:
        self.sandbox = sandbox
        self.client = sandbox.client()
        self.with_hooks = self.client.with_options(
            on_request=lambda event: event.attempt, on_response=lambda event: event.status, on_retry=repr
        )
        self.bots = self.client.dca_bots.list()
        self.bot = self.client.dca_bots.get(41)
        self.ids = [bot.id or 0 for bot in self.bots]
        self.watch = self.client.dca_bots.watch()
        self.watch.poll()
        self.turn = 0

    def get(self) -> None:
        self.client.dca_bots.get(41)

    def edit(self) -> None:
        self.client.dca_bots.edit(41, take_profit=Decimal("1.5"), cooldown=60, name="Name", pairs=["USDT_ETH"])

    def not_found(self) -> None:
        with suppress(botdesk.NotFoundError):
            self.client.dca_bots.get(999_999)

    def refuse(self) -> None:
        for wrong in (True, "x", object(), 1.5, [1], Fraction(1, 3)):
            with suppress(botdesk.ValidationError):
                self.client.dca_bots.get(wrong)  # type: ignore[arg-type]
            with suppress(botdesk.ValidationError):
                self.bot.preview_edit(cooldown=wrong, pairs=wrong)  # type: ignore[arg-type]

    def preview(self) -> None:
        preview = self.bot.preview_edit(take_profit=Decimal("1.25"), cooldown=61, name="x", pairs=("USDT_ETH",))
        repr(preview)
        preview._repr_html_()
        [tuple(change) for change in preview.changes]

    def edit_many(self) -> None:
        self.client.dca_bots.edit_many(self.ids[:2], cooldown=60)

    def edit_many_with_bar(self) -> None:
        self.client.dca_bots.edit_many(self.ids[:2], cooldown=60, progress=None)

    def fail_many(self) -> None:
        result = self.client.dca_bots.disable_many([41, 999_999])
        repr(result)
        result._repr_html_()

    def preview_many(self) -> None:
        # Each further bot runs the same lines.
        repr(self.client.dca_bots.edit_many(self.bots[:1], cooldown=63, preview=True))

    def iterate(self) -> None:
        for bot in self.client.dca_bots.iter(limit=2):
            repr(bot)

    def poll_watch(self) -> None:
        self.turn += 1
        self.client.dca_bots.edit(41, cooldown=self.turn % 100)
        for change in self.watch.poll():
            repr((change.fields, change.at, change))

    def plan(self) -> None:
        ladder = botdesk.plan_ladder(
            price=Decimal("2561.6"),
            tick="0.01",
            base_order_volume=80,
            safety_order_volume=30,
            max_safety_orders=3,
            safety_order_step_percentage=1,
        )
        repr((ladder, ladder.budget, [rung.price for rung in ladder]))
        ladder._repr_html_()

    def read_attributes(self) -> None:
        for name in dir(self.bot):
            if not name.startswith("_"):
                getattr(self.bot, name)
        repr((self.bots, self.bot, self.bot.to_dict(), hash(self.bot)))

    def make_table(self) -> None:
        self.bots.to_arrow(decimals="text")
        self.bots.to_arrow()

    def request(self) -> None:
        body = {"a": [1, Decimal("1.5"), "x", None, True, {"b": (1, 2)}]}
        self.client.sign("POST", "/ver1/bots", json=body)
        self.client.request("GET", "/ver1/bots", query={"limit": 1, "scope": ["enabled"]}).json()

    def call_hooks(self) -> None:
        self.with_hooks.dca_bots.get(41)

    def change_sandbox(self) -> None:
        self.sandbox.set_price("USDT_ETH", Decimal("2561.66"))
        self.sandbox.clock.advance(timedelta(seconds=1))
        self.sandbox.clock.advance(0.5)
        with suppress(botdesk.ValidationError):
            self.sandbox.clock.set(datetime(2020, 1, 1, tzinfo=UTC))

    def set_options(self) -> None:
        limit = botdesk.RateLimit(100, per=60)
        self.client.with_options(timeout=3, retries=2, rate_limit=limit, wait=True, max_body=1_000_000)

    def take_numbers(self) -> None:
        self.client.sign("POST", "/ver1/bots", json=[Number(1), Number(2)])
        self.sandbox.clock.advance(Number(1))  # type: ignore[arg-type]

    def run_coroutines(self) -> None:
        # An interrupted loop may hold the end of its last coroutine, which would end the next one, and `asyncio.run`
        # would wait for tasks that lost what wakes them.
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(self._coroutines())
        finally:
            loop.close()

    async def _coroutines(self) -> None:
        await self.client.dca_bots.get_async(41)
        await self.client.dca_bots.edit_many_async(self.ids[:1], cooldown=60)
        async for bot in self.client.dca_bots.iter_async(limit=2):
            repr(bot)


def lost_at_each_moment(step: Callable[[], None]) -> tuple[int, Counter[str]]:
    """Interrupt a step at each line of Python code that it runs; return the number of interrupts and the lost ones."""
    lost = Counter[str]()
    for moment in range(1, sys.maxsize):
        where = _interrupt_at(step, moment)
        if where is None:
            return moment - 1, lost
        if where:
            lost[where] += 1
    raise AssertionError


def _interrupt_at(step: Callable[[], None], moment: int) -> str | None:
    """Interrupt a step at a line; return its place if the interrupt was lost, or None if the step ends before."""
    lines = 0
    where = None

    def trace(frame: FrameType, event: str, _: object) -> Any:  # noqa: ANN401
        nonlocal lines, where
        # asyncio runs hundreds of lines between the calls of botdesk.
        lines += event in ("call", "line") and not frame.f_code.co_filename.startswith(ASYNCIO)
        if lines == moment and where is None:
            where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
            raise KeyboardInterrupt
        return trace

    try:
        sys.settrace(trace)
        step()
    except KeyboardInterrupt:
        return ""
    except Exception as error:
        if where is None:
            raise
        return f"{where}, then {type(error).__name__}"
    finally:
        sys.settrace(None)
    return where


def main(name: str, count: int) -> None:
    """Interrupt the step of that name once at each line, and `count` times at random moments."""
    # With `logging` imported, each call checks if the logger is enabled.
    logging.basicConfig(level=logging.ERROR)
    # Python only prints what a destructor raises.
    gc.disable()
    with botdesk.Sandbox(bots=3) as sandbox:
        step = getattr(Steps(sandbox), name)
        step()
        found = [lost_at_each_moment(step)]
        if count:
            found.append((count, RandomMoments().lost(step, count)))
    print(json.dumps([[interrupts, list(lost)] for interrupts, lost in found]))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
