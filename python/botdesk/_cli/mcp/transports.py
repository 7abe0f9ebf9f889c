"""The transports: standard input and output, or HTTP on the loopback interface with a token."""

from __future__ import annotations

import hmac
import logging
import os
import re
import secrets
import socket
import stat
from typing import TYPE_CHECKING, Any

from mcp.server.stdio import stdio_server

from botdesk._native import _shown_path

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping
    from pathlib import Path

    from mcp.server.lowlevel import Server

    Scope = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
    Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
    App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = "127.0.0.1"
TOKEN_VARIABLE = "BOTDESK_MCP_TOKEN"  # noqa: S105 - the name of a variable
_SHORTEST_TOKEN = 20
_TOKEN = re.compile(r"[\x21-\x7e]+")


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over standard input and output, until it closes the input."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def token_of(path: Path | None) -> tuple[str, bool]:
    """Return the token of HTTP, and whether it was made just now: from a file, from the environment, or a new one.

    Raises:
        ValueError: The file can't be read, others can read it, or the token is too short to be a secret.
    """
    if path is not None:
        return _checked(_read(path), f"the token in {_shown_path(str(path))}"), False
    if given := os.environ.get(TOKEN_VARIABLE):
        return _checked(given, TOKEN_VARIABLE), False
    return secrets.token_urlsafe(32), True


def bind(port: int) -> socket.socket:
    """Return a socket that listens on the loopback interface; port 0 selects a free one.

    Raises:
        OSError: The port is in use.
    """
    listening = socket.create_server((LOOPBACK, port))
    listening.setblocking(False)  # noqa: FBT003 - the argument of the standard library
    return listening


async def serve_http(server: Server[Any], listening: socket.socket, token: str) -> None:
    """Serve clients over HTTP, which send the token with each request."""
    import uvicorn  # noqa: PLC0415 - only HTTP needs it

    app = server.streamable_http_app(stateless_http=True, json_response=True, host=LOOPBACK)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(_guarded(app, token), log_config=None, access_log=False, lifespan="on")
    await uvicorn.Server(config).serve(sockets=[listening])


def _guarded(app: Any, token: str) -> App:  # noqa: ANN401 - an application of starlette
    """Return an application that answers only requests with the token."""
    expected = f"Bearer {token}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        given = [value for name, value in scope.get("headers", ()) if name.lower() == b"authorization"]
        if scope["type"] == "http" and len(given) == 1 and hmac.compare_digest(given[0], expected):
            await app(scope, receive, send)
        elif scope["type"] == "http":
            await _unauthorized(send)

    return guarded


async def _unauthorized(send: Send) -> None:
    body = b'{"error": "send the token that botdesk mcp printed, as Authorization: Bearer TOKEN"}'
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"www-authenticate", b"Bearer"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _read(path: Path) -> str:
    shown = _shown_path(str(path))
    try:
        if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ValueError(f"{shown} can be read by others; run: chmod 600 {shown}")
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ValueError(f"{shown}: {reason}; pass a file with a token") from error


def _checked(token: str, what: str) -> str:
    """Return a token that can be sent in a header; no error repeats it."""
    if len(token) < _SHORTEST_TOKEN or not _TOKEN.fullmatch(token):
        raise ValueError(f"{what} is no token; write at least {_SHORTEST_TOKEN} ASCII characters without spaces")
    return token
