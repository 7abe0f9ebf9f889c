"""The lines, labels and colours of pictures."""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from matplotlib import colors
from matplotlib import pyplot as plt
from thorough import cases

import botdesk
from botdesk import Account, DcaBot, Deal, DepositData, GridBot, NetworkInfo, Records
from botdesk._pictures.colours import DARK, LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.collections import Collection


def ladder(**fields: Any) -> botdesk.Ladder:  # noqa: ANN401
    given: dict[str, Any] = {
        "price": 100,
        "pairs": "USDT_ETH",
        "base_order_volume": 80,
        "safety_order_volume": 30,
        "max_safety_orders": 2,
        "safety_order_step_percentage": 1,
        "take_profit": 1,
        "stop_loss_percentage": 10,
    }
    return botdesk.plan_ladder(**{**given, **fields})


def grid_bot(**fields: object) -> GridBot:
    held = {
        "lower_price": "100",
        "upper_price": "140",
        "grids_quantity": "5",
        "current_price": "121",
        "pair": "USDT_BTC",
    }
    return GridBot.from_json(json.dumps({"id": 1, "name": "Grid bot", **held, **fields}))


def drawn(ax: Axes) -> Axes:
    """Draw the figure without its pixels, because some errors occur only then."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    return ax


def legend(ax: Axes) -> list[str]:
    found = ax.get_legend()
    return [] if found is None else [text.get_text() for text in found.get_texts()]


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def places(dots: Collection) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in np.asarray(dots.get_offsets())]


def heights(ax: Axes, colour: str) -> list[float]:
    """Return the heights of the level lines of a colour."""
    found = [np.asarray(line.get_ydata()) for line in ax.lines if line.get_color() == colour]
    return [float(ends[0]) for ends in found if len(set(ends.tolist())) == 1]


GREEN, RED, AMBER, GREY = LIGHT.profit, LIGHT.loss, LIGHT.average, LIGHT.soft


class TestALadder:
    def test_each_order_is_drawn_at_its_price(self) -> None:
        ax = drawn(ladder().plot())
        (orders,) = ax.collections
        assert places(orders) == [(0, 100), (1, 99), (2, 98)]

    def test_each_order_has_its_average_and_its_target(self) -> None:
        plan = ladder()
        ax = drawn(plan.plot())
        assert heights(ax, AMBER) == [float(rung.average_price) for rung in plan]
        assert heights(ax, GREEN) == [float(rung.take_profit_price or 0) for rung in plan]
        assert heights(ax, RED) == [90]

    def test_it_says_what_is_what_and_in_which_currency(self) -> None:
        ax = drawn(ladder().plot())
        assert legend(ax) == ["average price", "take profit", "order, as large as its size", "stop loss 90"]
        assert ax.get_ylabel() == "price, USDT per ETH"
        assert ax.get_xlabel() == "order, and its size in USDT"
        assert ax.get_title("left") == "Ladder: a deal takes 140 USDT"
        assert [label.get_text() for label in ax.get_xticklabels()] == ["base\n80", "1\n30", "2\n30"]

    def test_the_way_to_the_target_is_written_at_it(self) -> None:
        assert [text for text in texts(drawn(ladder().plot())) if "%" in text] == ["+1.00 %", "+1.74 %", "+2.39 %"]

    def test_without_a_pair_no_currency_is_named(self) -> None:
        ax = drawn(ladder(pairs=["USDT_ETH", "USDT_BTC"]).plot())
        assert (ax.get_ylabel(), ax.get_title("left")) == ("price", "Ladder: a deal takes 140")

    def test_without_take_profit_and_stop_loss_there_is_neither(self) -> None:
        ax = drawn(ladder(take_profit=None, stop_loss_percentage=None).plot())
        assert legend(ax) == ["average price", "order, as large as its size"]

    def test_a_long_one_is_drawn_without_its_numbers(self) -> None:
        ax = drawn(ladder(max_safety_orders=40).plot())
        assert texts(ax) == []
        assert ax.get_xlabel() == "safety order; 0 is the base order"

    def test_an_order_that_is_never_placed_is_not_drawn(self) -> None:
        (orders,) = drawn(ladder(safety_order_step_percentage=60).plot()).collections
        assert len(places(orders)) == 2

    def test_a_small_price_is_written_without_an_exponent(self) -> None:
        ax = drawn(ladder(price="0.00001634", pairs="BTC_XRP").plot())
        assert texts(ax)[0] == "0.00001634"
        assert not any("e" in label.get_text() for label in ax.get_yticklabels())


class TestAGrid:
    def test_each_level_is_a_line_in_the_colour_of_its_side(self) -> None:
        plan = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5, price=121)
        ax = drawn(plan.plot())
        assert (heights(ax, GREEN), heights(ax, RED), heights(ax, GREY)) == ([100, 110], [130, 140], [120])
        assert texts(ax) == ["price 121"]
        assert ax.get_title("left") == "Grid of 5 levels: 2 buy below 121, 2 sell above"
        assert ax.get_ylabel() == "price"

    def test_the_axis_names_levels(self) -> None:
        ax = drawn(botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5).plot())
        assert [label.get_text() for label in ax.get_yticklabels()] == ["100", "110", "120", "130", "140"]

    def test_of_many_levels_some_are_named(self) -> None:
        ax = drawn(botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=1_000).plot())
        assert len(ax.get_yticklabels()) <= 12

    def test_without_a_price_no_side_is_known(self) -> None:
        ax = drawn(botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5).plot())
        assert legend(ax) == ["no order"]
        assert ax.get_title("left") == "Grid of 5 levels"

    def test_the_levels_of_a_bot_are_those_of_the_service(self) -> None:
        lines = [
            {"price": "100", "side": "buy", "order_placed": True},
            {"price": "121", "side": None},
            {"price": "140", "side": "sell", "order_placed": False},
        ]
        ax = drawn(grid_bot(grid_lines=lines).plot())
        assert (heights(ax, GREEN), heights(ax, RED)) == ([100], [140])
        assert legend(ax) == ["buy", "no order", "sell, not placed", "price"]
        assert ax.get_ylabel() == "price, USDT per BTC"
        assert ax.get_title("left") == "Grid bot: 3 levels, 1 buy below 121, 1 sell above"

    def test_levels_that_the_record_does_not_hold_are_planned(self) -> None:
        ax = drawn(grid_bot().plot())
        assert (heights(ax, GREEN), heights(ax, RED)) == ([100, 110], [130, 140])

    def test_stop_losses_are_drawn_where_they_are_enabled(self) -> None:
        prices = {"lower_stop_loss_price": "90", "upper_stop_loss_price": "150"}
        ax = drawn(grid_bot(**prices, lower_stop_loss_enabled=True, upper_stop_loss_enabled=False).plot())
        assert "stop loss 90" in legend(ax)
        assert "stop loss 150" not in legend(ax)

    def test_a_bot_without_a_grid_says_what_is_missing(self) -> None:
        with pytest.raises(botdesk.ValidationError, match="lower_price"):
            GridBot.from_json('{"id": 1}').plot()


class TestDeals:
    def test_each_deal_is_drawn_with_its_targets(self, deals: Callable[..., Records[Deal]]) -> None:
        ax = drawn(deals({}, {"current_price": "3400", "actual_profit_percentage": "-2.86"}).plot())
        found = [place for dots in ax.collections for place in places(dots)]
        assert found == [(3500, 0), (3300, 0), (3570, 0), (3540, 0), (3500, 1), (3300, 1), (3570, 1), (3400, 1)]
        assert legend(ax) == ["average price", "stop loss", "take profit", "price"]
        assert texts(ax) == ["+1.14 %", "-2.86 %"]

    def test_deals_of_one_pair_are_drawn_at_their_prices(self, deals: Callable[..., Records[Deal]]) -> None:
        ax = drawn(deals({}, {}).plot())
        assert ax.get_xlabel() == "price, USDT per ETH"
        assert [label.get_text() for label in ax.get_yticklabels()] == ["deal 1", "deal 2"]

    def test_deals_of_several_pairs_are_compared_in_percent(self, deals: Callable[..., Records[Deal]]) -> None:
        ax = drawn(deals({}, {"pair": "USDT_BTC", "bought_average_price": "200", "current_price": "190"}).plot())
        assert ax.get_xlabel() == "from the average price, %"
        assert [label.get_text() for label in ax.get_yticklabels()] == ["USDT_ETH · deal 1", "USDT_BTC · deal 2"]
        ((now, row),) = places(ax.collections[-1])
        assert (round(now, 6), row) == (-5, 1)

    @pytest.mark.parametrize(("strategy", "colour"), [("long", GREEN), ("short", RED)])
    def test_a_gain_is_green(self, strategy: str, colour: str, deals: Callable[..., Records[Deal]]) -> None:
        # A short deal begins with a sale.
        entry = {"sold_average_price": "2600"} if strategy == "short" else {}
        ax = drawn(deals({"strategy": strategy, **entry}).plot())
        assert heights(ax, colour) == [0]

    def test_what_a_deal_does_not_hold_is_left_out(self, deals: Callable[..., Records[Deal]]) -> None:
        ax = drawn(deals({"stop_loss_price": None, "take_profit_price": "0"}, {"current_price": [1]}).plot())
        assert len(ax.collections) == 2 + 3

    def test_a_bot_draws_its_deals(self, deals: Callable[..., Records[Deal]]) -> None:
        held = [json.loads(deal.to_json()) for deal in deals({}, {})]
        bot = DcaBot.from_json(json.dumps({"name": "Steady", "active_deals": held}))
        assert drawn(bot.plot()).get_title("left") == "Steady: 2 open deals"
        assert drawn(Records([bot, bot]).plot()).get_title("left") == "Deals: 4 open deals"

    def test_an_empty_list_of_deals_is_reported(self) -> None:
        assert drawn(DcaBot.from_json('{"active_deals": []}').plot()).get_title("left") == "DCA bot: no open deals"
        ax = drawn(Records().plot())
        assert ax.get_title("left") == "Deals: no open deals"
        assert [text.get_text() for text in ax.texts] == ["no open deals"]
        assert not ax.get_xticks().size
        assert not ax.get_xlabel()

    def test_of_many_deals_the_first_are_drawn(self, deals: Callable[..., Records[Deal]]) -> None:
        ax = drawn(deals(*[{}] * 50).plot())
        assert ax.get_title("left") == "Deals: 50 open deals, the first 40 drawn"
        assert len(ax.get_yticklabels()) == 40

    def test_the_error_for_a_bot_of_a_list_explains_how_to_get_its_deals(self) -> None:
        with pytest.raises(botdesk.ValidationError, match=r"refresh\(\)") as caught:
            DcaBot.from_json('{"id": 1}').plot()
        assert list(caught.value.errors) == ["active_deals"]

    def test_a_single_deal_is_drawn_with_its_targets(self, deals: Callable[..., Records[Deal]]) -> None:
        ax = drawn(deals({})[0].plot())
        assert [place for dots in ax.collections for place in places(dots)] == [
            (3500, 0),
            (3300, 0),
            (3570, 0),
            (3540, 0),
        ]
        assert (ax.get_title("left"), ax.get_xlabel()) == ("USDT_ETH · deal 1", "price, USDT per ETH")

    def test_a_deal_without_prices_is_drawn_empty(self) -> None:
        assert drawn(Deal.from_json("{}").plot()).get_title("left") == "? · deal None"

    def test_other_records_are_rejected(self) -> None:
        with pytest.raises(TypeError, match="not a GridBot"):
            Records([grid_bot()]).plot()


def names(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


class TestAmounts:
    def test_an_account_shows_what_it_gained(self) -> None:
        gains = {
            "day_profit_usd": "3.5",
            "day_profit_usd_percentage": "0.4",
            "usd_profit": "-2",
            "total_usd_profit": "40",
        }
        ax = drawn(Account.from_json(json.dumps({"name": "Main", "usd_amount": "900.5", **gains})).plot())
        assert (ax.get_title("left"), ax.get_xlabel()) == ("Main: holds 900.50 USD", "profit, USD")
        assert names(ax) == ["day", "month", "since the beginning"]
        assert texts(ax) == ["3.5 (0.40 %)", "-2", "40"]
        assert [bar.get_width() for bar in ax.patches] == [3.5, -2, 40]  # type: ignore[attr-defined]

    def test_what_is_not_known_of_an_account_is_marked(self) -> None:
        ax = drawn(Account.from_json('{"usd_profit": "x"}').plot())
        assert (ax.get_title("left"), texts(ax)) == ("Account", ["not known"] * 3)

    def test_accounts_show_what_each_holds(self) -> None:
        each = [{"id": 1, "name": "Main", "usd_amount": "900"}, {"id": 2, "usd_amount": "100"}, {"id": 3}]
        ax = drawn(Account.list_from_json(json.dumps(each)).plot())
        assert (ax.get_title("left"), names(ax)) == ("3 accounts: 1000 USD", ["Main", "account 2", "account 3"])
        assert texts(ax) == ["900", "100", "not known"]

    def test_of_many_accounts_the_first_are_drawn(self) -> None:
        ax = drawn(Account.list_from_json(json.dumps([{"usd_amount": "1"}] * 50)).plot())
        assert (ax.get_title("left"), len(names(ax))) == ("50 accounts: 50 USD, the first 40 drawn", 40)

    def test_a_balance_is_distinguished_from_what_is_in_orders(self) -> None:
        held = '{"available_balance": "3", "in_orders": "1.5", "total_balance": "4.5"}'
        ax = drawn(DepositData.from_json(held).plot())
        assert (ax.get_title("left"), names(ax), texts(ax)) == (
            "The account holds 4.5",
            ["free", "in orders"],
            ["3", "1.5"],
        )

    def test_networks_show_what_a_withdrawal_costs(self) -> None:
        networks = [
            {"network": "TRX", "withdraw_fee": "1", "withdraw_enable": True},
            {"network": "ETH", "withdraw_fee": "8.5", "withdraw_enable": False},
        ]
        ax = drawn(NetworkInfo.from_json(json.dumps({"currency": "USDT", "network_list": networks})).plot())
        assert (ax.get_title("left"), ax.get_xlabel()) == ("USDT: 2 networks", "fee of a withdrawal, USDT")
        assert (names(ax), texts(ax)) == (["TRX", "ETH"], ["1", "8.5, closed"])

    def test_a_currency_without_networks_is_drawn_empty(self) -> None:
        assert drawn(NetworkInfo.from_json("{}").plot()).get_title("left") == "currency: 0 networks"


class TestAllPictures:
    def test_they_can_be_drawn_beside_something_else(self) -> None:
        _, (left, right) = plt.subplots(1, 2)
        assert ladder().plot(left) is left
        assert grid_bot().plot(ax=right) is right

    @pytest.mark.parametrize("style", ["default", "dark_background"])
    def test_they_can_be_seen_on_light_and_on_dark(self, style: str, deals: Callable[..., Records[Deal]]) -> None:
        with plt.style.context(style):
            account = Account.from_json('{"usd_profit": "-2", "total_usd_profit": "40"}')
            for thing in (ladder(), grid_bot(), deals({}, {"current_price": "3400"}), account):
                ax = drawn(thing.plot())
                behind = luminance(ax.get_facecolor())
                inks = [line.get_color() for line in ax.lines] + [
                    text.get_color() for text in ax.texts if not text.get_bbox_patch()
                ]
                assert min(contrast(luminance(ink), behind) for ink in inks) > 3

    def test_on_nothing_the_text_shows_whether_it_is_dark(self) -> None:
        with plt.style.context({"axes.facecolor": "none", "figure.facecolor": "none", "text.color": "white"}):
            assert DARK.profit in [line.get_color() for line in ladder().plot().lines]

    @settings(
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
        max_examples=cases(6, 20),
        deadline=None,
    )
    @given(name=st.text("$\\_^{}%<a \n\u202e", max_size=60), pair=st.text("$\\_^{}a", max_size=20))
    def test_any_name_and_pair_can_be_drawn(self, name: str, pair: str, deals: Callable[..., Records[Deal]]) -> None:
        held = [json.loads(deal.to_json()) for deal in deals({"pair": pair}, {})]
        drawn(DcaBot.from_json(json.dumps({"name": name, "active_deals": held})).plot())
        drawn(grid_bot(name=name, pair=pair).plot())
        drawn(ladder(pairs=pair or "a").plot())
        drawn(Account.from_json(json.dumps({"name": name})).plot())
        networks = [{"network": name, "withdraw_fee": "1"}]
        drawn(NetworkInfo.from_json(json.dumps({"currency": pair, "network_list": networks})).plot())
        plt.close("all")

    def test_the_error_without_matplotlib_explains_how_to_install_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        for thing in (ladder(), grid_bot(), Records(kind=DcaBot), DcaBot.from_json('{"active_deals": []}')):
            with pytest.raises(botdesk.ConfigurationError, match="pip install matplotlib"):
                thing.plot()

    def test_tables_and_plans_do_without_matplotlib(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        assert "<table>" in ladder()._repr_html_()

    def test_those_of_the_documentation_are_there_and_small(self) -> None:
        folder = Path(__file__).parents[2] / "docs" / "images"
        sizes = {path.name: path.stat().st_size for path in folder.glob("*.png")}
        assert {
            f"{name}-{theme}.png"
            for name in ("backtest", "deals", "grid", "ladder", "notebook")
            for theme in ("light", "dark")
        } <= {*sizes}
        assert max(sizes.values()) < 180_000


def luminance(colour: Any) -> float:  # noqa: ANN401
    """Return how bright a colour is, as WCAG counts it."""
    channels = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colors.to_rgb(colour)]
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), channels, strict=True))


def contrast(one: float, other: float) -> float:
    brighter, darker = max(one, other), min(one, other)
    return (brighter + 0.05) / (darker + 0.05)
