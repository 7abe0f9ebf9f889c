"""A Redis server for a test."""

from __future__ import annotations

import shutil
import socket
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SERVER = shutil.which("redis-server") or shutil.which("valkey-server")

needs_server = pytest.mark.skipif(
    SERVER is None, reason="neither redis-server nor valkey-server is in PATH; Debian, Ubuntu: apt install redis-server"
)


class RedisServer:
    """A server of its own for a test, behind a socket in a folder."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.url = f"unix://{folder}/redis.sock"
        self._options = [
            "--port",
            "0",
            "--unixsocket",
            f"{folder}/redis.sock",
            "--save",
            "",
            "--dir",
            str(folder),
            *options,
        ]
        self.start()

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        assert SERVER is not None
        self._process = subprocess.Popen([SERVER, *self._options], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert any("eady to accept connections" in line for line in self._process.stdout)

    def stop(self) -> None:
        """Stop it, unless it was stopped; it forgets everything."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def send(self, *words: str, password: str = "") -> bytes:
        """Send a command, and return the response as it is; with a password, after the response to that."""
        commands = encoded("AUTH", password) if password else b""
        with closing(socket.socket(socket.AF_UNIX)) as connection:
            connection.connect(self.url.removeprefix("unix://"))
            connection.sendall(commands + encoded(*words))
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def key(self, name: str) -> str:
        """Return the key of the only shared count that ends with a name."""
        found = [
            word for word in self.send("keys", f"botdesk:*:{name}").decode().split() if word.startswith("botdesk:")
        ]
        assert len(found) == 1
        return found[0]

    def scripts(self) -> int:
        """Return the number of scripts that it has run."""
        counts = self.send("info", "commandstats").decode().splitlines()
        found = [entry for entry in counts if entry.startswith("cmdstat_evalsha:")]
        return sum(int(entry.partition("calls=")[2].partition(",")[0]) for entry in found)


def encoded(*words: str) -> bytes:
    """Encode a command."""
    bulks = [b"$%d\r\n%s\r\n" % (len(word), word) for word in (word.encode() for word in words)]
    return b"*%d\r\n" % len(bulks) + b"".join(bulks)
