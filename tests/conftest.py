"""What all tests share: the test keys, and patience with a slow machine."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How fast the machine is says nothing of what a test is about.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_configure() -> None:
    """Hear Ctrl-C, also in child processes, where the shell that runs the tests in the background has it ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def keys() -> Path:
    """Give the folder of the test keys; its `make.sh` tells what each is."""
    return Path(__file__).parent / "fixtures" / "keys"


@pytest.fixture(scope="session")
def private_key(keys: Path) -> str:
    """Give a private key in PEM."""
    return (keys / "rsa_2048.pem").read_text()
