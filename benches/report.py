"""The results as a page of Markdown."""

import os
import platform
from collections.abc import Iterable
from importlib.metadata import version

from cryptography.hazmat.backends.openssl.backend import backend

from benches.measure import Row, Table
from benches.signing import rust_version

PACKAGES = ("botdesk", "httpx", "msgspec", "orjson", "requests", "cryptography")

HEAD = """\
# Results of the benchmarks

Written by `just bench`; how each thing is measured stands in the modules of `benches/`.

All contenders of a table take turns in one run, {seconds:g} s a table ({took:.0f} s in all), so the ratios hold better
than the times. "Against botdesk" is a contender's median over botdesk's: at 4.0 it takes four times as long. Between
the times of the last column lies the middle half of the turns; where they are far apart, or the load is higher than the
number of cores, the machine was busy, which makes long turns look longer than they are.

{setting}
"""


def text(tables: Iterable[Table], *, seconds: float, took: float, load: str) -> str:
    """Write tables down with what they were measured on."""
    head = HEAD.format(seconds=seconds, took=took, setting=setting(load))
    return head + "".join(map(section, tables))


def load_now() -> str:
    """Tell how busy the machine has been in the last minute."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def setting(load: str) -> str:
    """Tell versions and machine."""
    system = f"{cores()} cores (load at the start: {load}), {platform.system()} {platform.machine()}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    openssl = " ".join(backend.openssl_version_text().split()[:2])
    return f"{system}, {python}, {rust_version()}, {packages} (with {openssl})."


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def section(table: Table) -> str:
    """Write one table."""
    floor = table.floor.median if table.floor else 0.0
    ours = table.rows[0].median - floor
    lines = [
        f"\n## {table.title}\n",
        f"{table.about}\n",
        "| | median | against botdesk | middle half |",
        "|---|--:|--:|--:|",
    ]
    lines += [line(row, floor, ours) for row in table.rows]
    return "\n".join(lines) + "\n"


def line(row: Row, floor: float, ours: float) -> str:
    """Write one row."""
    time = row.median - floor
    low, high = (duration(end - floor) for end in row.middle)
    return f"| {row.name} | {duration(time)} | {ratio(time / ours)} | {low} to {high} |"


def ratio(value: float) -> str:
    """Write a ratio with as many digits as tell something."""
    return f"{value:.2f}" if value < 2 else f"{value:.1f}"  # noqa: PLR2004


def duration(seconds: float) -> str:
    """Write a time with three digits, in a unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
