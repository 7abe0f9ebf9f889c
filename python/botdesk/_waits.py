"""Waiting for the end of what a write begins: the methods `wait_…` of `_methods.py` call these functions."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._invalid import invalid
from botdesk.errors import BotdeskError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from botdesk._api.dca_bots import DcaBot
    from botdesk._api.deals import Deal

# A record waits this many times longer between two reads than before, up to the longest pause in seconds.
_FACTOR = 1.5
_LONGEST_PAUSE = 15.0

# The status of a take-profit step whose order is at the market.
_CLOSING = "Panic closing"


class End(NamedTuple):
    """An end that a write leads to."""

    # The method that waits for it.
    method: str
    # Returns what is not over yet, in words; an empty text at the end.
    left: Callable[[Any], str]


def _left_of_deal(deal: Deal) -> str:
    return "" if deal.finished else f"deal {deal.id} is still {deal.status}"


def _left_of_steps(deal: Deal) -> str:
    closing = [step.id for step in deal.take_profit_steps or [] if step.status == _CLOSING]
    return "" if deal.finished or not closing else f"step {closing[0]} of deal {deal.id} is still {_CLOSING!r}"


def _open_deals(bot: DcaBot) -> set[int]:
    return {deal.id for deal in bot.active_deals or [] if deal.id is not None and not deal.finished}


CLOSED = End("wait_closed", _left_of_deal)
STEPS_CLOSED = End("wait_steps_closed", _left_of_steps)


def deals_closed(bot: Any) -> End:  # noqa: ANN401
    """Return the end of the deals that a bot has now; those that it opens later do not matter.

    Records of a list have no deals; then those of the first read are waited for.
    """
    now = None if bot.active_deals is None else _open_deals(bot)

    def left(read: DcaBot) -> str:
        nonlocal now
        found = _open_deals(read)
        now = found if now is None else now
        still = len(now & found)
        return f"{still} of {len(now)} deals of bot {bot.id} are still open" if still else ""

    return End("wait_deals_closed", left)


def wait(record: Any, end: End, timeout: float, every: float) -> Any:  # noqa: ANN401
    """Read a record until the end has come."""
    pauses = Pauses(end, timeout, every)
    with _noted(end):
        while left := end.left(record := record.refresh()):
            time.sleep(pauses.next(left))
    return record


async def wait_async(record: Any, end: End, timeout: float, every: float) -> Any:  # noqa: ANN401, ASYNC109
    """Read a record until the end has come."""
    import asyncio  # noqa: PLC0415 - its import takes long

    pauses = Pauses(end, timeout, every)
    with _noted(end):
        while left := end.left(record := await record.refresh_async()):  # noqa: ASYNC110 - the service has no event
            await asyncio.sleep(pauses.next(left))
    return record


@contextmanager
def _noted(end: End) -> Generator[None]:
    """Say of an error that a read has failed: the write before it may look undone."""
    try:
        yield
    except BotdeskError as error:
        again = f"call {end.method}() again to wait longer"
        error.add_note(f"a read failed, which says nothing about the write before it; {again}")
        raise


class Pauses:
    """The pauses between the reads of a record."""

    def __init__(self, end: End, timeout: float, every: float) -> None:
        """Begin to wait at most this long, with this first pause."""
        for name, value in (("timeout", timeout), ("every", every)):
            if not value > 0:
                raise invalid(name, f"must be greater than 0, not {value}")
        self._end, self._timeout, self._pause = end, timeout, every
        self._ends = time.monotonic() + timeout

    def next(self, left: str) -> float:
        """Return the next pause in seconds; the time may be over."""
        remaining = self._ends - time.monotonic()
        if remaining <= 0:
            raise TimeoutError(f"{left} after {self._timeout:g} s; call {self._end.method}() again to wait longer")
        pause = min(self._pause, remaining)
        self._pause = min(self._pause * _FACTOR, max(_LONGEST_PAUSE, self._pause))
        return pause
