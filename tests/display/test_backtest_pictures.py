"""The data, labels and colours of the pictures of backtests."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import random
import re
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib import dates
from matplotlib import pyplot as plt

import botdesk
from botdesk._pictures.colours import LIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

MINUTE = 60_000
START = datetime(2024, 1, 1, tzinfo=UTC)
GREEN, RED, AMBER, BLUE, BLACK = LIGHT.profit, LIGHT.loss, LIGHT.average, LIGHT.order, LIGHT.price
# The base order buys 1 at 100, the safety order 1 at 98, and 1 % of profit is taken, at a price rounded up to the tick.
# The bot then pauses for a day.
STEADY: dict[str, Any] = {
    "base_order_volume": 100,
    "safety_order_volume": 98,
    "max_safety_orders": 1,
    "safety_order_step_percentage": 2,
    "take_profit": 1,
    "cooldown": 86_400,
}
# The safety order fills at 98 in the second candle, the take profit at 100 in the third.
DIP = [(100, 100, 100, 100), (100, 100.5, 98, 98.5), (98.5, 100.5, 98.4, 100.4)]


def minutes(*rows: tuple[Any, Any, Any, Any]) -> botdesk.Candles:
    begin = int(START.timestamp() * 1000)
    return botdesk.Candles([[begin + MINUTE * index, *row] for index, row in enumerate(rows)])


def random_minutes(count: int, seed: int = 1) -> botdesk.Candles:
    """Return candles of a price that wanders between 80 and 125."""
    chance = random.Random(seed)  # noqa: S311 (prices, no secrets)
    rows: list[tuple[float, float, float, float]] = []
    price = 100.0
    for _ in range(count):
        close = min(max(price * (1 + chance.gauss(0, 0.003)), 80), 125)
        rows.append((price, max(price, close) * 1.001, min(price, close) * 0.999, close))
        price = close
    return minutes(*rows)


def drawn(ax: Axes) -> list[Axes]:
    """Draw the figure without its pixels, because some errors occur only then, and return its panels."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    return figure.axes


def legend(ax: Axes) -> list[str]:
    found = ax.get_legend()
    return [] if found is None else [text.get_text() for text in found.get_texts()]


def line(ax: Axes, label: str) -> list[tuple[float, float]]:
    """Return the points of a line: minutes since the start, and values; those of gaps are left out."""
    (found,) = [line for line in ax.lines if line.get_label() == label]
    points = np.asarray(found.get_xydata())
    return [(since_start(x), float(y)) for x, y in points if not np.isnan(y)]


def symbols(ax: Axes, label: str) -> list[tuple[float, float]]:
    """Return the places of orders: minutes since the start, and prices."""
    (found,) = [symbols for symbols in ax.collections if symbols.get_label() == label]
    return [(since_start(x), float(y)) for x, y in np.asarray(found.get_offsets())]


def since_start(days: float) -> float:
    # `Any`: matplotlib has no types for times.
    untyped: Any = dates
    return round((days - float(untyped.date2num(START))) * 1440, 3)


def minute(time: datetime) -> float:
    return round((time - START) / timedelta(minutes=1), 3)


@pytest.fixture(scope="module")
def client() -> Iterator[botdesk.Client]:
    with botdesk.Sandbox(seed=7) as sandbox:
        yield sandbox.client()


@pytest.fixture(scope="module")
def long_run() -> botdesk.Backtest:
    """Return a backtest of many orders in far more candles than a picture has columns."""
    fields: dict[str, Any] = {**STEADY, "take_profit": "0.3", "stop_loss_percentage": 3, "cooldown": 0}
    return botdesk.backtest(random_minutes(30_000), pairs="USDT_BTC", fee="0.001", **fields)


class TestABacktest:
    def test_the_price_passes_the_extremes_of_each_candle(self) -> None:
        price, *_ = drawn(botdesk.backtest(minutes(*DIP), **STEADY).plot())
        points = line(price, "price")
        assert points[4:8] == [(1, 100), (1.25, 100.5), (1.5, 98), (1.75, 98.5)]
        assert len(points) == 12

    def test_orders_are_drawn_at_their_times_and_prices(self) -> None:
        result = botdesk.backtest(minutes(*DIP), **STEADY)
        price, *_ = drawn(result.plot())
        assert symbols(price, "buy") == [(0, 100), (1.5, 98)]
        assert symbols(price, "sell") == [(minute(result.orders[2].time), 100)]

    def test_the_average_price_and_the_take_profit_follow_the_orders(self) -> None:
        result = botdesk.backtest(minutes(*DIP), **STEADY)
        price, *_ = drawn(result.plot())
        end = minute(result.orders[2].time)
        assert line(price, "average price") == [(0, 100), (1.5, 100), (1.5, 99), (end, 99)]
        assert line(price, "take profit") == [(0, 101), (1.5, 101), (1.5, 100), (end, 100)]

    def test_a_gap_is_between_deals(self) -> None:
        fields: dict[str, Any] = {**STEADY, "cooldown": 0}
        result = botdesk.backtest(minutes(*DIP, *DIP), **fields)
        price, *_ = drawn(result.plot())
        (average,) = [line for line in price.lines if line.get_label() == "average price"]
        assert np.isnan(np.asarray(average.get_ydata(), float)).sum() == len(result.deals) - 1

    def test_profit_and_capital_are_those_of_the_equity(self) -> None:
        result = botdesk.backtest(minutes(*DIP), **STEADY)
        _, profit, capital = drawn(result.plot())
        points = list(result.equity)
        assert line(profit, "realized") == [(minute(at.time), float(at.realized_profit)) for at in points]
        total = [float(at.realized_profit + at.unrealized_profit) for at in points]
        assert [value for _, value in line(profit, "total")] == total
        assert [value for _, value in line(capital, "in use")] == [float(at.capital) for at in points]

    def test_it_says_what_is_what_and_in_which_currency(self) -> None:
        price, profit, capital = drawn(botdesk.backtest(minutes(*DIP), pairs="USDT_BTC", **STEADY).plot())
        title = "Backtest on USDT_BTC: 1 finished deal, 3 orders, without a fee\n"
        title += "profit 2 USDT, open 0 USDT, drawdown 2 USDT, fees 0 USDT, buy and hold 0.79 USDT"
        assert price.get_title("left") == title
        labels = [axes.get_ylabel() for axes in (price, profit, capital)]
        assert labels == ["price, USDT per BTC", "profit, USDT", "capital, USDT"]
        assert [axes.get_xlabel() for axes in (price, profit, capital)] == ["", "", "time, UTC"]
        assert legend(price) == ["price", "average price", "take profit", "buy", "sell"]
        assert (legend(profit), legend(capital)) == (["realized", "total", "drawdown", "buy and hold"], ["in use"])

    def test_buy_and_hold_ends_at_the_figure_of_the_summary(self) -> None:
        candles = {"USDT_BTC": minutes(*DIP), "USDT_ETH": random_minutes(50)}
        for result in (
            botdesk.backtest(minutes(*DIP), fee="0.001", **STEADY),
            botdesk.backtest(candles, pairs=list(candles), max_active_deals=2, fee="0.001", **STEADY),
        ):
            *_, profit, _ = drawn(result.plot())
            points = line(profit, "buy and hold")
            assert points[-1][1] == pytest.approx(float(result.summary.buy_and_hold))
            # Buying and selling at once costs both fees.
            assert points[0][1] == pytest.approx(-0.002 * float(result.summary.most_capital))

    def test_the_drawdown_is_shaded(self) -> None:
        _, profit, _ = drawn(botdesk.backtest(minutes(*DIP), **STEADY).plot())
        (shaded,) = [area for area in profit.collections if area.get_label() == "drawdown"]
        heights = [float(place[1]) for place in np.asarray(shaded.get_paths()[0].vertices)]
        assert (min(heights), max(heights)) == (-2, 2)

    def test_more_than_a_hundred_orders_are_thin_lines(self, long_run: botdesk.Backtest) -> None:
        def box(ax: Axes) -> tuple[float, float]:
            (found,) = [symbols for symbols in ax.collections if symbols.get_label() == "buy"]
            lowest, highest = found.get_paths()[0].get_extents().get_points()
            return float(highest[0] - lowest[0]), float(highest[1] - lowest[1])

        assert len(long_run.orders) > 100
        assert box(drawn(long_run.plot())[0])[0] == 0
        assert box(drawn(botdesk.backtest(minutes(*DIP), **STEADY).plot())[0])[0] > 0

    def test_the_pointer_shows_each_order(self) -> None:
        figure: Any = botdesk.backtest(minutes(*DIP), pairs="USDT_BTC", **STEADY).plot().get_figure()
        titles = re.findall("<title>([^<]*)</title>", figure._repr_html_())
        assert len(titles) == 3
        assert titles[0].startswith("buy of 100 USDT at 100")
        assert titles[0].endswith("2024-01-01 00:00 UTC")

    def test_legends_are_inside_and_cover_nothing(self) -> None:
        for ax in drawn(botdesk.backtest(minutes(*DIP), pairs="USDT_BTC", **STEADY).plot()):
            found: Any = ax.get_legend()
            box, inside = found.get_window_extent(), ax.get_window_extent()
            assert inside.x0 <= box.x0
            assert box.x1 <= inside.x1
            highest = max(ax.transData.transform((0, value))[1] for value in ax.dataLim.intervaly)
            assert highest <= box.y0 + 2

    def test_without_a_pair_no_currency_is_named(self) -> None:
        price, profit, _ = drawn(botdesk.backtest(minutes(*DIP), **STEADY).plot())
        assert (price.get_ylabel(), profit.get_ylabel()) == ("price", "profit")
        assert price.get_title("left").startswith("Backtest: 1 finished deal")

    def test_without_orders_only_the_price_is_drawn(self) -> None:
        price, *_ = drawn(botdesk.backtest(minutes(*DIP), signals=[], **STEADY).plot())
        assert legend(price) == ["price"]
        assert (
            price.get_title("left")
            == "Backtest: 0 orders, without a fee\nprofit 0, open 0, drawdown 0, fees 0, buy and hold 0"
        )

    def test_a_single_candle_can_be_drawn(self) -> None:
        price, *_ = drawn(botdesk.backtest(minutes(DIP[1]), **STEADY).plot())
        assert [value for _, value in line(price, "price")] == [100, 100.5, 98, 98.5]
        assert np.ptp(price.get_xlim()) < 1

    def test_a_short_deal_sells_first(self) -> None:
        rising = [(100, 100, 100, 100), (100, 102, 99.5, 101)]
        price, *_ = drawn(botdesk.backtest(minutes(*rising), strategy="short", **STEADY).plot())
        assert [value for _, value in symbols(price, "sell")] == [100, 102]
        assert line(price, "take profit")[0] == (0, 99)

    def test_a_deal_without_a_take_profit_has_no_line_of_it(self) -> None:
        fields: dict[str, Any] = {**STEADY, "take_profit": None, "stop_loss_percentage": 10}
        price, *_ = drawn(botdesk.backtest(minutes(*DIP), **fields).plot())
        assert "take profit" not in legend(price)
        assert "average price" in legend(price)

    def test_each_pair_has_a_panel(self) -> None:
        candles = {"USDT_BTC": minutes(*DIP), "USDT_ETH": random_minutes(50)}
        result = botdesk.backtest(candles, pairs=list(candles), max_active_deals=2, **STEADY)
        first, second, *_ = panels = drawn(result.plot())
        assert [axes.get_ylabel() for axes in panels] == [
            "price, USDT per BTC",
            "price, USDT per ETH",
            "profit, USDT",
            "capital, USDT",
        ]
        for axes, pair in ((first, "USDT_BTC"), (second, "USDT_ETH")):
            orders = [order for order in result.orders if result.deals[(order.deal or 0) - 1].pair == pair]
            bought = [(minute(order.time), float(order.price)) for order in orders if order.side == "buy"]
            assert symbols(axes, "buy") == bought

    def test_of_many_pairs_the_first_are_drawn(self) -> None:
        candles = {f"USDT_{name}": minutes(*DIP) for name in "ABCDEFGH"}
        panels = drawn(botdesk.backtest(candles, pairs=list(candles), max_active_deals=8, **STEADY).plot())
        assert len(panels) == 6 + 2
        title = "Backtest on 8 pairs, the first 6 drawn: 8 finished deals, 24 orders, without a fee"
        assert panels[0].get_title("left").splitlines()[0] == title

    def test_a_grid_has_orders_without_deals(self, client: botdesk.Client) -> None:
        result = client.grid_bots.enable(203).backtest(minutes((3400, 3500, 3000, 3300), (3300, 3800, 3200, 3700)))
        price, *_ = drawn(result.plot())
        assert legend(price) == ["price", "buy", "sell"]
        assert len(symbols(price, "buy")) + len(symbols(price, "sell")) == len(result.orders) > 0
        title = f"Backtest on USDT_ETH: {len(result.orders)} orders, without a fee\nprofit "
        assert price.get_title("left").startswith(title)


class TestALongBacktest:
    def test_every_order_is_drawn(self, long_run: botdesk.Backtest) -> None:
        price, *_ = drawn(long_run.plot())
        assert len(long_run.orders) > 500
        for side in ("buy", "sell"):
            orders = [(minute(order.time), float(order.price)) for order in long_run.orders if order.side == side]
            assert symbols(price, side) == orders

    def test_lines_have_at_most_some_thousand_points(self, long_run: botdesk.Backtest) -> None:
        price, profit, capital = drawn(long_run.plot())
        assert len(long_run.equity) > 1_002
        assert len(line(price, "price")) <= 4 * 1_002
        for axes, label in ((profit, "realized"), (profit, "total"), (capital, "in use")):
            assert len(line(axes, label)) <= 1_002

    def test_the_extremes_of_the_price_are_kept(self, long_run: botdesk.Backtest) -> None:
        price, *_ = drawn(long_run.plot())
        candles = long_run.candles
        assert isinstance(candles, botdesk.Candles)
        points = line(price, "price")
        hours = range(0, len(candles), 60)
        for start in hours:
            part = candles[start : start + 60]
            seen = [value for time, value in points if start <= time < start + 60]
            assert float(max(candle.high for candle in part)) == max(seen)
            assert float(min(candle.low for candle in part)) == min(seen)

    def test_the_extremes_and_the_end_of_the_profit_are_kept(self, long_run: botdesk.Backtest) -> None:
        _, profit, _ = drawn(long_run.plot())
        total = [float(point.realized_profit + point.unrealized_profit) for point in long_run.equity]
        seen = [value for _, value in line(profit, "total")]
        assert (min(seen), max(seen), seen[-1]) == (min(total), max(total), total[-1])


class TestAComparison:
    def test_before_and_after_are_drawn_over_each_other(self, client: botdesk.Client) -> None:
        preview = client.dca_bots.get(41).preview_edit(take_profit="2.5")
        comparison = preview.backtest(random_minutes(3_000))
        profit, difference, capital = drawn(comparison.plot())
        for name, result in (("before", comparison.before), ("after", comparison.after)):
            total = [float(point.realized_profit + point.unrealized_profit) for point in result.equity]
            assert [value for _, value in line(profit, name)] == total
            assert [value for _, value in line(capital, name)] == [float(point.capital) for point in result.equity]
        assert legend(profit) == legend(capital) == ["before", "after"]
        labels = [axes.get_ylabel() for axes in (profit, difference, capital)]
        assert labels == ["profit, USDT", "difference, USDT", "capital, USDT"]
        assert profit.get_title("left").startswith("Profit at the end: before ")

    def test_the_difference_is_drawn_at_the_times_of_both(self, client: botdesk.Client) -> None:
        preview = client.dca_bots.get(41).preview_edit(take_profit="2.5")
        comparison = preview.backtest(random_minutes(3_000))
        _, difference, _ = drawn(comparison.plot())
        points = line(difference, "after − before")  # noqa: RUF001 - a minus
        ends = [
            float(each.equity[-1].realized_profit + each.equity[-1].unrealized_profit)
            for each in (comparison.before, comparison.after)
        ]
        assert points[-1][1] == pytest.approx(ends[1] - ends[0])
        times = {minute(point.time) for each in (comparison.before, comparison.after) for point in each.equity}
        assert {time for time, _ in points} == times

    def test_an_edit_without_effect_has_a_difference_of_zero(self, client: botdesk.Client) -> None:
        comparison = client.dca_bots.get(41).preview_edit(name="Other").backtest(random_minutes(3_000))
        _, difference, _ = drawn(comparison.plot())
        assert {value for _, value in line(difference, "after − before")} == {0}  # noqa: RUF001 - a minus


class TestPanels:
    def test_they_divide_the_place_of_given_axes(self) -> None:
        figure, (left, right) = plt.subplots(1, 2)
        place = right.get_position()
        assert botdesk.backtest(minutes(*DIP), **STEADY).plot(ax=right) is right
        below = [axes.get_position() for axes in figure.axes if axes not in (left, right)]
        assert [(round(box.x0, 6), round(box.width, 6)) for box in below] == [
            (round(place.x0, 6), round(place.width, 6))
        ] * 2
        assert below[-1].y0 == pytest.approx(place.y0)
        assert right.get_position().y1 == pytest.approx(place.y1)

    def test_they_divide_axes_that_are_in_no_grid(self) -> None:
        figure = plt.figure()
        ax = figure.add_axes((0.1, 0.2, 0.5, 0.6))
        drawn(botdesk.backtest(minutes(*DIP), **STEADY).plot(ax))
        assert figure.axes[-1].get_position().y0 == pytest.approx(0.2)
        assert {round(axes.get_position().width, 6) for axes in figure.axes} == {0.5}

    def test_they_share_their_times(self) -> None:
        price, profit, capital = drawn(botdesk.backtest(minutes(*DIP), **STEADY).plot())
        assert price.get_xlim() == profit.get_xlim() == capital.get_xlim()

    @pytest.mark.parametrize(("style", "colour"), [("default", BLACK), ("dark_background", "#f0f6fc")])
    def test_their_colours_fit_the_style(self, style: str, colour: str) -> None:
        with plt.style.context(style):
            price, *_ = drawn(botdesk.backtest(minutes(*DIP), **STEADY).plot())
        assert price.lines[0].get_color() == colour

    def test_given_dark_axes_have_dark_panels(self) -> None:
        _, ax = plt.subplots()
        ax.set_facecolor("#000000")
        panels = drawn(botdesk.backtest(minutes(*DIP), **STEADY).plot(ax))
        assert {axes.get_facecolor() for axes in panels} == {(0, 0, 0, 1)}

    def test_the_error_without_matplotlib_explains_how_to_install_it(
        self, monkeypatch: pytest.MonkeyPatch, client: botdesk.Client
    ) -> None:
        result = botdesk.backtest(minutes(*DIP), **STEADY)
        comparison = client.dca_bots.get(41).preview_edit(take_profit="2.5").backtest(minutes(*DIP))
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        for thing in (result, comparison):
            with pytest.raises(botdesk.ConfigurationError, match="pip install matplotlib"):
                thing.plot()
