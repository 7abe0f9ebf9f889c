"""The memory that a hostile response may use, measured in a child process."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from .server import http_response

if TYPE_CHECKING:
    from .server import Hostile

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")

# Makes one call and prints its error and by how many MiB the peak memory of the process grew.
SCRIPT = """
import json, sys
import botdesk

def peak():
    status = open("/proc/self/status").read()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024

url, key, options, operation = sys.argv[1], open(sys.argv[2]).read(), json.loads(sys.argv[3]), sys.argv[4]
client = botdesk.Client("hostile-test-api-key", key, base_url=url, retries=0, rate_limit=None, timeout=300, **options)
# Everything that one call makes once: the runtime, the pool, the classes of errors.
try:
    client.dca_bots.get(1)
except botdesk.BotdeskError:
    pass
before, error = peak(), ""
try:
    getattr(client.dca_bots, operation)(*([41] if operation == "get" else []))
except botdesk.BotdeskError as raised:
    error = type(raised).__name__
print(json.dumps({"error": error, "grown": peak() - before}))
"""

MIB = 1 << 20


def bomb(mebibytes: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = packer.compress(b" " * MIB) + packer.flush(zlib.Z_FULL_FLUSH)
    # The first block carries the header of the file, so the ones repeated come after it.
    again = packer.compress(b" " * MIB) + packer.flush(zlib.Z_FULL_FLUSH)
    return block + again * mebibytes + packer.flush()


def measured(hostile: Hostile, pieces: list[bytes], options: dict[str, Any], operation: str) -> dict[str, Any]:
    hostile.sends(http_response(b"{}", status=404))
    hostile.sends(*pieces)
    key = "tests/fixtures/keys/rsa_2048.pem"
    command = [sys.executable, "-c", SCRIPT, hostile.url, key, json.dumps(options), operation]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


CASES: dict[str, tuple[list[bytes], dict[str, Any], str, str, int]] = {
    # The pieces, the options, the operation, the error, and by how many MiB the memory may grow.
    "a bomb of a GiB": ([http_response(bomb(1024), "Content-Encoding: gzip")], {}, "get", "DecodeError", 100),
    "a bomb of a GiB where little is taken": (
        [http_response(bomb(1024), "Content-Encoding: gzip")],
        {"max_body": MIB},
        "get",
        "DecodeError",
        8,
    ),
    "a bomb of a GiB that refuses": (
        [http_response(bomb(1024), "Content-Encoding: gzip", status=500)],
        {},
        "get",
        "ServerError",
        8,
    ),
    "a body of 64 MiB": ([http_response(b" " * 64 * MIB)], {}, "get", "DecodeError", 100),
    "an error response of 30 MiB": (
        [http_response(b'{"error":"' + b"x" * 30 * MIB, status=400)],
        {},
        "get",
        "ApiError",
        8,
    ),
    "a body of 30 MiB that is not UTF-8": ([http_response(b"\xff" * 30 * MIB)], {}, "get", "DecodeError", 100),
    "a length of a TiB": ([http_response(b"{", f"Content-Length: {1 << 40}")], {}, "get", "TransportError", 8),
    "ten million empty records": ([http_response(b"[" + b"{}," * (10 * MIB) + b"{}]")], {}, "list", "DecodeError", 300),
    "a hundred thousand headers": (
        [b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % each for each in range(100_000)) + b"\r\n"],
        {},
        "get",
        "TransportError",
        8,
    ),
}


@pytest.mark.parametrize(("pieces", "options", "operation", "error", "most"), CASES.values(), ids=list(CASES))
def test_a_response_costs_no_more_than_the_longest_that_is_taken(
    hostile: Hostile, pieces: list[bytes], options: dict[str, Any], operation: str, *, error: str, most: int
) -> None:
    result = measured(hostile, pieces, options, operation)
    assert result["error"] == error
    assert result["grown"] < most
