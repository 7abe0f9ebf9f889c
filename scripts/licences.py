"""Write the licences of the crates in the compiled module: `python scripts/licences.py [FILE]`."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# Wheels contain this file; it is not kept in the repository.
DEFAULT = ROOT / "python/botdesk/THIRD_PARTY_LICENSES.txt"

# The beginnings of the names of files with licences and notices.
NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")

HEAD = """\
The compiled module of botdesk contains the following crates. Each is named with its version and its licence, and
followed by the texts that it comes with. A text that was printed before is not repeated. The module also contains
parts of the standard library of Rust: MIT or Apache-2.0, https://www.rust-lang.org/policies/licenses.
"""


def main() -> None:
    """Write the licences to the file named on the command line."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    path.write_text(licences(crates()), encoding="utf-8")


def crates() -> list[dict[str, Any]]:
    """Return the crates that are compiled into the module on this platform, by their names."""
    host = next(line for line in output("rustc", "-vV").splitlines() if line.startswith("host: "))
    platform = host.removeprefix("host: ")
    found = output("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", platform)
    metadata = json.loads(found)
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    # They run in the compiler.
    macros = {package["id"] for package in metadata["packages"] if package["targets"][0]["kind"] == ["proc-macro"]}
    compiled: set[str] = set()
    waiting = [metadata["resolve"]["root"]]
    while waiting:
        crate = waiting.pop()
        if crate not in compiled | macros:
            compiled.add(crate)
            waiting += needed(nodes[crate])
    packages = [package for package in metadata["packages"] if package["id"] in compiled and package["source"]]
    return sorted(packages, key=lambda package: (package["name"], package["version"]))


def needed(node: dict[str, Any]) -> Iterator[str]:
    """Yield the crates that a crate needs when it runs, rather than to be compiled or tested."""
    for dependency in node["deps"]:
        if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
            yield dependency["pkg"]


def licences(packages: list[dict[str, Any]]) -> str:
    """Return the licences of crates as one text."""
    parts = [HEAD]
    printed: dict[str, str] = {}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        parts.append(f"{'=' * 80}\n{name}: {package['license'] or 'see below'}\n")
        for file in texts(package):
            text = file.read_text("utf-8", errors="replace").strip()
            earlier = printed.setdefault(" ".join(text.split()), f"{name}, {file.name}")
            again = f"(the text of {earlier})" if earlier != f"{name}, {file.name}" else text
            parts.append(f"--- {file.name}\n{again}\n")
    return "\n".join(parts)


def texts(package: dict[str, Any]) -> list[Path]:
    """Return the files with the licence of a crate."""
    folder = Path(package["manifest_path"]).parent
    found = [file for file in folder.iterdir() if file.is_file() and file.name.upper().startswith(NAMES)]
    return sorted(found)


def output(*command: str) -> str:
    """Return what a command prints."""
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main()
