"""Draw the pictures of the sandbox's page with a headless Chromium: `just pictures`.

Arguments: a folder to write to, `docs/images` unless given.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from chromium import COMMANDS, find_chromium

import botdesk

# Blink's numbers of `prefers-color-scheme`.
THEMES = {"dark": 0, "light": 1}
SIZE = (1200, 780)


def main() -> None:
    """Draw the page in both themes."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    for theme, scheme in THEMES.items():
        # A port of its own, so that the pictures are the same each time.
        with botdesk.Sandbox(seed=7, bots=6, port=8080) as sandbox:
            use(sandbox)
            save(sandbox.page_url, scheme, (folder / f"sandbox-{theme}.png").absolute())


def use(sandbox: botdesk.Sandbox) -> None:
    """Send some requests, one of which gets a fault."""
    client = sandbox.client().with_options(retries=0)
    client.dca_bots.list(limit=5)
    client.dca_bots.get(41).edit(take_profit="1.5")
    sandbox.faults.add("dca_bots.get", kind="status", status=503)
    try:
        client.dca_bots.get(42)
    except botdesk.ServerError:
        client.dca_bots.get(42).disable()
    sandbox.faults.add("dca_bots.edit", kind="close_after", times=2)


def save(url: str, scheme: int, path: Path) -> None:
    """Write the picture of a page."""
    browser = find_chromium()
    if browser is None:
        sys.exit(f"no browser: install one of {', '.join(COMMANDS)}")
    with tempfile.TemporaryDirectory() as profile:
        arguments = [
            "--headless=new",
            "--no-sandbox",
            "--hide-scrollbars",
            f"--user-data-dir={profile}",
            f"--window-size={SIZE[0]},{SIZE[1]}",
            f"--blink-settings=preferredColorScheme={scheme}",
            # Time enough for the first state to arrive.
            "--virtual-time-budget=5000",
            f"--screenshot={path}",
        ]
        subprocess.run([browser, *arguments, url], check=True, capture_output=True)
    print(path)


if __name__ == "__main__":
    main()
