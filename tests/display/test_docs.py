"""The example of the page on notebooks and pictures runs."""

from __future__ import annotations

import doctest
import io
from pathlib import Path


def test_the_example_of_the_page_runs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "display.md").read_text("utf-8")
    example = doctest.DocTestParser().get_doctest(text, {}, "display.md", None, None)
    output = io.StringIO()
    result = doctest.DocTestRunner(verbose=False).run(example, out=output.write)
    assert result.attempted > 0
    assert result.failed == 0, output.getvalue()
