"""The records of a new sandbox: what a trader believes by default, and odd values on request."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

# The fields of a list that are exact products of quantities and prices.
EXACT = {"active_deals_usd_profit"}


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


class TestByDefault:
    def test_ids_are_consecutive(self, client: botdesk.Client) -> None:
        assert [bot.id for bot in client.dca_bots.list(order_direction="ASC")] == list(range(41, 53))

    def test_names_are_ascii_and_different(self, client: botdesk.Client) -> None:
        names = [bot.name or "" for bot in client.dca_bots.list()]
        assert all(name.isascii() for name in names)
        assert len(set(names)) == 12

    def test_decimals_are_short_and_have_no_exponent(self, client: botdesk.Client) -> None:
        records: list[botdesk.DcaBot | botdesk.Account] = [*client.dca_bots.list(), client.accounts.load_balances(1001)]
        fields = [(name, value) for record in records for name, value in record.to_dict().items() if name not in EXACT]
        strings = [(name, value) for name, value in fields if isinstance(value, str) and re.match("[-+]?[0-9]", value)]
        decimals = [
            (name, value) for name, value in strings if ":" not in value and not name.endswith(("_key", "_secret"))
        ]
        assert len(decimals) > 100
        assert [decimal for decimal in decimals if not re.fullmatch(r"-?[0-9]+([.][0-9]{1,8})?", decimal[1])] == []

    @pytest.mark.parametrize("account_id", [102, 103, 104, 1001, 1002])
    def test_percentages_of_an_account_are_profit_divided_by_value(
        self, client: botdesk.Client, account_id: int
    ) -> None:
        account = client.accounts.load_balances(account_id)
        assert account.usd_amount
        assert account.usd_profit is not None
        assert account.day_profit_usd is not None
        month, day = [
            round(profit / account.usd_amount * 100, 2) for profit in (account.usd_profit, account.day_profit_usd)
        ]
        assert (account.usd_profit_percentage, account.day_profit_usd_percentage) == (month, day)

    @pytest.mark.parametrize("account_id", [1001, 1002])
    def test_the_profit_of_an_account_is_that_of_its_bots(self, client: botdesk.Client, account_id: int) -> None:
        bots = client.dca_bots.list(account_id=account_id)
        grids = [client.grid_bots.set_note(bot_id, "Seen") for bot_id in range(201, 206)]
        profits = [bot.finished_deals_profit_usd or 0 for bot in bots]
        profits += [grid.current_profit_usd or 0 for grid in grids if grid.account_id == account_id]
        assert client.accounts.load_balances(account_id).usd_profit == sum(profits)

    def test_a_bot_without_a_stop_loss_earned_its_take_profit_with_each_deal(self, client: botdesk.Client) -> None:
        bots = [bot for bot in client.dca_bots.list() if not bot.stop_loss_percentage and bot.take_profit]
        assert len(bots) > 5
        for bot in bots:
            assert bot.take_profit
            assert bot.base_order_volume
            assert bot.finished_deals_count
            assert bot.finished_deals_profit_usd is not None
            of_base_orders = bot.finished_deals_count * bot.base_order_volume * bot.take_profit / 100
            assert of_base_orders < bot.finished_deals_profit_usd < 4 * of_base_orders


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
