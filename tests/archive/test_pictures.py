"""The pictures of an archive: profits by day as a calendar, equity, open deals by age and depth, funds in use."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors
from matplotlib import pyplot as plt

import botdesk
from botdesk import ArchiveTable
from botdesk._pictures.calendars import SHADES
from botdesk._pictures.colours import DARK, LIGHT, luminance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _nothing_stays_open() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[botdesk.Archive]:
    path = tmp_path_factory.mktemp("pictures") / "desk.sqlite"
    with botdesk.Sandbox() as sandbox, botdesk.Archive(path) as archive:
        archive.sync(sandbox.client())
        yield archive


def drawn(ax: Axes) -> Any:  # noqa: ANN401
    """Render the figure, because some errors occur only then, and return it."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.canvas.draw()
    return figure


def by_day(*profits: str, first: str = "2026-03-02") -> ArchiveTable:
    """Return a report by day; an empty profit is a day without any."""
    start = date.fromisoformat(first)
    days = [(f"{start + timedelta(days=place)}", profit) for place, profit in enumerate(profits) if profit]
    return ArchiveTable(["day", "profit_usd"], days)


def cells(ax: Axes) -> list[Any]:
    # `Any`: the types of matplotlib call them patches.
    return list(ax.patches)


def hovered(ax: Axes) -> list[str]:
    """Return what a notebook shows under the pointer."""
    figure = drawn(ax)
    html = figure._repr_html_()
    # It is well-formed, and our own.
    ET.fromstring(re.sub("^<style>.*?</style>", "", html, flags=re.DOTALL))  # noqa: S314
    return re.findall("<title>([^<]*)</title>", html)


class TestTheCalendar:
    def test_each_day_is_a_cell_with_its_amount_in_words(self) -> None:
        ax: Any = by_day("12.5", "", "-4").plot()
        assert hovered(ax) == ["2026-03-02: 12.50 USD", "2026-03-03: no profit", "2026-03-04: -4 USD"]
        assert [text.get_text() for text in ax.texts] == ["2", "+12.50", "3", "4", "-4.00"]
        assert [label.get_text() for label in ax.get_yticklabels()] == ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
        assert ax.get_title("left") == (
            "Profit by day, 2026-03-02 to 2026-03-04: 8.50 USD on 2 days\n"
            "best 2026-03-02: 12.50 USD, worst 2026-03-04: -4 USD"
        )

    def test_a_day_is_in_the_row_of_its_weekday_and_the_column_of_its_week(self) -> None:
        ax: Any = by_day(*["1"] * 9, first="2026-03-07").plot()
        places = [(int(cell.get_x()), int(cell.get_y())) for cell in cells(ax)]
        assert places == [(0, 5), (0, 6), *((1, row) for row in range(7))]

    def test_larger_amounts_are_stronger_and_losses_have_another_colour(self) -> None:
        ax: Any = by_day("1", "2", "3", "-30").plot(theme="light")
        shades = [cell.get_alpha() for cell in cells(ax)]
        assert shades == sorted(shades)
        assert (shades[0], shades[-1]) == (SHADES[0], SHADES[-1])
        hues = [colors.to_hex(cell.get_facecolor()) for cell in cells(ax)]
        assert hues == [LIGHT.profit] * 3 + [LIGHT.loss]
        legend = [text.get_text() for text in ax.get_legend().get_texts()]
        assert legend == [
            "loss from 3 USD",
            "profit from 3 USD",
            "profit below 3 USD",
            "profit below 2 USD",
        ]

    def test_amounts_are_readable_on_every_shade(self) -> None:
        for colours in (LIGHT, DARK):
            text, paper = (np.asarray(colors.to_rgb(each)) for each in (colours.price, colours.paper))
            for colour in (colours.profit, colours.loss):
                for shade in SHADES:
                    area = shade * np.asarray(colors.to_rgb(colour)) + (1 - shade) * paper
                    low, high = sorted(luminance([float(part) for part in each]) for each in (area, text))
                    assert (high + 0.05) / (low + 0.05) >= 4.5

    def test_each_year_has_a_block_in_which_losses_are_marked(self) -> None:
        profits = ["-1" if place % 10 == 0 else "1" for place in range(400)]
        ax: Any = by_day(*profits, first="2025-01-01").plot()
        assert [label.get_text() for label in ax.get_yticklabels()] == ["2025", "2026"]
        assert len(cells(ax)) == 400
        assert {text.get_text() for text in ax.texts} == {"−"}  # noqa: RUF001 - a minus
        assert len(ax.texts) == 40

    def test_without_profits_it_says_so(self) -> None:
        assert [text.get_text() for text in by_day().plot().texts] == ["no profits"]

    def test_it_is_900_pixels_wide(self, archive: botdesk.Archive) -> None:
        for table in (archive.report("day"), archive.equity(), archive.open_deals()):
            assert drawn(table.plot()).get_size_inches()[0] * 100 == 900


class TestEquity:
    def test_it_is_the_exact_sum_of_all_profits_over_time(self, archive: botdesk.Archive) -> None:
        table = archive.equity()
        total = sum((row["profit_usd"] for row in archive.report("day")), Decimal(0))
        assert table.rows[-1][2] == total
        times = [row["time"] for row in table]
        assert times == sorted(times)
        highest = Decimal(0)
        for row in table:
            highest = max(highest, row["realized_usd"])
            assert row["drawdown_usd"] == highest - row["realized_usd"]

    def test_a_year_begins_at_zero(self, archive: botdesk.Archive) -> None:
        first = archive.equity(year=2024).rows[0]
        assert first[1] == first[2]
        assert len(archive.equity(year=2023)) == 0

    def test_the_drawdown_is_shaded_and_named(self) -> None:
        rows = [(f"2026-03-0{day}", value) for day, value in enumerate(("10", "4", "12"), 1)]
        ax: Any = ArchiveTable(["time", "realized_usd"], rows).plot()
        drawn(ax)
        fell = "largest drawdown 6 USD on 2026-03-02"
        assert ax.get_title("left") == f"Realized profit: 12 USD from 3 profits\n{fell}"
        (shaded,) = ax.collections
        heights = [float(y) for _, y in shaded.get_paths()[0].vertices]
        assert (min(heights), max(heights)) == (4, 12)
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["realized profit", "drawdown"]

    def test_without_a_fall_nothing_is_shaded(self) -> None:
        ax: Any = ArchiveTable(["time", "realized_usd"], [("2026-03-01", "1"), ("2026-03-02", "2")]).plot()
        assert not ax.collections
        assert ax.get_title("left").endswith("\nno drawdown")


class TestOpenDeals:
    def test_depth_is_measured_from_the_base_order_against_the_deal(self, archive: botdesk.Archive) -> None:
        kept = {
            id_: (strategy, Decimal(entry), Decimal(price), created)
            for id_, strategy, entry, price, created in archive.sql(
                "select id, strategy, base_order_average_price, current_price, created_at from deals "
                "where closed_at is null"
            ).rows
        }
        found = archive.open_deals().to_dicts()
        assert {row["id"] for row in found} == set(kept)
        for row in found:
            strategy, entry, price, _ = kept[row["id"]]
            moved = (price / entry - 1) * (-100 if strategy == "short" else 100)
            assert row["from_entry_percentage"] == round(moved, 2)
        opened = [row["opened_at"] for row in found]
        assert opened == sorted(opened)
        assert {row["max_safety_orders"] for row in found} == {3}

    def test_shapes_say_how_many_safety_orders_are_filled(self) -> None:
        columns = botdesk.Sandbox().client().overview().open_deals[0]._fields
        rows = [
            (number, "bot", "USDT_BTC", "2026-03-01", Decimal(number), filled, 3, Decimal(-filled), Decimal(0))
            for number, filled in enumerate((0, 1, 3), 1)
        ]
        ax: Any = ArchiveTable(columns, rows).plot()
        names = [text.get_text() for text in ax.get_legend().get_texts()]
        assert names == ["no safety order filled", "some filled", "all filled"]
        assert ax.get_title("left") == (
            "3 open deals by age and depth\noldest 3 days, deepest -3 % from entry, 1 with all safety orders filled"
        )
        assert hovered(ax)[2] == "USDT_BTC, deal 3: 3 days, -3 % from entry, 3 of 3 safety orders filled"

    def test_without_open_deals_it_says_so(self, tmp_path: Any) -> None:  # noqa: ANN401
        with botdesk.Archive(tmp_path / "empty.sqlite") as empty:
            assert [text.get_text() for text in empty.open_deals().plot().texts] == ["no open deals"]


class TestOtherTables:
    def test_months_bots_and_pairs_are_bars_with_amounts(self, archive: botdesk.Archive) -> None:
        table = archive.report("pair")
        ax: Any = table.plot()
        drawn(ax)
        assert [label.get_text() for label in ax.get_yticklabels()] == [row["pair"] for row in table]
        profits = {row["pair"]: row["profit_usd"] for row in table}
        assert f"{profits['USDT_VET']:.2f} USD" in [t.get_text() for t in ax.texts]
        assert ax.get_title("left") == f"Profit: {sum(row['profit_usd'] for row in table):.2f} USD"

    def test_funds_have_a_panel_for_each_currency(self, archive: botdesk.Archive) -> None:
        figure = drawn(archive.funds_in_use().plot())
        assert [axes.get_ylabel() for axes in figure.axes] == ["funds, USDC", "funds, USDT"]

    def test_the_same_columns_of_a_query_are_drawn_too(self, archive: botdesk.Archive) -> None:
        query = "select substr(closed_at, 1, 10) as day, decimal_sum(usd_final_profit) as profit_usd from deals"
        ax: Any = archive.sql(f"{query} where closed_at is not null and usd_final_profit is not null group by 1").plot()
        assert ax.get_title("left").startswith("Profit by day, 2024-03-")

    def test_other_columns_and_values_are_refused(self) -> None:
        with pytest.raises(botdesk.ValidationError, match="there is no picture of these") as caught:
            ArchiveTable(["pair"], []).plot()
        assert list(caught.value.errors) == ["columns"]
        with pytest.raises(botdesk.ArchiveError, match="'soon' is not a day or a time"):
            ArchiveTable(["day", "profit_usd"], [("soon", "1")]).plot()
        with pytest.raises(botdesk.ArchiveError, match="'much' is not a number"):
            ArchiveTable(["day", "profit_usd"], [("2026-03-01", "much")]).plot()
        with pytest.raises(botdesk.ValidationError, match="theme"):
            by_day("1").plot(theme="blue")  # type: ignore[arg-type]
