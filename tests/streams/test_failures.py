"""Streams that the service refuses, ends or fills with garbage; wrong arguments; the end of a stream."""

from __future__ import annotations

import hmac
import json
import logging
import os
import pickle
import signal
import threading
import warnings
from typing import Any

import pytest

import botdesk

from .conftest import next_of, open_deals


def test_a_refused_stream_is_polled_and_says_so_once(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    sandbox.streams.refuse(404, times=None)
    errors: list[botdesk.BotdeskError] = []
    deal = 0
    with (
        client.stream("deals", every=1, on_error=errors.append) as stream,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        for deal in open_deals(client)[:3]:
            client.deals.edit(deal, take_profit="7.5")
            event = next(stream)
            assert (event.record.id, event.kind, event.origin) == (deal, "changed", "poll")
        while not caught:
            client.deals.edit(deal, note="again")
            next(stream)
        assert stream.status == "polling"
    assert [warning.category for warning in caught] == [botdesk.StreamWarning]
    assert "refused the handshake with the status 404" in str(caught[0].message)
    assert "deals is polled every 1 s" in str(caught[0].message)
    assert [attempt.result for attempt in sandbox.streams.attempts] == ["refused"] * 3
    assert all(isinstance(error, botdesk.TransportError) for error in errors)


def test_a_rejected_channel_does_not_end_the_other(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client(permissions=["BOTS_READ"])
    deal = open_deals(client)[0]
    errors: list[botdesk.BotdeskError] = []
    with client.stream("deals", "smart_trades", on_error=errors.append) as stream:
        sandbox.client().deals.edit(deal, take_profit="7.5")
        with pytest.warns(botdesk.StreamWarning, match="SMART_TRADES_READ") as caught:
            event = next(stream)
    assert (event.resource, event.record.id, event.origin) == ("deals", deal, "stream")
    assert [type(error) for error in errors] == [botdesk.ForbiddenError]
    assert len(caught) == 1
    assert "self-generated, RSA" in str(caught[0].message)


def test_the_error_is_raised_if_nothing_can_be_followed(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client(permissions=["ACCOUNTS_READ"])
    with (
        client.stream("deals", "dca_bots", on_error=lambda _: None) as stream,
        pytest.warns(botdesk.StreamWarning, match="BOTS_READ"),
        pytest.raises(botdesk.ForbiddenError),
    ):
        next(stream)


def test_odd_frames_are_ignored_and_reported_once(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    errors: list[botdesk.BotdeskError] = []
    deal = open_deals(client)[0]
    odd: list[str | bytes] = [
        b"binary",
        "",
        "garbage",
        "[]",
        '{"type": "news"}',
        '{"type": 1}',
        '{"message": {}}',
        '{"identifier": "x"}',
    ]
    with client.stream("deals", on_error=errors.append) as stream:
        for frame in odd:
            sandbox.streams.send(frame)
        sandbox.streams.ping()
        client.deals.edit(deal, take_profit="7.5")
        assert next(stream).record.id == deal
    assert [str(error) for error in errors] == ["the live stream sent a binary frame, which was ignored"]


def test_an_announced_end_is_followed_by_a_new_connection(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    with client.stream("deals", states=True, on_error=lambda _: None) as stream:
        sandbox.streams.disconnect("server_restart")
        assert "server_restart" in str(next_of(stream, "disconnected").reason)
        assert next_of(stream, "connected").record is None
        sandbox.streams.disconnect("unauthorized", reconnect=False)
        with pytest.warns(botdesk.StreamWarning, match="unauthorized"):
            assert "unauthorized" in str(next_of(stream, "polling").reason)


def test_neither_the_key_nor_the_signature_appears_anywhere(
    sandbox: botdesk.Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    api_key, secret = sandbox.add_key(secret=True)
    client = botdesk.Client(api_key, secret=secret, base_url=sandbox.url)
    signature = hmac.new(secret.encode(), b"/deals", "sha256").hexdigest()
    errors: list[botdesk.BotdeskError] = []
    with client.stream("deals", states=True, on_error=errors.append) as stream:
        identifier = json.dumps({"channel": "DealsChannel", "users": [{"api_key": api_key, "signature": signature}]})
        sandbox.streams.send(json.dumps({"type": "news", "identifier": identifier}))
        sandbox.streams.send(json.dumps({"identifier": identifier, "message": {"id": "no number"}}))
        client.deals.edit(open_deals(client)[0], take_profit="7.5")
        event = next_of(stream, "changed")
        sandbox.streams.drop()
        gone = next_of(stream, "disconnected")
        texts: list[Any] = [event, event.record, gone.reason, stream, stream.state, errors, sandbox.streams.attempts]
        texts += [event._repr_html_(), sandbox.streams, [str(error) for error in errors], caplog.text]
    shown = " ".join(f"{text!r} {text}" for text in texts)
    assert errors
    assert not [secret_text for secret_text in (api_key, secret, signature) if secret_text in shown]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "at least one resource"),
        ({"every": 0.5}, "every must be 1 to"),
        ({"stale_after": 5}, "stale_after must be 6"),
        ({"stale_after": float("nan")}, "stale_after must be 6"),
        ({"since": "{}"}, "not the state of a stream"),
        ({"since": '{"botdesk_stream": 2}'}, "another version"),
        ({"since": "missing.json"}, "can't be read"),
        ({"on_error": 1}, "on_error must be a function"),
    ],
)
def test_a_wrong_argument_is_an_error_before_anything_is_sent(
    arguments: dict[str, Any], message: str, sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    with pytest.raises(botdesk.ConfigurationError, match=message):
        client.stream(*(["deals"] if arguments else []), **arguments)
    assert sandbox.streams.attempts == []
    assert len(sandbox.requests) == 0


def test_a_state_of_another_key_is_rejected(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    api_key, secret = sandbox.add_key(secret=True)
    other = botdesk.Client(api_key, secret=secret, base_url=sandbox.url)
    with client.stream("deals") as stream, pytest.raises(botdesk.ConfigurationError, match="another key"):
        other.stream("deals", since=stream.state)


def test_the_url_of_the_streams_is_an_option(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    url = sandbox.url.replace("http", "ws") + "/websocket/deals"
    with client.with_options(stream_url=url).stream("deals"):
        assert sandbox.streams.attempts[-1].path == "/websocket/deals"
    for wrong in ("streams.example", "https://streams.example", "ws://streams.example", "wss://a:b@streams.example"):
        with pytest.raises(botdesk.ConfigurationError, match="stream_url"):
            client.with_options(stream_url=wrong)
    with pytest.raises(botdesk.ConfigurationError, match="API key"):
        botdesk.Client.public(base_url=sandbox.url).stream("deals")


def test_closing_ends_a_loop_of_another_thread(client: botdesk.Client) -> None:
    with client.stream("deals", "dca_bots") as stream:
        loop = threading.Thread(target=list, args=(stream,))
        loop.start()
        stream.close()
        loop.join(30)
        assert not loop.is_alive()
    assert (list(stream), stream.status, repr(stream)) == ([], "closed", "<Stream deals dca_bots closed>")
    assert json.loads(stream.state)["resources"]["deals"]


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="the platform has no such signal")
def test_a_signal_handler_ends_the_loop(client: botdesk.Client) -> None:
    stream = client.stream("deals")

    def close(*_: object) -> None:
        stream.close()

    before = signal.signal(signal.SIGUSR1, close)
    try:
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        assert list(stream) == []
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_closed_client_ends_its_streams(client: botdesk.Client) -> None:
    with client.stream("deals") as stream:
        client.close()
        with pytest.raises(botdesk.ConfigurationError, match="closed"):
            next(stream)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_needs_a_stream_of_its_own(client: botdesk.Client) -> None:
    with client.stream("deals") as stream:
        child = os.fork()
        if child == 0:
            try:
                next(stream)
            except botdesk.ConfigurationError as error:
                os._exit(0 if "after the fork" in str(error) and stream.status == "closed" else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert stream.status == "live"


def test_a_stream_can_not_be_pickled(client: botdesk.Client) -> None:
    with client.stream("deals") as stream, pytest.raises(TypeError):
        pickle.dumps(stream)
