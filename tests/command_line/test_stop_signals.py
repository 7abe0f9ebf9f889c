"""SIGTERM and SIGHUP, with which a service manager or a closing terminal ends a command."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX"),
    pytest.mark.usefixtures("desk"),
]

TIMEOUT = 60
PATH = "/public/api/ver1/bots/41/disable"


class Stopped(NamedTuple):
    """The result of a command that was stopped."""

    code: int
    out: str
    err: str


class Service:
    """A service that lets a test look at each request and answer it, or not."""

    def __init__(self, listener: socket.socket, stack: ExitStack) -> None:
        self._listener, self._stack = listener, stack
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def request(self) -> tuple[socket.socket, bytes]:
        """Wait for a request, and return its connection and the bot that it names."""
        connection = self._stack.enter_context(self._listener.accept()[0])
        connection.settimeout(TIMEOUT)
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(65536)
        return connection, b'{"id":%s,"name":"Steady","is_enabled":false}' % received.split(b"/")[5]


def answer(connection: socket.socket, status: int, body: bytes) -> None:
    """Answer a request, and close its connection."""
    head = f"HTTP/1.1 {status} Status\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)


@pytest.fixture
def service() -> Iterator[Service]:
    """Listen."""
    with ExitStack() as stack, closing(socket.create_server(("127.0.0.1", 0))) as listener:
        listener.settimeout(TIMEOUT)
        yield Service(listener, stack)


@contextmanager
def started(service: Service, *arguments: str, **options: object) -> Generator[subprocess.Popen[str]]:
    """Start a command as a child process."""
    command = [sys.executable, "-m", "botdesk", *arguments]
    environment = {**os.environ, "BOTDESK_BASE_URL": service.url}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, **options) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


def end_of(process: subprocess.Popen[str]) -> Stopped:
    """Wait for the end of a command."""
    out, err = process.communicate(timeout=TIMEOUT)
    return Stopped(process.returncode, out, err)


SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"]


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize(
    "arguments",
    [("bots", "disable", "41", "--yes"), ("request", "POST", "/ver1/bots/41/disable", "--yes")],
    ids=["an operation", "any path"],
)
def test_a_signal_during_a_write_says_that_it_may_have_happened(
    service: Service, name: str, arguments: tuple[str, ...]
) -> None:
    number = getattr(signal, name)
    with started(service, *arguments) as process:
        service.request()
        process.send_signal(number)
        ended = end_of(process)
    line = f"botdesk: stopped by {name}; POST {PATH} was sent and may have happened; check it before you repeat it\n"
    assert ended == (128 + number, "", line)


@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_during_a_read_says_nothing(service: Service, name: str) -> None:
    number = getattr(signal, name)
    with started(service, "bots", "list") as process:
        service.request()
        process.send_signal(number)
        assert end_of(process) == (128 + number, "", "")


@pytest.mark.parametrize(("status", "outcome"), [(200, "2 done"), (404, "2 failed")])
def test_of_several_bots_the_outcomes_are_printed(service: Service, status: int, outcome: str) -> None:
    with started(service, "bots", "disable", "41", "43", "--yes") as process:
        connections = service.request(), service.request()
        process.send_signal(signal.SIGTERM)
        for connection, body in connections:
            answer(connection, status, body)
        ended = end_of(process)
    assert (ended.code, ended.err) == (128 + signal.SIGTERM, "")
    assert f"dca_bots.disable of 2: {outcome}" in ended.out


def test_nohup_keeps_its_meaning(service: Service) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with started(service, "bots", "disable", "41", "--yes", preexec_fn=ignore) as process:
        connection, bot = service.request()
        process.send_signal(signal.SIGHUP)
        answer(connection, 200, bot)
        ended = end_of(process)
    assert (ended.code, ended.err) == (0, "")
    assert "Steady" in ended.out
