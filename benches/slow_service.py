"""A service on the loopback that lists bots, with a delay before each response, as over a slow link."""

import asyncio
import json
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import PIPE, Popen
from urllib.parse import parse_qs, urlsplit

from benches import responses

# Seconds before each response.
DELAY = 0.1

END_OF_HEADER = b"\r\n\r\n"


@contextmanager
def serving(bots: int) -> Generator[str]:
    """Serve a list of bots while the block runs; yield the base URL."""
    command = [sys.executable, "-m", "benches.slow_service", str(bots)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True, cwd=Path(__file__).parents[1]) as process:
        # Closing its input ends the server; the end of the block waits for it.
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the server has no pipes")
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.stdin.close()


async def main(bots: int) -> None:
    """Serve until the input ends."""
    pattern = json.loads(responses.bot())
    listed = [responses.text({**pattern, "id": number}) for number in range(1, bots + 1)]

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task that waits for a request at the end is cancelled.
        with suppress(asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            while head := await reader.readuntil(END_OF_HEADER):
                query = parse_qs(urlsplit(head.split(b" ", 2)[1]).query)
                offset, limit = int(query[b"offset"][0]), int(query[b"limit"][0])
                body = b"[%b]" % b",".join(listed[offset : offset + limit])
                await asyncio.sleep(DELAY)
                # In one piece, because a second one would wait for the acknowledgement of the first.
                header = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d" % len(body)
                writer.write(header + END_OF_HEADER + body)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
