"""Checks that no modules of a crate import each other in a circle, and that no file is left that is not a module.

Between crates the compiler prevents circles. A module is a file; a `mod.rs` or `lib.rs` that only re-exports what its
children define depends on none of them. Tests may import what they like.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from line_coverage import TEST_MODULE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]

Module = tuple[str, ...]

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'r#".*?"#|"(?:[^"\\]|\\.)*"', re.DOTALL)
REEXPORT = re.compile(r"^pub(?:\([^)]*\))? use [^;]*;", re.MULTILINE)
USE = re.compile(r"\buse\s+([^;]+);")
DECLARED = re.compile(r"\bmod\s+(?:r#)?(\w+);")
PATH = re.compile(r"(?<![\w:])((?:\$?crate|super|self)(?:::\w+)+)")


def crates() -> Iterator[Path]:
    """Return the folder of the sources of each crate."""
    yield ROOT / "src"
    yield from sorted(folder / "src" for folder in (ROOT / "crates").iterdir() if (folder / "src").is_dir())


def modules(folder: Path) -> dict[Module, Path]:
    """Return the modules of a crate except for test modules."""
    found: dict[Module, Path] = {}
    for file in sorted(folder.rglob("*.rs")):
        parts = file.relative_to(folder).with_suffix("").parts
        module = parts[:-1] if parts[-1] in {"lib", "mod"} else parts
        if "tests" not in module:
            found[module] = file
    return found


def expanded(tree: str) -> Iterator[str]:
    """Return the paths of a `use`, whose braces may be nested."""
    before, brace, rest = tree.strip().partition("{")
    if not brace:
        yield before.split(" as ")[0].strip()
        return
    part, depth = "", 0
    for character in rest[: rest.rindex("}")] + ",":
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            if part.strip():
                yield from (before + path for path in expanded(part))
            part = ""
        else:
            part += character


def target(path: str, user: Module, known: dict[Module, Path]) -> Module | None:
    """Return the module of this crate that a path leads to; None if it leads out of the crate."""
    first, *rest = path.replace("$", "").split("::")
    if first == "crate":
        module: Module = ()
    elif first == "super":
        module = user[:-1]
        while rest and rest[0] == "super":
            module, rest = module[:-1], rest[1:]
    elif first == "self":
        module = user
    elif (*user, first) in known:
        module, rest = user, [first, *rest]
    else:
        return None
    for name in rest:
        if (*module, name) not in known:
            break
        module = (*module, name)
    return module


def imports(module: Module, file: Path, known: dict[Module, Path]) -> set[Module]:
    """Return the modules that a module imports."""
    source = STRING.sub('""', COMMENT.sub("", TEST_MODULE.sub("", file.read_text("utf-8"))))
    source = REEXPORT.sub("", source) if file.name in {"lib.rs", "mod.rs"} else source
    paths = [path for tree in USE.findall(source) for path in expanded(" ".join(tree.split()))]
    paths += PATH.findall(USE.sub("", source))
    found = (target(path, module, known) for path in paths)
    return {other for other in found if other is not None and other != module}


def circles(graph: dict[Module, set[Module]]) -> list[list[Module]]:
    """Return the groups of modules that reach each other, by Tarjan's algorithm."""
    order: dict[Module, int] = {}
    lowest: dict[Module, int] = {}
    path: list[Module] = []
    found: list[list[Module]] = []

    def visit(module: Module) -> None:
        order[module] = lowest[module] = len(order)
        path.append(module)
        for other in sorted(graph[module]):
            if other not in order:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in path:
                lowest[module] = min(lowest[module], order[other])
        if lowest[module] == order[module]:
            group = path[path.index(module) :]
            del path[path.index(module) :]
            if len(group) > 1:
                found.append(sorted(group))

    for module in sorted(graph):
        if module not in order:
            visit(module)
    return found


def orphans(known: dict[Module, Path]) -> Iterator[Path]:
    """Return the files that their parent module does not declare, so that the compiler never reads them."""
    roots = {(), ("main",)}
    declared: dict[Module, set[str]] = {
        module: set(DECLARED.findall(file.read_text("utf-8"))) for module, file in known.items()
    }
    in_root = {name for root in roots for name in declared.get(root, set())}
    for module, file in known.items():
        parent = module[:-1]
        if module not in roots and module[-1] not in (declared.get(parent, set()) if parent else in_root):
            yield file


def main() -> int:
    """Print the circles and the files that are not modules; the exit code is 1 if there are any."""
    count = 0
    for folder in crates():
        known = modules(folder)
        for file in orphans(known):
            count += 1
            print(f"{file.relative_to(ROOT)}: no module declares this file; delete it", file=sys.stderr)
        graph = {module: imports(module, file, known) for module, file in known.items()}
        for group in circles(graph):
            count += 1
            print(f"{folder.relative_to(ROOT)}: these modules import each other in a circle:", file=sys.stderr)
            for module in group:
                others = ", ".join("::".join(other) or "crate" for other in sorted(graph[module] & set(group)))
                print(f"    {'::'.join(module) or 'crate'} imports {others}", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
