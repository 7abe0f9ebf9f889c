"""Processes that share a rate limit."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..wire.conftest import Service  # noqa: TID252

# Seconds; longer than any step takes unless it hangs.
PATIENCE = 60.0

PREAMBLE = """
import os
import sys

import botdesk


def limited(requests, per=3600, **options):
    limit = botdesk.RateLimit(requests, per=per, shared=os.environ.get("LIMIT_SERVER", True))
    key, url = os.environ["SERVICE_KEY"], os.environ["SERVICE_URL"]
    options = {"retries": 0, "wait": False, **options}
    return botdesk.Client(os.environ["SERVICE_API_KEY"], key, base_url=url, rate_limit=limit, **options)


"""


class Scripts:
    """Runs scripts that call the service with the same key, each in a process of its own."""

    def __init__(self, service: Service, private_key: str, api_key: str, **environment: str) -> None:
        self._environment = {
            **os.environ,
            **environment,
            "SERVICE_KEY": private_key,
            "SERVICE_URL": service.url,
            "SERVICE_API_KEY": api_key,
        }
        self._running: list[subprocess.Popen[str]] = []

    def start(self, script: str, *arguments: object, url: str = "", api_key: str = "") -> subprocess.Popen[str]:
        """Start a script, for the service of the test or another one."""
        given = {"SERVICE_URL": url, "SERVICE_API_KEY": api_key}
        process = subprocess.Popen(
            [sys.executable, "-c", PREAMBLE + textwrap.dedent(script), *map(str, arguments)],
            env=self._environment | {name: value for name, value in given.items() if value},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._running.append(process)
        return process

    def output(self, script: str, *arguments: object) -> str:
        """Run a script and return what it printed."""
        process = self.start(script, *arguments)
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        return output.strip()

    def end(self) -> None:
        """End the scripts that still run."""
        for process in self._running:
            process.kill()
            process.communicate()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def proceed(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


# Makes requests from four threads or four tasks; the offset of each request is the number of the process.
WORKER = """
import asyncio
import threading

number, requests, per, calls = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
client = limited(requests, per, wait=bool(per < 10))
outcomes = []


def call():
    for _ in range(calls):
        try:
            client.dca_bots.list(limit=1, offset=number)
            outcomes.append("sent")
        except botdesk.RateLimitedError as error:
            outcomes.append("not sent" if "was not sent" in str(error) else "rejected")


async def call_async():
    for _ in range(calls):
        try:
            await client.dca_bots.list_async(limit=1, offset=number)
            outcomes.append("sent")
        except botdesk.RateLimitedError as error:
            outcomes.append("not sent" if "was not sent" in str(error) else "rejected")


async def gather():
    await asyncio.gather(*(call_async() for _ in range(4)))


client.sign("GET", "/public/api/ver1/bots")
print("ready", flush=True)
sys.stdin.readline()
if number % 2:
    asyncio.run(gather())
else:
    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(*(f"{outcomes.count(kind)} {kind}" for kind in ("sent", "not sent", "rejected")), sep=",", flush=True)
"""


def run_together(processes: list[subprocess.Popen[str]]) -> Counter[str]:
    """Let the workers call at the same time, and return the number of their outcomes."""
    assert {line(process) for process in processes} == {"ready"}
    for process in processes:
        proceed(process)
    outcomes: Counter[str] = Counter()
    for process in processes:
        for outcome in line(process).split(","):
            number, _, kind = outcome.partition(" ")
            outcomes[kind] += int(number)
    return outcomes


def all_end_within_a_limit(service: Service, scripts: Scripts) -> None:
    """Let eight workers wait for a small limit; all of them end, and the service never counts more."""
    requests, per, calls = 40, 1.0, 5
    total = 8 * 4 * calls
    for _ in range(total):
        service.responds(body=b"[]")
    workers = [scripts.start(WORKER, number, requests, per, calls) for number in range(8)]
    assert run_together(workers) == {"sent": total, "not sent": 0, "rejected": 0}
    times = sorted(service.times)
    assert all(later - earlier >= per for earlier, later in zip(times, times[requests:], strict=False))
    # That no process is overtaken for long is a property test of the state: here, it would depend on the scheduler.
    assert Counter(request.query for request in service.requests) == {
        f"limit=1&offset={number}": 4 * calls for number in range(8)
    }
