"""Each operation against the sandbox: success, documented errors, permissions, unknown records, the command line."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from sample_calls import writes
from sample_commands import sample_command

import botdesk
from botdesk._cli.app import app, commands, run

from .conftest import PERMISSIONS
from .reference import OPERATIONS, call
from .rows import document
from .test_calls import class_of, error_of, shown, without

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., tuple[int, str, str]]
    Connect = Callable[..., botdesk.Client]

each_operation = pytest.mark.parametrize("name", OPERATIONS)
each_way = pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "asyncio"])
with_id = pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.id is not None])
SIGNED = [name for name, operation in OPERATIONS.items() if operation.security == "SIGNED"]
ERRORS = [(name, error) for name, operation in OPERATIONS.items() for error in operation.errors]
FAULTS = ["400", "401", "403", "404", "418", "422", "429", "500", "502", "503", "504"]


@each_way
@each_operation
def test_the_sample_succeeds(sandbox: botdesk.Sandbox, connect: Connect, *, name: str, awaited: bool) -> None:
    call(connect(), name, awaited=awaited)
    request = sandbox.requests[-1]
    assert (request.method, request.path) == (OPERATIONS[name].method, OPERATIONS[name].target())
    assert request.status == OPERATIONS[name].success


@each_way
@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.permission != "NONE"])
@pytest.mark.shows("authentication 6", "fact 403 of a permission")
@pytest.mark.shows("contradiction permission of Rename", "contradiction BOTS_WRITE with a doubled letter")
def test_a_key_without_the_permission_is_refused(
    sandbox: botdesk.Sandbox, connect: Connect, *, name: str, awaited: bool
) -> None:
    operation = OPERATIONS[name]
    client = connect([each for each in PERMISSIONS if each != operation.permission])
    with pytest.raises(botdesk.ForbiddenError, match=operation.permission):
        call(client, name, awaited=awaited)
    assert sandbox.requests[-1].carried_out is False


@each_operation
def test_the_permission_alone_is_enough(sandbox: botdesk.Sandbox, connect: Connect, name: str) -> None:
    operation = OPERATIONS[name]
    # Some writes read the record first.
    reads = {"BOTS_READ"} if "reads" in operation.sample else set[str]()
    call(connect(sorted(reads | {operation.permission} - {"NONE"})), name)
    assert sandbox.requests[-1].status == operation.success


@each_way
@with_id
def test_an_unknown_record_is_not_found(
    sandbox: botdesk.Sandbox, connect: Connect, *, name: str, awaited: bool
) -> None:
    with pytest.raises(botdesk.NotFoundError) as caught:
        call(connect(), name, record_id=OPERATIONS[name].other_id, awaited=awaited)
    assert caught.value.status in {400, 404}
    assert sandbox.requests[-1].carried_out is False


@pytest.mark.parametrize(("name", "error"), ERRORS)
@pytest.mark.shows("response exchanges with networks")
def test_a_documented_error_can_be_reached(sandbox: botdesk.Sandbox, connect: Connect, name: str, error: str) -> None:
    with pytest.raises(botdesk.ApiError) as caught:
        provoke(sandbox, connect, name, error)
    assert f"{caught.value.status} {caught.value.error}" == error
    assert type(caught.value) is class_of(error)
    assert sandbox.requests[-1].carried_out is False


def provoke(sandbox: botdesk.Sandbox, connect: Connect, name: str, error: str) -> object:
    """Make the call that the reference describes, or one that gives the error for any operation."""
    operation = OPERATIONS[name]
    way: dict[str, Any] = operation.sample.get("errors", {}).get(error, {})
    client = connect()
    record_id: object = way.get("id", ...)
    added = next((kind for kind in ("account", "grid_bot", "smart_trade") if kind in way), None)
    if added:
        record_id = getattr(sandbox, f"add_{added}")(**way[added])
    elif "sends" in way:
        return client.request(operation.method, operation.target() + way["sends"])
    elif "fault" in way:
        sandbox.faults.add(name, kind="status", status=way["fault"])
    elif "query" in way:
        return client.request(operation.method, operation.target(), query=way["query"])
    elif way.get("repeat"):
        call(client, name)
    elif not way and error.startswith("401"):
        client = connect(private_key="rsa_3072.pem")
    elif not way and error == "403 Forbidden":
        client = connect([each for each in PERMISSIONS if each != operation.permission])
    elif not way and (error.startswith("404") or error.endswith("Not found")):
        record_id = operation.other_id
    return call(client, name, way.get("arguments", {}), record_id=record_id)


@each_operation
def test_a_fault_has_the_status(sandbox: botdesk.Sandbox, connect: Connect, name: str) -> None:
    client = connect()
    for status in FAULTS:
        sandbox.faults.add(name, kind="status", status=int(status))
        raised = error_of(client, name)
        assert raised is not None, status
        assert raised.status == int(status)
        assert type(raised) is class_of(f"{status} {raised.error}")
        assert sandbox.requests[-1].carried_out is False, status


@pytest.mark.parametrize("name", SIGNED)
@pytest.mark.shows("authentication 7")
def test_a_key_that_is_unknown_or_signs_wrongly_is_refused(
    sandbox: botdesk.Sandbox, connect: Connect, private_key: str, name: str
) -> None:
    unknown = botdesk.Client("unknown", private_key, base_url=sandbox.url, retries=0, rate_limit=None)
    for client, code in ((unknown, "api_key_invalid_or_expired"), (connect(None, "rsa_3072.pem"), "signature_invalid")):
        with pytest.raises(class_of(f"401 {code}")) as caught:
            call(client, name)
        assert caught.value.error == code
        assert sandbox.requests[-1].carried_out is False


@pytest.mark.parametrize("name", sorted(OPERATIONS.keys() - set(SIGNED)))
def test_an_operation_without_security_needs_no_key(sandbox: botdesk.Sandbox, private_key: str, name: str) -> None:
    client = botdesk.Client("unknown", private_key, base_url=sandbox.url, retries=0, rate_limit=None)
    call(client, name)
    assert sandbox.requests[-1].status == OPERATIONS[name].success


class Terminal(io.StringIO):
    """A terminal at which a user types an answer."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def command(
    sandbox: botdesk.Sandbox, private_key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Run the command of the sample, with more options or with an answer typed at a terminal."""
    monkeypatch.setenv("BOTDESK_API_KEY", sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem))
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY", private_key)
    monkeypatch.setenv("BOTDESK_BASE_URL", sandbox.url)

    def command(name: str, *more: str, answer: str | None = None) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO() if answer is None else Terminal(f"{answer}\n"))
        code = run([*sample_command(app, commands, name), *more])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


each_write = pytest.mark.parametrize("name", [name for name in OPERATIONS if writes(name)])


def sent_requests(sandbox: botdesk.Sandbox, name: str) -> list[str]:
    """Return the requests of an operation, without those that read a record before it."""
    return [request.path for request in sandbox.requests if request.method == OPERATIONS[name].method]


def test_every_operation_has_one_command(sandbox: botdesk.Sandbox) -> None:
    assert set(commands.words) == {operation.name for operation in sandbox.client().operations()}
    assert len(set(commands.words.values())) == len(commands.words)


@each_operation
def test_the_command_line_prints_what_the_call_returns(
    sandbox: botdesk.Sandbox, connect: Connect, command: Command, name: str
) -> None:
    code, out, err = command(name, *(["--yes"] if writes(name) else []), "--json")
    assert (code, err) == (0, "")
    sent = sandbox.requests[-1]
    # The same account can be added only once.
    sandbox.reset()
    expected = json.loads(json.dumps(shown(call(connect(), name)), default=str))
    # Two calls have different times, and the command line prints no secret.
    unlike = {"updated_at", "api_key", "customer_id", "url_secret"}
    assert without(json.loads(out), unlike) == without(expected, unlike)
    same = sandbox.requests[-1]
    assert (sent.method, sent.path, sent.query, sent.body) == (same.method, same.path, same.query, same.body)


@each_write
def test_a_command_asks_before_a_write(sandbox: botdesk.Sandbox, command: Command, name: str) -> None:
    code, _, asked = command(name, answer="n")
    assert code == 1
    assert f" at {sandbox.url}, key SHA256:" in asked
    assert "? [y/N]" in asked
    assert asked.endswith("botdesk: cancelled; nothing was sent\n")
    assert sent_requests(sandbox, name) == []


@each_write
def test_a_command_sends_a_write_once_it_is_confirmed(sandbox: botdesk.Sandbox, command: Command, name: str) -> None:
    code, _, _ = command(name, answer="y")
    assert (code, len(sent_requests(sandbox, name))) == (0, 1)


def test_openapi_describes_these_operations() -> None:
    described = {
        operation["operationId"]: (method.upper(), path)
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    }
    assert set(described) == set(OPERATIONS)
