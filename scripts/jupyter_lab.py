"""JupyterLab with a real kernel, and its notebooks in a browser, for the tests of the widgets and their pictures."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress
from threading import Thread
from typing import IO, TYPE_CHECKING, Any

import botdesk

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

_TOKEN = "of-the-tests"  # noqa: S105 - the server listens on the loopback interface, and only for a test
_KERNEL = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"
BROWSER_OPTIONS = ["--no-sandbox", "--disable-gpu"]
# The milliseconds in which a kernel starts where other checks use all cores.
_KERNEL_STARTS = 60_000
# Seconds in which the server may end its kernels and itself.
_GRACE = 15.0
# The server frees the port that it has chosen before it listens, so another process may take it meanwhile.
_STARTS = 3


class Lab:
    """A JupyterLab server on the loopback interface, whose settings and notebooks are in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        """Start the server, and wait until it responds."""
        self.notebooks = folder / "notebooks"
        self.notebooks.mkdir()
        places = (
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
            "IPYTHONDIR",
            "HOME",
            "JUPYTERLAB_SETTINGS_DIR",
        )
        own = {place: str(folder / place.lower()) for place in places}
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"]
        options = [
            f"--IdentityProvider.token={_TOKEN}",
            f"--ServerApp.root_dir={self.notebooks}",
            "--LabApp.expose_app_in_browser=True",
            # Nothing of the page asks other hosts.
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            "--LabApp.extension_manager=readonly",
        ]
        news = (
            folder
            / "jupyterlab_settings_dir"
            / "@jupyterlab"
            / "apputils-extension"
            / "notification.jupyterlab-settings"
        )
        news.parent.mkdir(parents=True)
        news.write_text('{"fetchNews": "false", "checkForUpdates": false}')
        for _ in range(_STARTS):
            self._server = subprocess.Popen(
                [*command, *options],
                env={**os.environ, **own},
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
                # A process group of its own, which `end_group` ends.
                start_new_session=True,
            )
            self.url = self._printed_url()
            if self._responds():
                return
        raise RuntimeError(f"JupyterLab ended {_STARTS} times before it responded")

    def _printed_url(self) -> str:
        printed: list[str] = []
        for line in self._server.stderr or ():
            printed.append(line)
            if found := re.search(r"http://127\.0\.0\.1:[1-9]\d*/", line):
                # A full pipe would block the server.
                Thread(target=_discard, args=[self._server.stderr], daemon=True).start()
                return found[0]
        self.stop()
        raise RuntimeError(f"JupyterLab did not start: {''.join(printed)}")

    def _responds(self) -> bool:
        """Wait until it responds; return false if it ended."""
        # It prints its URL before it listens.
        while self._server.poll() is None:
            with suppress(OSError):
                self.request("GET", "status")
                return True
            with suppress(subprocess.TimeoutExpired):
                self._server.wait(0.05)
        return False

    def write(self, name: str, cells: list[str]) -> str:
        """Write a notebook and return the URL of its page."""
        content: dict[str, Any] = {
            "cells": [
                {
                    "cell_type": "code",
                    "id": f"cell-{place}",
                    "execution_count": None,
                    "metadata": {},
                    "outputs": [],
                    "source": cell,
                }
                for place, cell in enumerate(cells)
            ],
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        (self.notebooks / name).write_text(json.dumps(content))
        return f"{self.url}doc/tree/{name}?token={_TOKEN}"

    def request(self, method: str, path: str) -> Any:  # noqa: ANN401
        """Call the server's own API."""
        headers = {"Authorization": f"token {_TOKEN}"}
        request = urllib.request.Request(f"{self.url}api/{path}", method=method, headers=headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            return json.loads(response.read() or b"null")

    def close_notebooks(self) -> None:
        """End the kernels of all notebooks; those that do not end are left to `stop`."""
        # A kernel that is slow, or that has ended by itself, says nothing about what was tested.
        with suppress(OSError):
            for session in self.request("GET", "sessions"):
                self.request("DELETE", f"sessions/{session['id']}")

    def stop(self) -> None:
        """End the server; its kernels end with it."""
        end_group(self._server, _GRACE)


def _discard(output: IO[str]) -> None:
    """Read the rest of an output, and close it."""
    with output:
        for _ in output:
            pass


def end_group(leader: subprocess.Popen[str], grace: float) -> None:
    """End a process that leads its process group; after some seconds of grace, kill the group."""
    leader.terminate()
    try:
        leader.wait(grace)
    except subprocess.TimeoutExpired:
        # A thread that waits for ever keeps a Python process from exiting.
        os.killpg(leader.pid, signal.SIGKILL)
        leader.wait()


class Notebook:
    """A notebook in a page, whose kernel has a client of the sandbox as `client`."""

    def __init__(self, lab: Lab, page: Page, name: str, cells: list[str]) -> None:
        """Write the notebook, open it in the page, which may have JupyterLab already, and wait for its kernel."""
        from playwright.sync_api import TimeoutError as NotIdleError  # noqa: PLC0415 - only browsers need it

        self.page = page
        url = lab.write(name, cells)
        if page.url.startswith(lab.url):
            self.execute("docmanager:open", path=name)
            # A page that has had many notebooks may start no kernel for one more; a page that is loaded again does.
            with suppress(NotIdleError):
                self.wait_for_kernel(_KERNEL_STARTS)
                return
        page.goto(url)
        self.wait_for_kernel()

    def execute(self, command: str, **arguments: object) -> None:
        """Run a command of JupyterLab."""
        # What it returns is not awaited, because a cell may run for long.
        script = "([command, options]) => { window.jupyterapp.commands.execute(command, options); }"
        self.page.evaluate(script, [command, arguments])

    def wait_for_kernel(self, timeout: float | None = None) -> None:
        """Wait until the kernel is idle, for some milliseconds or for as long as the page waits for anything."""
        self.page.wait_for_function(f"() => ({_KERNEL})?.status === 'idle'", timeout=timeout)

    def run_all(self) -> None:
        """Run all cells; the caller waits for what they show."""
        self.execute("notebook:run-all-cells")

    def insert(self, code: str) -> None:
        """Insert a cell below the current one, and make it the current one."""
        self.execute("notebook:insert-cell-below")
        self.execute("notebook:replace-selection", text=code)

    def run(self, code: str) -> str:
        """Run code in a new cell at the end, and return what it prints."""
        self.insert(f"{code}\nprint('done')")
        before = self.outputs().count()
        self.execute("notebook:run-cell")
        self.outputs().nth(before).get_by_text("done").wait_for()
        return self.outputs().nth(before).inner_text().strip().removesuffix("done").strip()

    def outputs(self) -> Locator:
        """Return the printed outputs of all cells."""
        return self.page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stdout']")

    def restart_kernel(self) -> None:
        """Restart the kernel, as the menu does."""
        self.page.evaluate(f"() => ({_KERNEL}).restart()")


def client_code(sandbox: botdesk.Sandbox, private_key: str) -> str:
    """Return the cell that makes `client`, a client of the sandbox."""
    api_key = sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem)
    return f"import botdesk\nclient = botdesk.Client({api_key!r}, {private_key!r}, base_url={sandbox.url!r})"
