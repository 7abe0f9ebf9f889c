"""Check that no modules of a crate or of the package import each other in a circle, and that no Rust file is unused.

The files are checked, and so are the top-level modules, each with all files below it. Between crates the compiler
prevents circles. A `mod.rs` or `lib.rs` does not depend on a child that it re-exports, unless its own code uses the
name. Tests may import what they like. In Python, imports inside of functions count like all others; imports for type
checkers do not count, because they are not executed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import grimp

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]

Module = tuple[str, ...]
Graph = dict[Module, set[Module]]

# A test module ends at the closing brace in the first column.
TEST_MODULE = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{\n.*?^\}$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'r#".*?"#|"(?:[^"\\]|\\.)*"', re.DOTALL)
REEXPORT = re.compile(r"^pub(?:\([^)]*\))? use [^;]*;", re.MULTILINE)
USE = re.compile(r"\buse\s+([^;]+);")
DECLARED = re.compile(r"\bmod\s+(?:r#)?(\w+);")
PATH = re.compile(r"(?<![\w:$])(\$?[a-z_]\w*(?:::\w+)+)")


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


def expanded(tree: str) -> Iterator[tuple[str, str]]:
    """Return the paths of a `use`, whose braces may be nested, each with the name that it defines."""
    before, brace, rest = tree.strip().partition("{")
    if not brace:
        path, _, alias = before.strip().partition(" as ")
        path = path.strip().removesuffix("::self")
        yield path, alias.strip() or path.rpartition("::")[2]
        return
    part, depth = "", 0
    for character in rest[: rest.rindex("}")] + ",":
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            if part.strip():
                yield from expanded(before + part.strip())
            part = ""
        else:
            part += character


def used(source: str) -> list[tuple[str, str]]:
    """Return the paths of all `use` of a source, each with the name that it defines."""
    return [pair for tree in USE.findall(source) for pair in expanded(" ".join(tree.split()))]


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


def is_named(name: str, body: str) -> bool:
    """Return True if code uses a name, other than as the name of a member or in a path."""
    return re.search(rf"(?<![\w:.]){re.escape(name)}\b(?!\s*:(?!:))", body) is not None


def imports(module: Module, file: Path, known: dict[Module, Path]) -> set[Module]:
    """Return the modules that a module imports, or names in a path that starts with a child or an imported module."""
    source = STRING.sub('""', COMMENT.sub("", TEST_MODULE.sub("", file.read_text("utf-8"))))
    names = {name: path for path, name in used(source)}
    body = USE.sub("", source)
    is_facade = file.name in {"lib.rs", "mod.rs"}
    paths = [path for path, _ in used(REEXPORT.sub("", source) if is_facade else source)]
    paths += [path for name, path in names.items() if is_facade and is_named(name, body)]
    for path in PATH.findall(body):
        first, _, rest = path.partition("::")
        paths.append(f"{names[first]}::{rest}" if first in names else path)
    found = (target(path, module, known) for path in paths)
    return {other for other in found if other is not None and other != module}


def top_level(graph: Graph) -> Graph:
    """Return the same graph by top-level module. The root of the crate is one of them."""
    tops: Graph = {module[:1]: set() for module in graph}
    for module, others in graph.items():
        tops[module[:1]] |= {other[:1] for other in others} - {module[:1]}
    return tops


def circles(graph: Graph) -> list[list[Module]]:
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


def package_graph() -> Graph:
    """Return the imports between the modules of the package."""
    graph = grimp.build_graph("botdesk", cache_dir=None, exclude_type_checking_imports=True)

    def module(name: str) -> Module:
        return tuple(name.split(".")[1:])

    # A package that imports its own modules by its name also imports itself.
    return {
        module(name): {module(other) for other in graph.find_modules_directly_imported_by(name)} - {module(name)}
        for name in graph.modules
    }


def named(module: Module) -> str:
    """Return the name of a module in messages."""
    return "/".join(module) or "the root"


def problems(graph: Graph) -> Iterator[str]:
    """Return the circles of files and of top-level modules."""
    for kind, checked in (("files", graph), ("top-level modules", top_level(graph))):
        for group in circles(checked):
            lines = [f"these {kind} import each other in a circle:"]
            for module in group:
                others = ", ".join(named(other) for other in sorted(checked[module] & set(group)))
                lines.append(f"    {named(module)} imports {others}")
            yield "\n".join(lines)


def main() -> int:
    """Print the circles and the files that are not modules; the exit code is 1 if there are any."""
    count = 0
    graphs = {"python/botdesk": package_graph()}
    for folder in crates():
        known = modules(folder)
        for file in orphans(known):
            count += 1
            print(f"{file.relative_to(ROOT)}: no module declares this file; delete it", file=sys.stderr)
        graphs[folder.relative_to(ROOT).as_posix()] = {
            module: imports(module, file, known) for module, file in known.items()
        }
    for where, graph in graphs.items():
        for problem in problems(graph):
            count += 1
            print(f"{where}: {problem}", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
