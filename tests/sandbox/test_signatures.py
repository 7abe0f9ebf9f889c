"""Signatures of requests that are built by hand."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .conftest import Raw, SecretRaw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

JSON = "application/json"
PATH = "/ver1/grid_bots/203/note"
SIGNED = f"/public/api{PATH}"


@pytest.mark.shows("authentication 4 JSON")
@pytest.mark.parametrize("body", ['{"note":"x"}', '{ "note" :\n"x" }', '{"note":"\\u0078"}'])
def test_a_json_body_is_signed_byte_for_byte(raw: Raw, body: str) -> None:
    reply = raw.send("POST", PATH, body, JSON, signature=raw.sign(SIGNED + body))
    assert (reply.status, reply.body["note"]) == (201, "x")


@pytest.mark.shows("authentication 5", "authentication 7")
@pytest.mark.parametrize(
    "signed",
    [
        f'{SIGNED}{{"note":"y"}}',
        f'{SIGNED}{{"note": "x"}}',
        f'{SIGNED.replace("203", "201")}{{"note":"x"}}',
        f'{PATH}{{"note":"x"}}',
        SIGNED,
    ],
)
def test_what_is_sent_must_be_what_was_signed(raw: Raw, signed: str) -> None:
    reply = raw.send("POST", PATH, '{"note":"x"}', JSON, signature=raw.sign(signed))
    assert (reply.status, reply.body["error"]) == (401, "signature_invalid")
    assert "signature is invalid" in reply.body["error_description"]


@pytest.mark.shows("authentication 5")
def test_a_signature_is_case_sensitive(raw: Raw) -> None:
    body = '{"note":"x"}'
    reply = raw.send("POST", PATH, body, JSON, signature=raw.sign(SIGNED + body).swapcase())
    assert (reply.status, reply.body["error"]) == (401, "signature_invalid")


# The text that a key of each kind signs, as the reference describes it and as programs do it with success.
JSON_BODY = '{"note":"x"}'


@pytest.fixture
def secret_raw(private_key: str) -> Iterator[SecretRaw]:
    """Run a sandbox, and return a client of it that signs with a secret."""
    with botdesk.Sandbox() as sandbox:
        yield SecretRaw(sandbox, private_key)


FORMS = [
    ("rsa", "POST", PATH, JSON_BODY, f"{SIGNED}{JSON_BODY}", "pathjson", True),
    ("rsa", "POST", PATH, JSON_BODY, f"{SIGNED}?{JSON_BODY}", "path?json", False),
    ("rsa", "GET", "/ver1/bots", "", "/public/api/ver1/bots", "path", True),
    ("rsa", "GET", "/ver1/bots", "", "/public/api/ver1/bots?", "path?", False),
    ("rsa", "GET", "/ver1/bots?limit=1", "", "/public/api/ver1/bots?limit=1", "path?params", True),
    ("hmac", "POST", PATH, JSON_BODY, f"{SIGNED}?{JSON_BODY}", "path?json", True),
    ("hmac", "POST", PATH, JSON_BODY, f"{SIGNED}{JSON_BODY}", "pathjson", False),
    ("hmac", "GET", "/ver1/bots", "", "/public/api/ver1/bots", "path", True),
    ("hmac", "GET", "/ver1/bots", "", "/public/api/ver1/bots?", "path?", False),
    ("hmac", "GET", "/ver1/bots?", "", "/public/api/ver1/bots?", "path?", False),
    ("hmac", "GET", "/ver1/bots?limit=1", "", "/public/api/ver1/bots?limit=1", "path?params", True),
    ("hmac", "POST", PATH, "note=x", f"{SIGNED}?note=x", "path?params", True),
    ("rsa", "POST", PATH, "note=x", f"{SIGNED}?note=x", "path?params", True),
]


@pytest.mark.parametrize("strict", [False, True], ids=["both forms", "strict"])
@pytest.mark.parametrize(("kind", "method", "target", "body", "signed", "form", "is_documented"), FORMS)
def test_both_forms_of_the_signed_text_are_accepted_and_recorded_and_a_strict_sandbox_takes_only_ours(
    private_key: str,
    *,
    kind: str,
    method: str,
    target: str,
    body: str,
    signed: str,
    form: str,
    is_documented: bool,
    strict: bool,
) -> None:
    with botdesk.Sandbox(strict_signatures=strict) as sandbox:
        raw = Raw(sandbox, private_key) if kind == "rsa" else SecretRaw(sandbox, private_key)
        content_type = None if not body else JSON if body == JSON_BODY else "application/x-www-form-urlencoded"
        reply = raw.send(method, target, body, content_type, signature=raw.sign(signed))
        is_accepted = is_documented or not strict
        assert (reply.status < 300) == is_accepted, reply
        if not is_accepted:
            assert (reply.status, reply.body["error"]) == (401, "signature_invalid")
        assert sandbox.requests[-1].signed_form == (form if is_accepted else None)


SECRET_TEXT = f"{SIGNED}?{JSON_BODY}"


def test_the_case_of_a_hexadecimal_signature_does_not_matter(secret_raw: SecretRaw) -> None:
    signature = secret_raw.sign(SECRET_TEXT)
    assert signature == signature.lower()
    for spelling in (signature, signature.upper(), signature.swapcase()):
        assert secret_raw.send("POST", PATH, JSON_BODY, JSON, signature=spelling).status == 201


# The digest in other encodings, cut, extended, and changed.
CHANGES: dict[str, Callable[[str], str]] = {
    "a digit less": lambda signature: signature[:-1],
    "a byte less": lambda signature: signature[:-2],
    "a byte more": lambda signature: f"{signature}00",
    "no digit": lambda signature: f"{signature[:-1]}g",
    "Base64": lambda signature: base64.b64encode(bytes.fromhex(signature)).decode(),
    "zeros": lambda _signature: "0" * 64,
    "no ASCII": lambda signature: f"{signature[:-1]}\u00e9",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_anything_but_the_hexadecimal_digest_is_rejected(secret_raw: SecretRaw, change: Callable[[str], str]) -> None:
    reply = secret_raw.send("POST", PATH, JSON_BODY, JSON, signature=change(secret_raw.sign(SECRET_TEXT)))
    assert (reply.status, reply.body["error"]) == (401, "signature_invalid")
    assert secret_raw.sandbox.requests[-1].signed_form is None


@pytest.mark.parametrize("text", [f"{SIGNED}?{JSON_BODY} ", f"{SIGNED}?", SIGNED, f"{PATH}?{JSON_BODY}"])
def test_a_secret_signs_what_is_sent(secret_raw: SecretRaw, text: str) -> None:
    reply = secret_raw.send("POST", PATH, JSON_BODY, JSON, signature=secret_raw.sign(text))
    assert (reply.status, reply.body["error"]) == (401, "signature_invalid")


def test_a_signature_of_the_other_kind_is_rejected(private_key: str) -> None:
    with botdesk.Sandbox() as sandbox:
        api_key, secret = sandbox.add_key(secret=True)
        other = sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem)
        for client in (
            botdesk.Client(api_key, private_key, base_url=sandbox.url),
            botdesk.Client(other, secret=secret, base_url=sandbox.url),
        ):
            with pytest.raises(botdesk.SignatureInvalidError) as caught:
                client.validate()
            assert (caught.value.status, caught.value.error) == (401, "signature_invalid")
            assert "a self-generated key has a private key, a system-generated one a secret" in str(caught.value)


def test_each_key_has_a_secret_of_its_own_and_the_permissions_that_it_was_given() -> None:
    with botdesk.Sandbox() as sandbox:
        keys = {sandbox.add_key(secret=True) for _ in range(5)}
        assert len({part for key in keys for part in key}) == 10
        api_key, secret = sandbox.add_key(permissions=["BOTS_READ"], secret=True)
        client = botdesk.Client(api_key, secret=secret, base_url=sandbox.url)
        assert client.dca_bots.get(41).id == 41
        with pytest.raises(botdesk.ForbiddenError):
            client.dca_bots.disable(41)
        # The signature was valid.
        assert sandbox.requests[-1].signed_form == "path"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "no key is given; pass an RSA public key in PEM as public_key_pem, or secret=True"),
        (
            {"public_key_pem": "-----BEGIN PUBLIC KEY-----", "secret": True},
            "public_key_pem and secret=True are both given; a key has one of them",
        ),
    ],
)
def test_one_kind_of_key_is_registered(arguments: dict[str, Any], message: str) -> None:
    with botdesk.Sandbox() as sandbox, pytest.raises(botdesk.ConfigurationError) as caught:
        sandbox.add_key(**arguments)
    assert str(caught.value) == message


def test_market_data_needs_no_signature_and_records_none() -> None:
    with botdesk.Sandbox() as sandbox:
        sandbox.client().markets.list()
        assert sandbox.requests[-1].signed_form is None
