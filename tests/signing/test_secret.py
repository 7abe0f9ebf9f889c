"""Secrets of system-generated keys: what they sign, compared with another library, and what is not a secret."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import subprocess
import traceback
import warnings
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

API_KEY = "an-api-key-0123456789"
SECRET = "example-secret"
PATH = "/public/api/ver1/anything"


def client_of(secret: str = SECRET, api_key: str = API_KEY) -> botdesk.Client:
    """Return a client of a service that does not exist, so that any request fails."""
    return botdesk.Client(api_key, secret=secret, base_url="https://service.invalid/proxy")


def hmac_of(secret: str, payload: str) -> str:
    """Sign a payload as the API reference describes it."""
    return hmac.new(secret.encode(), payload.encode("ascii"), hashlib.sha256).hexdigest()


@pytest.mark.parametrize(
    ("method", "path", "given", "signature"),
    [
        (
            "POST",
            "/ver1/users/change_mode",
            {"query": {"mode": "paper"}},
            "d95edd38bc9e3b2416201ddc80a25a6e2d04128016c0ef1fedb559a156a4fe34",
        ),
        ("GET", "/ver1/accounts", {}, "44295d035b48c9490a6251c5a40396445981f2341105df133e12e0a591e54780"),
        (
            "GET",
            "/ver1/accounts",
            {"query": {"page": 1, "per_page": 50}},
            "2706bd8a0348826523b3c9fa9888b6281a71a78a3086f52ef16677a17d8dc7da",
        ),
        (
            "POST",
            "/ver1/accounts/1/rename",
            {"query": {"name": "new name"}},
            "954847e0e3c9c515690bd19e4d44d49db72a5e5a17c51a88196e00f9bfb65cb5",
        ),
        (
            "PUT",
            "/ver1/accounts/update",
            {"json": {"account_id": 1, "name": "new name"}},
            "00323d39a5200f194d7f848d0dd936a9ab89271139169f02beddc668356fb7aa",
        ),
    ],
)
def test_a_request_has_the_signature_of_the_specification(
    method: str, path: str, given: dict[str, Any], signature: str
) -> None:
    assert client_of().sign(method, path, **given).signature == signature


@pytest.mark.parametrize(
    ("given", "payload"),
    [
        ({}, PATH),
        ({"query": {}}, PATH),
        ({"query": {"limit": 1, "name": "a b+é"}}, f"{PATH}?limit=1&name=a%20b%2B%C3%A9"),
        ({"json": {"name": "é", "id": 5}}, f'{PATH}?{{"name":"\\u00e9","id":5}}'),
        ({"json": {}}, f"{PATH}?{{}}"),
        ({"query": {"a": 1}, "json": {"b": 2}}, f'{PATH}?a=1{{"b":2}}'),
    ],
    ids=range(6),
)
def test_the_payload_is_the_path_and_the_parameters_after_a_question_mark(given: dict[str, Any], payload: str) -> None:
    signed = client_of().sign("POST", "/ver1/anything", **given)
    assert signed.payload == payload
    assert signed.signature == hmac_of(SECRET, payload)


values = strategies.one_of(strategies.text(max_size=20), strategies.integers(), strategies.booleans())
names = strategies.text("abcdefgh_", min_size=1, max_size=8)
visible = strategies.text([chr(code) for code in range(0x21, 0x7F)], min_size=1, max_size=200)


@given(secret=visible, query=strategies.dictionaries(names, values), body=strategies.dictionaries(names, values))
def test_another_library_makes_the_same_signature(secret: str, query: dict[str, Any], body: dict[str, Any]) -> None:
    if secret.endswith((".pem", ".key", ".p8", ".der")) or "-----" in secret:
        return
    client = client_of(secret)
    for given_ in ({}, {"query": query}, {"json": body}, {"query": query, "json": body}):
        signed = client.sign("POST", "/ver1/anything", **given_)
        assert signed.signature == hmac_of(secret, signed.payload)


def test_a_preview_shows_the_payload_of_its_kind_of_key() -> None:
    with botdesk.Sandbox(strict_signatures=True) as sandbox:
        api_key, secret = sandbox.add_key(secret=True)
        client = botdesk.Client(api_key, secret=secret, base_url=sandbox.url)
        preview = client.dca_bots.get(41).preview_edit(take_profit="1.5")
        assert preview.payload == f"{preview.path}?{preview.body}"
        assert preview.apply().take_profit is not None
        rsa = sandbox.client().dca_bots.get(41).preview_edit(take_profit="1.6")
        assert rsa.payload == f"{rsa.path}{rsa.body}"


def test_the_fingerprint_is_a_digest_of_the_api_key_and_not_of_the_secret() -> None:
    found = {secret: client_of(secret).sign("GET", "/ver1/bots").fingerprint for secret in ("one", "two")}
    assert found["one"] == found["two"]
    assert found["one"].startswith("HMAC:")
    assert found["one"] != client_of(api_key="another").sign("GET", "/ver1/bots").fingerprint
    client = client_of("one")
    assert repr(client) == f"<Client https://service.invalid/proxy key {found['one']}>"
    assert API_KEY not in repr(client)


class TestCurl:
    @pytest.fixture
    def sandbox(self) -> Iterator[botdesk.Sandbox]:
        """Run a sandbox that takes only the documented signatures."""
        with botdesk.Sandbox(strict_signatures=True) as sandbox:
            yield sandbox

    @pytest.mark.parametrize(
        ("method", "path", "given", "form"),
        [
            ("GET", "/ver1/bots", {"query": {"limit": 1}}, "path?params"),
            ("GET", "/ver1/bots/41/show", {}, "path"),
            ("POST", "/ver1/grid_bots/203/note", {"json": {"note": "it's"}}, "path?json"),
        ],
    )
    def test_the_command_runs(
        self, sandbox: botdesk.Sandbox, *, method: str, path: str, given: dict[str, Any], form: str
    ) -> None:
        api_key, secret = sandbox.add_key(secret=True)
        signed = botdesk.Client(api_key, secret=secret, base_url=sandbox.url).sign(method, path, **given)
        assert secret not in signed.curl
        environment = {**os.environ, "BOTDESK_API_KEY": api_key, "no_proxy": "*"}
        done = subprocess.run(["sh", "-c", signed.curl], env=environment, capture_output=True, check=True, timeout=120)
        assert "error" not in json.loads(done.stdout)
        assert sandbox.requests[-1].signed_form == form


def message(**keys: Any) -> str:  # noqa: ANN401
    """Make a client with invalid keys; return the message of the error."""
    with pytest.raises(botdesk.ConfigurationError) as caught:
        botdesk.Client(API_KEY, base_url="https://service.example", **keys)
    error = caught.value
    assert error.args == (str(error),)
    assert error.__cause__ is None
    assert error.__context__ is None
    return str(error)


NOT_A_SECRET = "secret: expected the secret of a system-generated key, not "
PEM_HINT = "an RSA private key is passed as private_key, or in BOTDESK_PRIVATE_KEY"


class TestRejected:
    def test_a_key_in_pem_is_named(self, private_key: str, keys: Path) -> None:
        for pem in (private_key, private_key.replace("\n", "\\n"), (keys / "public.pem").read_text()):
            assert message(secret=pem) == f"{NOT_A_SECRET}a key in PEM; {PEM_HINT}"

    def test_a_path_of_a_key_is_named(self, keys: Path) -> None:
        assert message(secret=str(keys / "rsa_2048.pem")) == f"{NOT_A_SECRET}the path of a key file; {PEM_HINT}"

    @pytest.mark.parametrize("secret", ["", " ", "\n", " \t\r\n"])
    def test_an_empty_secret_is_named(self, secret: str) -> None:
        found = message(secret=secret)
        assert found.startswith(f"{NOT_A_SECRET}an empty string; copy it again, or create a new key")

    def test_the_api_key_is_not_its_secret(self) -> None:
        found = message(secret=API_KEY)
        assert found == f"{NOT_A_SECRET}the API key itself; pass the secret that the service displayed beside it"

    @pytest.mark.parametrize(
        "secret", ["s3cret 0123456789", "s3cret\n0123456789", "s3cret\x000123", "s3cret\u00e9", "\ufeffs3cret"]
    )
    def test_white_space_and_other_characters_inside_are_named_and_not_shown(self, secret: str) -> None:
        found = message(secret=secret)
        assert found.startswith(f"{NOT_A_SECRET}a string with white space, control characters or characters outside")
        assert "s3cret" not in found

    def test_half_of_a_surrogate_pair_is_not_shown(self) -> None:
        assert "s3cret" not in message(secret="s3cret\udc80")

    @pytest.mark.parametrize(
        ("secret", "seen"),
        [(b"s3cret", "bytes"), (5, "int"), (["s3cret"], "list"), (bytearray(b"s3cret"), "bytearray")],
    )
    def test_another_type_is_named(self, secret: object, seen: str) -> None:
        assert message(secret=secret) == f"secret must be a str, not {seen}"

    def test_a_private_key_is_not_a_secret(self, private_key: str) -> None:
        key = botdesk.PrivateKey.load(private_key)
        assert message(secret=key) == "secret must be a str, not PrivateKey; pass it as private_key"

    def test_a_secret_is_not_a_private_key(self) -> None:
        secret = "s3cret0123456789" * 10
        found = message(private_key=secret)
        assert "expected an RSA private key, not a string that is neither a PEM block nor the path of a file" in found
        assert found.endswith("; the secret of a system-generated key is passed as secret, or in BOTDESK_SECRET")
        assert "s3cret" not in found

    def test_both_kinds_are_one_too_many(self, private_key: str) -> None:
        found = message(private_key=private_key, secret=SECRET)
        assert found.startswith("private_key and secret are both given; pass the one that belongs to the API key: ")

    def test_one_kind_is_needed(self) -> None:
        for keys in ({}, {"private_key": None, "secret": None}):
            assert message(**keys).startswith("neither private_key nor secret is given; pass the secret of a system-")

    def test_a_secret_has_no_password(self) -> None:
        found = message(secret=SECRET, password="pass-w0rd")
        assert found == "secret and password are both given; a secret has no password, so leave the password out"

    def test_no_part_of_a_secret_is_in_a_traceback(self) -> None:
        secret = "s3cret-0123456789\x00"
        try:
            client_of(secret)
        except botdesk.ConfigurationError as error:
            output = f"{error!r} {vars(error)}" + "".join(traceback.format_exception(error))
            assert "0123456789" not in output
        else:
            pytest.fail("the secret was accepted")


class TestTrimmed:
    @pytest.mark.parametrize("around", ["{}\n", "{}\r\n", "{} ", " {}", "\t{}\n\n"])
    def test_white_space_around_a_secret_is_removed_with_a_warning(self, around: str) -> None:
        with pytest.warns(
            UserWarning, match="secret: white space or a line end around the secret was removed"
        ) as caught:
            client = client_of(around.format(SECRET))
        assert [SECRET in str(warning.message) for warning in caught] == [False]
        signed = client.sign("GET", "/ver1/accounts")
        assert signed.signature == hmac_of(SECRET, signed.payload)

    def test_without_white_space_there_is_no_warning(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            client_of()

    def test_the_warning_is_at_the_line_of_the_user(self) -> None:
        with pytest.warns(UserWarning, match="white space") as caught:
            client_of(f"{SECRET}\n")
        assert caught[0].filename == __file__


def test_the_published_base_url_is_the_default(private_key: str) -> None:
    assert repr(botdesk.Client(API_KEY, secret=SECRET)).startswith("<Client https://api.3commas.io key HMAC:")
    assert repr(botdesk.Client(API_KEY, private_key)).startswith("<Client https://api.3commas.io key SHA256:")
