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

HEAD = """\
# Results of the benchmarks

Written by `just bench`: all parts in one run of {minutes:.0f} minutes, with the profile `wheel`.
{setting}.

All contenders of a task run in turns, so the ratios are more reliable than the times. A turn takes at least 5 ms and
has at least one call; programs in Rust make a fixed number of calls, concurrent tasks whole rounds. A time is the
median of the means per call of each turn, so the p99 of a quick contender is that of many calls together. CPU is the
time of the process per call, over all threads. "Against botdesk" is a contender's median divided by botdesk's: 4.0
means four times as long. The module of a case describes what each contender does.
"""


@dataclass(frozen=True)
class Part:
    """The results of a group, and how they were measured."""

    group: Group
    results: Results
    # Seconds in all.
    took: float
    # The load of the machine at the start.
    load: float


def page(parts: Sequence[Part]) -> str:
    """Write the results of all parts: first what is ahead of botdesk and which figures are missed, then each part."""
    minutes = sum(part.took for part in parts) / 60
    head = HEAD.format(minutes=minutes, setting=setting(parts[0].load))
    tasks = [table for part in parts for table in part.results.tables if table.peers]
    missed = [goal for part in parts for goal in part.results.goals if not goal.reached]
    return head + busy(parts) + standing(tasks) + goals("Missed", missed) + "".join(map(section, parts))


def busy(parts: Sequence[Part]) -> str:
    """Say so if the machine did other work."""
    if all(part.load <= cores() for part in parts):
        return ""
    return (
        "\n**The machine was busy with other work in between** (the load at the start of a part exceeds its cores), so "
        "times are longer than on an idle machine, and bounds of a time may be missed for that.\n"
    )


def standing(tasks: Sequence[Table]) -> str:
    """Say in which tasks botdesk is ahead of all others, and name those in which it is not."""
    behind = [(table, peer) for table in tasks for peer in table.peers if table.ratio(peer.name) < 1]
    ahead = len(tasks) - len({table.title for table, _ in behind})
    head = f"\n## Ahead, and not\n\nIn {ahead} of {len(tasks)} tasks with peers, botdesk is ahead of all of them."
    if not behind:
        return f"{head}\n"
    lines = [f"{head} Not in:\n"]
    lines += ["| task | ahead of botdesk | against botdesk |", "|---|---|--:|"]
    lines += [f"| {table.title} | {peer.name} | {number(table.ratio(peer.name))} |" for table, peer in behind]
    return "\n".join(lines) + "\n"


def section(part: Part) -> str:
    """Write the results of a group: its figures, its tasks, and sizes."""
    lines = [f"\n## {part.group.title}\n", f"{versions(part.group.packages)}; load at the start: {part.load:.1f}."]
    reached = [goal for goal in part.results.goals if goal.reached]
    tasks = ["", "| task | botdesk | p99 | CPU | others, against botdesk |", "|---|--:|--:|--:|---|"]
    tasks += map(line, part.results.tables)
    return "\n".join(lines + tasks) + "\n" + goals("Reached", reached) + f"\n{sizes(part)}\n"


def line(table: Table) -> str:
    """Format a task as one row; who is ahead of botdesk is bold."""
    ours = table.rows[0]
    cpu = "" if ours.cpu_median is None else duration(ours.cpu_median)
    floor = table.floor.median if table.floor else 0.0
    others = "; ".join(f"{row.name} {shown_ratio(table, row)}" for row in table.rows[1:])
    name = table.title if ours.name == "botdesk" else f"{table.title}: {ours.name}"
    return f"| {name} | {duration(ours.median - floor)} | {duration(ours.p99 - floor)} | {cpu} | {others} |"


def shown_ratio(table: Table, row: Row) -> str:
    """Format a ratio."""
    ratio = number(table.ratio(row.name))
    return f"**{ratio}**" if row in table.peers and table.ratio(row.name) < 1 else ratio


def load_now() -> float:
    """Return the load of the machine in the last minute; 0 where it is unknown."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def setting(load: float) -> str:
    """Describe the machine."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    system = f"{platform.system()} {platform.machine()}"
    return f"{cores()} cores (load at the start: {load:.1f}), {system}, {python}, {rust.version()}"


def versions(names: Sequence[str]) -> str:
    """Return the versions of packages."""
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    return packages + (f" (with {openssl_version()})" if "cryptography" in names else "")


def openssl_version() -> str:
    """Return the OpenSSL of cryptography, which only some groups measure."""
    from cryptography.hazmat.backends.openssl.backend import backend  # noqa: PLC0415

    return " ".join(backend.openssl_version_text().split()[:2])


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def goals(head: str, goals: Sequence[Goal]) -> str:
    """Format figures, what they have to be, and what was measured."""
    if not goals:
        return ""
    lines = [f"\n| {head} | to reach | got |", "|---|--:|--:|"]
    lines += [f"| {goal.what} | {asked(goal)} | {number(goal.got)}{goal.unit} |" for goal in goals]
    return "\n".join(lines) + "\n"


def asked(goal: Goal) -> str:
    """Format the bound of a goal."""
    if goal.at_most is not None:
        return f"≤ {number(goal.at_most)}{goal.unit}"
    return f"≥ {number(goal.at_least or 0)}{goal.unit}"


def sizes(part: Part) -> str:
    """Format the figures without a bound, and the sizes of the packages as installed, without what they need."""
    module = Path(_native.__file__ or "")
    figures = [f"{figure.name} {figure.value} {figure.about}".rstrip() for figure in part.results.figures]
    packages = [f"{name} {installed(name)}" for name in part.group.packages[1:]]
    ours = f"the compiled module {module.stat().st_size / 1e6:.1f} MB"
    return "; ".join([*figures, f"sizes: {', '.join([ours, *packages])}"]) + "."


def installed(name: str) -> str:
    """Return the size of the package."""
    paths = [Path(str(path.locate())) for path in files(name) or ()]
    return f"{sum(path.stat().st_size for path in paths if path.is_file()) / 1e6:.1f} MB"


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
