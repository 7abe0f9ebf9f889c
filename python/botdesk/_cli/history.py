"""Candles, played through the market of a sandbox."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from botdesk._cli import output

if TYPE_CHECKING:
    from datetime import datetime

    from botdesk import Candles, MarketEvent, Sandbox


def play(sandbox: Sandbox, candles: Candles, pair: str | None, speed: float, *, as_json: bool) -> None:
    """Play candles, and print each event. One second of wall time is `speed` seconds of candles."""
    begin: tuple[datetime, float] | None = None
    for moment in sandbox.play(candles, pair):
        first, started = begin = begin or (moment.time, time.monotonic())
        due = started + (moment.time - first).total_seconds() / speed
        time.sleep(max(0, due - time.monotonic()))
        for event in moment.events:
            if as_json:
                output.print_json(event.to_dict())
            else:
                output.print_lines(_line(event))


def _line(event: MarketEvent) -> str:
    deal = "" if event.deal_id is None else f"deal {event.deal_id} "
    if event.kind == "order_filled":
        number = "" if event.number is None else f" {event.number}"
        what = f"{event.order}{number}: {event.side} {event.quantity} at {event.price}"
    else:
        what = event.kind.rpartition("_")[2] + (f": {event.reason}" if event.reason else "")
    pair = f" {event.pair}" if event.pair else ""
    return f"{event.time:%Y-%m-%d %H:%M:%S}  bot {event.bot_id}{pair}  {deal}{what}"
