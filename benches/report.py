"""The results as a page of Markdown."""

import os
import platform
from importlib.metadata import files, version
from pathlib import Path

from cryptography.hazmat.backends.openssl.backend import backend

from benches import rust
from benches.measure import Goal, Results, Row, Table
from botdesk import _native

PACKAGES = (
    "botdesk",
    "aiohttp",
    "cryptography",
    "httpx",
    "msgspec",
    "orjson",
    "py3cw",
    "pyreqwest",
    "requests",
    "three-commas",
)

HEAD = """\
# Results of the benchmarks

Written by `just {recipe}`, with {built}. The modules of `benches/` describe how each task is measured.

All contenders of a table run in turns, {seconds:g} s per table ({took:.0f} s in all), so the ratios are more reliable
than the times. A turn takes at least 5 ms and has at least one call; programs in Rust make a fixed number of calls,
concurrent tasks whole rounds. A time is the mean per call of a turn, so the p99 of a quick contender is that of many
calls together. "Against botdesk" is a contender's median divided by botdesk's: 4.0 means four times as long. CPU is
the CPU time of the contender's process per call, over all threads. If the load is higher than the number of cores,
the machine was busy with other work, and long turns look longer than they are.

{setting}
"""

# The profile of the measured build, trained or not.
BUILDS = {
    False: (
        "bench",
        "an optimised build; the published wheels, except those for musl, also use profile-guided optimisation",
    ),
    True: ("bench-trained", "a build with profile-guided optimisation, like the published wheels"),
}


def text(results: Results, *, seconds: float, took: float, load: str, trained: bool) -> str:
    """Write the results and the environment that they were measured in."""
    recipe, built = BUILDS[trained]
    head = HEAD.format(recipe=recipe, built=built, seconds=seconds, took=took, setting=setting(load))
    return head + goals(results) + figures(results) + "".join(map(section, results.tables))


def load_now() -> str:
    """Return the load of the machine in the last minute."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def setting(load: str) -> str:
    """Return the versions and the machine."""
    system = f"{cores()} cores (load at the start: {load}), {platform.system()} {platform.machine()}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    openssl = " ".join(backend.openssl_version_text().split()[:2])
    return f"{system}, {python}, {rust.version()}, {packages} (cryptography with {openssl})."


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def goals(results: Results) -> str:
    """Format the goals and the measured values."""
    lines = ["\n## Figures to reach\n", "| what | to reach | got | |", "|---|--:|--:|---|"]
    for goal in results.goals:
        verdict = "reached" if goal.reached else "**missed**"
        lines.append(f"| {goal.what} | {asked(goal)} | {number(goal.got)}{goal.unit} | {verdict} |")
    return "\n".join(lines) + "\n"


def asked(goal: Goal) -> str:
    """Format the bound of a goal."""
    if goal.at_most is not None:
        return f"≤ {number(goal.at_most)}{goal.unit}"
    return f"≥ {number(goal.at_least or 0)}{goal.unit}"


def figures(results: Results) -> str:
    """Format the figures, and the size of the package."""
    lines = ["\n## Sizes\n", "| what | | |", "|---|--:|---|"]
    lines += [f"| {figure.name} | {figure.value} | {figure.about} |" for figure in results.figures]
    module = Path(_native.__file__ or "")
    lines.append(f"| the compiled module | {module.stat().st_size / 1e6:.1f} MB | as installed |")
    lines += [f"| {name} | {installed(name)} | as installed, without what it needs |" for name in PACKAGES[1:]]
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
        f"\n## {table.title}\n",
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
