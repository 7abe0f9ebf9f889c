"""The strategies of the API reference: read and sent as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .conftest import DcaBotService

# The options of the API reference's strategies.
STRATEGIES: dict[str, dict[str, Any] | None] = {
    "manual": None,
    "nonstop": {},
    "qfl": {"type": "original", "percent": 3},
    "trading_view": {"time": "4h", "type": "buy_or_strong_buy"},
    "rsi": {"time": "3m", "points": 30, "trigger_condition": "less", "time_period": 7},
}


@pytest.mark.parametrize(
    ("code", "options"),
    [pytest.param(*shape, marks=pytest.mark.shows(f"strategy {shape[0]}")) for shape in STRATEGIES.items()],
)
@pytest.mark.parametrize("field", ["strategy_list", "close_strategy_list"])
def test_a_strategy_of_the_api_reference_reads_and_is_sent_as_it_is_written(
    bot_service: DcaBotService, field: str, code: str, options: dict[str, Any] | None
) -> None:
    strategy = {"strategy": code} if options is None else {"strategy": code, "options": options}
    bot_service.bot().edit(**{field: [strategy]})
    assert bot_service.body[field] == [strategy]
    (read,) = getattr(bot_service.bot(**{field: [strategy]}), field)
    assert (read.strategy, read.options) == (code, options)


@pytest.mark.shows("strategy manual")
@pytest.mark.parametrize("field", ["strategy_list", "close_strategy_list"])
def test_an_empty_strategy_list_means_manual_signals(bot_service: DcaBotService, field: str) -> None:
    bot_service.bot().edit(**{field: []})
    assert bot_service.body[field] == []
