"""`botdesk sandbox`: a local mock of the service that runs until Ctrl-C."""

from __future__ import annotations

import json
import shlex
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from botdesk import Candles, PrivateKey, Sandbox
from botdesk._cli import candle_files, history, options, shells

# The path of the example.
_PATH = "/public/api/ver1/bots?limit=3"
_SPEED = 60
# A signal that comes just before a sleep begins is handled only after it, so each one is short.
_SECOND = 1

# Variables that would contradict those of the sandbox.
_CONTRADICTING = ("BOTDESK_PROFILE", "BOTDESK_PRIVATE_KEY", "BOTDESK_PRIVATE_KEY_PASSWORD", "BOTDESK_SECRET")


def run(
    *,
    port: Annotated[int, typer.Option(help="The port to listen on; 0 selects a free one.")] = 8080,
    seed: Annotated[
        int, typer.Option(help="The seed of the random records; the same seed gives the same records.")
    ] = 1,
    bots: Annotated[int, typer.Option(help="The number of DCA bots, at most 10000.")] = 12,
    rate_limit: Annotated[
        int | None, typer.Option(help="The requests per minute for each key; unlimited by default.", show_default=False)
    ] = None,
    odd_values: Annotated[
        bool,
        typer.Option(
            "--odd-values",
            help="Use odd values that live services send, such as exponents and 50 digits, to test a client.",
        ),
    ] = False,
    balance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CURRENCY=AMOUNT",
            help="The balance of each account in a currency, such as USDT=10000; once for each currency. Orders beyond "
            "the balances are refused. By default, the balances are random and enough for every order.",
            show_default=False,
        ),
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(
            help="Where to write the private key; the file must not exist. By default, a temporary folder.",
            show_default=False,
        ),
    ] = None,
    play: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Play the candles of this Parquet file (needs pyarrow) or CSV file through the market, and print a "
            "line for each event. It has the columns timestamp, open, high, low and close, or is an export of Binance, "
            "CryptoDataDownload or TradingView.",
            show_default=False,
        ),
    ] = None,
    pair: Annotated[
        str | None, typer.Option(help="The pair of the candles, such as USDT_BTC.", show_default=False)
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            min=0.001, help="The time of the candles per time that passes; 60 by default.", show_default=False
        ),
    ] = None,
    shell: Annotated[
        shells.Shell | None,
        typer.Option(
            help="The shell for which the lines with the environment are; yours by default.", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Start a local mock of the service with working credentials."""
    candles = _candles(play, pair, speed)
    balances = _balances(balance)
    try:
        with (
            Sandbox(
                port=port, seed=seed, bots=bots, rate_limit=rate_limit, odd_values=odd_values, balances=balances
            ) as sandbox,
            tempfile.TemporaryDirectory(prefix="botdesk-") as folder,
        ):
            path = (key_file or Path(folder) / "private.pem").expanduser().absolute()
            key = PrivateKey.generate(bits=2048)
            key.save(path)
            api_key = sandbox.add_key(key.public_key_pem)
            if as_json:
                _print_json(sandbox, api_key, path)
            else:
                _print_credentials(sandbox, api_key, path, shell or shells.current())
            if candles is not None:
                history.play(sandbox, candles, pair, speed or _SPEED, as_json=as_json)
            while True:
                time.sleep(_SECOND)
    except KeyboardInterrupt:
        typer.echo("stopped", err=as_json)


def _balances(given: list[str] | None) -> dict[str, str] | None:
    """Read the balances, each as CURRENCY=AMOUNT."""
    if not given:
        return None
    balances: dict[str, str] = {}
    for text in given:
        currency, separator, amount = text.partition("=")
        if not separator or currency in balances:
            problem = "is not CURRENCY=AMOUNT, such as USDT=10000" if not separator else "is given twice"
            message = f"--balance: {text if not separator else currency} {problem}"
            raise typer.BadParameter(message)
        balances[currency] = amount
    return balances


def _candles(play: Path | None, pair: str | None, speed: float | None) -> Candles | None:
    """Read the candles before the sandbox starts."""
    for name, value in (("--pair", pair), ("--speed", speed)):
        if play is None and value is not None:
            message = f"{name} goes with --play"
            raise typer.BadParameter(message)
    if play is None:
        return None
    if pair is None:
        message = "--play needs the pair of the candles: --pair USDT_BTC"
        raise typer.BadParameter(message)
    return candle_files.read_candles(play)


def _environment(sandbox: Sandbox, api_key: str, path: Path) -> dict[str, str]:
    """Return the variables with which other commands and scripts talk to the sandbox."""
    return {
        "BOTDESK_API_KEY": api_key,
        "BOTDESK_PRIVATE_KEY_FILE": str(path),
        "BOTDESK_BASE_URL": sandbox.url,
    }


def _print_json(sandbox: Sandbox, api_key: str, path: Path) -> None:
    """Print what a client needs on one line and at once, for a program that reads it while the sandbox runs."""
    credentials = {
        "address": sandbox.url,
        "api_key": api_key,
        "private_key": str(path),
        "page": sandbox.page_url,
        "environment": _environment(sandbox, api_key, path),
    }
    print(json.dumps(credentials), flush=True)  # noqa: T201 - it is the output of the command


def _print_credentials(sandbox: Sandbox, api_key: str, path: Path, shell: shells.Shell) -> None:
    """Print what a client needs. Lines are not wrapped, so that they can be pasted."""
    from rich.console import Console  # noqa: PLC0415 - only these lines need it

    console = Console(soft_wrap=True, highlight=False, markup=False)
    facts = [
        ("address", sandbox.url),
        ("API key", api_key),
        ("private key", str(path)),
        ("description", f"{sandbox.url}/openapi.json"),
        ("page", sandbox.page_url),
    ]
    for name, value in facts:
        console.print(f"{name:<12} {value}")
    console.print("\nIn another terminal, these lines let botdesk and your scripts use the sandbox:\n")
    for line in shells.lines(shell, _environment(sandbox, api_key, path), _CONTRADICTING):
        console.print(line)
    console.print(f"\n{_curl(sandbox.url, api_key, path)}\n")
    console.print("Ctrl-C stops it.")


def _curl(url: str, api_key: str, path: Path) -> str:
    """Return a shell command that signs a request and sends it."""
    signature = f"printf %s '{_PATH}' | openssl dgst -sha256 -sign {shlex.quote(str(path))} | openssl base64 -A"
    return f"curl -sS -H 'Apikey: {api_key}' -H \"Signature: $({signature})\" '{url}{_PATH}'"
