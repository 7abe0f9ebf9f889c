"""Random bots over random candles: a backtest does what an independent simulation in fractions does, to the digit."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import pytest
from thorough import cases

import botdesk

from .simulation import Candle, Settings, Simulation, simulate

# Cases of one test, of which there are 8.
BATCH = cases(15, 100)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE = 60_000
PATHS: list[Literal["nearest", "low_first", "high_first"]] = ["nearest", "low_first", "high_first"]


def text(value: Fraction) -> str:
    """Write a fraction with few decimal places as a decimal."""
    return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"


def hundredths(numbers: random.Random, least: int, most: int) -> Fraction:
    return Fraction(numbers.randint(least, most), 100)


@dataclass
class Case:
    """A bot, its candles by pair, and its signals."""

    settings: Settings
    rows: dict[str, list[list[Any]]]
    flags: dict[str, list[bool]] | None
    path: Literal["nearest", "low_first", "high_first"]


def history(numbers: random.Random) -> list[list[Any]]:
    """Return candles of a minute that jump and move by some percent."""
    price, time = numbers.randint(5_000, 20_000), 0
    rows: list[list[Any]] = []
    move = numbers.choice([20, 60, 200])
    for _ in range(numbers.randint(5, 50)):
        points = [max(price + numbers.choice([0, 0, numbers.randint(-move, move)]), 500)]
        for _ in range(3):
            points.append(max(points[-1] + numbers.randint(-move, move), 500))
        price = points[-1]
        rows.append([time, *(text(Fraction(point, 100)) for point in (points[0], max(points), min(points), price))])
        time += MINUTE * numbers.choice([1, 1, 1, 1, 3])
    return rows


def random_settings(numbers: random.Random, pairs: tuple[str, ...]) -> Settings:
    """Return settings of all kinds."""

    def maybe(share: float, value: Any, otherwise: Any) -> Any:  # noqa: ANN401
        return value if numbers.random() < share else otherwise

    short = numbers.random() < 0.5
    count = numbers.randint(0, 4)
    ways = sorted({hundredths(numbers, 10, 400) for _ in range(count)})
    custom = tuple((way if short else -way, hundredths(numbers, 2_000, 9_000)) for way in ways)
    steps = numbers.choice([(), (), ((50, 50), (50, 120)), ((30, 40), (30, 80), (40, 160))])
    allowed = numbers.choice([1, 1, 2])
    nonstop = len(pairs) == 1 and numbers.random() < 0.5
    stop_loss = maybe(0.5, hundredths(numbers, 130, 500), Fraction(0))
    return Settings(
        base_volume=Fraction(numbers.randint(20, 200)),
        pairs=pairs,
        short=short,
        market_start=numbers.random() < 0.5,
        safety_volume=Fraction(numbers.randint(20, 200)),
        safety_orders=count,
        active_safety_orders=numbers.randint(0, count),
        step=hundredths(numbers, 5, 150),
        step_coefficient=numbers.choice([Fraction(1), Fraction(3, 2), Fraction(1, 2)]),
        volume_coefficient=numbers.choice([Fraction(1), Fraction(2), Fraction(7, 10)]),
        custom_steps=maybe(0.2, custom, ()),
        take_profit=Fraction(0) if steps else hundredths(numbers, 5, 200),
        take_profit_of_base=numbers.random() < 0.4,
        take_profit_steps=tuple((Fraction(share), Fraction(profit, 100)) for share, profit in steps),
        trailing=None if steps else maybe(0.5, hundredths(numbers, 5, 150), None),
        stop_loss=stop_loss,
        stop_loss_timeout=maybe(0.3, numbers.randint(1, 200), None) if stop_loss else None,
        stop_loss_trails=bool(stop_loss) and numbers.random() < 0.3,
        stop_loss_disables=bool(stop_loss) and numbers.random() < 0.2,
        break_even=maybe(0.5, numbers.randint(0, 2), None) if stop_loss and steps else None,
        cooldown=maybe(0.4, numbers.randint(1, 300), 0),
        # A pause and a start of one pair may end at the same time only if it may have several deals.
        start_delay=maybe(0.3, numbers.randint(1, 200), 0) if allowed == 1 or not nonstop else 0,
        deal_timeout=maybe(0.2, numbers.randint(60, 900), None),
        max_deals=numbers.randint(1, len(pairs) * allowed),
        max_deals_of_pair=allowed,
        max_deals_opened=maybe(0.2, numbers.randint(1, 5), None),
        nonstop=nonstop,
        fee=numbers.choice([Fraction(0), Fraction(1, 1000), Fraction(75, 100_000), Fraction(5, 1000)]),
        slippage=numbers.choice([Fraction(0), Fraction(0), Fraction(5, 10_000), Fraction(1, 100)]),
        tick=numbers.choice([Fraction(1, 100), Fraction(1, 10), Fraction(1, 4)]),
        lot=numbers.choice([Fraction(1, 10**8), Fraction(1, 1000), Fraction(1, 10)]),
    )


def case_of(seed: int) -> Case:
    numbers = random.Random(seed)  # noqa: S311
    pairs = ("USDT_AAA", "USDT_BBB", "USDT_CCC")[: numbers.choice([1, 1, 2, 3])]
    rows = {pair: history(numbers) for pair in pairs}
    settings = random_settings(numbers, pairs)
    flags = {pair: [numbers.random() < 0.4 for _ in rows[pair]] for pair in pairs}
    return Case(settings, rows, None if settings.nonstop else flags, numbers.choice(PATHS))


def simulated(case: Case) -> Simulation:
    candles = {
        pair: [Candle(row[0], *(Fraction(price) for price in row[1:])) for row in rows]
        for pair, rows in case.rows.items()
    }
    signals = case.flags and {
        # A boolean acts at the open of the next candle.
        pair: [row[0] for flag, row in zip(flags, case.rows[pair][1:], strict=False) if flag]
        for pair, flags in case.flags.items()
    }
    return simulate(case.settings, candles, path=case.path, signals=signals, window=(None, None))


def backtested(case: Case) -> botdesk.Backtest:
    given = case.settings
    arguments: dict[str, Any] = {
        "pairs": list(given.pairs),
        "strategy": "short" if given.short else "long",
        "start_order_type": "market" if given.market_start else "limit",
        "base_order_volume": text(given.base_volume),
        "safety_order_volume": text(given.safety_volume),
        "max_safety_orders": given.safety_orders,
        "active_safety_orders_count": given.active_safety_orders,
        "safety_order_step_percentage": text(given.step),
        "martingale_step_coefficient": text(given.step_coefficient),
        "martingale_volume_coefficient": text(given.volume_coefficient),
        "custom_safety_steps": [{"deviation": text(way), "size": text(size)} for way, size in given.custom_steps],
        "take_profit": text(given.take_profit),
        "take_profit_type": "base" if given.take_profit_of_base else "total",
        "take_profit_steps": [
            {"amount_percentage": text(share), "profit_percentage": text(profit)}
            for share, profit in given.take_profit_steps
        ],
        "trailing_enabled": given.trailing is not None,
        "trailing_deviation": text(given.trailing or Fraction(1, 10)),
        "stop_loss_percentage": text(given.stop_loss),
        "stop_loss_type": "stop_loss_and_disable_bot" if given.stop_loss_disables else "stop_loss",
        "stop_loss_timeout_enabled": given.stop_loss_timeout is not None,
        "stop_loss_timeout_in_seconds": given.stop_loss_timeout or 0,
        "tsl_enabled": given.stop_loss_trails,
        "sl_to_breakeven_enabled": given.break_even is not None,
        "sl_to_breakeven_data": {"upper_breakeven_limit": given.break_even or 0},
        "cooldown": given.cooldown,
        "deal_start_delay_seconds": given.start_delay or None,
        "close_deals_timeout": given.deal_timeout,
        "max_active_deals": given.max_deals,
        "allowed_deals_on_same_pair": given.max_deals_of_pair,
        "disable_after_deals_count": given.max_deals_opened,
        "signals": case.flags,
    }
    market: dict[str, Any] = {
        "fee": text(given.fee), "slippage": text(given.slippage), "tick": text(given.tick), "lot": text(given.lot)
    }  # fmt: skip
    return botdesk.backtest(case.rows, path=case.path, **market, **arguments)


def orders(simulation: Simulation) -> list[tuple[Any, ...]]:
    return [(order.deal, order.time, order.kind, order.price, order.quantity) for order in simulation.orders]


def deals(simulation: Simulation) -> list[tuple[Any, ...]]:
    return [
        (
            simulation.settings.pairs[deal.pair],
            deal.opened_at,
            deal.closed_at,
            deal.status,
            deal.quantity,
            simulation.volume(deal),
            simulation.profit(deal),
            Fraction(round(-deal.deepest * 100), 100),
        )
        for deal in simulation.deals
    ]


def milliseconds(moment: datetime | None) -> int | None:
    return None if moment is None else round((moment - EPOCH).total_seconds() * 1000)


@pytest.mark.parametrize("first", range(0, 8 * BATCH, BATCH))
def test_a_backtest_is_what_an_independent_simulation_gives(first: int) -> None:
    filled = 0
    for seed in range(first, first + BATCH):
        case = case_of(seed)
        simulation, run = simulated(case), backtested(case)
        assert [
            (order.deal, milliseconds(order.time), order.kind, Fraction(order.price), Fraction(order.quantity))
            for order in run.orders
        ] == orders(simulation), seed
        assert [
            (
                deal.pair,
                milliseconds(deal.opened_at),
                milliseconds(deal.closed_at),
                deal.status,
                Fraction(deal.quantity),
                Fraction(deal.volume),
                Fraction(deal.profit),
                Fraction(deal.drawdown_percentage),
            )
            for deal in run.deals
        ] == deals(simulation), seed
        filled += len(simulation.orders)
    # Most cases have several orders.
    assert filled > 5 * BATCH
