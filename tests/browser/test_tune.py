"""The widget of `tune` in JupyterLab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Notebook
    from playwright.sync_api import Page


def test_a_slider_moves_the_ladder(open_notebook: Callable[..., Notebook], page: Page) -> None:
    open_notebook("client.dca_bots.get(41).tune()")
    widget = page.locator(".bw-tune")
    try:
        widget.locator(".bw-chart circle.bw-order").nth(3).wait_for()
    finally:
        page.screenshot(path="/tmp/tune0.png")
    page.screenshot(path="/tmp/tune1.png")
    widget.get_by_role("slider", name="max_safety_orders").fill("5")
    widget.locator(".bw-chart circle.bw-order").nth(5).wait_for()
    widget.locator(".bw-preview").get_by_text("max_safety_orders").wait_for()
    page.screenshot(path="/tmp/tune2.png")
