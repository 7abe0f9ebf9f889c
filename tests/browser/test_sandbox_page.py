"""The page of a sandbox, in Chromium."""

from __future__ import annotations

import re
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Route

HOSTILE_NAME = "<img src=x onerror=\"document.title='run'\"><b>bold</b>"


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox with two bots, one of which has a hostile name."""
    with botdesk.Sandbox(bots=1) as sandbox:
        sandbox.add_dca_bot(name=HOSTILE_NAME, pairs=["USDT_ETH"], is_enabled=True)
        yield sandbox


@pytest.fixture
def page(browser: Browser, sandbox: botdesk.Sandbox) -> Iterator[Page]:
    """Open the page of the sandbox; the test fails if it has errors in its script or its policy."""
    errors: list[str] = []
    page = browser.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if "Content Security" in message.text else None)
    page.goto(sandbox.page_url)
    sync_api.expect(page.locator("#connection")).to_contain_text("live")
    yield page
    page.close()
    assert errors == []


def rows(page: Page, table: str) -> list[list[str]]:
    """Return the cells of a table."""
    return [row.locator("td").all_inner_texts() for row in page.locator(f"#table-{table} tbody tr").all()]


def price(page: Page, pair: str) -> str:
    return next(row[1] for row in rows(page, "prices") if row[0] == pair)


def field(page: Page, label: str) -> Locator:
    """Return the field of a form."""
    return page.locator("label", has_text=re.compile(f"^{label}")).locator("input, select")


def move(page: Page, pair: str, to: str, button: str = "Move") -> None:
    field(page, "Pair").fill(pair)
    field(page, "Price").fill(to)
    page.get_by_role("button", name=button, exact=True).click()


@contextmanager
def stalled(page: Page, pattern: str) -> Generator[None]:
    """Hold the requests of a page back until the end of the block."""
    held: list[Route] = []
    is_over = False

    def handle(route: Route) -> None:
        if is_over:
            route.continue_()
        else:
            held.append(route)

    page.route(pattern, handle)
    yield
    is_over = True
    for route in held:
        route.continue_()


def test_it_shows_bots_deals_prices_and_requests(page: Page, sandbox: botdesk.Sandbox) -> None:
    sandbox.client().dca_bots.get(41).disable()
    sync_api.expect(page.locator("#table-requests tbody tr")).to_have_count(2)
    assert [row[:3] for row in rows(page, "requests")] == [
        ["POST", "/public/api/ver1/bots/41/disable", "201"],
        ["GET", "/public/api/ver1/bots/41/show", "200"],
    ]
    assert all(float(row[3]) >= 0 for row in rows(page, "requests"))
    assert rows(page, "dca_bots")[0][:3] == ["41", "Steady ETH long", "no"]
    assert {row[3] for row in rows(page, "deals")} == {"USDT_ETH"}
    assert price(page, "USDT_BTC")


def test_a_calendar_shows_the_profits_by_day(page: Page, sandbox: botdesk.Sandbox) -> None:
    deals = [deal for deal in sandbox.finished_deals(41) if deal.closed_at]
    newest = max(deal.closed_at for deal in deals if deal.closed_at)
    profit = sum(
        (deal.usd_final_profit or Decimal(0) for deal in deals if f"{deal.closed_at:%F}" == f"{newest:%F}"), Decimal(0)
    )
    day = page.locator(f"#calendar td[title^='{newest:%F}: ']")
    title = day.get_attribute("title")
    assert title is not None
    assert Decimal(title.split()[1]) == profit
    assert f"{abs(profit):.2f}" in day.inner_text()
    assert page.locator("#calendar tbody tr").count() == 5


def test_a_hostile_name_is_text(page: Page) -> None:
    assert HOSTILE_NAME in [row[1] for row in rows(page, "dca_bots")]
    assert page.locator("img, b").count() == 0
    assert page.title() == "botdesk sandbox"


def test_a_price_moves_and_jumps(page: Page, sandbox: botdesk.Sandbox) -> None:
    sandbox.set_price("USDT_ETH", 2500)
    move(page, "USDT_ETH", "2600")
    sync_api.expect(page.get_by_role("alert")).to_have_text("done: move price USDT_ETH 2600")
    assert price(page, "USDT_ETH") == "2600"
    move(page, "USDT_ETH", "2600.10", "Jump")
    sync_api.expect(page.get_by_role("alert")).to_have_text("done: set price USDT_ETH 2600.10")
    assert price(page, "USDT_ETH") == "2600.10"


def test_a_click_on_a_pair_fills_the_form(page: Page) -> None:
    page.locator("#table-prices").get_by_role("button", name="USDT_SOL").click()
    assert field(page, "Pair").input_value() == "USDT_SOL"


@pytest.mark.parametrize(("pair", "to"), [("USDT_ETH", "many"), ("ETH-USDT", "1"), ("USDT_ETH", "-1")])
def test_a_wrong_input_is_reported_on_the_page(page: Page, sandbox: botdesk.Sandbox, pair: str, to: str) -> None:
    before = price(page, "USDT_ETH")
    move(page, pair, to)
    alert = page.get_by_role("alert")
    sync_api.expect(alert).to_contain_text("move price: ")
    sync_api.expect(alert).to_have_class("message error")
    assert price(page, "USDT_ETH") == before
    assert sandbox.requests == []


def test_a_table_stays_where_it_was_scrolled_to(page: Page, sandbox: botdesk.Sandbox) -> None:
    page.set_viewport_size({"width": 620, "height": 800})
    deals = page.locator("#table-deals .scroll")
    deals.evaluate("element => { element.scrollLeft = 200; element.scrollTop = 20; }")
    before = deals.evaluate("element => [element.scrollLeft, element.scrollTop]")
    assert before[0] > 0
    bots = [sandbox.add_dca_bot(name="New", pairs=["USDT_BTC"], is_enabled=True) for _ in range(3)]
    sandbox.set_price("USDT_BTC", "61000")
    sync_api.expect(deals).to_contain_text(str(bots[-1]))
    assert deals.evaluate("element => [element.scrollLeft, element.scrollTop]") == before


def test_the_focus_stays_on_a_pair_whose_price_changes(page: Page, sandbox: botdesk.Sandbox) -> None:
    pair = page.locator("#table-prices").get_by_role("button", name="USDT_SOL")
    pair.focus()
    sandbox.set_price("USDT_SOL", "123.45")
    sync_api.expect(page.locator("#table-prices")).to_contain_text("123.45")
    sync_api.expect(pair).to_be_focused()


def test_a_new_pair_replaces_another_among_the_suggestions(page: Page, sandbox: botdesk.Sandbox) -> None:
    sandbox.set_price("USDT_AAA", "1")
    suggestion = page.locator("#pairs option")
    sync_api.expect(page.locator("#table-prices")).to_contain_text("USDT_AAA")
    # Both changes fall between two polls.
    with stalled(page, "**/_sandbox/state"):
        sandbox.reset()
        sandbox.set_price("USDT_ZZZ", "1")
    sync_api.expect(page.locator("#table-prices")).to_contain_text("USDT_ZZZ")
    assert "USDT_ZZZ" in suggestion.evaluate_all("options => options.map((option) => option.value)")


def test_an_action_that_takes_long_is_reported_before_it_ends(page: Page, sandbox: botdesk.Sandbox) -> None:
    before = sandbox.clock.now
    with stalled(page, "**/_sandbox/actions/advance"):
        page.get_by_role("button", name="+1 h").click()
        sync_api.expect(page.get_by_role("alert")).to_have_text("in progress: advance 3600")
        assert sandbox.clock.now == before
    sync_api.expect(page.get_by_role("alert")).to_have_text("done: advance 3600")
    assert (sandbox.clock.now - before).total_seconds() == 3600


def test_a_sandbox_that_does_not_respond_is_not_live(page: Page) -> None:
    with stalled(page, "**/_sandbox/state"):
        sync_api.expect(page.locator("#connection")).to_have_text("waiting for the sandbox …")
    sync_api.expect(page.locator("#connection")).to_contain_text("live")


def test_the_clock_is_advanced(page: Page, sandbox: botdesk.Sandbox) -> None:
    before = sandbox.clock.now
    page.get_by_role("button", name="+1 h").click()
    sync_api.expect(page.get_by_role("alert")).to_have_text("done: advance 3600")
    field(page, "Seconds").fill("0.5")
    page.get_by_role("button", name="Advance").click()
    sync_api.expect(page.get_by_role("alert")).to_have_text("done: advance 0.5")
    assert (sandbox.clock.now - before).total_seconds() == 3600.5


def test_the_clock_follows_the_wall_clock_and_stops(page: Page) -> None:
    page.get_by_role("button", name="Follow the wall clock").click()
    sync_api.expect(page.locator("#clock-mode")).to_have_text("follows the wall clock")
    page.get_by_role("button", name="Stop the clock").click()
    sync_api.expect(page.locator("#clock-mode")).to_have_text("manual")


def test_a_fault_is_injected_with_its_options_and_cleared(page: Page, sandbox: botdesk.Sandbox) -> None:
    field(page, "Operation").select_option("dca_bots.get")
    field(page, "Kind").select_option("stall")
    assert page.locator("#options input").count() == 0
    field(page, "Kind").select_option("status")
    field(page, "Status").fill("503")
    field(page, "Times").fill("")
    page.get_by_role("button", name="Inject").click()
    sync_api.expect(page.locator("#table-pending_faults tbody tr")).to_have_count(1)
    assert rows(page, "pending_faults") == [["dca_bots.get", "status", "no limit"]]
    with pytest.raises(botdesk.ServerError):
        sandbox.client().with_options(retries=0).dca_bots.get(41)
    page.get_by_role("button", name="Clear faults").click()
    sync_api.expect(page.locator("#table-pending_faults tbody tr")).to_have_count(0)
    assert sandbox.client().dca_bots.get(41).id == 41


def test_a_fault_without_its_option_is_reported(page: Page, sandbox: botdesk.Sandbox) -> None:
    field(page, "Status").fill("")
    page.get_by_role("button", name="Inject").click()
    sync_api.expect(page.get_by_role("alert")).to_contain_text("status: is required, such as 429 or 503")
    assert sandbox.faults.pending == []


def test_refused_connections_do_not_cut_off_the_page(page: Page, sandbox: botdesk.Sandbox) -> None:
    field(page, "Kind").select_option("refuse")
    page.get_by_role("button", name="Inject").click()
    sync_api.expect(page.locator("#table-pending_faults tbody tr")).to_have_count(1)
    with pytest.raises(botdesk.TransportError):
        sandbox.client().with_options(retries=0).dca_bots.get(41)
    page.get_by_role("button", name="Clear faults").click()
    sync_api.expect(page.locator("#table-pending_faults tbody tr")).to_have_count(0)
    assert sandbox.client().dca_bots.get(41).id == 41


@pytest.mark.parametrize("accepted", [True, False])
def test_a_reset_asks_first(page: Page, sandbox: botdesk.Sandbox, *, accepted: bool) -> None:
    sandbox.client().dca_bots.disable(41)
    sync_api.expect(page.locator("#table-requests tbody tr")).to_have_count(1)
    page.on("dialog", lambda dialog: dialog.accept() if accepted else dialog.dismiss())
    page.get_by_role("button", name="Reset").click()
    sync_api.expect(page.locator("#table-requests tbody tr")).to_have_count(0 if accepted else 1)
    assert sandbox.client().dca_bots.get(41).is_enabled is accepted


@pytest.mark.parametrize("fragment", ["", "#wrong"])
def test_without_the_token_it_shows_nothing(browser: Browser, sandbox: botdesk.Sandbox, fragment: str) -> None:
    page = browser.new_page()
    page.goto(f"{sandbox.url}/{fragment}")
    sync_api.expect(page.get_by_role("alert")).to_contain_text("open the URL that `botdesk sandbox` printed")
    assert page.locator("table:visible").count() == 0
    page.close()


def test_a_page_of_another_origin_changes_nothing(browser: Browser, sandbox: botdesk.Sandbox) -> None:
    before = sandbox.clock.now
    token = sandbox.page_url.partition("#")[2]
    with botdesk.Sandbox() as other:
        page = browser.new_page()
        # Another sandbox is of another origin. Its description has no policy that would stop the requests.
        page.goto(f"{other.url}/openapi.json")
        attack = """async ([url, token]) => {
            const send = (options) => fetch(url, options).then((response) => response.type, (error) => error.name);
            const body = '{"seconds": "60"}';
            const headers = {"X-Botdesk-Token": token, "Content-Type": "application/json"};
            return [
                await send({method: "POST", body, headers}),
                await send({method: "POST", body, mode: "no-cors"}),
                await send({method: "POST", body}),
            ];
        }"""
        assert page.evaluate(attack, [f"{sandbox.url}/_sandbox/actions/advance", token]) == [
            "TypeError",
            "TypeError",
            "TypeError",
        ]
        page.close()
    assert sandbox.clock.now == before


def test_a_frame_does_not_show_it(browser: Browser, sandbox: botdesk.Sandbox) -> None:
    page = browser.new_page()
    page.set_content(f'<iframe src="{sandbox.page_url}"></iframe>')
    sync_api.expect(page.frame_locator("iframe").locator("body")).to_be_attached()
    sync_api.expect(page.frame_locator("iframe").locator("#connection")).to_have_count(0)
    page.close()


def test_a_stopped_sandbox_is_reported(page: Page, sandbox: botdesk.Sandbox) -> None:
    sandbox.close()
    sync_api.expect(page.locator("#connection")).to_contain_text("the sandbox does not respond")


@pytest.mark.parametrize("width", [390, 1000, 1280])
def test_the_table_of_deals_fits_its_box(browser: Browser, width: int) -> None:
    with botdesk.Sandbox() as sandbox:
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.goto(sandbox.page_url)
        sync_api.expect(page.locator("#table-deals tbody tr").first).to_be_visible()
        box = page.locator("#table-deals .scroll")
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
        page.close()


def test_on_a_phone_the_data_comes_before_the_controls(browser: Browser, sandbox: botdesk.Sandbox) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(sandbox.page_url)
    sync_api.expect(page.locator("#table-dca_bots")).to_be_visible()
    data, controls = (page.locator(part).bounding_box() for part in ("#tables", "#controls"))
    assert data is not None
    assert controls is not None
    assert data["y"] < controls["y"]
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(browser: Browser, sandbox: botdesk.Sandbox, scheme: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(sandbox.page_url)
    sync_api.expect(page.locator("#table-dca_bots tbody tr")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(246, 247, 249)", "dark": "rgb(18, 22, 28)"}[scheme]
    context.close()


def test_candles_are_played_without_a_file(page: Page, sandbox: botdesk.Sandbox) -> None:
    before, now = price(page, "USDT_ETH"), sandbox.clock.now
    field(page, "Candles of").fill("USDT_ETH")
    page.get_by_role("button", name="Play", exact=True).click()
    sync_api.expect(page.get_by_role("alert")).to_have_text("done: play candles USDT_ETH")
    # The close of a candle is traded before its end.
    assert 82_800 < (sandbox.clock.now - now).total_seconds() <= 86_400
    assert float(price(page, "USDT_ETH")) == pytest.approx(float(before), rel=1e-4)


def test_candles_of_a_file_are_played(page: Page) -> None:
    field(page, "Candles of").fill("USDT_ETH")
    content = "time,open,high,low,close\n1735689600000,3500,3600,3400,3550\n1735693200000,3550,3560,3540,3545\n"
    files = [{"name": "eth.csv", "mimeType": "text/csv", "buffer": content.encode()}]
    page.locator("#candles input[type=file]").set_input_files(files)  # type: ignore[arg-type]
    page.get_by_role("button", name="Play", exact=True).click()
    sync_api.expect(page.get_by_role("alert")).to_have_text("done: play candles USDT_ETH")
    assert float(price(page, "USDT_ETH")) == 3545


def test_a_fault_says_what_it_does_and_can_be_injected_at_once(page: Page, sandbox: botdesk.Sandbox) -> None:
    for kind in page.locator("#kinds option").all_inner_texts():
        page.locator("#kinds").select_option(kind)
        assert len(page.locator("#about-kind").inner_text()) > 10
        page.get_by_role("button", name="Inject").click()
        sync_api.expect(page.get_by_role("alert")).to_contain_text(f"done: add fault * {kind}")
        page.get_by_role("button", name="Clear faults").click()
        sync_api.expect(page.get_by_role("alert")).to_have_text("done: clear faults")
    assert not sandbox.faults.pending
