"""Canaries in every secret field, and a search for them in all output of botdesk."""

from __future__ import annotations

import base64
import json
import logging
import pickle
import traceback
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

import pytest
from sample_calls import SAMPLES, call, invoke, reference

import botdesk

from .conftest import EchoService, Mode, in_turns, untyped
from .spellings import decodings

if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Iterable, Iterator

BULK = [
    f"{operation}_many"
    for operation in SAMPLES
    for resource, _, verb in [operation.partition(".")]
    if hasattr(getattr(botdesk, resource.title().replace("_", ""), None), f"{verb}_many")
]
# The id of the record in every response of the service.
RECORD_ID = 41


class OutputLog:
    """The collected output, and the search in it."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._outputs: list[tuple[str, str]] = []
        self._secrets = set(secrets)

    def add(self, where: str, output: object) -> None:
        """Add an output."""
        self._outputs.append((where, output if isinstance(output, str) else repr(output)))

    def assert_no_secrets(self, secrets: Iterable[str] = ()) -> None:
        """Search all outputs for the secrets, in every spelling."""
        for secret in {*self._secrets, *secrets}:
            leaks = self.outputs_with(secret)
            assert not leaks, f"{secret} is in {leaks}"

    def outputs_with(self, secret: str) -> list[str]:
        """Return the names of the outputs that contain a secret, in any spelling."""
        written = forms(secret)

        def contains(output: str) -> bool:
            return any(form in output for form in written) or any(secret in text for text in read(output))

        return [where for where, output in self._outputs if contains(output)]


@lru_cache(maxsize=1024)
def read(output: str) -> frozenset[str]:
    """Return an output as a reader of any syntax decodes it; once for all secrets that are searched for in it."""
    return frozenset(decodings(output))


def forms(secret: str) -> set[str]:
    """Return the spellings of a string."""
    packed = base64.b64encode(secret.encode()).decode()
    return {secret, quote(secret), quote(secret, safe=""), quote_plus(secret), secret.replace("/", "\\/"), packed}


def add_result(log: OutputLog, where: str, result: Any) -> None:  # noqa: ANN401
    """Add the representations of a result; its attributes are what its user asked for."""
    log.add(f"{where} repr", repr(result))
    log.add(f"{where} str", str(result))
    log.add(f"{where} format", f"{result}")
    for drawn in ("_repr_html_", "_repr_mimebundle_", "_repr_pretty_"):
        if drawn == "_repr_pretty_" or not hasattr(result, drawn):
            continue
        log.add(f"{where} {drawn}", getattr(result, drawn)())
    if isinstance(result, botdesk.Records):
        table: Any = result.to_polars()
        log.add(f"{where} table", table.to_dicts())
        for record in untyped(result):
            add_result(log, where, record)


def add_error(log: OutputLog, where: str, error: BaseException) -> None:
    """Add all output of an error, and the local variables of botdesk's own functions in its traceback."""
    log.add(f"{where} repr", repr(error))
    log.add(f"{where} str", str(error))
    log.add(f"{where} args", error.args)
    log.add(f"{where} vars", vars(error))
    log.add(f"{where} pickle", pickle.dumps(error, 0).decode("latin-1"))
    log.add(f"{where} traceback", "".join(traceback.format_exception(error)))
    for frame in frames(error.__traceback__):
        if Path(frame.f_code.co_filename).parent.name == "botdesk":
            log.add(f"{where} locals of {frame.f_code.co_name}", frame.f_locals)
    for behind in (error.__cause__, error.__context__):
        if behind is not None:
            add_error(log, f"{where}, behind it", behind)


def frames(at: types.TracebackType | None) -> Iterator[types.FrameType]:
    """Return the frames that an error came through."""
    while at is not None:
        yield at.tb_frame
        at = at.tb_next


class LogHandler(logging.Handler):
    """Collects every line of the log, and the whole record that a formatter could use."""

    def __init__(self, log: OutputLog) -> None:
        super().__init__(logging.NOTSET)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Add a line."""
        self._log.add("log", record.getMessage())
        self._log.add("log record", vars(record))


@pytest.fixture
def log(canaries: dict[str, str], api_key: str, private_key: str) -> Iterator[OutputLog]:
    """Collect all output, including the log."""
    log = OutputLog([*canaries.values(), api_key, *private_key.splitlines()[1:-1]])
    handler = LogHandler(log)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield log
    root.removeHandler(handler)
    root.setLevel(level)


def hook(log: OutputLog) -> Callable[[botdesk.RequestEvent], None]:
    """Return a hook that adds all output of an event."""

    def add(event: botdesk.RequestEvent) -> None:
        output = [getattr(event, name) for name in dir(event) if not name.startswith("_")]
        log.add("hook", [repr(event), *output])

    return add


@pytest.fixture
def client(echo: EchoService, log: OutputLog, api_key: str, private_key: str) -> botdesk.Client:
    """Make a client whose events are all added to the log."""
    add = hook(log)
    return botdesk.Client(
        api_key,
        private_key,
        base_url=echo.url,
        retries=botdesk.RetryPolicy(1, backoff=0),
        rate_limit=None,
        on_request=add,
        on_response=add,
        on_retry=add,
    )


def test_the_secret_fields_are_known(secret_names: list[str]) -> None:
    known = {"api_key", "secret", "passphrase", "customer_id", "url_secret", "address", "address_tag"}
    assert known == set(secret_names)


def test_the_search_finds_secrets(log: OutputLog, canaries: dict[str, str]) -> None:
    for output in (canaries["secret"], quote(canaries["secret"], safe=""), {"a": [canaries["secret"]]}):
        log.add("somewhere", output)
        with pytest.raises(AssertionError, match="somewhere"):
            log.assert_no_secrets()


def test_bulk_operations_are_among_those() -> None:
    assert {"dca_bots.edit_many", "deals.close_many", "accounts.load_balances_many"} <= set(BULK)


def returns_nothing(operation: str) -> bool:
    """Return True if any body of a success is accepted."""
    return operation in SAMPLES and reference(operation)["returns"] == "nothing"


def split(operation: str) -> tuple[str, str]:
    """Return the name of the resource and that of the method."""
    resource, _, method = operation.partition(".")
    return resource, method


@pytest.mark.parametrize(
    ("operation", "mode", "awaited"), in_turns([*SAMPLES, "json of any path", "query of any path", "preview"], every=2)
)
def test_nothing_shows_a_secret(
    client: botdesk.Client,
    echo: EchoService,
    log: OutputLog,
    canaries: dict[str, str],
    *,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    operation: str,
    mode: Mode,
    awaited: bool,
) -> None:
    echo.mode = mode
    cassette = tmp_path / "cassette.har"
    try:
        with botdesk.record(cassette, client):
            add_result(log, operation, carried_out(client, operation, canaries, awaited=awaited))
    except botdesk.BotdeskError as error:
        add_error(log, operation, error)
        assert mode != "success"
    else:
        # `request` accepts any body as a response, as an operation does that returns nothing.
        assert mode == "success" or (
            mode in {"odd", "bytes"} and ("any path" in operation or returns_nothing(operation))
        )
    log.add("cassette", cassette.read_text() if cassette.exists() else "")
    log.add("standard output and error", capfd.readouterr())
    log.add("client", repr(client))
    log.assert_no_secrets(echo.signatures)


@pytest.mark.parametrize(("operation", "mode", "awaited"), in_turns(BULK))
def test_no_bulk_operation_shows_a_secret(
    client: botdesk.Client, echo: EchoService, log: OutputLog, *, operation: str, mode: Mode, awaited: bool
) -> None:
    resource, method = split(operation)
    owner = getattr(client, resource)
    arguments = SAMPLES[operation.removesuffix("_many")].arguments
    record_id = answered_id(operation.removesuffix("_many"))
    echo.mode = mode
    try:
        preview = invoke(owner, method, [record_id], awaited=awaited, **arguments, preview=True)
        add_result(log, "preview", preview)
    except botdesk.BotdeskError as error:
        add_error(log, "preview", error)
    result = invoke(owner, method, [record_id], awaited=awaited, **arguments, progress=False)
    add_result(log, operation, result)
    for item in result:
        log.add("item", item)
        if item.error is not None:
            add_error(log, "item", item.error)
    assert result.is_complete == (
        mode == "success" or (mode in {"odd", "bytes"} and returns_nothing(operation.removesuffix("_many")))
    )
    log.assert_no_secrets(echo.signatures)


def carried_out(client: botdesk.Client, operation: str, canaries: dict[str, str], *, awaited: bool) -> Any:  # noqa: ANN401
    """Call an operation with all secrets that it takes."""
    if operation == "json of any path":
        json_body = {"type": "a", **canaries}
        return invoke(client, "request", "POST", "/ver1/accounts/new", awaited=awaited, json=json_body)
    if operation == "query of any path":
        return invoke(client, "request", "GET", "/ver1/accounts", awaited=awaited, query=canaries)
    if operation == "preview":
        bot = invoke(client.dca_bots, "get", RECORD_ID, awaited=awaited)
        return bot.preview_edit(name="second")
    keys = ("api_key", "secret", "passphrase", "customer_id")
    taken = {"accounts.add": (*keys, "address"), "accounts.edit": keys}.get(operation, ())
    secrets: dict[str, Any] = {name: canaries[name] for name in taken}
    return call(client, operation, record_id=answered_id(operation), awaited=awaited, **secrets)


def answered_id(operation: str) -> int | str:
    """Return the id of a record for an operation: a UUID is the same for all, a number is that of the response."""
    known = SAMPLES[operation].record_id
    return known if isinstance(known, str) else RECORD_ID


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "asyncio"])
@pytest.mark.parametrize("wrong", [5, b"bytes", [Decimal(1)], "\ud800"])
def test_a_rejected_secret_is_not_shown(
    client: botdesk.Client, log: OutputLog, canaries: dict[str, str], wrong: object, *, awaited: bool
) -> None:
    taken = {name: secret for name, secret in canaries.items() if name not in {"url_secret", "address_tag"}}
    for name in ("api_key", "secret", "passphrase", "customer_id"):
        for refused in (wrong, [canaries[name]]):
            arguments: dict[str, Any] = {**taken, name: refused}
            with pytest.raises((botdesk.BotdeskError, TypeError)) as caught:
                call(client, "accounts.add", awaited=awaited, **arguments)
            add_error(log, name, caught.value)
            edited = {key: value for key, value in arguments.items() if key != "address"}
            with pytest.raises((botdesk.BotdeskError, TypeError)) as caught:
                call(client, "accounts.edit", awaited=awaited, **edited)
            add_error(log, f"edited {name}", caught.value)
    log.assert_no_secrets()


def test_a_sandbox_shows_no_secret_of_what_it_received(log: OutputLog, canaries: dict[str, str]) -> None:
    taken = {name: canaries[name] for name in ("api_key", "secret", "passphrase", "customer_id")}
    with botdesk.Sandbox(odd_values=True) as sandbox:
        client = sandbox.client()
        add_result(log, "added", client.accounts.add(type="binance", name="a", types_to_create=[], **taken))
        with pytest.raises(botdesk.ApiError) as caught:
            client.accounts.add(type="binance", name="a", types_to_create=[], **taken)
        add_error(log, "added twice", caught.value)
        with pytest.raises(botdesk.ApiError) as caught:
            client.request("GET", "/ver1/nothing", query=canaries)
        add_error(log, "unknown", caught.value)
        for request in sandbox.requests:
            log.add("requests", [repr(request), request.path, request.query, request.body])
        log.add("sandbox", [repr(sandbox), repr(sandbox.faults), repr(sandbox.clock)])
    log.assert_no_secrets()


def test_nothing_that_holds_keys_and_passwords_shows_them(log: OutputLog, private_key: str, api_key: str) -> None:
    password = api_key[::-1]
    key = botdesk.PrivateKey.load(private_key)
    log.add("key", [repr(key), str(key), key.fingerprint])
    wrong = ["", password, private_key[:200], private_key.replace("PRIVATE", "PUBLIC")]
    for text in wrong:
        with pytest.raises(botdesk.ConfigurationError) as caught:
            botdesk.PrivateKey.load(text, password=password)
        add_error(log, "load", caught.value)
        with pytest.raises(botdesk.ConfigurationError) as caught:
            botdesk.Client(api_key, text, base_url="https://host.example", password=password)
        add_error(log, "client", caught.value)
    with pytest.raises(botdesk.ConfigurationError) as caught:
        pickle.dumps(key)
    add_error(log, "pickle", caught.value)
    with pytest.raises(botdesk.ConfigurationError) as caught:
        pickle.dumps(botdesk.Client(api_key, private_key, base_url="https://host.example"))
    add_error(log, "pickle", caught.value)
    log.assert_no_secrets([password])


@pytest.mark.parametrize("scheme", ["http", "https", "socks5", "socks5h", "ftp"])
def test_the_password_of_a_proxy_is_not_shown(log: OutputLog, private_key: str, api_key: str, scheme: str) -> None:
    proxy = f"{scheme}://canary-user:canary-password@127.0.0.1:1"
    try:
        client = botdesk.Client(api_key, private_key, base_url="https://host.invalid", proxy=proxy, retries=0)
        log.add("client", repr(client))
        client.dca_bots.get(41)
    except botdesk.BotdeskError as error:
        add_error(log, "call", error)
    log.assert_no_secrets(["canary-user", "canary-password"])


def test_a_client_whose_proxy_has_a_password_does_not_travel(log: OutputLog, api_key: str, keys: Path) -> None:
    proxy = "http://canary-user:canary-password@127.0.0.1:1"
    client = botdesk.Client(api_key, keys / "rsa_2048.pem", base_url="https://host.invalid", proxy=proxy)
    with pytest.raises(botdesk.ConfigurationError, match="HTTPS_PROXY") as caught:
        pickle.dumps(client)
    add_error(log, "pickle", caught.value)
    log.assert_no_secrets(["canary-user", "canary-password"])


def test_a_pickled_record_is_as_secret_as_the_response(canaries: dict[str, str]) -> None:
    # It has to be the same record after unpickling, so it holds the bytes of the service; the docs warn of this.
    bot = botdesk.DcaBot.from_json(json.dumps({"id": 41, **canaries}))
    packed = pickle.dumps(bot)
    assert pickle.loads(packed) == bot  # noqa: S301
    assert canaries["url_secret"].encode() in packed
    assert canaries["url_secret"] not in repr(bot)
