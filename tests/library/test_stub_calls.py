"""The calls of all public callables of the stub: each callable has one, and it succeeds."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from matplotlib import pyplot as plt
from stub_calls import CALLABLES, RAISES, WAITS, Examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    import botdesk

# Calls of one class, in one test.
OWNERS = sorted({found.owner for found in CALLABLES.values()})


@pytest.fixture(scope="module")
def examples(shared_sandbox: botdesk.Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Examples:
    return Examples(shared_sandbox.client(), tmp_path_factory.mktemp("examples"))


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """Close the figures that the calls have drawn; pyplot keeps them otherwise."""
    yield
    plt.close("all")


@pytest.mark.filterwarnings("ignore:unclosed")
@pytest.mark.parametrize("owner", OWNERS, ids=[owner or "functions" for owner in OWNERS])
def test_each_call_succeeds_or_raises_the_expected_error(
    owner: str, shared_sandbox: botdesk.Sandbox, examples: Examples
) -> None:
    for found in CALLABLES.values():
        if found.owner == owner and found.path not in WAITS:
            if not found.is_property:
                # A call may end or delete what another one is about.
                shared_sandbox.reset()
                examples.take_record_of_sample(found)
            error = RAISES.get(found.path) or RAISES.get(found.name)
            with pytest.raises(error) if error else nullcontext():
                examples.prepare(found)()


def test_the_stub_is_read_with_its_kinds_of_callables() -> None:
    assert CALLABLES["DcaBots.get"].required == ("bot_id",)
    assert CALLABLES["DcaBots.get_async"].is_coroutine
    assert CALLABLES["RecordIterator.__next__"].required == ()
    assert CALLABLES["RecordAsyncIterator.__anext__"].is_coroutine
    assert CALLABLES["DcaBot.id"].is_property
    assert CALLABLES["Candles.read_csv"].is_static
    assert CALLABLES["plan_ladder"].owner == ""


def test_private_names_are_left_out() -> None:
    private = [path for path in CALLABLES if path.split(".")[-1].startswith("_") and not path.endswith("__")]
    assert {path.partition(".")[2] for path in private} == {"_repr_html_"}


def test_names_that_calls_wait_for_or_raise_are_in_the_stub() -> None:
    assert CALLABLES.keys() >= WAITS
    names = {found.name for found in CALLABLES.values()} | CALLABLES.keys()
    assert names >= RAISES.keys()
