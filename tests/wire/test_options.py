"""The options of a client: each invalid one is rejected before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

import botdesk

ADDRESS = "https://service.example"


@pytest.mark.parametrize(
    "api_key", ["", " ", "a b", "a\n", "\ta", "a\r\nX: y", "a\rb", "a\x00b", "a\x7f", "ключ", "é", "a\u00a0b"]
)
def test_an_api_key_that_no_header_can_carry_is_rejected(private_key: str, api_key: str) -> None:
    with pytest.raises(botdesk.ConfigurationError, match="API key"):
        botdesk.Client(api_key, private_key, base_url=ADDRESS)


def test_a_rejected_api_key_is_not_repeated(private_key: str) -> None:
    with pytest.raises(botdesk.ConfigurationError) as caught:
        botdesk.Client("hunter2\n", private_key, base_url=ADDRESS)
    assert "hunter2" not in repr(caught.value)


def test_an_api_key_and_a_private_key_that_changed_places_are_not_repeated(private_key: str) -> None:
    with pytest.raises(botdesk.ConfigurationError) as caught:
        botdesk.Client(private_key, "hunter2", base_url=ADDRESS)
    assert "hunter2" not in repr(caught.value)
    assert private_key.splitlines()[1] not in repr(caught.value)


@pytest.mark.parametrize("api_key", ["a", "!~", "0f" * 200])
def test_any_visible_ascii_is_an_api_key(private_key: str, api_key: str) -> None:
    botdesk.Client(api_key, private_key, base_url=ADDRESS)


@pytest.mark.parametrize(
    ("base_url", "why"),
    [
        ("", "empty"),
        (" https://service.example", "white space"),
        ("https://service.example\n", "white space"),
        ("https://service.example\r\nX: y", "white space"),
        ("https://ser vice.example", "white space"),
        ("https://service.example/\x00", "control characters"),
        ("service.example", "https://host"),
        ("//service.example", "https://host"),
        ("https://", "https://host"),
        ("https://bü cher.example", "white space"),
        ("https://xn--a.example", "https://host"),
        ("https://service.example:99999", "https://host"),
        ("localhost:8080", "https://"),
        ("ftp://service.example", "https://"),
        ("javascript:alert(1)", "https://"),
        ("file:///etc/passwd", "https://"),
        ("https://hunter2@service.example", "user name or a password"),
        ("https://user:hunter2@service.example", "user name or a password"),
        ("https://:hunter2@service.example", "user name or a password"),
        ("https://service.example?key=hunter2", "query string or a fragment"),
        ("https://service.example/?", "query string or a fragment"),
        ("https://service.example#hunter2", "query string or a fragment"),
    ],
)
def test_an_invalid_url_is_rejected_and_not_shown(private_key: str, base_url: str, why: str) -> None:
    with pytest.raises(botdesk.ConfigurationError) as caught:
        botdesk.Client("an-api-key", private_key, base_url=base_url)
    assert str(caught.value).startswith("base_url ")
    assert why in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.example", "xn--bcher-kva.example"),
        ("例え.example", "xn--r8jz45g.example"),
        # A Cyrillic letter that looks like an ASCII one leads to another host, and the client shows that.
        ("\u0430pi.example", "xn--pi-6kc.example"),
    ],
)
def test_an_international_host_is_shown_as_its_ascii_name(private_key: str, host: str, name: str) -> None:
    client = botdesk.Client("an-api-key", private_key, base_url=f"https://{host}/prefix")
    assert f"https://{name}/prefix " in repr(client)


@pytest.mark.parametrize(
    "base_url",
    [
        "http://service.example",
        "HTTP://service.example",
        "http://localhost.service.example",
        "http://127.0.0.1.service.example",
        "http://service.example/localhost",
        "http://192.168.1.5:8080",
        "http://0.0.0.0",
        "http://[::]",
    ],
)
def test_http_to_another_machine_has_to_be_allowed(private_key: str, base_url: str) -> None:
    with pytest.raises(botdesk.ConfigurationError, match="allow_http=True"):
        botdesk.Client("an-api-key", private_key, base_url=base_url)
    botdesk.Client("an-api-key", private_key, base_url=base_url, allow_http=True)


@pytest.mark.parametrize(
    "base_url",
    ["http://localhost", "http://LOCALHOST:8080", "http://127.0.0.1:8080/", "http://127.5.6.7", "http://[::1]:8080"],
)
def test_http_to_this_machine_is_allowed(private_key: str, base_url: str) -> None:
    botdesk.Client("an-api-key", private_key, base_url=base_url)


@pytest.mark.parametrize("option", ["timeout", "connect_timeout"])
@pytest.mark.parametrize("seconds", [0, 0.0, -0.0, -1, float("nan"), float("inf"), float("-inf"), 1e300, 1e-12])
def test_a_time_limit_that_makes_no_sense_is_rejected(private_key: str, option: str, seconds: float) -> None:
    options: dict[str, Any] = {option: seconds}
    with pytest.raises(botdesk.ConfigurationError, match=f"^{option} must be a number of seconds greater than 0"):
        botdesk.Client("an-api-key", private_key, base_url=ADDRESS, **options)


@pytest.mark.parametrize("seconds", [1, 0.5, 86_400, 1e9])
def test_a_time_limit_is_a_number_of_seconds(private_key: str, seconds: float) -> None:
    botdesk.Client("an-api-key", private_key, base_url=ADDRESS, timeout=seconds, connect_timeout=seconds)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("api_key", None),
        ("api_key", b"an-api-key"),
        ("api_key", 5),
        ("base_url", None),
        ("base_url", b"https://service.example"),
        ("password", b"correct-horse"),
        ("password", 5),
        ("timeout", "30"),
        ("connect_timeout", "10"),
        ("allow_http", "no"),
        ("allow_http", 1),
    ],
)
def test_an_option_of_a_wrong_type_is_a_type_error_that_names_it(private_key: str, option: str, value: object) -> None:
    options: dict[str, Any] = {
        "api_key": "an-api-key",
        "private_key": private_key,
        "base_url": ADDRESS,
        option: value,
    }
    with pytest.raises(TypeError) as caught:
        botdesk.Client(**options)
    assert option in f"{caught.value} {caught.value.__notes__}"


@pytest.mark.parametrize("option", ["api_key", "base_url", "password"])
def test_an_option_with_half_a_surrogate_pair_is_rejected_and_not_kept(private_key: str, option: str) -> None:
    options: dict[str, Any] = {"api_key": "an-api-key", "base_url": ADDRESS, option: "https://hunter2\udc80"}
    with pytest.raises(botdesk.ConfigurationError) as caught:
        botdesk.Client(private_key=private_key, **options)
    assert "hunter2" not in repr(caught.value)


def test_an_option_that_is_not_known_is_a_type_error(private_key: str) -> None:
    options: dict[str, Any] = {"time_out": 5}
    with pytest.raises(TypeError, match="time_out"):
        botdesk.Client("an-api-key", private_key, base_url=ADDRESS, **options)


def test_the_published_address_is_the_default(private_key: str) -> None:
    assert repr(botdesk.Client("an-api-key", private_key)).startswith("<Client https://api.3commas.io key ")
