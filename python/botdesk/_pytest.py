"""The pytest plugin: tests of trading scripts against recorded traffic.

pytest loads it through its entry point; it needs no import and no configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

import botdesk
from botdesk._native import _chosen_client

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

MARKER = "botdesk_replay"
RECORD = "--botdesk-record"
PROFILE = "--botdesk-profile"

_CLIENT = pytest.StashKey[botdesk.Client]()
_PASSED = pytest.StashKey[bool]()
# The cassettes of this run, and the tests that recorded them.
_RECORDED = pytest.StashKey["dict[Path, str]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that record cassettes."""
    group = parser.getgroup("botdesk")
    group.addoption(
        RECORD,
        action="store_true",
        help=f"Record the cassettes of the tests that use {MARKER}, and replace existing ones. The requests are really "
        "sent to the service, and may change bots there.",
    )
    group.addoption(
        PROFILE,
        metavar="NAME",
        help=f"The profile of botdesk whose service {RECORD} records; without it, that of the botdesk command.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and create the client that records."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(path=None, *, strict=False): the HAR file that the fixture {MARKER} serves, relative to the folder "
        "of the test file; with strict=True the test fails if a recorded request was never sent.",
    )
    profile: str | None = config.getoption(PROFILE)
    if config.getoption(RECORD):
        config.stash[_CLIENT] = _client(profile)
        config.stash[_RECORDED] = {}
    elif profile is not None:
        message = f"{PROFILE} goes with {RECORD}"
        raise pytest.UsageError(message)


def _client(profile: str | None) -> botdesk.Client:
    try:
        return _chosen_client(profile)
    except botdesk.ConfigurationError as error:
        # The error names the option of the command line.
        reason = str(error).replace(" --profile", f" {PROFILE}")
        message = f"{RECORD} has no service to record: {reason}"
        raise pytest.UsageError(message) from error


def pytest_report_header(config: pytest.Config) -> str | None:
    """Name the service that is recorded."""
    client = config.stash.get(_CLIENT, None)
    return None if client is None else f"botdesk: recording {client!r}; requests are really sent, and may change bots"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember whether a test passed."""
    report = yield
    if call.when == "call":
        item.stash[_PASSED] = report.passed
    return report


@pytest.fixture
def botdesk_replay(request: pytest.FixtureRequest) -> Iterator[botdesk.Replay | RecordedService]:
    """Serve a cassette: `cassettes/<name of the test>.har` beside the test file, or the path in the marker.

    With `--botdesk-record`, record it.
    """
    path, strict = _marker_options(request)
    if request.config.getoption(RECORD):
        yield from _record(request, _destination(request, path))
        return
    found = next((candidate for candidate in _candidates(request, path) if candidate.is_file()), None)
    if found is None:
        missing = next(iter(_candidates(request, path)))
        message = (
            f"the cassette {missing} does not exist; record it with pytest {RECORD} or botdesk.record, or name another "
            f'with @pytest.mark.{MARKER}("path.har")'
        )
        raise botdesk.RecordingError(message)
    with botdesk.Replay(found, strict=strict) as replay:
        yield replay


class RecordedService:
    """The fixture while it records: a client of the service itself, in place of one of a replay."""

    def __init__(self, client: botdesk.Client) -> None:
        """Wrap a client that is recorded."""
        self._client = client

    def __repr__(self) -> str:
        """Name the service that is recorded."""
        return f"<RecordedService of {self._client!r}>"

    def client(self) -> botdesk.Client:
        """Return a client whose requests are sent to the service and recorded."""
        return self._client

    @property
    def unused(self) -> list[str]:
        """The recorded requests that were not made yet: none."""
        return []

    @property
    def url(self) -> NoReturn:
        """Raise an error, because requests of other clients can't be recorded."""
        raise _not_recorded("url")

    def add_key(self, public_key_pem: str) -> NoReturn:
        """Raise an error, because requests of other clients can't be recorded."""
        del public_key_pem
        raise _not_recorded("add_key")


def _not_recorded(name: str) -> botdesk.RecordingError:
    message = f"{MARKER}.{name} can't be recorded, because botdesk records its own clients; use {MARKER}.client()"
    return botdesk.RecordingError(message)


def _record(request: pytest.FixtureRequest, path: Path) -> Iterator[RecordedService]:
    """Record the requests of a test. A test that does not pass leaves its cassette as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A client of its own, so that two tests are never recorded into one cassette.
    client = request.config.stash[_CLIENT].with_options()
    recording = botdesk.record(path, client, overwrite=True, reproducible=True)
    recording.__enter__()
    yield RecordedService(client)
    if request.node.stash.get(_PASSED, False):
        recording.__exit__(None, None, None)
    else:
        request.node.warn(pytest.PytestWarning(f"{path} was not recorded, because the test did not pass"))


def _destination(request: pytest.FixtureRequest, path: str | None) -> Path:
    """Return the cassette that a test records. Each test has its own, because it would replace that of another."""
    destination = next(iter(_candidates(request, path)))
    if path is None and destination.parent != request.path.parent / "cassettes":
        message = f"the name of the test is not a file name; name its cassette with @pytest.mark.{MARKER}"
        raise botdesk.RecordingError(message)
    recorded = request.config.stash[_RECORDED]
    other = recorded.setdefault(destination.resolve(), request.node.nodeid)
    if other != request.node.nodeid:
        message = f"{destination} was recorded by {other}; a cassette has the requests of one test, so name another"
        raise botdesk.RecordingError(message)
    return destination


def _marker_options(request: pytest.FixtureRequest) -> tuple[str | None, bool]:
    """Read the marker: the path, and whether the replay is strict."""
    marker = request.node.get_closest_marker(MARKER)
    return (None, False) if marker is None else _arguments(*marker.args, **marker.kwargs)


def _arguments(path: str | None = None, *, strict: bool = False) -> tuple[str | None, bool]:
    return path, strict


def _candidates(request: pytest.FixtureRequest, path: str | None) -> Iterator[Path]:
    """Yield the paths where the cassette may be, the most specific first."""
    folder = request.path.parent
    if path is not None:
        yield folder / path
        return
    name: str = request.node.name
    yield folder / "cassettes" / f"{name}.har"
    # All cases of a parametrised test may share one cassette.
    yield folder / "cassettes" / f"{name.partition('[')[0]}.har"
