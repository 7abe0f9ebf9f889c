"""The pytest plugin: tests of trading scripts against recorded traffic.

pytest loads it by its entry point; nothing has to be imported or configured.
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
        f"{MARKER}(path=None, *, strict=False): which HAR file the fixture {MARKER} serves, from the folder of the "
        "test file on; with strict=True the test fails when something recorded was never asked for.",
    )


@pytest.fixture
def botdesk_replay(request: pytest.FixtureRequest) -> Iterator[botdesk.Replay]:
    """Serve recorded traffic: `cassettes/<name of the test>.har` beside the test file, or what the marker names."""
    path, strict = _asked(request)
    found = next((candidate for candidate in _candidates(request, path) if candidate.is_file()), None)
    if found is None:
        missing = next(iter(_candidates(request, path)))
        message = f"there is no cassette {missing}; record it with botdesk.record, or name another with @pytest.mark."
        raise botdesk.RecordingError(message + f'{MARKER}("path.har")')
    with botdesk.Replay(found, strict=strict) as replay:
        yield replay


def _asked(request: pytest.FixtureRequest) -> tuple[str | None, bool]:
    """Read the marker: the path, and whether the replay is strict."""
    marker = request.node.get_closest_marker(MARKER)
    return (None, False) if marker is None else _arguments(*marker.args, **marker.kwargs)


def _arguments(path: str | None = None, *, strict: bool = False) -> tuple[str | None, bool]:
    return path, strict


def _candidates(request: pytest.FixtureRequest, path: str | None) -> Iterator[Path]:
    """Where the cassette may lie, the most special place first."""
    folder = request.path.parent
    if path is not None:
        yield folder / path
        return
    name: str = request.node.name
    yield folder / "cassettes" / f"{name}.har"
    # All cases of a parametrised test may share one.
    yield folder / "cassettes" / f"{name.partition('[')[0]}.har"
