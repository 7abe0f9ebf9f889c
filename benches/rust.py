"""The parts of the benchmarks that are written in Rust: the loopback server, the lower bound, and signing alone."""

import json
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from subprocess import PIPE, Popen, run

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from benches.measure import Contender, Turn

ROOT = Path(__file__).parents[1]


@cache
def programs() -> dict[str, str]:
    """Build the programs, and return their paths."""
    command = ["cargo", "bench", "--quiet", "--package", "botdesk-benches", "--profile", "wheel", "--no-run"]
    command.append("--message-format=json")
    lines = run(command, cwd=ROOT, check=True, stdout=PIPE, text=True).stdout.splitlines()
    built = [message for message in map(json.loads, lines) if message.get("executable")]
    return {message["target"]["name"]: message["executable"] for message in built}


@cache
def version() -> str:
    """Return the version of rustc."""
    version = run(["rustc", "--version"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return " ".join(version.split()[:2])


@contextmanager
def serving(bot: bytes, page: bytes = b"[]") -> Generator[str]:
    """Serve all requests on the loopback while the block runs.

    Args:
        bot: The JSON that answers a request for one bot.
        page: The JSON that answers a request for a page of them.

    Yields:
        The address of the server.
    """
    with Popen([programs()["loopback"]], stdin=PIPE, stdout=PIPE) as process:
        # Closing its input ends the server; the end of the block waits for it.
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the server has no pipes")
        for response in (bot, page):
            process.stdin.write(b"%d\n%b" % (len(response), response))
        process.stdin.flush()
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.stdin.close()


@contextmanager
def floor(url: str, key: rsa.RSAPrivateKey, calls: int) -> Generator[dict[str, Contender]]:
    """Run the benchmark in Rust in a child process that prints the time of each of its turns.

    Args:
        url: The address of the server.
        key: What the requests are signed with.
        calls: How many calls a turn makes.

    Yields:
        The contenders by their names.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "key.der"
        path.write_bytes(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
        command = [programs()["floor"], url, str(path)]
        with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("the floor has no pipes")
            names = process.stdout.readline().rstrip("\n").split("\t")
            yield {name: asking(process, name, calls) for name in names}
            process.stdin.close()


def asking(process: "Popen[str]", name: str, calls: int) -> Contender:
    """Time a turn of a contender in another process."""

    def turn() -> Turn:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the floor has no pipes")
        before = cpu(process.pid)
        process.stdin.write(f"{name}\t{calls}\n")
        process.stdin.flush()
        nanoseconds = int(process.stdout.readline())
        after = cpu(process.pid)
        return Turn(nanoseconds / 1e9 / calls, None if before is None or after is None else (after - before) / calls)

    return turn


def cpu(process: int) -> float | None:
    """Return the CPU time of a process in seconds, if the system reports it."""
    threads = Path(f"/proc/{process}/task")
    if not threads.is_dir():
        return None
    return sum(int((thread / "schedstat").read_text("ascii").split()[0]) for thread in threads.iterdir()) / 1e9
