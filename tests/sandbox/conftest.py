"""Fixtures of the tests of the sandbox: a sandbox without bots, a client of it, and requests made by hand."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256
from rsa_keys import loaded, public_pem

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator


class Reply(NamedTuple):
    """A response of the sandbox."""

    status: int
    body: Any

    def messages(self) -> dict[str, list[str]]:
        """Return the messages of a 400 by field."""
        assert (self.status, self.body["error"]) == (400, "record_invalid"), self.body
        messages: dict[str, list[str]] = self.body["error_attributes"]
        return messages


class Raw:
    """An HTTP client that shares no code with botdesk."""

    def __init__(self, sandbox: botdesk.Sandbox, private_key: str) -> None:
        self._key = loaded(private_key)
        self._host = sandbox.url.removeprefix("http://")
        self._api_key = sandbox.add_key(public_pem(private_key))

    def sign(self, payload: str) -> str:
        """Sign a payload as the API reference describes it."""
        return base64.b64encode(self._key.sign(payload.encode(), padding.PKCS1v15(), SHA256())).decode()

    def send(
        self,
        method: str,
        target: str,
        body: str = "",
        content_type: str | None = None,
        *,
        signature: str | None = None,
    ) -> Reply:
        """Send a request whose target follows `/public/api`, with its signature or with another."""
        target = f"/public/api{target}"
        form = content_type == "application/x-www-form-urlencoded" and not body.startswith(("{", "["))
        payload = f"{target}{'?' if form and body else ''}{body}"
        headers = {"Apikey": self._api_key, "Signature": signature or self.sign(payload)}
        if content_type is not None:
            headers["Content-Type"] = content_type
        connection = http.client.HTTPConnection(self._host, timeout=30)
        try:
            connection.request(method, target, body.encode(), headers)
            response = connection.getresponse()
            return Reply(response.status, json.loads(response.read()))
        finally:
            connection.close()

    def send_json(self, method: str, target: str, body: object) -> Reply:
        """Send a JSON body."""
        return self.send(method, target, json.dumps(body), "application/json")


class SecretRaw(Raw):
    """The same with a system-generated key."""

    def __init__(self, sandbox: botdesk.Sandbox, private_key: str) -> None:
        super().__init__(sandbox, private_key)
        self.sandbox = sandbox
        self._api_key, self._secret = sandbox.add_key(secret=True)

    def sign(self, payload: str) -> str:
        """Sign a payload as the API reference describes it."""
        return hmac.new(self._secret.encode(), payload.encode(), hashlib.sha256).hexdigest()


@pytest.fixture
def bots() -> int:
    """Return the number of DCA bots of the sandbox; a test that is parametrized by it has others."""
    return 0


@pytest.fixture
def sandbox(bots: int) -> Iterator[botdesk.Sandbox]:
    """Return a sandbox without DCA bots, unless the test has some."""
    with botdesk.Sandbox(bots=bots, odd_values=True, fee=0) as sandbox:
        yield sandbox


@pytest.fixture
def raw(sandbox: botdesk.Sandbox, private_key: str) -> Raw:
    """Return an HTTP client of the sandbox."""
    return Raw(sandbox, private_key)
