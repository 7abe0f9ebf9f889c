"""Exit and interrupt Python processes at random moments of calls of botdesk, and report what fails.

Exits: every public callable of the stub is called in daemon threads while the interpreter exits and slow finalizers
run, with each interpreter that is found. Signals: every callable that blocks is interrupted at random moments.

A failure is printed with its stacks, and with those of the core dump if gdb is installed, and makes the program fail. A
seed repeats the choices, not the moments at which the system switches threads. `just chaos --help` lists the options.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from stub_calls import CALLABLES

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FOLDER = Path(__file__).parent
# The versions of Python whose interpreters are sought on the path.
VERSIONS = range(11, 20)
# The number of exits of forked children, and of signals for each callable, of one process.
EXITS, SIGNALS = 500, 20
# The callables that one process interrupts.
INTERRUPTED = 40
# Seconds; longer than any process takes unless it hangs.
PATIENCE = 3_600.0
PERCENT = 100
# Seconds between two lines that show the progress.
PROGRESS = 60.0

BLOCKING = [path for path, found in CALLABLES.items() if not (found.is_property or found.is_coroutine)]


class Report(NamedTuple):
    """The actions of a process, and its failures."""

    label: str
    exits: int = 0
    signals: int = 0
    # The seconds from signals to their interrupts, in order.
    delays: tuple[float, ...] = ()
    failures: tuple[str, ...] = ()


def interpreters(names: Iterable[str]) -> Iterator[str]:
    """Return the interpreters that start, each version once, and name the others."""
    seen: set[str] = set()
    for name in names:
        command = [name, "-c", "import sys; print(sys.version)"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False) if shutil.which(name) else None
        if ended is None or ended.returncode:
            print(f"{name}: not found, or does not start", file=sys.stderr)
        elif ended.stdout not in seen:
            seen.add(ended.stdout)
            yield name


def run_program(python: str, program: str, options: dict[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of this folder with an interpreter; one that hangs is ended by SIGABRT, which prints its stacks."""
    package = Path(botdesk.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(FOLDER), str(package)))}
    command = [python, "-X", "faulthandler", str(FOLDER / program), json.dumps(options)]
    with subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)
            output, errors = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def exits(python: str, callables: list[str], seed: int, *, fork: bool) -> Report:
    """Exit once for each callable: as forked children of one process, or as a process each."""
    with tempfile.TemporaryDirectory() as name, botdesk.Sandbox(bots=2) as sandbox:
        folder = Path(name)
        key = botdesk.PrivateKey.generate(bits=2048)
        key.save(folder / "key.pem")
        api_key = sandbox.add_key(key.public_key_pem)
        options = {"url": sandbox.url, "api_key": api_key, "key": str(folder / "key.pem"), "folder": name, "fork": fork}
        label = f"{Path(python).name}, {'forked' if fork else 'started'}"
        if fork:
            failures = exit_children(python, options | {"seed": seed, "callables": callables}, folder)
        else:
            failures = [
                failure
                for number, path in enumerate(callables)
                for failure in exit_itself(python, options | {"seed": seed + number, "callables": [path]}, folder)
            ]
        return Report(label, exits=len(callables), failures=tuple(f"{label}, seed {seed}: {text}" for text in failures))


def exit_children(python: str, options: dict[str, Any], folder: Path) -> list[str]:
    """Let forked children exit; return the failures."""
    ended = run_program(python, "chaos_exits.py", options, folder)
    if ended.returncode or ended.stderr or not ended.stdout:
        return [f"the parent of the exits ended with {ended.returncode}\n{ended.stderr}"]
    found = [json.dumps(failure, indent=1).replace("\\n", "\n") for failure in json.loads(ended.stdout)["failures"]]
    return [failure + stacks(python, folder) for failure in found]


def exit_itself(python: str, options: dict[str, Any], folder: Path) -> list[str]:
    """Let a new process exit; return the failure, if it fails."""
    ended = run_program(python, "chaos_exits.py", options, folder)
    errors = ended.stderr + "".join(path.read_text("utf-8", "replace") for path in folder.glob("errors_*"))
    if not (ended.returncode or errors):
        return []
    return [f"{options['callables']}: exit code {ended.returncode}\n{errors}{stacks(python, folder)}"]


def stacks(python: str, folder: Path) -> str:
    """Return the stacks of all core dumps, and remove them."""
    found = ""
    for core in folder.glob("core*"):
        if gdb := shutil.which("gdb"):
            command = [gdb, "-batch", "-ex", "thread apply all backtrace 40", shutil.which(python) or python, str(core)]
            found += subprocess.run(command, capture_output=True, text=True, check=False).stdout
        core.unlink()
    return f"\n{found}"


def signals(callables: list[str], seed: int, each: int) -> Report:
    """Interrupt callables at random moments."""
    options = {"seed": seed, "signals": each, "callables": callables}
    ended = run_program(sys.executable, "chaos_signals.py", options, Path.cwd())
    if ended.returncode or not ended.stdout:
        return Report("signals", failures=(f"seed {seed}: {callables}: ended with {ended.returncode}\n{ended.stderr}",))
    report = json.loads(ended.stdout)
    lost = [f"seed {seed}: {name}: lost {places}" for name, places in report["lost"].items()]
    if report["delivered"] != report["signals"]:
        lost.append(
            f"seed {seed}: {report['signals']} signals, but {report['delivered']} calls of the handler: {callables}"
        )
    return Report("signals", signals=report["signals"], delays=tuple(report["delays"]), failures=tuple(lost))


def chunks(count: int, size: int, numbers: random.Random, callables: list[str]) -> Iterator[list[str]]:
    """Return `count` callables in lists of a size: all in random order, before any comes again."""
    shuffled = numbers.sample(callables, len(callables))
    endless = cycle(shuffled)
    for begin in range(0, count, size):
        yield list(islice(endless, min(size, count - begin)))


def jobs(arguments: argparse.Namespace, pythons: list[str]) -> Iterator[Callable[[], Report]]:
    """Return the jobs of a run, those of all interpreters and of signals mixed."""
    numbers = random.Random(arguments.seed)  # noqa: S311
    found: list[Callable[[], Report]] = []
    for python in pythons:
        started = arguments.exits * arguments.started // (PERCENT * len(pythons))
        forked = arguments.exits // len(pythons) - started
        for fork, count, size in ((True, forked, EXITS), (False, started, 10)):
            found += (
                partial(exits, python, callables, numbers.getrandbits(32), fork=fork)
                for callables in chunks(count, size, numbers, arguments.calls)
            )
    blocking = [path for path in arguments.calls if path in BLOCKING]
    found += (
        partial(signals, callables, numbers.getrandbits(32), SIGNALS)
        for callables in chunks(arguments.signals // SIGNALS, INTERRUPTED, numbers, blocking)
    )
    numbers.shuffle(found)
    yield from found


class Totals:
    """The sums of all reports."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        self.delays: list[float] = []
        self.failures: list[str] = []
        self.start = self.shown = time.monotonic()

    def add(self, report: Report) -> None:
        """Add a report, and print its failures."""
        self.counts[report.label] += report.exits or report.signals
        self.delays.extend(report.delays)
        self.failures.extend(report.failures)
        for failure in report.failures:
            print(failure, file=sys.stderr, flush=True)
        if time.monotonic() > self.shown + PROGRESS:
            self.shown = time.monotonic()
            print(f"{self.counts.total()} exits and signals so far, {len(self.failures)} failures", flush=True)

    def __str__(self) -> str:
        lines = [f"{label}: {count}" for label, count in sorted(self.counts.items())]
        if self.delays:
            delays = sorted(self.delays)
            middle, most = (delays[int(len(delays) * share)] * 1_000 for share in (0.5, 0.999))
            lines.append(
                f"from signal to KeyboardInterrupt: median {middle:.2f} ms, 99.9 % within {most:.0f} ms, "
                f"longest {delays[-1] * 1_000:.0f} ms"
            )
        minutes = (time.monotonic() - self.start) / 60
        return "\n".join([*lines, f"{len(self.failures)} failures in {minutes:.1f} min"])


def read_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """Read the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--exits", type=int, default=10_000, help="number of exits (default: %(default)s)")
    parser.add_argument("--signals", type=int, default=10_000, help="number of signals (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers (default: %(default)s)")
    parser.add_argument(
        "--started", type=int, default=2, help="percentage of exits in a newly started interpreter; others are forked"
    )
    parser.add_argument(
        "--python", action="append", help="interpreter; can be repeated (default: all from 3.11 on in PATH)"
    )
    parser.add_argument("--calls", default="", help="regular expression of the callables (default: all)")
    parser.add_argument("--processes", type=int, default=2, help="processes at once (default: %(default)s)")
    read = parser.parse_args(arguments)
    pattern = re.compile(read.calls)
    read.calls = [path for path in CALLABLES if pattern.search(path)]
    if not read.calls:
        parser.error(f"--calls {pattern.pattern!r} matches no public callable; pass a pattern such as 'DcaBots'")
    return read


def main(arguments: list[str] | None = None) -> int:
    """Run exits and signals, and print the totals; Ctrl-C or SIGTERM ends the run early."""
    # A shell that runs this in the background ignores Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    read = read_arguments(arguments)
    names = read.python or [sys.executable, *(f"python3.{version}" for version in VERSIONS)]
    pythons = list(interpreters(names))
    if not pythons:
        return 2
    totals = Totals()
    with ThreadPoolExecutor(read.processes) as pool:
        running = [pool.submit(job) for job in jobs(read, pythons)]
        try:
            for job in running:
                totals.add(job.result())
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
        finally:
            print(totals, flush=True)
    return bool(totals.failures)


if __name__ == "__main__":
    sys.exit(main())
