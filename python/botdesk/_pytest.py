"""The pytest plugin: tests of trading scripts against recorded traffic.

pytest loads it through its entry point; it needs no import and no configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARKER = "botdesk_replay"


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(path=None, *, strict=False): the HAR file that the fixture {MARKER} serves, relative to the folder "
        "of the test file; with strict=True the test fails if a recorded request was never sent.",
    )


@pytest.fixture
def botdesk_replay(request: pytest.FixtureRequest) -> Iterator[botdesk.Replay]:
    """Serve a cassette: `cassettes/<name of the test>.har` beside the test file, or the path in the marker."""
    path, strict = _marker_options(request)
    found = next((candidate for candidate in _candidates(request, path) if candidate.is_file()), None)
    if found is None:
        missing = next(iter(_candidates(request, path)))
        message = (
            f"the cassette {missing} does not exist; record it with botdesk.record, or name another with @pytest.mark."
        )
        raise botdesk.RecordingError(message + f'{MARKER}("path.har")')
    with botdesk.Replay(found, strict=strict) as replay:
        yield replay


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
