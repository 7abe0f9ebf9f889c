"""Records, lists, plans and previews as HTML in a notebook."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import botdesk
from botdesk import Account, DcaBot, Deal, DepositData, GridBot, Records
from botdesk._lists import _counted

if TYPE_CHECKING:
    from collections.abc import Iterator

# All elements of a table. None of them runs code, loads a resource or links anywhere.
ELEMENTS = {
    *("div", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "style"),
}
ATTRIBUTES = {"class", "scope", "colspan", "title"}
RECORDS = [
    botdesk.Account,
    botdesk.DcaBot,
    botdesk.Deal,
    botdesk.DepositData,
    botdesk.GridBot,
    botdesk.GridLine,
    botdesk.LeverageType,
    botdesk.Money,
    botdesk.Network,
    botdesk.NetworkInfo,
    botdesk.ReduceFundsInfo,
    botdesk.Strategy,
    botdesk.TakeProfitStep,
]
EVIL = "<script>alert('1')</script><img src=x onerror=\"alert(2)\"> \" onmouseover='x' &lt; \u202e ]]> -->"


class Page(HTMLParser):
    """Parses HTML as a browser does: its elements, their attributes, its text, and the rows of its tables."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.styles = ""
        self.text = ""
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.name = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            # The pointer shows the name of a column, whose head is in words.
            self.name = dict(attrs).get("title") or "" if tag == "th" else ""
            self.rows[-1].append(self.name)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["style"]:
            self.styles += data
        elif self.open[-1:] in (["td"], ["th"]) and not self.name:
            self.rows[-1][-1] += data
        self.text += data


def shown(thing: Any) -> Page:  # noqa: ANN401
    page = Page(thing._repr_html_())
    assert page.open == []
    return page


def bot(**fields: object) -> DcaBot:
    return DcaBot.from_json(json.dumps(fields))


def bots(count: int) -> Records[DcaBot]:
    return DcaBot.list_from_json(json.dumps([{"id": number, "name": f"Bot {number}"} for number in range(count)]))


@pytest.fixture(scope="module")
def things() -> Iterator[list[object]]:
    """Return one of each object that a notebook displays."""
    with botdesk.Sandbox(seed=1) as sandbox:
        client = sandbox.client()
        held = client.dca_bots.get(41)
        yield [
            held,
            client.dca_bots.list(),
            held.preview_edit(take_profit="1.5"),
            held.ladder(2500),
            client.grid_bots.enable(203),
            client.grid_bots.enable(203).levels(),
            client.sign("GET", "/ver1/bots"),
            client.with_options(rate_limit=botdesk.RateLimit()).budget,
            held.ladder(2500)[1],
            client.grid_bots.enable(203).levels()[0],
            client.dca_bots.disable_many([41, 999]),
            *client.dca_bots.disable_many([41, 999]),
            client.dca_bots.edit_many([43, 44], cooldown=60, preview=True),
            client.dca_bots.disable_many([43], preview=True)[0],
        ]


class TestARecord:
    def test_the_fields_that_matter_most_come_first(self) -> None:
        page = shown(bot(id=41, name="Früh", cooldown="60", take_profit="1.50", pairs=["USDT_ETH", "USDT_BTC"]))
        assert "DCA bot 41 “Früh”" in page.text
        assert page.rows == [
            ["id", "41"],
            ["name", "Früh"],
            ["pairs", "USDT_ETH, USDT_BTC"],
            ["take_profit", "1.50"],
            ["cooldown", "60"],
        ]

    def test_all_other_fields_are_folded_away(self) -> None:
        html = bot(id=41, cooldown="60", leverage_type="cross")._repr_html_()
        assert "<details><summary>2 more fields</summary>" in html
        assert html.index("<details>") < html.index("cooldown")

    def test_undocumented_fields_are_counted(self) -> None:
        page = shown(bot(id=41, mode={"<deep>": [1.50]}))
        assert "1 undocumented field" in page.text
        assert page.rows[-1] == ["mode", '{"<deep>": [1.5]}']

    def test_records_within_are_tables_of_their_own(self) -> None:
        page = shown(bot(id=41, active_deals=[{"id": 7, "pair": "USDT_ETH", "status": "bought"}, {"id": 8}]))
        assert "active deals: 2" in page.text
        assert page.rows[-3:] == [
            [
                "id",
                "pair",
                "status",
                "created_at",
                "completed_safety_orders_count",
                "bought_volume",
                "actual_usd_profit",
            ],
            ["7", "USDT_ETH", "bought", "", "", "", ""],
            ["8", "", "", "", "", "", ""],
        ]

    def test_null_is_distinguished_from_absent(self) -> None:
        assert shown(bot(id=41, take_profit=None)).rows == [["id", "41"], ["take_profit", "None"]]

    def test_a_value_of_another_type_is_marked_with_a_question_mark(self) -> None:
        assert shown(bot(name=[1])).rows == [["name", "? [1]"]]

    def test_the_error_for_a_value_that_is_not_a_record_explains_it(self) -> None:
        odd = DcaBot.list_from_json('[7, {"id": 1}]')
        assert "the response has something else in its place" in shown(odd[0]).text
        assert shown(odd).rows[1:] == [["0", *["?"] * 8], ["1", "1", *["-"] * 7]]

    @pytest.mark.parametrize("kind", RECORDS)
    def test_every_record_has_a_view(self, kind: Any) -> None:  # noqa: ANN401
        noun = _counted(kind, 1).removeprefix("1 ")
        assert noun.casefold() in shown(kind.from_json("{}")).text.casefold()

    def test_a_field_is_in_words_and_the_pointer_shows_its_name(self) -> None:
        html = bot(id=41, take_profit="1.5")._repr_html_()
        assert '<th scope="row" title="take_profit">take profit</th><td>1.5</td>' in html

    def test_a_long_text_is_cut(self) -> None:
        html = bot(name="x" * 100_000, mode="y" * 100_000)._repr_html_()
        assert len(html) < 10_000


class TestAList:
    def test_it_is_a_table_with_a_row_for_each(self) -> None:
        page = shown(bots(2))
        assert "2 DCA bots" in page.text
        head, first, second = page.rows
        assert head[:4] == ["", "id", "is_enabled", "name"]
        assert (first[:4], second[:4]) == (["0", "0", "-", "Bot 0"], ["1", "1", "-", "Bot 1"])

    def test_a_long_one_is_truncated_and_the_rest_is_counted(self) -> None:
        rows = shown(bots(1_000)).rows
        assert len(rows) == 1 + 60 + 1
        assert rows[56] == ["… 940 more …"]
        assert (rows[55][0], rows[57][0], rows[-1][0]) == ("54", "995", "999")

    def test_sixty_are_shown_whole(self) -> None:
        rows = shown(bots(60)).rows
        assert [row[0] for row in rows[1:]] == [str(place) for place in range(60)]

    def test_an_empty_one_has_its_columns(self) -> None:
        assert shown(bots(0)).rows[0][:2] == ["", "id"]
        assert "0 DCA bots" in shown(bots(0)).text

    def test_a_list_without_a_type_is_shown_too(self) -> None:
        assert "Records" in shown(Records()).text
        assert shown(Records(["<b>"])).rows[-1] == ["0", "'<b>'"]

    def test_a_profit_is_rounded_and_the_pointer_shows_every_digit(self) -> None:
        profits = ["14.69866435849902205507", "-0.0000330980633289966", "1e-30", "123456789012345678.5"]
        records = DcaBot.list_from_json(json.dumps([{"finished_deals_profit_usd": profit} for profit in profits]))
        assert [row[-1] for row in shown(records).rows[1:]] == [
            "14.70",
            "-0.000033",
            f"0.{'0' * 29}1",
            "123456789012345678.50",
        ]
        assert 'title="14.69866435849902205507"' in records._repr_html_()

    def test_settings_are_cut_and_never_to_equal_texts(self) -> None:
        settings = ["1.1234567", "1.1234568", "1.5"]
        records = DcaBot.list_from_json(json.dumps([{"take_profit": setting} for setting in settings]))
        assert [row[-2] for row in shown(records).rows[1:]] == settings
        assert [row[-2] for row in shown(records[1:]).rows[1:]] == ["1.123456…", "1.5"]

    def test_numbers_are_aligned_to_the_right(self) -> None:
        html = DcaBot.list_from_json('[{"id": 1, "take_profit": "1.5"}, {"id": 2}]')._repr_html_()
        assert '<td class="bd-number">1.5</td>' in html
        assert '<td class="bd-number bd-soft">-</td>' in html

    def test_a_loss_is_marked(self) -> None:
        html = DcaBot.list_from_json('[{"finished_deals_profit_usd": "-1.5"}]')._repr_html_()
        assert '<td class="bd-number bd-minus">-1.50</td>' in html


class TestPlans:
    def test_a_ladder_has_a_row_for_each_order_and_its_warnings(self) -> None:
        plan = botdesk.plan_ladder(
            price=100,
            base_order_volume=80,
            safety_order_volume=30,
            max_safety_orders=2,
            safety_order_step_percentage=1,
            martingale_step_coefficient=1,
            stop_loss_percentage=1,
        )
        page = shown(plan)
        assert [row[:3] for row in page.rows] == [
            ["order", "deviation", "price"],
            ["base", "0%", "100"],
            ["1", "1%", "99"],
            ["2", "2%", "98"],
        ]
        assert repr(plan).splitlines()[0] in page.text
        assert plan.warnings[0] in page.text

    def test_a_grid_has_a_row_for_each_level(self) -> None:
        page = shown(botdesk.plan_grid(lower_price=100, upper_price=120, grids_quantity=3, price=108))
        assert page.rows == [["price", "side", "profit"], ["100", "buy", "-"], ["110", "-", "-"], ["120", "sell", "-"]]

    def test_a_plan_remembers_the_pair_of_its_bot(self) -> None:
        ladder: dict[str, Any] = {"base_order_volume": 80, "max_safety_orders": 0, "price": 100}
        assert botdesk.plan_ladder(**ladder, pairs="USDT_ETH").pair == "USDT_ETH"
        assert botdesk.plan_ladder(**ladder, pairs=["USDT_ETH"]).pair == "USDT_ETH"
        assert botdesk.plan_ladder(**ladder, pairs=["USDT_ETH", "USDT_BTC"]).pair is None
        assert botdesk.plan_ladder(**ladder).pair is None

    def test_the_pair_makes_no_difference_between_plans(self) -> None:
        ladder: dict[str, Any] = {"base_order_volume": 80, "max_safety_orders": 0, "price": 100}
        named = botdesk.plan_ladder(**ladder, pairs="USDT_ETH")
        assert named == botdesk.plan_ladder(**ladder)

    def test_a_long_one_is_truncated_and_the_rest_is_counted(self) -> None:
        plan = botdesk.plan_grid(lower_price=100, upper_price=1099, grids_quantity=1_000, tick=1)
        rows, lines = shown(plan).rows, repr(plan).splitlines()
        assert (len(rows), rows[56], rows[-1][0]) == (62, ["… 940 more …"], "1099")
        assert (len(lines), lines[57], lines[-1].split()[0]) == (63, "… 940 more …", "1099")
        assert len(list(plan)) == 1_000

    def test_an_order_alone_shows_all_that_its_row_shows(self) -> None:
        plan = botdesk.plan_ladder(price=100, base_order_volume=80, max_safety_orders=0)
        assert "Rung: the base order" in shown(plan[0]).text
        assert [row[1] for row in shown(plan[0]).rows] == shown(plan).rows[1]

    def test_a_level_alone_shows_all_that_its_row_shows(self) -> None:
        plan = botdesk.plan_grid(lower_price=100, upper_price=120, grids_quantity=3, price=108)
        assert "GridLevel" in shown(plan[0]).text
        assert shown(plan[0]).rows == [["price", "100"], ["side", "buy"], ["profit", "-"]]


class TestManyAtOnce:
    def test_an_item_has_its_outcome(self, things: list[object]) -> None:
        done, failed = things[11], things[12]
        assert shown(done).rows == [["outcome", "done"]]
        assert "41" in shown(done).text
        assert [row[0] for row in shown(failed).rows] == ["outcome", "error"]
        assert shown(failed).rows[1][1].startswith("NotFoundError: ")

    def test_outcomes_are_distinguished_by_colour_as_well(self, things: list[object]) -> None:
        html: str = things[10]._repr_html_()  # type: ignore[attr-defined]
        assert '<td class="bd-yes">done</td>' in html
        assert '<td class="bd-minus">failed</td>' in html

    def test_what_a_service_says_is_escaped(self) -> None:
        item: botdesk.BulkItem[Any] = botdesk.BulkItem(1, EVIL, "failed", None, botdesk.NotFoundError(EVIL))
        page = shown(item)
        assert page.elements <= ELEMENTS
        assert page.attributes <= ATTRIBUTES
        assert "alert('1')" in page.text


class TestEscaping:
    def test_everything_is_made_of_harmless_elements(self, things: list[object]) -> None:
        for thing in things:
            page = shown(thing)
            assert page.elements <= ELEMENTS
            assert page.attributes <= ATTRIBUTES

    @given(st.one_of(st.text(), st.just(EVIL), st.text("<>&\"'/=`- ab")), st.sampled_from(RECORDS), st.data())
    def test_no_text_becomes_an_element_or_an_attribute(self, text: str, kind: Any, data: st.DataObject) -> None:  # noqa: ANN401
        fields: list[str] = sorted(dir(kind))
        names = data.draw(st.lists(st.sampled_from(fields), min_size=1, max_size=5))
        record = kind.from_json(json.dumps({**dict.fromkeys(names, text), text: text, "id": 1, "name": text}))
        for page in (shown(record), shown(Records([record]))):
            assert page.elements <= ELEMENTS
            assert page.attributes <= ATTRIBUTES

    def test_a_string_is_shown_as_it_is(self) -> None:
        assert shown(bot(name='<b>&amp; "x"\'')).rows == [["name", '<b>&amp; "x"\'']]

    def test_a_name_of_an_unknown_field_is_escaped(self) -> None:
        assert shown(bot(**{"<script>": "<script>"})).rows == [["<script>", "<script>"]]

    def test_texts_within_lists_are_escaped(self) -> None:
        page = shown(bot(active_deals=[{"pair": EVIL}], strategy_list=[{"strategy": EVIL, "options": {EVIL: EVIL}}]))
        assert page.elements <= ELEMENTS

    def test_what_turns_the_direction_of_writing_is_taken_out(self) -> None:
        assert "\u202e" not in bot(name="a\u202eb", mode="\u202e")._repr_html_()


class TestSecrets:
    SECRET = "a-secret-of-twenty-letters"

    @pytest.mark.parametrize(
        "record",
        [
            bot(id=1, url_secret=SECRET),
            bot(id=1, api_key=SECRET, secret={"a": SECRET}, mode={"passphrase": SECRET}),
            Account.from_json(json.dumps({"id": 1, "api_key": SECRET, "customer_id": SECRET, "address": SECRET})),
            DepositData.from_json(json.dumps({"address": SECRET, "address_tag": [SECRET], "total_balance": "1"})),
            bot(id=1, active_deals=[{"pair": {"api_key": SECRET}, "api_key": SECRET}], name={"url_secret": SECRET}),
            bot(id=1, name=json.dumps({"url_secret": SECRET})),
        ],
        ids=["bot", "unknown", "account", "deposit", "within", "text"],
    )
    def test_no_secret_is_shown(self, record: Any) -> None:  # noqa: ANN401
        assert self.SECRET in record.to_json()
        assert self.SECRET not in record._repr_html_()

    def test_a_signed_request_does_not_show_its_signature(self, things: list[object]) -> None:
        signed: Any = things[6]
        page = shown(signed)
        assert page.rows[1][:2] == ["GET", "/public/api/ver1/bots"]
        assert signed.signature not in page.text


class TestColours:
    def test_there_are_light_ones_and_dark_ones(self) -> None:
        styles = shown(bots(1)).styles
        assert "@media (prefers-color-scheme: dark)" in styles
        assert "var(--jp-content-font-color1" in styles
        assert "var(--vscode-editor-background" in styles

    def test_the_style_touches_nothing_else_on_the_page(self) -> None:
        styles = re.sub(r"@media[^{]*\{(.*?\})\s*\}", r"\1", shown(bots(1)).styles, flags=re.DOTALL)
        selectors = re.findall(r"([^{}]+)\{[^{}]*\}", styles)
        assert selectors
        for selector in selectors:
            assert all(part.strip().startswith(".botdesk") for part in selector.split(",")), selector

    def test_nothing_is_loaded_from_elsewhere(self, things: list[object]) -> None:
        for thing in things:
            html: str = thing._repr_html_()  # type: ignore[attr-defined]
            assert "url(" not in html
            assert "@import" not in html
            assert "://" not in shown(thing).styles


@pytest.mark.parametrize("module", ["html", "botdesk._pictures", "matplotlib"])
def test_what_draws_is_imported_when_it_draws(module: str) -> None:
    script = f"import sys, botdesk; botdesk.DcaBot.from_json('{{}}'); print({module!r} in sys.modules)"
    process = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert process.stdout == "False\n"


def test_grid_bots_and_deals_are_records_too() -> None:
    assert shown(GridBot.from_json('{"grid_lines": [{"id": 1, "price": "5", "side": null}]}')).rows[-1] == [
        "1",
        "5",
        "None",
        "",
    ]
    assert shown(Deal.from_json('{"id": 5}')).rows == [["id", "5"]]


def test_records_of_several_kinds_are_shown_one_by_one() -> None:
    mixed = botdesk.Records([botdesk.DcaBot.from_json('{"id": 41}'), botdesk.GridBot.from_json('{"id": 201}')])
    assert repr(mixed) == "[<DcaBot id=41>, <GridBot id=201>]"
    assert "GridBot id=201" in mixed._repr_html_()


@pytest.mark.parametrize("rest", [[botdesk.GridBot.from_json('{"id": 2}')], []])
def test_a_long_list_of_any_kind_prints_its_first_and_last_records(rest: list[object]) -> None:
    many = botdesk.Records([*[botdesk.DcaBot.from_json('{"id": 1}')] * 780_000, *rest])
    text = repr(many)
    assert f"… {len(many) - 60} more …" in text
    assert len(text) < 6_000
    assert text.rstrip("]>").endswith("id=2" if rest else "-")
