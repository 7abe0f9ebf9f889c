"""How many cases the tests of whole products and of random values try: a share in a check, all in `just thorough`."""

from __future__ import annotations

import os

THOROUGH = os.environ.get("BOTDESK_TESTS") == "thorough"


def cases(check: int, thorough: int) -> int:
    """Return how many cases to try: the first number in every check, the second in `just thorough`."""
    return thorough if THOROUGH else check
