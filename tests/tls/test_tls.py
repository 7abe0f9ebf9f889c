"""TLS: which certificates are accepted; nothing is sent to any other server."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

import botdesk

from .conftest import BODY, DAY, NOW, Identity, Key, identity

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Connect, Secure, Serve

HOST = ("127.0.0.1",)


def refused(client: botdesk.Client, service: Secure) -> str:
    """Make a read and a write that must not be sent; return the messages of their errors."""
    said: list[str] = []
    for call in (client.dca_bots.get, client.dca_bots.disable):
        with pytest.raises(botdesk.ConnectionFailedError) as caught:
            call(41)
        assert not caught.value.sent
        said.append(str(caught.value))
    assert service.requests == []
    return " ".join(said)


def test_a_certificate_of_a_given_authority_is_accepted(
    serve: Serve, connect: Connect, authority: Identity, tmp_path: Path
) -> None:
    service = serve(identity("host", by=authority, hosts=HOST))
    assert connect(service, authority.saved(tmp_path, "ca")).dca_bots.get(41).id == 41


@pytest.mark.parametrize(
    "make_key",
    [
        lambda: ec.generate_private_key(ec.SECP256R1()),
        lambda: ec.generate_private_key(ec.SECP384R1()),
        lambda: ec.generate_private_key(ec.SECP521R1()),
        ed25519.Ed25519PrivateKey.generate,
        lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
    ],
    ids=["P-256", "P-384", "P-521", "Ed25519", "RSA"],
)
def test_certificates_with_all_common_keys_are_accepted(
    serve: Serve, connect: Connect, tmp_path: Path, make_key: Callable[[], Key]
) -> None:
    authority = identity("an authority", key=make_key())
    service = serve(identity("host", by=authority, hosts=HOST, key=make_key()))
    assert connect(service, authority.saved(tmp_path, "ca")).dca_bots.get(41).id == 41


@pytest.mark.parametrize("group", ["X25519", "prime256v1", "secp384r1"])
def test_keys_are_exchanged_in_all_common_groups(
    serve: Serve, connect: Connect, authority: Identity, tmp_path: Path, group: str
) -> None:
    service = serve(identity("host", by=authority, hosts=HOST), group)
    assert connect(service, authority.saved(tmp_path, "ca")).dca_bots.get(41).id == 41


@pytest.mark.parametrize("cipher", ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"])
def test_long_responses_arrive_with_all_common_ciphers(
    serve: Serve, connect: Connect, authority: Identity, tmp_path: Path, cipher: str
) -> None:
    service = serve(identity("host", by=authority, hosts=HOST), cipher=f"ECDHE-ECDSA-{cipher}")
    bot = connect(service, authority.saved(tmp_path, "ca")).dca_bots.get(41)
    assert (bot.id, bot.name) == (41, json.loads(BODY)["name"])


def test_a_file_may_contain_several_authorities(
    serve: Serve, connect: Connect, authority: Identity, tmp_path: Path
) -> None:
    others = [identity(f"authority {number}").saved(tmp_path, f"ca{number}") for number in range(2)]
    bundle = tmp_path / "bundle.pem"
    bundle.write_bytes(b"".join(path.read_bytes() for path in (*others, authority.saved(tmp_path, "ca"))))
    service = serve(identity("host", by=authority, hosts=HOST))
    assert connect(service, bundle).dca_bots.get(41).id == 41


def test_a_certificate_of_an_unknown_authority_is_rejected(serve: Serve, connect: Connect, authority: Identity) -> None:
    service = serve(identity("host", by=authority, hosts=HOST))
    assert "nothing was sent" in refused(connect(service, None), service)


def test_a_certificate_of_another_authority_is_rejected(
    serve: Serve, connect: Connect, authority: Identity, tmp_path: Path
) -> None:
    service = serve(identity("host", by=authority, hosts=HOST))
    refused(connect(service, identity("another authority").saved(tmp_path, "ca")), service)


def test_an_authority_of_the_same_name_is_another_one(
    serve: Serve, connect: Connect, authority: Identity, tmp_path: Path
) -> None:
    service = serve(identity("host", by=authority, hosts=HOST))
    refused(connect(service, identity("an authority of the tests").saved(tmp_path, "ca")), service)


def test_a_certificate_signed_by_itself_is_rejected(serve: Serve, connect: Connect) -> None:
    service = serve(identity("host", hosts=HOST))
    refused(connect(service, None), service)


def test_a_certificate_signed_by_itself_is_accepted_where_it_is_given(
    serve: Serve, connect: Connect, tmp_path: Path
) -> None:
    shown = identity("host", hosts=HOST)
    service = serve(shown)
    assert connect(service, shown.saved(tmp_path, "ca")).dca_bots.get(41).id == 41


@pytest.mark.parametrize("hosts", [("127.0.0.2",), ("localhost",), ("*.0.0.1",), ("host.example", "*.example")])
def test_a_certificate_of_another_host_is_rejected(
    serve: Serve, connect: Connect, authority: Identity, tmp_path: Path, hosts: tuple[str, ...]
) -> None:
    service = serve(identity("127.0.0.1", by=authority, hosts=hosts))
    refused(connect(service, authority.saved(tmp_path, "ca")), service)


@pytest.mark.parametrize("valid", [(NOW - 2 * DAY, NOW - DAY), (NOW + DAY, NOW + 2 * DAY)], ids=["past", "to come"])
def test_a_certificate_of_another_time_is_rejected(
    serve: Serve, connect: Connect, authority: Identity, *, tmp_path: Path, valid: tuple[object, object]
) -> None:
    service = serve(identity("host", by=authority, hosts=HOST, valid=valid))  # type: ignore[arg-type]
    refused(connect(service, authority.saved(tmp_path, "ca")), service)


def test_a_certificate_that_a_host_signed_is_rejected(
    serve: Serve, connect: Connect, authority: Identity, tmp_path: Path
) -> None:
    # The certificate of a host is not an authority, even if an authority signed it.
    host = identity("another host", by=authority, hosts=("another.example",))
    service = serve(identity("host", by=host, hosts=HOST))
    refused(connect(service, authority.saved(tmp_path, "ca")), service)


@pytest.mark.parametrize(
    "text", ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_a_file_without_certificates_is_rejected_before_anything_is_sent(
    private_key: str, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "ca.pem"
    file.write_text(text)
    with pytest.raises(botdesk.ConfigurationError, match="ca_file"):
        botdesk.Client("an-api-key", private_key, base_url="https://127.0.0.1:1", ca_file=file).dca_bots.get(41)


def test_a_client_finds_its_authority_from_another_folder(
    serve: Serve, private_key: str, authority: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = serve(identity("host", by=authority, hosts=HOST))
    authority.saved(tmp_path, "ca")
    monkeypatch.chdir(tmp_path)
    key = tmp_path / "private.pem"
    key.touch(mode=0o600)
    key.write_text(private_key)
    client = botdesk.Client("an-api-key", key, base_url=service.url, ca_file="ca.pem")
    pickled = pickle.dumps(client)
    monkeypatch.chdir("/")
    again: botdesk.Client = pickle.loads(pickled)  # noqa: S301
    assert (client.dca_bots.get(41).id, again.dca_bots.get(41).id) == (41, 41)


def test_a_file_that_is_missing_is_rejected(private_key: str, tmp_path: Path) -> None:
    with pytest.raises(botdesk.ConfigurationError, match=r"missing\.pem"):
        botdesk.Client("an-api-key", private_key, base_url="https://127.0.0.1:1", ca_file=tmp_path / "missing.pem")
