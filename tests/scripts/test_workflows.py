"""The workflows: what they run is pinned, and nothing is published that was not checked."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_every_action_is_pinned_to_a_commit_and_names_its_version(workflow: Path) -> None:
    used = re.findall(r"(?m)^ *(?:- )?uses: (.+)$", workflow.read_text())
    assert used
    for action in used:
        assert re.fullmatch(r"\S+@[0-9a-f]{40} # v[0-9.]+|\$/\.github/workflows/ci\.yml", action), action


def test_the_oldest_and_the_newest_python_are_tested_on_each_platform() -> None:
    text = (Path(WORKFLOWS[0]).parent / "ci.yml").read_text("utf-8")
    assert "runner: [ubuntu-latest, macos-14, windows-latest]" in text
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    versions = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert f'python: ["{versions[0]}", "{versions[-1]}"]' in text
    assert project["requires-python"] == f">={versions[0]}"


def test_a_release_is_published_after_the_checks_of_its_commit() -> None:
    jobs = (Path(WORKFLOWS[0]).parent / "release.yml").read_text().partition("\njobs:\n")[2]
    parts = re.split(r"(?m)^  (\w+):$", jobs)
    by_name = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert "uses: $/.github/workflows/ci.yml\n" in by_name["check"]
    assert "needs: [check, wheel, sdist]\n" in by_name["publish"]
    assert [name for name, text in by_name.items() if "id-token: write" in text] == ["publish"]


def test_a_wheel_has_the_tls_that_the_tests_ran() -> None:
    release = (Path(WORKFLOWS[0]).parent / "release.yml").read_text()
    # Only .cargo/config.toml, which every build reads, configures aws-lc-sys.
    # The profile of wheels differs in the optimisation alone.
    assert re.search(r"(?m)^ +args: --profile wheel --locked ", release)
    files = [*WORKFLOWS, ROOT / "justfile", ROOT / "pyproject.toml", *(ROOT / "scripts").iterdir()]
    assert [file for file in files if file.is_file() and "AWS_LC_SYS" in file.read_text("utf-8")] == []
    assert set(tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["profile"]["wheel"]) == {
        "inherits",
        "lto",
        "opt-level",
    }
