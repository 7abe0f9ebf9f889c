"""Test keys, as another library than botdesk loads them."""

from __future__ import annotations

from functools import cache

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key


@cache
def loaded(private_key: str) -> rsa.RSAPrivateKey:
    """Load a private key, once: the checks of a key take as long as dozens of signatures."""
    key = load_pem_private_key(private_key.encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key


def public_pem(private_key: str) -> str:
    """Return the public half in PEM."""
    return loaded(private_key).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
