"""Plans in other processes, and in files."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import botdesk

LADDER = botdesk.plan_ladder(
    price="2561.66911",
    pairs="USDT_ETH",
    tick="0.01",
    lot=1,
    base_order_volume="80.10",
    safety_order_volume=30,
    max_safety_orders=3,
    safety_order_step_percentage=40,
    take_profit=1,
    stop_loss_percentage=22,
)
GRID = botdesk.plan_grid(lower_price=1, upper_price=140, grids_quantity=5, price=121, grid_type="geometric")


@pytest.mark.parametrize("plan", [LADDER, GRID, LADDER[0], LADDER[3], *GRID])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_plan_comes_back_as_it_was(plan: Any, protocol: int) -> None:  # noqa: ANN401
    back = pickle.loads(pickle.dumps(plan, protocol))  # noqa: S301
    assert back == plan
    assert repr(back) == repr(plan)


def test_the_pair_comes_along() -> None:
    assert pickle.loads(pickle.dumps(LADDER)).pair == "USDT_ETH"  # noqa: S301


def test_the_warnings_come_along() -> None:
    assert LADDER.warnings
    assert copy.deepcopy(LADDER).warnings == LADDER.warnings


def test_a_value_that_is_not_a_plan_is_rejected() -> None:
    with pytest.raises(ValueError, match="the pickle has no plan"):
        botdesk.Ladder._restore("{}", None)
