"""The secret of a system-generated key: no output contains it, though the service knows it and may repeat it."""

from __future__ import annotations

import gc
import json
import pickle
import subprocess
import sys
import traceback
from contextlib import closing
from typing import TYPE_CHECKING, Any, get_args

import pytest
from sample_calls import SAMPLES

import botdesk

from .conftest import EchoService, Mode, in_turns
from .spellings import decodings
from .test_canaries import OutputLog, add_error, add_result, carried_out, hook
from .test_canaries import log as log  # noqa: PLC0414 - it is a fixture

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODES: tuple[Mode, ...] = get_args(Mode)
# It is written otherwise in JSON, in a query and in a page.
SECRET = 'canary-of-the-key/+"<&secret\\0a1b2c3d'
# A field that the reference does not list: its name says nothing about its value.
FIELD = "remark"


@pytest.fixture
def knowing(canaries: dict[str, str]) -> Iterator[EchoService]:
    """Run a service that repeats each request and the secret of the key."""
    with closing(EchoService({**canaries, FIELD: f"of {SECRET} here"})) as service:
        yield service


@pytest.fixture
def client(knowing: EchoService, log: OutputLog, api_key: str) -> botdesk.Client:
    """Make a client whose events are all added to the log."""
    add = hook(log)
    return botdesk.Client(
        api_key,
        secret=SECRET,
        base_url=knowing.url,
        retries=botdesk.RetryPolicy(1, backoff=0),
        rate_limit=None,
        on_request=add,
        on_response=add,
        on_retry=add,
    )


def test_the_search_finds_the_secret(log: OutputLog) -> None:
    for output in (SECRET, json.dumps(SECRET), {"a": [SECRET]}):
        log.add("somewhere", output)
        assert log.outputs_with(SECRET)


@pytest.mark.parametrize(
    ("operation", "mode", "awaited"), in_turns([*SAMPLES, "json of any path", "query of any path", "preview"], every=2)
)
def test_nothing_shows_the_secret(
    client: botdesk.Client,
    knowing: EchoService,
    log: OutputLog,
    canaries: dict[str, str],
    *,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    operation: str,
    mode: Mode,
    awaited: bool,
) -> None:
    knowing.mode = mode
    cassette = tmp_path / "cassette.har"
    try:
        with botdesk.record(cassette, client):
            result = carried_out(client, operation, canaries, awaited=awaited)
        if mode != "success":
            # A record shows what the service says about it; this service puts the secret into every record.
            add_result(log, operation, result)
    except botdesk.BotdeskError as error:
        add_error(log, operation, error)
    log.add("cassette", cassette.read_text() if cassette.exists() else "")
    log.add("standard output and error", capfd.readouterr())
    log.add("client", repr(client))
    log.assert_no_secrets([*knowing.signatures, SECRET])


@pytest.mark.parametrize("mode", MODES)
def test_a_cassette_has_a_placeholder_for_the_secret(
    client: botdesk.Client, knowing: EchoService, tmp_path: Path, mode: Mode
) -> None:
    knowing.mode = mode
    cassette = tmp_path / "cassette.har"
    with botdesk.record(cassette, client):
        try:
            client.request("POST", "/ver1/anything", json={"a": f"<{SECRET}>", "b": [SECRET], SECRET: 1})
        except botdesk.BotdeskError as error:
            assert not any(SECRET in text for text in decodings(f"{error!r} {vars(error)}"))  # noqa: PT017
    text = cassette.read_text()
    assert "<key_secret-1>" in text
    assert not any(SECRET in decoded for decoded in decodings(text))


def test_a_client_shows_nothing_of_its_secret(log: OutputLog, api_key: str) -> None:
    client = botdesk.Client(api_key, secret=SECRET, base_url="https://host.invalid", retries=0)
    for thing in (client, client.with_options(timeout=1), client.sign("GET", "/ver1/bots"), client.dca_bots):
        add_result(log, type(thing).__name__, thing)
        log.add("dir", dir(thing))
        log.add("attributes", {name: getattr(thing, name, None) for name in dir(thing) if not name.startswith("__")})
        # A native object has no other references to Python objects.
        log.add("referents", gc.get_referents(thing))
        with pytest.raises((botdesk.ConfigurationError, TypeError, pickle.PicklingError)) as caught:
            pickle.dumps(thing)
        add_error(log, "pickle", caught.value)
        with pytest.raises(TypeError):
            vars(thing)
    with pytest.raises(botdesk.BotdeskError) as failed:
        client.dca_bots.get(41)
    add_error(log, "call", failed.value)
    log.assert_no_secrets([SECRET])


@pytest.mark.parametrize(
    "wrong", [f"{SECRET} x", f"{SECRET}\n{SECRET}", f"{SECRET}\0", f"{SECRET}\udc80", f"/{SECRET}.pem"]
)
def test_a_rejected_secret_is_not_shown(log: OutputLog, api_key: str, private_key: str, wrong: str) -> None:
    of_each_kind: list[dict[str, Any]] = [
        {"secret": wrong},
        {"private_key": wrong},
        {"secret": wrong, "private_key": private_key},
    ]
    for arguments in of_each_kind:
        with pytest.raises(botdesk.ConfigurationError) as caught:
            botdesk.Client(api_key, base_url="https://host.example", **arguments)
        if "private_key" in arguments and wrong.endswith(".pem") and "secret" not in arguments:
            # It is a path, and the error about a missing file names it.
            continue
        add_error(log, "client", caught.value)
    log.assert_no_secrets([SECRET])


def test_the_warning_about_white_space_does_not_show_it(api_key: str) -> None:
    with pytest.warns(UserWarning, match="white space") as caught:
        botdesk.Client(api_key, secret=f"{SECRET}\n", base_url="https://host.example")
    assert not [warning for warning in caught if "canary" in str(warning.message)]


def test_messages_of_the_whole_process_hide_the_secret_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOTDESK_SECRET", SECRET)
    with pytest.raises(botdesk.ConfigurationError) as caught:
        botdesk.Client("key", SECRET + ".pem", base_url="https://host.example")
    assert "canary" not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(botdesk.BotdeskError) as unread:
        botdesk.Sandbox(state=f"/folder/{SECRET}")
    assert "canary" not in str(unread.value)


CHILD = """
import os, sys, botdesk
client = botdesk.Client.from_env()
try:
    client.dca_bots.get(41)
except botdesk.BotdeskError as error:
    print(repr(error), vars(error))
raise RuntimeError(repr(client))
"""


def test_a_child_process_that_fails_does_not_show_it(api_key: str, knowing: EchoService) -> None:
    knowing.mode = "error"
    environment = {
        "BOTDESK_API_KEY": api_key,
        "BOTDESK_SECRET": SECRET,
        "BOTDESK_BASE_URL": knowing.url,
        "no_proxy": "*",
    }
    done = subprocess.run([sys.executable, "-c", CHILD], env=environment, capture_output=True, check=False, text=True)
    assert "RuntimeError: <Client http://127.0.0.1" in done.stderr, done.stderr
    for text in decodings(done.stdout + done.stderr):
        assert SECRET not in text
