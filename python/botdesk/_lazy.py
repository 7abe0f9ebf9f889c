"""Packages whose names are imported when they are used."""

from __future__ import annotations

import sys

# Stands in for `typing.TYPE_CHECKING`: importing `typing` takes longer than the rest of the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def importer(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package.

    Args:
        package: The name of the package.
        modules: The module of each name, without that of the package.
    """

    def import_name(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        from importlib import import_module  # noqa: PLC0415 - only needed at the first use of a name

        found = getattr(import_module(f"{package}.{modules[name]}"), name)
        # The next use finds it at once.
        setattr(sys.modules[package], name, found)
        return found

    return import_name
