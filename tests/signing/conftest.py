"""Fixtures of the tests of keys: clients made with a key, and the fingerprint of the key that they hold."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Protocol

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

import botdesk

if TYPE_CHECKING:
    from os import PathLike


class Fingerprint(Protocol):
    """Returns the fingerprint of the key that a client holds."""

    def __call__(self, private_key: str | bytes | PathLike[str], password: str | None = ...) -> str:
        """Make a client with a key; return the fingerprint in its repr."""
        ...


class ErrorMessage(Protocol):
    """Returns the message of the error about a key."""

    def __call__(self, private_key: object, password: str | None = ...) -> str:
        """Make a client with an invalid key, and return the message of the error."""
        ...


@pytest.fixture
def fingerprint() -> Fingerprint:
    """Make clients with a key."""

    def fingerprint(private_key: str | bytes | PathLike[str], password: str | None = None) -> str:
        client = botdesk.Client("an-api-key", private_key, base_url="https://service.example", password=password)
        assert botdesk.PrivateKey.load(private_key, password=password).fingerprint in repr(client)
        return repr(client).rpartition(" ")[2].removesuffix(">")

    return fingerprint


@pytest.fixture
def error_message() -> ErrorMessage:
    """Return a function that makes clients with invalid keys."""

    def error_message(private_key: object, password: str | None = None) -> str:
        options: dict[str, str] = {} if password is None else {"password": password}
        with pytest.raises(botdesk.ConfigurationError) as caught:
            # A wrong type is one of the things to try.
            botdesk.Client("an-api-key", private_key, base_url="https://service.example", **options)  # type: ignore[arg-type]
        with pytest.raises(botdesk.ConfigurationError) as loading:
            botdesk.PrivateKey.load(private_key, **options)  # type: ignore[arg-type]
        assert str(loading.value) == str(caught.value)
        assert caught.value.args == (str(caught.value),)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
        return str(caught.value)

    return error_message


@pytest.fixture(scope="session")
def expected(private_key: str) -> str:
    """Return the fingerprint of the test key, as another library finds it."""
    public_key = load_pem_private_key(private_key.encode(), None).public_key()
    der = public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return "SHA256:" + base64.b64encode(hashlib.sha256(der).digest()).decode().rstrip("=")


@pytest.fixture(scope="session")
def password() -> str:
    """Return the password of the encrypted test keys."""
    return "correct-horse"
