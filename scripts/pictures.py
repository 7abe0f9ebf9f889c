"""Draw the pictures of the documentation: `just pictures`.

The pictures of plots come from matplotlib; those of what a notebook shows are pages that a headless Chromium looks at.
Arguments: a folder to write to, `docs/images` unless given.
"""

# matplotlib has no types for its keyword arguments.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from chromium import find_chromium
from matplotlib import pyplot as plt

import botdesk
from botdesk._open_deals import OpenDeal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The bot of the documentation.
BOT: Any = {
    "pairs": "USDT_ETH",
    "base_order_volume": 80,
    "safety_order_volume": 30,
    "max_safety_orders": 5,
    "safety_order_step_percentage": "1.5",
    "martingale_step_coefficient": "1.4",
    "martingale_volume_coefficient": "1.7",
    "take_profit": "1.5",
    "stop_loss_percentage": 18,
}
# The colour variables of Jupyter's two themes that the tables use.
THEMES = {
    "light": "--jp-layout-color0: #fff; --jp-content-font-color1: #212121; --jp-content-font-color2: #616161;"
    "--jp-border-color1: #bdbdbd; --jp-rendermime-table-row-background: #f5f5f5; --jp-error-color1: #d32f2f;"
    "--jp-success-color1: #388e3c; --jp-ui-font-family: system-ui, sans-serif",
    "dark": "--jp-layout-color0: #111; --jp-content-font-color1: #fff; --jp-content-font-color2: #b3b3b3;"
    "--jp-border-color1: #616161; --jp-rendermime-table-row-background: #212121; --jp-error-color1: #f44336;"
    "--jp-success-color1: #4caf50; --jp-ui-font-family: system-ui, sans-serif",
}


def main() -> None:
    """Draw all of them."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    with botdesk.Sandbox(seed=7) as sandbox:
        client = sandbox.client()
        bot = client.dca_bots.get(41)
        shown: dict[str, object] = {
            "bots": client.dca_bots.list()[:6],
            "bot": bot,
            "preview": bot.preview_edit(take_profit="1.5", cooldown=60),
            "ladder": ladder(),
        }
        drawn: dict[str, Callable[..., Any]] = {
            "ladder": ladder().plot,
            "grid": client.grid_bots.enable(203).plot,
            "deals": bot.plot,
            "backtest": backtest().plot,
            "sweep": sweep().plot,
        }
        with tempfile.TemporaryDirectory() as kept, botdesk.Archive(Path(kept, "desk.sqlite")) as archive:
            archive.sync(client)
            tables = {
                "calendar": archive.report(by="day"),
                "equity": archive.equity(),
                "open-deals": botdesk.ArchiveTable(OpenDeal._fields, client.overview().open_deals),
            }
        drawn |= {name: table.plot for name, table in tables.items()}
        for theme in THEMES:
            for name, plot in drawn.items():
                save(plot, theme, folder / f"{name}-{theme}.png")
            notebook(shown, theme, folder / f"notebook-{theme}.png")


def ladder() -> botdesk.Ladder:
    """Plan the ladder of the documentation."""
    return botdesk.plan_ladder(price="2561.66911", tick="0.01", **BOT)


def backtest() -> botdesk.Backtest:
    """Run the backtest of the documentation, over a year of minutes."""
    return botdesk.backtest(year_of_minutes(), fee="0.001", **BOT)


def sweep() -> botdesk.Sweep:
    """Run the sweep of the documentation, over the same year."""
    return botdesk.sweep(
        {
            "pairs": "USDT_ETH",
            "base_order_volume": 80,
            "safety_order_volume": 30,
            "max_safety_orders": 5,
            "active_safety_orders_count": 5,
            "martingale_volume_coefficient": "1.7",
            "stop_loss_percentage": 12,
            "take_profit": "1.5",
            "safety_order_step_percentage": 2,
        },
        year_of_minutes(),
        # A take profit of 0 is refused.
        {
            "take_profit": ["0", "0.5", "1", "1.5", "2", "2.5", "3", "4"],
            "safety_order_step_percentage": [1, "1.5", 2, "2.5", 3],
        },
        fee="0.001",
        folds=6,
    )


@cache
def year_of_minutes() -> botdesk.Candles:
    """Return the candles of a price that changes at random, the same ones each time."""
    chance = random.Random(11)  # noqa: S311 (prices, no secrets)
    rows: list[list[float]] = []
    price = 2_500.0
    for minute in range(365 * 24 * 60):
        close = price * (1 + chance.gauss(0, 0.0008))
        high = max(price, close) * (1 + abs(chance.gauss(0, 0.0004)))
        low = min(price, close) * (1 - abs(chance.gauss(0, 0.0004)))
        rows.append([1_704_067_200_000 + 60_000 * minute, *(round(value, 2) for value in (price, high, low, close))])
        price = round(close, 2)
    return botdesk.Candles(rows)


def save(plot: Callable[..., Any], theme: str, path: Path) -> None:
    """Save a plot as a picture."""
    plot(theme=theme).get_figure(root=True).savefig(path, dpi=100)
    plt.close("all")


def notebook(shown: dict[str, object], theme: str, path: Path) -> None:
    """Save the notebook display of some objects as a picture."""
    browser = find_chromium()
    if browser is None:
        print(f"{path.name} is left as it is: no Chromium was found", file=sys.stderr)
        return
    background = "#fff" if theme == "light" else "#111"
    parts = "".join(f"<section>{thing._repr_html_()}</section>" for thing in shown.values())  # type: ignore[attr-defined]
    page = f"""<!doctype html><meta charset="utf-8">
        <style>
            body {{ {THEMES[theme]}; background: {background}; margin: 12px }}
            section {{ margin-bottom: 10px }}
        </style>
        {parts}"""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "page.html")
        source.write_text(page, "utf-8")
        size = "--window-size=900,1090"
        quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars"]
        command = [browser, *quiet, f"--user-data-dir={folder}/profile", size, f"--screenshot={path}", source.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    main()
