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
# Without asking whether to save them.
CLOSE_NOTEBOOKS = "() => [...window.jupyterapp.shell.widgets('main')].forEach(widget => widget.dispose())"


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


class LabPage:
    """The page of JupyterLab that the notebooks share: to load it takes longer than most tests."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._page: Page | None = None
        self.errors: list[str] = []

    def get(self) -> Page:
        """Return the page, in the size that tests expect."""
        if self._page is None:
            self._page = self._browser.new_page()
            self._page.set_default_timeout(PATIENCE)
            self._page.on("pageerror", lambda error: self.errors.append(str(error)))
        self._page.set_viewport_size({"width": 1280, "height": 1500})
        self.errors.clear()
        return self._page

    def leave(self, *, is_usable: bool) -> None:
        """Close the notebooks, or the page if it is of no use for the next test."""
        if self._page is None:
            return
        if is_usable and not self._page.locator(".jp-Dialog").count():
            self._page.evaluate(CLOSE_NOTEBOOKS)
        else:
            self._page.close()
            self._page = None


@pytest.fixture(scope="session")
def lab_page(browser: Browser) -> LabPage:
    return LabPage(browser)


@pytest.fixture
def page(lab_page: LabPage, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Return the page of JupyterLab; errors of its scripts fail the test."""
    failed = request.session.testsfailed
    yield lab_page.get()
    lab_page.leave(is_usable=request.session.testsfailed == failed)
    # JupyterLab itself raises these when a kernel ends.
    assert [error for error in lab_page.errors if "Canceled future" not in error] == []


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
