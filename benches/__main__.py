"""The command line: measure, and write the results down."""

import argparse
import time
from pathlib import Path

from benches import call, page, report, signing, startup

RESULTS = Path(__file__).with_name("RESULTS.md")

CASES = (page.tables, call.tables, signing.tables, startup.tables)

# How long one table is measured, in seconds.
WHOLE = 20.0
QUICK = 3.0


def main() -> None:
    """Run all cases."""
    parser = argparse.ArgumentParser(prog="python -m benches", description="Measure botdesk beside its peers.")
    parser.add_argument("--quick", action="store_true", help="measure for a shorter time; the medians are rougher")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where the results go (default: %(default)s)")
    arguments = parser.parse_args()

    seconds = QUICK if arguments.quick else WHOLE
    started, load = time.monotonic(), report.load_now()
    tables = [table for case in CASES for table in case(seconds)]
    text = report.text(tables, seconds=seconds, took=time.monotonic() - started, load=load)
    arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
