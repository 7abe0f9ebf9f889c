"""The command line of the benchmarks: run them, and write the results."""

import argparse
import time
from pathlib import Path

from benches import calls, decoding, lag, memory, report, sandbox, signing, startup, together
from benches.measure import Results

RESULTS = Path(__file__).with_name("RESULTS.md")

CASES = {
    module.__name__.rpartition(".")[2]: module.measure
    for module in (signing, calls, decoding, together, lag, startup, memory, sandbox)
}

# Seconds to measure for each table.
WHOLE = 20.0
QUICK = 1.5


def main() -> None:
    """Run all cases, or those named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benches", description="Compare botdesk with its peers.")
    parser.add_argument("--quick", action="store_true", help="measure for a shorter time; the medians are rougher")
    parser.add_argument("--trained", action="store_true", help="label the results as those of `just build-trained`")
    parser.add_argument("--output", type=Path, help=f"where the results go (default, of all cases: {RESULTS})")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"some of: {', '.join(CASES)} (default: all)")
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"unknown case: {', '.join(sorted(unknown))}")

    seconds = QUICK if arguments.quick else WHOLE
    started, load = time.monotonic(), report.load_now()
    results = Results()
    for case in arguments.cases or CASES:
        CASES[case](seconds, results)
    took = time.monotonic() - started
    text = report.text(results, seconds=seconds, took=took, load=load, trained=arguments.trained)
    output = arguments.output or (None if arguments.cases or arguments.quick else RESULTS)
    if output:
        output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
