"""Backtests of grid bots in exact fractions, written from the rules alone.

It shares no code with botdesk. It keeps, for the gap above each line, the step that is open there, and a ledger of
money, so that every figure is counted in another way than in the engine.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownVariableType=false

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BUY, SELL = "buy", "sell"


@dataclass(frozen=True)
class Grid:
    """Settings of a bot and of its market. Fee and slippage are fractions."""

    lower: Fraction
    upper: Fraction
    lines: int
    geometric: bool
    quantity: Fraction
    in_quote: bool
    # None on a spot account, where a grid is long.
    mode: str | None = None
    trails_up: bool = False
    trails_down: bool = False
    grows_up_to: Fraction | None = None
    grows_down_to: Fraction | None = None
    lower_stop: tuple[Fraction, str] | None = None
    upper_stop: tuple[Fraction, str] | None = None
    fee: Fraction = Fraction(0)
    slippage: Fraction = Fraction(0)
    tick: Fraction = Fraction(1, 100)
    lot: Fraction = Fraction(1, 10**8)

    @property
    def direction(self) -> str:
        return self.mode or "long"

    def prices(self) -> list[Fraction]:
        """Return the prices of the lines at the start, each at the nearest tick."""
        gaps = self.lines - 1
        if not self.geometric:
            exact = [self.lower + (self.upper - self.lower) * index / gaps for index in range(self.lines)]
        else:
            with localcontext() as context:
                context.prec = 60
                ratio = (decimal(self.upper / self.lower).ln() / gaps).exp()
                exact = [Fraction(decimal(self.lower) * ratio**index) for index in range(gaps)] + [self.upper]
        return [floor(price / self.tick + Fraction(1, 2)) * self.tick for price in exact]


def decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


@dataclass(frozen=True)
class Order:
    """A filled order."""

    time: int
    side: str
    kind: str
    price: Fraction
    quantity: Fraction


@dataclass
class GridSimulation:
    """A bot that lives through candles."""

    grid: Grid
    start: Fraction
    time: int = 0
    orders: list[Order] = field(default_factory=list)
    # What was earned by closed steps and by market orders that ended a step, less all fees.
    realized: Fraction = Fraction(0)
    money: Fraction = Fraction(0)
    held: Fraction = Fraction(0)
    # What was paid for what is held, less what was received for what is owed. Only futures need it.
    cost: Fraction = Fraction(0)
    fees: Fraction = Fraction(0)
    enabled: bool = True
    moves: int = 0
    last: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        self.lines = self.grid.prices()
        self.lower, self.upper = self.grid.lower, self.grid.upper
        self.quantities = [self.size(price) for price in self.lines]
        # The lower one of two lines that are as near.
        self.null = min(range(len(self.lines)), key=lambda index: abs(self.lines[index] - self.start))
        # The side of the order that opened the step between a line and the next one.
        gaps = range(len(self.lines) - 1)
        opened = {"long": lambda gap: gap >= self.null, "short": lambda gap: gap < self.null}
        side = {"long": BUY, "short": SELL}.get(self.grid.direction)
        self.steps = [side if side and opened[self.grid.direction](gap) else None for gap in gaps]
        needed = {
            "long": sum(self.quantities[self.null + 1 :], Fraction()),
            "short": sum(self.quantities[: self.null], Fraction()),
            "reversal": Fraction(),
        }[self.grid.direction]
        price = self.start
        if side and needed:
            price = self.market_price(side, self.start) if self.grid.slippage else self.best_price(side)
            self.fill(side, "balancing_order", price, needed)
        self.invested = self.investment(price)

    def size(self, price: Fraction) -> Fraction:
        quantity = self.grid.quantity / price if self.grid.in_quote else self.grid.quantity
        return floor(quantity / self.grid.lot) * self.grid.lot

    def funds(self, index: int) -> Fraction:
        """Return what the order at a line costs in the quote currency."""
        return self.grid.quantity if self.grid.in_quote else self.lines[index] * self.quantities[index]

    def investment(self, price: Fraction) -> Fraction:
        buys, sells = range(self.null), range(self.null + 1, len(self.lines))
        if self.grid.direction == "long":
            return sum(map(self.funds, buys), Fraction()) + price * sum(
                (self.quantities[index] for index in sells), Fraction()
            )
        if self.grid.direction == "short":
            return sum(map(self.funds, sells), Fraction()) + price * sum(
                (self.quantities[index] for index in buys), Fraction()
            )
        return sum(map(self.funds, [*buys, *sells]), Fraction())

    def best_price(self, side: str) -> Fraction:
        price = self.start - self.grid.tick if side == BUY else self.start + self.grid.tick
        return price if price > 0 else self.start

    def market_price(self, side: str, price: Fraction) -> Fraction:
        if not self.grid.slippage:
            return price
        if side == BUY:
            return ceil(price * (1 + self.grid.slippage) / self.grid.tick) * self.grid.tick
        return floor(price * (1 - self.grid.slippage) / self.grid.tick) * self.grid.tick

    def fill(self, side: str, kind: str, price: Fraction, quantity: Fraction) -> None:
        sign = 1 if side == BUY else -1
        if self.grid.mode:
            self.realized += self.earned_from_entry(sign, price, quantity)
        else:
            self.cost += sign * quantity * price
        fee = price * quantity * self.grid.fee
        self.held += sign * quantity
        self.money -= sign * quantity * price + fee
        self.realized -= fee
        self.fees += fee
        self.orders.append(Order(self.time, side, kind, price, quantity))

    def earned_from_entry(self, sign: int, price: Fraction, quantity: Fraction) -> Fraction:
        """Return what an order on futures earns: each unit of the position has cost the same."""
        against = -sign * self.held
        closed = max(min(quantity, against), Fraction(0))
        cost = round(self.cost * closed / against, 18) if closed else Fraction(0)
        self.cost += sign * (quantity - closed) * price - cost
        return -sign * closed * price - cost

    def close_step(self, gap: int, side: str, price: Fraction) -> bool:
        """Close the step in a gap by an order of a side at a price; return False if that order closes none."""
        opened = self.steps[gap]
        if opened is None or opened == side:
            return False
        opening = gap if opened == BUY else gap + 1
        if not self.grid.mode:
            profit = (price - self.lines[opening]) * self.quantities[opening]
            self.realized += profit if opened == BUY else -profit
        self.steps[gap] = None
        return True

    def trade(self, index: int, side: str) -> None:
        gap = index - 1 if side == SELL else index
        if not self.close_step(gap, side, self.lines[index]):
            self.steps[gap] = side
        self.null = index
        self.fill(side, "grid_line", self.lines[index], self.quantities[index])

    def reach(self, price: Fraction) -> None:
        """Do at a price all that there is to do."""
        if not self.enabled:
            return None
        while self.null + 1 < len(self.lines) and self.lines[self.null + 1] <= price:
            self.trade(self.null + 1, SELL)
        while self.null > 0 and self.lines[self.null - 1] >= price:
            self.trade(self.null - 1, BUY)
        for stop, is_reached in ((self.grid.lower_stop, price.__le__), (self.grid.upper_stop, price.__ge__)):
            if stop and is_reached(stop[0]):
                return self.end(stop[1], price)
        while price > self.lines[-1] and self.null == len(self.lines) - 1 and self.extend_up(price):
            self.moves += 1
        while price < self.lines[0] and self.null == 0 and self.extend_down(price):
            self.moves += 1
        return None

    def end(self, action: str, price: Fraction) -> None:
        self.enabled = False
        if action == "stop_bot_and_buy":
            paid = self.market_price(BUY, price)
            bought = floor(sum(map(self.funds, range(self.null)), Fraction()) / paid / self.grid.lot) * self.grid.lot
            if bought:
                self.fill(BUY, "stop_loss", paid, bought)
        elif action != "stop_bot":
            side = SELL if self.held > 0 else BUY
            if self.held:
                self.fill(side, "stop_loss", self.market_price(side, price), abs(self.held))
            self.realized = self.money

    def next_line(self, line: Fraction, *, is_up: bool) -> Fraction | None:
        """Return the price one step beyond a line, rounded to the tick towards the grid."""
        gaps, tick = len(self.lines) - 1, self.grid.tick
        if not self.grid.geometric:
            step = (self.upper - self.lower) / gaps
            price = floor((line + step) / tick) * tick if is_up else ceil((line - step) / tick) * tick
        else:
            # In whole numbers, which have no fractions to shorten.
            whole = 10**8
            lower, upper, at, unit = (int(price * whole) for price in (self.lower, self.upper, line, tick))
            most, least = at**gaps * upper, at**gaps * lower

            def is_within(ticks: int) -> bool:
                power = (ticks * unit) ** gaps
                return bool(power * lower <= most if is_up else power * upper >= least)

            # The line is within, and far beyond it is not.
            inside, outside = at // unit, at * upper // lower // unit + 1 if is_up else 0
            while abs(outside - inside) > 1:
                middle = (inside + outside) // 2
                inside, outside = (middle, outside) if is_within(middle) else (inside, middle)
            price = inside * tick
        if price <= 0 or price == line:
            return None
        return price

    def extend_up(self, at: Fraction) -> bool:
        price = self.next_line(self.lines[-1], is_up=True)
        grows = price is not None and self.grid.grows_up_to is not None and price <= self.grid.grows_up_to
        if price is None or not (grows or self.grid.trails_up):
            return False
        if not grows:
            market = self.market_price(BUY, at)
            if self.steps[0] == SELL:
                quantity = self.quantities[0]
                self.close_step(0, BUY, market)
                self.fill(BUY, "balancing_order", market, quantity)
            del self.lines[0], self.quantities[0], self.steps[0]
            self.lower = self.lines[0]
        self.lines.append(price)
        self.quantities.append(self.size(price))
        self.upper = price
        self.steps.append(None)
        self.join(at, len(self.lines) - 1, is_passed=price <= at, side=SELL, closes=self.grid.direction == "long")
        return True

    def extend_down(self, at: Fraction) -> bool:
        price = self.next_line(self.lines[0], is_up=False)
        grows = price is not None and self.grid.grows_down_to is not None and price >= self.grid.grows_down_to
        if price is None or not (grows or self.grid.trails_down):
            return False
        if not grows:
            market = self.market_price(SELL, at)
            if self.steps[-1] == BUY:
                quantity = self.quantities[-1]
                self.close_step(len(self.steps) - 1, SELL, market)
                self.fill(SELL, "balancing_order", market, quantity)
            del self.lines[-1], self.quantities[-1], self.steps[-1]
            self.upper = self.lines[-1]
        self.lines.insert(0, price)
        self.quantities.insert(0, self.size(price))
        self.lower = price
        self.steps.insert(0, None)
        self.join(at, 0, is_passed=price >= at, side=BUY, closes=self.grid.direction == "short")
        return True

    def join(self, at: Fraction, index: int, *, is_passed: bool, side: str, closes: bool) -> None:
        """Let the new line at an end take part."""
        inner = index - 1 if side == SELL else index + 1
        gap = index - 1 if side == SELL else index
        other = BUY if side == SELL else SELL
        self.null = index if is_passed else inner
        # A line that closes steps needs an open one; a line that opens them has opened one if the price passed it.
        opened = other if closes and not is_passed else side if not closes and is_passed else None
        if opened:
            self.steps[gap] = opened
            self.fill(opened, "balancing_order", self.market_price(opened, at), self.quantities[index])

    def events(self) -> Iterator[Fraction]:
        """Return all prices at which something may happen."""
        yield from self.lines
        yield from (stop[0] for stop in (self.grid.lower_stop, self.grid.upper_stop) if stop)
        yield (floor(self.lines[-1] / self.grid.tick) + 1) * self.grid.tick
        yield (ceil(self.lines[0] / self.grid.tick) - 1) * self.grid.tick

    def move(self, start: Fraction, end: Fraction) -> None:
        price = start
        while self.enabled:
            ahead = [at for at in self.events() if price < at < end or price > at > end]
            if not ahead:
                break
            price = min(ahead) if start < end else max(ahead)
            self.reach(price)
        self.reach(end)

    def unrealized(self, price: Fraction) -> Fraction:
        return self.money + self.held * price - self.realized


def simulate_grid(grid: Grid, candles: Iterable[tuple[int, list[Fraction]]], path: str) -> GridSimulation:
    """Run a bot over candles, each a time and its open, high, low and close."""
    rows = list(candles)
    length = min(after[0] - before[0] for before, after in pairwise(rows))
    simulation = GridSimulation(grid, rows[0][1][0], rows[0][0])
    price = rows[0][1][0]
    for time, (opened, high, low, closed) in rows:
        low_first = path == "low_first" or (path == "nearest" and opened - low <= high - opened)
        extremes = [low, high] if low_first else [high, low]
        simulation.time = time
        simulation.reach(opened)
        for quarter, point in enumerate([*extremes, closed], 1):
            previous = opened if quarter == 1 else price
            simulation.time = time + length * quarter // 4
            simulation.move(previous, point)
            price = point
    simulation.last = price
    return simulation
