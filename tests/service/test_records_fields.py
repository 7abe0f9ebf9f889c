"""Fields of records that hold unusual values."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import botdesk

FIXTURES = Path(__file__).parents[1] / "fixtures"
SAMPLE: dict[str, Any] = json.loads((FIXTURES / "dca_bot.json").read_text("utf-8"))
GRID_BOT: dict[str, Any] = json.loads((FIXTURES / "grid_bot.json").read_text("utf-8"))
NETWORK_INFO: dict[str, Any] = json.loads((FIXTURES / "network_info.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "text", ["2024-02-29T12:30:00.125", "yesterday", "", "2024-02-30T00:00:00Z", "-000100-01-01T00:00:00Z"]
)
def test_a_value_that_is_not_a_timestamp_is_unreadable(text: str) -> None:
    bot = botdesk.DcaBot.from_json(json.dumps({"created_at": text}))
    with pytest.raises(botdesk.DecodeError, match=r"DcaBot\.created_at"):
        _ = bot.created_at


def test_the_question_mark_belongs_to_the_name_on_the_wire() -> None:
    bot = botdesk.DcaBot.from_json('{"deletable?":true,"deletable":5}')
    assert bot.deletable is True
    assert bot.extra == {"deletable": 5}


def test_deals_and_their_parts_are_records_too() -> None:
    (deal,) = botdesk.DcaBot.from_json(json.dumps(SAMPLE)).active_deals or []
    assert (deal.id, deal.finished) == (2_376_446_999, False)
    assert [step.profit_percentage for step in deal.take_profit_steps or []] == [1, 2]
    assert [one.options for one in deal.close_strategy_list or []] == [{"time": "4h", "type": "buy_or_strong_buy"}]


def test_open_fields_read_a_decimal_where_they_hold_one_and_any_json_else() -> None:
    bot = botdesk.DcaBot.from_json(
        '{"min_price":"1000.50","max_price":9.0,"min_price_percentage":[1,2.50],"max_price_percentage":"high"}'
    )
    assert [str(bot.min_price), str(bot.max_price)] == ["1000.50", "9.0"]
    assert bot.min_price_percentage == [1, Decimal("2.50")]
    assert bot.max_price_percentage == "high"


@pytest.mark.shows("fact a bare amount")
def test_the_total_profit_of_an_account_reads_the_same_from_a_bare_number_and_from_a_string() -> None:
    bare, text = (
        botdesk.Account.from_json(
            f'{{"total_primary_display_currency_profit":{{"currency":"USD","amount":{amount}}}}}'
        ).total_primary_display_currency_profit
        for amount in ("5228.240", '"5228.240"')
    )
    assert bare is not None
    assert text is not None
    assert (bare.currency, str(bare.amount)) == (text.currency, str(text.amount)) == ("USD", "5228.240")


def test_the_level_nearest_to_the_price_has_no_side() -> None:
    lines = botdesk.GridBot.from_json(json.dumps(GRID_BOT)).grid_lines or []
    assert [(line.side, line.order_placed) for line in lines] == [("buy", True), (None, False)]


def test_the_empty_object_of_a_leverage_without_values_reads_as_an_empty_dict() -> None:
    assert botdesk.LeverageType.from_json('{"valid":{},"available_leverage_values":[]}').valid == {}


def test_the_networks_of_a_currency_are_records_too() -> None:
    info = botdesk.NetworkInfo.from_json(json.dumps(NETWORK_INFO))
    assert [(network.network, network.withdraw_max) for network in info.network_list or []] == [
        ("XRP", Decimal(1_000_000))
    ]
    assert info.extra == {}
