"""`botdesk sandbox`: the service, run on this machine until Ctrl-C."""

from __future__ import annotations

import json
import shlex
import signal
import tempfile
import threading
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from botdesk import PrivateKey, Sandbox
from botdesk._cli import options

# Asked for in the line that shows how to ask.
_PATH = "/public/api/ver1/bots?limit=3"


def run(
    *,
    port: Annotated[int, typer.Option(help="The port to listen on; 0 for any that is free.")] = 8080,
    seed: Annotated[int, typer.Option(help="From which the world is made; the same seed makes the same world.")] = 1,
    bots: Annotated[int, typer.Option(help="How many DCA bots there are.")] = 12,
    rate_limit: Annotated[
        int | None, typer.Option(help="How many requests a key has in a minute; as many as it likes if left out.")
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(
            help="Where to write the private key, a file that is not there yet; if left out, a folder of its own."
        ),
    ] = None,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Run the service on this machine, with a key pair that is let in, until Ctrl-C."""
    # Services are ended with SIGTERM, and a terminal that closes sends SIGHUP; both are as good as Ctrl-C.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        with (
            Sandbox(port=port, seed=seed, bots=bots, rate_limit=rate_limit) as sandbox,
            tempfile.TemporaryDirectory(prefix="botdesk-") as folder,
        ):
            path = (key_file or Path(folder) / "private.pem").expanduser().absolute()
            key = PrivateKey.generate(bits=2048)
            key.save(path)
            _tell(sandbox, sandbox.add_key(key.public_key_pem), path, as_json=as_json)
            threading.Event().wait()
    except KeyboardInterrupt:
        typer.echo("stopped", err=as_json)


def _tell(sandbox: Sandbox, api_key: str, path: Path, *, as_json: bool) -> None:
    """Print all that it takes to ask. Lines are not wrapped, so that they can be pasted."""
    if as_json:
        # In one line and at once, for a program that reads it while the sandbox runs.
        told = {"address": sandbox.url, "api_key": api_key, "private_key": str(path)}
        print(json.dumps(told), flush=True)  # noqa: T201 - it is what was asked for
        return
    console = Console(soft_wrap=True, highlight=False, markup=False)
    lines = [
        ("address", sandbox.url),
        ("API key", api_key),
        ("private key", str(path)),
        ("description", f"{sandbox.url}/openapi.json"),
    ]
    for name, value in lines:
        console.print(f"{name:<12} {value}")
    console.print(f"\n{_curl(sandbox.url, api_key, path)}\n")
    console.print("Ctrl-C ends it.")


def _curl(url: str, api_key: str, path: Path) -> str:
    """Give a line for a shell that signs a request and sends it."""
    signed = f"printf %s '{_PATH}' | openssl dgst -sha256 -sign {shlex.quote(str(path))} | openssl base64 -A"
    return f"curl -sS -H 'Apikey: {api_key}' -H \"Signature: $({signed})\" '{url}{_PATH}'"
