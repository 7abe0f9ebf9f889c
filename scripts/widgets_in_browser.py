"""Measure the widgets in a browser (`just widget-latency`), or draw their pictures (`just widget-pictures`).

Arguments: `latency`; or `pictures` and a folder to write to, `docs/images` unless given. BOTDESK_BROWSER names the
browser if it is not on the path.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from chromium import find_chromium
from jupyter_lab import BROWSER_OPTIONS, Lab, Notebook, client_code
from playwright.sync_api import sync_playwright

import botdesk

if TYPE_CHECKING:
    from collections.abc import Generator

    from playwright.sync_api import Page

KEY = Path(__file__).parent.parent / "tests" / "fixtures" / "keys" / "rsa_2048.pem"
CANDLES = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import pictures
candles = pictures.year_of_minutes()
"""
TUNE = "client.dca_bots.get(41).tune(candles)"
LIVE = "client.dca_bots.live(interval=1)"
MOVES = 30
# Moves a slider, and returns the milliseconds until an element shows another plan than before.
MOVE = """([name, value, shown]) => new Promise((done) => {
    const target = document.querySelector(shown);
    const slider = document.querySelector(`.bw-setting[data-name=${name}] input[type=range]`);
    const begin = performance.now();
    const observer = new MutationObserver(() => {
        observer.disconnect();
        requestAnimationFrame(() => done(performance.now() - begin));
    });
    observer.observe(target, { attributeFilter: ["data-plan"] });
    slider.value = value;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
})"""


@contextmanager
def notebook_page(cells: list[str]) -> Generator[tuple[Page, Notebook, botdesk.Sandbox]]:
    """Open a notebook with cells in a browser and run them."""
    browser = find_chromium()
    if browser is None:
        sys.exit("no Chromium was found; Debian, Ubuntu: sudo apt install chromium")
    with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox(seed=7) as sandbox, sync_playwright() as playwright:
        lab = Lab(Path(folder))
        chromium = playwright.chromium.launch(executable_path=browser, args=BROWSER_OPTIONS)
        page = chromium.new_page(viewport={"width": 1240, "height": 1900})
        try:
            notebook = Notebook(lab, page, "widgets.ipynb", [client_code(sandbox, KEY.read_text()), *cells])
            notebook.run_all()
            yield page, notebook, sandbox
        finally:
            chromium.close()
            lab.stop()


def latency() -> None:
    """Print the time from a slider's move to the drawn ladder, and to the backtest of a year of minutes."""
    with notebook_page([CANDLES, TUNE]) as (page, _, _):
        page.locator(".bw-backtest table").wait_for()
        for name, shown in (("ladder", ".bw-preview"), ("backtest of a year of minutes", ".bw-backtest")):
            moves = [page.evaluate(MOVE, ["take_profit", 60 + 5 * move, shown]) for move in range(MOVES)]
            most = sorted(moves)[int(MOVES * 0.9)]
            print(
                f"{name}: median {statistics.median(moves):.0f} ms, 90 % within {most:.0f} ms, all {max(moves):.0f} ms"
            )


def pictures() -> None:
    """Draw both widgets in both themes."""
    folder = Path(*sys.argv[2:] or ["docs/images"])
    folder.mkdir(parents=True, exist_ok=True)
    with notebook_page([CANDLES, TUNE, LIVE]) as (page, notebook, sandbox):
        tune, live = page.locator(".bw-tune"), page.locator(".bw-live")
        tune.locator(".bw-backtest table").wait_for()
        tune.get_by_role("slider", name="max_safety_orders").fill("5")
        tune.get_by_role("slider", name="take_profit").fill("150")
        tune.locator("circle.bw-order").nth(5).wait_for()
        tune.locator(".bw-backtest td").get_by_text("3874").first.wait_for(state="detached")
        live.locator("tr[data-id='41']").wait_for()
        # Prices move, so that the lines of the profits do.
        for poll, price in enumerate(("3450", "3520", "3505", "3590", "3560")):
            sandbox.set_price("USDT_ETH", price)
            page.wait_for_function(f"Number(document.querySelector('.bw-live').dataset.polls) > {poll + 1}")
        for bot_id in (41, 43):
            live.get_by_role("checkbox", name=f"Select {bot_id}").check()
        for theme in ("Light", "Dark"):
            notebook.execute("apputils:change-theme", theme=f"JupyterLab {theme}")
            page.locator(f"body[data-jp-theme-name='JupyterLab {theme}']").wait_for(state="attached")
            tune.screenshot(path=folder / f"tune-{theme.lower()}.png")
            sandbox.client().dca_bots.edit(41, take_profit=f"1.{len(theme)}")
            live.locator(".bw-marked").first.wait_for()
            live.screenshot(path=folder / f"live-{theme.lower()}.png")


if __name__ == "__main__":
    {"latency": latency, "pictures": pictures}[sys.argv[1]]()
