"""Measure live streams: how soon a frame reaches the caller, how many a core takes, and the memory of idle hours."""

import hmac
import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from time import monotonic_ns, perf_counter, process_time

import botdesk
from benches.measure import Figure, Goal, Results, Row
from benches.memory import resident

# Runs a sandbox in a process of its own. A line of its input has the number of frames to send, and the number of lines
# with frames that follow, which are sent in turns.
SERVER = """
import sys, time
import botdesk
with botdesk.Sandbox() as sandbox:
    print(sandbox.url, *sandbox.add_key(secret=True), flush=True)
    while line := sys.stdin.readline():
        count, kinds = map(int, line.split())
        frames = [sys.stdin.readline().rstrip() for _ in range(kinds)]
        for index in range(count):
            frame = frames[index % kinds]
            sandbox.streams.send(frame.replace("SENT", str(time.monotonic_ns())))
        print(count, flush=True)
"""

# The deals whose changes are sent, and how often each of them changes in a burst.
DEALS, TIMES = 1_000, 20

# The pings of a day: one every 3 seconds.
PINGS = 24 * 3_600 // 3

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)

# A deal of its own for the memory.
IDLE = 5_000_000


class Server:
    """A service in another process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the service has no pipes")
        self._input, self._output = process.stdin, process.stdout
        self.url, self.api_key, self.secret = self._output.readline().split()

    def send(self, frames: list[str], count: int) -> None:
        """Begin to send frames, in turns."""
        self._input.write(f"{count} {len(frames)}\n" + "\n".join(frames) + "\n")
        self._input.flush()

    def sent(self) -> None:
        """Wait until all are sent."""
        self._output.readline()


def measure(seconds: float, results: Results) -> None:
    """Measure the latency, the throughput and the memory."""
    with streaming() as (server, stream, identifier):
        latency(seconds, results, server, stream, identifier)
        throughput(seconds, results, server, stream, identifier)
        memory(results, server, stream, identifier)


@contextmanager
def streaming() -> Generator[tuple[Server, botdesk.Stream, str]]:
    """Open a stream of deals; yield the service, the stream and the identifier of its subscription."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        server = Server(process)
        client = botdesk.Client(server.api_key, secret=server.secret, base_url=server.url)
        signature = hmac.new(server.secret.encode(), b"/deals", "sha256").hexdigest()
        users = [{"api_key": server.api_key, "signature": signature}]
        identifier = json.dumps({"channel": "DealsChannel", "users": users}, separators=(",", ":"))
        with closing(client.stream("deals", stale_after=0)) as stream:
            yield server, stream.__enter__(), identifier
        process.terminate()


def frame(identifier: str, number: int, change: int, note: str = "") -> str:
    """Return the frame of a deal with 20 events."""
    updated = BEGIN + timedelta(milliseconds=change)
    event = {
        "message": "Averaging order (1 out of 5) executed. Price: 59000.0 USDT Size: 11.8 USDT",
        "created_at": None,
    }
    record = {
        "id": number,
        "type": "Deal",
        "created_at": BEGIN.isoformat(),
        "updated_at": updated.isoformat(),
        "pair": "USDT_BTC",
        "status": "bought",
        "take_profit": str(change),
        "note": note,
        "bot_events": [event] * 20,
    }
    return json.dumps({"identifier": identifier, "message": record})


def latency(seconds: float, results: Results, server: Server, stream: botdesk.Stream, identifier: str) -> None:
    """Measure the time from before a frame is sent until the caller has its record, one frame at a time."""
    times: list[float] = []
    end = perf_counter() + seconds / 2
    number = 10_000_000
    while perf_counter() < end or len(times) < 100:  # noqa: PLR2004
        number += 1
        server.send([frame(identifier, number, 0, "SENT")], 1)
        record = next(stream).record
        times.append((monotonic_ns() - int(str(record.note))) / 1e9)
        server.sent()
    row = Row("botdesk", times)
    results.table(
        "A frame of a stream", "From before the service sends a deal until the loop of the caller has it.", [row]
    )
    results.goals.append(Goal("latency of a frame to the caller, median", row.median * 1e3, at_most=1.0, unit=" ms"))


def throughput(seconds: float, results: Results, server: Server, stream: botdesk.Stream, identifier: str) -> None:
    """Measure the frames that a core takes, while the caller takes the events of each."""
    rates: list[float] = []
    end = perf_counter() + seconds / 2
    change = 0
    while perf_counter() < end or not rates:
        frames = [frame(identifier, 1 + number % DEALS, change + number // DEALS) for number in range(DEALS * TIMES)]
        change += TIMES
        merged, cpu, start = stream.merged, process_time(), perf_counter()
        server.send(frames, len(frames))
        taken = 0
        while taken + stream.merged - merged < len(frames):
            next(stream)
            taken += 1
        took = max(process_time() - cpu, perf_counter() - start)
        rates.append(len(frames) / took)
        server.sent()
    rate = sorted(rates)[len(rates) // 2]
    results.goals.append(Goal("frames of a stream a second, on one core, events taken", rate, at_least=10_000))


def memory(results: Results, server: Server, stream: botdesk.Stream, identifier: str) -> None:
    """Measure how much the process grows over the pings of a day, and the changes of a deal at each tenth of them."""
    grown: list[int] = []
    for day in range(3):
        frames = ['{"type":"ping","message":1767225600}'] * 10 + [frame(identifier, IDLE, 2 * day)]
        server.send(frames, PINGS)
        server.sent()
        # It comes after the pings.
        server.send([frame(identifier, IDLE, 2 * day + 1)], 1)
        while str(next(stream).record.take_profit) != str(2 * day + 1):
            pass
        server.sent()
        grown.append(resident())
    megabytes = (grown[-1] - grown[-2]) / (1 << 20)
    results.figures.append(
        Figure("growth over the pings of a day", f"{megabytes:.2f} MB", "of the process, on its third day")
    )
    results.goals.append(Goal("growth over the pings of a day", megabytes, at_most=0.5, unit=" MB"))
