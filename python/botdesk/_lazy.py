"""Packages whose names are imported when they are used."""

from __future__ import annotations

import sys

# Stands in for `typing.TYPE_CHECKING`: importing `typing` takes longer than the rest of the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def importer(namespace: dict[str, Any], modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    Args:
        namespace: The attributes of the package.
        modules: The module of each name, relative to the package.
    """
    package: str = namespace["__name__"]

    def import_name(name: str) -> Any:  # noqa: ANN401 - as many types as names
        if name not in modules:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=sys.modules.get(package))
        from importlib import import_module  # noqa: PLC0415 - only needed at the first use of a name

        # The next use finds it at once.
        found = namespace[name] = getattr(import_module(f"{package}.{modules[name]}"), name)
        return found

    return import_name
