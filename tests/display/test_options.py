"""The options of `botdesk.display`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import botdesk
from botdesk import DcaBot, Records

if TYPE_CHECKING:
    from collections.abc import Iterator

CUT = "a number that ends in … has more digits; botdesk.display(decimals=…) shows them"


@pytest.fixture(autouse=True)
def _options_are_restored() -> Iterator[None]:
    yield
    botdesk.display(rows=None, columns=None, decimals=None)


def bots(count: int, **fields: object) -> Records[DcaBot]:
    each = [{"id": number, "name": f"Bot {number}", **fields} for number in range(count)]
    return DcaBot.list_from_json(json.dumps(each))


def current() -> tuple[int | None, int | None, int | None]:
    options = botdesk.display()
    return options.rows, options.columns, options.decimals


class TestSetting:
    def test_a_call_sets_options_until_the_next_call(self) -> None:
        botdesk.display(rows=4)
        botdesk.display(decimals=2)
        assert current() == (4, None, 2)

    def test_none_restores_the_default(self) -> None:
        botdesk.display(rows=4, columns=3, decimals=2)
        botdesk.display(rows=None)
        assert current() == (None, 3, 2)

    def test_a_block_restores_the_options_from_before(self) -> None:
        botdesk.display(rows=4)
        with botdesk.display(rows=2, decimals=1) as options:
            assert (options.rows, current()) == (2, (2, None, 1))
        assert current() == (4, None, None)

    def test_a_block_restores_them_after_an_error_too(self) -> None:
        with pytest.raises(KeyError), botdesk.display(rows=2):
            raise KeyError
        assert current() == (None, None, None)

    def test_blocks_may_be_nested_and_entered_again(self) -> None:
        options = botdesk.display(rows=2)
        with options:
            with botdesk.display(columns=1):
                assert current() == (2, 1, None)
            assert current() == (2, None, None)
        assert current() == (None, None, None)
        with options:
            assert current() == (2, None, None)
        assert current() == (None, None, None)

    def test_the_options_print_themselves(self) -> None:
        assert repr(botdesk.display(rows=4)) == "<DisplayOptions rows=4 columns=None decimals=None>"

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            *(("rows", value) for value in (0, -1, 100_001, 10**30, 1.5, "5", True)),
            *(("columns", value) for value in (0, 1_001, False)),
            *(("decimals", value) for value in (-1, 1_001, -(10**30), 2.0)),
        ],
    )
    def test_another_value_is_rejected_and_nothing_is_set(self, name: str, value: Any) -> None:  # noqa: ANN401
        given: dict[str, Any] = {"rows": 7, name: value}
        with pytest.raises(botdesk.ValidationError, match=f"{name}: must be a whole number between") as caught:
            botdesk.display(**given)
        assert list(caught.value.errors) == [name]
        assert repr(value) in str(caught.value)
        assert current() == (None, None, None)

    def test_all_errors_are_reported_at_once(self) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            botdesk.display(rows=0, decimals=-1)
        assert list(caught.value.errors) == ["rows", "decimals"]

    def test_arguments_have_names(self) -> None:
        with pytest.raises(TypeError):
            botdesk.display(5)  # type: ignore[call-arg]


class TestRows:
    def test_of_a_long_list_the_first_and_the_last_are_shown(self) -> None:
        with botdesk.display(rows=4):
            lines = repr(bots(484)).splitlines()
        assert [line.split()[0] for line in lines] == ["id", "0", "1", "…", "482", "483"]
        assert lines[3] == "… 480 more …"

    def test_without_options_sixty_are_shown(self) -> None:
        lines = repr(bots(540)).splitlines()
        assert (len(lines), lines[56]) == (1 + 60 + 1, "… 480 more …")
        assert len(repr(bots(60)).splitlines()) == 61

    def test_they_apply_to_notebooks_and_to_plans(self) -> None:
        plan = botdesk.plan_grid(lower_price=100, upper_price=199, grids_quantity=100, tick=1)
        with botdesk.display(rows=3):
            assert "… 97 more …" in plan._repr_html_()
            assert repr(plan).splitlines()[4] == "… 97 more …"
            assert "… 7 more …" in bots(10)._repr_html_()

    def test_the_list_itself_stays_whole(self) -> None:
        with botdesk.display(rows=1):
            assert len(list(bots(100))) == 100


class TestColumns:
    def test_the_first_and_the_last_are_shown(self) -> None:
        with botdesk.display(columns=3):
            text = repr(bots(1)).splitlines()
            html = bots(1)._repr_html_()
        assert text[0].split() == ["id", "is_enabled", "…", "finished_deals_profit_usd"]
        assert text[-1] == "! 5 columns are not shown; botdesk.display(columns=…) shows more"
        assert "5 columns are not shown" in html
        assert '<th scope="col">take_' not in html

    def test_enough_columns_are_shown_whole(self) -> None:
        whole = repr(bots(1))
        with botdesk.display(columns=8):
            assert repr(bots(1)) == whole


class TestDecimals:
    PROFIT = "14.69866435849902205507"

    def test_digits_are_cut_marked_and_explained(self) -> None:
        found = bots(1, finished_deals_profit_usd=self.PROFIT)
        with botdesk.display(decimals=2):
            lines = repr(found).splitlines()
            html = found._repr_html_()
        assert lines[1].endswith(" 14.69…")
        assert lines[-1] == f"! {CUT}"
        assert f'<td class="bd-number" title="{self.PROFIT}">14.69…</td>' in html
        assert CUT in html

    def test_more_of_them_show_every_digit(self) -> None:
        found = bots(1, finished_deals_profit_usd=self.PROFIT)
        with botdesk.display(decimals=1_000):
            assert repr(found).splitlines()[1].endswith(f" {self.PROFIT}")
            assert CUT not in repr(found)

    def test_values_never_change(self) -> None:
        found = bots(1, finished_deals_profit_usd=self.PROFIT)
        with botdesk.display(decimals=0):
            assert str(found[0].finished_deals_profit_usd) == self.PROFIT
            assert self.PROFIT in found[0].to_json()

    def test_a_record_alone_is_cut_only_on_demand(self) -> None:
        (record,) = bots(1, finished_deals_profit_usd=self.PROFIT)
        assert self.PROFIT in record._repr_html_()
        with botdesk.display(decimals=2):
            assert ">14.69…<" in record._repr_html_()
            assert CUT in record._repr_html_()

    def test_plans_are_cut_too(self) -> None:
        plan = botdesk.plan_ladder(price="2561.66911", base_order_volume=80, max_safety_orders=0)
        with botdesk.display(decimals=2):
            assert "2561.66…" in repr(plan)
            assert f"! {CUT}" in repr(plan)

    def test_the_preview_of_an_edit_shows_every_digit(self) -> None:
        with botdesk.Sandbox(seed=1) as sandbox, botdesk.display(decimals=0):
            client = sandbox.client()
            preview = client.dca_bots.get(41).preview_edit(take_profit="1.23456789")
            many = client.dca_bots.edit_many([41, 43], take_profit="1.23456789", preview=True)
        for shown in (repr(preview), preview._repr_html_(), repr(many), many._repr_html_()):
            assert "1.23456789" in shown
            assert "1…" not in shown

    def test_an_error_shows_every_digit(self) -> None:
        with pytest.raises(botdesk.ValidationError) as caught:
            botdesk.plan_ladder(price="-1.23456789", base_order_volume=80, max_safety_orders=0)
        with botdesk.display(decimals=0):
            assert "-1.23456789" in caught.value._repr_html_()
