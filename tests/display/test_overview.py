"""One view of accounts, balances, bots, deals and profits."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import botdesk
from botdesk._cli.app import run
from botdesk._exact import total
from botdesk._overview import _funds, profits_since

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def sandbox() -> Iterator[botdesk.Sandbox]:
    with botdesk.Sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def client(sandbox: botdesk.Sandbox) -> botdesk.Client:
    return sandbox.client()


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
    spent = [
        deal.bought_volume or Decimal(0) for deal in deals if deal.strategy == "long" and deal.from_currency == "USDC"
    ]
    free = [each.position_available for each in client.accounts.table_data("summary") if each.currency_code == "USDC"]
    assert next(each for each in view.funds if each.currency == "USDC") == ("USDC", sum(spent, Decimal(0)), free[0])


def test_the_profit_of_the_month_is_that_of_the_deals_closed_in_it(client: botdesk.Client) -> None:
    closed = [deal for deal in client.deals.iter(scope="finished") if deal.closed_at is not None]
    times = sorted(deal.closed_at for deal in closed if deal.closed_at is not None)
    start = times[len(times) // 2]
    expected = [deal.usd_final_profit or Decimal(0) for deal in closed if deal.closed_at and deal.closed_at >= start]
    assert 0 < len(expected) < len(closed)
    assert total(profits_since(client, start)) == total(expected)


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
def environment(sandbox: botdesk.Sandbox, private_key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = botdesk.PrivateKey.load(private_key)
    monkeypatch.setenv("BOTDESK_API_KEY", sandbox.add_key(key.public_key_pem))
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY", private_key)
    monkeypatch.setenv("BOTDESK_BASE_URL", sandbox.url)


@pytest.mark.usefixtures("environment")
def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["overview"]) == 0
    assert "Profit in USD" in capsys.readouterr().out
    assert run(["overview", "--json"]) == 0
    assert '"in_deals"' in capsys.readouterr().out
    assert run(["overview", "--json", "--watch"]) == 2


@pytest.mark.usefixtures("environment")
def test_the_command_reads_again_and_survives_an_error(
    sandbox: botdesk.Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 1:
            sandbox.faults.add("deals.list", "status", status=404)
        if len(pauses) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", pause)
    assert run(["overview", "--watch", "--every", "30"]) == 130
    assert pauses == [30, 30, 30]
    assert "Profit in USD" in capsys.readouterr().out


def test_balances_of_a_currency_in_several_rows_are_added() -> None:
    rows = [botdesk.Balance.from_json(f'{{"currency_code": "USDT", "position_available": {free}}}') for free in (5, 7)]
    assert [(each.currency, each.free) for each in _funds([], rows)] == [("USDT", Decimal(12))]
