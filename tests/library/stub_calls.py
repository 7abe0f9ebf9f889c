"""Calls of every public callable of the stub, for tests that call all of them.

`CALLABLES` comes from the stub: methods, attributes, special methods, and functions. `Examples` has an object of each
class, and prepares a call of each callable; the calls of operations take their arguments from `sample_calls`.
`test_stub_calls.py` makes each call.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import os
import re
from collections.abc import Iterable, Sized
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from sample_calls import SAMPLES

import botdesk
from botdesk import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STUB = Path(botdesk.__file__).with_name("_native.pyi")

# Two candles, as ccxt returns them.
CANDLES = [[0, 100, 103, 99, 101, 1], [60_000, 101, 104, 100, 102, 1]]
# A bot for backtests, and the settings of a sweep.
BOT = {"base_order_volume": 100, "max_safety_orders": 0, "take_profit": 1}
LADDER = {"price": 100, **BOT}
GRID = {"lower_price": 100, "upper_price": 200, "grids_quantity": 5}
GRID_EDIT = SAMPLES["grid_bots.edit"].arguments
PAIR, PRICE = "USDT_BTC", "60000"

# Calls that wait until a bot changes, and so may never return.
WAITS = {"RecordWatch.__next__", "RecordAsyncWatch.__anext__", "Stream.__next__", "Stream.__anext__"}
# The arguments of calls without keywords, by path or by name.
POSITIONAL: dict[str, list[Any]] = {
    "__aexit__": [None, None, None],
    "__exit__": [None, None, None],
    "list_from_json": ["[]"],
    "Client.stream": ["deals"],
}
# Calls that raise an error on purpose, by path or by name.
RAISES: dict[str, type[Exception]] = {
    "__array__": TypeError,
    # The sample has an interval that does not exist, so that nothing is fetched.
    "Candles.fetch": botdesk.ValidationError,
    "Client.__reduce__": botdesk.ConfigurationError,
    "Client.from_env": botdesk.ConfigurationError,
    "Client.from_profile": botdesk.ConfigurationError,
    "PrivateKey.__reduce__": botdesk.ConfigurationError,
}


class StubCallable(NamedTuple):
    """A public callable of the stub."""

    # The class; empty for a function.
    owner: str
    name: str
    # Its required arguments, without `self`.
    required: tuple[str, ...]
    is_property: bool = False
    is_static: bool = False
    is_coroutine: bool = False

    @property
    def path(self) -> str:
        """The name with its class, such as `DcaBots.edit`."""
        return f"{self.owner}.{self.name}".lstrip(".")

    @property
    def stem(self) -> str:
        """The name without `_async`."""
        return self.name.removesuffix("_async")


def is_public(name: str) -> bool:
    """Return True for public names, and for special methods."""
    return not name.startswith("_") or name.endswith("__") or name.startswith("_repr_")


def read_callable(owner: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> StubCallable:
    """Read a function of the stub."""
    decorators = {decorator.id for decorator in function.decorator_list if isinstance(decorator, ast.Name)}
    positional = [*function.args.posonlyargs, *function.args.args]
    required = positional[: len(positional) - len(function.args.defaults)]
    required += [
        argument
        for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
        if default is None
    ]
    return StubCallable(
        owner,
        function.name,
        tuple(argument.arg for argument in required if argument.arg not in {"self", "cls"}),
        "property" in decorators,
        "staticmethod" in decorators,
        isinstance(function, ast.AsyncFunctionDef) or "Coroutine" in ast.unparse(function.returns or ast.Pass()),
    )


def read_stub() -> Iterator[StubCallable]:
    """Read every public callable of the stub, and of the classes of records and resources."""
    files = [STUB, STUB.with_name("_planning.py"), *sorted(STUB.parent.glob("_api/*.py"))]
    for node in (node for file in files for node in ast.parse(file.read_text("utf-8")).body):
        owner, functions = (node.name, node.body) if isinstance(node, ast.ClassDef) else ("", [node])
        for function in functions:
            if isinstance(function, ast.AnnAssign) and owner and "Attribute" in ast.unparse(function.annotation):
                yield StubCallable(owner, ast.unparse(function.target), (), is_property=True)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and all(
                is_public(name) for name in (owner, function.name)
            ):
                yield read_callable(owner, function)


CALLABLES = {found.path: found for found in read_stub()}


def _class(name: str) -> Any:  # noqa: ANN401
    """Return a class of the native module or of the package; None if neither has it."""
    return getattr(_native, name, None) or getattr(botdesk, name, None)


def changed(resource: str, change: Callable[[botdesk.Sandbox], object]) -> Any:  # noqa: ANN401
    """Return what a watch says of a change."""
    with botdesk.Sandbox() as sandbox:
        watch = getattr(sandbox.client(), resource).watch()
        watch.poll()
        change(sandbox)
        return watch.poll()[0]


def streamed() -> tuple[botdesk.StreamEvent, botdesk.StreamAttempt]:
    """Return an event of a stream, and what the sandbox received before it."""
    with botdesk.Sandbox() as sandbox, (client := sandbox.client()).stream("deals") as stream:
        client.deals.edit(410, note="changed")
        return next(stream), sandbox.streams.attempts[0]


class Examples:
    """An object of each class of the stub, and calls of them."""

    def __init__(self, client: botdesk.Client, folder: Path) -> None:
        self._client = client
        self._folder = folder
        self._numbers = count()
        self._found: dict[str, Any] = {}
        self._explored = [False, False]
        # Objects that a call uses up, closes or changes: each call has one of its own.
        self._made: dict[str, Callable[[], Any]] = {
            "Client": client.with_options,
            "DcaBotEditPreview": lambda: client.dca_bots.get(41).preview_edit(take_profit="2.5"),
            "GridBotEditPreview": lambda: client.grid_bots.enable(203).preview_edit(**GRID_EDIT),
            "RecordAsyncIterator": client.dca_bots.iter_async,
            "RecordAsyncWatch": client.dca_bots.watch_async,
            "DcaBotAsyncWatch": client.dca_bots.watch_async,
            "DealEditPreview": lambda: client.deals.get(410).preview_edit(take_profit="2.5"),
            "DealAsyncWatch": client.deals.watch_async,
            "GridBotAsyncWatch": client.grid_bots.watch_async,
            "SmartTradeAsyncWatch": client.smart_trades.watch_async,
            "RecordIterator": client.dca_bots.iter,
            "RecordWatch": client.dca_bots.watch,
            "DcaBotWatch": client.dca_bots.watch,
            "DealWatch": client.deals.watch,
            "DealChange": lambda: changed("deals", lambda sandbox: sandbox.set_price("USDT_DOGE", 5)),
            "GridBotChange": lambda: changed("grid_bots", lambda sandbox: sandbox.client().grid_bots.enable(203)),
            "SmartTradeChange": lambda: changed("smart_trades", lambda sandbox: sandbox.add_smart_trade()),
            "GridBotWatch": client.grid_bots.watch,
            "SmartTradeWatch": client.smart_trades.watch,
            "DisplayOptions": botdesk.display,
            "Playback": lambda: botdesk.Sandbox(bots=1).play(CANDLES, PAIR),
            "Recording": lambda: botdesk.record(self._new_path(), client.with_options()),
            "Replay": lambda: botdesk.Replay(self._cassette()),
            "Sandbox": lambda: botdesk.Sandbox(bots=1),
            "SandboxStreams": lambda: botdesk.Sandbox(bots=1).streams,
            "Stream": lambda: client.stream("deals"),
            "StreamAttempt": lambda: streamed()[1],
            "StreamEvent": lambda: streamed()[0],
        }
        # The arguments of calls that are not operations, by the name of the argument, or by the path of the callable.
        self._arguments: dict[str, Callable[[], Any]] = {
            "bits": lambda: 2048,
            "bot_id": lambda: 41,
            "grid_bot_id": lambda: 203,
            "candles": lambda: CANDLES,
            "client": client.with_options,
            "dtype": lambda: None,
            "index": lambda: 0,
            "json": dict,
            "method": lambda: "GET",
            "name": lambda: "missing",
            "operation": lambda: "dca_bots.get",
            "kind": lambda: "stall",
            "other": lambda: None,
            "pair": lambda: PAIR,
            "path": self._new_path,
            "table": list,
            "price": lambda: PRICE,
            "public_key_pem": lambda: self.object("PrivateKey").public_key_pem,
            "seconds": lambda: 1,
            "text": lambda: "{}",
            "time": lambda: datetime(2100, 1, 1, tzinfo=UTC),
            "value": lambda: None,
            "bot": lambda: BOT,
            "data": lambda: CANDLES,
            "parameters": lambda: {"take_profit": [1, 2]},
            "path_or_text": lambda: self.object("PrivateKey"),
            "_memo": dict,
        }
        self._keywords: dict[str, Callable[[], dict[str, Any]]] = {
            "Accounts.add": lambda: {**SAMPLES["accounts.add"].arguments, "api_key": self._new_path()},
            "Candles.fetch": lambda: {"pair": "BTC"},
            "Candles.read_csv": lambda: {"path": self._candle_file()},
            "Client.__new__": lambda: {"api_key": "an-api-key", "private_key": self.object("PrivateKey")},
            "Client.request": lambda: {"method": "GET", "path": "/ver1/bots"},
            "Client.sign": lambda: {"method": "GET", "path": "/ver1/bots"},
            "DcaBot.ladder": lambda: {"price": PRICE},
            "Operation.__new__": lambda: {"name": "dca_bots.get"},
            "PrivateKey.generate": lambda: {"bits": 2048},
            "Replay.__new__": lambda: {"path": self._cassette()},
            "Sandbox.add": lambda: {"resource": "dca_bots"},
            "SandboxStreams.send": lambda: {"frame": "{}"},
            "SandboxStreams.withhold": lambda: {"frame": "welcome"},
            "Sandbox.play": lambda: {"candles": CANDLES, "pair": PAIR},
            "SweepPoint.preview": lambda: {"bot": self.object("DcaBot")},
            "backtest": lambda: {"candles": CANDLES, **BOT},
            "plan_grid": lambda: GRID,
            "plan_ladder": lambda: LADDER,
        }

    def object(self, owner: str) -> Any:  # noqa: ANN401
        """Return an object of a class; a new one if calls change it."""
        if owner in self._made:
            return self._made[owner]()
        if owner not in self._found:
            self._explore(threaded=owner in THREADED)
        if owner not in self._found:
            self._found[owner] = _class(owner).from_json("{}")
        return self._found[owner]

    def take_record_of_sample(self, callable_: StubCallable) -> None:
        """Get the record that the sample of a record's method is about, and keep it."""
        operation = _operation(callable_)
        record_id = SAMPLES[operation].record_id if operation in SAMPLES else None
        if record_id is not None and not callable_.owner.endswith("s"):
            self._found[callable_.owner] = getattr(self._client, operation.partition(".")[0]).get(record_id)

    def prepare(self, callable_: StubCallable) -> Callable[[], Any]:
        """Return a function that makes the call of a callable, with new arguments each time."""
        make = self._call_property if callable_.is_property else self._call
        if callable_.owner and not callable_.is_static and callable_.name != "__new__":
            # Objects are found before the first call, which may be made at exit.
            self.object(callable_.owner)
        return lambda: make(callable_)

    def _call_property(self, callable_: StubCallable) -> Any:  # noqa: ANN401
        return getattr(self.object(callable_.owner), callable_.name)

    def _call(self, callable_: StubCallable) -> Any:  # noqa: ANN401
        positional, keywords = self._arguments_of(callable_)
        result = self._function(callable_)(*positional, **keywords)
        return asyncio.run(_awaited(result)) if callable_.is_coroutine else result

    def _function(self, callable_: StubCallable) -> Any:  # noqa: ANN401
        if not callable_.owner:
            return getattr(botdesk, callable_.name)
        if callable_.name == "__new__":
            return _class(callable_.owner)
        owner = _class(callable_.owner) if callable_.is_static else self.object(callable_.owner)
        return getattr(owner, callable_.name)

    def _arguments_of(self, callable_: StubCallable) -> tuple[list[Any], dict[str, Any]]:
        stem = f"{callable_.owner}.{callable_.stem}".lstrip(".")
        if stem in self._keywords:
            return [], self._keywords[stem]()
        positional = POSITIONAL.get(stem) or POSITIONAL.get(callable_.name)
        if positional:
            return positional, {}
        operation = _operation(callable_)
        if operation in SAMPLES:
            return _sample_arguments(callable_, operation)
        given = {name: self._arguments[name]() for name in callable_.required}
        if callable_.name.startswith("__") and callable_.name != "__new__":
            return list(given.values()), {}
        return [], given

    def _candle_file(self) -> str:
        path = Path(self._new_path())
        path.write_text("timestamp,open,high,low,close\n1704067200000,100,101,99,100\n", "utf-8")
        return str(path)

    def _new_path(self) -> str:
        return str(self._folder / f"{os.getpid()}_{next(self._numbers)}")

    def _cassette(self) -> str:
        path = self._new_path()
        with botdesk.record(path, self._client.with_options()):
            pass
        return path

    def _explore(self, *, threaded: bool) -> None:
        """Keep objects of all classes: results of calls, their elements and attributes."""
        if not self._explored[threaded]:
            self._explored[threaded] = True
            for source in _threaded_sources(self._client) if threaded else self._sources():
                self._remember(source)

    def _sources(self) -> Iterator[Any]:
        """Make calls that return objects of all classes but `THREADED`."""
        client = self._client
        yield botdesk.PrivateKey.generate(bits=2048)
        yield botdesk.RateLimit(100)
        yield botdesk.RetryPolicy(1)
        yield botdesk.Candles(CANDLES)
        yield botdesk.plan_ladder(**LADDER)  # type: ignore[arg-type]
        yield botdesk.plan_grid(**GRID)  # type: ignore[arg-type]
        attributes = (getattr(client, name) for name in dir(client) if not name.startswith("_"))
        yield from (attribute for attribute in attributes if isinstance(attribute, _native.Resource))
        yield client.with_options(rate_limit=botdesk.RateLimit(100)).budget
        yield _native.Operation("dca_bots.get")
        yield client.sign("GET", "/ver1/bots")
        yield client.request("GET", "/ver1/bots")
        yield client.accounts.load_balances(1001)
        yield client.deals.get(410)
        bot = client.dca_bots.get(41)
        yield bot
        yield client.dca_bots.list().to_arrow()
        yield client.grid_bots.enable(203)
        preview = bot.preview_edit(take_profit="2.5")
        yield preview
        backtest = botdesk.backtest(CANDLES, **BOT, min_volume_btc_24h=1)  # type: ignore[arg-type]
        yield from (backtest, backtest.bounds(), backtest.deals)
        yield preview.backtest(dict.fromkeys(bot.pairs or (), CANDLES))
        for operation in ("accounts.networks_info", "accounts.deposit_data", "accounts.leverage_data"):
            arguments, record_id = SAMPLES[operation]
            yield getattr(client.accounts, operation.partition(".")[2])(record_id, **arguments)
        yield client.smart_trades.reduce_funds_info(301)
        yield client.smart_trades.get(301)
        yield client.trades.get(str(SAMPLES["trades.get"].record_id))

    def _remember(self, value: Any) -> None:  # noqa: ANN401
        """Keep an object, its first element and its attributes, if they are the first of their class."""
        owner = type(value).__name__
        if hasattr(_class(owner), "__name__") and owner not in self._found:
            owners = {base.__name__: value for base in type(value).__mro__ if base is not object}
            self._found |= owners
            for member in CALLABLES.values():
                if member.owner in owners and member.is_property:
                    self._remember(getattr(value, member.name))
        if isinstance(value, dict):
            value = list(cast("dict[str, Any]", value).values())
        if isinstance(value, Sized) and isinstance(value, Iterable) and value:
            self._remember_first(value)

    def _remember_first(self, values: Iterable[Any]) -> None:
        first = next(iter(values))
        if not isinstance(first, str):
            self._remember(first)


# Classes whose objects start threads, or come from calls that do. A process with threads should not fork.
SERVERS = {"Playback", "Replay", "Sandbox"}
SANDBOX_OBJECTS = {"Clock", "Faults", "HappenedFault", "MarketEvent", "Moment", "PendingFault", "ReceivedRequest"}
RESULTS = {
    "DcaBotChange",
    "FieldChange",
    "RecordChange",
    "RefusedCombination",
    "RequestEvent",
    "Sweep",
    "SweepFold",
    "SweepPoint",
}
THREADED = SERVERS | SANDBOX_OBJECTS | RESULTS


def _threaded_sources(client: botdesk.Client) -> Iterator[Any]:
    """Make calls that return objects of the classes `THREADED`."""
    yield botdesk.sweep(BOT, CANDLES, {"take_profit": [1, 2], "max_active_deals": [1, 0]}, folds=2)
    yield from _changes(client)
    yield from _events(client)
    sandbox = botdesk.Sandbox(bots=1)
    sandbox.faults.add("accounts.add", "close_before", times=None)
    sandbox.faults.add("dca_bots.get", "status", times=1, status=400)
    with contextlib.suppress(botdesk.ApiError):
        sandbox.client().dca_bots.get(41)
    yield from (sandbox.clock, sandbox.faults, sandbox.requests)
    yield next(sandbox.play(CANDLES, PAIR))


def _events(client: botdesk.Client) -> Iterator[Any]:
    events: list[botdesk.RequestEvent] = []
    client.with_options(on_response=events.append).dca_bots.get(41)
    yield events


def _changes(client: botdesk.Client) -> Iterator[Any]:
    watch = client.dca_bots.watch()
    watch.poll()
    client.dca_bots.edit(41, name=f"{client.dca_bots.get(41).name} again")
    yield watch.poll()


async def _awaited(awaitable: Any) -> Any:  # noqa: ANN401
    return await awaitable


def _operation(callable_: StubCallable) -> str:
    """Return the operation that a method of a resource or of a record calls, such as `dca_bots.edit`."""
    resource = re.sub(r"(?<!^)(?=[A-Z])", "_", callable_.owner).lower()
    method = callable_.stem.removesuffix("_many").removeprefix("preview_")
    return f"{resource if resource.endswith('s') else f'{resource}s'}.{method}"


def _sample_arguments(callable_: StubCallable, operation: str) -> tuple[list[Any], dict[str, Any]]:
    arguments, record_id = SAMPLES[operation]
    if not callable_.owner.endswith("s") or record_id is None:
        return [], dict(arguments)
    return [[record_id] if callable_.stem.endswith("_many") else record_id], dict(arguments)
