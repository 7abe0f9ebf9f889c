"""The same client with other options."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

# A timeout that a call exceeds; on any machine it is enough to connect.
SHORT = 0.5


@pytest.fixture
def silent_url() -> Iterator[str]:
    """Run a service that accepts connections and never responds."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_it_is_another_client_of_the_same_service_and_key(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    patient = client.with_options(timeout=120)
    assert patient is not client
    assert repr(patient) == repr(client)
    assert patient.dca_bots.get(41) == client.dca_bots.get(41)


def test_the_new_timeout_counts(private_key: str, silent_url: str) -> None:
    client = botdesk.Client("an-api-key", private_key, base_url=silent_url, timeout=600, retries=0, rate_limit=None)
    with pytest.raises(botdesk.RequestTimeoutError, match=f"within {SHORT} s"):
        client.with_options(timeout=SHORT).dca_bots.get(41)


def test_what_is_left_out_stays_as_it_was(private_key: str, silent_url: str) -> None:
    client = botdesk.Client("an-api-key", private_key, base_url=silent_url, timeout=SHORT, retries=0, rate_limit=None)
    for same in (client.with_options(), client.with_options(timeout=None), client.with_options(connect_timeout=5)):
        with pytest.raises(botdesk.RequestTimeoutError, match=f"within {SHORT} s"):
            same.dca_bots.get(41)


def test_the_first_client_stays_as_it_was(private_key: str, silent_url: str) -> None:
    client = botdesk.Client("an-api-key", private_key, base_url=silent_url, timeout=SHORT, retries=0, rate_limit=None)
    client.with_options(timeout=600)
    with pytest.raises(botdesk.RequestTimeoutError, match=f"within {SHORT} s"):
        client.dca_bots.get(41)


@pytest.mark.parametrize("option", ["timeout", "connect_timeout"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), 1e300], ids=repr)
def test_a_value_that_is_not_a_time_is_rejected(sandbox: botdesk.Sandbox, option: str, value: float) -> None:
    options: dict[str, Any] = {option: value}
    needed = "must be a number of seconds greater than 0 and at most 1e10"
    with pytest.raises(botdesk.ConfigurationError, match=f"^{option} {needed}$"):
        sandbox.client().with_options(**options)


def test_an_unknown_option_is_rejected(sandbox: botdesk.Sandbox) -> None:
    client: Any = sandbox.client()
    with pytest.raises(TypeError, match="timeuot"):
        client.with_options(timeuot=5)
