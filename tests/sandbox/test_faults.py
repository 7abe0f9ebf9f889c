"""Injected faults of a sandbox, as a client sees them."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from rsa_keys import public_pem

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

# Each kind with what a read and a write make of it, and whether the write was carried out.
KINDS = [
    ("close_before", botdesk.TransportError, botdesk.OutcomeUnknownError, False),
    ("close_after", botdesk.TransportError, botdesk.OutcomeUnknownError, True),
    ("cut_body", botdesk.TransportError, botdesk.OutcomeUnknownError, True),
    ("wrong_length", botdesk.DecodeError, botdesk.DecodeError, True),
    ("wrong_json", botdesk.DecodeError, botdesk.DecodeError, True),
    ("huge_body", botdesk.DecodeError, botdesk.DecodeError, True),
    ("bad_utf8", botdesk.DecodeError, botdesk.DecodeError, True),
    ("gzip_bomb", botdesk.DecodeError, botdesk.DecodeError, True),
    ("deep_json", botdesk.DecodeError, botdesk.DecodeError, True),
    ("header_flood", botdesk.TransportError, botdesk.OutcomeUnknownError, True),
    ("redirect", botdesk.ApiError, botdesk.OutcomeUnknownError, False),
    ("refuse", botdesk.ConnectionFailedError, botdesk.ConnectionFailedError, False),
]


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(bots=3) as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: botdesk.Sandbox, private_key: str) -> botdesk.Client:
    """Give a client that gives up soon."""
    return client_of(sandbox, private_key)


def client_of(sandbox: botdesk.Sandbox, private_key: str, timeout: float = 30) -> botdesk.Client:
    api_key = sandbox.add_key(public_pem(private_key))
    return botdesk.Client(api_key, private_key, base_url=sandbox.url, timeout=timeout, retries=0, rate_limit=None)


def is_enabled(sandbox: botdesk.Sandbox, client: botdesk.Client) -> bool | None:
    sandbox.faults.clear()
    return client.dca_bots.get(41).is_enabled


@pytest.mark.parametrize(("kind", "error"), [(kind, error) for kind, error, *_ in KINDS])
def test_a_fault_of_a_read_raises_its_error(
    kind: str, error: type[Exception], sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    client.dca_bots.get(41)
    sandbox.faults.add("dca_bots.get", kind)
    with pytest.raises(error) as raised:
        client.dca_bots.get(41)
    assert type(raised.value) is error
    sandbox.faults.clear()
    assert client.dca_bots.get(41).id == 41


@pytest.mark.parametrize(("kind", "error", "carried_out"), [(kind, error, done) for kind, _, error, done in KINDS])
def test_a_fault_of_a_write_raises_its_error(
    kind: str, error: type[Exception], *, carried_out: bool, sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    client.dca_bots.get(41)
    sandbox.faults.add("dca_bots.disable", kind=kind)
    with pytest.raises(error) as raised:
        client.dca_bots.disable(41)
    assert type(raised.value) is error
    assert [request.carried_out for request in sandbox.requests if request.method == "POST"] in ([], [carried_out])
    assert is_enabled(sandbox, client) is not carried_out


@pytest.mark.parametrize(("given", "expected"), [(7, 7.0), (1.5, 1.5), ("12", 12.0), (None, None)])
def test_a_429_may_have_a_retry_after(
    given: float | str | None, expected: float | None, sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    sandbox.faults.add("*", kind="status", status=429, retry_after=given)
    with pytest.raises(botdesk.RateLimitedError) as raised:
        client.dca_bots.list()
    assert raised.value.retry_after == expected


def test_a_date_to_come_back_at_is_understood(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.faults.add("*", kind="status", status=503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT")
    sandbox.faults.add("*", kind="status", status=429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT")
    with pytest.raises(botdesk.ServerError):
        client.dca_bots.list()
    with pytest.raises(botdesk.RateLimitedError) as raised:
        client.dca_bots.list()
    assert raised.value.retry_after == 0


def test_a_request_outside_the_plan_raises_plan_restricted(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.faults.add("dca_bots.disable", kind="status", plan=True)
    with pytest.raises(botdesk.PlanRestrictedError, match="'write'"):
        client.dca_bots.disable(41)


def test_a_request_that_stalls_ends_when_the_client_gives_up(sandbox: botdesk.Sandbox, private_key: str) -> None:
    client = client_of(sandbox, private_key, timeout=1.0)
    sandbox.faults.add("dca_bots.disable", kind="stall")
    with pytest.raises(botdesk.OutcomeUnknownError):
        client.dca_bots.disable(41)
    (request,) = sandbox.requests
    assert (request.status, request.carried_out, request.fault) == (None, False, "stall")


def test_a_request_that_stalls_ends_with_the_sandbox(private_key: str) -> None:
    errors: list[Exception] = []

    def read(client: botdesk.Client) -> None:
        try:
            client.dca_bots.list()
        except botdesk.TransportError as error:
            errors.append(error)

    with botdesk.Sandbox() as sandbox:
        sandbox.faults.add("*", kind="stall")
        reading = threading.Thread(target=read, args=[client_of(sandbox, private_key)])
        reading.start()
        while not sandbox.requests:
            pass
    reading.join(30)
    assert len(errors) == 1


def test_a_slow_response_is_read(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.faults.add("dca_bots.get", kind="trickle")
    sandbox.faults.add("smart_trades.reduce_funds_info", kind="trickle", interval=1e-6)
    assert client.dca_bots.get(41).id == 41
    assert client.smart_trades.reduce_funds_info(301).max_reduce_funds_amount is not None


def test_connections_are_reset_so_often(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    client.dca_bots.list()
    sandbox.faults.add("*", kind="reset", times=2)
    for _ in range(2):
        # The reset may come before the client knows that it is connected, or after.
        with pytest.raises((botdesk.ConnectionFailedError, botdesk.OutcomeUnknownError)):
            client.dca_bots.disable(41)
    assert client.dca_bots.get(41).is_enabled
    assert [(fault.kind, fault.operation, fault.path) for fault in sandbox.faults.happened] == [
        ("reset", None, None)
    ] * 2
    assert [request.method for request in sandbox.requests] == ["GET", "GET"]


def test_while_connections_are_refused_nothing_arrives(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    client.dca_bots.list()
    sandbox.faults.add("*", kind="refuse", times=None)
    for _ in range(3):
        with pytest.raises(botdesk.ConnectionFailedError) as raised:
            client.dca_bots.disable(41)
        assert raised.value.sent is False
    assert len(sandbox.requests) == 1
    assert [fault.kind for fault in sandbox.faults.happened] == ["refuse"]
    assert is_enabled(sandbox, client) is True


def test_refused_connections_may_have_a_duration(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.faults.add("*", kind="refuse", seconds=0.01)
    while sandbox.faults.pending:
        pass
    assert client.dca_bots.get(41).id == 41


@pytest.mark.shows("promise faults and authentication")
@pytest.mark.parametrize("operation", ["dca_bots.disable", "*"])
def test_a_request_that_is_not_let_in_uses_up_no_fault(
    operation: str, sandbox: botdesk.Sandbox, client: botdesk.Client, private_key: str
) -> None:
    reader = sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem, ["BOTS_READ"])
    sandbox.faults.add(operation, kind="close_after")
    refused: list[tuple[str, str | botdesk.PrivateKey, type[botdesk.ApiError]]] = [
        ("no-such-key", private_key, botdesk.AuthenticationError),
        (reader, botdesk.PrivateKey.generate(bits=2048), botdesk.SignatureInvalidError),
        (reader, private_key, botdesk.ForbiddenError),
    ]
    for api_key, key, error in refused:
        other = botdesk.Client(api_key, key, base_url=sandbox.url, retries=0)
        with pytest.raises(error):
            other.dca_bots.disable(41)
    assert [fault.times for fault in sandbox.faults.pending] == [1]
    with pytest.raises(botdesk.OutcomeUnknownError):
        client.dca_bots.disable(41)
    assert sandbox.faults.pending == []


def test_a_fault_befalls_its_operation_so_often(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.faults.add("dca_bots.disable", kind="close_after", times=2)
    client.dca_bots.get(41)
    for left in (1, None):
        with pytest.raises(botdesk.OutcomeUnknownError):
            client.dca_bots.disable(41)
        assert [fault.times for fault in sandbox.faults.pending] == ([left] if left else [])
    client.dca_bots.disable(41)
    assert [(fault.kind, fault.operation, fault.method) for fault in sandbox.faults.happened] == [
        ("close_after", "dca_bots.disable", "POST")
    ] * 2
    assert {fault.path for fault in sandbox.faults.happened} == {"/public/api/ver1/bots/41/disable"}


def test_requests_have_their_outcomes(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.faults.add("dca_bots.disable", kind="close_after")
    with pytest.raises(botdesk.OutcomeUnknownError):
        client.dca_bots.disable(41)
    with pytest.raises(botdesk.NotFoundError):
        client.dca_bots.disable(99)
    client.dca_bots.get(41)
    logged = [(request.status, request.carried_out, request.fault) for request in sandbox.requests]
    assert logged == [(None, True, "close_after"), (404, False, None), (200, True, None)]
    assert repr(sandbox.requests[0]) == (
        "<ReceivedRequest POST /public/api/ver1/bots/41/disable no response close_after>"
    )


def outcomes_of_faults(seed: int, private_key: str) -> list[Any]:
    with botdesk.Sandbox(bots=1) as sandbox:
        client = client_of(sandbox, private_key)
        sandbox.faults.random(share=0.5, seed=seed)
        for _ in range(40):
            with suppress(botdesk.BotdeskError):
                client.dca_bots.disable(41)
        return [(request.status, request.fault, request.carried_out) for request in sandbox.requests]


def test_chance_is_the_same_for_the_same_seed(private_key: str) -> None:
    first = outcomes_of_faults(1, private_key)
    assert len(first) == 40
    assert first == outcomes_of_faults(1, private_key)
    assert first != outcomes_of_faults(2, private_key)
    assert None in {fault for _, fault, _ in first}


def test_clear_forgets_chance_too(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.faults.random(share=1, seed=1)
    sandbox.faults.add("*", kind="stall")
    assert repr(sandbox.faults) == (
        "<Faults pending=[<PendingFault * stall times=1>, <PendingFault * random always>] happened=0>"
    )
    sandbox.faults.clear()
    assert sandbox.faults.pending == []
    assert client.dca_bots.get(41).id == 41


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        (
            {"operation": "dca_bots.edt"},
            "operation",
            'unknown operation "dca_bots.edt"; did you mean dca_bots.edit?',
        ),
        ({"kind": "close_aftr"}, "kind", 'unknown kind of fault "close_aftr"; did you mean close_after?'),
        ({"times": 0}, "times", "must be at least 1"),
        ({"times": -1}, "times", "-1 is out of range"),
        ({"times": 2**70}, "times", f"{2**70} is out of range"),
        ({"status": -(2**70)}, "status", f"{-(2**70)} is out of range"),
        ({"interval": 10**400}, "interval", "must be a number of seconds, 0 or more, not inf"),
        ({"kind": "status"}, "status", "is required, such as 429 or 503"),
        ({"kind": "status", "status": 200}, "status", "must be between 400 and 599, not 200"),
        ({"status": 500}, "status", "is not an option of the kind stall"),
        ({"kind": "trickle", "interval": -1.0}, "interval", "must be a number of seconds, 0 or more, not -1"),
        (
            {"kind": "redirect", "location": "a\r\nb"},
            "location",
            "must be printable ASCII, because it becomes a header",
        ),
    ],
)
def test_an_impossible_fault_is_rejected(
    given: dict[str, Any], field: str, message: str, sandbox: botdesk.Sandbox
) -> None:
    add: Any = sandbox.faults.add
    with pytest.raises(botdesk.ValidationError) as raised:
        add(**{"operation": "*", "kind": "stall", **given})
    assert raised.value.errors == {field: [message]}
    assert sandbox.faults.pending == []


def test_refused_connections_can_not_be_counted(sandbox: botdesk.Sandbox) -> None:
    with pytest.raises(botdesk.ValidationError, match=r"set seconds.* clear.* reset"):
        sandbox.faults.add("*", kind="refuse", times=2)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_lies_between_0_and_1(share: float, sandbox: botdesk.Sandbox) -> None:
    with pytest.raises(botdesk.ValidationError, match="must be between 0 and 1"):
        sandbox.faults.random(share=share)


@pytest.mark.parametrize("seed", [-1, 2**63, 2**70])
def test_a_chance_is_made_from_a_number_within_range(seed: int, sandbox: botdesk.Sandbox) -> None:
    with pytest.raises(botdesk.ConfigurationError, match=f"^seed={seed} is out of range$"):
        sandbox.faults.random(seed=seed)
