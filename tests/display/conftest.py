"""Fixtures of the tests of pictures: a backend without a screen, and all figures closed afterwards."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

from botdesk import Deal, Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _nothing_stays_open() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture
def deals() -> Callable[..., Records[Deal]]:
    """Make deals with the fields that a test passes."""

    def make(*each: dict[str, Any]) -> Records[Deal]:
        usual = {
            "pair": "USDT_ETH",
            "bought_average_price": "3500",
            "current_price": "3540",
            "take_profit_price": "3570",
            "stop_loss_price": "3300",
            "actual_profit_percentage": "1.14",
            "strategy": "long",
        }
        return Deal.list_from_json(json.dumps([{"id": at + 1, **usual, **deal} for at, deal in enumerate(each)]))

    return make
