"""Builds of users have no features: what only the feature `stubs` compiles is used in `hints.rs` alone."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
# An import fails in a build of users; the macros of `hints.rs` name these only where the feature is on.
OF_STUBS = re.compile(r"use pyo3::(?:inspect|\{[^}]*type_hint|type_hint)")


def test_only_the_hints_import_what_the_feature_stubs_has() -> None:
    found = {
        str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.rs") if OF_STUBS.search(path.read_text("utf-8"))
    }
    assert found <= {"src/hints.rs"}
