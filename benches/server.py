"""A loopback server in a process of its own: keep-alive, canned answers, nothing checked.

It costs as little as it can, and the same for all: an answer is one prepared block of bytes, header and body together
(in two blocks, the second would wait 40 ms for the client's delayed acknowledgement). Requests have no body here.
"""

import asyncio
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

HOST = "127.0.0.1"


@contextmanager
def serving(answer: bytes) -> Generator[str]:
    """Answer all requests alike while the block runs.

    Args:
        answer: The JSON of the answer.

    Yields:
        The address of the server.
    """
    root = Path(__file__).parents[1]
    with Popen([sys.executable, "-m", "benches.server"], stdin=PIPE, stdout=PIPE, cwd=root) as process:
        # Closing its input ends the server, and leaving the block waits for it.
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the server has no pipes")
        process.stdin.write(b"%d\n%b" % (len(answer), answer))
        process.stdin.flush()
        yield f"http://{HOST}:{int(process.stdout.readline())}"
        process.stdin.close()


class Connection(asyncio.Protocol):
    """One connection: an answer for every end of a header."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each request that is complete."""
        *complete, self.unread = (self.unread + data).split(b"\r\n\r\n")
        if complete and isinstance(self.transport, asyncio.WriteTransport):
            self.transport.write(self.answer * len(complete))


async def serve() -> None:
    """Read the answer from the input, tell the port, and serve until the input ends."""
    body = sys.stdin.buffer.read(int(sys.stdin.buffer.readline()))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(head + body), HOST, 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.buffer.read)


if __name__ == "__main__":
    asyncio.run(serve())
