"""The reference pages of the site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

if TYPE_CHECKING:
    import griffe

    Objects: TypeAlias = list[griffe.Object | griffe.Alias]

pytest.importorskip("griffe", reason="the site is built with griffe")

ROOT = Path(__file__).parents[2]


def objects(parent: griffe.Object | griffe.Alias) -> Objects:
    """Return what is defined in an object, without imports."""
    members = [member for member in parent.members.values() if not member.is_alias]
    return [*members, *(below for member in members for below in objects(member))]


@pytest.fixture(scope="module")
def stub() -> Objects:
    """Return all objects of the stub, as the site shows them."""
    import griffe

    extensions = griffe.load_extensions(str(ROOT / "scripts" / "site_objects.py"))
    package = griffe.load("botdesk", search_paths=[str(ROOT / "python")], allow_inspection=False, extensions=extensions)
    return [found for module in ("_native", "_planning", "_api") for found in objects(package[module])]


def test_examples_are_code_instead_of_quotes(stub: Objects) -> None:
    documented = [member.docstring.parse("google", warnings=False) for member in stub if member.docstring]
    kinds = [section.kind.value for sections in documented for section in sections]
    assert kinds.count("examples") > 150
    assert "admonition" not in kinds


def test_constructors_have_a_signature(stub: Objects) -> None:
    import griffe

    (client,) = (member for member in stub if isinstance(member, griffe.Class) and member.name == "Client")
    assert [parameter.name for parameter in client.parameters][:3] == ["self", "api_key", "private_key"]
