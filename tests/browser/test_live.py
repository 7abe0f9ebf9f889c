"""The widget of `live` in JupyterLab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from jupyter_lab import Notebook
    from playwright.sync_api import Locator, Page

    import botdesk

LIVE = "table = client.dca_bots.live(interval=1)\ntable"


@pytest.fixture
def table(page: Page) -> Locator:
    return page.locator(".bw-live").first


def row(table: Locator, bot_id: int) -> Locator:
    return table.locator(f"tr[data-id='{bot_id}']")


def polls(table: Locator) -> int:
    return int(table.get_attribute("data-polls") or 0)


def wait_for_poll(table: Locator) -> None:
    """Wait until one more poll is shown."""
    seen = polls(table)
    table.page.wait_for_function(f"Number(document.querySelector('.bw-live').dataset.polls) > {seen}")


def test_the_table_follows_the_bots(
    open_notebook: Callable[..., Notebook], table: Locator, sandbox: botdesk.Sandbox
) -> None:
    open_notebook(LIVE)
    row(table, 41).get_by_text("Steady ETH long").wait_for()
    assert table.locator(".bw-marked").count() == 0
    sandbox.client().dca_bots.edit(41, take_profit="2.5")
    row(table, 41).locator(".bw-marked").get_by_text("2.5").wait_for()
    wait_for_poll(table)
    assert row(table, 41).locator("svg.bw-spark polyline").count() == 1


def test_selected_bots_are_disabled(
    open_notebook: Callable[..., Notebook], table: Locator, sandbox: botdesk.Sandbox
) -> None:
    notebook = open_notebook(LIVE)
    for bot_id in (41, 43):
        table.get_by_role("checkbox", name=f"Select {bot_id}").check()
    table.get_by_text("2 selected").wait_for()
    assert notebook.run("print([bot.id for bot in table.selected])") == "[41, 43]"
    assert "2" in notebook.run("print(len(client.dca_bots.disable_many(table.selected)))")
    row(table, 43).locator(".bw-marked").get_by_text("False").wait_for()
    assert [sandbox.client().dca_bots.get(bot_id).is_enabled for bot_id in (41, 43)] == [False, False]
    assert table.get_by_role("checkbox", name="Select 41").is_checked()


CLICK = """ids => {
    ids.forEach((id) => document.querySelector(`[aria-label="Select ${id}"]`).click());
    return document.querySelector(".bw-state").textContent;
}"""


def test_only_what_the_kernel_has_taken_is_counted(open_notebook: Callable[..., Notebook], table: Locator) -> None:
    notebook = open_notebook(LIVE)
    row(table, 41).wait_for()
    assert "0 selected" in table.page.evaluate(CLICK, [41, 42, 43, 42])
    table.get_by_text("2 selected").wait_for()
    assert notebook.run("print([bot.id for bot in table.selected])") == "[41, 43]"


def test_two_views_of_a_table_have_one_selection(
    open_notebook: Callable[..., Notebook], page: Page, table: Locator
) -> None:
    notebook = open_notebook(LIVE)
    row(table, 41).wait_for()
    notebook.insert("table")
    notebook.execute("notebook:run-cell")
    second = page.locator(".bw-live").nth(1)
    table.get_by_role("checkbox", name="Select 41").check()
    second.get_by_role("checkbox", name="Select 43").check()
    for view in (table, second):
        view.get_by_text("2 selected").wait_for()
        assert view.get_by_role("checkbox", name="Select 41").is_checked()
        assert view.get_by_role("checkbox", name="Select 43").is_checked()
    assert notebook.run("print([bot.id for bot in table.selected])") == "[41, 43]"


def test_the_table_is_sorted_and_filtered_in_the_page(open_notebook: Callable[..., Notebook], table: Locator) -> None:
    open_notebook(LIVE)
    row(table, 41).wait_for()
    head = table.get_by_role("button", name="finished deals profit USD")
    head.click()
    heads = table.locator("thead th").all_text_contents()
    column = next(place for place, name in enumerate(heads) if name.startswith("finished deals profit USD"))
    cells = table.locator(f"tbody td:nth-child({column + 1})")
    profits = [float(text) for text in cells.all_inner_texts()]
    assert profits == sorted(profits)
    head.click()
    profits = [float(text) for text in cells.all_inner_texts()]
    assert profits == sorted(profits, reverse=True)
    table.get_by_role("textbox", name="Filter the bots").fill("steady eth")
    row(table, 43).wait_for(state="detached")
    assert row(table, 41).count() == 1


def test_a_poll_leaves_the_keyboard_where_it_was(open_notebook: Callable[..., Notebook], table: Locator) -> None:
    open_notebook(LIVE)
    row(table, 41).wait_for()
    box = table.get_by_role("checkbox", name="Select 43")
    box.focus()
    wait_for_poll(table)
    assert box.evaluate("node => node === document.activeElement")
    head = table.get_by_role("button", name="take profit")
    head.focus()
    table.page.keyboard.press("Enter")
    assert head.evaluate("node => node === document.activeElement")


def test_a_failed_poll_is_shown_and_the_next_one_follows(
    open_notebook: Callable[..., Notebook], table: Locator, sandbox: botdesk.Sandbox
) -> None:
    open_notebook(LIVE.replace("client.", "client.with_options(retries=0)."))
    row(table, 41).wait_for()
    sandbox.faults.add("dca_bots.list", kind="status", status=503)
    table.locator(".bw-error").get_by_text("The next poll is at").wait_for()
    assert row(table, 41).count() == 1
    table.locator(".bw-error:empty").wait_for(state="attached")


def test_a_rejected_key_stops_the_table_and_it_says_why(
    open_notebook: Callable[..., Notebook], table: Locator, sandbox: botdesk.Sandbox
) -> None:
    notebook = open_notebook(LIVE)
    row(table, 41).wait_for()
    sandbox.faults.add("dca_bots.list", kind="status", status=403)
    table.locator(".bw-error").get_by_text("No further poll is sent").wait_for()
    table.page.locator(".bw-live[data-mode='stopped']").wait_for()
    assert "403" in table.locator(".bw-error").inner_text()
    assert row(table, 41).count() == 1
    sent = len(sandbox.requests)
    assert "stopped" in notebook.run("print(table)")
    assert len(sandbox.requests) == sent


def test_polls_pause_while_the_table_is_not_on_the_screen(
    open_notebook: Callable[..., Notebook], table: Locator, sandbox: botdesk.Sandbox
) -> None:
    notebook = open_notebook(LIVE)
    row(table, 41).wait_for()
    table.evaluate("node => { node.style.display = 'none' }")
    table.page.locator(".bw-live[data-mode='paused']").wait_for(state="attached")
    # A poll that was under way is shown before the reply to this.
    notebook.run("print(table)")
    seen, sent = polls(table), len(sandbox.requests)
    notebook.run("print(table)")
    assert (polls(table), len(sandbox.requests)) == (seen, sent)
    table.evaluate("node => { node.style.display = '' }")
    wait_for_poll(table)
    assert table.get_attribute("data-mode") == "on"


def test_close_ends_the_polls(open_notebook: Callable[..., Notebook], table: Locator) -> None:
    notebook = open_notebook(LIVE)
    row(table, 41).wait_for()
    notebook.run("table.close()")
    table.page.locator(".bw-live[data-mode='closed']").wait_for()
    table.get_by_text("closed").wait_for()
    assert notebook.run("print(table)") == "<LiveTable closed>"


def test_a_restarted_kernel_is_noticed(open_notebook: Callable[..., Notebook], table: Locator) -> None:
    notebook = open_notebook(LIVE)
    row(table, 41).wait_for()
    notebook.restart_kernel()
    table.get_by_text("The kernel has stopped or was restarted.").wait_for()


def test_names_are_text_and_never_markup(
    open_notebook: Callable[..., Notebook], table: Locator, sandbox: botdesk.Sandbox
) -> None:
    sandbox.client().dca_bots.edit(41, name="<img src=x onerror=\"document.title='run'\"><b>bold</b>")
    open_notebook(LIVE)
    row(table, 41).get_by_text("<b>bold</b>").wait_for()
    assert table.locator("img, b").count() == 0
    assert table.page.title() != "run"


def test_selected_bots_are_disabled_in_the_table_after_a_question(
    open_notebook: Callable[..., Notebook], table: Locator, sandbox: botdesk.Sandbox
) -> None:
    open_notebook(LIVE)
    disable = table.get_by_role("button", name="Disable selected…")
    row(table, 41).wait_for()
    assert disable.is_disabled()
    for bot_id in (41, 43):
        table.get_by_role("checkbox", name=f"Select {bot_id}").check()
    disable.click()
    table.get_by_text("Disable 2 bots?").wait_for()
    assert sandbox.client().dca_bots.get(41).is_enabled
    table.get_by_role("button", name="Disable", exact=True).click()
    table.locator(".bw-step pre").filter(has_text="2 done").wait_for()
    assert [sandbox.client().dca_bots.get(bot_id).is_enabled for bot_id in (41, 43)] == [False, False]


def test_the_totals_are_below_the_bots_and_heads_are_words(
    open_notebook: Callable[..., Notebook], table: Locator, sandbox: botdesk.Sandbox
) -> None:
    open_notebook(LIVE)
    row(table, 41).wait_for()
    bots = list(sandbox.client().dca_bots.iter())
    total = sum(bot.finished_deals_profit_usd or 0 for bot in bots)
    assert f"{total:.2f}" in table.locator("tfoot td").all_inner_texts()
    assert table.locator("tfoot").inner_text().startswith(f"\tall {len(bots)} bots")
    assert table.get_by_role("button", name="account name").get_attribute("title") == "account_name"


def test_on_a_narrow_screen_the_pairs_shrink_first(
    page: Page, open_notebook: Callable[..., Notebook], table: Locator
) -> None:
    open_notebook(LIVE)
    row(table, 41).wait_for()

    def widths() -> list[float]:
        # In one step of the page, which may draw the row anew between two.
        cell = "table.querySelector(`tr[data-id='50'] td[data-column='${name}']`)"
        measured: list[float] = table.evaluate(
            f"table => ['pairs', 'name'].map(name => {cell}.getBoundingClientRect().width)"
        )
        return measured

    wide = widths()
    page.set_viewport_size({"width": 980, "height": 800})
    page.wait_for_function("document.querySelector('.bw-live .bw-rows').clientWidth < 900")
    narrow = widths()
    assert narrow[0] < wide[0]
    assert narrow[1] >= wide[1] - 1
