"""Check that the search of the built documentation finds what people look for: `python scripts/check_search.py`."""

import html
import json
import re
import sys
from pathlib import Path
from typing import Any

from lunr import lunr  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType] - it has no types

INDEX = Path(__file__).resolve().parent.parent / "site/search/search_index.json"

# What people type, and a section that has to be among the first results.
WANTED = {
    "losing bots": "recipes/#find-the-losing-bots",
    "HMAC": "configuration/#hmac-or-rsa-two-kinds-of-keys",
    "signature_invalid": "signing/#when-the-service-says-signature_invalid",
    "paper": "configuration/#paper-and-real-mode",
    "rate limit": "reliability/#rate-limit",
    "CSV": "tables/#csv",
    "forgot await": "troubleshooting/#i-forgot-await-a-coroutine-does-nothing",
}
FIRST = 5


def main() -> int:
    """Search for everything, and print what is not found."""
    sections = json.loads(INDEX.read_text("utf-8"))["docs"]
    documents = [{name: plain(text) for name, text in section.items() if isinstance(text, str)} for section in sections]
    # The page weighs the fields in the same way.
    index: Any = lunr(ref="location", fields=[{"field_name": "title", "boost": 1000}, "text"], documents=documents)
    missing = 0
    for words, section in WANTED.items():
        found = [result["ref"] for result in index.search(" ".join(f"+{word}" for word in words.split()))][:FIRST]
        if section not in found:
            missing += 1
            print(f"a search for {words!r} does not find {section} among the first {FIRST}, but {found}")
    return 1 if missing else 0


def plain(text: str) -> str:
    """Return a text without tags, as the page indexes it."""
    return html.unescape(re.sub(r"<[^>]+>", " ", text))


if __name__ == "__main__":
    sys.exit(main())
