"""The docstrings of the package: `_async` versions, sections, and examples that run."""

from __future__ import annotations

import doctest
import inspect
import io
import os
import re
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

import botdesk
from botdesk import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLASSES: dict[str, type] = {
    member.__name__: member
    for module in (botdesk, botdesk.errors, _native)
    # The attributes of the package are imported when they are used.
    for _, member in inspect.getmembers(module)
    if inspect.isclass(member) and member.__module__.partition(".")[0] == "botdesk" and member.__name__[0] != "_"
}


def public_members(owner: type) -> Iterator[tuple[str, object]]:
    for name, member in sorted(vars(owner).items()):
        # A named tuple describes its fields.
        is_field = name in getattr(owner, "_fields", ())
        if not name.startswith("_") and hasattr(member, "__get__") and not is_field:
            yield name, getattr(owner, name) if isinstance(member, staticmethod) else member


MEMBERS: dict[str, object] = {
    f"{name}.{member_name}": member for name, owner in CLASSES.items() for member_name, member in public_members(owner)
}
METHODS = {name: member for name, member in MEMBERS.items() if callable(member)}
# The docstring of a method that sends a request names its operation in the API reference.
OPERATIONS = {name: member for name, member in METHODS.items() if "API reference: " in (inspect.getdoc(member) or "")}
# What only prepares a request sends nothing; a watch outlives what the requests of its steps fail with.
SENDS_NOTHING = ("sign", "sign_async", "preview_edit", "preview_edit_async", "watch", "watch_async", "live", "stream")
# Bulk methods report each error in their result; they raise only what stops them before they begin.
TELLING = tuple(name for name in OPERATIONS if "_many" in name or name.startswith("Bulk"))
SENDING = {
    name: member
    for name, member in OPERATIONS.items()
    if name.partition(".")[2] not in SENDS_NOTHING and name not in TELLING
}
# Methods that compute for a while have an `_async` version, too, but send nothing.
COMPUTATIONS = {name: member for name, member in METHODS.items() if name.endswith(".backtest")}
# The requests of a live table are sent while it is shown; a stream is for `async for`, too.
BLOCKING = {
    name: member for name, member in OPERATIONS.items() if not name.endswith(("_async", ".live", ".stream"))
} | COMPUTATIONS
# Listed in the API reference's section on authentication.
PERMISSIONS = "BOTS_READ|BOTS_WRITE|ACCOUNTS_READ|ACCOUNTS_WRITE|SMART_TRADES_READ|SMART_TRADES_WRITE"
DOCUMENTED = {**CLASSES, **MEMBERS}
FUNCTIONS: dict[str, object] = {
    "botdesk": botdesk,
    "record": botdesk.record,
    "backtest": botdesk.backtest,
    "backtest_async": botdesk.backtest_async,
    "sweep": botdesk.sweep,
    "sweep_async": botdesk.sweep_async,
}
EXAMPLES = {
    name: text
    for name, member in {**FUNCTIONS, **DOCUMENTED}.items()
    if ">>>" in (text := inspect.getdoc(member) or "")
}


def parameters_of(method: object) -> list[str]:
    assert callable(method)
    return [name for name in inspect.signature(method).parameters if name not in {"self", "unknown"}]


def sections_of(text: str) -> dict[str, str]:
    """Split a docstring into its sections by their headings."""
    parts = re.split(r"(?m)^(Args|Returns|Raises|Example|Attributes):\n", text)
    return dict(zip(parts[1::2], map(str.rstrip, parts[2::2]), strict=True))


def names_in(section: str) -> list[str]:
    return re.findall(r"(?m)^    (\w+): \S", section)


def test_the_operations_are_found() -> None:
    assert {f"DcaBots.{name}" for name in ("list", "iter", "get", "edit", "disable", "cancel_all_deals")} <= set(
        BLOCKING
    )
    assert {f"DcaBot.{name}" for name in ("refresh", "edit", "disable", "cancel_all_deals")} <= set(BLOCKING)


def test_every_method_of_a_handle_is_an_operation() -> None:
    assert [name for name in METHODS if name.startswith("DcaBots.") and name not in OPERATIONS] == []


@pytest.mark.parametrize("name", BLOCKING)
def test_an_operation_has_an_async_version_with_the_same_parameters(name: str) -> None:
    assert parameters_of(METHODS[f"{name}_async"]) == parameters_of(METHODS[name])


@pytest.mark.parametrize("name", BLOCKING)
def test_an_async_version_is_described_like_its_operation(name: str) -> None:
    operation, async_version = (sections_of(inspect.getdoc(METHODS[each]) or "") for each in (name, f"{name}_async"))
    assert async_version.get("Args") == operation.get("Args")
    assert async_version.get("Raises") == operation.get("Raises")


@pytest.mark.parametrize(
    "method",
    [botdesk.DcaBots.iter_async, botdesk.GridBot.iter_events_async, botdesk.Trades.iter_active_async],
    ids=lambda method: str(method.__qualname__),
)
def test_an_asynchronous_iterator_is_described_as_one(method: Callable[..., object]) -> None:
    documentation = inspect.getdoc(method) or ""
    assert "`async for`" in documentation.partition("\n")[0]
    assert sections_of(documentation)["Returns"].strip().startswith("An asynchronous iterator")


def test_a_reference_to_the_blocking_version_that_is_written_by_hand_stays() -> None:
    assert inspect.getdoc(botdesk.Deal.wait_closed_async) == "Wait until the deal is over; see `wait_closed`."


def test_every_async_version_has_an_operation() -> None:
    assert [name for name in METHODS if name.endswith("_async") and name.removesuffix("_async") not in BLOCKING] == []


def test_public_names_are_described_in_a_sentence() -> None:
    summaries = {name: (inspect.getdoc(found) or "").partition("\n\n")[0] for name, found in DOCUMENTED.items()}
    assert [name for name, summary in summaries.items() if not re.match(r"(?s)[A-Z].*[.]$", summary)] == []


def test_each_parameter_of_a_method_is_described() -> None:
    both = {
        name: (names_in(sections_of(inspect.getdoc(method) or "").get("Args", "")), parameters_of(method))
        for name, method in METHODS.items()
    }
    assert {name: each for name, each in both.items() if each[0] != each[1]} == {}


@pytest.mark.parametrize("name", ["Client", "Replay", "Sandbox"])
def test_each_parameter_of_a_class_is_described(name: str) -> None:
    described = names_in(sections_of(inspect.getdoc(CLASSES[name]) or "").get("Args", ""))
    assert described == parameters_of(CLASSES[name])


@pytest.mark.parametrize("name", SENDING)
def test_an_operation_documents_its_errors(name: str) -> None:
    raised = names_in(sections_of(inspect.getdoc(OPERATIONS[name]) or "").get("Raises", ""))
    assert {"ApiError", "TransportError"} <= set(raised)
    # A file that can't be read or written, and a wait that takes too long, raise the errors of Python.
    own = [error for error in raised if error not in {"OSError", "TimeoutError"}]
    assert [error for error in own if not issubclass(getattr(botdesk, error), botdesk.BotdeskError)] == []


# A list of records raises what lists raise; what looks for a result finds one or none.
JUDGING = [
    name
    for name, method in METHODS.items()
    if parameters_of(method) and not name.startswith("Records.") and name != "BulkResult.behind"
]


@pytest.mark.parametrize("name", JUDGING)
def test_a_method_with_arguments_documents_its_errors(name: str) -> None:
    raised = names_in(sections_of(inspect.getdoc(METHODS[name]) or "").get("Raises", ""))
    assert raised
    # A table needs a library that may not be there.
    own = [error for error in raised if error not in {"ImportError", "OSError", "TimeoutError"}]
    assert [error for error in own if not issubclass(getattr(botdesk, error), botdesk.BotdeskError)] == []


def test_a_method_has_an_example() -> None:
    names = ["Client", "Replay", "Sandbox", *METHODS]
    examples = {name: sections_of(inspect.getdoc(DOCUMENTED[name]) or "").get("Example", "") for name in names}
    assert [name for name, example in examples.items() if ">>>" not in example] == []


def test_an_operation_documents_its_permission() -> None:
    permission = rf"Permissions? ({PERMISSIONS})\b|No permission is needed|The permission that the path needs"
    described = {name: inspect.getdoc(method) or "" for name, method in OPERATIONS.items()}
    assert [name for name, text in described.items() if not re.search(permission, text)] == []


# Twins have the same examples; each runs once.
@pytest.mark.parametrize("text", {text: name for name, text in reversed(EXAMPLES.items())})
def test_an_example_runs(text: str) -> None:
    example = doctest.DocTestParser().get_doctest(text, {}, "example", None, None)
    output = io.StringIO()
    with patch.dict(os.environ):
        result = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(example, out=output.write)
    assert result.attempted > 0
    assert result.failed == 0, output.getvalue()
