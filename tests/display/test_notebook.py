"""The output of the cells of a notebook, in a kernel of Jupyter."""

from __future__ import annotations

from typing import Any

import pytest

SETUP = """
import botdesk
sandbox = botdesk.Sandbox(seed=7)
client = sandbox.client()
bots = client.dca_bots.list()
"""
OWN = """
class Own(list):
    def _repr_html_(self):
        return 'own'
Own([bots[0]])
"""
ERROR = """
try:
    bots[0].edit(take_profit='x')
except botdesk.ValidationError as error:
    caught = error
caught
"""
OWN_PLOT = """
from matplotlib import pyplot as plt
plt.plot([1, 2]);
"""
CELLS = {
    "setup": SETUP,
    "plot": "ax = botdesk.plan_ladder(price=100, base_order_volume=80, max_safety_orders=0).plot()",
    "second plot": "ax = client.dca_bots.get(41).plot()",
    "plot of the user": OWN_PLOT,
    "third plot": "ax = client.dca_bots.get(41).plot(theme='dark')",
    "second plot of the user": OWN_PLOT,
    "bots": "bots",
    "filtered": "[bot for bot in bots if bot.is_enabled]",
    "empty": "[bot for bot in bots if bot.id == 0]",
    "numbers": "[1, 2]",
    "nested": "{'bots': bots[:1], 'list': [bots[0]]}",
    "own": OWN,
    "handle": "client.dca_bots",
    "requests": "sandbox.requests",
    "error": ERROR,
    "raised": "bots[0].edit(take_profit='x')",
    "end": "sandbox.close()",
}


@pytest.fixture(scope="module")
def shown() -> dict[str, list[Any]]:
    """Return the outputs of each cell."""
    # Every process collects this module, and these imports take two seconds.
    import nbformat
    from nbclient import NotebookClient

    # `Any`: it has no types.
    make: Any = nbformat.v4
    notebook = make.new_notebook(cells=[make.new_code_cell(source) for source in CELLS.values()])
    # Seconds; with the default of `iopub_timeout`, 4, a slow machine loses outputs.
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, startup_timeout=300, iopub_timeout=300).execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def data(outputs: list[Any]) -> dict[str, str]:
    (output,) = outputs
    found: dict[str, str] = output.data
    return found


def test_a_plot_is_shown_as_an_adaptive_picture_and_as_a_png(shown: dict[str, list[Any]]) -> None:
    found = data(shown["plot"])
    assert {"text/html", "image/png"} <= {*found}
    assert '<div class="botdesk-plot"><svg' in found["text/html"]


@pytest.mark.parametrize("name", ["second plot", "third plot", "plot of the user", "second plot of the user"])
def test_a_plot_does_not_keep_later_ones_from_being_shown(shown: dict[str, list[Any]], name: str) -> None:
    assert "image/png" in data(shown[name])


def test_a_list_is_a_table(shown: dict[str, list[Any]]) -> None:
    assert "12 DCA bots" in data(shown["bots"])["text/html"]


def test_a_filtered_list_is_a_table_too(shown: dict[str, list[Any]]) -> None:
    found = data(shown["filtered"])
    assert "9 DCA bots" in found["text/html"]
    assert found["text/plain"].splitlines()[0].split()[:3] == ["id", "is_enabled", "name"]
    assert "\x1b" not in found["text/plain"]


@pytest.mark.parametrize("name", ["empty", "numbers"])
def test_other_lists_are_shown_as_usual(name: str, shown: dict[str, list[Any]]) -> None:
    assert data(shown[name]) == {"text/plain": {"empty": "[]", "numbers": "[1, 2]"}[name]}


def test_a_list_in_another_object_is_shown_as_usual(shown: dict[str, list[Any]]) -> None:
    assert "'list': [<DcaBot id=" in data(shown["nested"])["text/plain"]


def test_a_list_that_displays_itself_still_does(shown: dict[str, list[Any]]) -> None:
    assert data(shown["own"])["text/html"] == "own"


def test_a_handle_shows_what_it_offers(shown: dict[str, list[Any]]) -> None:
    found = data(shown["handle"])
    for text in found["text/html"], found["text/plain"]:
        assert ".edit()" in text
        assert "Edit a DCA bot: change the given fields" in text


def test_received_requests_are_a_table(shown: dict[str, list[Any]]) -> None:
    assert "3 received requests" in data(shown["requests"])["text/html"]


def test_an_error_is_a_table_and_its_traceback_is_as_usual(shown: dict[str, list[Any]]) -> None:
    assert "ValidationError: 1 rule is broken" in data(shown["error"])["text/html"]
    (output,) = shown["raised"]
    assert (output.output_type, output.ename) == ("error", "ValidationError")
    assert any("edit(take_profit=" in line for line in output.traceback)
