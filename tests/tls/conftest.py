"""Fixtures of the tests of TLS: a certificate authority, its certificates, and a service that presents one."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from loopback import LoopbackServer, received

import botdesk

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from pathlib import Path

NOW = dt.datetime.now(dt.UTC)
DAY = dt.timedelta(days=1)
Key = ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey
# It fills several records of TLS.
BODY = b'{"id":41,"name":"%b"}' % (b"x" * 50_000)


@dataclass(frozen=True)
class Identity:
    """A certificate and its key; a certificate authority also signs others."""

    certificate: x509.Certificate
    key: Key

    def saved(self, folder: Path, name: str) -> Path:
        """Write the certificate into a PEM file."""
        path = folder / f"{name}.pem"
        path.write_bytes(self.certificate.public_bytes(Encoding.PEM))
        return path

    def context(self, folder: Path) -> ssl.SSLContext:
        """Return what a server shows itself with."""
        key = folder / "server.key"
        key.write_bytes(self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.saved(folder, "server"), key)
        return context


def identity(
    name: str,
    *,
    by: Identity | None = None,
    hosts: tuple[str, ...] = (),
    valid: tuple[dt.datetime, dt.datetime] = (NOW - DAY, NOW + DAY),
    key: Key | None = None,
) -> Identity:
    """Make a certificate for hosts, or an authority if there are none; self-signed unless another signs it.

    Without a key, it has a new one of P-256.
    """
    key = key or ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    signer = by.key if by else key
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by.certificate.subject if by else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(valid[0])
        .not_valid_after(valid[1])
        .add_extension(x509.BasicConstraints(ca=not hosts, path_length=None), critical=True)
    )
    if hosts:
        names = x509.SubjectAlternativeName([general_name(host) for host in hosts])
        builder = builder.add_extension(names, critical=False)
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    return Identity(builder.sign(signer, None if isinstance(signer, ed25519.Ed25519PrivateKey) else SHA256()), key)


def general_name(host: str) -> x509.GeneralName:
    """Return the name of a host as a certificate has it."""
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


@pytest.fixture(scope="session")
def authority() -> Identity:
    """Make a certificate authority that nobody trusts by default."""
    return identity("an authority of the tests")


class Connect(Protocol):
    """Makes a client of a service."""

    def __call__(self, service: Secure, ca_file: Path | None, host: str = ...) -> botdesk.Client:
        """Make a client."""
        ...


def _choose(context: ssl.SSLContext, group: str) -> None:
    """Let a context exchange keys in one group only."""
    try:
        context.set_ecdh_curve(group)
    except ssl.SSLError:
        pytest.skip(f"the ssl module of this Python can't choose {group}")


class Secure(LoopbackServer):
    """A service over TLS that responds to every request with the same record."""

    def __init__(self, shown: Identity, folder: Path, group: str | None, cipher: str | None) -> None:
        self._context = shown.context(folder)
        if group is not None:
            _choose(self._context, group)
        if cipher is not None:
            # Python can't choose a cipher of TLS 1.3.
            self._context.maximum_version = ssl.TLSVersion.TLSv1_2
            self._context.set_ciphers(cipher)
        # The requests that arrived, decrypted.
        self.requests: list[bytes] = []
        super().__init__()
        self.url = f"https://127.0.0.1:{self.port}"

    def handle(self, connection: socket.socket) -> None:
        """Send the record."""
        with self._context.wrap_socket(connection, server_side=True) as secured:
            self.requests.append(received(secured))
            length = f"Content-Length: {len(BODY)}\r\nConnection: close\r\n\r\n".encode()
            secured.sendall(b"HTTP/1.1 200 OK\r\n" + length + BODY)


class Serve(Protocol):
    """The type of the fixture `serve`."""

    def __call__(self, shown: Identity, group: str | None = ..., cipher: str | None = ...) -> Secure:
        """Run a service that shows a certificate, with one group of the key exchange or one cipher if that is given."""
        ...


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Run services that show certificates, until the end of the test."""
    with ExitStack() as running:

        def serve(shown: Identity, group: str | None = None, cipher: str | None = None) -> Secure:
            return running.enter_context(closing(Secure(shown, tmp_path, group, cipher)))

        yield serve


@pytest.fixture
def connect(private_key: str) -> Connect:
    """Make clients that trust an authority, or the system's alone."""

    def connect(service: Secure, ca_file: Path | None, host: str = "127.0.0.1") -> botdesk.Client:
        url = f"https://{host}:{service.port}"
        options: dict[str, Any] = {"retries": 0, "rate_limit": None, "timeout": 20.0}
        return botdesk.Client("tls-test-api-key", private_key, base_url=url, ca_file=ca_file, **options)

    return connect
