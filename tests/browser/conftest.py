"""JupyterLab with a real kernel, driven by a headless Chromium: `just test-browser` finds one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jupyter_lab import Lab, Notebook
    from playwright.sync_api import Browser, Page

CHROMIUM = os.environ.get("BOTDESK_BROWSER", "")
# Milliseconds; a browser and a kernel are slow where other checks use all cores.
PATIENCE = 120_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where no browser is given."""
    skip = pytest.mark.skip(reason="BOTDESK_BROWSER names no Chromium; run: just test-browser")
    for item in items if not CHROMIUM else []:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(skip)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Return a JupyterLab server."""
    from jupyter_lab import Lab

    server = Lab(tmp_path_factory.mktemp("lab"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return the browser."""
    from jupyter_lab import BROWSER_OPTIONS
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=BROWSER_OPTIONS, timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return an empty page; errors of its scripts fail the test."""
    page = browser.new_page(viewport={"width": 1280, "height": 1500})
    page.set_default_timeout(PATIENCE)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    # JupyterLab itself raises these when a kernel ends.
    assert [error for error in errors if "Canceled future" not in error] == []


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Return a sandbox with the bots of the documentation."""
    with botdesk.Sandbox(seed=7) as sandbox:
        yield sandbox


@pytest.fixture
def open_notebook(
    lab: Lab, page: Page, sandbox: botdesk.Sandbox, private_key: str, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Notebook]]:
    """Open a notebook with cells and run them; an additional first one makes the client."""
    from jupyter_lab import Notebook, client_code

    name = f"{request.node.name.replace('[', '-').replace(']', '')}.ipynb"

    def open_(*cells: str) -> Notebook:
        notebook = Notebook(lab, page, name, [client_code(sandbox, private_key), *cells])
        notebook.run_all()
        return notebook

    yield open_
    lab.close_notebooks()
