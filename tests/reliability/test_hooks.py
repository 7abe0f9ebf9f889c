"""The log lines of a client's requests, and the hooks that it calls."""

from __future__ import annotations

import asyncio
import logging
import re
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..wire.conftest import Calls, Service  # noqa: TID252
    from .conftest import Connect

GET = "GET /public/api/ver1/bots/41/show"
DISABLE = "POST /public/api/ver1/bots/41/disable"


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """Return the levels and the lines, each duration replaced by T."""
    return [
        (record.levelname, re.sub(r"\d+\.\d (m?s)", r"T \1", record.getMessage()))
        for record in caplog.records
        if record.name == "botdesk"
    ]


class EventLog:
    """Hooks that record their events and the thread that called them."""

    def __init__(self) -> None:
        self.events: list[tuple[str, botdesk.RequestEvent]] = []
        self.threads: set[int] = set()

    def hook(self, name: str) -> Callable[[botdesk.RequestEvent], None]:
        """Make a hook of that name."""

        def hook(event: botdesk.RequestEvent) -> None:
            self.events.append((name, event))
            self.threads.add(threading.get_ident())

        return hook

    @property
    def hooks(self) -> dict[str, Any]:
        """The options of a client."""
        return {name: self.hook(name) for name in ("on_request", "on_response", "on_retry")}

    @property
    def names(self) -> list[str]:
        """The names of the hooks that were called, in order."""
        return [name for name, _ in self.events]


@pytest.fixture
def event_log() -> EventLog:
    """Return hooks that record their events."""
    return EventLog()


class TestLogging:
    @pytest.fixture(autouse=True)
    def _listening(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO, "botdesk")

    def test_the_request_id_of_the_service_is_in_the_log_of_details(
        self, client: botdesk.Client, service: Service, calls: Calls, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG, "botdesk")
        service.responds(headers={"X-Request-Id": "5f3c-19"})
        calls.get(client)
        assert ("DEBUG", f"{GET} has the request id 5f3c-19") in lines(caplog)

    def test_a_request_is_one_line(
        self, client: botdesk.Client, service: Service, calls: Calls, caplog: pytest.LogCaptureFixture
    ) -> None:
        service.responds()
        calls.get(client)
        assert lines(caplog) == [("INFO", f"{GET} 200 in T ms, attempt 1")]

    def test_each_attempt_has_its_line_and_a_retry_is_a_warning(
        self, client: botdesk.Client, service: Service, calls: Calls, caplog: pytest.LogCaptureFixture
    ) -> None:
        service.responds(503)
        service.responds()
        calls.get(client)
        assert lines(caplog) == [
            ("INFO", f"{GET} 503 in T ms, attempt 1"),
            ("WARNING", f"{GET} again in T s, after attempt 1"),
            ("INFO", f"{GET} 200 in T ms, attempt 2"),
        ]

    def test_a_request_without_a_response_has_the_reason(
        self, client: botdesk.Client, service: Service, calls: Calls, caplog: pytest.LogCaptureFixture
    ) -> None:
        service.sends(b"")
        with pytest.raises(botdesk.OutcomeUnknownError) as caught:
            calls.disable(client)
        assert lines(caplog) == [("INFO", f"{DISABLE} failed ({caught.value}) in T ms, attempt 1")]

    def test_lines_are_made_on_the_calling_thread(
        self, client: botdesk.Client, service: Service, calls: Calls, caplog: pytest.LogCaptureFixture
    ) -> None:
        service.responds()
        calls.get(client)
        assert [record.thread for record in caplog.records if record.name == "botdesk"] == [threading.get_ident()]

    def test_a_higher_level_logs_nothing(
        self, client: botdesk.Client, service: Service, calls: Calls, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.WARNING, "botdesk")
        service.responds()
        calls.get(client)
        assert lines(caplog) == []

    def test_a_percent_sign_in_a_path_is_only_that(
        self, client: botdesk.Client, service: Service, calls: Calls, caplog: pytest.LogCaptureFixture
    ) -> None:
        service.responds()
        calls.request(client, "GET", "/ver1/%73/%25d")
        ((_, line),) = lines(caplog)
        assert line.startswith("GET /public/api/ver1/%73/%25d 200")

    def test_no_line_holds_a_secret_or_a_query(
        self, connect: Connect, service: Service, calls: Calls, caplog: pytest.LogCaptureFixture, event_log: EventLog
    ) -> None:
        client = connect(api_key="hunter2-api-key", **event_log.hooks)
        for response in (200, 503, 429):
            service.echoes(response)
            try:
                calls.request(client, "POST", "/ver1/x", json={"secret": "hunter2-secret"})
            except botdesk.BotdeskError:
                service.responds()
                calls.request(client, "GET", "/ver1/x", query={"passphrase": "hunter2-word"})
        signatures = {request.headers["signature"] for request in service.requests}
        written = "\n".join(record.getMessage() for record in caplog.records)
        written += "\n".join(repr(event) + str(event.failure) + event.path for _, event in event_log.events)
        assert "hunter2" not in written
        assert [signature for signature in signatures if signature in written] == []

    def test_a_log_handler_that_fails_does_not_affect_the_call(
        self, client: botdesk.Client, service: Service, calls: Calls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        unraisable: list[object] = []
        monkeypatch.setattr(sys, "unraisablehook", unraisable.append)

        def fail(*_: object) -> None:
            raise ValueError("a broken filter")

        monkeypatch.setattr(logging.getLogger("botdesk"), "log", fail)
        service.responds()
        assert calls.get(client).id == 41
        assert len(unraisable) == 1


def test_logging_is_not_imported_for_its_own_sake() -> None:
    script = """
import sys, botdesk
with botdesk.Sandbox(bots=1) as sandbox:
    sandbox.client().dca_bots.get(41)
    print("logging" in sys.modules)
    import logging
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message).33s", stream=sys.stdout)
    sandbox.client().dca_bots.get(41)
"""
    process = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert process.stdout.splitlines() == ["False", f"botdesk {GET}"]
    assert process.stderr == ""


class TestHooks:
    def test_each_attempt_is_reported(
        self, connect: Connect, service: Service, calls: Calls, event_log: EventLog
    ) -> None:
        service.responds(503)
        service.responds()
        calls.get(connect(**event_log.hooks))
        assert event_log.names == ["on_request", "on_response", "on_retry", "on_request", "on_response"]
        assert [event.attempt for _, event in event_log.events] == [1, 1, 1, 2, 2]
        assert {(event.operation, event.method, event.path) for _, event in event_log.events} == {
            ("dca_bots.get", "GET", "/public/api/ver1/bots/41/show")
        }

    def test_an_event_says_what_it_knows(
        self, connect: Connect, service: Service, calls: Calls, event_log: EventLog
    ) -> None:
        service.responds(503)
        service.responds()
        calls.get(connect(**event_log.hooks))
        request, refused, again, _, answered = (event for _, event in event_log.events)
        assert (request.status, request.milliseconds, request.failure, request.wait) == (None, None, None, None)
        assert (refused.status, refused.wait) == (503, None)
        assert "503" in str(refused.failure)
        assert again.failure == refused.failure
        assert (again.status, again.milliseconds, again.wait) == (None, None, 0.0)
        assert (answered.status, answered.failure) == (200, None)
        assert answered.milliseconds is not None
        assert answered.milliseconds > 0
        assert repr(request) == "<RequestEvent dca_bots.get attempt 1 being sent>"
        assert repr(refused) == "<RequestEvent dca_bots.get attempt 1 503>"
        assert repr(again) == "<RequestEvent dca_bots.get attempt 1 again in 0.0 s>"

    def test_an_event_has_the_request_id_of_the_service(
        self, connect: Connect, service: Service, calls: Calls, event_log: EventLog
    ) -> None:
        service.responds(503, headers={"X-Request-Id": "one"})
        service.responds(headers={"X-Request-Id": "two"})
        service.responds()
        client = connect(**event_log.hooks)
        calls.get(client)
        calls.get(client)
        ids = [(name, event.request_id) for name, event in event_log.events if name != "on_request"]
        assert ids == [("on_response", "one"), ("on_retry", "one"), ("on_response", "two"), ("on_response", None)]
        assert {event.request_id for name, event in event_log.events if name == "on_request"} == {None}

    def test_a_request_without_a_response_is_reported(
        self, connect: Connect, service: Service, calls: Calls, event_log: EventLog
    ) -> None:
        service.sends(b"")
        with pytest.raises(botdesk.OutcomeUnknownError) as caught:
            calls.disable(connect(**event_log.hooks))
        assert event_log.names == ["on_request", "on_response"]
        _, event = event_log.events[-1]
        assert (event.status, event.failure) == (None, str(caught.value))
        assert repr(event) == "<RequestEvent dca_bots.disable attempt 1 failed>"

    def test_hooks_run_on_the_calling_thread(
        self, connect: Connect, service: Service, calls: Calls, event_log: EventLog
    ) -> None:
        service.responds()
        calls.get(connect(**event_log.hooks))
        assert event_log.threads == {threading.get_ident()}

    def test_a_hook_may_call_the_client(self, connect: Connect, service: Service, calls: Calls) -> None:
        named: list[str | None] = []
        plain = connect()

        def ask(_: botdesk.RequestEvent) -> None:
            service.responds()
            named.append(plain.dca_bots.get(41).name)

        service.responds()
        calls.get(connect(on_response=ask))
        assert named == ["first"]

    def test_a_hook_that_fails_does_not_affect_the_call(
        self, connect: Connect, service: Service, calls: Calls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        written: list[str] = []

        def write(failure: sys.UnraisableHookArgs) -> None:
            written.append(repr(failure.exc_value))

        def fail(event: botdesk.RequestEvent) -> None:
            raise ValueError(event.attempt)

        monkeypatch.setattr(sys, "unraisablehook", write)
        service.responds()
        assert calls.get(connect(on_request=fail, on_response=fail)).id == 41
        assert written == ["ValueError(1)", "ValueError(1)"]

    def test_a_hook_may_end_the_program(self, connect: Connect, service: Service, calls: Calls) -> None:
        def leave(_: botdesk.RequestEvent) -> None:
            raise KeyboardInterrupt

        service.responds()
        with pytest.raises(KeyboardInterrupt):
            calls.get(connect(on_response=leave))

    def test_a_hook_stays_where_other_options_change(
        self, connect: Connect, service: Service, calls: Calls, event_log: EventLog
    ) -> None:
        service.responds()
        calls.get(
            connect(on_response=event_log.hook("first")).with_options(timeout=20, on_request=event_log.hook("second"))
        )
        assert event_log.names == ["second", "first"]

    def test_only_the_clients_that_have_hooks_call_them(
        self, connect: Connect, service: Service, calls: Calls, event_log: EventLog
    ) -> None:
        service.responds()
        connect(**event_log.hooks)
        calls.get(connect())
        assert event_log.events == []

    def test_a_value_that_is_not_a_function_is_rejected(self, connect: Connect) -> None:
        with pytest.raises(TypeError, match="a hook is a function that takes one argument"):
            connect(on_request="print")

    def test_events_of_calls_in_sequence_reach_the_task_that_makes_them(
        self, connect: Connect, service: Service, event_log: EventLog
    ) -> None:
        client = connect(**event_log.hooks)

        async def several() -> None:
            await asyncio.gather(*(client.dca_bots.get_async(41) for _ in range(5)))

        for _ in range(5):
            service.responds()
        asyncio.run(several())
        assert sorted(event_log.names) == ["on_request"] * 5 + ["on_response"] * 5
        assert event_log.threads == {threading.get_ident()}
