"""General code names no record and no resource: only the files of resources, and what is listed here, may."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import botdesk
from botdesk import _native

ROOT = Path(__file__).parents[2]
# The code that knows any record by its row.
GENERAL = (
    *("crates/client/src", "crates/display/src", "crates/recording/src", "crates/schema/src"),
    *("crates/server/src", "crates/system/src", "src"),
)
# What is about bots by its purpose, or generated.
ABOUT_BOTS = (
    *("src/generated.rs", "src/planning/", "src/sandbox/playback/", "src/sandbox/market.rs", "src/sandbox/state.rs"),
    "src/widgets.rs",
)
NAMES = sorted(
    name
    for name in dir(botdesk)
    # That is also the name of an error.
    if name != "Validation"
    if isinstance(member := getattr(botdesk, name), type) and issubclass(member, _native.Record | _native.Resource)
)
RESOURCES = sorted({name.partition(".")[0] for name in _native._operation_names()})
# A name after `::` is a variant of an enumeration; the module before it would be found. `SmartTradesRead` and
# `SmartTradesWrite` are permissions, and "Smart Trade" is what the service calls a SmartTrade in errors.
NAMED = re.compile(
    rf"(?<!::)(?<!Smart )\b({'|'.join(NAMES)})\b|\b(DcaBot|GridBot|SmartTrade(?!sRead|sWrite))\w*"
    rf"|\b({'|'.join(RESOURCES)})::"
)
# The strings that name a resource or an operation: a whole string, or its beginning before a dot. A name with an
# underscore is no common word and is found anywhere.
NAMED_IN_TEXT = re.compile(
    rf'(?<=")(?:{"|".join(RESOURCES)})(?:\.\w*)?(?=\\?")'
    rf"|\b(?:{'|'.join(name for name in RESOURCES if '_' in name)})\b(?:\.\w+)?(?!::)"
)
# The general code that has to name one, each with the reason.
DELIBERATE = {
    # The mode of an account decides which records the service returns.
    "crates/client/src/http/mode_hint.rs": {"accounts"},
    "crates/client/src/http/paper.rs": {"accounts"},
    # Prices have no stream of the service: they are read.
    "crates/client/src/stream/prices.rs": {"markets.rates"},
    # A member of the files of older versions.
    "crates/client/src/watch/saved_state.rs": {"deals"},
    # Examples in docstrings.
    "src/watch/iterators.rs": {"dca_bots"},
}


def code_of(path: Path) -> str:
    """Return the code of a file without comments, and without its tests."""
    code = path.read_text("utf-8").partition("#[cfg(test)]")[0]
    return "\n".join(line for line in code.splitlines() if not line.lstrip().startswith("//"))


def general_files() -> list[str]:
    paths = (path for folder in GENERAL for path in (ROOT / folder).rglob("*.rs") if "tests" not in path.stem)
    named = (str(path.relative_to(ROOT)) for path in paths if "tests" not in path.parts)
    return sorted(name for name in named if not name.startswith(ABOUT_BOTS))


def test_the_names_are_found() -> None:
    assert {"DcaBot", "Deal", "GridBots", "Account", "PairRates"} <= set(NAMES)
    assert {"dca_bots", "deals", "trades"} <= set(RESOURCES)
    assert set(DELIBERATE) <= set(general_files())
    assert len(general_files()) > 200


@pytest.mark.parametrize("name", general_files())
def test_general_code_names_no_record(name: str) -> None:
    found = {match[0] for match in NAMED.finditer(code_of(ROOT / name))}
    assert not found, found


@pytest.mark.parametrize("name", general_files())
def test_general_code_names_no_resource_in_strings(name: str) -> None:
    found = {match[0] for match in NAMED_IN_TEXT.finditer(code_of(ROOT / name))}
    assert found == DELIBERATE.get(name, set())


@pytest.mark.parametrize(
    ("code", "found"),
    [
        pytest.param('named("deals")', "deals", id="resource"),
        pytest.param('["dca_bots.edit", name]', "dca_bots.edit", id="operation"),
        pytest.param('name.starts_with("trades.")', "trades.", id="beginning of operations"),
        pytest.param(r'"for \"markets\" only"', "markets", id="escaped quotes"),
        pytest.param('"/websocket/smart_trades"', "smart_trades", id="part of a string"),
    ],
)
def test_the_name_of_a_resource_in_a_string_is_found(code: str, found: str) -> None:
    assert [match[0] for match in NAMED_IN_TEXT.finditer(code)] == [found]
