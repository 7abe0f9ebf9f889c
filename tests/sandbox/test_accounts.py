"""The accounts of a sandbox: their figures agree with each other, and with its bots."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

T = TypeVar("T")
pa: Any = import_module("pyarrow")
CENT = Decimal("0.01")
SATOSHI = Decimal("0.00000001")


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    with botdesk.Sandbox() as sandbox:
        yield sandbox


def midnights(points: botdesk.Records[botdesk.BalancePoint]) -> list[datetime]:
    return [point.date for point in points if point.date is not None and point.date.time() == datetime.min.time()]


def value(found: T | None) -> T:
    assert found is not None
    return found


class TestLists:
    def test_a_user_starts_with_nothing_but_a_key(self, client: botdesk.Client) -> None:
        accounts = client.accounts.list()
        ids = [account.id for account in accounts]
        assert sorted(map(value, ids)) == [101, 102, 103, 104, 1001, 1002]
        assert [account.id for account in client.accounts.iter(per_page=2)] == ids
        assert [client.accounts.get(value(account.id)).to_json() for account in accounts] == [
            account.to_json() for account in accounts
        ]

    def test_pages_follow_each_other(self, client: botdesk.Client) -> None:
        pages = [client.accounts.list(page=page, per_page=4) for page in (1, 2, 3)]
        assert [len(page) for page in pages] == [4, 2, 0]
        assert [one.id for page in pages for one in page] == [one.id for one in client.accounts.list()]

    def test_a_key_of_the_exchange_selects_its_account(self, client: botdesk.Client) -> None:
        wanted = client.accounts.get(1002)
        assert [found.id for found in client.accounts.list(api_key=wanted.api_key)] == [1002]
        assert client.accounts.list(api_key="another") == []

    def test_an_added_account_is_listed(self, client: botdesk.Client) -> None:
        added = client.accounts.add(type="demo_spot", name="New", api_key="k-1", secret="s-1", types_to_create=[])
        assert [found.name for found in client.accounts.list(api_key="k-1")] == ["New"]
        assert client.accounts.get(value(added.id)).name == "New"

    def test_the_key_of_one_account_has_expired(self, client: botdesk.Client) -> None:
        states = {account.id: (account.api_keys_state, account.api_key_invalid) for account in client.accounts.list()}
        assert states.pop(101) == ("expired", True)
        assert set(states.values()) == {("ok", False)}
        with pytest.raises(botdesk.InvalidApiKeyError):
            client.accounts.active_trading_entities(101)


class TestTypes:
    def test_the_types_of_one_exchange_can_be_connected(self, client: botdesk.Client) -> None:
        key = client.accounts.get(1001).api_key
        found = client.accounts.types_to_connect(type="demo_spot", name="Main", api_key=str(key), secret="a-secret")
        assert {one.type: one.connected for one in found} == {
            "demo_spot": True,
            "demo_regional": False,
            "demo_broker": False,
            "demo_futures": False,
        }
        assert all(one.available for one in found)

    def test_an_unknown_exchange_has_none(self, client: botdesk.Client) -> None:
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            client.accounts.types_to_connect(type="elsewhere", name="Main", api_key="a-key", secret="a-secret")
        assert caught.value.error_attributes == {"type": ["does not have a valid value"]}


class TestActiveEntities:
    @pytest.mark.parametrize("account", [102, 1001, 1002])
    def test_they_are_a_count_over_the_bots(self, client: botdesk.Client, account: int) -> None:
        counts = client.accounts.active_trading_entities(account)
        bots = [bot for bot in client.dca_bots.iter() if bot.account_id == account]
        assert counts.active_bots_count == len([bot for bot in bots if bot.is_enabled])
        assert counts.active_deals_count == sum(value(bot.active_deals_count) for bot in bots)

    def test_they_follow_the_bots(self, client: botdesk.Client) -> None:
        before = client.accounts.active_trading_entities(1001)
        client.dca_bots.cancel_all_deals(41)
        client.grid_bots.enable(204)
        after = client.accounts.active_trading_entities(1001)
        assert after.active_bots_count == value(before.active_bots_count) - 1
        assert value(after.active_grid_bots_count) >= value(before.active_grid_bots_count)

    def test_orders_are_those_of_deals_and_grids(self, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
        account = sandbox.add_account(name="Empty")
        assert set(client.accounts.active_trading_entities(account).to_dict().values()) == {0}
        bot = sandbox.add_grid_bot(account_id=account, is_enabled=True, grids_quantity="10")
        counts = client.accounts.active_trading_entities(account)
        assert counts.active_grid_bots_count == 1
        orders = client.grid_bots.orders(bot).grid_lines_orders or []
        assert counts.active_orders_count == sum(order.status_string == "Active" for order in orders) == 9
        assert counts.active_bots_count == 0


class TestBalances:
    @pytest.mark.parametrize("moved", [False, True], ids=["at first", "after a move"])
    @pytest.mark.parametrize("account", [101, 104, 1001, 1002])
    def test_they_add_up_to_the_figures_of_the_account(
        self, sandbox: botdesk.Sandbox, client: botdesk.Client, account: int, *, moved: bool
    ) -> None:
        if moved:
            sandbox.set_price("USDT_BTC", "75000")
        found = client.accounts.get(account)
        rows, shares = found.table_data(), found.pie_chart_data()
        assert round(sum(value(row.usd_value) for row in rows), 2) == found.usd_amount
        assert round(sum(value(row.btc_value) for row in rows), 8) == found.btc_amount
        assert abs(sum((value(row.percentage) for row in rows), Decimal(-100))) < SATOSHI
        assert abs(sum(value(share.usd_value) for share in shares) - value(found.usd_amount)) < CENT * 4
        assert abs(sum(value(share.btc_value) for share in shares) - value(found.btc_amount)) < SATOSHI * 4
        assert abs(sum((value(share.percentage) for share in shares), Decimal(-100))) < CENT * 4

    def test_a_value_is_the_amount_at_the_price_exactly(self, client: botdesk.Client) -> None:
        for row in client.accounts.table_data(1001):
            assert row.usd_value == value(row.position) * value(row.current_price_usd)
            assert row.btc_value == value(row.position) * value(row.current_price)
            assert row.equity == row.position == value(row.position_available) + value(row.on_orders)

    def test_they_are_those_of_the_deposit_data(self, client: botdesk.Client) -> None:
        data = client.accounts.deposit_data(1001, currency="USDT", network="TRX")
        (row,) = (row for row in client.accounts.table_data(1001) if row.currency_code == "USDT")
        assert (data.total_balance, data.in_orders) == (row.position, row.on_orders)

    def test_the_table_begins_with_the_smallest_share_and_the_chart_with_the_largest(
        self, client: botdesk.Client
    ) -> None:
        rows, shares = client.accounts.table_data(1001), client.accounts.pie_chart_data(1001)
        parts = [value(row.percentage) for row in rows]
        assert parts == sorted(parts)
        assert [share.code for share in shares] == [row.currency_code for row in reversed(rows)]
        assert [share.y for share in shares] == [share.percentage for share in shares]

    def test_only_positions_of_futures_have_a_side(self, client: botdesk.Client) -> None:
        sides = [{row.position_type for row in client.accounts.table_data(account)} for account in (1001, 1002)]
        assert sides == [{None}, {None, "long", "short"}]

    def test_a_new_account_has_balances_once_they_are_loaded(self, client: botdesk.Client) -> None:
        added = client.accounts.add(type="demo_spot", name="New", api_key="k-1", secret="s-1", types_to_create=[])
        assert added.table_data() == added.pie_chart_data() == []
        loaded = added.load_balances()
        assert round(sum(value(row.usd_value) for row in added.table_data()), 2) == loaded.usd_amount

    def test_a_given_value_stays_that_of_the_account(self, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
        account = client.accounts.get(sandbox.add_account(name="Given", usd_amount="1234.5"))
        sandbox.set_price("USDT_BTC", "75000")
        assert account.refresh().usd_amount == Decimal("1234.5")
        ((code, amount),) = ((row.currency_code, row.usd_value) for row in account.table_data())
        assert (code, amount) == ("USDT", Decimal("1234.5"))

    def test_a_given_value_survives_a_state_file(self, sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
        account = sandbox.add_account(name="Given", usd_amount="1234.5")
        sandbox.dump(tmp_path / "state.json")
        with botdesk.Sandbox(state=tmp_path / "state.json") as restored:
            (row,) = restored.client().accounts.table_data(account)
            assert row.usd_value == Decimal("1234.5")

    def test_an_unknown_account_has_none(self, client: botdesk.Client) -> None:
        for method in (client.accounts.table_data, client.accounts.pie_chart_data):
            with pytest.raises(botdesk.NotFoundError) as caught:
                method(7)
            assert caught.value.error == "not_found"


class TestHistory:
    def test_there_is_a_point_for_each_day_and_one_for_now(
        self, sandbox: botdesk.Sandbox, client: botdesk.Client
    ) -> None:
        points = client.accounts.balance_chart_data(1001, "2024-03-20T18:58:00Z")
        days = midnights(points)
        assert days[0] == datetime(2024, 3, 20, tzinfo=UTC)
        assert [later - earlier for earlier, later in pairwise(days)] == [timedelta(days=1)] * (len(days) - 1)
        assert len(points) == len(days) + 1
        assert points[-1].date == sandbox.clock.now.replace(microsecond=0)

    def test_the_last_point_is_the_account(self, client: botdesk.Client) -> None:
        account = client.accounts.get(1001)
        last = account.balance_chart_data("2024-03-20")[-1]
        assert (last.usd, last.btc) == (account.usd_amount, account.btc_amount)

    def test_its_changes_are_the_profits_of_the_account(self, client: botdesk.Client) -> None:
        account = client.accounts.get(1001)
        points = account.balance_chart_data("2015-01-01")
        of_today = points[-1].date
        assert of_today is not None
        (today,) = (point for point in points if point.date == of_today.replace(hour=0, minute=0, second=0))
        assert value(account.usd_amount) - value(today.usd) == account.day_profit_usd
        assert value(account.usd_amount) - value(points[0].usd) == account.total_usd_profit

    def test_it_begins_with_a_deposit_when_the_account_was_created(self, client: botdesk.Client) -> None:
        account = client.accounts.get(1001)
        first, *others = account.balance_chart_data("2015-01-01")
        assert account.created_at is not None
        assert first.date == account.created_at.replace(hour=0, minute=0, second=0, microsecond=0)
        assert first.usd_deposit_amount == first.usd
        assert {point.usd_deposit_amount for point in others} == {0}

    def test_it_ends_at_the_given_time(self, client: botdesk.Client) -> None:
        points = client.accounts.balance_chart_data(1001, "2024-03-20", "2024-03-22T10:00:00Z")
        assert midnights(points) == [datetime(2024, 3, day, tzinfo=UTC) for day in (20, 21, 22)]
        assert len(points) == 3

    def test_nothing_is_known_of_the_future(self, client: botdesk.Client) -> None:
        assert client.accounts.balance_chart_data(1001, "2099-01-01") == []

    def test_days_are_columns_of_a_table(self, client: botdesk.Client) -> None:
        points = client.accounts.balance_chart_data(1001, "2024-03-20")
        assert pa.table(points.to_arrow())["date"].to_pylist() == [point.date for point in points]


class TestSummary:
    def test_its_figures_are_the_sums_of_its_accounts(self, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
        sandbox.add_account(name="Outside", usd_amount="1000000", include_in_summary=False)
        sandbox.add_account(name="Never", usd_amount="1000000", available_include_in_summary=False)
        summary = client.accounts.get("summary")
        parts = [one for one in client.accounts.list() if one.include_in_summary and one.available_include_in_summary]
        assert len(parts) == len(client.accounts.list()) - 2
        for field in ("usd_amount", "btc_amount", "day_profit_usd", "usd_profit", "total_usd_profit"):
            assert getattr(summary, field) == sum(getattr(one, field) for one in parts), field
        assert (summary.id, summary.name, summary.market_code) == (None, None, None)

    def test_its_balances_add_up(self, client: botdesk.Client) -> None:
        summary, rows = client.accounts.get("summary"), client.accounts.table_data("summary")
        assert abs(sum(value(row.usd_value) for row in rows) - value(summary.usd_amount)) < CENT * 6
        assert [row.account_id for row in rows] == [None] * len(rows)
        assert len({row.currency_code for row in rows}) == len(rows)
        last = client.accounts.balance_chart_data("summary", "2024-03-30")[-1]
        assert (last.usd, last.btc) == (summary.usd_amount, summary.btc_amount)

    def test_its_shares_are_those_of_its_balances(self, client: botdesk.Client) -> None:
        rows, shares = client.accounts.table_data("summary"), client.accounts.pie_chart_data("summary")
        assert {share.code: share.amount for share in shares} == {row.currency_code: row.position for row in rows}


class TestVolumes:
    def test_days_add_up_to_months_and_months_to_the_total(self, client: botdesk.Client) -> None:
        account = client.accounts.get(1001)
        assert account.created_at is not None
        end = client.accounts.balance_chart_data(1001, "2024-03-20")[-1].date
        assert end is not None
        days = [account.created_at.date() + timedelta(days=day) for day in range((end - account.created_at).days + 2)]
        days = [day for day in days if day <= end.date()]
        months = sorted({f"{day:%Y-%m}" for day in days})
        of_months = [account.monthly_volume(month) for month in months]
        total = account.total_volume()
        assert sum(value(month.volume_usd) for month in of_months) == total.volume_usd
        assert sum(value(month.volume_btc) for month in of_months) == total.volume_btc
        last = [account.daily_volume(str(day)) for day in days if f"{day:%Y-%m}" == months[-2]]
        assert sum(value(day.volume_usd) for day in last) == of_months[-2].volume_usd
        assert sum(value(day.volume_btc) for day in last) == of_months[-2].volume_btc

    def test_the_default_is_now(self, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
        assert client.accounts.daily_volume(1001).utc_date == str(sandbox.clock.now.date())
        assert client.accounts.monthly_volume(1001).utc_month == f"{sandbox.clock.now:%Y-%m}"

    def test_a_closed_deal_is_volume_of_the_day(self, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
        before = client.accounts.daily_volume(1001)
        sandbox.set_price("USDT_ETH", "5000")
        (deal, *_) = sandbox.finished_deals(41)
        volume = value(client.accounts.daily_volume(1001).volume_usd) - value(before.volume_usd)
        assert volume >= round(value(deal.sold_volume), 2) > 0

    @pytest.mark.parametrize("outside", ["2010-01-01", "2099-01-01"])
    def test_there_is_none_outside_the_life_of_the_account(self, client: botdesk.Client, outside: str) -> None:
        for read in (
            lambda: client.accounts.daily_volume(1001, outside),
            lambda: client.accounts.monthly_volume(1001, outside[:7]),
        ):
            with pytest.raises(botdesk.NotFoundError) as caught:
                read()
            assert caught.value.error == "Volume data not found"

    def test_a_wallet_trades_nothing(self, client: botdesk.Client) -> None:
        total = client.accounts.total_volume(104)
        assert (str(total.volume_btc), str(total.volume_usd)) == ("0", "0.00")
