"""`botdesk keys`: key pairs."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads it
from typing import Annotated

import typer

from botdesk import PrivateKey
from botdesk._cli import help_layout, options, output
from botdesk._native import _shown_path

app = typer.Typer(name="keys", help="Key pairs.", cls=help_layout.Group, no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Key pairs."""


@app.command("new", cls=help_layout.Command)
def new(
    *,
    path: Annotated[
        Path, typer.Argument(help="Where to write the private key; the file must not exist.", show_default=False)
    ],
    bits: Annotated[int, typer.Option(help="The length of the key: 2048, 3072, 4096 or 8192.")] = 4096,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Create a key pair: write the private key, and print the public key to paste at the service."""
    key = PrivateKey.generate(bits=bits)
    key.save(path)
    shown = _shown_path(str(path))
    if as_json:
        pair = {"path": shown, "public_key": key.public_key_pem, "fingerprint": key.fingerprint}
        output.show(pair, as_json=True)
        return
    typer.echo(key.public_key_pem, nl=not key.public_key_pem.endswith("\n"))
    output.print_note(
        f"The private key is in {shown}, fingerprint {key.fingerprint}. Paste the public key at the service."
    )
