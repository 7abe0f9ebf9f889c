"""The results as a page of Markdown."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import files, version
from pathlib import Path

from benches import rust
from benches.groups import Group
from benches.measure import Goal, Results, Row, Table
from botdesk import _native

PART = """\
## {title}

Written by `just bench`, with the profile `release`: {seconds:g} s per table, {took:.0f} s in all.

{setting}
"""


@dataclass(frozen=True)
class Conditions:
    """The conditions in which a group was measured."""

    # Seconds for each table, and in all.
    seconds: float
    took: float
    # The load of the machine at the start.
    load: str


def part(results: Results, group: Group, conditions: Conditions) -> str:
    """Write the results of a group, and the environment that they were measured in."""
    machine = setting(conditions.load, group.packages)
    times = {"seconds": conditions.seconds, "took": conditions.took}
    head = PART.format(title=group.title, setting=machine, **times)
    return head + goals(results) + figures(results, group) + "".join(map(section, results.tables))


def with_part(page: str, group: Group, part: str) -> str:
    """Replace the part of a group in the page of the results; all others stay as they are."""
    before, found, rest = page.partition(mark(group))
    if not found:
        raise ValueError(f"the results have no {mark(group)}")
    _, next_mark, others = rest.partition("\n<!-- ")
    return f"{before}{found}\n\n{part}{next_mark}{others}".rstrip("\n") + "\n"


def mark(group: Group) -> str:
    """Return the comment at which the part of a group begins."""
    return f"<!-- {group.name} -->"


def load_now() -> str:
    """Return the load of the machine in the last minute."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def setting(load: str, names: Sequence[str]) -> str:
    """Return the versions and the machine."""
    system = f"{cores()} cores (load at the start: {load}), {platform.system()} {platform.machine()}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    openssl = f" (cryptography with {openssl_version()})" if "cryptography" in names else ""
    return f"{system}, {python}, {rust.version()}, {packages}{openssl}."


def openssl_version() -> str:
    """Return the OpenSSL of cryptography, which only some groups measure."""
    from cryptography.hazmat.backends.openssl.backend import backend  # noqa: PLC0415

    return " ".join(backend.openssl_version_text().split()[:2])


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def goals(results: Results) -> str:
    """Format the goals and the measured values."""
    if not results.goals:
        return ""
    lines = ["\n### Figures to reach\n", "| what | to reach | got | |", "|---|--:|--:|---|"]
    for goal in results.goals:
        verdict = "reached" if goal.reached else "**missed**"
        lines.append(f"| {goal.what} | {asked(goal)} | {number(goal.got)}{goal.unit} | {verdict} |")
    return "\n".join(lines) + "\n"


def asked(goal: Goal) -> str:
    """Format the bound of a goal."""
    if goal.at_most is not None:
        return f"≤ {number(goal.at_most)}{goal.unit}"
    return f"≥ {number(goal.at_least or 0)}{goal.unit}"


def figures(results: Results, group: Group) -> str:
    """Format the figures, and the size of the package."""
    lines = ["\n### Sizes\n", "| what | | |", "|---|--:|---|"]
    lines += [f"| {figure.name} | {figure.value} | {figure.about} |" for figure in results.figures]
    module = Path(_native.__file__ or "")
    lines.append(f"| the compiled module | {module.stat().st_size / 1e6:.1f} MB | as installed |")
    peers = group.packages[1:]
    lines += [f"| {name} | {installed(name)} | as installed, without what it needs |" for name in peers]
    return "\n".join(lines) + "\n"


def installed(name: str) -> str:
    """Return the size of the package."""
    paths = [Path(str(path.locate())) for path in files(name) or ()]
    return f"{sum(path.stat().st_size for path in paths if path.is_file()) / 1e6:.1f} MB"


def section(table: Table) -> str:
    """Format one table."""
    floor = table.floor.median if table.floor else 0.0
    ours = table.rows[0].median - floor
    lines = [
        f"\n### {table.title}\n",
        f"{table.about}\n",
        "| | median | against botdesk | p99 of turns | CPU |",
        "|---|--:|--:|--:|--:|",
    ]
    lines += [line(row, floor, ours) for row in table.rows]
    return "\n".join(lines) + "\n"


def line(row: Row, floor: float, ours: float) -> str:
    """Format one row."""
    time = row.median - floor
    cpu = row.cpu_median
    spent = "" if cpu is None else duration(cpu)
    return f"| {row.name} | {duration(time)} | {number(time / ours)} | {duration(row.p99 - floor)} | {spent} |"


def number(value: float) -> str:
    """Format a number with as many digits as are useful."""
    if value < 2:  # noqa: PLR2004
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 1_000 else f"{value:,.0f}"  # noqa: PLR2004


def duration(seconds: float) -> str:
    """Format a time with three digits, in a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
