"""The command line of the benchmarks: run them, and write the results."""

import argparse
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benches import report
from benches.groups import GROUPS, Group
from benches.measure import Results

RESULTS = Path(__file__).with_name("RESULTS.md")

CASES = {group.name: group.cases for group in GROUPS} | {case: (case,) for group in GROUPS for case in group.cases}

# Seconds to measure for each table.
WHOLE = 20.0
QUICK = 1.5


def main() -> None:
    """Run all cases, or those named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benches", description="Compare botdesk with its peers.")
    parser.add_argument("--quick", action="store_true", help="measure for a shorter time; the medians are rougher")
    parser.add_argument("--output", type=Path, help=f"where the results go (default, of a whole run: {RESULTS})")
    parser.add_argument(
        "cases", nargs="*", metavar="CASE", help=f"cases, or groups of them: {', '.join(CASES)} (default: all)"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"unknown case: {', '.join(sorted(unknown))}")

    named = {case for name in arguments.cases for case in CASES[name]}
    seconds = QUICK if arguments.quick else WHOLE
    parts = []
    for group in GROUPS:
        if cases := [case for case in group.cases if case in named or not named]:
            parts.append(measured(group, cases, seconds))
            print(report.section(parts[-1]), flush=True)
    is_whole = not (named or arguments.quick)
    if output := arguments.output or (RESULTS if is_whole else None):
        output.write_text(report.page(parts), encoding="utf-8")


def measured(group: Group, cases: Sequence[str], seconds: float) -> report.Part:
    """Run cases of a group."""
    started, load = time.monotonic(), report.load_now()
    results = Results()
    for case in cases:
        # Imported when it runs, so that the peers of other groups use no memory.
        import_module(f"benches.{case}").measure(seconds, results)
    return report.Part(group, results, time.monotonic() - started, load)


if __name__ == "__main__":
    main()
