"""The data, labels and patterns of the pictures of sweeps."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

import botdesk
from botdesk._pictures.colours import DARK, LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

BOT: dict[str, Any] = {
    "pairs": "USDT_BTC",
    "base_order_volume": 100,
    "safety_order_volume": 100,
    "safety_order_step_percentage": 1,
    "max_safety_orders": 2,
}
PROFITS = ["0.5", "1", "2", "3"]


@pytest.fixture(scope="module")
def candles() -> botdesk.Candles:
    chance = random.Random(3)  # noqa: S311 (prices, no secrets)
    rows: list[list[float]] = []
    price = 100.0
    for hour in range(60 * 24):
        close = min(max(price * (1 + chance.gauss(0, 0.01)), 80), 125)
        rows.append([hour * 3_600_000, price, max(price, close) * 1.002, min(price, close) * 0.998, close])
        price = close
    return botdesk.Candles(rows)


def drawn(ax: Axes) -> list[Axes]:
    """Draw the figure without its pixels, because some errors occur only then, and return its axes."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    return figure.axes


def points(ax: Axes, label: str = "_child0") -> list[tuple[float, float]]:
    (found,) = [line for line in ax.lines if line.get_label() == label]
    return [(float(x), float(y)) for x, y in np.asarray(found.get_xydata())]


def cells(ax: Axes) -> list[list[float | None]]:
    """Return the numbers of a heat map, row by row from below; None for empty cells."""
    (mesh,) = [each for each in ax.collections if each.get_array() is not None]
    untyped: Any = np
    values = untyped.ma.asarray(mesh.get_array())
    return [[None if value is np.ma.masked else float(value) for value in row] for row in values]


def hatched(ax: Axes) -> dict[tuple[float, float], str]:
    """Return the hatches of cells by their places."""
    found = [patch for patch in ax.patches if isinstance(patch, Rectangle) and patch.get_hatch()]
    return {patch.get_xy(): str(patch.get_hatch()) for patch in found}


def legend(ax: Axes) -> list[str]:
    found = ax.get_legend()
    return [] if found is None else [text.get_text() for text in found.get_texts()]


def labels(ax: Axes, axis: str) -> list[str]:
    return [text.get_text() for text in (ax.get_xticklabels() if axis == "x" else ax.get_yticklabels())]


class TestALine:
    def test_it_has_a_point_for_each_value_in_the_order_of_the_values(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": ["3", "0.5", "2"]})
        (ax,) = drawn(sweep.plot())
        profits = {float(point.parameters["take_profit"]): float(point.summary.profit) for point in sweep}
        assert points(ax) == sorted(profits.items())

    def test_it_names_the_setting_the_objective_and_the_best(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS})
        (ax,) = drawn(sweep.plot())
        best = sweep.best(1)[0]
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("take_profit, %", "profit, USDT")
        value = best.parameters["take_profit"]
        profit = f"{best.summary.profit:.7g}".rstrip("0").rstrip(".")
        assert ax.get_title("left") == f"Sweep: profit over take_profit\nbest {profit} USDT at take_profit={value}"
        assert points(ax, "best") == [(float(value), float(best.summary.profit))]
        assert legend(ax) == ["best"]

    def test_refused_values_are_marked_below(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": ["1", "-1", "2"]})
        (ax,) = drawn(sweep.plot())
        assert [x for x, _ in points(ax)] == [1, 2]
        assert [x for x, _ in points(ax, "refused")] == [-1]
        assert legend(ax) == ["best", "refused"]

    def test_values_that_are_no_numbers_are_not_joined(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"start_order_type": ["market", "limit"]}, slippage="0.01")
        (ax,) = drawn(sweep.plot())
        assert labels(ax, "x") == ["market", "limit"]
        assert [x for x, _ in points(ax)] == [0, 1]
        assert ax.lines[0].get_linestyle() == "None"
        assert ax.get_xlabel() == "start_order_type"

    def test_of_other_settings_the_best_is_drawn_and_the_title_says_so(self, candles: botdesk.Candles) -> None:
        grid: dict[str, Any] = {"take_profit": PROFITS, "max_safety_orders": [0, 1, 2], "cooldown": [0, 86400]}
        sweep = botdesk.sweep(BOT, candles, grid)
        (ax,) = drawn(sweep.plot(x="max_safety_orders"))
        for orders, profit in points(ax):
            same = [each.summary.profit for each in sweep if each.parameters["max_safety_orders"] == orders]
            assert profit == float(max(same))
        title = "Sweep: profit over max_safety_orders, the best over take_profit, cooldown"
        assert ax.get_title("left").replace("\n", " ").startswith(title)
        assert ax.get_xlabel() == "max_safety_orders"

    def test_the_best_of_a_figure_of_which_less_is_better_is_the_least(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS}, objective="drawdown")
        (ax,) = drawn(sweep.plot())
        assert points(ax, "best")[0][1] == min(y for _, y in points(ax))
        assert ax.get_ylabel() == "drawdown, USDT"

    @pytest.mark.parametrize(
        ("objective", "label"),
        [
            ("deals", "deals"),
            ("profit_percentage", "profit_percentage, %"),
            ("time_in_market", "time_in_market, %"),
            ("most_safety_orders", "most_safety_orders"),
            ("fees", "fees, USDT"),
        ],
    )
    def test_the_objective_has_its_unit(self, candles: botdesk.Candles, objective: str, label: str) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS}, objective=objective)
        assert sweep.plot().get_ylabel() == label

    def test_durations_are_drawn_in_a_unit_that_fits(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS}, objective="longest_duration")
        (ax,) = drawn(sweep.plot())
        longest = [point.summary.longest_duration for point in sweep]
        assert ax.get_ylabel() == "longest_duration, d"
        assert [y for _, y in points(ax)] == [each.total_seconds() / 86_400 for each in longest if each]

    def test_without_a_pair_no_currency_is_named(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep({**BOT, "pairs": None}, candles, {"take_profit": PROFITS})
        assert sweep.plot().get_ylabel() == "profit"

    def test_combinations_without_a_value_are_marked(self) -> None:
        # No deal ends with the larger take profit, so it has no mean duration.
        rows = [[0, 100, 102, 100, 102], [60000, 102, 102, 100, 100]]
        sweep = botdesk.sweep(
            {**BOT, "max_safety_orders": 0}, rows, {"take_profit": [1, 50]}, objective="mean_duration"
        )
        (ax,) = drawn(sweep.plot())
        assert [x for x, _ in points(ax, "without a value")] == [50]

    def test_a_sweep_in_which_nothing_was_run_can_be_drawn(self, candles: botdesk.Candles) -> None:
        (ax,) = drawn(botdesk.sweep(BOT, candles, {"take_profit": [-1, -2]}).plot())
        assert ax.get_title("left") == "Sweep: profit over take_profit\nno combination was run"
        assert [x for x, _ in points(ax, "refused")] == [-2, -1]


class TestAHeatMap:
    def test_two_settings_make_a_map(self, candles: botdesk.Candles) -> None:
        orders = [2, 0, 1]
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS, "max_safety_orders": orders})
        ax, bar = drawn(sweep.plot())
        profits = {
            (point.parameters["max_safety_orders"], str(point.parameters["take_profit"])): float(point.summary.profit)
            for point in sweep
        }
        assert cells(ax) == [[profits[order, profit] for profit in PROFITS] for order in sorted(orders)]
        assert (labels(ax, "x"), labels(ax, "y")) == (PROFITS, ["0", "1", "2"])
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("take_profit, %", "max_safety_orders")
        assert bar.get_ylabel() == "profit, USDT"
        assert len(ax.texts) == 12

    def test_the_best_cell_has_a_frame(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS, "max_safety_orders": [0, 1]})
        ax, _ = drawn(sweep.plot())
        (frame,) = [patch for patch in ax.patches if isinstance(patch, Rectangle) and not patch.get_hatch()]
        best = sweep.best(1)[0].parameters
        column, row = PROFITS.index(str(best["take_profit"])), [0, 1].index(best["max_safety_orders"])
        assert frame.get_xy() == (column, row)
        assert "max_safety_orders=" in ax.get_title("left")

    def test_refused_combinations_are_hatched(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": ["-1", "1"], "max_safety_orders": [1, 2]})
        ax, _ = drawn(sweep.plot())
        assert hatched(ax) == {(0, 0): "////", (0, 1): "////"}
        assert [row[0] for row in cells(ax)] == [None, None]
        assert ax.get_title("left").endswith("\nhatched: refused")

    def test_combinations_that_were_not_run_are_dotted(self, candles: botdesk.Candles) -> None:
        from concurrent.futures import Future

        class OneWorker:
            """An executor that runs the first chunk, and loses all others."""

            _max_workers = 1

            def __init__(self) -> None:
                self.runs = 0

            def submit(self, function: Callable[..., str], *arguments: object) -> Future[str]:
                future: Future[str] = Future()
                self.runs += 1
                if self.runs == 1:
                    future.set_result(function(*arguments))
                else:
                    future.set_exception(RuntimeError("the worker died"))
                return future

        executor: Any = OneWorker()
        grid: dict[str, Any] = {"take_profit": PROFITS, "max_safety_orders": [1, 2]}
        sweep = botdesk.sweep(BOT, candles, grid, executor=executor)
        ax, _ = drawn(sweep.plot())
        assert len(sweep.missing) == len(hatched(ax)) == 6
        assert set(hatched(ax).values()) == {".."}
        assert ax.get_title("left").endswith("\ndotted: not run")

    def test_axes_are_chosen_by_name(self, candles: botdesk.Candles) -> None:
        grid: dict[str, Any] = {"take_profit": PROFITS, "max_safety_orders": [0, 1, 2], "stop_loss_percentage": [0, 5]}
        sweep = botdesk.sweep(BOT, candles, grid)
        ax, _ = drawn(sweep.plot(x="stop_loss_percentage", y="max_safety_orders"))
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("stop_loss_percentage, %", "max_safety_orders")
        for column, stop in enumerate([0, 5]):
            same = [
                point.summary.profit
                for point in sweep
                if (point.parameters["stop_loss_percentage"], point.parameters["max_safety_orders"]) == (stop, 1)
            ]
            assert cells(ax)[1][column] == float(max(same))
        assert "the best over take_profit" in ax.get_title("left").replace("\n", " ")
        assert sweep.plot(y="stop_loss_percentage").get_xlabel() == "take_profit, %"

    def test_a_large_map_has_no_numbers_in_cells_and_fewer_labels(self, candles: botdesk.Candles) -> None:
        profits = [f"{number / 10}" for number in range(1, 31)]
        sweep = botdesk.sweep(BOT, candles, {"take_profit": profits, "max_safety_orders": [0, 1]})
        ax, _ = drawn(sweep.plot())
        assert len(ax.texts) == 0
        assert len(labels(ax, "x")) == 10

    def test_a_map_without_any_number_can_be_drawn(self, candles: botdesk.Candles) -> None:
        grid: dict[str, Any] = {"take_profit": [-1, -2], "max_safety_orders": [0, 1]}
        (ax,) = drawn(botdesk.sweep(BOT, candles, grid).plot())
        assert len(hatched(ax)) == 4


class TestFolds:
    def test_in_sample_and_out_of_sample_are_apart(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS}, folds=4)
        ax, folds = drawn(sweep.plot())
        bars: list[Any] = list(folds.containers)
        chosen, after = bars
        assert [patch.get_height() for patch in chosen] == [float(fold.value) for fold in sweep.folds]
        assert [patch.get_height() for patch in after] == [float(fold.next_value) for fold in sweep.folds]
        assert {patch.get_hatch() for patch in after} == {"////"}
        assert legend(folds) == ["where it was chosen", "on the next stretch"]
        assert labels(folds, "x") == [f"{fold.start:%Y-%m-%d}" for fold in sweep.folds]
        assert (folds.get_xlabel(), folds.get_ylabel()) == ("start of the stretch, UTC", "profit, USDT")
        assert ax.get_xlabel() == "take_profit, %"

    def test_they_are_below_a_map_too(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS, "max_safety_orders": [0, 1]}, folds=2)
        assert len(drawn(sweep.plot())) == 3

    def test_they_stay_in_the_place_of_given_axes(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS}, folds=3)
        figure, (left, right) = plt.subplots(1, 2)
        place = right.get_position()
        assert sweep.plot(right) is right
        (below,) = [axes for axes in figure.axes if axes not in (left, right)]
        assert below.get_position().y0 == pytest.approx(place.y0)
        assert below.get_position().x0 == pytest.approx(place.x0)


class TestArguments:
    @pytest.mark.parametrize(
        ("arguments", "field", "message"),
        [
            (
                {"x": "cooldown"},
                "x",
                "'cooldown' is not a setting of the sweep; choose from take_profit, max_safety_orders",
            ),
            ({"x": "take_profit", "y": "take_profit"}, "y", "must not be the setting of x"),
            ({"y": "profit"}, "y", "'profit' is not a setting of the sweep"),
        ],
    )
    def test_wrong_axes_are_errors(
        self, candles: botdesk.Candles, arguments: dict[str, Any], field: str, message: str
    ) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS, "max_safety_orders": [0, 1]})
        with pytest.raises(botdesk.ValidationError) as raised:
            sweep.plot(**arguments)
        assert list(raised.value.errors) == [field]
        assert message in str(raised.value)

    def test_the_only_setting_is_no_vertical_axis(self, candles: botdesk.Candles) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS})
        with pytest.raises(botdesk.ValidationError, match="y: must not be the only setting"):
            sweep.plot(y="take_profit")

    @pytest.mark.parametrize(("style", "colour"), [("default", LIGHT.order), ("dark_background", DARK.order)])
    def test_the_colours_fit_the_style(self, candles: botdesk.Candles, style: str, colour: str) -> None:
        with plt.style.context(style):
            ax = botdesk.sweep(BOT, candles, {"take_profit": PROFITS}).plot()
        assert to_hex(ax.lines[0].get_color()) == colour

    def test_the_error_without_matplotlib_explains_how_to_install_it(
        self, candles: botdesk.Candles, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sweep = botdesk.sweep(BOT, candles, {"take_profit": PROFITS})
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(botdesk.ConfigurationError, match="pip install matplotlib"):
            sweep.plot()


class TestTheNotebookView:
    def test_it_is_a_table_with_the_settings_and_notes(self) -> None:
        gap = [[0, 100, 101, 99, 100], [60000, 100, 101, 99, 100], [600000, 100, 101, 99, 100], [660000, 1, 1, 1, 1]]
        sweep = botdesk.sweep(BOT, gap, {"take_profit": ["1", "-1"]}, folds=2)
        html: str = sweep._repr_html_()
        for part in (
            "Sweep of 2 combinations by profit",
            "take_profit",
            "1 combination breaks rules",
            "2 folds",
            "1 gap",
        ):
            assert part in html


class TestTheOwnSetting:
    def test_it_is_marked_in_a_heat_map(self, candles: botdesk.Candles) -> None:
        bot = {**BOT, "take_profit": "2.0"}
        settings: dict[str, Any] = {"take_profit": ["3", "1", "2"], "max_safety_orders": [1, 2]}
        ax = drawn(botdesk.sweep(bot, candles, settings).plot())[0]
        rings = [line for line in ax.lines if line.get_marker() == "o" and len(np.asarray(line.get_xdata()))]
        places = {(float(np.asarray(ring.get_xdata())[0]), float(np.asarray(ring.get_ydata())[0])) for ring in rings}
        assert places == {(1.5, 1.5)}
        assert "the bot's own setting" in legend(ax)

    def test_a_value_between_two_others_is_marked_between_them(self, candles: botdesk.Candles) -> None:
        ax = drawn(botdesk.sweep({**BOT, "take_profit": "1.5"}, candles, {"take_profit": PROFITS}).plot())[0]
        assert points(ax, "the bot's own setting")[0][0] == 1.5

    def test_a_value_outside_and_a_bot_without_one_are_not_marked(self, candles: botdesk.Candles) -> None:
        for bot in ({**BOT, "take_profit": "9"}, BOT):
            ax = drawn(botdesk.sweep(bot, candles, {"take_profit": PROFITS}).plot())[0]
            assert "the bot's own setting" not in legend(ax)

    def test_it_is_that_of_the_record_of_a_bot(self, candles: botdesk.Candles) -> None:
        with botdesk.Sandbox(seed=7) as sandbox:
            bot = sandbox.client().dca_bots.get(41)
        ax = drawn(botdesk.sweep(bot, candles, {"take_profit": ["0.5", "5"]}).plot())[0]
        assert points(ax, "the bot's own setting")[0][0] == pytest.approx(float(bot.take_profit or 0))
