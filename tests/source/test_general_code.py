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
# A name after `::` is a variant of an enumeration; the module before it would be found. `SmartTradesRead` and
# `SmartTradesWrite` are permissions, and "Smart Trade" is what the service calls a SmartTrade in errors.
NAMED = re.compile(
    rf"(?<!::)(?<!Smart )\b({'|'.join(NAMES)})\b|\b(DcaBot|GridBot|SmartTrade(?!sRead|sWrite))\w*"
    r"|\b(accounts|dca_bots|grid_bots|smart_trades)::"
)


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
    assert len(general_files()) > 200


@pytest.mark.parametrize("name", general_files())
def test_general_code_names_no_record(name: str) -> None:
    found = {match[0] for match in NAMED.finditer(code_of(ROOT / name))}
    assert not found, found
