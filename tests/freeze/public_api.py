"""Describes what users depend on, so that it can be compared while the inside of the package is rebuilt.

`just freeze` writes the files of this folder. They are deleted when the rebuilding ends.
"""

from __future__ import annotations

import base64
import importlib
import inspect
import json
import os
import pickle
import sys
import threading
import urllib.request
import warnings
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer.main
from sample_calls import SAMPLES, prepare
from typer.testing import CliRunner

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = Path(__file__).parent
FIXTURES = FOLDER.parent / "fixtures"
# Methods that a class has without saying so itself.
_INHERITED = {*dir(object), "__module__", "__annotations__", "__dict__", "__weakref__", "__slots__"}
_MILLISECONDS = 3_600_000


def names() -> str:
    """Describe every public name: its kind, its signature, its docstring, and the same of the members of a class."""
    return "\n".join(line for name in sorted(_public()) for line in _described(name, getattr(botdesk, name)))


def _public() -> list[str]:
    return [name for name in dir(botdesk) if not name.startswith("_")]


def _described(name: str, thing: object) -> Iterator[str]:
    yield f"## {name}: {type(thing).__name__}{_signature(thing)}{_coroutine(thing)}"
    yield from _doc(thing)
    if not inspect.isclass(thing):
        return
    yield f"mro {' '.join(f'{base.__module__}.{base.__qualname__}' for base in thing.__mro__)}"
    for member in sorted(set(dir(thing)) - _INHERITED):
        if not member.startswith("_") or (member.startswith("__") and member.endswith("__")):
            yield from _member(thing, member)


def _member(owner: type, name: str) -> Iterator[str]:
    static = inspect.getattr_static(owner, name)
    value = getattr(owner, name)
    yield f"### {name}: {type(static).__name__}{_signature(value)}{_coroutine(value)}"
    yield from _doc(value)


def _doc(thing: object) -> Iterator[str]:
    for line in (inspect.getdoc(thing) or "").splitlines():
        yield f"    {line}".rstrip()


def _signature(thing: object) -> str:
    with suppress(TypeError, ValueError):
        return str(inspect.signature(thing)) if callable(thing) else ""
    return ""


def _coroutine(thing: object) -> str:
    return " coroutine" if inspect.iscoroutinefunction(thing) else ""


def pickles() -> str:
    """Pickle one of each object that pickles."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = list(_objects())
    pickled = ((name, pickle.dumps(made_object, 4)) for name, made_object in made)
    return "\n".join(f"{name} {base64.b64encode(content).decode()}" for name, content in pickled)


def _objects() -> Iterator[tuple[str, object]]:
    dca_bot = botdesk.DcaBot.from_json(json.dumps({**_fixture("dca_bot"), "id": 41}))
    grid_bot = botdesk.GridBot.from_json(json.dumps(_fixture("grid_bot")))
    candles = botdesk.Candles([[hour * _MILLISECONDS, 100, 103, 98, 101] for hour in range(4)])
    bot: dict[str, Any] = {"base_order_volume": 100, "max_safety_orders": 0, "take_profit": 1}
    ladder = botdesk.plan_ladder(price=100, **bot)
    grid = botdesk.plan_grid(lower_price=90, upper_price=110, grids_quantity=3, quantity_per_grid=1, price=100)
    backtest = botdesk.backtest(candles, **bot)
    sweep = botdesk.sweep(bot, candles, {"take_profit": [1, 2]})
    yield from {
        "DcaBot": dca_bot,
        "GridBot": grid_bot,
        "Account": botdesk.Account.from_json(json.dumps(_fixture("account"))),
        "Records": botdesk.Records([dca_bot]),
        "Ladder": ladder,
        "Rung": ladder[0],
        "GridPlan": grid,
        "GridLevel": grid[0],
        "Candles": candles,
        "Candle": candles[0],
        "Backtest": backtest,
        "BacktestSummary": backtest.summary,
        "BacktestOrder": backtest.orders[0],
        "EquityPoint": backtest.equity[0],
        "Sweep": sweep,
        "SweepPoint": sweep.best(),
        "ValidationError": botdesk.ValidationError("wrong", errors={"price": ["wrong"]}),
        "RetryPolicy": botdesk.RetryPolicy(),
    }.items()


def _fixture(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))
    return found


def command_line() -> str:
    """Print the help of every command."""
    # The width of the help is read when it is printed.
    os.environ.update(COLUMNS="100", TERMINAL_WIDTH="100", NO_COLOR="1")
    app = importlib.import_module("botdesk._cli.app").app
    return "\n".join(_help(app, typer.main.get_command(app), []))


def _help(app: Any, command: Any, path: list[str]) -> Iterator[str]:  # noqa: ANN401
    yield f"## {' '.join(['botdesk', *path])}\n{CliRunner().invoke(app, [*path, '--help']).output}"
    for name, inner in sorted(getattr(command, "commands", {}).items()):
        yield from _help(app, inner, [*path, name])


def openapi() -> str:
    """Return the description in OpenAPI that the sandbox serves."""
    with botdesk.Sandbox() as sandbox, urllib.request.urlopen(f"{sandbox.url}/openapi.json") as response:  # noqa: S310
        return json.dumps(json.load(response), indent=1).replace(sandbox.url, "URL")


def requests() -> str:
    """Return the bytes of the last request of one call of each operation, signed with a fixed key."""
    return "\n".join(f"## {operation}\n{_request(operation)}" for operation in SAMPLES)


def _request(operation: str) -> str:
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def _respond(self) -> None:
            length = int(self.headers.get("Content-Length", "0"))
            body = self.rfile.read(length).decode()
            head = f"{self.requestline}\n{self.headers.as_string()}".replace(f":{port}", ":PORT")
            received.append(f"{head.strip()}\n\n{body}")
            content = json.dumps({**_fixture("dca_bot"), "id": 41}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _respond  # noqa: N815 - the names are those of the base class

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        private_key = botdesk.PrivateKey.load((FIXTURES / "keys" / "rsa_2048.pem").read_text())
        client = botdesk.Client("an-api-key", private_key, base_url=f"http://127.0.0.1:{port}", retries=0)
        # The response fits few operations; only the request counts.
        with client, suppress(botdesk.BotdeskError):
            prepare(client, operation)()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    return received[-1]


SECTIONS: dict[str, Callable[[], str]] = {
    "names.txt": names,
    "pickles.txt": pickles,
    "command_line.txt": command_line,
    "openapi.json": openapi,
    "requests.txt": requests,
}


def main(folder: Path) -> int:
    """Write the files into a folder."""
    for name, section in SECTIONS.items():
        (folder / name).write_text(section().rstrip() + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
