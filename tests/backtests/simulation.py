"""Backtests of DCA bots in exact fractions, written from the rules alone.

It shares no code with botdesk and looks at every visited price of every deal, so it is slow and easy to check. The
rules are those of the reference: a candle is four points; between the points of a candle the price moves and every
price at which something happens is visited, from a candle to the next one it jumps.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HUNDRED = 100
STATUS = {
    "take_profit": "completed",
    "trailing": "completed",
    "stop_loss": "stop_loss_finished",
    "timeout": "timeout",
}


@dataclass(frozen=True)
class Settings:
    """Settings of a bot and of its market: percentages in percent, fee and slippage as fractions, times in seconds."""

    base_volume: Fraction
    pairs: tuple[str, ...] = ("",)
    short: bool = False
    base_in_coins: bool = False
    market_start: bool = False
    safety_volume: Fraction = Fraction(0)
    safety_in_coins: bool = False
    safety_orders: int = 0
    active_safety_orders: int | None = None
    step: Fraction = Fraction(0)
    step_coefficient: Fraction = Fraction(1)
    volume_coefficient: Fraction = Fraction(1)
    custom_steps: tuple[tuple[Fraction, Fraction], ...] = ()
    take_profit: Fraction = Fraction(0)
    take_profit_of_base: bool = False
    take_profit_steps: tuple[tuple[Fraction, Fraction], ...] = ()
    trailing: Fraction | None = None
    stop_loss: Fraction = Fraction(0)
    stop_loss_timeout: int | None = None
    stop_loss_trails: bool = False
    stop_loss_disables: bool = False
    break_even: int | None = None
    cooldown: int = 0
    start_delay: int = 0
    deal_timeout: int | None = None
    max_deals: int = 1
    max_deals_of_pair: int = 1
    max_deals_opened: int | None = None
    min_price: Fraction | None = None
    max_price: Fraction | None = None
    nonstop: bool = True
    fee: Fraction = Fraction(0)
    slippage: Fraction = Fraction(0)
    tick: Fraction = Fraction(1, 100)
    lot: Fraction = Fraction(1, 10**8)


@dataclass(frozen=True)
class Candle:
    """A candle, whose time is that of its open, in milliseconds."""

    time: int
    open: Fraction
    high: Fraction
    low: Fraction
    close: Fraction


@dataclass(frozen=True)
class Point:
    """A price of a pair, and whether the price moves or jumps to it."""

    time: int
    pair: int
    price: Fraction
    moves: bool
    signal: bool = False


@dataclass(frozen=True)
class Order:
    """A filled order; `deal` counts from 1."""

    deal: int
    time: int
    kind: str
    price: Fraction
    quantity: Fraction

    @property
    def entry(self) -> bool:
        """Return True if the order opened a deal or enlarged it."""
        return self.kind in ("base_order", "safety_order")


@dataclass
class Deal:
    """A deal and what it waits for. Prices are as quoted, without the commission."""

    number: int
    pair: int
    opened_at: int
    best: Fraction
    entries: list[Order] = field(default_factory=list[Order])
    exits: list[Order] = field(default_factory=list[Order])
    status: str = "open"
    closed_at: int | None = None
    trailing_best: Fraction | None = None
    stop_due: int | None = None
    step_prices: list[Fraction] = field(default_factory=list[Fraction])
    deepest: Fraction = Fraction(0)

    @property
    def is_open(self) -> bool:
        """Return True if a part of the deal is still held."""
        return self.status == "open"

    @property
    def quantity(self) -> Fraction:
        """The quantity of all entries."""
        return sum((order.quantity for order in self.entries), Fraction(0))

    @property
    def held(self) -> Fraction:
        """The quantity that is not yet sold."""
        return self.quantity - sum((order.quantity for order in self.exits), Fraction(0))


def points(
    candles: Sequence[Candle], pair: int, path: str, interval: int, signals: Sequence[int] = ()
) -> Iterator[Point]:
    """Turn candles into points, and mark the first one that is not before each signal."""
    waiting = sorted(signals)
    for candle in candles:
        low_first = path == "low_first" or (path == "nearest" and candle.open - candle.low <= candle.high - candle.open)
        extremes = (candle.low, candle.high) if low_first else (candle.high, candle.low)
        for quarter, price in enumerate((candle.open, *extremes, candle.close)):
            time = candle.time + interval * quarter // 4
            due = [signal for signal in waiting if signal <= time]
            del waiting[: len(due)]
            yield Point(time, pair, price, quarter > 0, bool(due))


class Simulation:
    """One bot over the candles of its pairs."""

    def __init__(self, settings: Settings) -> None:
        """Begin without a deal."""
        self.settings = settings
        self.side = -1 if settings.short else 1
        self.entry_rate = 1 + self.side * settings.fee
        self.exit_rate = 1 - self.side * settings.fee
        self.deals: list[Deal] = []
        self.orders: list[Order] = []
        self.enabled = True
        self.prices: dict[int, Fraction] = {}
        self.pending: dict[int, int] = {}
        self.pauses: dict[int, int] = {}
        self.events: dict[str, int] = {}

    def run(self, history: Sequence[Point]) -> None:
        """Go through all points, those of one time in the order of the bot's pairs."""
        for point in sorted(history, key=lambda point: (point.time, point.pair)):
            self.fire_timers(point.time)
            for price in self.visited(point):
                self.visit(point.pair, price, point.time)
            if point.signal:
                self.ask(point.pair, point.time)

    def note(self, event: str) -> None:
        """Count an event, so that a comparison can say what its cases covered."""
        self.events[event] = self.events.get(event, 0) + 1

    # Prices, seen from the deal: "against" it is down for a long one and up for a short one.

    def passed_against(self, price: Fraction, trigger: Fraction) -> bool:
        """Return True if a price that goes against the deal has reached the trigger."""
        return (price - trigger) * self.side <= 0

    def against(self, price: Fraction) -> Fraction:
        """Round to the tick, away from the deal."""
        ticks = price / self.settings.tick
        return self.settings.tick * (ceil(ticks) if self.settings.short else floor(ticks))

    def in_favour(self, price: Fraction) -> Fraction:
        """Round to the tick, towards the profit of the deal."""
        ticks = price / self.settings.tick
        return self.settings.tick * (floor(ticks) if self.settings.short else ceil(ticks))

    def whole_lots(self, quantity: Fraction) -> Fraction:
        """Round a quantity up to the lot."""
        return self.settings.lot * ceil(quantity / self.settings.lot)

    def percent_against(self, price: Fraction, percent: Fraction) -> Fraction:
        """The price that is so much worse for the deal."""
        return price * (1 - self.side * percent / HUNDRED)

    # What a deal waits for

    def base_price(self, deal: Deal) -> Fraction:
        """Price of the base order, with its commission."""
        return deal.entries[0].price * self.entry_rate

    def volume(self, deal: Deal) -> Fraction:
        """Volume of all entries, with their commission."""
        return sum((order.quantity * order.price for order in deal.entries), Fraction(0)) * self.entry_rate

    def next_safety_order(self, deal: Deal) -> tuple[Fraction, Fraction] | None:
        """Price and quantity of the next safety order, if there is one that can be placed."""
        settings, number = self.settings, len(deal.entries)
        if deal.step_prices or deal.trailing_best is not None or settings.active_safety_orders == 0:
            return None
        if number > settings.safety_orders or (settings.custom_steps and number > len(settings.custom_steps)):
            return None
        if settings.custom_steps:
            deviation, volume = settings.custom_steps[number - 1]
            exact = self.base_price(deal) * (1 + deviation / HUNDRED)
        else:
            deviation = settings.step * sum((settings.step_coefficient**power for power in range(number)), Fraction(0))
            volume = settings.safety_volume * settings.volume_coefficient ** (number - 1)
            exact = self.percent_against(self.base_price(deal), deviation)
        price = self.against(exact)
        if price <= 0:
            return None
        return price, self.whole_lots(volume if settings.safety_in_coins else volume / price)

    def target(self, deal: Deal, percent: Fraction) -> Fraction | None:
        """Price at which the deal has earned so many percent."""
        earned = self.side * percent / HUNDRED
        if self.settings.take_profit_of_base:
            volume = self.volume(deal) + earned * self.base_price(deal) * deal.entries[0].quantity
        else:
            volume = self.volume(deal) * (1 + earned)
        price = self.in_favour(volume / (deal.quantity * self.exit_rate))
        return price if price > 0 else None

    def targets(self, deal: Deal) -> list[tuple[Fraction, Fraction]]:
        """Price and quantity of the take-profit orders that stand; that of a trailing one is where it starts."""
        if not self.settings.take_profit_steps:
            price = self.target(deal, self.settings.take_profit) if self.settings.take_profit else None
            return [] if price is None or deal.trailing_best is not None else [(price, deal.held)]
        result: list[tuple[Fraction, Fraction]] = []
        left = deal.held
        steps = self.settings.take_profit_steps
        for index, (amount, percent) in enumerate(steps):
            if index < len(deal.step_prices):
                continue
            lots = floor(deal.quantity * amount / HUNDRED / self.settings.lot)
            quantity = left if index == len(steps) - 1 else min(left, lots * self.settings.lot)
            left -= quantity
            price = self.target(deal, percent)
            if price is not None:
                result.append((price, quantity))
        return result

    def stop(self, deal: Deal) -> Fraction | None:
        """Trigger of the stop loss, not rounded."""
        settings = self.settings
        if not settings.stop_loss:
            return None
        start = self.base_price(deal)
        level = self.percent_against(start, settings.stop_loss)
        if settings.stop_loss_trails and not self.passed_against(deal.best, start):
            level = self.percent_against(deal.best, settings.stop_loss)
        if settings.break_even is not None and deal.step_prices:
            moved = min(len(deal.step_prices) - 1, settings.break_even)
            even = start if moved == 0 else deal.step_prices[moved - 1]
            level = level if self.passed_against(even, level) else even
        return level

    def break_even(self, deal: Deal) -> Fraction:
        """Price at which closing the deal earns nothing, rounded to the tick away from the deal."""
        return self.against(self.volume(deal) / (deal.quantity * self.exit_rate))

    def trailing_trigger(self, deal: Deal) -> Fraction | None:
        """Price to which the price must fall from its best, not rounded."""
        if deal.trailing_best is None or self.settings.trailing is None:
            return None
        return self.percent_against(deal.trailing_best, self.settings.trailing)

    # Moves

    def open_deals(self, pair: int | None = None) -> list[Deal]:
        """Open deals, in the order in which they were opened."""
        return [deal for deal in self.deals if deal.is_open and pair in (None, deal.pair)]

    def visited(self, point: Point) -> Iterator[Fraction]:
        """Prices of a pair on the way to a point, as they become known, the point last."""
        before = self.prices.get(point.pair)
        while point.moves and before is not None:
            way = point.price - before
            triggers = (
                price
                for deal in self.open_deals(point.pair)
                for price in (self.triggers(deal) if way * self.side < 0 else dict(self.targets(deal)))
            )
            between = [price for price in triggers if abs(price - before) < abs(way) and (price - before) * way > 0]
            if not between:
                break
            before = min(between) if way > 0 else max(between)
            yield before
        yield point.price

    def triggers(self, deal: Deal) -> list[Fraction]:
        """Prices at which something happens to a deal as the price goes against it."""
        order, stop, trailing = self.next_safety_order(deal), self.stop(deal), self.trailing_trigger(deal)
        result = [] if order is None else [order[0]]
        if stop is not None and not self.passed_against(self.prices[deal.pair], stop):
            result.append(self.against(stop))
        if trailing is not None:
            result += [self.against(trailing), self.break_even(deal)]
        return result

    def visit(self, pair: int, price: Fraction, time: int) -> None:
        """Do all that happens at a price, a new deal of a bot that never waits included."""
        self.prices[pair] = price
        for deal in self.open_deals(pair):
            self.visit_deal(deal, price, time)
        if self.settings.nonstop:
            self.ask(pair, time)

    def visit_deal(self, deal: Deal, price: Fraction, time: int) -> None:
        """Let a price act on a deal: trailing, safety orders, the stop loss, then take profits."""
        if (deal.best - price) * self.side < 0:
            deal.best = price
        if deal.trailing_best is not None:
            self.trail(deal, price, time)
        while deal.is_open:
            self.fill_safety_orders(deal, price, time)
            self.check_stop(deal, price, time)
            reached = [target for target in self.targets(deal) if (price - target[0]) * self.side >= 0]
            # `check_stop` may have closed the deal.
            if deal.closed_at is not None or not reached:
                break
            if self.settings.trailing is not None and not self.settings.take_profit_steps:
                deal.trailing_best = price
                self.note("trailing starts")
                break
            for target in reached:
                self.fill_step(deal, target, time)
        self.measure(deal, price)

    def fill_step(self, deal: Deal, target: tuple[Fraction, Fraction], time: int) -> None:
        """Fill the next take-profit order at its own price."""
        deal.step_prices.append(target[0])
        if target[1]:
            self.fill(deal, "take_profit", target[0], target[1], time)
        if not deal.held:
            self.finish(deal, "take_profit", time)

    def trail(self, deal: Deal, price: Fraction, time: int) -> None:
        """Follow the price, sell above break-even, or give up at it."""
        trigger, best = self.trailing_trigger(deal), deal.trailing_best
        if trigger is None or best is None:
            return
        fallen = self.passed_against(price, trigger)
        earned = (deal.held * price * self.exit_rate - self.volume(deal)) * self.side
        if self.passed_against(price, self.break_even(deal)) or (fallen and earned <= 0):
            deal.trailing_best = None
            self.note("trailing ends at break-even")
        elif fallen:
            self.close(deal, "trailing", price, time)
        elif (price - best) * self.side > 0:
            deal.trailing_best = price

    def fill_safety_orders(self, deal: Deal, price: Fraction, time: int) -> int:
        """Fill the safety orders that the price has reached and that do not lie behind the stop loss."""
        filled = 0
        while True:
            order, stop = self.next_safety_order(deal), self.stop(deal)
            if order is None or not self.passed_against(price, order[0]):
                return filled
            if stop is not None and self.settings.stop_loss_timeout is None and (order[0] - stop) * self.side < 0:
                return filled
            self.fill(deal, "safety_order", *order, time)
            filled += 1

    def check_stop(self, deal: Deal, price: Fraction, time: int) -> None:
        """Close the deal at its stop loss, or begin to wait, or stop waiting."""
        stop = self.stop(deal)
        if stop is None or not self.passed_against(price, stop):
            if deal.stop_due is not None:
                self.note("stop loss recovers")
            deal.stop_due = None
        elif self.settings.stop_loss_timeout is None:
            self.close(deal, "stop_loss", price, time)
        elif deal.stop_due is None:
            deal.stop_due = time + self.settings.stop_loss_timeout * 1000

    # Orders, starts and ends

    def fill(self, deal: Deal, kind: str, price: Fraction, quantity: Fraction, time: int) -> None:
        """Note a filled order."""
        if deal.entries:
            self.measure(deal, price)
        if deal.entries and time == deal.opened_at and kind == "safety_order":
            self.measure(deal, self.prices[deal.pair])
        order = Order(deal.number, time, kind, price, quantity)
        (deal.entries if order.entry else deal.exits).append(order)
        self.orders.append(order)

    def close(self, deal: Deal, kind: str, price: Fraction, time: int) -> None:
        """Close what is left of a deal with a market order."""
        if kind == "stop_loss" and self.settings.stop_loss_disables:
            self.enabled = False
        slipped = self.percent_against(price, self.settings.slippage * HUNDRED)
        price = self.against(slipped) if self.settings.slippage else price
        self.fill(deal, kind, price, deal.held, time)
        self.finish(deal, kind, time)

    def finish(self, deal: Deal, kind: str, time: int) -> None:
        """End a deal; the pause of its pair begins."""
        deal.status, deal.closed_at = STATUS[kind], time
        if self.settings.cooldown:
            self.pauses[deal.pair] = time + self.settings.cooldown * 1000

    def may_open(self, pair: int, time: int) -> bool:
        """Return True if a deal may open on a pair now."""
        settings, price = self.settings, self.prices[pair]
        return (
            self.enabled
            and len(self.open_deals()) < settings.max_deals
            and len(self.open_deals(pair)) < settings.max_deals_of_pair
            and (settings.min_price is None or price >= settings.min_price)
            and (settings.max_price is None or price <= settings.max_price)
            and self.pauses.get(pair, time) <= time
        )

    def ask(self, pair: int, time: int) -> None:
        """Ask for a deal, as a signal does."""
        if pair in self.pending or not self.may_open(pair, time):
            return
        if self.settings.start_delay:
            self.pending[pair] = time + self.settings.start_delay * 1000
        else:
            self.open(pair, time)

    def open(self, pair: int, time: int) -> None:
        """Open a deal at the price of the moment."""
        settings, price = self.settings, self.prices[pair]
        deal = Deal(len(self.deals) + 1, pair, time, price)
        fill_price = price
        if settings.market_start and settings.slippage:
            fill_price = self.in_favour(price * (1 + self.side * settings.slippage))
        quantity = self.whole_lots(
            settings.base_volume if settings.base_in_coins else settings.base_volume / fill_price
        )
        self.fill(deal, "base_order", fill_price, quantity, time)
        self.measure(deal, price)
        self.deals.append(deal)
        if settings.max_deals_opened is not None and len(self.deals) >= settings.max_deals_opened:
            self.enabled = False
        if self.fill_safety_orders(deal, price, time):
            self.note("safety orders filled at once")
            self.measure(deal, price)

    def fire_timers(self, now: int) -> None:
        """Fire all timers that are due, each at its own time and at the price of the point before."""
        while True:
            times = [time for deal in self.open_deals() if (time := self.closes_at(deal)) is not None]
            times += [*self.pending.values(), *self.pauses.values()]
            if not times or min(times) > now:
                return
            self.fire(min(times))

    def closes_at(self, deal: Deal) -> int | None:
        """The time at which the deal's timeout or that of its stop loss is due."""
        times = [] if deal.stop_due is None else [deal.stop_due]
        if self.settings.deal_timeout is not None:
            times.append(deal.opened_at + self.settings.deal_timeout * 1000)
        return min(times, default=None)

    def fire(self, time: int) -> None:
        """Fire the timers of one time: ends of deals, then of each pair its pending start and the end of its pause."""
        ended: set[int] = set()
        for deal in self.open_deals():
            if self.closes_at(deal) == time:
                ended.add(deal.pair)
                kind = "stop_loss" if deal.stop_due == time else "timeout"
                self.close(deal, kind, self.prices[deal.pair], time)
        for pair in range(len(self.settings.pairs)):
            if self.settings.nonstop and pair in ended:
                self.ask(pair, time)
            if self.pending.get(pair) == time:
                del self.pending[pair]
                if self.may_open(pair, time):
                    self.open(pair, time)
            if self.pauses.get(pair) == time:
                del self.pauses[pair]
                if self.settings.nonstop:
                    self.ask(pair, time)

    # Figures

    def measure(self, deal: Deal, price: Fraction) -> None:
        """Remember how far a deal has been under water, in percent of its volume."""
        deal.deepest = min(deal.deepest, self.profit(deal, price) / self.volume(deal) * HUNDRED)

    def profit(self, deal: Deal, price: Fraction | None = None) -> Fraction:
        """Profit of a deal, what is still held at a price or the last one, with the fee of both."""
        left = deal.held * (self.prices[deal.pair] if price is None else price)
        out = sum((order.quantity * order.price for order in deal.exits), left) * self.exit_rate
        return (out - self.volume(deal)) * self.side


def simulate(
    settings: Settings,
    candles: Mapping[str, Sequence[Candle]],
    *,
    path: str = "nearest",
    signals: Mapping[str, Sequence[int]] | None = None,
    window: tuple[int | None, int | None] = (None, None),
) -> Simulation:
    """Run a bot over the candles of its pairs.

    `signals` are times at which each pair is asked for a deal; without them the bot never waits. Candles from the start
    of the window on, and before its end, count. The result has the deals, and the orders as they filled.
    """
    start, end = window
    simulation = Simulation(replace(settings, nonstop=signals is None))
    history: list[Point] = []
    for index, pair in enumerate(settings.pairs):
        rows = candles[pair]
        interval = min((after.time - before.time for before, after in pairwise(rows)), default=60_000)
        counted = [row for row in rows if (start is None or row.time >= start) and (end is None or row.time < end)]
        times = (signals or {}).get(pair, ())
        history += points(counted, index, path, interval, [time for time in times if start is None or time >= start])
    simulation.run(history)
    return simulation
