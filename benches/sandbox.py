"""Measure how many signed requests per second the sandbox answers on one core."""

import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import count, cycle, islice
from time import perf_counter

import botdesk
from benches.measure import Goal, Results, Row

# Requests in flight over each connection: enough that the client costs almost nothing.
AT_ONCE = 50
ROUNDS = 20

# Runs a sandbox on one core, prints what a client needs, and ends when its input ends.
SERVER = """
import os, sys
import botdesk
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
pem = sys.stdin.read(int(sys.stdin.readline()))
with botdesk.Sandbox() as sandbox:
    print(sandbox.url, sandbox.add_key(pem), flush=True)
    sys.stdin.read()
"""


def measure(seconds: float, results: Results) -> None:
    """Measure the time of the sandbox for a request."""
    key = botdesk.PrivateKey.generate(bits=2048)
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the sandbox has no pipes")
        process.stdin.write(f"{len(key.public_key_pem)}\n{key.public_key_pem}")
        process.stdin.flush()
        url, api_key = process.stdout.readline().split()
        client = botdesk.Client(api_key, key, base_url=url, rate_limit=None, signature_cache=0)
        again = answered(client, url, api_key, seconds / 2, cycle(range(1, AT_ONCE + 1)))
        new = answered(client, url, api_key, seconds / 2, count(AT_ONCE + 1))
        process.stdin.close()
    table = results.table(
        "The sandbox on one core",
        f"A signed request for one DCA bot, {AT_ONCE} in flight over one connection; the sandbox checks the "
        "signature, the key and its permission, and responds. It caches valid signatures.",
        [Row("a request that came before", again), Row("a request with a new signature", new)],
    )
    results.goals += [
        Goal(f"sandbox: signed requests a second it answers on one core, {what}", 1 / row.median, at_least=10_000)
        for what, row in zip(("asked for again", "each with a new signature"), table.rows, strict=True)
    ]


def answered(client: botdesk.Client, url: str, api_key: str, seconds: float, numbers: Iterator[int]) -> list[float]:
    """Send requests for a while, and return the time of each."""
    host, port = url.removeprefix("http://").split(":")
    times: list[float] = []
    end = perf_counter() + seconds
    with socket.create_connection((host, int(port))) as connection:
        while perf_counter() < end or len(times) < ROUNDS:
            # Signing is the client's work, so it is done before the clock starts.
            requests = [request(client, url, api_key, number) for number in islice(numbers, AT_ONCE)]
            start = perf_counter()
            ask(connection, requests)
            times.append((perf_counter() - start) / AT_ONCE)
    return times


def request(client: botdesk.Client, url: str, api_key: str, number: int) -> bytes:
    """Write the bytes of a signed request."""
    signed = client.sign("GET", "/ver1/bots/41/show", query={"number": number})
    target = signed.payload
    return (
        f"GET {target} HTTP/1.1\r\nHost: {url.removeprefix('http://')}\r\nApikey: {api_key}\r\n"
        f"Signature: {signed.signature}\r\n\r\n"
    ).encode()


def ask(connection: socket.socket, requests: Sequence[bytes]) -> None:
    """Send requests together, and read their responses."""
    connection.sendall(b"".join(requests))
    unread, answers = b"", 0
    while answers < len(requests):
        unread += connection.recv(1 << 20)
        while True:
            head, found, rest = unread.partition(b"\r\n\r\n")
            if not found:
                break
            if not head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(head.decode())
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            if len(rest) < length:
                break
            unread, answers = rest[length:], answers + 1
