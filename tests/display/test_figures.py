"""Figures are rounded for people, and never so far that different values look the same."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import pytest

import botdesk
from botdesk import DcaBot, Records
from botdesk._pictures.colours import luminance, text_colour_on
from botdesk._pictures.values import briefs
from botdesk._widgets.record_table import RecordTable

SMALL = ["0.0000000123", "0.0000000120", "0.0000000118"]
CANDLES = botdesk.Candles(
    [[minute * 60_000, 100 + minute % 7, 107 + minute % 7, 96, 100 + minute * 3 % 7] for minute in range(300)]
)
BOT: dict[str, Any] = {
    "pairs": "USDT_BTC",
    "base_order_volume": "100.37",
    "safety_order_volume": 50,
    "safety_order_step_percentage": "1.37",
    "max_safety_orders": 1,
}


def ladder() -> botdesk.Ladder:
    return botdesk.plan_ladder(
        price=SMALL[0],
        tick="0.0000000001",
        lot=1,
        base_order_volume=10,
        safety_order_volume=10,
        max_safety_orders=2,
        safety_order_step_percentage=2,
        take_profit="1.5",
    )


def cells(text: str, column: int) -> list[str]:
    return [line.split()[column] for line in text.splitlines()[2:]]


class TestSmallPrices:
    def test_the_table_of_a_ladder_has_the_digits_of_the_tick(self) -> None:
        assert cells(repr(ladder()), 2) == SMALL
        assert all(f">{price}<" in ladder()._repr_html_() for price in SMALL)

    def test_the_orders_themselves_have_them_too(self) -> None:
        assert [re.findall(r" price=(\S+)", repr(rung))[0] for rung in ladder()] == [
            price.rstrip("0") for price in SMALL
        ]

    def test_so_has_a_grid(self) -> None:
        grid = botdesk.plan_grid(
            lower_price="0.00000001", upper_price="0.00000002", grids_quantity=5, tick="0.0000000001"
        )
        prices = [line.split()[0] for line in repr(grid).splitlines()[2:7]]
        assert prices == ["0.0000000100", "0.0000000125", "0.0000000150", "0.0000000175", "0.0000000200"]

    def test_the_user_may_ask_for_more_and_for_fewer(self) -> None:
        with botdesk.display(decimals=12):
            assert cells(repr(ladder()), 2)[:3] == [price.rstrip("0") for price in SMALL]
        with botdesk.display(decimals=4):
            assert cells(repr(ladder()), 2)[:3] == ["0.00000001…"] * 3

    def test_records_in_a_notebook_keep_them_apart(self) -> None:
        bots = DcaBot.list_from_json(json.dumps([{"take_profit": price} for price in SMALL]))
        shown = re.findall(r">([0-9.]+E-8)<", bots._repr_html_())
        assert len(set(shown)) == len(SMALL)

    def test_labels_of_pictures_keep_them_apart(self) -> None:
        assert briefs([1.23e-8, 1.2e-8]) == ["0.0000000123", "0.000000012"]
        assert briefs([100_000.001, 100_000.002]) == ["100000.001", "100000.002"]


class TestMoney:
    def test_a_backtest_has_two_decimals_and_two_units_of_a_duration(self) -> None:
        result = botdesk.backtest(CANDLES, **BOT, take_profit="1.13", fee="0.001")
        rows = dict(line.split(maxsplit=1) for line in repr(result).splitlines()[2:])
        assert re.fullmatch(r"\d+\.\d\d", rows["profit"])
        assert Decimal(rows["fees"]) == round(result.summary.fees, 2)
        assert re.fullmatch(r"\d+ (s|min|h)( \d+ (s|min))?", rows["longest_duration"])

    def test_every_digit_is_one_hover_away(self) -> None:
        result = botdesk.backtest(CANDLES, **BOT, take_profit="1.13", fee="0.001")
        assert f'title="{result.summary.fees}"' in result._repr_html_()

    def test_a_sweep_rounds_figures_but_no_settings(self) -> None:
        sweep = botdesk.sweep(BOT, CANDLES, {"take_profit": [2, "1.123456789"]}, fee="0.001")
        settings, profits = cells(repr(sweep), 0), cells(repr(sweep), 2)
        assert settings == ["2", "1.123456789"]
        assert all(re.fullmatch(r"-?\d+\.\d\d", profit) for profit in profits)

    def test_deals_are_in_the_currency_of_their_pair(self) -> None:
        deal = botdesk.backtest(CANDLES, **BOT, take_profit="1.13", fee="0.001").deals[0]
        assert re.search(r" profit=\d+\.\d\d ", repr(deal))
        assert re.search(r" duration=\d+ (s|min)", repr(deal))

    def test_a_record_shows_its_profit_with_two_decimals(self) -> None:
        bot = DcaBot.from_json('{"id": 1, "finished_deals_profit_usd": "138.18578612", "take_profit": "1.123456789"}')
        assert "finished_deals_profit_usd=138.19>" in repr(bot)
        assert "take_profit=1.123456789" in repr(bot)
        assert bot.to_dict()["finished_deals_profit_usd"] == "138.18578612"

    def test_the_table_that_follows_bots_keeps_different_profits_apart(self) -> None:
        class Service:
            def list(self, **_: object) -> Records[DcaBot]:
                bots = [
                    {"id": 1, "finished_deals_profit_usd": "138.1851"},
                    {"id": 2, "finished_deals_profit_usd": "138.1852"},
                ]
                return DcaBot.list_from_json(json.dumps(bots)) if not _["offset"] else Records([], DcaBot)

        service: Any = Service()
        table = RecordTable(service, "dca_bots", 10)
        table.poll()
        place = table.columns.index("finished_deals_profit_usd")
        assert [row.shown[place] for row in table.rows] == ["138.1851", "138.1852"]


class TestAComparison:
    @pytest.fixture
    def comparison(self) -> botdesk.BacktestComparison:
        with botdesk.Sandbox() as sandbox:
            bot = sandbox.client().dca_bots.get(41)
            return bot.preview_edit(take_profit="1.7").backtest(CANDLES, fee="0.001")

    def row(self, html: str, name: str) -> list[str]:
        (row,) = re.findall(rf"<tr><td>{name}</td>(.*?)</tr>", html)
        return re.findall(r"<td class=\"(.*?)\"", row)

    def test_its_figures_are_aligned_to_the_right(self, comparison: botdesk.BacktestComparison) -> None:
        html = comparison._repr_html_()
        assert html.count('<th scope="col" class="bd-number">') == 3
        assert all("bd-number" in cell for cell in self.row(html, "longest_duration"))

    def test_fewer_fees_are_better_and_fewer_deals_are_neither(self, comparison: botdesk.BacktestComparison) -> None:
        difference = comparison.difference
        assert difference.fees < 0
        assert difference.deals < 0
        html = comparison._repr_html_()
        assert self.row(html, "fees")[-1] == "bd-number bd-yes"
        assert self.row(html, "deals")[-1] == "bd-number"

    def test_a_lower_profit_is_worse(self, comparison: botdesk.BacktestComparison) -> None:
        better = comparison.difference.profit > 0
        assert self.row(comparison._repr_html_(), "profit")[-1].endswith("bd-yes" if better else "bd-minus")


class TestTheHeatMap:
    def test_each_number_has_the_contrast_of_text_on_every_colour(self) -> None:
        from matplotlib import colormaps
        from matplotlib.colors import to_rgb

        for place in range(256):
            cell = colormaps["viridis"](place)
            dark, light = sorted((luminance(cell), luminance(to_rgb(text_colour_on(cell)))))
            assert (light + 0.05) / (dark + 0.05) >= 4.5

    def test_a_notebook_keeps_the_colours_of_numbers_because_those_of_cells_stay(self) -> None:
        sweep = botdesk.sweep(BOT, CANDLES, {"take_profit": [1, 2, 3], "max_safety_orders": [0, 1, 2]})
        figure: Any = sweep.plot().get_figure()
        html = figure._repr_html_()
        assert "fill: #010101" in html
        assert "fill: #fefefe" in html

    def test_different_numbers_have_different_texts(self) -> None:
        from botdesk._pictures.sweeps import _shorts

        assert _shorts([138.1, 138.4, 5]) == ["138.1", "138.4", "5"]
        assert _shorts([1234.4, 1.234]) == ["1234", "1.23"]
