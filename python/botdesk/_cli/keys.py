"""`botdesk keys`: key pairs."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated

import typer

from botdesk import PrivateKey
from botdesk._cli import options, output

app = typer.Typer(name="keys", help="Key pairs.", no_args_is_help=True)


@app.callback()
def _every() -> None:
    """Key pairs."""


@app.command("new")
def new(
    *,
    path: Annotated[
        Path, typer.Argument(help="Where to write the private key, a file that is not there yet.", show_default=False)
    ],
    bits: Annotated[int, typer.Option(help="The length of the key: 2048, 3072, 4096 or 8192.")] = 4096,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Make a key pair: write the private key, and print the public one, to paste it into the service."""
    key = PrivateKey.generate(bits=bits)
    key.save(path)
    if as_json:
        made = {"path": str(path), "public_key": key.public_key_pem, "fingerprint": key.fingerprint}
        output.show(made, as_json=True)
        return
    typer.echo(key.public_key_pem, nl=not key.public_key_pem.endswith("\n"))
    output.tell(f"The private key is in {path}, fingerprint {key.fingerprint}. Paste the public key into the service.")
