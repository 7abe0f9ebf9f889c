"""A rejected signature: the error has the payload and the key's fingerprint, and no secret."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Calls, Service

    Fails = Callable[..., botdesk.SignatureInvalidError]

BODY = b'{"error":"signature_invalid","error_description":"The provided signature is invalid"}'

SECRETS = {
    "api_key": "exchange-key-0123456789",
    "secret": 'exchange/secret"with\\é 0123456789',
    "passphrase": "short",
    "customer_id": "customer-0123456789",
}


@pytest.fixture
def refused(service: Service) -> Fails:
    """Make a call with a rejected signature; return the error."""

    def refused(call: Callable[..., object], *given: object, **named: Any) -> botdesk.SignatureInvalidError:  # noqa: ANN401
        service.responds(401, BODY)
        with pytest.raises(botdesk.SignatureInvalidError) as caught:
            call(*given, **named)
        return caught.value

    return refused


def test_it_shows_what_was_signed(client: botdesk.Client, calls: Calls, refused: Fails) -> None:
    assert refused(calls.get, client).payload == "/public/api/ver1/bots/41/show"
    assert refused(calls.list, client, limit=5, quote="a b").payload == "/public/api/ver1/bots?limit=5&quote=a%20b"


def test_what_was_signed_is_what_arrived(
    client: botdesk.Client, service: Service, calls: Calls, refused: Fails
) -> None:
    service.responds()
    bot = calls.get(client)
    service.request()
    error = refused(calls.edit, bot, name="é")
    request = service.request()
    assert error.payload == request.target + request.body.decode("ascii")


def test_it_shows_the_fingerprint_of_the_key_that_signed(
    client: botdesk.Client, calls: Calls, refused: Fails, private_key: str
) -> None:
    public_key = load_pem_private_key(private_key.encode(), None).public_key()
    der = public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    expected = "SHA256:" + base64.b64encode(hashlib.sha256(der).digest()).decode().rstrip("=")
    error = refused(calls.get, client)
    assert error.fingerprint == expected
    assert expected in str(error)


def test_it_keeps_both_when_it_is_pickled(client: botdesk.Client, calls: Calls, refused: Fails) -> None:
    error = refused(calls.get, client)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (again.payload, again.fingerprint) == (error.payload, error.fingerprint)


def test_other_errors_have_neither(client: botdesk.Client, service: Service) -> None:
    service.responds(401, b'{"error":"api_key_invalid_or_expired"}')
    with pytest.raises(botdesk.AuthenticationError) as caught:
        client.dca_bots.get(41)
    assert not hasattr(caught.value, "payload")


@pytest.mark.parametrize("way", ["blocking", "asyncio"])
def test_the_secrets_of_an_account_are_not_in_what_was_signed(
    client: botdesk.Client, service: Service, refused: Fails, way: str
) -> None:
    def add() -> object:
        given: dict[str, Any] = {"type": "binance", "name": "Main", "types_to_create": [], **SECRETS}
        if way == "blocking":
            return client.accounts.add(**given)
        return asyncio.run(client.accounts.add_async(**given))

    error = refused(add)
    assert error.payload.startswith('/public/api/ver1/accounts/new{"type":"binance","name":"Main","api_key":"<hidden>"')
    sent = service.request().body.decode()
    output = error.payload + str(error) + repr(vars(error)) + repr(pickle.dumps(error))
    for part in ("exchange-key", "exchange/secret", "0123456789", "short", "customer-"):
        assert part in sent
        assert part not in output


def test_neither_the_api_key_nor_the_signature_is_shown(
    client: botdesk.Client, service: Service, refused: Fails
) -> None:
    error = refused(client.dca_bots.get, 41)
    headers = service.request().headers
    output = str(error) + repr(vars(error))
    assert headers["apikey"] not in output
    assert headers["signature"] not in output
