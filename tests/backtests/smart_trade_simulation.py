"""Backtests of SmartTrades in exact fractions, written from the rules alone.

It shares no code with botdesk. Prices are integers of the smallest step, and the price takes every one of them on its
way from a point of a candle to the next, so that nothing needs to know where something happens.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Steps of the price in one unit of the quote currency.
STEPS = 100


@dataclass(frozen=True)
class Target:
    """A target at a price, or at a distance from the entry in percent."""

    price: int | None
    percent: Fraction | None
    share: Fraction
    market: bool
    trailing: Fraction | None


@dataclass(frozen=True)
class Stop:
    """A stop loss: a market order, or a limit order at its price."""

    trigger: int
    limit: int | None = None
    breakeven: bool = False
    timeout: int | None = None
    trails: bool = False


@dataclass(frozen=True)
class Settings:
    """A SmartTrade and its market. The fee and the slippage are fractions, the tick is in steps of the price."""

    short: bool
    units: Fraction
    # The limit price; None for a market order.
    limit: int | None = None
    trigger: int | None = None
    follow: Fraction | None = None
    held: bool = False
    leveraged: bool = False
    targets: tuple[Target, ...] = ()
    stop: Stop | None = None
    fee: Fraction = Fraction(0)
    slippage: Fraction = Fraction(0)
    tick: int = 1
    lot: Fraction = Fraction(1, 10**8)


@dataclass(frozen=True)
class Order:
    """A filled order."""

    time: int
    kind: str
    price: Fraction
    quantity: Fraction


@dataclass
class Open:
    """A target that waits."""

    target: Target
    price: int
    quantity: Fraction
    best: int | None = None
    # A limit order on the exchange. One that is reached when it is placed fills at the price of the moment.
    rests: bool = False


@dataclass
class Run:
    """The life of one SmartTrade."""

    given: Settings
    orders: list[Order] = field(default_factory=list[Order])
    status: str = "waiting_position"
    entered: Fraction = Fraction(0)
    paid: Fraction = Fraction(0)
    closed: Fraction = Fraction(0)
    earned: Fraction = Fraction(0)
    deepest: Fraction = Fraction(0)
    waiting: list[Open] = field(default_factory=list[Open])
    entry_best: int | None = None
    placed: bool = False
    stop_at: int | None = None
    stop_distance: Fraction = Fraction(0)
    stop_due: int | None = None
    stop_placed: bool = False
    price: int = 0
    average: int = 0

    @property
    def side(self) -> int:
        """1 for a long position, -1 for a short one."""
        return -1 if self.given.short else 1

    # Arithmetic

    def rounded(self, price: Fraction, up: bool) -> int:
        """Round a price in steps to the tick."""
        ticks = price / self.given.tick
        return self.given.tick * (ceil(ticks) if up else floor(ticks))

    def at_market(self, buys: bool) -> Fraction:
        """Price of a market order, in the quote currency."""
        if not self.given.slippage:
            return Fraction(self.price, STEPS)
        worse = self.price * (1 + self.given.slippage * (1 if buys else -1))
        return Fraction(self.rounded(worse, up=buys), STEPS)

    def lots(self, quantity: Fraction) -> Fraction:
        """Round a quantity down to the lot."""
        return self.given.lot * floor(quantity / self.given.lot)

    def profit(self, price: Fraction | None = None) -> Fraction:
        """Profit if what is open is closed at a price; None for the profit of what is closed."""
        rest = Fraction(0) if price is None else (self.entered - self.closed) * price
        rest *= 1 - self.side * self.given.fee
        return (self.earned + rest - self.paid) * self.side

    # Orders

    def fill(self, time: int, kind: str, price: Fraction, quantity: Fraction) -> None:
        """Note an order, and what it moves."""
        if quantity:
            self.orders.append(Order(time, kind, price, quantity))
        value, fee = price * quantity, self.given.fee
        if kind != "entry":
            self.measure(price)
            self.closed += quantity
            self.earned += value * (1 - self.side * fee)
        elif self.given.short:
            self.entered, self.paid = quantity, value * (1 - fee)
        elif self.given.leveraged:
            self.entered, self.paid = quantity, value * (1 + fee)
        else:
            self.entered, self.paid = quantity * (1 - fee), value
        self.measure(price)

    def measure(self, price: Fraction) -> None:
        """Note the loss at a price while something is open."""
        if self.entered and self.entered > self.closed and self.status in {"waiting_position", "waiting_targets"}:
            percent = Fraction(round(self.profit(price) / self.paid * 10_000), 100)
            self.deepest = min(self.deepest, percent)

    def enter(self, time: int, price: Fraction) -> None:
        """Fill the entry, and activate the targets."""
        self.fill(time, "entry", price, self.given.units)
        self.activate(self.rounded(self.paid / self.entered * STEPS, up=False))

    def activate(self, average: int) -> None:
        """Give each target its price and its quantity, and the stop loss its distance."""
        self.status, self.average = "waiting_targets", average
        for target in self.given.targets:
            price = target.price
            if price is None:
                assert target.percent is not None
                # A distance is measured from the average that is not rounded.
                exact = self.paid / self.entered * STEPS
                price = self.rounded(exact * (1 + self.side * target.percent / 100), up=False)
            self.waiting.append(Open(target, price, self.lots(self.entered * target.share / 100)))
        if self.waiting:
            self.waiting[0].quantity += self.lots(self.entered) - sum(each.quantity for each in self.waiting)
        if self.given.stop is not None:
            self.stop_at = self.given.stop.trigger
            # In percent, with eight decimal places.
            self.stop_distance = Fraction(floor(Fraction(abs(average - self.stop_at), average) * 10**10), 10**8)

    def end(self, status: str) -> None:
        """End with a status."""
        self.status = status
        self.waiting.clear()

    # Prices

    def visit(self, price: int, time: int) -> None:
        """Do all that happens at a price."""
        self.price = price
        if self.status == "waiting_position":
            self.visit_entry(time)
        for each in list(self.waiting):
            self.visit_target(each, time)
        if self.status == "waiting_targets" and self.given.stop is not None:
            self.visit_stop(self.given.stop, time)
        self.measure(Fraction(self.price, STEPS))

    def visit_entry(self, time: int) -> None:
        """Wait for the trigger, then for the turn, then for the limit."""
        given = self.given
        if not self.placed:
            if given.trigger is not None and self.entry_best is None and (self.price - given.trigger) * self.side < 0:
                return None
            if given.follow is not None:
                # A purchase follows the price down.
                best = self.price if self.entry_best is None else self.entry_best
                self.entry_best = min(best, self.price) if not given.short else max(best, self.price)
                turn = self.rounded(self.entry_best * (1 + self.side * given.follow / 100), up=not given.short)
                if (self.price - turn) * self.side < 0:
                    return None
            if given.limit is None:
                return self.enter(time, self.at_market(buys=not given.short))
            if (self.price - given.limit) * self.side <= 0:
                return self.enter(time, Fraction(self.price, STEPS))
            self.placed = True
            return None
        assert given.limit is not None
        if (self.price - given.limit) * self.side <= 0:
            self.enter(time, Fraction(given.limit, STEPS))
        return None

    def visit_target(self, each: Open, time: int) -> None:
        """Fill a target that is reached, or follow the price from it."""
        if self.status != "waiting_targets":
            return None
        reached, target = (self.price - each.price) * self.side >= 0, each.target
        if target.trailing is not None:
            if not reached and each.best is None:
                return None
            best = self.price if each.best is None else each.best
            each.best = max(best, self.price) if not self.given.short else min(best, self.price)
            turn = self.rounded(each.best * (1 - self.side * target.trailing / 100), up=self.given.short)
            if (self.price - turn) * self.side > 0:
                return None
            price, kind = self.at_market(buys=self.given.short), "trailing"
        elif not reached:
            each.rests = True
            return None
        else:
            limit = Fraction(each.price if each.rests else self.price, STEPS)
            price, kind = self.at_market(buys=self.given.short) if target.market else limit, "take_profit"
        self.waiting.remove(each)
        self.fill(time, kind, price, each.quantity)
        if not self.waiting or self.closed >= self.entered:
            return self.end("finished")
        stop = self.given.stop
        if stop is not None and stop.breakeven and not self.stop_placed:
            assert self.stop_at is not None
            nearer = max if not self.given.short else min
            self.stop_at = nearer(self.stop_at, self.average)
        return None

    def visit_stop(self, stop: Stop, time: int) -> None:
        """Move a trailing trigger, wait for the timeout, and close at the trigger or at the limit."""
        assert self.stop_at is not None
        if self.stop_placed:
            assert stop.limit is not None
            if (self.price - stop.limit) * self.side >= 0:
                self.stop_out(time, Fraction(stop.limit, STEPS))
            return
        if stop.trails and self.stop_distance:
            moved = self.rounded(self.price * (1 - self.side * self.stop_distance / 100), up=self.given.short)
            self.stop_at = max(self.stop_at, moved) if not self.given.short else min(self.stop_at, moved)
        passed = (self.price - self.stop_at) * self.side <= 0
        if not passed:
            # The price must stay beyond the trigger.
            self.stop_due = None
            return
        if stop.timeout is not None:
            if self.stop_due is None:
                self.stop_due = time + stop.timeout * 1000
                return
            if time < self.stop_due:
                return
            self.stop_due = None
        if stop.limit is None:
            self.stop_out(time, self.at_market(buys=self.given.short))
        elif (self.price - stop.limit) * self.side >= 0:
            self.stop_out(time, Fraction(self.price, STEPS))
        else:
            self.stop_placed = True

    def stop_out(self, time: int, price: Fraction) -> None:
        """Close what is left."""
        self.fill(time, "stop_loss", price, self.lots(self.entered - self.closed))
        self.end("stop_loss_finished")


def points(rows: Sequence[tuple[int, int, int, int, int]], path: str) -> list[tuple[int, int, bool]]:
    """Return the time and the price of each point of candles, and whether the price moves to it."""
    length = min((after[0] - before[0] for before, after in pairwise(rows)), default=0)
    found: list[tuple[int, int, bool]] = []
    for time, start, high, low, end in rows:
        low_first = {"low_first": True, "high_first": False}.get(path, start - low <= high - start)
        way = (start, low, high, end) if low_first else (start, high, low, end)
        found += [(time + length * quarter // 4, price, quarter > 0) for quarter, price in enumerate(way)]
    return found


def simulate(given: Settings, rows: Sequence[tuple[int, int, int, int, int]], path: str) -> Run:
    """Run a SmartTrade over candles of time, open, high, low and close."""
    run = Run(given)
    first = True
    for time, price, moves in points(rows, path):
        if run.stop_due is not None and run.stop_due <= time:
            run.visit(run.price, run.stop_due)
        if first and given.held:
            value = given.limit if given.limit is not None else price
            run.entered, run.paid = given.units, given.units * Fraction(value, STEPS)
            run.price = price
            run.activate(value)
        first = False
        way = range(run.price, price, 1 if price > run.price else -1)[1:] if moves else ()
        for between in way:
            run.visit(between, time)
        run.visit(price, time)
        if run.status not in {"waiting_position", "waiting_targets"}:
            break
    return run
