"""The page of a sandbox and its reset, from Python."""

from __future__ import annotations

import http.client
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from pathlib import Path


def send(sandbox: botdesk.Sandbox, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
    """Send a request to the page, with its token unless the headers have another."""
    url, _, token = sandbox.page_url.partition("/#")
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    try:
        all_headers = {"Content-Type": "application/json", "X-Botdesk-Token": token} | headers
        connection.request(method, path, None if body is None else json.dumps(body), all_headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_the_url_of_the_page_has_its_token_in_the_fragment(sandbox: botdesk.Sandbox) -> None:
    url, _, token = sandbox.page_url.partition("/#")
    assert url == sandbox.url
    assert len(token) == 43
    assert token not in repr(sandbox)
    assert sandbox.page_url == sandbox.page_url
    with botdesk.Sandbox() as other:
        assert other.page_url.partition("/#")[2] != token


def test_an_action_of_the_page_does_what_the_method_does(sandbox: botdesk.Sandbox) -> None:
    before = sandbox.clock.now
    assert send(sandbox, "POST", "/_sandbox/actions/advance", {"seconds": "1.5"}) == (200, {})
    assert (sandbox.clock.now - before).total_seconds() == 1.5
    assert sandbox.requests == []


def test_an_invalid_input_of_an_action_is_an_error_and_changes_nothing(sandbox: botdesk.Sandbox) -> None:
    before = sandbox.clock.now
    status, body = send(sandbox, "POST", "/_sandbox/actions/advance", {"seconds": "1000000000000"})
    assert status == 400
    assert "no timestamp is later than 9999-12-30" in str(body)
    assert sandbox.clock.now == before


def test_without_the_token_nothing_is_shown_or_changed(sandbox: botdesk.Sandbox) -> None:
    before = sandbox.clock.now
    wrong = {"X-Botdesk-Token": "x" * 43}
    assert send(sandbox, "POST", "/_sandbox/actions/advance", {"seconds": "60"}, **wrong)[0] == 403
    status, body = send(sandbox, "GET", "/_sandbox/state", **wrong)
    assert (status, list(body)) == (403, ["error"])
    assert sandbox.clock.now == before


def test_a_closed_sandbox_has_no_page() -> None:
    with botdesk.Sandbox() as sandbox:
        pass
    with pytest.raises(ConnectionRefusedError):
        send(sandbox, "GET", "/_sandbox/state")


class TestReset:
    def test_the_state_is_that_of_the_start(self) -> None:
        with botdesk.Sandbox(seed=3, bots=2) as sandbox:
            client = sandbox.client()
            before = [bot.to_dict() for bot in client.dca_bots.list()], sandbox.clock.now
            sandbox.move_price("USDT_ETH", "1000")
            sandbox.add_dca_bot(name="Mine")
            client.dca_bots.disable(41)
            sandbox.clock.real()
            sandbox.reset()
            assert ([bot.to_dict() for bot in client.dca_bots.list()], sandbox.clock.now) == before

    def test_the_state_of_a_file_comes_back(self, sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
        bot_id = sandbox.add_dca_bot(name="Kept")
        sandbox.dump(tmp_path / "state.json")
        with botdesk.Sandbox(state=tmp_path / "state.json", fee="0.001") as resumed:
            secret = resumed.client().dca_bots.get(bot_id).url_secret
            resumed.add_dca_bot(name="Gone")
            # The file is not read again.
            (tmp_path / "state.json").unlink()
            resumed.reset()
            assert [bot.name for bot in resumed.client().dca_bots.list()] == ["Kept"]
            assert resumed.client().dca_bots.get(bot_id).url_secret == secret

    def test_requests_faults_and_the_rate_limit_are_forgotten(self) -> None:
        with botdesk.Sandbox(rate_limit=1) as sandbox:
            client = sandbox.client().with_options(retries=0)
            client.dca_bots.get(41)
            with pytest.raises(botdesk.RateLimitedError):
                client.dca_bots.get(41)
            sandbox.faults.random(share=1)
            sandbox.reset()
            assert (sandbox.requests, sandbox.faults.pending, sandbox.faults.happened) == ([], [], [])
            assert sandbox.client().dca_bots.get(41).id == 41
            assert len(sandbox.requests) == 1

    def test_refused_connections_are_accepted_again(self, sandbox: botdesk.Sandbox) -> None:
        sandbox.faults.add("*", kind="refuse")
        sandbox.reset()
        assert sandbox.client().dca_bots.list() == []

    def test_a_playback_ends(self, sandbox: botdesk.Sandbox) -> None:
        candles = [[1704067200000 + 60_000 * minute, 100, 101, 99, 100] for minute in range(3)]
        moments = sandbox.play(candles, pair="USDT_NEW")
        next(moments)
        sandbox.reset()
        with pytest.raises(botdesk.ConfigurationError, match="or was reset; only the playback that was started last"):
            next(moments)

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
    def test_a_forked_child_can_not_reset_it(self, sandbox: botdesk.Sandbox) -> None:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                sandbox.reset()
            except botdesk.ConfigurationError as error:
                os.write(writer, str(error).encode())
            finally:
                os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        with os.fdopen(reader) as message:
            assert "runs in the process that started it" in message.read()
