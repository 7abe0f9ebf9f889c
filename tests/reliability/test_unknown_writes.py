"""The table of docs/reliability.md: responses to a write that rule it out, and those that leave its outcome unknown."""

from __future__ import annotations

import pickle
import re
import socket
from typing import TYPE_CHECKING

import pytest
from fault_matrix import PAGE, WAYS, WRITES, Way, prepared, reads_first
from sample_calls import SAMPLES

import botdesk

from ..wire.conftest import BOT  # noqa: TID252

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..wire.conftest import Calls, Service  # noqa: TID252
    from .conftest import Connect

# What adds to a list reads the list first, and this service responds to both alike.
READS_FIRST = {"dca_bots.add_to_blacklist"}
EACH_WRITE = pytest.mark.parametrize(
    "operation", [name for name, writes in WRITES.items() if writes and name not in READS_FIRST]
)
# The outcome is unknown: a proxy may have responded after passing the request on.
SILENT = [101, 300, 301, 302, 303, 304, 305, 307, 308, 408, 409, 425, 499]
FAILED = [500, 501, 502, 503, 504, 520, 521, 522, 523, 524, 599]
# Nothing happened: the API reference documents it, or the status speaks of the request alone.
REFUSED = [400, 401, 402, 403, 404, 405, 406, 410, 411, 412, 413, 414, 415, 418, 422, 423, 426, 428, 431, 451]
BODY = b'{"error":"conflict","error_description":"In words"}'


def has_no_body(status: int) -> bool:
    return status in {101, 304}


def response(status: int) -> bytes:
    """Write a response, with a body if the status allows one."""
    head = b"HTTP/1.1 %d Status\r\nX-Request-Id: 5f3c-19\r\nConnection: close\r\n" % status
    if has_no_body(status):
        return head + b"\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY


def ready(service: Service, client: botdesk.Client, operation: str, way: Way = "blocking") -> Callable[[], object]:
    """Make a write ready; some edits read their record for that."""
    if operation.endswith(".edit") and reads_first(operation):
        service.responds(200, BOT.replace(b'"id":41', b'"id":%d' % int(SAMPLES[operation].record_id or 0)))
    return prepared(operation, client, way)


@pytest.mark.parametrize("way", WAYS)
@EACH_WRITE
@pytest.mark.shows("promise unknown writes")
def test_a_write_whose_response_leaves_it_open_has_an_unknown_outcome_and_is_sent_once(
    connect: Connect, service: Service, operation: str, way: Way
) -> None:
    client = connect()
    for status in SILENT:
        ask = ready(service, client, operation, way)
        before = len(service.requests)
        service.sends(response(status))
        with pytest.raises(botdesk.OutcomeUnknownError, match="may have been carried out; look before") as caught:
            ask()
        assert len(service.requests) == before + 1
        error = caught.value
        assert (error.status, error.request_id) == (status, "5f3c-19")
        assert error.response_body == ("" if has_no_body(status) else BODY.decode())
        assert (error.operation, error.sent, error.method) == (operation, True, service.requests[-1].method)


@EACH_WRITE
@pytest.mark.shows("promise unknown writes")
def test_the_error_of_a_write_with_an_ambiguous_status_warns_that_it_may_have_been_carried_out(
    connect: Connect, service: Service, operation: str
) -> None:
    client = connect()
    for status in FAILED:
        ask = ready(service, client, operation)
        before = len(service.requests)
        service.sends(response(status))
        with pytest.raises(botdesk.ServerError, match="may have been carried out; look before you repeat it"):
            ask()
        assert len(service.requests) == before + 1


@EACH_WRITE
def test_a_write_that_was_rejected_was_not_carried_out(connect: Connect, service: Service, operation: str) -> None:
    client = connect()
    for status in REFUSED:
        ask = ready(service, client, operation)
        service.sends(response(status))
        with pytest.raises(botdesk.ApiError) as caught:
            ask()
        assert caught.value.status == status
        assert "may have been carried out" not in str(caught.value)


@pytest.mark.parametrize("status", SILENT)
def test_a_read_is_rejected_by_the_same_statuses(
    client: botdesk.Client, service: Service, calls: Calls, status: int
) -> None:
    service.sends(response(status))
    with pytest.raises(botdesk.ApiError) as caught:
        calls.get(client)
    assert (type(caught.value), caught.value.status) == (botdesk.ApiError, status)
    assert len(service.requests) == 1


@pytest.mark.parametrize("status", [303, 409, 425, 499])
@pytest.mark.parametrize("method", ["POST", "PATCH", "PUT", "DELETE"])
def test_a_write_by_hand_has_an_unknown_outcome_by_the_same_rule(
    client: botdesk.Client, service: Service, calls: Calls, method: str, status: int
) -> None:
    service.sends(response(status))
    with pytest.raises(botdesk.OutcomeUnknownError) as caught:
        calls.request(client, method, "/ver1/anything", json={"a": 1})
    assert (caught.value.status, caught.value.body) == (status, '{"a":1}')
    assert len(service.requests) == 1


@pytest.mark.parametrize("status", SILENT + FAILED)
@pytest.mark.shows("promise unknown writes")
def test_a_bulk_write_whose_response_leaves_it_open_is_unknown_and_is_never_sent_again(
    client: botdesk.Client, service: Service, status: int
) -> None:
    service.sends(response(status))
    result = client.dca_bots.disable_many([41])
    assert [item.status for item in result] == ["unknown"]
    assert [item.status for item in result.retry_failed()] == ["unknown"]
    assert len(service.requests) == 1


@pytest.mark.parametrize("status", [400, 404, 405, 422])
def test_of_many_what_was_rejected_is_failed_and_is_sent_again(
    client: botdesk.Client, service: Service, status: int
) -> None:
    service.sends(response(status))
    result = client.dca_bots.disable_many([41])
    assert [item.status for item in result] == ["failed"]
    service.responds(201)
    assert result.retry_failed().is_complete


def test_a_documented_error_body_leaves_the_outcome_of_a_409_unknown(client: botdesk.Client, service: Service) -> None:
    service.responds(409, b'{"error":"record_invalid","error_description":"Invalid parameters"}')
    with pytest.raises(
        botdesk.OutcomeUnknownError, match=r"409 record_invalid \(Invalid parameters\); it may have been"
    ):
        client.dca_bots.disable(41)


def test_the_error_for_a_redirect_of_a_write_explains_that_it_is_not_followed(
    client: botdesk.Client, service: Service
) -> None:
    service.responds(303, b"", {"Location": f"{service.url}/elsewhere"})
    with pytest.raises(
        botdesk.OutcomeUnknownError, match="redirects are not followed; check base_url; it may have been"
    ):
        client.dca_bots.disable(41)
    assert len(service.requests) == 1


def test_the_bot_can_be_read_after_a_status_that_leaves_it_open(sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("dca_bots.disable", kind="status", status=409)
    with pytest.raises(botdesk.OutcomeUnknownError) as caught:
        sandbox.client().dca_bots.disable(41)
    assert caught.value.check().is_enabled is True


def test_the_response_travels_to_another_process(client: botdesk.Client, service: Service) -> None:
    service.sends(response(409))
    with pytest.raises(botdesk.OutcomeUnknownError) as caught:
        client.dca_bots.disable(41)
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert (copy.status, copy.response_body, copy.request_id) == (409, BODY.decode(), "5f3c-19")


def test_a_response_that_leaves_it_open_keeps_no_secret(client: botdesk.Client, service: Service) -> None:
    service.echoes(409, '{"error":"{apikey} {signature}","bot":{"url_secret":"hunter2"}}')
    with pytest.raises(botdesk.OutcomeUnknownError) as caught:
        client.dca_bots.disable(41)
    headers = service.request().headers
    output = repr(caught.value) + repr(vars(caught.value))
    assert [secret for secret in ("hunter2", headers["apikey"], headers["signature"]) if secret in output] == []


def test_a_response_that_leaves_it_open_has_its_status_in_the_event(connect: Connect, service: Service) -> None:
    statuses: list[int | None] = []

    def keep(event: botdesk.RequestEvent) -> None:
        statuses.append(event.status)

    service.sends(response(409))
    with pytest.raises(botdesk.OutcomeUnknownError):
        connect(on_response=keep).dca_bots.disable(41)
    assert statuses == [409]


# The bytes on the socket for each row of the page's table.
EXAMPLES: dict[str, list[bytes]] = {
    "a 2xx that can't be read": [
        b"HTTP/1.1 %d OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n{" % status for status in (200, 201, 202)
    ],
    "a 1xx or a 3xx, never followed": [response(status) for status in SILENT if status < 400],
    "408, 409, 425, 499": [response(status) for status in (408, 409, 425, 499)],
    "a 5xx": [response(status) for status in FAILED],
    "429 of the rate limit": [response(429)],
    "any other 4xx": [response(status) for status in REFUSED],
    "none, or not all of it": [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"id"',
    ],
}
NO_CONNECTION = "none, because there was no connection"


def rows_of_the_page() -> dict[str, tuple[type[botdesk.BotdeskError], type[botdesk.BotdeskError], str]]:
    """Read the table: what a read raises, what a write raises, and the outcome of a write, by the response."""
    table = PAGE.read_text("utf-8").partition("## Writes that may have happened")[2].partition("\n## ")[0]
    rows = re.findall(r"(?m)^\| ([^|`]*) \| `(\w+)` \|.*\| `(\w+)` \| (\w+) \|$", table)
    return {row: (getattr(botdesk, read), getattr(botdesk, write), outcome) for row, read, write, outcome in rows}


def test_the_table_of_the_page_matches_the_behaviour(connect: Connect, service: Service) -> None:
    rows = rows_of_the_page()
    assert rows.keys() == {*EXAMPLES, NO_CONNECTION}
    client = connect(retries=0)
    for row, answers in EXAMPLES.items():
        read, write, outcome = rows[row]
        for data in answers:
            for _ in range(3):
                service.sends(data)
            with pytest.raises(read):
                client.dca_bots.get(41)
            with pytest.raises(write):
                client.dca_bots.disable(41)
            assert [item.status for item in client.dca_bots.disable_many([41])] == [outcome]


def test_the_table_of_the_page_matches_the_behaviour_without_a_connection(connect: Connect) -> None:
    read, write, outcome = rows_of_the_page()[NO_CONNECTION]
    with socket.socket() as taken:
        # Bound but not listening: no other process takes the port, and connections are refused.
        taken.bind(("127.0.0.1", 0))
        client = connect(f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(read):
            client.dca_bots.get(41)
        with pytest.raises(write):
            client.dca_bots.disable(41)
        assert [item.status for item in client.dca_bots.disable_many([41])] == [outcome]
