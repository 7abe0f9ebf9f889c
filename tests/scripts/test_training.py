"""The script that trains a release build: if it fails, no wheel can be built."""

from __future__ import annotations

from typing import TYPE_CHECKING

import training

if TYPE_CHECKING:
    import pytest


def test_the_training_runs_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "ROUNDS", training.RARELY)
    training.main()
