"""Signing by hand: what is signed, by which key, and a command that really sends it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from rsa_keys import loaded

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Sign = Callable[..., botdesk.SignedRequest]

API_KEY = "an-api-key-0123456789"


@pytest.fixture
def client(private_key: str) -> botdesk.Client:
    """Return a client of a service that does not exist, so that any request fails."""
    return botdesk.Client(API_KEY, private_key, base_url="https://service.invalid/proxy")


@pytest.fixture(params=["blocking", "asyncio"])
def sign(request: pytest.FixtureRequest, client: botdesk.Client) -> Sign:
    """Sign, once blocking and once under asyncio."""

    def sign(*given: Any, **named: Any) -> botdesk.SignedRequest:  # noqa: ANN401
        if request.param == "blocking":
            return client.sign(*given, **named)
        return asyncio.run(client.sign_async(*given, **named))

    return sign


@pytest.fixture
def public_key(private_key: str) -> rsa.RSAPublicKey:
    """Return the public half, as another library reads it."""
    return loaded(private_key).public_key()


@pytest.mark.parametrize(
    ("given", "payload"),
    [
        ({}, "/public/api/ver1/anything"),
        ({"query": {}}, "/public/api/ver1/anything"),
        ({"query": {"limit": 1, "name": "a b+é"}}, "/public/api/ver1/anything?limit=1&name=a%20b%2B%C3%A9"),
        ({"json": {"name": "é", "id": 5}}, '/public/api/ver1/anything{"name":"\\u00e9","id":5}'),
        ({"query": {"a": 1}, "json": {}}, "/public/api/ver1/anything?a=1{}"),
    ],
    ids=range(5),
)
def test_the_payload_is_the_path_and_the_query_or_body(sign: Sign, given: dict[str, Any], payload: str) -> None:
    assert sign("POST", "/ver1/anything", **given).payload == payload


def test_the_method_is_not_signed(client: botdesk.Client) -> None:
    signatures = {client.sign(method, "/ver1/anything").signature for method in ("GET", "POST", "DELETE")}
    assert len(signatures) == 1


def test_another_library_verifies_the_signature(sign: Sign, public_key: rsa.RSAPublicKey) -> None:
    signed = sign("PATCH", "/ver1/anything", json={"name": "it's é"})
    assert "\n" not in signed.signature
    signature = base64.b64decode(signed.signature, validate=True)
    public_key.verify(signature, signed.payload.encode("ascii"), padding.PKCS1v15(), SHA256())


def test_the_fingerprint_is_that_of_the_key_that_signed(
    sign: Sign, expected: str, client: botdesk.Client, private_key: str
) -> None:
    assert sign("GET", "/ver1/bots").fingerprint == expected
    assert expected in repr(client)
    assert botdesk.PrivateKey.load(private_key).fingerprint == expected


def test_openssl_finds_the_same_fingerprint(public_key: rsa.RSAPublicKey, expected: str) -> None:
    pem = public_key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    command = "openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | openssl base64 -A"
    found = subprocess.run(["sh", "-c", command], input=pem, capture_output=True, check=True)
    assert "SHA256:" + found.stdout.decode().rstrip("=") == expected


def test_it_shows_the_request_and_the_key_and_no_signature(sign: Sign, expected: str) -> None:
    signed = sign("GET", "/ver1/bots", query={"secret": "s3cret-value"})
    assert repr(signed) == f"<SignedRequest GET /public/api/ver1/bots key {expected}>"


def test_an_invalid_request_is_not_signed(sign: Sign) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        sign("LOOK", "bots", query=5, json="text")
    assert set(caught.value.errors) == {"method", "path", "query", "json"}


class TestCurl:
    def test_it_leaves_the_key_as_a_variable(self, sign: Sign, private_key: str) -> None:
        curl = sign("POST", "/ver1/anything", json={"a": 1}).curl
        assert '"Apikey: $BOTDESK_API_KEY"' in curl
        assert API_KEY not in curl
        assert not any(line in curl for line in private_key.splitlines()[1:-1])

    def test_it_is_one_line(self, sign: Sign) -> None:
        curl = sign("POST", "/ver1/anything", query={"a": "1\n2"}, json={"a": "1\r\n2"}).curl
        assert len(curl.splitlines()) == 1

    def test_it_asks_where_the_client_would_ask(self, sign: Sign) -> None:
        curl = sign("GET", "/ver1/bots", query={"limit": 1}).curl
        assert " 'https://service.invalid/proxy/public/api/ver1/bots?limit=1' " in curl


class BotSandbox:
    """A sandbox, a client of it, and a shell that has its API key in the environment."""

    def __init__(self, sandbox: botdesk.Sandbox, private_key: str) -> None:
        self.sandbox = sandbox
        key = botdesk.PrivateKey.load(private_key)
        self._api_key = sandbox.add_key(key.public_key_pem)
        self.client = botdesk.Client(self._api_key, key, base_url=sandbox.url)

    def run(self, command: str) -> Any:  # noqa: ANN401
        """Run a command in a shell; return the JSON that it prints."""
        environment = {**os.environ, "BOTDESK_API_KEY": self._api_key, "no_proxy": "*"}
        done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, check=True, timeout=120)
        return json.loads(done.stdout)


@pytest.fixture
def context(private_key: str) -> Iterator[BotSandbox]:
    """Run a sandbox that knows the test key."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        yield BotSandbox(sandbox, private_key)


class TestCommand:
    def test_a_signature_sends_nothing(self, context: BotSandbox) -> None:
        context.client.sign("POST", "/ver1/bots/41/disable")
        assert context.sandbox.requests == []
        assert context.client.dca_bots.get(41).is_enabled

    def test_a_read_runs(self, context: BotSandbox) -> None:
        signed = context.client.sign("GET", "/ver1/bots", query={"limit": 1, "scope": "enabled"})
        (bot,) = context.run(signed.curl)
        assert bot["is_enabled"] is True
        assert context.sandbox.requests[-1].query == "limit=1&scope=enabled"

    def test_a_write_without_a_body_runs(self, context: BotSandbox) -> None:
        bot = context.run(context.client.sign("POST", "/ver1/bots/41/disable").curl)
        assert (bot["id"], bot["is_enabled"]) == (41, False)

    @pytest.mark.parametrize("name", ["it's", '$(touch /never)`x`\\ "$HOME" é😀', "'; echo {} #", "@file", "%s\n!"])
    def test_a_body_with_what_a_shell_minds_runs(self, context: BotSandbox, name: str) -> None:
        preview = context.client.dca_bots.get(41).preview_edit(name=name)
        signed = context.client.sign(preview.method, preview.path, json=json.loads(preview.body))
        assert context.run(signed.curl)["name"] == name
        assert context.sandbox.requests[-1].body == preview.body

    def test_a_query_with_what_a_shell_and_curl_mind_runs(self, context: BotSandbox) -> None:
        signed = context.client.sign("GET", "/ver1/bots", query={"quote": "[1-3]{a,b}'$HOME&x=1"})
        context.run(signed.curl)
        assert signed.payload == f"/public/api/ver1/bots?{context.sandbox.requests[-1].query}"
        assert context.sandbox.requests[-1].status == 200

    def test_a_signature_of_something_else_is_rejected(self, context: BotSandbox) -> None:
        signed = context.client.sign("GET", "/ver1/bots", query={"limit": 1})
        assert context.run(signed.curl.replace("limit=1", "limit=2"))["error"] == "signature_invalid"
