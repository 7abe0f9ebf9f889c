"""The candles, the signals and the market of a backtest, and their errors."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from importlib import import_module
from typing import Any

import pytest

import botdesk
from botdesk import DecodeError, ValidationError

from .conftest import DIP, HOUR, START, STEADY, each, hours

# Most of them bring no types.
np: Any = import_module("numpy")
pa: Any = import_module("pyarrow")
pd: Any = import_module("pandas")
pl: Any = import_module("polars")

BASE: dict[str, Any] = {"base_order_volume": 100, "max_safety_orders": 0, "take_profit": 1}
FLAT = (100, 100, 100, 100)
RISE = (100, 102, 100, 102)


def two_pairs(**fields: object) -> botdesk.DcaBot:
    """Return a bot of two pairs."""
    record: dict[str, Any] = {
        "id": 1,
        "pairs": ["USDT_BTC", "USDT_ETH"],
        "strategy": "long",
        "strategy_list": [{"strategy": "nonstop", "options": {}}],
        "max_active_deals": 2,
        "base_order_volume": "100",
        "take_profit": "1",
        "take_profit_type": "total",
        "max_safety_orders": 0,
        "active_safety_orders_count": 0,
        "cooldown": "86400",
    }
    return botdesk.DcaBot.from_json(json.dumps({**record, **fields}))


def test_candles_are_whatever_candles_take() -> None:
    frame = pl.DataFrame(hours(*DIP))
    expected = botdesk.backtest(hours(*DIP), **STEADY)
    assert botdesk.backtest(frame, **STEADY) == expected
    assert botdesk.backtest(pa.table(frame), **STEADY) == expected
    assert botdesk.backtest([[START + HOUR * i, *row] for i, row in enumerate(DIP)], **STEADY) == expected
    assert botdesk.backtest({"USDT_BTC": frame}, pairs=["USDT_BTC"], **STEADY).candles == expected.candles


def test_a_bot_of_several_pairs_takes_a_mapping() -> None:
    candles = {"USDT_ETH": hours(FLAT, RISE), "USDT_BTC": hours(FLAT, FLAT)}
    result = two_pairs().backtest(candles)
    # A pause after a deal begins as it ends, so only the pair that opens first has one at once.
    assert {deal.pair for deal in result.deals} == {"USDT_BTC", "USDT_ETH"}
    assert result.candles == candles
    assert "USDT_BTC, USDT_ETH: 4 candles" in repr(result)


def test_pairs_without_candles_are_named() -> None:
    with pytest.raises(ValidationError, match="candles: has no candles of USDT_ETH; the bot trades USDT_BTC, USDT_ETH"):
        two_pairs().backtest({"USDT_BTC": hours(FLAT)})


def test_candles_of_other_pairs_are_named() -> None:
    candles = {pair: hours(FLAT) for pair in ("USDT_BTC", "USDT_ETH", "USDT_ADA")}
    with pytest.raises(ValidationError, match="candles: the bot does not trade USDT_ADA, but USDT_BTC, USDT_ETH"):
        two_pairs().backtest(candles)


def test_a_bot_of_several_pairs_needs_a_mapping() -> None:
    message = r"candles: the bot has 2 pairs \(USDT_BTC, USDT_ETH\); pass a mapping from pair to candles"
    with pytest.raises(ValidationError, match=message):
        two_pairs().backtest(hours(FLAT))
    candles = {pair: hours(FLAT) for pair in ("USDT_BTC", "USDT_ETH")}
    with pytest.raises(ValidationError, match="signals: the bot has 2 pairs"):
        two_pairs().backtest(candles, signals=[START])
    with pytest.raises(ValidationError, match="signals: the bot does not trade USDT_ADA"):
        two_pairs().backtest(candles, signals={"USDT_ADA": [START]})


def test_invalid_candles_name_the_argument_and_the_row() -> None:
    with pytest.raises(ValidationError, match="candles: row 1"):
        botdesk.backtest([[0, 1, 1, 1, 1], [1, 1, 1, 2, 1]], **BASE)
    with pytest.raises(ValidationError, match=r'candles\["USDT_BTC"\]: row 0'):
        botdesk.backtest({"USDT_BTC": [[0, 1, 1, 2, 1]]}, **BASE)
    with pytest.raises(ValidationError, match="candles: expected a table"):
        botdesk.backtest(3, **BASE)
    with pytest.raises(ValidationError, match="candles: has no pair"):
        botdesk.backtest({}, **BASE)
    with pytest.raises(ValidationError, match="candles: the pairs must be strings, not int"):
        botdesk.backtest({1: hours(FLAT)}, **BASE)


SIGNALS = {
    "datetimes": [datetime(2024, 1, 1, 1, tzinfo=UTC)],
    "milliseconds": [START + HOUR],
    "booleans": [True, False, True],
    "numpy booleans": np.array([True, False, True]),
    "numpy milliseconds": np.array([START + HOUR]),
    "polars booleans": pl.Series([True, False, True]),
    "polars times": pl.Series([datetime(2024, 1, 1, 1, tzinfo=UTC)]),
    "pandas booleans": pd.Series([True, False, True]),
    "pandas times": pd.Series([pd.Timestamp("2024-01-01T01:00Z")]),
    "pyarrow booleans": pa.array([True, False, True]),
    "a mapping": {"USDT_BTC": [START + HOUR]},
}


# A boolean is known at the close of its candle, and acts at the next open. That of the last candle never acts.
@pytest.mark.parametrize("signals", SIGNALS.values(), ids=SIGNALS)
def test_deals_start_at_signals(signals: object) -> None:
    fields: dict[str, Any] = {**BASE, "strategy_list": [{"strategy": "manual"}]}
    result = botdesk.backtest(hours(FLAT, FLAT, FLAT), pairs="USDT_BTC", signals=signals, **fields)
    assert [deal.opened_at.hour for deal in result.deals] == [1]
    assert result.not_simulated == []


def test_signals_may_be_in_any_order() -> None:
    fields: dict[str, Any] = {
        **BASE,
        "strategy_list": [{"strategy": "manual"}],
        "take_profit": 1,
        "close_deals_timeout": 1800,
    }
    result = botdesk.backtest(hours(FLAT, FLAT, FLAT), signals=[START + 2 * HOUR, START], **fields)
    assert [deal.opened_at.hour for deal in result.deals] == [0, 2]


@pytest.mark.parametrize(
    ("signals", "message"),
    [
        ([START, START - 1], r"signals: index 1: 2023-12-31T23:59:59.999Z is outside of the candles"),
        ([START + 2 * HOUR], r"signals: index 0: .* are from 2024-01-01T00:00:00Z to 2024-01-01T01:00:00Z"),
        ([10**30], "signals: index 0: 10+ is neither whole milliseconds"),
        ([True], "signals: 1 booleans do not match 2 candles; pass one for each"),
        ([True, START], "signals: index 1: times and booleans are mixed"),
        ([START, True], "signals: index 1: times and booleans are mixed"),
        ([None], "signals: index 0: None is neither a time nor a boolean"),
        ([datetime(2024, 1, 1)], "signals: index 0: must be a datetime with a timezone"),  # noqa: DTZ001
        ("now", "signals: expected times, or a boolean for each candle, not str"),
        (3, "signals: expected times, or a boolean for each candle, not int"),
    ],
)
def test_invalid_signals_name_the_index(signals: object, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        botdesk.backtest(hours(FLAT, FLAT), signals=signals, **BASE)


def test_signals_of_a_generator_that_fails_raise_its_error() -> None:
    def failing() -> Any:  # noqa: ANN401
        yield START
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        botdesk.backtest(hours(FLAT), signals=failing(), **BASE)


@pytest.mark.parametrize(
    ("signals", "message"),
    [
        ([START, START + HOUR], "1 of 2 signals of USDT_BTC is before start or not before end; it asks for no deal"),
        (
            [START, START + HOUR, START + 2 * HOUR],
            "2 of 3 signals of USDT_BTC are before start or not before end; they ask for no deal",
        ),
    ],
)
def test_signals_outside_of_start_and_end_are_warnings(signals: list[int], message: str) -> None:
    window: dict[str, Any] = {"start": START + HOUR, "end": START + 2 * HOUR}
    fields: dict[str, Any] = {**BASE, "pairs": "USDT_BTC", "strategy_list": [{"strategy": "manual"}]}
    result = botdesk.backtest(hours(FLAT, FLAT, FLAT), signals=signals, **window, **fields)
    assert len(result.deals) == 1
    assert message in result.warnings
    assert message in repr(result)


def test_a_column_of_signals_is_cut_with_its_candles() -> None:
    fields: dict[str, Any] = {**BASE, "strategy_list": [{"strategy": "manual"}]}
    result = botdesk.backtest(hours(FLAT, FLAT, FLAT), signals=[True, True, True], start=START + HOUR, **fields)
    assert [warning for warning in result.warnings if "signal" in warning] == []


def test_start_and_end_choose_candles_and_signals() -> None:
    candles = hours(*[FLAT] * 6)
    start, end = START + HOUR, datetime(2024, 1, 1, 4, tzinfo=UTC)
    flags = [True, False, True, False, True, True]
    fields: dict[str, Any] = {**BASE, "strategy_list": [{"strategy": "manual"}], "close_deals_timeout": 600}
    result = botdesk.backtest(candles, start=start, end=end, signals=flags, **fields)
    assert (result.candles == candles[1:4], len(candles)) == (True, 6)
    assert [deal.opened_at.hour for deal in result.deals] == [1, 3]


def test_a_signal_from_the_start_on_acts_at_the_first_candle_that_counts() -> None:
    fields: dict[str, Any] = {**BASE, "strategy_list": [{"strategy": "manual"}]}
    signals = [START + HOUR // 2 + 1]
    result = botdesk.backtest(hours(FLAT, FLAT, FLAT), start=START + HOUR // 2, signals=signals, **fields)
    assert [deal.opened_at.hour for deal in result.deals] == [1]


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ({"start": START + 9 * HOUR}, "start: no candle is left between start and end; the candles are from 2024"),
        ({"end": START}, "end: no candle is left"),
        ({"start": START + HOUR, "end": START + 1}, "start: no candle is left"),
        ({"start": str(START)}, None),
        ({"end": "soon"}, "end: 'soon' is neither whole milliseconds since 1970 nor a datetime"),
        ({"start": True}, "start: True is neither"),
        ({"start": datetime(2024, 1, 1)}, "start: must be a datetime with a timezone"),  # noqa: DTZ001
    ],
)
def test_times_that_leave_no_candle_are_errors(times: dict[str, Any], message: str | None) -> None:
    if message is None:
        assert len(botdesk.backtest(hours(FLAT), **times, **BASE).deals) == 1
        return
    with pytest.raises(ValidationError, match=message):
        botdesk.backtest(hours(FLAT), **times, **BASE)


def test_volumes_in_percent_need_a_balance() -> None:
    fields: dict[str, Any] = {**BASE, "base_order_volume": 10, "base_order_volume_type": "percent"}
    with pytest.raises(ValidationError, match="balance: is required: volumes of the bot are in percent of it"):
        botdesk.backtest(hours(FLAT), **fields)
    result = botdesk.backtest(hours(FLAT, RISE), balance=5000, cooldown=86_400, **fields)
    assert [each(deal.volume, deal.profit) for deal in result.deals] == [(500, 5)]
    assert (result.summary.budget, result.summary.profit_percentage_of_budget) == (None, None)


def test_an_order_that_the_balance_does_not_pay_is_a_warning() -> None:
    result = botdesk.backtest(hours(FLAT, FLAT), balance=50, **BASE)
    assert result.warnings == [
        "the first order takes 100, more than the balance of 50; live it would be rejected, the backtest fills it"
    ]
    assert result.warnings[0] in repr(result)
    assert botdesk.backtest(hours(FLAT, FLAT), balance=100, **BASE).warnings == []


def test_orders_that_a_lot_makes_larger_are_a_warning() -> None:
    [warning] = botdesk.backtest(hours(FLAT, FLAT), lot=3, **BASE).warnings
    assert warning.startswith(
        "at the first price, the lot is large: rounded up to it, a deal costs 300, 200 % more than"
    )
    assert botdesk.backtest(hours(FLAT, FLAT), lot=1, **BASE).warnings == []
    fields: dict[str, Any] = {**BASE, "base_order_volume": 10, "base_order_volume_type": "percent", "balance": 1000}
    [warning] = botdesk.backtest(hours(FLAT, FLAT), lot=3, **fields).warnings
    assert warning == (
        "at the first price, the lot is large: rounded up to it, a deal costs 300, 200 % more than its budget of 100"
    )
    assert botdesk.backtest(hours(FLAT, FLAT), lot=1, **fields).warnings == []


def test_safety_orders_in_percent_that_a_lot_makes_larger_are_a_warning() -> None:
    fields: dict[str, Any] = {
        **BASE,
        "balance": 1000,
        "max_safety_orders": 1,
        "safety_order_volume": 5,
        "safety_order_volume_type": "percent",
        "safety_order_step_percentage": 10,
    }
    # The base order buys 1 for 100, and the safety order 1 for 90 instead of 50.
    [warning] = botdesk.backtest(hours(FLAT, FLAT), lot=1, **fields).warnings
    assert warning == (
        "at the first price, the lot is large: rounded up to it, a deal costs 190, 26.7 % more than its budget of 150"
    )
    assert botdesk.backtest(hours(FLAT, FLAT), lot="0.01", **fields).warnings == []


def test_gaps_are_a_warning() -> None:
    rows = [[START + HOUR * hour, *FLAT] for hour in (0, 1, 5, 6, 9)]
    result = botdesk.backtest(rows, pairs="USDT_BTC", **BASE)
    assert result.warnings == [
        "the candles of USDT_BTC have 2 gaps; the price stays the same in each, and jumps at its end"
    ]


OPTIONS: list[dict[str, Any]] = [{}, {"tick": 1}]


def test_candles_that_end_before_those_of_another_pair_are_a_warning() -> None:
    # The start delay of the first pair ends in the fourth hour, after its candles.
    candles = {"USDT_BTC": hours(FLAT, FLAT, FLAT), "USDT_ETH": hours(*[FLAT] * 6)}
    bot = two_pairs(deal_start_delay_seconds=3600, strategy_list=[{"strategy": "manual"}])
    result = bot.backtest(candles, signals={"USDT_BTC": [START + 2 * HOUR + HOUR // 2]})
    assert [(deal.pair, deal.opened_at.hour, deal.duration) for deal in result.deals] == [("USDT_BTC", 3, timedelta())]
    assert "the candles of USDT_BTC end before those of another pair; the price then stays the same" in result.warnings


def test_the_tick_is_the_smallest_decimal_place_of_the_candles() -> None:
    candles = hours(("100.5", "103", "100", "103"))
    by_default, coarse = (botdesk.backtest(candles, cooldown=86_400, **options, **BASE).deals[0] for options in OPTIONS)
    assert each(by_default.exit_price, coarse.exit_price) == (Decimal("101.6"), 102)


def test_the_lot_rounds_quantities_up() -> None:
    (deal,) = botdesk.backtest(hours(("30", "30", "30", "30")), lot="0.1", **BASE).deals
    assert deal.quantity == Decimal("3.4")


@pytest.mark.parametrize("name", ["fee", "slippage"])
def test_a_cost_in_percent_is_the_fraction(name: str) -> None:
    costs: dict[str, Any] = {name: "0.001"}
    fraction = botdesk.backtest(hours(FLAT, RISE), **(BASE | costs))
    same: list[Any] = ["0.1%", "0.1 %", Decimal("0.001"), 0.001]
    for given in same:
        assert botdesk.backtest(hours(FLAT, RISE), **{**BASE, name: given}) == fraction
    assert fraction.warnings == []


@pytest.mark.parametrize("name", ["fee", "slippage"])
@pytest.mark.parametrize("given", ["0.1", 0.1, Decimal("0.10")], ids=repr)
def test_a_cost_that_may_be_meant_in_percent_warns_with_both_readings(name: str, given: Any) -> None:  # noqa: ANN401
    costs: dict[str, Any] = {name: given}
    warning = f'{name}=0.1 is 10 %; for 0.1 %, pass {name}="0.1%"'
    assert warning in botdesk.backtest(hours(FLAT, RISE), **BASE, **costs).warnings
    assert warning in botdesk.sweep(BASE, hours(FLAT, RISE), {"take_profit": [1, 2]}, **costs).warnings
    assert warning in botdesk.sweep(BASE, hours(FLAT, RISE), {"take_profit": [1, 2]}, **costs).best().warnings


def test_plans_warn_about_such_a_fee_too() -> None:
    warning = 'fee=0.1 is 10 %; for 0.1 %, pass fee="0.1%"'
    assert warning in botdesk.plan_ladder(price=100, fee=0.1, **BASE).warnings
    assert warning in botdesk.plan_grid(lower_price=1, upper_price=2, grids_quantity=3, fee="0.1").warnings


def test_a_fee_that_is_no_number_is_left_out_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="^fee is empty .*, so it is left out$"):
        result = botdesk.backtest(hours(FLAT), fee=float("nan"), **BASE)
    assert repr(result).splitlines()[0].endswith(", without a fee")


def test_a_result_names_its_fee() -> None:
    assert repr(botdesk.backtest(hours(FLAT), **BASE)).splitlines()[0].endswith(", without a fee")
    assert repr(botdesk.backtest(hours(FLAT), **BASE, fee="0.1%")).splitlines()[0].endswith(", fee 0.1 %")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fee": 1}, "fee: must be a fraction below 1"),
        ({"fee": "1 percent"}, 'fee: must be a fraction such as 0.001, or a percentage such as "0.1%"'),
        ({"fee": "-0.1"}, "fee: must be a fraction"),
        ({"slippage": 2}, "slippage: must be a fraction"),
        ({"tick": 0}, "tick: must be more than 0"),
        ({"lot": -1}, "lot: must be more than 0"),
        ({"balance": 0}, "balance: must be more than 0"),
        ({"path": "sideways"}, "path: must be one of nearest, low_first, high_first"),
        ({"base_order_volume": None}, "base_order_volume: is required"),
        ({"taek_profit": 1}, "did you mean take_profit"),
    ],
)
def test_invalid_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        botdesk.backtest(hours(FLAT), **(BASE | options))


@pytest.mark.parametrize("deals", [0, 1, None])
def test_a_pair_has_one_deal_at_a_time_unless_more_are_allowed(deals: int | None) -> None:
    result = botdesk.backtest(hours(FLAT, RISE), allowed_deals_on_same_pair=deals, **BASE)
    assert result.summary.deals >= 1
    assert result.summary.budget == 100


def test_a_target_that_is_never_reached_is_a_warning_of_a_backtest_too() -> None:
    never: dict[str, Any] = {**BASE, "take_profit": 100}
    result = botdesk.backtest(hours(FLAT), strategy="short", **never)
    assert "the take profit of the base order is zero or less, so it is never reached" in result.warnings


def test_all_errors_are_listed_at_once() -> None:
    with pytest.raises(ValidationError) as raised:
        botdesk.backtest(hours(FLAT), fee=2, tick=0, base_order_volume=0, max_safety_orders=0)
    assert [error.split(":")[0] for error in raised.value.errors] == ["base_order_volume", "fee", "tick"]


def test_a_malformed_field_is_an_error() -> None:
    with pytest.raises(DecodeError, match=r"botdesk\.backtest takes it as base_order_volume="):
        two_pairs(base_order_volume=[1], pairs=["USDT_BTC"]).backtest(hours(FLAT))


def test_a_grid_bot_needs_a_quantity() -> None:
    bot = botdesk.GridBot.from_json('{"lower_price": "100", "upper_price": "140", "grids_quantity": "5"}')
    with pytest.raises(ValidationError, match="quantity_per_grid: is required for a backtest"):
        bot.backtest(hours(FLAT))


IDLE: list[tuple[dict[str, Any], str]] = [
    ({"strategy_list": [{"strategy": "manual"}]}, "the signals of its strategies are not known; pass signals="),
    ({"strategy_list": [{"strategy": "manual"}], "signals": []}, "there is no signal between the first and the last"),
    ({"deal_start_delay_seconds": 999_999}, "the candles end before deal_start_delay_seconds have passed"),
]


@pytest.mark.parametrize(("fields", "reason"), IDLE)
def test_no_deal_at_all_has_a_reason(fields: dict[str, Any], reason: str) -> None:
    result = botdesk.backtest(hours(FLAT, FLAT), **(BASE | fields))
    assert each(len(result.deals), result.summary.profit, result.summary.profit_percentage) == (0, 0, None)
    (warning,) = [warning for warning in result.warnings if "no deal was opened" in warning]
    assert reason in warning
    assert reason in repr(result)


def test_limits_of_the_price_are_a_reason() -> None:
    candles = {pair: hours(FLAT, FLAT) for pair in ("USDT_BTC", "USDT_ETH")}
    result = two_pairs(max_price="99").backtest(candles)
    assert "no deal was opened: the price was never between min_price and max_price" in result.warnings


def test_a_grid_without_orders_has_a_reason(grid_bot: botdesk.GridBot) -> None:
    result = grid_bot.backtest(hours(FLAT))
    assert result.warnings == [
        *result.warnings[:-1],
        "no order was filled: the price reached no level that has an order",
    ]


def test_candles_of_a_backtest_do_not_change_with_what_they_were_made_of() -> None:
    rows = [[START, *FLAT], [START + HOUR, *RISE]]
    result = botdesk.backtest(rows, **BASE)
    rows.clear()
    assert len(result.candles) == 2
    assert result.candles[0].time == datetime(2024, 1, 1, tzinfo=UTC)
    assert result.candles[1].time - result.candles[0].time == timedelta(hours=1)


LADDER: dict[str, Any] = {
    "base_order_volume": 100,
    "safety_order_volume": 50,
    "safety_order_step_percentage": 1,
    "max_safety_orders": 4,
    "take_profit": 1,
}


@pytest.mark.parametrize("coefficients", [{}, {"martingale_step_coefficient": None}, {"max_active_deals": None}])
def test_the_defaults_are_those_of_the_ladder(coefficients: dict[str, None]) -> None:
    candles = hours((100, 100, 100, 100), (100, 100, 90, 90))
    orders = botdesk.backtest(candles, **LADDER, **coefficients).orders
    plan = botdesk.plan_ladder(price=100, tick=1, lot="0.00000001", **LADDER)
    assert [order.price for order in orders] == [100, 99, 98, 97, 96]
    assert [(order.price, order.quantity) for order in orders] == [(rung.price, rung.quantity) for rung in plan]
    sweep = botdesk.sweep(LADDER, candles, {"cooldown": [0]})
    assert sweep[0].backtest().orders == orders


def test_a_record_without_the_number_of_deals_has_one() -> None:
    record = (
        '{"strategy": "long", "strategy_list": [{"strategy": "nonstop"}], "base_order_volume": "100",'
        ' "max_safety_orders": 0, "take_profit": "1", "take_profit_type": "total"}'
    )
    result = botdesk.DcaBot.from_json(record).backtest(hours((100, 100, 100, 100)))
    assert len(result.deals) == 1
    assert "the record has no max_active_deals; 1 is assumed" in result.warnings


RECORD: dict[str, Any] = {
    "strategy": "long",
    "strategy_list": [{"strategy": "nonstop"}],
    "base_order_volume": "100",
    "safety_order_volume": "50",
    "safety_order_step_percentage": "1",
    "max_safety_orders": 1,
    "active_safety_orders_count": 1,
    "take_profit": "1",
    "take_profit_type": "total",
    "stop_loss_percentage": "5",
}


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"cooldown": "many"}, "cooldown is not a decimal"),
        ({"cooldown": "Infinity"}, "cooldown: is Infinity in the record"),
        ({"active_safety_orders_count": None}, "active_safety_orders_count: is required, but missing in the record"),
        ({"active_safety_orders_count": "x"}, "active_safety_orders_count is not a whole number"),
        ({"trailing_enabled": True}, "trailing_deviation: is required, but missing in the record"),
        ({"trailing_enabled": True, "trailing_deviation": "0"}, "trailing_deviation: must be more than 0"),
        ({"stop_loss_timeout_enabled": True}, "stop_loss_timeout_in_seconds: is required"),
        (
            {"stop_loss_timeout_enabled": True, "stop_loss_timeout_in_seconds": 0},
            "stop_loss_timeout_in_seconds: must be",
        ),
        ({"sl_to_breakeven_enabled": True}, "sl_to_breakeven_data: needs an upper_breakeven_limit"),
        ({"sl_to_breakeven_enabled": True, "sl_to_breakeven_data": {"upper_breakeven_limit": "1"}}, "needs an upper"),
        ({"close_deals_timeout": "x"}, "close_deals_timeout is not a whole number"),
        ({"stop_loss_timeout_enabled": "x"}, "stop_loss_timeout_enabled is not true or false"),
        ({"take_profit_steps": [{"amount_percentage": "x"}]}, "take_profit_steps: step 1 needs"),
        ({"min_price": "x"}, "min_price: is .*x.* in the record, which can't be calculated with"),
    ],
)
def test_a_setting_that_can_not_be_read_is_not_taken_as_off(fields: dict[str, Any], error: str) -> None:
    candles = hours(*DIP)
    assert botdesk.DcaBot.from_json(json.dumps(RECORD)).backtest(candles).deals
    with pytest.raises((DecodeError, ValidationError), match=error):
        botdesk.DcaBot.from_json(json.dumps({**RECORD, **fields})).backtest(candles)


def test_a_trailing_take_profit_needs_its_deviation() -> None:
    with pytest.raises(ValidationError, match="trailing_deviation: is required"):
        botdesk.backtest(hours(*DIP), trailing_enabled=True, **BASE)


def test_a_deal_with_steps_does_not_trail() -> None:
    steps = [{"amount_percentage": 50, "profit_percentage": 1}, {"amount_percentage": 50, "profit_percentage": 2}]
    record = {**RECORD, "take_profit": "0", "take_profit_steps": steps, "trailing_enabled": True}
    result = botdesk.DcaBot.from_json(json.dumps(record)).backtest(hours(*DIP))
    assert result.deals
    assert [setting.field for setting in result.not_simulated] == ["trailing_enabled"]
