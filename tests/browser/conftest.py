"""JupyterLab with a real kernel, driven by a headless Chromium: `just test-browser` says which one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

CHROMIUM = os.environ.get("BOTDESK_BROWSER", "")
TOKEN = "of-the-tests"
_KERNEL = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where no browser is given."""
    skip = pytest.mark.skip(reason="BOTDESK_BROWSER names no Chromium; run: just test-browser")
    for item in items if not CHROMIUM else []:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(skip)


class Lab:
    """A JupyterLab server on the loopback interface, whose settings and notebooks are in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        """Start the server, and wait until it prints its URL."""
        self.notebooks = folder / "notebooks"
        self.notebooks.mkdir()
        places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "HOME", "JUPYTERLAB_SETTINGS_DIR")
        own = {place: str(folder / place.lower()) for place in places}
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"]
        options = [
            f"--IdentityProvider.token={TOKEN}",
            f"--ServerApp.root_dir={self.notebooks}",
            "--LabApp.expose_app_in_browser=True",
            # Nothing of the page asks other hosts.
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            "--LabApp.extension_manager=readonly",
        ]
        news = folder / "jupyterlab_settings_dir" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
        news.parent.mkdir(parents=True)
        news.write_text('{"fetchNews": "false", "checkForUpdates": false}')
        self._server = subprocess.Popen(
            [*command, *options], env={**os.environ, **own}, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        self.url = self._printed_url()

    def _printed_url(self) -> str:
        printed: list[str] = []
        for line in self._server.stderr or ():
            printed.append(line)
            if found := re.search(r"http://127\.0\.0\.1:[1-9]\d*/", line):
                # A full pipe would block the server.
                Thread(target=lambda: list(self._server.stderr or ()), daemon=True).start()
                return found[0]
        pytest.fail(f"JupyterLab did not start: {''.join(printed)}")

    def write(self, name: str, cells: list[str]) -> str:
        """Write a notebook and return the URL of its page."""
        content = {
            "cells": [
                {"cell_type": "code", "id": f"cell-{place}", "execution_count": None, "metadata": {}, "outputs": [], "source": cell}
                for place, cell in enumerate(cells)
            ],
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        (self.notebooks / name).write_text(json.dumps(content))
        return f"{self.url}doc/tree/{name}?token={TOKEN}"

    def request(self, method: str, path: str) -> Any:  # noqa: ANN401
        """Call the server's own API."""
        headers = {"Authorization": f"token {TOKEN}"}
        request = urllib.request.Request(f"{self.url}api/{path}", method=method, headers=headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            return json.loads(response.read() or b"null")

    def stop(self) -> None:
        """End the server and its kernels."""
        self._server.terminate()
        self._server.communicate(timeout=60)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Return a JupyterLab server."""
    server = Lab(tmp_path_factory.mktemp("lab"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


class Notebook:
    """A notebook in a page, whose kernel has a client of the sandbox as `client`."""

    def __init__(self, lab: Lab, page: Page, name: str) -> None:
        self.lab = lab
        self.page = page
        self._name = name

    def execute(self, command: str, **arguments: object) -> None:
        """Run a command of JupyterLab."""
        # What it returns is not awaited, because a cell may run for long.
        script = "([command, options]) => { window.jupyterapp.commands.execute(command, options); }"
        self.page.evaluate(script, [command, arguments])

    def run_all(self) -> None:
        """Run all cells; the caller waits for what they show."""
        self.execute("notebook:run-all-cells")

    def run(self, code: str) -> str:
        """Run code in a new cell at the end, and return what it prints."""
        self.execute("notebook:move-cursor-down")
        self.execute("notebook:insert-cell-below")
        self.execute("notebook:replace-selection", text=f"{code}\nprint('done')")
        before = self.outputs().count()
        self.execute("notebook:run-cell")
        self.outputs().nth(before).get_by_text("done").wait_for()
        return self.outputs().nth(before).inner_text().removesuffix("done").strip()

    def outputs(self) -> Locator:
        """Return the printed outputs of all cells."""
        return self.page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stdout']")

    def kernel(self) -> str:
        """Return the id of the kernel."""
        sessions = self.lab.request("GET", "sessions")
        return next(session["kernel"]["id"] for session in sessions if session["path"] == self._name)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return an empty page; errors of its scripts fail the test."""
    page = browser.new_page(viewport={"width": 1280, "height": 1500})
    page.set_default_timeout(20_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert errors == []


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Return a sandbox whose bots never change by themselves."""
    with botdesk.Sandbox(seed=7) as sandbox:
        yield sandbox


@pytest.fixture
def open_notebook(
    lab: Lab, page: Page, sandbox: botdesk.Sandbox, private_key: str, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Notebook]]:
    """Open a notebook with cells and run them; the first one makes the client."""
    name = f"{request.node.name.replace('[', '-').replace(']', '')}.ipynb"
    api_key = sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem)
    client = f"import botdesk\nclient = botdesk.Client({api_key!r}, {private_key!r}, base_url={sandbox.url!r})"

    def open_(*cells: str) -> Notebook:
        page.goto(lab.write(name, [client, *cells]))
        page.wait_for_function(f"() => ({_KERNEL})?.status === 'idle'")
        notebook = Notebook(lab, page, name)
        notebook.run_all()
        return notebook

    yield open_
    for session in lab.request("GET", "sessions"):
        lab.request("DELETE", f"sessions/{session['id']}")
