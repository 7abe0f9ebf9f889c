"""Run every operation through every fault of a sandbox, and write the outcomes into docs/reliability.md.

`just reliability` runs all faults and writes the table; the tests compare page and package with `FAULTS`.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sample_calls import FILES, SAMPLES, prepare, reference, writes
from thorough import THOROUGH

import botdesk
from botdesk._native import Operation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Way = Literal["blocking", "asyncio"]
WAYS: tuple[Way, ...] = ("blocking", "asyncio")

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"
BEGIN = "<!-- written by `just reliability` -->\n"
END = "<!-- end of what is written -->\n"

# The number of retries, without delay.
RETRIES = 1
# Seconds; longer than any call takes unless it hangs, and shorter than any block after a rate limit.
PATIENCE = 9.0
# Timeouts in seconds of a call without a response, and of its first attempt.
SHORT, SHORTER = 0.6, 0.15
# Smaller than the body of the fault that is too large, larger than all other responses.
MAX_BODY = 1 << 20


class Fault(NamedTuple):
    """A fault, and its expected outcome."""

    name: str
    kind: str
    options: dict[str, Any]
    # The classes that a read or a write may raise; none if it succeeds.
    read: tuple[str, ...]
    write: tuple[str, ...]
    # How often a read and a write arrive; None if that depends on timing.
    arrives: tuple[int, int] | None
    # True if a write is carried out.
    carried_out: bool


def status(status: int, error: str, arrives: tuple[int, int], **options: object) -> Fault:
    """Make a fault that responds with an error status, for reads and writes alike."""
    arguments = "".join(f", `{name}={value!r}`" for name, value in options.items())
    options = {"status": status, **options}
    return Fault(f"{status}{arguments}", "status", options, (error,), (error,), arrives, carried_out=False)


def malformed(kind: str, read: str, write: str, arrives: tuple[int, int]) -> Fault:
    """Make a fault that corrupts the response to a request that was carried out."""
    return Fault(f"`{kind}`", kind, {}, (read,), (write,), arrives, carried_out=True)


ONCE, READS_TWICE, TWICE = (1, 1), (2, 1), (2, 2)
UNKNOWN = "OutcomeUnknownError"
NO_CONNECTION = "ConnectionFailedError"
FAULTS: tuple[Fault, ...] = (
    status(400, "RecordInvalidError", ONCE),
    status(401, "SignatureInvalidError", ONCE),
    status(403, "ForbiddenError", ONCE),
    status(404, "NotFoundError", ONCE),
    Fault("409", "status", {"status": 409}, ("ApiError",), (UNKNOWN,), ONCE, carried_out=False),
    status(418, "IpBannedError", ONCE),
    status(422, "MarketApiError", ONCE),
    status(429, "RateLimitedError", TWICE, retry_after=0),
    status(429, "RateLimitedError", ONCE),
    status(429, "PlanRestrictedError", ONCE, plan=True),
    status(500, "ServerError", READS_TWICE),
    status(502, "ServerError", READS_TWICE),
    status(503, "ServerError", READS_TWICE),
    status(503, "ServerError", ONCE, retry_after=3600),
    status(504, "ServerError", READS_TWICE),
    Fault("`refuse`", "refuse", {}, (NO_CONNECTION,), (NO_CONNECTION,), (0, 0), carried_out=False),
    Fault(
        "`reset`",
        "reset",
        {},
        (NO_CONNECTION, "TransportError"),
        (NO_CONNECTION, UNKNOWN),
        (0, 0),
        carried_out=False,
    ),
    Fault("`close_before`", "close_before", {}, ("TransportError",), (UNKNOWN,), READS_TWICE, carried_out=False),
    Fault("`stall`", "stall", {}, ("RequestTimeoutError",), (UNKNOWN,), None, carried_out=False),
    Fault("`redirect`", "redirect", {}, ("ApiError",), (UNKNOWN,), ONCE, carried_out=False),
    malformed("close_after", "TransportError", UNKNOWN, READS_TWICE),
    malformed("cut_body", "TransportError", UNKNOWN, READS_TWICE),
    Fault("`trickle`", "trickle", {}, (), (), ONCE, carried_out=True),
    malformed("wrong_length", "DecodeError", "DecodeError", ONCE),
    malformed("wrong_json", "DecodeError", "DecodeError", ONCE),
    malformed("bad_utf8", "DecodeError", "DecodeError", ONCE),
    malformed("deep_json", "DecodeError", "DecodeError", ONCE),
    malformed("huge_body", "DecodeError", "DecodeError", ONCE),
    malformed("gzip_bomb", "DecodeError", "DecodeError", ONCE),
    malformed("header_flood", "TransportError", UNKNOWN, READS_TWICE),
)

# Each operation of the API reference; True if it writes.
WRITES: dict[str, bool] = {name: writes(name) for name in SAMPLES}
NUMBERS = count(1)


def prepared(name: str, client: botdesk.Client, way: Way) -> Callable[[], object]:
    """Prepare the sample call of an operation, so that it sends that operation alone."""
    changes: dict[str, Any] = {}
    if name == "accounts.add":
        # An account can be connected only once.
        exchange = f"exchange-{next(NUMBERS)}"
        changes = {"name": exchange, "api_key": f"key-of-{exchange}"}
    return prepare(client, name, awaited=way == "asyncio", **changes)


class Outcome(NamedTuple):
    """The outcome of an operation under a fault."""

    # The name of the exception class; None if it succeeded.
    error: str | None
    # The number of requests that arrived, and of those that were carried out.
    arrived: int
    carried_out: int
    # The exception of the next call, without the fault.
    afterwards: str | None


def raised_by(act: Callable[[], object]) -> str | None:
    """Return the class name of the exception that a function raises."""
    try:
        act()
    except botdesk.BotdeskError as error:
        return type(error).__name__
    return None


def run_with_fault(fault: Fault, name: str, sandbox: botdesk.Sandbox, client: botdesk.Client, way: Way) -> Outcome:
    """Run an operation under a fault."""
    ask = prepared(name, impatient(client) if fault.kind == "stall" else client, way)
    before = len(sandbox.requests)
    sandbox.faults.add(name, fault.kind, times=None, **fault.options)
    error = raised_by(ask)
    sandbox.faults.clear()
    # What adds to a list reads the list first, which the fault does not concern.
    method = Operation(name).method
    arrived = [request for request in sandbox.requests[before:] if request.method == method]
    afterwards = raised_by(client.validate)
    return Outcome(error, len(arrived), sum(request.carried_out for request in arrived), afterwards)


def client_of(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Make a client that retries at once."""
    return sandbox.client().with_options(
        timeout=PATIENCE,
        # The first response of a kind may take seconds to prepare.
        retries=botdesk.RetryPolicy(RETRIES, backoff=0.0, attempt_timeout=PATIENCE),
        max_body=MAX_BODY,
    )


def impatient(client: botdesk.Client) -> botdesk.Client:
    """Make a client with a short timeout."""
    retries = botdesk.RetryPolicy(RETRIES, backoff=0.0, attempt_timeout=SHORTER)
    return client.with_options(timeout=SHORT, retries=retries)


def problems(fault: Fault, name: str, outcome: Outcome) -> list[str]:
    """Return the differences from the expected outcome."""
    writes = WRITES[name]
    expected = fault.write if writes else fault.read
    if fault.kind in CONNECTION and reads_first(name):
        expected += fault.read
    found: list[str] = []
    is_empty = sample(name)["response"] == ""
    if (fault.kind in UNREADABLE and returns_nothing(name)) or (fault.kind == "cut_body" and is_empty):
        expected = ()
    if (outcome.error or "") not in (expected or ("",)):
        found.append(f"raised {outcome.error}, not {' or '.join(expected) or 'nothing'}")
    if fault.arrives is not None and outcome.arrived != fault.arrives[writes]:
        found.append(f"arrived {outcome.arrived} times, not {fault.arrives[writes]}")
    if writes and outcome.carried_out != int(fault.carried_out):
        found.append(f"was carried out {outcome.carried_out} times, not {int(fault.carried_out)}")
    if outcome.afterwards is not None:
        found.append(f"raised {outcome.afterwards} without the fault")
    return [f"{name} through {fault.name}: {problem}" for problem in found]


# The faults of a connection: they hit whichever request comes first.
CONNECTION = {"refuse", "reset"}


def sample(name: str) -> dict[str, Any]:
    """Return the sample of an operation."""
    resource, _, verb = name.partition(".")
    found: dict[str, Any] = FILES[resource]["samples"][verb]
    return found


def reads_first(name: str) -> bool:
    """Return True if an operation sends a read before its write."""
    return "reads" in sample(name)


# The faults after which a body can't be read. Of an operation that returns nothing, it is not read.
UNREADABLE = {"wrong_length", "wrong_json", "bad_utf8", "deep_json"}


def returns_nothing(name: str) -> bool:
    """Return True if an operation returns nothing."""
    return bool(reference(name)["returns"] == "nothing")


def run_operations(fault: Fault, way: Way, names: Iterable[str]) -> list[str]:
    """Run operations under a fault, and return the differences from the expected outcomes."""
    return [problem for group in apart(names) for problem in run_in_one_sandbox(fault, way, group)]


def apart(names: Iterable[str]) -> list[list[str]]:
    """Group the operations by the sandbox that they share: a write may change what another one is about."""
    reads = [name for name in names if not WRITES[name]]
    return [reads, *([name] for name in names if WRITES[name])]


def run_in_one_sandbox(fault: Fault, way: Way, names: Iterable[str]) -> list[str]:
    """Run operations in a sandbox, and return the differences from the expected outcomes."""
    with botdesk.Sandbox() as sandbox:
        client = client_of(sandbox)
        return [
            problem
            for name in names
            for problem in problems(fault, name, run_with_fault(fault, name, sandbox, client, way))
        ]


def share(fault: Fault, way: Way) -> list[str]:
    """Return the operations that meet a fault in this way; `just thorough` tries all.

    A write, by which money is lost if it is sent twice, meets every fault, in turns blocking and under asyncio. A read
    meets a third of the faults in each way.
    """
    if THOROUGH:
        return list(SAMPLES)
    turn = FAULTS.index(fault) + WAYS.index(way)
    return [name for number, name in enumerate(SAMPLES) if (number + turn) % (len(WAYS) if WRITES[name] else 3) == 0]


def run(fault: Fault, way: Way, names: list[str]) -> list[str]:
    """Run operations under a fault, and return the differences from the expected outcomes."""
    # Timeouts would be waited for one after another.
    threads = 8 if fault.kind == "stall" else 1
    shares = [names[first::threads] for first in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        found = pool.map(partial(run_operations, fault, way), shares)
        return [problem for share in found for problem in share]


def raises(errors: Iterable[str]) -> str:
    """Format the exceptions of a table cell."""
    return " or ".join(f"`{error}`" for error in errors) or "succeeds"


def table() -> str:
    """Format the table."""
    lines = ["| Fault | A read | sent again | A write | sent again | carried out |", "|---|---|---|---|---|---|"]
    for fault in FAULTS:
        read, write = (
            ("yes", "no") if fault.arrives is None else ("yes" if times > 1 else "no" for times in fault.arrives)
        )
        if fault.kind in CONNECTION:
            read, write = "yes", "yes" if fault.kind == "refuse" else "if nothing was sent"
        done = "once" if fault.carried_out else "no"
        cells = (fault.name, raises(fault.read), read, raises(fault.write), write, done)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def page(text: str) -> str:
    """Replace the table in the page."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{PAGE} has no place for the table, between {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def main() -> int:
    """Run all faults, and write the table if all outcomes are as expected."""
    found = [problem for fault in FAULTS for way in WAYS for problem in run(fault, way, list(SAMPLES))]
    if found:
        print(*found, sep="\n", file=sys.stderr)
        return 1
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
    print(f"{len(SAMPLES)} operations, {len(WAYS)} ways, {len(FAULTS)} faults: all as {PAGE.name} says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
