"""The plan of a SmartTrade: what its orders would be, and what it can lose and earn. Exact, and without requests."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._exact import DIVISION
from botdesk._invalid import invalid
from botdesk._text import trimmed
from botdesk.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from botdesk._api.markets import PairRates

_NOTHING = Decimal(0)
_WHOLE = Decimal(100)


class PlannedOrder(NamedTuple):
    """The entry of a SmartTrade.

    Attributes:
        price: The price; that of the market for a market order. For a conditional entry the trigger, or the price now
            if that has passed it; what a trailing one gets at worst.
        units: The quantity in the base currency, rounded down to the lot.
        total: The value in the quote currency.
        minimum: The smallest value of such an order; None if the service does not say.
    """

    price: Decimal
    units: Decimal
    total: Decimal
    minimum: Decimal | None


class PlannedTarget(NamedTuple):
    """A take-profit target, or the stop loss.

    Attributes:
        price: The price at which it is reached.
        exit: The price at which the order is counted: that of a limit order, or what a trailing target gets at worst.
        share: The part of the position, in percent.
        units: The quantity in the base currency, rounded down to the lot.
        total: The value in the quote currency.
        profit: The profit in the quote currency; negative for a loss.
        percent: The profit in percent of what that part cost.
        minimum: The smallest value of such an order; None if the service does not say.
    """

    price: Decimal
    exit: Decimal
    share: Decimal
    units: Decimal
    total: Decimal
    profit: Decimal
    percent: Decimal
    minimum: Decimal | None


class SmartTradePlan(NamedTuple):
    """What a SmartTrade would do: prices of orders, and amounts in the quote currency.

    Attributes:
        pair: The pair, as `<QUOTE>_<BASE>`.
        side: Side of the entry: `buy` or `sell`.
        entry: The entry; the position as it is if it is filled or skipped.
        targets: The take-profit targets that are open, in order.
        stop: The stop loss; None without one, and if its price is not known yet.
        risk: The loss at the stop loss; None without one.
        risk_percent: The same in percent of the value of the entry.
        account_risk: The same in percent of the free balance in the quote currency; None if there is none.
        reward: The profit if all targets are reached; None without targets.
        reward_percent: The same in percent of the value of the entry.
        ratio: Reward divided by risk; None without both.
        break_even: The price at which a close at once neither earns nor loses.
        available: The free balance in the quote currency.
        fee: The fee of the exchange as a fraction; None if fees are left out.
    """

    pair: str
    side: str
    entry: PlannedOrder
    targets: tuple[PlannedTarget, ...]
    stop: PlannedTarget | None
    risk: Decimal | None
    risk_percent: Decimal | None
    account_risk: Decimal | None
    reward: Decimal | None
    reward_percent: Decimal | None
    ratio: Decimal | None
    break_even: Decimal
    available: Decimal
    fee: Decimal | None


class Conditions(NamedTuple):
    """What a plan depends on besides its request: the limits and prices of the pair, and the free balances."""

    pair: str
    rates: PairRates
    quote_free: Decimal
    base_free: Decimal
    fee: Decimal | None


class Held(NamedTuple):
    """A position that is filled: its amount, what it cost with fees, and its average price."""

    amount: Decimal
    total: Decimal
    price: Decimal


class Wanted(NamedTuple):
    """A SmartTrade in the terms of the API, and the position that it has already."""

    position: Mapping[str, Any]
    take_profit: Mapping[str, Any]
    stop_loss: Mapping[str, Any]
    skips_entry: bool = False
    leverage: Decimal = Decimal(1)
    held: Held | None = None
    # The targets of a record are those that are open, whose shares may add up to less.
    has_all_targets: bool = True

    @property
    def is_short(self) -> bool:
        """Whether the entry sells."""
        return self.position.get("type") == "sell"


def number(value: object) -> Decimal | None:
    """Return a number of a body or of a record, which may be a string."""
    return None if value is None else Decimal(str(value))


def member(within: Mapping[str, Any] | None, *path: str) -> Any:  # noqa: ANN401 - any JSON
    """Return a nested member; None if any part of the path is absent."""
    found: Any = within
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return found  # pyright: ignore[reportUnknownVariableType]


def sum_of_shares(steps: Sequence[Mapping[str, Any]]) -> Decimal:
    """Return the sum of the shares of take-profit steps, in percent."""
    with localcontext(DIVISION):
        return sum((number(step.get("volume")) or _NOTHING for step in steps), _NOTHING)


def part(within: Mapping[str, Any] | None, *path: str) -> dict[str, Any]:
    """Return a nested object; an empty one if any part of the path is absent or null."""
    return member(within, *path) or {}


def elements(within: Mapping[str, Any] | None, *path: str) -> list[dict[str, Any]]:
    """Return a nested list; an empty one if any part of the path is absent or null."""
    return member(within, *path) or []


def make(wanted: Wanted, conditions: Conditions) -> tuple[SmartTradePlan, list[str]]:
    """Return the plan of a SmartTrade, and what speaks against it."""
    with localcontext(DIVISION):
        planner = _Planner(wanted, conditions)
        plan = planner.plan()
        return plan, planner.warnings(plan)


def units_for_risk(wanted: Wanted, conditions: Conditions, share: Decimal) -> Decimal:
    """Return the quantity that loses a share of the free balance, in percent, at the stop loss."""
    with localcontext(DIVISION):
        return _Planner(wanted, conditions).units_for_risk(share)


def percent_number(name: str, given: object) -> Decimal:
    """Return a percentage such as `"1%"` or `1`, more than 0 and at most 100."""
    value = _digits(str(given).removesuffix("%"))
    if isinstance(given, float | bool) or value is None or not _NOTHING < value <= _WHOLE:
        raise invalid(name, f"must be a percentage of more than 0 and at most 100, such as '1%', not {given!r}")
    return value


def fee_fraction(given: object) -> Decimal | None:
    """Return a fee such as `"0.001"` or `"0.1%"` as a fraction."""
    if given is None:
        return None
    text = str(given)
    value = _digits(text.removesuffix("%"))
    if value is not None and text.endswith("%"):
        value = value.scaleb(-2, DIVISION)
    if isinstance(given, bool) or value is None or not _NOTHING <= value < 1:
        raise invalid("fee", f"must be a fraction from 0 to below 1, such as '0.001' or '0.1%', not {given!r}")
    return value


def _digits(text: str) -> Decimal | None:
    digits = text.strip()
    return Decimal(digits) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", digits, re.ASCII) else None


class _Planner:
    """The calculation of one plan."""

    def __init__(self, wanted: Wanted, conditions: Conditions) -> None:
        self.wanted, self.conditions = wanted, conditions
        self.rates = conditions.rates
        self.fee = conditions.fee or _NOTHING
        self.lot, self.tick = self.rates.lot_step, self.rates.price_step
        self.is_spot = self.rates.instrument_kind in {None, "spot"}
        self.base = conditions.pair.partition("_")[2]
        self.quote = conditions.pair.partition("_")[0]
        # The service ignores leverage on spot.
        self.leverage = Decimal(1) if self.is_spot else wanted.leverage
        self.entry_price = self._entry_price()

    def plan(self) -> SmartTradePlan:
        asked = number(member(self.wanted.position, "units", "value")) or _NOTHING
        units = self._in_lots(asked)
        held = self.wanted.held or self._filled(units)
        entry = PlannedOrder(
            held.price, units, units * self.entry_price, self._minimum(is_market=self._enters_at_market())
        )
        if self.wanted.held is not None:
            entry = PlannedOrder(held.price, held.amount, held.total, None)
        targets = self._targets(held)
        stop = self._stop(held)
        risk = None if stop is None else -stop.profit
        reward = sum((target.profit for target in targets), _NOTHING) if targets else None
        free = self.conditions.quote_free
        return SmartTradePlan(
            pair=self.conditions.pair,
            side="sell" if self.wanted.is_short else "buy",
            entry=entry,
            targets=targets,
            stop=stop,
            risk=risk,
            risk_percent=self._percent(risk, held.total),
            account_risk=self._percent(risk, free),
            reward=reward,
            reward_percent=self._percent(reward, held.total),
            ratio=reward / risk if reward is not None and risk is not None and risk > 0 else None,
            break_even=self._break_even(held),
            available=free,
            fee=self.conditions.fee,
        )

    def units_for_risk(self, share: Decimal) -> Decimal:
        stop = self._stop(self._filled(Decimal(1)), in_lots=False)
        if stop is None:
            raise invalid("size_for_risk", "needs a stop_loss with a price, which limits the loss")
        endless = self._may_not_fill(stop)
        if endless is not None:
            raise invalid("stop_loss", f"{endless}, and size_for_risk can't limit the loss")
        if stop.profit >= 0:
            raise invalid(
                "stop_loss", f"{trimmed(stop.price)} loses nothing, so size_for_risk can't limit the loss there"
            )
        free = self.conditions.quote_free
        if free <= 0:
            raise invalid("size_for_risk", f"the account has no free {self.quote}")
        units = self._in_lots(free * share / _WHOLE / -stop.profit)
        if units <= 0:
            raise invalid("size_for_risk", f"gives less than the lot, {self.lot} {self.base}")
        return units

    def _entry_price(self) -> Decimal:
        if self.wanted.held is not None:
            return self.wanted.held.price
        position = self.wanted.position
        limit = number(member(position, "price", "value"))
        trigger = number(member(position, "conditional", "price", "value"))
        if position.get("order_type") == "conditional" and self._enters_at_market() and trigger is not None:
            return self._triggered_price(trigger)
        if position.get("order_type") != "market" and limit is not None:
            return limit
        return self._market_price()

    def _triggered_price(self, trigger: Decimal) -> Decimal:
        """Return the worst price of an entry that waits for a trigger."""
        start = self._market_price() if self._has_passed(trigger) else trigger
        trailing = member(self.wanted.position, "conditional", "trailing")
        distance = number(member(trailing, "percent")) if member(trailing, "enabled") else None
        if distance is None:
            return start
        return self._at_tick(self._away(start, distance), ROUND_FLOOR if self.wanted.is_short else ROUND_CEILING)

    def _has_passed(self, trigger: Decimal) -> bool:
        """Return whether the price has passed the trigger of the entry."""
        now = self._trigger_price()
        return now is not None and self._gains(trigger, now)

    def _trigger_price(self) -> Decimal | None:
        """Return the price now that triggers the entry."""
        default = "bid" if self.wanted.is_short else "ask"
        return self._followed(member(self.wanted.position, "conditional", "price", "type") or default)

    def _market_price(self) -> Decimal:
        # Who skips the entry would close now: a long position at the bid.
        sells = self.wanted.is_short != self.wanted.skips_entry
        price = (self.rates.bid if sells else self.rates.ask) or self.rates.last
        if price is None or price <= 0:
            raise ConfigurationError(f"the service returned no price of {self.conditions.pair}")
        return price

    def _enters_at_market(self) -> bool:
        position = self.wanted.position
        order_type = position.get("order_type")
        return (
            member(position, "conditional", "order_type") if order_type == "conditional" else order_type
        ) == "market"

    def _filled(self, units: Decimal) -> Held:
        """Return the position that an entry makes. On spot, the fee of a purchase is taken in the base currency."""
        total, price = units * self.entry_price, self.entry_price
        if self.wanted.skips_entry:
            return Held(units, total, price)
        if self.wanted.is_short:
            return Held(units, total * (1 - self.fee), price)
        if self.is_spot:
            return Held(units * (1 - self.fee), total, price)
        return Held(units, total * (1 + self.fee), price)

    def _targets(self, held: Held) -> tuple[PlannedTarget, ...]:
        steps = self._steps()
        shares = [number(step.get("volume")) or _NOTHING for step in steps]
        parts = [self._in_lots(held.amount * share / _WHOLE) for share in shares]
        if parts and sum(shares, _NOTHING) == _WHOLE:
            # What is left of the whole lots goes to the first target.
            parts[0] += self._in_lots(held.amount) - sum(parts, _NOTHING)
        known = [number(member(step, "units", "value")) for step in steps]
        units = [part if amount is None else amount for part, amount in zip(parts, known, strict=True)]
        planned = (self._target(*each, held) for each in zip(steps, shares, units, strict=True))
        return tuple(target for target in planned if target is not None)

    def _steps(self) -> Sequence[Mapping[str, Any]]:
        return elements(self.wanted.take_profit, "steps") if self.wanted.take_profit.get("enabled") else []

    def _priced_steps(self) -> list[Mapping[str, Any]]:
        """Return the steps that are planned."""
        priced = (("price", "value"), ("price", "percent"))
        return [step for step in self._steps() if any(member(step, *path) is not None for path in priced)]

    def _target(self, step: Mapping[str, Any], share: Decimal, units: Decimal, held: Held) -> PlannedTarget | None:
        price = number(member(step, "price", "value"))
        percent = number(member(step, "price", "percent"))
        if price is None and percent is not None:
            # Fees are a part of what the position has cost.
            average = held.total / held.amount if held.amount else held.price
            price = self._at_tick(self._away(average, percent))
        if price is None:
            return None
        distance = number(member(step, "trailing", "percent")) if member(step, "trailing", "enabled") else None
        reached = price if distance is None else self._away(price, -distance)
        is_market = step.get("order_type") == "market" or distance is not None
        return self._part(held, price, reached, share, units, is_market=is_market)

    def _stop(self, held: Held, *, in_lots: bool = True) -> PlannedTarget | None:
        stop = self.wanted.stop_loss
        trigger = number(member(stop, "conditional", "price", "value"))
        if not stop.get("enabled") or trigger is None:
            return None
        limit = self._stop_limit()
        # A limit that is better than the trigger promises nothing.
        reached = trigger if limit is None or self._gains(trigger, limit) else limit
        units = self._in_lots(held.amount) if in_lots else held.amount
        return self._part(held, trigger, reached, _WHOLE, units, is_market=limit is None)

    def _stop_limit(self) -> Decimal | None:
        """Return the price of the limit order that the stop loss places; None for a market order."""
        stop = self.wanted.stop_loss
        return number(member(stop, "price", "value")) if stop.get("order_type") == "limit" else None

    def _may_not_fill(self, stop: PlannedTarget) -> str | None:
        """Return why the order of the stop loss may never fill; None if nothing speaks against it."""
        limit = self._stop_limit()
        if limit is None or limit == stop.price or not self._gains(stop.price, limit):
            return None
        trigger = trimmed(stop.price)
        return f"the limit, {trimmed(limit)}, is better than the trigger, {trigger}, so its order may never fill"

    def _part(  # noqa: PLR0913 - what a part of a position is
        self, held: Held, price: Decimal, reached: Decimal, share: Decimal, units: Decimal, *, is_market: bool
    ) -> PlannedTarget:
        total = units * reached
        cost = held.total * units / held.amount if held.amount else _NOTHING
        profit = cost - total * (1 + self.fee) if self.wanted.is_short else total * (1 - self.fee) - cost
        percent = self._percent(profit, cost) or _NOTHING
        return PlannedTarget(price, reached, share, units, total, profit, percent, self._minimum(is_market=is_market))

    def _break_even(self, held: Held) -> Decimal:
        if not held.amount:
            return held.price
        if self.wanted.is_short:
            return self._at_tick(held.total / (held.amount * (1 + self.fee)))
        return self._at_tick(held.total / (held.amount * (1 - self.fee)), ROUND_CEILING)

    def _away(self, price: Decimal, percent: Decimal) -> Decimal:
        """Return a price at a distance; a positive one lies in the direction of profit."""
        return price * (_WHOLE - percent if self.wanted.is_short else _WHOLE + percent) / _WHOLE

    def _minimum(self, *, is_market: bool) -> Decimal | None:
        return (self.rates.min_market_total if is_market else None) or self.rates.min_total

    def _in_lots(self, units: Decimal) -> Decimal:
        return _rounded(units, self.lot, ROUND_FLOOR)

    def _at_tick(self, price: Decimal, rounding: str = ROUND_FLOOR) -> Decimal:
        return _rounded(price, self.tick, rounding)

    @staticmethod
    def _percent(part: Decimal | None, whole: Decimal) -> Decimal | None:
        return None if part is None or whole <= 0 else part * _WHOLE / whole

    def warnings(self, plan: SmartTradePlan) -> list[str]:
        """Return what speaks against a plan, each in a sentence that starts with the argument."""
        return [
            *self._of_market(plan),
            *self._of_entry(plan),
            *self._of_funds(plan),
            *self._of_targets(plan),
            *self._of_stop(plan),
            *self._of_limits(plan),
        ]

    def _of_market(self, plan: SmartTradePlan) -> list[str]:
        found: list[str] = []
        if self.is_spot and self.wanted.leverage != 1:
            found.append("leverage: the account trades on spot, where the service ignores it")
        if self.rates.instrument_kind not in {None, "spot", "linear_futures"}:
            found.append(f"pair: a market of {self.rates.instrument_kind} is counted like one of linear futures")
        if plan.stop is not None and self.leverage > 1:
            distance = self._percent(abs(plan.stop.price - plan.entry.price), plan.entry.price) or _NOTHING
            if distance * self.leverage >= _WHOLE and plan.stop.profit < 0:
                found.append(
                    f"stop_loss: {trimmed(plan.stop.price)} is {trimmed(distance)} % away; with a leverage of "
                    f"{trimmed(self.leverage)}, the position may be liquidated before"
                )
        return found

    def _of_entry(self, plan: SmartTradePlan) -> list[str]:
        if self.wanted.held is not None or self.wanted.skips_entry:
            return []
        found: list[str] = []
        asked = number(member(self.wanted.position, "units", "value")) or _NOTHING
        if asked != plan.entry.units:
            found.append(f"units: {trimmed(asked)} is rounded down to the lot: {trimmed(plan.entry.units)} {self.base}")
        best = self.rates.bid if self.wanted.is_short else self.rates.ask
        if self.wanted.position.get("order_type") == "limit" and best and self._gains(best, plan.entry.price):
            found.append(
                f"order: {trimmed(plan.entry.price)} is worse than the current price, {trimmed(best)}: it fills at once"
            )
        trigger = number(member(self.wanted.position, "conditional", "price", "value"))
        follows = member(self.wanted.position, "status", "type") == "trailing_activated"
        if trigger is not None and not follows and self._has_passed(trigger):
            now = trimmed(self._trigger_price() or trigger)
            found.append(
                f"order: the price, {now}, has passed the trigger, {trimmed(trigger)}: it is triggered at once"
            )
        return found

    def _of_funds(self, plan: SmartTradePlan) -> list[str]:
        if self.wanted.held is not None:
            return []
        if self.is_spot and self.wanted.is_short != self.wanted.skips_entry:
            needed, free, currency = plan.entry.units, self.conditions.base_free, self.base
        elif self.wanted.skips_entry:
            return []
        else:
            needed, free, currency = plan.entry.total / self.leverage, self.conditions.quote_free, self.quote
        if needed <= free:
            return []
        return [f"units: {trimmed(needed)} {currency} are needed, and the account has {trimmed(free)} free"]

    def _of_targets(self, plan: SmartTradePlan) -> list[str]:
        found: list[str] = []
        worse = "above" if self.wanted.is_short else "below"
        for index, (step, target) in enumerate(zip(self._priced_steps(), plan.targets, strict=True)):
            # Before the entry, only its price matters.
            now = None if self.wanted.held is None else self._closing_price(step)
            name, price = f"take_profit[{index}]", trimmed(target.price)
            if self._gains(target.price, plan.entry.price) and target.price != plan.entry.price:
                found.append(f"{name}: {price} is {worse} the entry, {trimmed(plan.entry.price)}: it loses")
            elif now is not None and self._gains(target.price, now):
                found.append(f"{name}: the price, {trimmed(now)}, has reached {price}: it is reached at once")
            elif target.profit <= 0:
                found.append(
                    f"{name}: {price} does not cover the costs; the position breaks even at {trimmed(plan.break_even)}"
                )
        steps = self._steps()
        shares = sum_of_shares(steps)
        if steps and self.wanted.has_all_targets and shares != _WHOLE:
            found.append(f"take_profit: the shares add up to {trimmed(shares)}, not 100; apply() refuses that")
        return found

    def _of_stop(self, plan: SmartTradePlan) -> list[str]:
        if plan.stop is None:
            if self.wanted.stop_loss.get("enabled"):
                return ["stop_loss: it is a distance in percent, so its price is not known before the entry"]
            return []
        endless = self._may_not_fill(plan.stop)
        found = [] if endless is None else [f"stop_loss: {endless}"]
        price = trimmed(plan.stop.price)
        waits = (
            self.wanted.held is None
            and not self.wanted.skips_entry
            and self.wanted.position.get("order_type") != "market"
        )
        now = self._followed(member(self.wanted.stop_loss, "conditional", "price", "type"))
        compared = plan.entry.price if waits or now is None else now
        if self._gains(compared, plan.stop.price):
            where = " at the entry" if waits else ""
            found.append(f"stop_loss: {price} would fire at once: the price is {trimmed(compared)}{where}")
        return found

    def _of_limits(self, plan: SmartTradePlan) -> list[str]:
        orders: list[tuple[str, PlannedOrder | PlannedTarget]] = []
        if self.wanted.held is None and not self.wanted.skips_entry:
            orders.append(("units", plan.entry))
        orders += [(f"take_profit[{index}]", target) for index, target in enumerate(plan.targets)]
        orders += [("stop_loss", plan.stop)] if plan.stop is not None else []
        return [f"{name}: {problem}" for name, order in orders for problem in self._beyond_limits(order)]

    def _beyond_limits(self, order: PlannedOrder | PlannedTarget) -> list[str]:
        total, units = f"{trimmed(order.total)} {self.quote}", f"{trimmed(order.units)} {self.base}"
        rates, found = self.rates, list[str]()
        if order.minimum is not None and order.total < order.minimum:
            found.append(f"an order of {total} is below the minimum, {trimmed(order.minimum)}")
        elif rates.min_lot_size is not None and order.units < rates.min_lot_size:
            found.append(f"{units} is below the smallest order, {trimmed(rates.min_lot_size)}")
        if rates.max_total and order.total > rates.max_total:
            found.append(f"an order of {total} is above the maximum, {trimmed(rates.max_total)}")
        if rates.max_lot_size and order.units > rates.max_lot_size:
            found.append(f"{units} is above the largest order, {trimmed(rates.max_lot_size)}")
        return found

    def _gains(self, worse: Decimal, better: Decimal) -> bool:
        """Return whether `better` is at least as good for the position as `worse` is."""
        return better <= worse if self.wanted.is_short else better >= worse

    def _closing_price(self, step: Mapping[str, Any]) -> Decimal | None:
        """Return the price now that reaches a target; a limit order is on the book."""
        kind = None if step.get("order_type") == "limit" else member(step, "price", "type")
        return self._followed(kind or ("ask" if self.wanted.is_short else "bid"))

    def _followed(self, kind: object) -> Decimal | None:
        found = {"bid": self.rates.bid, "ask": self.rates.ask}.get(str(kind), self.rates.last)
        return found or self.rates.last


def _rounded(value: Decimal, step: Decimal | None, rounding: str) -> Decimal:
    return value if not step else (value / step).to_integral_value(rounding=rounding) * step
