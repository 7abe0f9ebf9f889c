"""Writes what pyo3 can't generate into the stub of the compiled module: overloads, and coroutines of Python code."""

from __future__ import annotations

import sys
from pathlib import Path

_SELF = "    def add_key(self, /, "
_PERMISSIONS = "permissions: Sequence[str] | None = None, *, "
_GENERATED = (
    f'{_SELF}public_key_pem: "str | None" = None, {_PERMISSIONS}secret: "bool" = False) -> "str | tuple[str, str]":\n'
)
_OVERVIEW = "    def overview_async(self, /)"
# The signature that pyo3 generates, and the overloads that replace it. The last one keeps the docstring.
_OVERLOADS = {
    _GENERATED: (
        "    @overload\n"
        f"{_SELF}public_key_pem: None = None, {_PERMISSIONS}secret: Literal[True]) -> tuple[str, str]: ...\n"
        "    @overload\n"
        f"{_SELF}public_key_pem: str, {_PERMISSIONS}secret: Literal[False] = False) -> str:\n"
    ),
    f"{_OVERVIEW} -> Coroutine[Any, Any, Overview]:\n": f"{_OVERVIEW.replace('def', 'async def')} -> Overview:\n",
}
_IMPORT = "SupportsIndex, final\n"


def main(path: Path) -> None:
    """Replace the signatures in a stub."""
    stub = path.read_text("utf-8")
    for signature, overloads in {**_OVERLOADS, _IMPORT: _IMPORT.replace("final", "final, overload")}.items():
        if stub.count(signature) != 1:
            sys.exit(f"{path} does not have this once, so it is not replaced; adapt {__file__}:\n{signature}")
        stub = stub.replace(signature, overloads)
    path.write_text(stub, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
