"""The records of a new sandbox: what a trader believes by default, and odd values on request."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def client() -> Iterator[botdesk.Client]:
    """Return a client of a sandbox with the default options."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox.client()


@pytest.fixture(scope="module")
def odd_client() -> Iterator[botdesk.Client]:
    """Return a client of a sandbox with odd values."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        yield sandbox.client()


class TestOddValues:
    def test_a_bot_has_an_id_above_32_bits(self, odd_client: botdesk.Client) -> None:
        assert [bot.id for bot in odd_client.dca_bots.list(limit=2)] == [2_376_446_537, 51]

    def test_profits_have_exponents_and_more_than_50_digits(self, odd_client: botdesk.Client) -> None:
        profits = [str(bot.to_dict()["finished_deals_profit_usd"]) for bot in odd_client.dca_bots.list()]
        assert any("e-" in profit for profit in profits)
        assert any(len(profit) > 52 for profit in profits)

    def test_names_are_not_all_ascii(self, odd_client: botdesk.Client) -> None:
        names = " ".join(bot.name or "" for bot in odd_client.dca_bots.list())
        assert {"Früh", "Тихий"} < set(names.split())

    def test_an_account_has_infinity_and_negative_zero(self, odd_client: botdesk.Client) -> None:
        wallet = odd_client.accounts.load_balances(104)
        assert wallet.day_profit_usd_percentage == Decimal("Infinity")
        assert str(wallet.day_profit_btc_percentage) == "-0.0"
        assert (wallet.to_dict()["auto_balance_period"], wallet.auto_balance_period) == ("12", 12)

    def test_other_values_are_those_of_the_default(self, client: botdesk.Client, odd_client: botdesk.Client) -> None:
        assert odd_client.dca_bots.get(41).to_dict().keys() == client.dca_bots.get(41).to_dict().keys()
        volumes = [
            [bot.base_order_volume for bot in each.dca_bots.list(order_direction="ASC", limit=11)]
            for each in (client, odd_client)
        ]
        assert volumes[0] == volumes[1]
