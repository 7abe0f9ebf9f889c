"""The inverse of a ladder: volumes that use a budget."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._exact import EXACT, plain
from botdesk._invalid import invalid
from botdesk._planning import plan_ladder

if TYPE_CHECKING:
    from botdesk import Ladder, PairRates

    Number = str | int | float | Decimal

# Digits of the base order's volume, if no step is given: more would say nothing.
_DIGITS = 5
_SMALLEST_STEP = Decimal("1e-8")
# The share of the budget by which volumes are made smaller at least, until what rounding to lots adds fits it.
_ATTEMPTS = 200
# Enough digits for a quotient that is rounded down to a step.
_DIVISION = Context(prec=60, rounding=ROUND_FLOOR)
_OWN = ("base_order_volume", "safety_order_volume", "base_order_volume_type", "safety_order_volume_type")


class SizedLadder(NamedTuple):
    """Volumes that use a budget, and the ladder with them.

    Attributes:
        base_order_volume: The volume of the base order, in the quote currency.
        safety_order_volume: The volume of the first safety order, in the quote currency; None without safety orders.
        budget: The budget of a deal that was to be used.
        unused: What the orders of a deal leave of it.
        ladder: The orders of a deal.
        settings: All settings, as `dca_bots.edit` and `create` take them: `bots.edit(41, **sized.settings)`.
    """

    base_order_volume: Decimal
    safety_order_volume: Decimal | None
    budget: Decimal
    unused: Decimal
    ladder: Ladder
    settings: dict[str, Any]

    def __repr__(self) -> str:
        safety = "" if self.safety_order_volume is None else f", first safety order {self.safety_order_volume:f}"
        used = f"uses {self.ladder.budget:f} of {self.budget:f} a deal"
        return f"<SizedLadder base order {self.base_order_volume:f}{safety}: {used}>"


class _Shape(NamedTuple):
    """The relations between the orders of a deal."""

    # The first safety order, as a multiple of the base order.
    ratio: Decimal
    # The sum of all safety orders, as a multiple of the first one.
    safety: Decimal
    # The smallest safety order, as a multiple of the first one; None without safety orders.
    smallest: Decimal | None


def size_ladder(
    *,
    budget: Number,
    safety_ratio: Number = 1,
    step: Number | None = None,
    min_total: Number | None = None,
    rates: PairRates | None = None,
    **settings: Any,  # noqa: ANN401 - the arguments of `plan_ladder`
) -> SizedLadder:
    """Size the orders of a bot so that its deals use a budget: the inverse of `plan_ladder`.

    The volumes are rounded down to a step, so that the budget is never exceeded; less than a step is left of it for
    each deal. Where rounding up to lots would exceed it, the volumes are made smaller.

    Args:
        budget: The funds for all deals that may be open at once (`max_active_deals`, 1 by default, and no more than
            `pairs` allow), in the quote currency.
        safety_ratio: The volume of the first safety order, as a multiple of that of the base order.
        step: The step of the volumes; by default, the base order has about five digits.
        min_total: The smallest order that the exchange accepts, in the quote currency; the default is that of `rates`.
        rates: Prices and order limits of the pair, from `client.markets.rates`.
        **settings: The other arguments of `plan_ladder`, such as `price`, `max_safety_orders` and
            `martingale_volume_coefficient`; no volumes, which are the result.

    Returns:
        The volumes, what is left of the budget, the ladder, and the settings for `edit` or `create`.

    Raises:
        ValidationError: An order would be smaller than the exchange accepts, a number is wrong, or the settings make no
            ladder.

    Example:
        >>> import botdesk
        >>> sized = botdesk.size_ladder(
        ...     budget="1000", price=100, max_safety_orders=4, safety_order_step_percentage=2,
        ...     martingale_volume_coefficient="1.5", min_total=5,
        ... )
        >>> sized
        <SizedLadder base order 109.58, first safety order 109.59: uses 999.99875 of 1000 a deal>
        >>> sized.settings["safety_order_volume"]
        Decimal('109.59')
    """
    for name in _OWN:
        if name in settings:
            raise invalid(name, "is what the budget decides, in the quote currency; leave it out")
    total, ratio = _positive("budget", budget), _positive("safety_ratio", safety_ratio)
    deals = _deals(settings)
    deal = _DIVISION.divide(total, Decimal(deals))
    shape = _shape(ratio, settings)
    smallest_step = None if step is None else _positive("step", step)
    least = _minimum(min_total, rates)
    target = deal
    for _ in range(_ATTEMPTS):
        sized = _sized(deal, target, shape, smallest_step, rates, settings)
        _check_minimum(sized, shape, least, total)
        spent = sized.ladder[-1].spent
        if spent <= deal:
            return sized
        excess = max(EXACT.subtract(spent, deal), _DIVISION.divide(deal, Decimal(_ATTEMPTS)))
        target = EXACT.subtract(target, excess)
        if target <= 0:
            break
    raise invalid("budget", f"{total:f} is too small for the lots of the exchange, to which orders are rounded up")


def _deals(settings: dict[str, Any]) -> int:
    """Return how many deals may be open at once: no more than the pairs allow, if they are given."""
    asked = _whole("max_active_deals", settings.get("max_active_deals"), 1)
    pairs = settings.get("pairs")
    if not pairs:
        return asked
    count = 1 if isinstance(pairs, str) else len(pairs)
    return min(asked, count * _whole("allowed_deals_on_same_pair", settings.get("allowed_deals_on_same_pair"), 1))


def _shape(ratio: Decimal, settings: dict[str, Any]) -> _Shape:
    if settings.get("custom_safety_steps"):
        raise invalid("custom_safety_steps", "have sizes of their own; leave them out, or plan them with plan_ladder")
    count = _whole("max_safety_orders", settings.get("max_safety_orders"), 0)
    coefficient = _positive("martingale_volume_coefficient", settings.get("martingale_volume_coefficient") or 1)
    sizes = [Decimal(1)] if count else []
    while len(sizes) < count:
        sizes.append(EXACT.multiply(sizes[-1], coefficient))
    safety = Decimal(0)
    for size in sizes:
        safety = EXACT.add(safety, size)
    return _Shape(ratio, safety, min(sizes, default=None))


def _sized(  # noqa: PLR0913, PLR0917 - each is named
    deal: Decimal,
    target: Decimal,
    shape: _Shape,
    step: Decimal | None,
    rates: PairRates | None,
    settings: dict[str, Any],
) -> SizedLadder:
    """Return the volumes that use a target, which is the budget of a deal or less."""
    weight = EXACT.add(Decimal(1), EXACT.multiply(shape.ratio, shape.safety))
    base = _DIVISION.divide(target, weight)
    step = step or _step(base)
    base, safety = _down(base, step), None
    if shape.smallest is not None:
        safety = _down(_DIVISION.divide(EXACT.subtract(target, base), shape.safety), step)
    # What the safety orders can't use.
    used = EXACT.multiply(safety or Decimal(0), shape.safety)
    base = _down(EXACT.subtract(target, used), step)
    if base <= 0 or (safety is not None and safety <= 0):
        raise invalid("budget", f"{deal:f} a deal is too small for orders of a step of {step:f}")
    volumes: dict[str, Any] = {"base_order_volume": base, "base_order_volume_type": "quote_currency"}
    if safety is not None:
        volumes |= {"safety_order_volume": safety, "safety_order_volume_type": "quote_currency"}
    ladder = plan_ladder(rates=rates, **settings, **volumes)
    unused = plain(EXACT.subtract(deal, ladder.budget))
    own = {name: value for name, value in settings.items() if name not in {"price", "tick", "lot", "fee"}}
    return SizedLadder(base, safety, plain(deal), unused, ladder, {**own, **volumes})


def _check_minimum(sized: SizedLadder, shape: _Shape, least: Decimal | None, budget: Decimal) -> None:
    if least is None:
        return
    safety = sized.safety_order_volume
    orders = [sized.base_order_volume]
    if safety is not None and shape.smallest is not None:
        orders.append(EXACT.multiply(safety, shape.smallest))
    smallest = min(orders)
    if smallest < least:
        needed = Context(prec=4, rounding=ROUND_CEILING).divide(EXACT.multiply(budget, least), smallest)
        message = f"{budget:f} makes an order of {plain(smallest):f}, below the exchange's minimum of {least:f}"
        raise invalid("budget", f"{message}; about {needed:f} is needed, or fewer orders")


def _minimum(given: Number | None, rates: PairRates | None) -> Decimal | None:
    if given is not None:
        return _positive("min_total", given)
    return None if rates is None else rates.min_total


def rounded_down(volume: Decimal) -> Decimal:
    """Return a volume with about five digits."""
    return _down(volume, _step(volume))


def _step(volume: Decimal) -> Decimal:
    return max(_SMALLEST_STEP, Decimal(1).scaleb(volume.adjusted() - _DIGITS + 1))


def _down(number: Decimal, step: Decimal) -> Decimal:
    """Return the largest multiple of the step that is not above the number."""
    steps = _DIVISION.divide(number, step).to_integral_value(rounding=ROUND_FLOOR)
    return plain(EXACT.multiply(steps, step))


def _positive(name: str, given: Any) -> Decimal:  # noqa: ANN401
    try:
        number = Decimal(str(given))
    except InvalidOperation:
        number = Decimal(0)
    if isinstance(given, bool) or not number.is_finite() or number <= 0:
        raise invalid(name, f"must be a number greater than 0, not {given!r}")
    return number


def _whole(name: str, given: Any, default: int) -> int:  # noqa: ANN401
    if given is None:
        return default
    if not isinstance(given, int) or isinstance(given, bool) or given < default:
        raise invalid(name, f"must be a whole number of at least {default}, not {given!r}")
    return int(given)
