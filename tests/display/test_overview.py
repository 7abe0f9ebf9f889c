"""One view of accounts, balances, bots, deals and profits."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

import botdesk
from botdesk._cli.app import run
from botdesk._overview import Overview, _funds, _Parts, _start, profits_since


@pytest.fixture(scope="module")
def client(shared_sandbox: botdesk.Sandbox) -> botdesk.Client:
    return shared_sandbox.client()


@pytest.fixture(scope="module")
def view(client: botdesk.Client) -> botdesk.Overview:
    return client.overview()


def test_the_async_version_reads_the_same(client: botdesk.Client, view: botdesk.Overview) -> None:
    assert {**asyncio.run(client.overview_async()).to_dict(), "time": None} == {**view.to_dict(), "time": None}


def test_it_counts_what_the_lists_have(client: botdesk.Client, view: botdesk.Overview) -> None:
    bots, deals = list(client.dca_bots.iter()), list(client.deals.iter(scope="active"))
    assert view.dca_bots == (sum(bool(bot.is_enabled) for bot in bots), len(bots))
    assert view.active_deals == len(deals)
    assert view.open_profit == sum((deal.actual_usd_profit or Decimal(0) for deal in deals), Decimal(0))
    # None has closed a part, and those on futures are short.
    taken = {"long": "bought_volume", "short": "sold_volume"}
    spent = [
        getattr(deal, taken[str(deal.strategy)]) / (deal.leverage_custom_value or 1)
        for deal in deals
        if deal.from_currency == "USDC"
    ]
    free = [each.position_available for each in client.accounts.table_data("summary") if each.currency_code == "USDC"]
    found = next(each for each in view.funds if each.currency == "USDC")
    assert found.in_deals == sum(spent, Decimal(0))
    assert found.free == free[0]


def test_the_profit_of_the_month_is_that_of_the_deals_closed_in_it(client: botdesk.Client) -> None:
    closed = [deal for deal in client.deals.iter(scope="finished") if deal.closed_at is not None]
    times = sorted(deal.closed_at for deal in closed if deal.closed_at is not None)
    start = times[len(times) // 2]
    expected = [deal.usd_final_profit for deal in closed if deal.closed_at and deal.closed_at >= start]
    assert 0 < len(expected) < len(closed)
    assert sorted(profit for _, profit in profits_since(client, start) if profit is not None) == sorted(
        profit for profit in expected if profit is not None
    )


def test_the_profit_of_a_day_is_that_of_the_statistics_of_the_service() -> None:
    with botdesk.Sandbox(bots=0) as sandbox:
        bot = sandbox.add_dca_bot(active_deals=[])
        for status, profit in (("completed", "5"), ("cancelled", "-70"), ("failed", "-30")):
            deal = {"bot_id": bot, "finished": True, "status": status, "usd_final_profit": profit}
            sandbox.add("deals", {**deal, "closed_at": sandbox.clock.now.isoformat()})
        view = sandbox.client().overview()
        assert view.profit_today == view.profit_month == 5


def test_it_is_text_for_a_terminal_and_html_for_a_notebook(view: botdesk.Overview) -> None:
    assert f"DCA bots                     {view.dca_bots[0]}   {view.dca_bots[1]}" in str(view)
    html = view._repr_html_()
    assert "prefers-color-scheme: dark" in html
    assert "Demo spot" in html


def test_names_control_neither_a_terminal_nor_a_page() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        client.accounts.edit(1001, name="\x1b[31m<b>red</b>\nline")
        view = client.overview()
    assert "\x1b" not in str(view)
    (line,) = (line for line in str(view).splitlines() if "red" in line)
    assert line.split()[0] == "1001"
    assert line.endswith("23,381.67")
    assert "<b>red" not in view._repr_html_()


@pytest.fixture
def environment(shared_sandbox: botdesk.Sandbox, private_key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = botdesk.PrivateKey.load(private_key)
    monkeypatch.setenv("BOTDESK_API_KEY", shared_sandbox.add_key(key.public_key_pem))
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY", private_key)
    monkeypatch.setenv("BOTDESK_BASE_URL", shared_sandbox.url)


@pytest.mark.usefixtures("environment")
def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["overview"]) == 0
    assert "Profit in USD" in capsys.readouterr().out
    assert run(["overview", "--json"]) == 0
    assert '"in_deals"' in capsys.readouterr().out
    assert run(["overview", "--json", "--watch"]) == 2


@pytest.mark.usefixtures("environment")
def test_the_command_reads_again_and_survives_an_error(
    shared_sandbox: botdesk.Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 1:
            shared_sandbox.faults.add("deals.list", "status", status=404)
        if len(pauses) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", pause)
    assert run(["overview", "--watch", "--every", "30"]) == 130
    assert pauses == [30, 30, 30]
    assert "Profit in USD" in capsys.readouterr().out


def test_balances_of_a_currency_in_several_rows_are_added() -> None:
    rows = [botdesk.Balance.from_json(f'{{"currency_code": "USDT", "position_available": {free}}}') for free in (5, 7)]
    assert [(each.currency, each.free) for each in _funds([], rows)] == [("USDT", Decimal(12))]


@pytest.mark.parametrize(
    ("fields", "used"),
    [
        ({"strategy": "long", "bought_volume": "300", "bought_amount": "3"}, [300]),
        # A third was sold; what it brought is free.
        ({"strategy": "long", "bought_volume": "300", "bought_amount": "3", "sold_amount": "1"}, [200]),
        ({"strategy": "short", "bought_volume": "0", "sold_volume": "300", "sold_amount": "3"}, []),
        ({"strategy": "long", "market_type": "futures", "bought_volume": "300", "leverage_type": "cross"}, [30]),
        ({"strategy": "short", "market_type": "futures", "sold_volume": "300", "leverage_type": "isolated"}, [30]),
        ({"strategy": "long", "market_type": "futures", "bought_volume": "9", "leverage_type": "not_specified"}, [9]),
    ],
)
def test_the_funds_in_a_deal_are_what_it_has_taken(fields: dict[str, str], used: list[int]) -> None:
    known = {"market_type": "spot", "from_currency": "USDT", "leverage_custom_value": "10.0"}
    deal = botdesk.Deal.from_json(json.dumps({**known, **fields}))
    assert [each.in_deals for each in _funds([deal], [])] == used


def test_profits_by_day_are_those_of_closed_deals(client: botdesk.Client, view: botdesk.Overview) -> None:
    expected: dict[str, Decimal] = {}
    for deal in client.deals.iter(scope="finished"):
        if deal.closed_at and deal.closed_at >= _start(view.time):
            day = f"{deal.closed_at:%Y-%m-%d}"
            expected[day] = expected.get(day, Decimal(0)) + (deal.usd_final_profit or Decimal(0))
    assert len(expected) > 10
    assert view.to_dict()["profit_by_day"] == expected
    first, profit = next(iter(view.profit_by_day.items()))
    assert f'title="{first}: {profit:f} USD"' in view._repr_html_()
    assert f"{profit:+.2f}" in str(view)


def test_its_time_is_that_of_the_service(shared_sandbox: botdesk.Sandbox, view: botdesk.Overview) -> None:
    assert view.time.date() == shared_sandbox.clock.now.date()
    assert view.open_deals[0].age_days is not None
    assert view.open_deals[0].age_days < 30


def test_without_the_time_of_the_service_it_takes_that_of_this_machine_and_says_so() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        sandbox.faults.add("general.validate", "status", status=403, times=2)
        views = [client.overview(), asyncio.run(client.overview_async())]
        sandbox.faults.add("general.validate", "status", status=401)
        with pytest.raises(botdesk.SignatureInvalidError):
            client.overview()
    for view in views:
        assert abs((datetime.now(UTC) - view.time).total_seconds()) < 60
        (warning,) = view.warnings
        assert warning.startswith(
            "the time is that of this machine; /ver1/validate did not report that of the service: "
        )
        assert "403" in warning
        assert str(view).splitlines()[1] == f"! {warning}"
        assert '<div class="bd-note">the time is that of this machine; ' in view._repr_html_()
        assert view.to_dict()["warnings"] == [warning]


def _with_profits(*profits: str | None) -> botdesk.Overview:
    """Return the view of deals with these profits in USD, each open, and closed on the first three days of a month."""
    deals = botdesk.Deal.list_from_json(json.dumps([{"id": 1, "actual_usd_profit": profit} for profit in profits]))
    closed = [
        (datetime(2026, 4, day, tzinfo=UTC), None if profit is None else Decimal(profit))
        for day, profit in enumerate(profits, 1)
    ]
    stats = botdesk.BotStats.from_json(json.dumps({"profits_in_usd": {"today_usd_profit": profits[0]}}))
    return Overview(_Parts(datetime(2026, 4, 5, tzinfo=UTC), [], [], [], list(deals), [], stats, closed, []))


def test_profits_that_the_service_does_not_know_are_counted_and_not_taken_as_zero() -> None:
    view = _with_profits(None, "5", None)
    assert view.profit_today is None
    assert view.open_profit == view.profit_month == Decimal(5)
    assert (view.open_without_profit, view.closed_without_profit) == (2, 2)
    assert view.profit_by_day == {date(2026, 4, 2): 5}
    assert view.warnings == [
        "the service does not know today's profit in USD",
        "2 open deals without a USD profit are not in the profit of open deals",
        "2 deals closed since 2026-03-02 without a USD profit are not in the profits of days and of the month",
    ]
    assert view.to_dict()["closed_without_profit"] == 2
    assert _with_profits("0", "5").warnings == []


def test_five_weeks_and_the_month_are_read() -> None:
    # A Wednesday early in a month, and the last day of a month of five weeks and more.
    assert _start(datetime(2026, 4, 1, 12, tzinfo=UTC)) == datetime(2026, 3, 2, tzinfo=UTC)
    assert _start(datetime(2026, 5, 31, 12, tzinfo=UTC)) == datetime(2026, 4, 27, tzinfo=UTC)


def test_open_deals_are_counted_by_age(view: botdesk.Overview) -> None:
    lines = str(view).splitlines()
    start = lines.index("Open deals by age") + 2
    counts = [int(line.split("days")[1].split()[0]) for line in lines[start : start + 2]]
    assert sum(counts) == view.active_deals


def test_it_is_drawn_as_a_calendar_above_the_open_deals(view: botdesk.Overview) -> None:
    ax = view.plot()
    figure: Any = ax.get_figure()
    assert ax.get_title("left").startswith("Profit by day, ")
    assert figure.axes[1].get_title("left").startswith(f"{view.active_deals} open deals by age and depth")
