"""Exceptions that are not an `Exception`, such as KeyboardInterrupt: the caller gets them, from any callback."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

import botdesk
from botdesk import _bulk, _progress, errors

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError]


class Raiser:
    """Raises one of them."""

    def __init__(self, kind: type[BaseException]) -> None:
        self.raised: BaseException | None = None
        self._kind = kind

    def __call__(self, *_: object, **__: object) -> NoReturn:
        self.raised = self._kind("raised by a test")
        raise self.raised

    def object(self, base: type, name: str, *args: object) -> Any:  # noqa: ANN401
        """Make an object of a class whose method of that name raises."""
        return type("Raising", (base,), {name: self})(*args)


class Things(Sequence[object]):
    """A sequence that is neither a list nor a tuple."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Any:  # type: ignore[override]  # noqa: ANN401
        return [1][index]


class Named(Mapping[str, object]):
    """A mapping that is not a dict."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, name: str) -> object:
        return name

    def __iter__(self) -> Iterator[str]:
        return iter(["name"])


class Zone(tzinfo):
    """A time zone."""


@pytest.fixture(scope="module")
def client(shared_sandbox: botdesk.Sandbox) -> botdesk.Client:
    return shared_sandbox.client()


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def raiser(request: pytest.FixtureRequest) -> Raiser:
    return Raiser(request.param)


def of_no_class(raiser: Raiser) -> Any:  # noqa: ANN401
    """Make an object whose `__class__` raises, which `isinstance` reads."""
    return type("X", (), {"__class__": property(raiser)})()


def sign(client: botdesk.Client, value: object) -> None:
    client.sign("POST", "/ver1/bots", json=[value])


Use = Callable[[Any, Any, Raiser], object]

# Arguments of a caller, by the method of theirs that raises.
ARGUMENTS: dict[str, Use] = {
    "an identifier's __index__": lambda c, _, r: c.dca_bots.get(r.object(object, "__index__")),
    "an identifier's __class__": lambda c, _, r: c.dca_bots.get(of_no_class(r)),
    "an input's __index__": lambda c, _, r: c.dca_bots.edit(41, cooldown=r.object(object, "__index__")),
    "an input's __str__": lambda c, _, r: c.dca_bots.edit(41, take_profit=r.object(Decimal, "__str__", "1.5")),
    "an input's __iter__": lambda c, _, r: c.dca_bots.edit(41, pairs=r.object(Things, "__iter__")),
    "an input's __getitem__": lambda c, _, r: c.dca_bots.edit(41, pairs=r.object(Things, "__getitem__")),
    "an element of an input": lambda c, _, r: c.dca_bots.edit(41, pairs=[r.object(object, "__index__")]),
    "a member of an input": lambda c, _, r: c.dca_bots.edit(41, strategy_list=[{"a": r.object(object, "__index__")}]),
    "an input's utcoffset": lambda c, _, r: c.dca_bots.list(
        from_=datetime(2026, 1, 1, tzinfo=r.object(Zone, "utcoffset"))
    ),
    "an input's toordinal": lambda c, _, r: c.dca_bots.list(from_=r.object(date, "toordinal", 2026, 1, 1)),
    "a bad input's type": lambda c, _, r: sign(c, type("Meta", (type,), {"__module__": property(r)})("X", (), {})()),
    "a scalar's shape": lambda c, _, r: sign(c, type("X", (), {"__module__": "numpy", "shape": property(r)})()),
    "a scalar's dtype": lambda c, _, r: sign(
        c, type("X", (), {"__module__": "numpy", "shape": (), "dtype": property(r)})()
    ),
    "a float's __str__": lambda c, _, r: sign(c, r.object(float, "__str__", "inf")),
    "a query's items": lambda c, _, r: c.sign("GET", "/ver1/bots", query=r.object(Named, "items")),
    "a query's __getitem__": lambda c, _, r: c.sign("GET", "/ver1/bots", query=r.object(Named, "__getitem__")),
    "a query's __class__": lambda c, _, r: c.sign("GET", "/", query=of_no_class(r)),
    "a query's value": lambda c, _, r: c.sign("GET", "/ver1/bots", query={"a": r.object(object, "__index__")}),
    "bots' __iter__": lambda c, _, r: c.dca_bots.disable_many(r.object(object, "__iter__")),
    "bots' __next__": lambda c, _, r: c.dca_bots.disable_many(r.object(Forever, "__next__")),
    "a bot's __index__": lambda c, _, r: c.dca_bots.disable_many([r.object(object, "__index__")]),
    "a time's __float__": lambda c, _, r: c.with_options(timeout=r.object(object, "__float__")),
    "a count's __index__": lambda c, _, r: c.with_options(retries=r.object(object, "__index__")),
    "a file's __fspath__": lambda c, _, r: c.with_options(ca_file=r.object(object, "__fspath__")),
    "a state's __fspath__": lambda c, _, r: c.dca_bots.watch(since=r.object(object, "__fspath__")),
    "a key's __fspath__": lambda _, __, r: botdesk.PrivateKey.load(r.object(object, "__fspath__")),
    "a client's key's __fspath__": lambda _, __, r: botdesk.Client(
        "key", r.object(object, "__fspath__"), base_url="https://host.example"
    ),
    "a clock's seconds": lambda _, s, r: s.clock.advance(r.object(object, "__float__")),
    "a clock's seconds' __str__": lambda _, s, r: s.clock.advance(r.object(object, "__str__")),
    "a clock's timedelta": lambda _, s, r: s.clock.advance(r.object(timedelta, "total_seconds", 1)),
    "a clock's datetime": lambda _, s, r: s.clock.set(datetime(2099, 1, 1, tzinfo=r.object(Zone, "utcoffset"))),
    "a price's __index__": lambda _, s, r: s.set_price("USDT_ETH", r.object(object, "__index__")),
    "a price's __repr__": lambda _, s, r: s.set_price("USDT_ETH", r.object(object, "__repr__")),
    "a field's __index__": lambda _, s, r: s.add_dca_bot(cooldown=r.object(object, "__index__")),
    "a field's member": lambda _, s, r: s.add_dca_bot(active_deals=[{"id": r.object(object, "__index__")}]),
    "a field's datetime": lambda _, s, r: s.add_dca_bot(
        created_at=datetime(2026, 1, 1, tzinfo=r.object(Zone, "utcoffset"))
    ),
    "permissions' __iter__": lambda _, s, r: s.client(permissions=r.object(Things, "__iter__")),
    "permissions' __class__": lambda _, s, r: s.client(permissions=of_no_class(r)),
    "a fault's __str__": lambda _, s, r: s.faults.add("*", kind="status", retry_after=r.object(object, "__str__")),
    "the name of a choice": lambda c, _, r: c.dca_bots.list().to_arrow(decimals=r.object(object, "__repr__")),
    "a recorded client's __class__": lambda _, __, r: botdesk.record("x.har", of_no_class(r)),
    "recorded clients' __iter__": lambda _, __, r: botdesk.record("x.har", r.object(Things, "__iter__")),
}


class Forever:
    """An iterator over identifiers of bots."""

    def __init__(self) -> None:
        self._left = [41, 42]

    def __iter__(self) -> Forever:
        return self

    def __next__(self) -> int:
        if not self._left:
            raise StopIteration
        return self._left.pop()


@pytest.mark.shows("promise ctrl-c is never lost")
@pytest.mark.parametrize("use", ARGUMENTS.values(), ids=ARGUMENTS)
def test_what_an_argument_raises_is_raised_by_the_call(
    client: botdesk.Client, shared_sandbox: botdesk.Sandbox, raiser: Raiser, use: Callable[..., object]
) -> None:
    with pytest.raises(BaseException, match="raised by a test") as caught:
        use(client, shared_sandbox, raiser)
    assert caught.value is raiser.raised


def test_an_exception_of_an_argument_is_still_reported_by_its_name(client: botdesk.Client) -> None:
    raiser = Raiser(ArithmeticError)
    with pytest.raises(botdesk.ValidationError, match="take_profit: ArithmeticError: raised by a test"):
        client.dca_bots.edit(41, take_profit=raiser.object(Decimal, "__str__", "1.5"))


def test_an_exception_whose_str_fails_is_reported_by_its_type(client: botdesk.Client) -> None:
    class MuteError(Exception):
        __str__ = Raiser(ArithmeticError)

    raiser = Raiser(MuteError)
    with pytest.raises(botdesk.ValidationError, match=r"take_profit: MuteError: <exception str\(\) failed>"):
        client.dca_bots.edit(41, take_profit=raiser.object(Decimal, "__str__", "1.5"))


def test_what_the_text_of_an_exception_raises_is_raised_by_the_call(client: botdesk.Client, raiser: Raiser) -> None:
    class LoudError(Exception):
        __str__ = raiser

    with pytest.raises(BaseException, match="raised by a test") as caught:
        client.dca_bots.edit(41, take_profit=Raiser(LoudError).object(Decimal, "__str__", "1.5"))
    assert caught.value is raiser.raised


def test_what_logging_raises_is_raised_by_the_call(
    client: botdesk.Client, raiser: Raiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("botdesk"), "isEnabledFor", raiser)
    for call in (
        lambda: client.dca_bots.get(41),
        lambda: client.dca_bots.disable_many([41]),
        lambda: asyncio.run(client.dca_bots.get_async(41)),
        lambda: asyncio.run(client.dca_bots.disable_many_async([41])),
    ):
        with pytest.raises(BaseException) as caught:  # noqa: PT011
            call()
        # If a client of this process has hooks, logging is called later: once there is a result, which Ctrl-C keeps.
        assert raiser.raised in (caught.value, caught.value.__cause__, caught.value.__context__) or isinstance(
            caught.value, botdesk.BulkInterrupted
        )


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_exception_of_logging_does_not_fail_the_call(
    client: botdesk.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("botdesk"), "isEnabledFor", Raiser(ArithmeticError))
    assert client.dca_bots.get(41).id == 41


def test_what_making_an_error_raises_is_raised_by_the_call(
    client: botdesk.Client, raiser: Raiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "NotFoundError", raiser)
    with pytest.raises(BaseException, match="raised by a test") as caught:
        client.dca_bots.get(999_999)
    assert caught.value is raiser.raised


def test_an_exception_in_an_error_class_is_not_passed_to_the_hook_of_a_watch(
    shared_sandbox: botdesk.Sandbox, raiser: Raiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[object] = []
    client = shared_sandbox.client().with_options(retries=0)
    watch = client.dca_bots.watch(on_error=reported.append)
    watch.poll()
    shared_sandbox.set_price("USDT_ETH", "2561.66")
    monkeypatch.setattr(errors, "ServerError", raiser)
    shared_sandbox.faults.add("dca_bots.get", kind="status", status=501)
    try:
        with pytest.raises(BaseException, match="raised by a test") as caught:
            watch.poll()
    finally:
        shared_sandbox.faults.clear()
    assert caught.value is raiser.raised
    assert reported == []


class Once:
    """Raises KeyboardInterrupt at the first call of something, and makes the others."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.is_over = False
        self._call = call

    def __call__(self, *args: object, **details: object) -> Any:  # noqa: ANN401
        if not self.is_over:
            self.is_over = True
            raise KeyboardInterrupt
        return self._call(*args, **details)


@pytest.fixture
def failing(shared_sandbox: botdesk.Sandbox) -> Iterator[Callable[[Any], botdesk.DcaBotWatch]]:
    """Make watches whose next poll can't read a bot, and those after it can."""

    def watch(on_error: Any) -> botdesk.DcaBotWatch:  # noqa: ANN401
        watch = shared_sandbox.client().with_options(retries=0).dca_bots.watch(on_error=on_error)
        watch.poll()
        shared_sandbox.faults.add("dca_bots.get", kind="status", status=501, times=1)
        return watch

    # A bot with a deal is read alone.
    shared_sandbox.set_price("USDT_ETH", "2561.66")
    yield watch
    shared_sandbox.faults.clear()


@pytest.mark.shows("promise failures of a watch and ctrl-c")
def test_a_failure_of_a_watch_is_reported_after_ctrl_c_while_its_exception_was_made(
    failing: Callable[[Any], botdesk.DcaBotWatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[botdesk.BotdeskError] = []
    watch = failing(reported.append)
    monkeypatch.setattr(errors, "ServerError", Once(botdesk.ServerError))
    with pytest.raises(KeyboardInterrupt):
        watch.poll()
    assert reported == []
    watch.poll()
    watch.poll()
    assert [type(error) for error in reported] == [botdesk.ServerError]


@pytest.mark.shows("promise failures of a watch and ctrl-c")
@pytest.mark.parametrize(("owner", "name"), [(logging, "getLogger"), (logging.getLogger("botdesk"), "warning")])
def test_a_failure_of_a_watch_is_logged_after_ctrl_c_in_the_logger(
    failing: Callable[[Any], botdesk.DcaBotWatch],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    owner: object,
    name: str,
) -> None:
    watch = failing(None)
    monkeypatch.setattr(owner, name, Once(getattr(owner, name)))
    with pytest.raises(KeyboardInterrupt):
        watch.poll()
    assert not caplog.messages
    watch.poll()
    watch.poll()
    assert ["the watch goes on" in message for message in caplog.messages] == [True]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ArithmeticError])
def test_a_failure_of_a_watch_whose_hook_raises_is_reported_once(
    failing: Callable[[Any], botdesk.DcaBotWatch], kind: type[BaseException]
) -> None:
    reported: list[botdesk.BotdeskError] = []

    def report(error: botdesk.BotdeskError) -> None:
        reported.append(error)
        raise kind

    watch = failing(report)
    with pytest.raises(kind):
        watch.poll()
    watch.poll()
    assert len(reported) == 1


def test_a_logger_that_fails_is_called_once(
    failing: Callable[[Any], botdesk.DcaBotWatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = failing(None)
    monkeypatch.setattr(logging.getLogger("botdesk"), "warning", Raiser(ArithmeticError))
    with pytest.raises(ArithmeticError):
        watch.poll()
    watch.poll()


@pytest.mark.parametrize("name", ["BulkItem", "BulkResult"])
def test_ctrl_c_while_a_result_is_made_does_not_lose_it(
    client: botdesk.Client, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(_bulk, name, Once(getattr(_bulk, name)))
    with pytest.raises(botdesk.BulkInterrupted) as caught:
        client.dca_bots.disable_many([41, 42])
    assert [item.status for item in caught.value.result] == ["done", "done"]


def test_ctrl_c_while_an_error_of_a_result_is_made_does_not_take_its_place(
    client: botdesk.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "NotFoundError", Once(botdesk.NotFoundError))
    with pytest.raises(botdesk.BulkInterrupted) as caught:
        client.dca_bots.disable_many([41, 999_999])
    (failed,) = caught.value.result.failed
    assert isinstance(failed.error, botdesk.NotFoundError)


def test_what_making_a_result_raises_again_and_again_ends_the_call(
    client: botdesk.Client, raiser: Raiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_bulk, "BulkResult", raiser)
    with pytest.raises(BaseException, match="raised by a test"):
        client.dca_bots.disable_many([41])


def test_an_exception_while_a_result_is_made_is_raised(client: botdesk.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_bulk, "BulkResult", Raiser(ArithmeticError))
    with pytest.raises(ArithmeticError):
        client.dca_bots.disable_many([41])


@pytest.mark.parametrize("is_async", [False, True])
def test_ctrl_c_while_the_bar_is_drawn_for_the_last_time_is_raised(
    client: botdesk.Client, monkeypatch: pytest.MonkeyPatch, is_async: bool
) -> None:
    def disable() -> None:
        if is_async:
            asyncio.run(client.dca_bots.disable_many_async([41]))
        else:
            client.dca_bots.disable_many([41])

    monkeypatch.setattr(_progress.Bar, "close", Raiser(KeyboardInterrupt))
    with pytest.raises(botdesk.BulkInterrupted) as caught:
        disable()
    assert [item.status for item in caught.value.result] == ["done"]


def test_the_length_hint_of_an_iterator_is_not_requested(client: botdesk.Client, raiser: Raiser) -> None:
    result = client.dca_bots.disable_many(raiser.object(Forever, "__length_hint__"))
    assert len(result) == 2
    assert raiser.raised is None


def test_the_exit_that_a_handler_requests_goes_before_ctrl_c(
    client: botdesk.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_progress.Bar, "step", Raiser(KeyboardInterrupt))
    monkeypatch.setattr(_progress.Bar, "close", Raiser(SystemExit))
    with pytest.raises(SystemExit) as caught:
        client.dca_bots.disable_many([41])
    assert isinstance(caught.value.__context__, KeyboardInterrupt)
    result = botdesk.BulkResult.behind(caught.value)
    assert result is not None
    assert [item.status for item in result] == ["done"]


@pytest.mark.shows("promise ctrl-c before a cancellation")
@pytest.mark.parametrize("kept", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("later", [GeneratorExit, asyncio.CancelledError])
def test_the_end_of_the_program_is_not_replaced_by_that_of_a_task(
    client: botdesk.Client,
    monkeypatch: pytest.MonkeyPatch,
    kept: type[BaseException],
    later: type[BaseException],
) -> None:
    monkeypatch.setattr(_progress.Bar, "step", Raiser(kept))
    monkeypatch.setattr(_progress.Bar, "close", Raiser(later))
    with pytest.raises(kept) as caught:
        client.dca_bots.disable_many([41])
    result = botdesk.BulkResult.behind(caught.value)
    assert result is not None
    assert [item.status for item in result] == ["done"]


def test_ctrl_c_replaces_the_cancellation_of_a_task(client: botdesk.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress.Bar, "step", Raiser(asyncio.CancelledError))
    monkeypatch.setattr(_progress.Bar, "close", Raiser(KeyboardInterrupt))
    with pytest.raises(botdesk.BulkInterrupted):
        client.dca_bots.disable_many([41])


def test_a_second_ctrl_c_in_a_run_is_the_same_again(client: botdesk.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress.Bar, "step", Raiser(KeyboardInterrupt))
    monkeypatch.setattr(_progress.Bar, "close", Raiser(KeyboardInterrupt))
    with pytest.raises(botdesk.BulkInterrupted):
        client.dca_bots.disable_many([41])


def test_what_a_table_of_a_bad_element_raises_is_raised(client: botdesk.Client, raiser: Raiser) -> None:
    other = type("Meta", (type,), {"__repr__": raiser})("X", (), {})()
    with pytest.raises(BaseException, match="raised by a test") as caught:
        botdesk.DcaBot._table([client.dca_bots.get(41), other], "text")
    assert caught.value is raiser.raised


def test_a_string_that_is_not_unicode_is_reported_as_such() -> None:
    with pytest.raises(botdesk.DecodeError, match="the JSON is invalid: UnicodeEncodeError"):
        botdesk.DcaBot.from_json('{"name": "\ud800"}')
    with pytest.raises(botdesk.ConfigurationError, match="surrogate"):
        botdesk.Client("\ud800", "private.pem", base_url="https://host.example")
