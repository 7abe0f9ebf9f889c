"""Make the links of README.md absolute, for PyPI, which shows it without the repository: `scripts/absolute_links.py`.

The release workflow runs it before it builds. GitHub's environment variables name the repository and the commit.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
# The targets of links in Markdown and in HTML that are paths in the repository.
_RELATIVE = re.compile(r'(?P<before>\]\(|src="|srcset="|href=")(?P<path>(?![a-z]+:|#)[^)"#]+)')
_PICTURES = (".png", ".svg")


def relative_links(text: str) -> list[str]:
    """Return the paths that a text links to."""
    return [match["path"] for match in _RELATIVE.finditer(text)]


def absolute_links(text: str, repository: str, commit: str) -> str:
    """Return a text whose links lead to a commit of a repository, such as `https://github.com/owner/name`."""

    def absolute(match: re.Match[str]) -> str:
        view = "raw" if match["path"].endswith(_PICTURES) else "blob"
        return f"{match['before']}{repository}/{view}/{commit}/{match['path']}"

    return _RELATIVE.sub(absolute, text)


def main() -> None:
    """Rewrite README.md, unless a link leads nowhere."""
    text = README.read_text("utf-8")
    missing = [path for path in relative_links(text) if not (ROOT / path).exists()]
    if missing:
        sys.exit(f"README.md links to files that do not exist: {', '.join(missing)}")
    repository = f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}"
    README.write_text(absolute_links(text, repository, os.environ["GITHUB_SHA"]), "utf-8")


if __name__ == "__main__":
    main()
