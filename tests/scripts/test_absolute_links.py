"""The links of the README: they work in the repository, and after the release workflow made them absolute, on PyPI."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from absolute_links import README, ROOT, absolute_links, relative_links

if TYPE_CHECKING:
    from pathlib import Path

REPOSITORY = "https://github.com/owner/name"


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page."""
    headings = re.findall(r"(?m)^#+ (.+)$", page.read_text("utf-8"))
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_every_link_of_the_readme_leads_to_a_file_and_a_heading() -> None:
    text = README.read_text("utf-8")
    assert len(relative_links(text)) > 10
    assert [path for path in relative_links(text) if not (ROOT / path).is_file()] == []
    for path, anchor in re.findall(r"\]\(([^):#]+)#([^)]+)\)", text):
        assert anchor in anchors(ROOT / path), f"{path}#{anchor}"


def test_absolute_links_lead_to_the_same_files_of_a_commit() -> None:
    text = README.read_text("utf-8")
    absolute = absolute_links(text, REPOSITORY, "c0ffee")
    assert relative_links(absolute) == []
    linked = re.findall(rf"{REPOSITORY}/(?:blob|raw)/c0ffee/([^)\"#]+)", absolute)
    assert linked == relative_links(text)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[a](docs/a.md#part)", f"[a]({REPOSITORY}/blob/1/docs/a.md#part)"),
        ('<img src="docs/a.png">', f'<img src="{REPOSITORY}/raw/1/docs/a.png">'),
        ("[a](https://example.com/a.md)", "[a](https://example.com/a.md)"),
        ("[a](#part)", "[a](#part)"),
    ],
)
def test_only_links_to_files_change(link: str, expected: str) -> None:
    assert absolute_links(link, REPOSITORY, "1") == expected


def test_each_package_of_a_release_is_built_after_its_links_became_absolute() -> None:
    jobs = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8").split("PyO3/maturin-action@")
    assert len(jobs) == 3
    assert all("python scripts/absolute_links.py" in before.rpartition("actions/checkout@")[2] for before in jobs[:-1])
