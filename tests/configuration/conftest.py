"""Fixtures of the tests of the configuration: an environment without it, and the fingerprint of the test key."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

API_KEY = "an-api-key-0123456789"
BASE_URL = "https://service.example"
PASSWORD = "correct-horse"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("BOTDESK_", "XDG_CONFIG")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def expected(private_key: str) -> str:
    """Return the fingerprint of the test key."""
    return botdesk.PrivateKey.load(private_key).fingerprint


@pytest.fixture
def key_file(tmp_path: Path, private_key: str) -> Path:
    """Return a file that holds the test key."""
    path = tmp_path / "private.pem"
    path.touch(mode=0o600)
    path.write_text(private_key)
    return path


@pytest.fixture(scope="session")
def public_pem(private_key: str) -> str:
    """Return the public half of the test key."""
    return botdesk.PrivateKey.load(private_key).public_key_pem


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        yield sandbox


@pytest.fixture
def settings(key_file: Path) -> dict[str, str]:
    """Return an environment that makes a client."""
    return {"BOTDESK_API_KEY": API_KEY, "BOTDESK_PRIVATE_KEY_FILE": str(key_file), "BOTDESK_BASE_URL": BASE_URL}


@pytest.fixture
def password() -> str:
    """Return the password of the encrypted test keys."""
    return PASSWORD
