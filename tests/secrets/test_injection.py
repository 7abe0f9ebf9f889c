"""Values that try to change other parts of their request."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

BREAKS = ["a\r\nX-Injected: yes", "a\nb", "a\rb", "a\x00b", "a\tb", " a", "a ", "ü"]


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        yield sandbox


@pytest.mark.parametrize("api_key", ["", *BREAKS])
def test_an_api_key_that_is_not_a_header_is_rejected(private_key: str, api_key: str) -> None:
    with pytest.raises(botdesk.ConfigurationError):
        botdesk.Client(api_key, private_key, base_url="https://host.example")


@pytest.mark.parametrize(
    "base_url",
    [
        "https://host.example\r\nX-Injected: yes",
        "https://host.example/\x00",
        "https://host.example /",
        "https://user:pass@host.example",
        "https://host.example/?a=b",
        "https://host.example/#a",
        "http://host.example",
        "ftp://host.example",
        "file:///etc/passwd",
        "//host.example",
        "javascript:alert(1)",
        "",
    ],
)
def test_an_address_that_is_none_of_a_service_is_rejected(private_key: str, base_url: str) -> None:
    with pytest.raises(botdesk.ConfigurationError):
        botdesk.Client("an-api-key", private_key, base_url=base_url)


@pytest.mark.parametrize("identifier", ["41/../../admin", "41", "41?x=1", "41\r\n", -1, 0, 1.5, True, 1 << 70, None])
def test_an_identifier_is_a_number_above_zero(sandbox: botdesk.Sandbox, identifier: Any) -> None:  # noqa: ANN401
    client = sandbox.client()
    calls = [client.dca_bots.get, client.dca_bots.disable, client.grid_bots.enable, client.accounts.load_balances]
    for call in calls:
        with pytest.raises((botdesk.ValidationError, TypeError)):
            call(identifier)
    assert sandbox.requests == []


@pytest.mark.parametrize("text", [*BREAKS, "a&permission=all", "a=b", "a#b", "a?b", "a/../b", "a%0d%0aX: y", "a+b"])
def test_a_value_of_a_query_stays_one_value(sandbox: botdesk.Sandbox, text: str) -> None:
    client = sandbox.client()
    client.accounts.rename(1001, text)
    with pytest.raises(botdesk.NotFoundError):
        client.request("GET", "/ver1/nothing", query={"name": text})
    assert len(sandbox.requests) == 2
    for request in sandbox.requests:
        assert request.query is not None
        name, _, value = request.query.partition("=")
        assert (name, unquote(value)) == ("name", text)


@pytest.mark.parametrize("name", ["a&b", "a=b", "a\r\nb", "ü", "a#b"])
def test_a_name_of_a_query_stays_one_name(sandbox: botdesk.Sandbox, name: str) -> None:
    with pytest.raises(botdesk.NotFoundError):
        sandbox.client().request("GET", "/ver1/nothing", query={name: "1"})
    (request,) = sandbox.requests
    assert request.query is not None
    assert unquote(request.query.partition("=")[0]) == name


@pytest.mark.parametrize(
    "path", ["/ver1/bots\r\nX: y", "/ver1/../../x", "//host.example/x", "/ver1/bots?a=b", "/ver1/ü"]
)
def test_a_path_stays_a_path_of_the_service(sandbox: botdesk.Sandbox, path: str) -> None:
    with suppress(botdesk.BotdeskError):
        sandbox.client().request("GET", path)
    assert all(request.path.startswith("/public/api/") for request in sandbox.requests)
    assert len(sandbox.requests) <= 1


@pytest.mark.parametrize("text", BREAKS)
def test_a_string_of_a_body_stays_in_it(sandbox: botdesk.Sandbox, text: str) -> None:
    bot = sandbox.client().grid_bots.set_note(201, text)
    assert bot.note == text
    (request,) = sandbox.requests
    assert request.body.isascii()
