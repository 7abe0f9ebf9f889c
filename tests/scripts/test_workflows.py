"""The workflows: what they run is pinned, and nothing is published that was not checked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

WORKFLOWS = sorted((Path(__file__).parents[2] / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_every_action_is_pinned_to_a_commit_and_names_its_version(workflow: Path) -> None:
    used = re.findall(r"(?m)^ *(?:- )?uses: (.+)$", workflow.read_text())
    assert used
    for action in used:
        assert re.fullmatch(r"\S+@[0-9a-f]{40} # v[0-9.]+|\$/\.github/workflows/ci\.yml", action), action


def test_a_release_is_published_after_the_checks_of_its_commit() -> None:
    jobs = (Path(WORKFLOWS[0]).parent / "release.yml").read_text().partition("\njobs:\n")[2]
    parts = re.split(r"(?m)^  (\w+):$", jobs)
    by_name = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert "uses: $/.github/workflows/ci.yml\n" in by_name["check"]
    assert "needs: [check, wheel, sdist]\n" in by_name["publish"]
    assert [name for name, text in by_name.items() if "id-token: write" in text] == ["publish"]
