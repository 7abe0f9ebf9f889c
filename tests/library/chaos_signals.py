"""Send signals at random moments into blocking calls, and report those that were not raised as `KeyboardInterrupt`.

`chaos.py` runs this program; the options are a JSON object, see `Options`. The report is a JSON object on
standard output.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from random_interrupts import RandomMoments
from stub_calls import CALLABLES, WAITS, Examples

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

# Seconds after which a call that waits for a response is interrupted at the latest.
LONGEST = 0.005
# Seconds that a call may wait for a response, which is longer than any run of signals takes.
TIMEOUT = 600.0


class Options(NamedTuple):
    """The options of a run."""

    seed: int
    # The number of signals for each callable; a callable that waits for responses gets half of them while none comes.
    signals: int
    # The callables, by their paths.
    callables: list[str]


def quietly(call: Callable[[], Any]) -> Callable[[], None]:
    """Return a function that makes a call and drops its errors, which others test; an interrupt is not an error."""

    def step() -> None:
        result = None
        with suppress(Exception):
            result = call()
        # An interrupted sweep returns what is done.
        if isinstance(result, botdesk.Sweep) and result.interrupted:
            raise KeyboardInterrupt

    return step


class Program:
    """The process that is interrupted."""

    def __init__(self, options: Options, sandbox: botdesk.Sandbox, folder: Path) -> None:
        self.options = options
        self.sandbox = sandbox
        client = sandbox.client().with_options(timeout=TIMEOUT, retries=0)
        self.examples = Examples(client, folder)
        self.moments = RandomMoments(options.seed)
        # The lost signals, by callable.
        self.lost: dict[str, dict[str, int]] = {}
        self.signals = 0

    def run(self) -> None:
        """Interrupt each callable.

        The first Ctrl-C of a bulk run waits for writes in flight, so these runs are interrupted while responses come.
        """
        for path in self.options.callables:
            step = quietly(self.examples.prepare(CALLABLES[path]))
            if path in WAITS:
                self.interrupt(path, step, self.options.signals, LONGEST)
            elif self.sends(step) and not path.endswith("_many"):
                half = self.options.signals // 2
                self.interrupt(path, step, self.options.signals - half)
                self.sandbox.faults.add("*", "stall", times=None)
                self.interrupt(f"{path}, without a response", step, half, LONGEST)
                self.sandbox.faults.clear()
            else:
                self.interrupt(path, step, self.options.signals)

    def sends(self, step: Callable[[], None]) -> bool:
        """Return True if a call sends requests."""
        before = len(self.sandbox.requests)
        step()
        return len(self.sandbox.requests) > before

    def interrupt(self, name: str, step: Callable[[], None], signals: int, longest: float | None = None) -> None:
        """Interrupt one callable, and keep the lost signals."""
        lost = self.moments.lost(step, signals, longest)
        self.signals += signals
        if lost:
            self.lost[name] = dict(lost)


def main() -> None:
    """Run the program, and print the report."""
    options = Options(**json.loads(sys.argv[1]))
    faulthandler.enable()
    # Python only prints what a destructor raises.
    gc.disable()
    with botdesk.Sandbox(bots=2) as sandbox, tempfile.TemporaryDirectory() as folder:
        program = Program(options, sandbox, Path(folder))
        program.run()
    moments = program.moments
    print(
        json.dumps(
            {
                "signals": program.signals,
                "delivered": moments.delivered,
                "lost": program.lost,
                "delays": sorted(moments.delays),
            }
        )
    )


if __name__ == "__main__":
    main()
