"""Exit again and again while daemon threads call botdesk, and report exits that fail.

`chaos.py` runs this program with each interpreter; the options are a JSON object, see `Options`. Each exit is
that of a child forked from this process, which has imported botdesk and made the objects. If `fork` is false, this
process exits itself, once. The report is a JSON object on standard output.
"""

from __future__ import annotations

import atexit
import faulthandler
import gc
import json
import os
import random
import resource
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

# Must run before botdesk is imported.
from slow_finalizer import Slow, after_shutdown

# isort: split
from stub_calls import CALLABLES, THREADED, Examples

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

# Seconds; longer than any exit takes unless it hangs.
PATIENCE = 120.0
# Seconds that a finalizer takes at most, and that threads call before the exit.
LONGEST, HEAD_START = 0.004, 0.002
# Seconds after which Python lets another thread run: its default is the longest, and threads meet at more places with
# the others.
SWITCHING = (0.00001, 0.0001, 0.005)
# The share of forked children that collect the objects of this process too when they exit, which takes twice as long.
UNFROZEN = 0.1
# The largest number of threads that call.
MOST_THREADS = 3


class Options(NamedTuple):
    """The options of a run."""

    url: str
    api_key: str
    # The path of the private key.
    key: str
    # The folder of files, of standard error, and of core dumps.
    folder: str
    seed: int
    # The callables, by their paths; one exit for each.
    callables: list[str]
    fork: bool = True


class Moment(NamedTuple):
    """When a process exits, and what takes long then."""

    threads: int
    head_start: float
    switching: float
    frozen: bool
    # The seconds that the finalizers take: of a module, of `sys`, before and after botdesk has shut down.
    finalizers: tuple[float, float, float, float]


def choose(numbers: random.Random) -> Moment:
    """Choose a moment at random."""
    # Half of the finalizers take no time, because the others are reached sooner then.
    seconds = tuple(numbers.choice((0.0, numbers.uniform(0, LONGEST))) for _ in range(4))
    switching = numbers.choices(SWITCHING, (5, 4, 1))[0]
    frozen = numbers.random() >= UNFROZEN
    return Moment(numbers.randint(1, MOST_THREADS), numbers.uniform(0, HEAD_START), switching, frozen, seconds)  # type: ignore[arg-type]


def call_for_ever(call: Callable[[], Any], begun: threading.Semaphore) -> None:
    """Call until the process ends, whatever the calls raise."""
    begun.release()
    while True:
        with suppress(Exception):
            call()


# The finalizer of an object in a module runs while the interpreter clears the modules.
in_module = Slow()


def begin_exit(call: Callable[[], Any], moment: Moment) -> None:
    """Start threads that call, and return while they do."""
    before_shutdown, in_sys = Slow(), Slow()
    finalizers = (in_module, in_sys, before_shutdown, after_shutdown)
    for finalizer, seconds in zip(finalizers, moment.finalizers, strict=True):
        finalizer.seconds = seconds
    sys.slow = in_sys  # type: ignore[attr-defined]
    atexit.register(before_shutdown.wait)
    sys.setswitchinterval(moment.switching)
    if not moment.frozen:
        gc.unfreeze()
    begun = threading.Semaphore(0)
    for _ in range(moment.threads):
        threading.Thread(target=call_for_ever, args=(call, begun), daemon=True).start()
    for _ in range(moment.threads):
        begun.acquire()
    time.sleep(moment.head_start)


def report_crashes(errors: Path) -> None:
    """Write standard error, with the stacks of a crash, into a file."""
    descriptor = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    os.dup2(descriptor, 2)
    os.close(descriptor)
    faulthandler.enable(all_threads=True)


def status_of(child: int) -> tuple[int, bool]:
    """Wait for a child; return its exit code, negative for a signal, and True if it hung."""
    descriptor = os.pidfd_open(child)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    hung = not poll.poll(PATIENCE * 1_000)
    if hung:
        # The stacks of all threads are printed.
        os.kill(child, signal.SIGABRT)
    _, status = os.waitpid(child, 0)
    os.close(descriptor)
    return os.waitstatus_to_exitcode(status), hung


class Program:
    """The process whose children exit."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.errors = Path(options.folder, f"errors_{os.getpid()}")
        client = botdesk.Client(options.api_key, options.key, base_url=options.url, rate_limit=None, timeout=60)
        self.examples = Examples(client, Path(options.folder))
        self.numbers = random.Random(options.seed)  # noqa: S311
        self.failures: list[dict[str, Any]] = []

    def run(self) -> bool:
        """Exit once for each callable; return False in a child, which has to exit."""
        for path in self.options.callables:
            moment = choose(self.numbers)
            if self.options.fork:
                # Found here, objects need not be found in each child.
                call = self.prepare(path)
                gc.freeze()
                child = os.fork()
                if child:
                    self.note(path, moment, child)
                    continue
            else:
                call = self.prepare(path)
            report_crashes(self.errors)
            begin_exit(call, moment)
            return False
        return True

    def prepare(self, path: str) -> Callable[[], Any]:
        """Prepare a call; objects with threads are made in the child, because a fork loses their threads."""
        found = CALLABLES[path]
        if found.owner not in THREADED:
            return self.examples.prepare(found)

        def call() -> None:
            self.examples.prepare(found)()

        return call

    def note(self, path: str, moment: Moment, child: int) -> None:
        """Wait for the exit of a child, and keep it if it failed."""
        status, hung = status_of(child)
        errors = self.errors.read_text("utf-8", "replace") if self.errors.exists() else ""
        if status or hung or errors:
            self.failures.append(
                {"call": path, "moment": moment, "child": child, "status": status, "hung": hung, "errors": errors}
            )


def main() -> None:
    """Run the program, and print the report."""
    options = Options(**json.loads(sys.argv[1]))
    os.chdir(options.folder)
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    program = Program(options)
    if program.run():
        print(
            json.dumps(
                {
                    "exits": len(options.callables),
                    "threads": len(list(Path("/proc/self/task").iterdir())),
                    "failures": program.failures,
                }
            )
        )


if __name__ == "__main__":
    main()
