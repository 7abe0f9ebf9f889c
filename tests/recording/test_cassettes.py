"""The committed cassettes are what the sandbox sends today."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import botdesk

from .scenarios import CASSETTES, SCENARIOS, cassette, record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_cassette_is_recorded_again_byte_for_byte(name: str, tmp_path: Path) -> None:
    record(name, tmp_path / "again.har")
    assert (tmp_path / "again.har").read_bytes() == cassette(name).read_bytes()


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_calls_of_a_cassette_are_replayed(name: str) -> None:
    with botdesk.Replay(cassette(name), strict=True) as replay:
        SCENARIOS[name](replay.client())


def test_there_is_a_scenario_for_every_cassette() -> None:
    assert {path.stem for path in CASSETTES.iterdir()} == set(SCENARIOS)
