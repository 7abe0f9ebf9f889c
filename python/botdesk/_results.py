"""Imports the classes of all results, for the first client.

Their modules are not imported with the package, because few programs need all. But an import that fails after a write
would lose its outcome, and a child that is forked during the import of another thread would wait for it forever.
"""

from __future__ import annotations

from importlib import import_module

from botdesk._api import MODULES

for _module in ("_bulk", "_records", *(f"_api.{name}" for name in sorted({*MODULES.values()}))):
    import_module(f"botdesk.{_module}")
