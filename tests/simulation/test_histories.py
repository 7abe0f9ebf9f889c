"""Histories of the whole: each seed is one, and what must be true of it is checked on the way and at its end.

`crates/simulation` simulates a month of one script on the core, with a virtual clock. These histories have what is
built on the core, and how its parts meet: bulk edits from tables, the archive, streams, processes that are killed, and
two machines with one budget. `BOTDESK_TESTS=thorough python -m pytest tests/simulation -k '[777]'` repeats a seed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from thorough import cases

import botdesk

from . import checks
from .machine import small_pages, spend
from .steps import STEPS, create_bots_from_a_table, switch_bots
from .world import BudgetSpentError, World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LENGTH = 60

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture(autouse=True)
def _small_pages() -> Iterator[None]:
    """Let a sync have many pages."""
    before = small_pages()
    yield
    small_pages(before)


@pytest.mark.parametrize("seed", range(1, cases(10, 1000) + 1))
def test_nothing_is_lost_repeated_or_overspent(seed: int, tmp_path: Path) -> None:
    world = World(seed, tmp_path)
    try:
        _live(world)
        _end(world)
    except BaseException as error:
        error.add_note("\n".join([f"seed {seed}; the last steps:", *world.journal[-40:]]))
        raise
    finally:
        world.close()


def _live(world: World) -> None:
    """Take steps until the budget is spent, or the history is long enough."""
    steps, weights = zip(*STEPS, strict=True)
    chosen = [create_bots_from_a_table, switch_bots, *world.random.choices(steps, weights, k=_LENGTH)]
    for number, step in enumerate(chosen):
        world.journal.append(f"{number} {step.__name__}")
        try:
            step(world)
        except (BudgetSpentError, botdesk.RateLimitedError) as error:
            world.raise_unless_spent(error)
            return
        world.sandbox.faults.clear()
        checks.requests_are_within_the_budget(world)


def _end(world: World) -> None:
    """Let both machines spend the rest of the budget at once, and compare everything with the service."""
    world.sandbox.faults.clear()
    world.sandbox.streams.clear()
    world.journal.append("the end")
    world.wait_for_machines()
    machine = world.machine("spend")
    spend(world.client)
    world.outcome(machine)
    checks.requests_are_within_the_budget(world)
    checks.no_change_is_lost(world)
    checks.archive_equals_service(world)
    checks.removed_records_are_kept(world)
    checks.balances_add_up(world)
    checks.fills_are_on_the_account(world)
