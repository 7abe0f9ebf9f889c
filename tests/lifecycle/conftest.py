"""Fixtures of the lifecycle tests: a service that can stall, and child processes that call it."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Self

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from thorough import cases

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

# Seconds; longer than any call takes unless it hangs.
PATIENCE = 60.0

# A page of two bots, for `limit=2`.
PAGE = b'[{"id":1,"name":"first"},{"id":2,"name":"second"}]'

# The pages at the end of the list: a page begins with the last bot of the page before it. From offset 20 on, there is
# one page more.
END_OF_LIST = {
    "offset=1": b'[{"id":2,"name":"second"}]',
    "offset=2": b'[{"id":3,"name":"third"}]',
    "offset=21": b'[{"id":2,"name":"second"},{"id":3,"name":"third"},{"id":4,"name":"fourth"}]',
}

# The second page of two bots is stalled: as an iterator requests it, and as a list does. From offset 20 on, it is the
# third page.
STALLING = {"limit=3&offset=1", "limit=2&offset=2", "limit=3&offset=23"}

# What a script may start with: a client of the service, and what keeps it and the test in step.
PREAMBLE = """
import os
import sys

import botdesk

URL = os.environ["SERVICE_URL"]


def make_client():
    # No request of a test ends because its time is up.
    key = os.environ["SERVICE_KEY"]
    return botdesk.Client("an-api-key", key, base_url=URL, timeout=600, retries=0, rate_limit=None)


def wait_for_test():
    '''Wait until the test says to go on.'''
    return sys.stdin.readline().strip()


client = make_client()
"""


class Stalled:
    """A request that waits for its response."""

    def __init__(self, connection: socket.socket, target: str) -> None:
        self.target = target
        self._connection = connection
        self._dropped = threading.Event()

    def response(self, body: bytes = PAGE) -> None:
        """Answer after all."""
        self._connection.sendall(response(body))

    def respond_with_record(self) -> None:
        """Send the requested record."""
        record = re.search(r"/(\d+)/", self.target)
        assert record is not None
        self.response(b'{"id":%s}' % record[1].encode())

    def is_dropped(self) -> bool:
        """Wait for the caller to close the connection; false if it never does."""
        return self._dropped.wait(PATIENCE)

    def drop(self) -> None:
        """Record that the caller has closed the connection."""
        self._dropped.set()


def response(body: bytes) -> bytes:
    """Write a response in one piece, because two may wait for an acknowledgement."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Service:
    """A service that lists two bots and stalls everything else: other calls, and a second page of two.

    A second page that a test answers has a third bot.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._connections: list[socket.socket] = []
        self._stalled: SimpleQueue[Stalled] = SimpleQueue()
        self.targets: list[str] = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def stalled(self) -> Stalled:
        """Wait for a request that stalls."""
        try:
            return self._stalled.get(timeout=PATIENCE)
        except Empty:
            pytest.fail(f"no request arrived within {PATIENCE} s; before: {self.targets}")

    def close(self) -> None:
        """Stop, and close what is open."""
        # The thread that accepts is woken by this, not by `close`.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        # It may have accepted a connection that is not in the list yet.
        self._accepting.join(PATIENCE)
        for connection in self._connections:
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                # Added first, so that it is always closed.
                self._connections.append(connection)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        waiting: list[Stalled] = []
        with suppress(OSError), connection.makefile("rb") as lines:
            for line in lines:
                if not line.endswith(b" HTTP/1.1\r\n"):
                    continue
                target = line.split()[1].decode()
                self.targets.append(target)
                path, _, query = target.partition("?")
                if path.endswith("/ver1/bots") and query not in STALLING:
                    connection.sendall(response(END_OF_LIST.get(query.rpartition("&")[2], PAGE)))
                else:
                    waiting.append(Stalled(connection, target))
                    self._stalled.put(waiting[-1])
        for request in waiting:
            request.drop()


class Child:
    """A Python process that runs a script."""

    def __init__(self, python: str, path: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [python, "-X", "faulthandler", path],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Its own process group, so that the processes that it forks can be ended with it.
            start_new_session=True,
        )

    def send_line(self, text: str = "") -> Self:
        """Let the script continue."""
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self

    def read_line(self) -> str:
        """Wait for the script to print a line."""
        assert self.process.stdout is not None
        # Byte by byte, because what a buffer held would be missing in the output at the end.
        output, line = self.process.stdout.fileno(), b""
        # Unlike `select`, it takes descriptors above 1 023.
        poll = select.poll()
        poll.register(output, select.POLLIN)
        while not line.endswith(b"\n"):
            ready = poll.poll(PATIENCE * 1_000)
            byte = os.read(output, 1) if ready else b""
            if not byte:
                pytest.fail(f"the script printed no line; it ended or hangs: {self.end()}")
            line += byte
        return line.decode().strip()

    def interrupt(self) -> float:
        """Press Ctrl-C; return the time."""
        now = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        return now

    def end(self) -> tuple[int, str, str]:
        """Wait for the end: the exit code, and what was printed to standard output and standard error."""
        try:
            output, errors = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            # Each process that hangs prints its stack.
            self._signal_all(signal.SIGABRT)
            output, errors = self.process.communicate()
            pytest.fail(f"the script did not end within {PATIENCE} s; it printed:\n{output}\n{errors}")
        return self.process.returncode, output.strip(), errors.strip()

    def output(self) -> str:
        """Wait for the end of a script that must not fail; return its output."""
        code, output, errors = self.end()
        assert (code, errors) == (0, ""), f"exit code {code}\n{output}\n{errors}"
        return output

    def close(self) -> None:
        """End it, and all that it forked, if they still run."""
        self._signal_all(signal.SIGKILL)
        with self.process:
            pass

    def _signal_all(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


class Scripts:
    """Starts scripts as child processes."""

    def __init__(self, folder: Path, environment: dict[str, str], python: str = sys.executable) -> None:
        self._python = python
        self._folder = folder
        self._environment = environment
        self._children: list[Child] = []

    def start(self, script: str, *, preamble: str = PREAMBLE) -> Child:
        """Start a script. It has a client of the service, `client`, unless it brings another preamble."""
        # `multiprocessing` needs a main module that can be imported again, so the script is a file.
        path = self._folder / f"script_{len(self._children)}.py"
        path.write_text(preamble + textwrap.dedent(script))
        child = Child(self._python, path, self._environment)
        self._children.append(child)
        return child

    def start_bare(self, script: str) -> Child:
        """Start a script that imports for itself."""
        return self.start(script, preamble="")

    def close(self) -> None:
        """End what still runs."""
        for child in self._children:
            child.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Run each test several times, to find rare failures."""
    parser.addoption("--repeat", type=int, default=1, help="how often each test of the lifecycle runs")
    parser.addoption(
        "--python", default=sys.executable, help="the interpreter of the scripts that lifecycle tests start"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test as often as requested."""
    count = metafunc.config.getoption("--repeat", default=1) or 1
    if count > 1:
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(count))


@pytest.fixture(scope="session")
def times(pytestconfig: pytest.Config) -> int:
    """Return the number of processes that race; fewer if each test is repeated."""
    return cases(5, 20) if (pytestconfig.getoption("--repeat", default=1) or 1) == 1 else 4


@pytest.fixture(scope="session")
def private_key() -> str:
    """Return a private key in PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture
def service() -> Iterator[Service]:
    """Run a service that can stall."""
    with closing(Service()) as service:
        yield service


@pytest.fixture
def scripts(service: Service, private_key: str, tmp_path: Path, pytestconfig: pytest.Config) -> Iterator[Scripts]:
    """Run scripts as child processes."""
    if sys.platform == "win32":
        pytest.skip("the children are controlled by POSIX signals and pipes")
    environment = {
        **os.environ,
        "SERVICE_URL": service.url,
        "SERVICE_KEY": private_key,
        # Python 3.12 and later warn of every fork of a process with threads.
        "PYTHONWARNINGS": "ignore:This process:DeprecationWarning",
    }
    python = pytestconfig.getoption("--python", default=sys.executable) or sys.executable
    if python != sys.executable:
        # The extension module is the same for all versions.
        environment["PYTHONPATH"] = str(Path(botdesk.__file__).parents[1])
    with closing(Scripts(tmp_path, environment, python)) as scripts:
        yield scripts
