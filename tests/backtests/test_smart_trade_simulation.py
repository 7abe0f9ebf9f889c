"""Random SmartTrades over random candles: a backtest does what an independent simulation in fractions does."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import pytest
from thorough import cases

import botdesk

from .smart_trade_simulation import STEPS, Run, Settings, Stop, Target, simulate

# Cases of one test, of which there are 4.
BATCH = cases(25, 250)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE = 60_000
PATHS: list[Literal["nearest", "low_first", "high_first"]] = ["nearest", "low_first", "high_first"]
Row = tuple[int, int, int, int, int]


def history(numbers: random.Random) -> list[Row]:
    """Return candles of a minute around 100, whose prices are in steps, that jump and move."""
    price, time = 10_000, 0
    rows: list[Row] = []
    move = numbers.choice([40, 120, 300])
    for _ in range(numbers.randint(5, 40)):
        points = [max(price + numbers.choice([0, 0, numbers.randint(-move, move)]), 2_000)]
        for _ in range(3):
            points.append(max(points[-1] + numbers.randint(-move, move), 2_000))
        price = points[-1]
        rows.append((time, points[0], max(points), min(points), price))
        time += MINUTE * numbers.choice([1, 1, 1, 1, 3])
    return rows


def random_targets(numbers: random.Random, side: int, tick: int) -> tuple[Target, ...]:
    shares = numbers.choice([(), (100,), (50, 50), (50, 25, 25), (33, 33, 34)])
    targets: list[Target] = []
    distance = 0
    for number, share in enumerate(shares, 1):
        distance += numbers.randint(20, 250)
        follows = number == len(shares) and numbers.random() < 0.4
        in_percent = numbers.random() < 0.3
        price = 10_000 + side * distance
        targets.append(
            Target(
                price=None if in_percent else price - price % tick,
                percent=Fraction(distance, 100) if in_percent else None,
                share=Fraction(share),
                market=follows or numbers.random() < 0.3,
                trailing=Fraction(numbers.randint(5, 150), 100) if follows else None,
            )
        )
    return tuple(targets)


def random_settings(numbers: random.Random) -> Settings:
    """Return settings of all kinds."""
    short = numbers.random() < 0.5
    side, tick = -1 if short else 1, numbers.choice([1, 1, 10, 25])
    kind = numbers.choice(["market", "limit", "limit", "trigger", "trigger_limit", "held"])
    near = 10_000 + numbers.randint(-200, 200)
    near -= near % tick
    targets = random_targets(numbers, side, tick)
    stop = None
    if not targets or numbers.random() < 0.7:
        trigger = 10_000 - side * numbers.randint(30, 400)
        trigger -= trigger % tick
        stop = Stop(
            trigger=trigger,
            limit=trigger + tick * numbers.randint(-10, 10) if numbers.random() < 0.3 else None,
            breakeven=len(targets) > 1 and numbers.random() < 0.5,
            timeout=numbers.randint(1, 300) if numbers.random() < 0.3 else None,
            trails=numbers.random() < 0.4,
        )
    return Settings(
        short=short,
        units=Fraction(numbers.randint(100, 5_000), 100),
        limit=near if kind in {"limit", "held"} else near - side * tick if kind == "trigger_limit" else None,
        trigger=near if kind.startswith("trigger") else None,
        follow=Fraction(numbers.randint(5, 150), 100)
        if kind.startswith("trigger") and numbers.random() < 0.5
        else None,
        held=kind == "held",
        leveraged=numbers.random() < 0.2,
        targets=targets,
        stop=stop,
        fee=numbers.choice([Fraction(0), Fraction(1, 1000), Fraction(75, 100_000), Fraction(6, 1000)]),
        slippage=numbers.choice([Fraction(0), Fraction(0), Fraction(5, 10_000), Fraction(1, 100)]),
        tick=tick,
        lot=numbers.choice([Fraction(1, 10**8), Fraction(1, 1000), Fraction(1, 10), Fraction(1)]),
    )


def text(value: Fraction) -> str:
    """Write a fraction with few decimal places as a decimal."""
    return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"


def quoted(price: int) -> str:
    return text(Fraction(price, STEPS))


def order_of(given: Settings) -> Any:  # noqa: ANN401 - any short form
    limit = None if given.limit is None else quoted(given.limit)
    if given.trigger is not None:
        follow = None if given.follow is None else f"{text(given.follow)}%"
        return botdesk.Conditional(quoted(given.trigger), limit=limit, trailing=follow, price_type="last")
    return "market" if limit is None else botdesk.Limit(limit)


def step_of(target: Target) -> dict[str, Any]:
    price = {"percent": text(target.percent)} if target.percent is not None else {"value": quoted(target.price or 0)}
    step: dict[str, Any] = {
        "order_type": "market" if target.market else "limit", "price": price, "volume": text(target.share)
    }  # fmt: skip
    if target.trailing is not None:
        step["trailing"] = {"enabled": True, "percent": text(target.trailing)}
    return step


def backtested(
    given: Settings, rows: list[Row], path: Literal["nearest", "low_first", "high_first"]
) -> botdesk.Backtest:
    smart_trade: dict[str, Any] = {
        "side": "sell" if given.short else "buy",
        "units": text(given.units),
        "order": order_of(given),
        "skip_enter_step": given.held,
        "leverage": {"enabled": True, "type": "isolated", "value": 3} if given.leveraged else None,
        "take_profit": [step_of(target) for target in given.targets] or None,
    }
    if given.stop is not None:
        smart_trade["stop_loss"] = botdesk.StopLoss(
            quoted(given.stop.trigger),
            limit=None if given.stop.limit is None else quoted(given.stop.limit),
            breakeven=given.stop.breakeven,
            timeout=given.stop.timeout,
            trailing=given.stop.trails,
        )
    market: dict[str, Any] = {
        "fee": text(given.fee),
        "slippage": text(given.slippage),
        "tick": quoted(given.tick),
        "lot": text(given.lot),
    }
    candles = [[time, *map(quoted, prices)] for time, *prices in rows]
    return botdesk.backtest(candles, smart_trade=smart_trade, path=path, **market)


def milliseconds(moment: datetime) -> int:
    return round((moment - EPOCH).total_seconds() * 1000)


def compare(run: botdesk.Backtest, simulated: Run, last: int) -> None:
    fee = simulated.given.fee
    orders = [
        (milliseconds(each.time), each.kind, Fraction(each.price), Fraction(each.quantity)) for each in run.orders
    ]
    assert orders == [(each.time, each.kind, each.price, each.quantity) for each in simulated.orders]
    assert run.status == simulated.status
    has_ended = simulated.status in {"finished", "stop_loss_finished"}
    profit = simulated.profit() if has_ended else simulated.profit(Fraction(last, STEPS))
    summary = run.summary
    assert Fraction(summary.profit + summary.open_profit) == (profit if simulated.entered else 0)
    assert Fraction(summary.most_capital) == simulated.paid
    assert Fraction(summary.fees) == sum(each.price * each.quantity for each in simulated.orders) * fee
    if not simulated.entered:
        assert list(run.deals) == []
        return
    [deal] = run.deals
    percent = Fraction(round(profit / simulated.paid * 10_000), 100)
    assert (Fraction(deal.profit), Fraction(deal.profit_percentage)) == (profit, percent)
    assert (Fraction(deal.quantity), Fraction(deal.volume)) == (simulated.entered, simulated.paid)
    assert Fraction(deal.drawdown_percentage) == -simulated.deepest


@pytest.mark.parametrize("first", range(0, 4 * BATCH, BATCH))
def test_a_backtest_is_what_an_independent_simulation_gives(first: int) -> None:
    ends: dict[str, int] = {}
    for seed in range(first, first + BATCH):
        numbers = random.Random(seed)  # noqa: S311
        given, rows, path = random_settings(numbers), history(numbers), numbers.choice(PATHS)
        simulated = simulate(given, rows, path)
        try:
            compare(backtested(given, rows, path), simulated, rows[-1][4])
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise
        ends[simulated.status] = ends.get(simulated.status, 0) + 1
    # The cases have all ends, and few of them have no entry.
    assert set(ends) == {"finished", "stop_loss_finished", "waiting_targets", "waiting_position"}
    assert ends["waiting_position"] < BATCH / 2
