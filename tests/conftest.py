"""Fixtures of all tests: the test keys, sandboxes, and timeouts for slow machines."""

from __future__ import annotations

import gc
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import botdesk

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

# Tests do not depend on the speed of the machine.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_configure() -> None:
    """Handle Ctrl-C, also in child processes: a shell that runs the tests in the background ignores it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Turn garbage collection off meanwhile: it would visit the thousands of tests again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Exempt the collected tests from garbage collection, and collect the many small objects of tests less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish() -> None:
    """Let Python collect everything at its exit; libraries report what is left."""
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep the state of botdesk in a temporary folder, also in child processes."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOTDESK_STATE_DIR", str(folder))
        yield folder


@pytest.fixture(scope="session", autouse=True)
def one_trusted_certificate() -> Iterator[None]:
    """Trust one certificate instead of those of the system: to read all takes longer than the calls of most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(Path(__file__).parent / "fixtures" / "keys" / "certificate.pem"))
        patch.delenv("SSL_CERT_DIR", raising=False)
        yield


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of the test keys that other users cannot read; `fixtures/keys/make.sh` describes each."""
    folder = tmp_path_factory.mktemp("keys")
    for key in (Path(__file__).parent / "fixtures" / "keys").iterdir():
        (folder / key.name).touch(mode=0o600)
        (folder / key.name).write_bytes(key.read_bytes())
    return folder


@pytest.fixture(scope="session")
def private_key(keys: Path) -> str:
    """Return a private key in PEM."""
    return (keys / "rsa_2048.pem").read_text()


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: botdesk.Sandbox) -> botdesk.Client:
    """Return a client of the sandbox."""
    return sandbox.client()


@pytest.fixture(scope="module")
def shared_sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox for all tests of a module."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox
