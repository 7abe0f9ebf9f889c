"""The widget of `tune` in JupyterLab."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from jupyter_lab import Notebook
    from playwright.sync_api import Locator, Page

    import botdesk

TUNE = "widget = client.dca_bots.get(41).tune()\nwidget"
CANDLES = """
prices = [3500 + minute % 90 for minute in range(500)]
rows = [[60_000 * minute, price, price + 2, price - 90, price - 10] for minute, price in enumerate(prices)]
widget = client.dca_bots.get(41).tune(rows)
widget
"""


def slider(widget: Locator, name: str) -> Locator:
    return widget.get_by_role("slider", name=name)


def field(widget: Locator, name: str) -> Locator:
    return widget.locator(f".bw-setting[data-name='{name}'] input[type=text]")


def change(widget: Locator, name: str) -> Locator:
    """Return the row of the preview about a field."""
    return widget.locator(".bw-preview tbody tr").filter(has_text=name)


def apply(widget: Locator) -> None:
    widget.get_by_role("button", name="Apply…").click()
    widget.get_by_role("button", name="Send").click()


@pytest.fixture
def widget(page: Page) -> Locator:
    return page.locator(".bw-tune").first


def test_a_slider_moves_the_ladder_and_the_preview(open_notebook: Callable[..., Notebook], widget: Locator) -> None:
    open_notebook(TUNE)
    widget.locator("circle.bw-order").nth(3).wait_for()
    assert widget.locator(".bw-preview").inner_text() == "Nothing changes."
    slider(widget, "max_safety_orders").fill("5")
    widget.locator("circle.bw-order").nth(5).wait_for()
    assert widget.locator("circle.bw-ghost").count() == 4
    assert change(widget, "max_safety_orders").locator("td").all_inner_texts() == ["max_safety_orders", "3", "5"]
    assert "645.65 USDT" in widget.locator(".bw-figures").inner_text()
    widget.get_by_text("Market (not sent)").click()
    field(widget, "price").fill("100")
    widget.locator(".bw-figures").get_by_text(" away").filter(has_text="69").wait_for()
    assert widget.locator("circle.bw-ghost").count() == 4
    field(widget, "max_safety_orders").fill("many")
    widget.locator(".bw-figures.bw-stale").wait_for()
    field(widget, "max_safety_orders").fill("3")
    widget.get_by_text("Nothing changes.").wait_for()
    assert widget.get_by_role("button", name="Apply…").is_disabled()


def test_apply_shows_the_request_and_sends_it_after_a_confirmation(
    open_notebook: Callable[..., Notebook], widget: Locator, sandbox: botdesk.Sandbox
) -> None:
    notebook = open_notebook(TUNE)
    slider(widget, "take_profit").fill("237")
    change(widget, "take_profit").wait_for()
    widget.get_by_role("button", name="Apply…").click()
    request = widget.locator(".bw-step pre")
    request.wait_for()
    expected = sandbox.client().dca_bots.get(41).preview_edit(take_profit="2.37")
    assert request.inner_text() == f"{expected.method} {expected.path}\n{expected.body}"
    widget.get_by_role("button", name="Cancel").click()
    request.wait_for(state="detached")
    assert [sent.method for sent in sandbox.requests if sent.method == "PATCH"] == []
    apply(widget)
    widget.get_by_text("Sent: the bot has the new values.").wait_for()
    assert sandbox.client().dca_bots.get(41).take_profit == Decimal("2.37")
    assert [json.loads(sent.body) for sent in sandbox.requests if sent.method == "PATCH"] == [json.loads(expected.body)]
    assert field(widget, "take_profit").input_value() == "2.37"
    assert notebook.run("print(widget.bot.take_profit)") == "2.37"


def test_a_backtest_before_and_after_follows_the_slider(
    open_notebook: Callable[..., Notebook], widget: Locator
) -> None:
    open_notebook(CANDLES)
    figures = widget.locator(".bw-backtest tbody tr").filter(has_text=re.compile("^deals"))
    figures.wait_for()
    before = figures.locator("td").all_inner_texts()
    assert before[1] == before[2] != "0"
    slider(widget, "take_profit").fill("300")
    figures.locator("td").nth(2).filter(has_not_text=re.compile(f"^{before[2]}$")).wait_for()
    assert figures.locator("td").nth(1).inner_text() == before[1]
    assert widget.locator(".bw-backtest polyline").count() == 3
    assert widget.locator(".bw-drawing .bw-axis").all_text_contents() == [
        "price, USDT per ETH",
        "base order and safety orders",
    ]
    axes = widget.locator(".bw-backtest .bw-axis").all_text_contents()
    assert axes == ["profit, USDT", "difference", "time, UTC"]
    times = widget.locator(".bw-backtest text").filter(has_text="1970-01-01 ").all_text_contents()
    assert times == ["1970-01-01 00:00", "1970-01-01 08:19"]


def test_the_pointer_reads_the_profits_and_chooses_a_range(
    open_notebook: Callable[..., Notebook], widget: Locator, page: Page
) -> None:
    open_notebook(CANDLES)
    slider(widget, "take_profit").fill("300")
    change(widget, "take_profit").wait_for()
    widget.locator(".bw-backtest[data-plan$=':1']").wait_for()
    chart, read = widget.locator(".bw-zoom svg"), widget.locator(".bw-read")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box is not None
    middle, height = box["x"] + box["width"] / 2, box["y"] + box["height"] / 3
    page.mouse.move(middle, height)
    figures = re.fullmatch(r"1970-01-01 0\d:\d\d, before ≈ (\S+), after ≈ (\S+), difference ≈ (\S+)", read.inner_text())
    assert figures is not None
    before, after, difference = map(Decimal, figures.groups())
    assert before != after
    assert abs(after - before - difference) < Decimal("0.01") * max(abs(before), abs(after))
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, height)
    page.mouse.up()
    ends = widget.locator(".bw-backtest text").filter(has_text="1970-01-01 ")
    assert "1970-01-01 00:00" not in ends.all_text_contents()
    chart.dblclick()
    assert ends.all_text_contents() == ["1970-01-01 00:00", "1970-01-01 08:19"]


def test_values_that_break_a_rule_are_explained_and_not_sent(
    open_notebook: Callable[..., Notebook], widget: Locator
) -> None:
    open_notebook(TUNE)
    field(widget, "max_safety_orders").fill("201")
    widget.locator(".bw-messages").get_by_text("must be between 0 and 200, not 201").wait_for()
    assert widget.get_by_role("button", name="Apply…").is_disabled()
    field(widget, "max_safety_orders").fill("many")
    widget.locator(".bw-messages").get_by_text('must be a whole number, not "many"').wait_for()
    widget.locator(".bw-setting[data-name='max_safety_orders']").get_by_role("button").click()
    widget.get_by_text("Nothing changes.").wait_for()


@pytest.mark.parametrize("value", ["1e400", "1e-200", "1e30", "9" * 5000])
def test_an_extreme_value_leaves_the_widget_usable(
    open_notebook: Callable[..., Notebook], widget: Locator, value: str
) -> None:
    open_notebook(CANDLES)
    widget.locator("circle.bw-order").nth(3).wait_for()
    field(widget, "base_order_volume").fill(value)
    widget.locator(".bw-preview").get_by_text(re.compile("^base_order_volume$|Not valid")).wait_for()
    field(widget, "max_safety_orders").fill(value)
    widget.locator(".bw-messages").get_by_text("max_safety_orders: must be").wait_for()
    for name in ("base_order_volume", "max_safety_orders"):
        widget.locator(f".bw-setting[data-name='{name}']").get_by_role("button").click()
    widget.get_by_text("Nothing changes.").wait_for()
    widget.locator("circle.bw-order").nth(3).wait_for()


def test_a_conflict_is_shown_and_nothing_is_overwritten(
    open_notebook: Callable[..., Notebook], widget: Locator, sandbox: botdesk.Sandbox
) -> None:
    open_notebook(TUNE)
    slider(widget, "take_profit").fill("150")
    change(widget, "take_profit").wait_for()
    sandbox.client().dca_bots.edit(41, cooldown=60)
    apply(widget)
    row = widget.locator(".bw-step tbody tr").filter(has_text="cooldown")
    row.wait_for()
    assert row.locator("td").all_inner_texts() == ["cooldown", "0", "60"]
    assert sandbox.client().dca_bots.get(41).take_profit == 1
    widget.get_by_role("button", name="Read the bot again").click()
    field(widget, "cooldown").and_(widget.page.locator(":enabled")).wait_for()
    assert field(widget, "cooldown").input_value() == "60"
    assert field(widget, "take_profit").input_value() == "1.5"
    apply(widget)
    widget.get_by_text("Sent: the bot has the new values.").wait_for()
    bot = sandbox.client().dca_bots.get(41)
    assert (bot.take_profit, bot.cooldown) == (Decimal("1.5"), Decimal(60))


def test_an_unknown_outcome_is_shown_and_the_bot_read_before_more_is_sent(
    open_notebook: Callable[..., Notebook], widget: Locator, sandbox: botdesk.Sandbox
) -> None:
    open_notebook(TUNE)
    slider(widget, "take_profit").fill("150")
    change(widget, "take_profit").wait_for()
    sandbox.faults.add("dca_bots.edit", kind="close_after")
    apply(widget)
    widget.get_by_text("The bot may have been changed.").wait_for()
    assert slider(widget, "take_profit").is_disabled()
    assert widget.get_by_role("button", name="Apply…").is_disabled()
    widget.get_by_role("button", name="Read the bot again").click()
    widget.get_by_text("Nothing changes.").wait_for()
    assert field(widget, "take_profit").input_value() == "1.5"


def test_a_second_click_on_send_hides_no_unknown_outcome(
    open_notebook: Callable[..., Notebook], widget: Locator, sandbox: botdesk.Sandbox
) -> None:
    notebook = open_notebook(TUNE)
    slider(widget, "take_profit").fill("150")
    change(widget, "take_profit").wait_for()
    sandbox.faults.add("dca_bots.edit", kind="close_after")
    widget.get_by_role("button", name="Apply…").click()
    send = widget.get_by_role("button", name="Send")
    send.wait_for()
    # Both clicks come before any reply.
    send.evaluate("node => { node.click(); node.click(); }")
    widget.get_by_text("The bot may have been changed.").wait_for()
    # The kernel handles the second click before this.
    notebook.run("print(widget)")
    assert widget.get_by_text("The bot may have been changed.").count() == 1
    assert slider(widget, "take_profit").is_disabled()
    assert [sent.method for sent in sandbox.requests].count("PATCH") == 1


def test_two_widgets_of_one_bot_do_not_overwrite_each_other(
    open_notebook: Callable[..., Notebook], page: Page, sandbox: botdesk.Sandbox
) -> None:
    open_notebook("bot = client.dca_bots.get(41)\nbot.tune()", "bot.tune()")
    first, second = page.locator(".bw-tune").nth(0), page.locator(".bw-tune").nth(1)
    slider(first, "take_profit").fill("150")
    change(first, "take_profit").wait_for()
    slider(second, "take_profit").fill("250")
    change(second, "take_profit").wait_for()
    assert field(first, "take_profit").input_value() == "1.5"
    apply(first)
    first.get_by_text("Sent: the bot has the new values.").wait_for()
    apply(second)
    second.locator(".bw-step tbody tr").filter(has_text="take_profit").wait_for()
    assert sandbox.client().dca_bots.get(41).take_profit == Decimal("1.5")


def test_two_views_of_one_widget_show_the_same(open_notebook: Callable[..., Notebook], page: Page) -> None:
    open_notebook(TUNE, "widget")
    first, second = page.locator(".bw-tune").nth(0), page.locator(".bw-tune").nth(1)
    second.locator("circle.bw-order").nth(3).wait_for()
    slider(first, "max_safety_orders").fill("5")
    second.locator("circle.bw-order").nth(5).wait_for()
    assert field(second, "max_safety_orders").input_value() == "5"


def test_a_restarted_kernel_is_noticed(open_notebook: Callable[..., Notebook], widget: Locator) -> None:
    notebook = open_notebook(TUNE)
    widget.locator("circle.bw-order").nth(3).wait_for()
    notebook.restart_kernel()
    widget.get_by_text("The kernel has stopped or was restarted.").wait_for()
    assert slider(widget, "take_profit").is_disabled()
    notebook.wait_for_kernel()
    notebook.run_all()
    widget.locator(".bw-status:empty").wait_for(state="attached")
    slider(widget, "max_safety_orders").fill("5")
    widget.locator("circle.bw-order").nth(5).wait_for()


def test_a_kernel_that_died_is_noticed(open_notebook: Callable[..., Notebook], widget: Locator) -> None:
    notebook = open_notebook(TUNE)
    widget.locator("circle.bw-order").nth(3).wait_for()
    notebook.insert("import os\nos._exit(1)")
    notebook.execute("notebook:run-cell")
    widget.page.get_by_role("button", name="Ok").click()
    widget.get_by_text("The kernel has stopped or was restarted.").wait_for()
    assert slider(widget, "take_profit").is_disabled()


def test_a_busy_kernel_is_noticed_and_the_newest_value_arrives(
    open_notebook: Callable[..., Notebook], widget: Locator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pipe = tmp_path_factory.mktemp("busy") / "pipe"
    notebook = open_notebook(TUNE, f"import os\nos.mkfifo({str(pipe)!r})\nopen({str(pipe)!r}).read()")
    widget.locator("circle.bw-order").nth(3).wait_for()
    for count in ("4", "5", "6"):
        slider(widget, "max_safety_orders").fill(count)
    widget.get_by_text("No reply from the kernel").wait_for()
    pipe.write_text("go on")
    widget.locator("circle.bw-order").nth(6).wait_for()
    widget.locator(".bw-status:empty").wait_for(state="attached")
    assert notebook.run("print(widget.preview.changes[0].new)") == "6"


def test_a_grid_bot_is_tuned(open_notebook: Callable[..., Notebook], widget: Locator, sandbox: botdesk.Sandbox) -> None:
    open_notebook("client.grid_bots.enable(203).tune()")
    widget.locator(".bw-chart line.bw-level").nth(20).wait_for(state="attached")
    slider(widget, "grids_quantity").fill("11")
    change(widget, "grids_quantity").wait_for()
    assert widget.locator(".bw-chart line.bw-level").count() == 11
    apply(widget)
    widget.get_by_text("Sent: the bot has the new values.").wait_for()
    assert sandbox.client().grid_bots.enable(203).grids_quantity == 11


def test_names_are_text_and_never_markup(
    open_notebook: Callable[..., Notebook], widget: Locator, sandbox: botdesk.Sandbox
) -> None:
    hostile = "<img src=x onerror=\"document.title='run'\"><b>bold</b>"
    sandbox.client().dca_bots.edit(41, name=hostile)
    open_notebook(TUNE)
    widget.get_by_text("<b>bold</b>").first.wait_for()
    slider(widget, "take_profit").fill("150")
    change(widget, "take_profit").wait_for()
    widget.get_by_role("button", name="Apply…").click()
    widget.locator(".bw-step pre").wait_for()
    assert widget.locator("img, b").count() == 0
    assert widget.page.title() != "run"


def test_a_narrow_page_cuts_no_field(open_notebook: Callable[..., Notebook], widget: Locator) -> None:
    open_notebook(TUNE)
    widget.locator("circle.bw-order").nth(3).wait_for()
    widget.page.set_viewport_size({"width": 480, "height": 1500})
    widget.page.wait_for_function("document.querySelector('.bw-tune').clientWidth < 400")
    edges = widget.evaluate(
        "node => [...node.querySelectorAll('.bw-setting')].map((row) => row.scrollWidth - row.clientWidth)"
    )
    assert max(edges) <= 0


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_the_colours_are_those_of_the_theme(
    open_notebook: Callable[..., Notebook], widget: Locator, theme: str
) -> None:
    notebook = open_notebook(TUNE)
    notebook.execute("apputils:change-theme", theme=f"JupyterLab {theme}")
    widget.page.locator(f"body[data-jp-theme-light='{str(theme == 'Light').lower()}']").wait_for(state="attached")
    widget.locator("circle.bw-order").nth(3).wait_for()
    texts = [
        ".bw-title",
        ".bw-setting label",
        ".bw-limits",
        ".bw-figures span",
        ".bw-setting input[type=text]",
        ".bw-tick",
    ]
    contrasts = {selector: contrast(widget.locator(selector).first, widget) for selector in texts}
    assert min(contrasts.values()) >= 4.5, contrasts
    luminance = luminances(widget, widget)[1]
    assert (luminance > 0.5) is (theme == "Light")


def luminances(element: Locator, ground: Locator) -> tuple[float, float]:
    """Return the luminance of an element's text, and that of the background."""
    style = "(node, name) => getComputedStyle(node)[name]"
    is_drawn = element.evaluate("node => node instanceof SVGElement")
    colours = (element.evaluate(style, "fill" if is_drawn else "color"), ground.evaluate(style, "backgroundColor"))

    def luminance(colour: str) -> float:
        parts = [float(part) for part in re.findall(r"[\d.]+", colour)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in (value / 255 for value in parts[:3])
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    return luminance(colours[0]), luminance(colours[1])


def contrast(element: Locator, ground: Locator) -> float:
    low, high = sorted(luminances(element, ground))
    return (high + 0.05) / (low + 0.05)


def test_settings_are_grouped_and_undo_follows_send(
    open_notebook: Callable[..., Notebook], widget: Locator, sandbox: botdesk.Sandbox
) -> None:
    open_notebook(CANDLES)
    widget.locator("circle.bw-order").nth(3).wait_for()
    legends = widget.locator(".bw-group legend").all_inner_texts()
    assert legends[:4] == ["Base order", "Safety orders", "Take profit", "Stop loss"]
    assert legends[-1] == "Fee (not sent)"
    assert field(widget, "fee").is_visible()
    label = widget.get_by_text("safety order volume", exact=True)
    assert (label.get_attribute("title") or "").startswith("safety_order_volume: ")
    before = sandbox.client().dca_bots.get(41).max_safety_orders
    slider(widget, "max_safety_orders").fill("5")
    widget.locator("circle.bw-order").nth(5).wait_for()
    apply(widget)
    widget.get_by_text("Sent: the bot has the new values.").wait_for()
    assert widget.locator("circle.bw-ghost").count() == 4
    assert "order before" in widget.locator(".bw-drawing .bw-legend").inner_text()
    widget.get_by_role("button", name="Undo…").click()
    widget.get_by_role("button", name="Send").click()
    widget.get_by_text("Sent: the bot has the new values.").wait_for()
    assert sandbox.client().dca_bots.get(41).max_safety_orders == before
