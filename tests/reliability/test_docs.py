"""The examples of the page on reliability run."""

from __future__ import annotations

import doctest
import io
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"


def test_the_examples_of_the_page_run() -> None:
    examples = doctest.DocTestParser().get_doctest(PAGE.read_text("utf-8"), {}, PAGE.name, None, None)
    output = io.StringIO()
    result = doctest.DocTestRunner(verbose=False).run(examples, out=output.write)
    assert result.attempted > 0
    assert result.failed == 0, output.getvalue()
