"""Clients made from the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Set = Callable[[dict[str, str]], None]

KEY_VARIABLES = "BOTDESK_PRIVATE_KEY, BOTDESK_PRIVATE_KEY_FILE or BOTDESK_SECRET"
# What a newcomer without keys can do.
ADVICE = (
    "the command botdesk init asks for keys and saves them as a profile, for Client.from_profile() and all commands; "
    "without keys, botdesk sandbox runs a local mock of the service"
)
SECRET = "s3cret-0123456789"


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Set:
    """Put variables into the environment."""

    def put(variables: dict[str, str]) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return put


def error_message() -> str:
    with pytest.raises(botdesk.ConfigurationError) as caught:
        botdesk.Client.from_env()
    return str(caught.value)


def test_a_client_of_the_environment_works(
    sandbox: botdesk.Sandbox, public_pem: str, settings: dict[str, str], put: Set
) -> None:
    put({**settings, "BOTDESK_API_KEY": sandbox.add_key(public_pem), "BOTDESK_BASE_URL": sandbox.url})
    assert botdesk.Client.from_env().dca_bots.get(41).id == 41


def test_the_key_may_be_in_a_file(settings: dict[str, str], put: Set, expected: str) -> None:
    put(settings)
    assert repr(botdesk.Client.from_env()) == f"<Client https://service.example key {expected}>"


@pytest.mark.parametrize("newline", ["\n", "\\n", "\r\n"], ids=repr)
def test_the_key_may_be_in_the_environment_itself(
    settings: dict[str, str], put: Set, private_key: str, expected: str, newline: str
) -> None:
    del settings["BOTDESK_PRIVATE_KEY_FILE"]
    put({**settings, "BOTDESK_PRIVATE_KEY": private_key.replace("\n", newline)})
    assert expected in repr(botdesk.Client.from_env())


def test_the_key_may_have_a_password(
    settings: dict[str, str], put: Set, keys: Path, password: str, expected: str
) -> None:
    file = {"BOTDESK_PRIVATE_KEY_FILE": str(keys / "encrypted_aes256.pem")}
    put({**settings, **file, "BOTDESK_PRIVATE_KEY_PASSWORD": password})
    assert expected in repr(botdesk.Client.from_env())


def test_a_wrong_password_is_not_shown(settings: dict[str, str], put: Set, keys: Path) -> None:
    file = {"BOTDESK_PRIVATE_KEY_FILE": str(keys / "encrypted_aes256.pem")}
    put({**settings, **file, "BOTDESK_PRIVATE_KEY_PASSWORD": SECRET})
    message = error_message()
    assert "password is wrong" in message
    assert SECRET not in message


def test_a_missing_password_is_prompted_for(settings: dict[str, str], put: Set, keys: Path) -> None:
    put({**settings, "BOTDESK_PRIVATE_KEY_FILE": str(keys / "encrypted_aes256.pem")})
    assert "password" in error_message()


def test_the_path_of_the_key_may_begin_at_home(
    settings: dict[str, str], put: Set, key_file: Path, expected: str
) -> None:
    put({**settings, "HOME": str(key_file.parent), "BOTDESK_PRIVATE_KEY_FILE": f"~/{key_file.name}"})
    assert expected in repr(botdesk.Client.from_env())


def test_all_that_is_missing_is_reported_at_once() -> None:
    listed = f"the environment does not set: BOTDESK_API_KEY; {KEY_VARIABLES}"
    assert error_message() == f"{listed}; {ADVICE}"


@pytest.mark.parametrize(
    ("missing", "listed"),
    [
        ("BOTDESK_API_KEY", f"BOTDESK_API_KEY; {ADVICE}"),
        ("BOTDESK_PRIVATE_KEY_FILE", KEY_VARIABLES),
    ],
)
@pytest.mark.parametrize("way", ["unset", "empty"])
def test_a_variable_that_is_missing_is_named(
    settings: dict[str, str], put: Set, missing: str, listed: str, way: str
) -> None:
    value = settings.pop(missing)
    put({**settings, missing: ""} if way == "empty" else settings)
    message = error_message()
    assert message == f"the environment does not set: {listed}"
    assert value not in message


@pytest.mark.parametrize("way", ["unset", "empty"])
def test_the_base_url_is_the_published_one_unless_it_is_set(settings: dict[str, str], put: Set, way: str) -> None:
    del settings["BOTDESK_BASE_URL"]
    put({**settings, "BOTDESK_BASE_URL": ""} if way == "empty" else settings)
    assert repr(botdesk.Client.from_env()).startswith("<Client https://api.3commas.io key SHA256:")


def test_two_keys_are_one_too_many(settings: dict[str, str], put: Set, private_key: str) -> None:
    put({**settings, "BOTDESK_PRIVATE_KEY": private_key})
    assert error_message() == "BOTDESK_PRIVATE_KEY and BOTDESK_PRIVATE_KEY_FILE are both set; unset one of them"


def test_a_key_file_that_is_not_there_is_named(settings: dict[str, str], put: Set, tmp_path: Path) -> None:
    file = str(tmp_path / "nothing")
    put({**settings, "BOTDESK_PRIVATE_KEY_FILE": file})
    message = error_message()
    assert file in message
    assert "can't be read" in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BOTDESK_API_KEY", f"{SECRET} with a space"),
        ("BOTDESK_API_KEY", f"{SECRET}\r\nX-Header: 1"),
        ("BOTDESK_BASE_URL", "http://service.example"),
        ("BOTDESK_BASE_URL", f"https://user:{SECRET}@service.example"),
        ("BOTDESK_BASE_URL", "service.example"),
    ],
)
def test_an_unusable_value_is_rejected_and_not_shown(settings: dict[str, str], put: Set, name: str, value: str) -> None:
    put({**settings, name: value})
    assert SECRET not in error_message()


def test_a_string_that_is_not_a_key_is_not_shown(settings: dict[str, str], put: Set) -> None:
    del settings["BOTDESK_PRIVATE_KEY_FILE"]
    put({**settings, "BOTDESK_PRIVATE_KEY": SECRET})
    message = error_message()
    assert "RSA private key" in message
    assert SECRET not in message
