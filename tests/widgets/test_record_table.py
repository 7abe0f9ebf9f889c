"""The table of `live`: its polls, what it marks, and how it goes on after errors."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import threading
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import pytest

import botdesk
from botdesk._widgets.record_table import RecordTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from botdesk._widgets.live_widget import LiveTable


class Clock:
    """A clock that the test advances."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Pages:
    """A list of bots in pages, as `client.dca_bots` returns it; a service may return shorter pages than asked for."""

    def __init__(self, count: int, most: int = 100) -> None:
        self.bots: list[dict[str, object]] = [
            {"id": number + 1, "name": f"Bot {number + 1}"} for number in range(count)
        ]
        self.requests = 0
        self._most = most

    def list(self, *, limit: int, offset: int, **_: object) -> Sequence[botdesk.DcaBot]:
        self.requests += 1
        page = self.bots[offset : offset + min(limit, self._most)]
        return botdesk.DcaBot.list_from_json(json.dumps(page))


def table_of(pages: Pages | botdesk.DcaBots) -> RecordTable:
    return RecordTable(cast("botdesk.DcaBots", pages), "dca_bots", 10)


def polled(client: botdesk.Client) -> RecordTable:
    table = table_of(client.dca_bots)
    table.poll()
    return table


def cell(table: RecordTable, bot_id: int, column: str) -> str:
    row = next(row for row in table.rows if row.id == bot_id)
    return row.cells[table.columns.index(column)]


def test_a_poll_finds_all_bots(client: botdesk.Client) -> None:
    table = table_of(client.dca_bots)
    table.poll()
    assert [row.id for row in table.rows] == sorted(bot.id or 0 for bot in client.dca_bots.iter())
    assert cell(table, 41, "name") == "Steady ETH long"
    assert [row.changed for row in table.rows] == [[]] * len(table.rows)


def test_a_poll_takes_one_request_for_each_page(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    table = table_of(client.dca_bots)
    table.poll()
    before = len(sandbox.requests)
    table.poll()
    assert len(sandbox.requests) == before + 1


@pytest.mark.parametrize(
    ("count", "most", "requests"), [(0, 100, 1), (7, 100, 1), (100, 100, 2), (250, 100, 3), (30, 20, 2), (55, 20, 3)]
)
def test_the_pages_of_a_poll(count: int, most: int, requests: int) -> None:
    pages = Pages(count, most)
    table = table_of(pages)
    table.poll()
    assert len(table.rows) == count
    pages.requests = 0
    table.poll()
    assert (len(table.rows), pages.requests) == (count, requests)


def test_changes_are_marked_until_the_next_poll(client: botdesk.Client) -> None:
    table = table_of(client.dca_bots)
    table.poll()
    client.dca_bots.edit(41, take_profit="2.5")
    table.poll()
    marked = {row.id: [table.columns[place] for place in row.changed] for row in table.rows if row.changed}
    assert marked == {41: ["take_profit"]}
    table.poll()
    assert all(not row.changed for row in table.rows)


def test_a_new_bot_is_marked_and_a_missing_one_leaves_after_two_polls() -> None:
    pages = Pages(3)
    table = table_of(pages)
    table.poll()
    first = pages.bots.pop(0)
    pages.bots.append({"id": 9, "name": "New"})
    table.poll()
    assert {row.id: row.is_missing for row in table.rows} == {1: True, 2: False, 3: False, 9: False}
    assert next(row for row in table.rows if row.id == 9).changed
    table.poll()
    assert [row.id for row in table.rows] == [2, 3, 9]
    pages.bots.insert(0, first)
    table.poll()
    assert [row.id for row in table.rows] == [1, 2, 3, 9]


def test_the_profit_over_time_is_kept(client: botdesk.Client) -> None:
    table = table_of(client.dca_bots)
    for _ in range(70):
        table.poll()
    row = next(row for row in table.rows if row.id == 41)
    bot = client.dca_bots.get(41)
    assert bot.finished_deals_profit_usd is not None
    assert bot.active_deals_usd_profit is not None
    assert row.profits == [float(bot.finished_deals_profit_usd) + float(bot.active_deals_usd_profit)] * 60


def test_an_unreadable_field_is_a_dash() -> None:
    pages = Pages(1)
    pages.bots[0]["take_profit"] = [1]
    table = table_of(pages)
    table.poll()
    assert cell(table, 1, "take_profit") == "-"
    assert (table.error, table.rows[0].profits) == ("", [])


def test_extreme_values_do_not_end_the_table() -> None:
    pages = Pages(1)
    pages.bots[0].update(take_profit="1e999999999", finished_deals_profit_usd="1e400")
    table = table_of(pages)
    table.poll()
    assert (cell(table, 1, "take_profit"), table.error) == ("1E+999999999", "")
    # The messages to a page hold no infinite numbers.
    json.dumps(table.rows, allow_nan=False)
    pages.bots[0]["finished_deals_profit_usd"] = "2.5"
    table.poll()
    assert table.rows[0].profits == [2.5]


def fails(*_: object, **__: object) -> None:
    """Fail as no code expects."""
    raise ZeroDivisionError("integer division or modulo by zero")


def test_an_unexpected_error_is_shown_and_the_next_poll_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages(1)
    table = table_of(pages)
    with monkeypatch.context() as broken:
        broken.setattr(pages, "list", fails)
        table.poll()
    assert table.error.startswith("unexpected error: ZeroDivisionError: integer division or modulo by zero")
    table.poll()
    assert (table.error, len(table.rows)) == ("", 1)


def test_a_failed_poll_keeps_the_rows_and_waits_longer_each_time(
    client: botdesk.Client, sandbox: botdesk.Sandbox
) -> None:
    table = table_of(client.dca_bots)
    table.poll()
    rows = table.rows
    sandbox.faults.add("dca_bots.list", kind="status", status=501, times=7)
    pauses: list[float] = []
    for _ in range(7):
        table.poll()
        pauses.append(table.pause)
        assert "501" in table.error
        assert table.rows == rows
    assert pauses == [10, 20, 40, 80, 160, 300, 300]
    table.poll()
    assert (table.error, table.pause) == ("", 10)


def test_a_poll_after_a_rate_limit_waits_as_long_as_the_service_says(
    client: botdesk.Client, sandbox: botdesk.Sandbox
) -> None:
    table = table_of(client.with_options(wait=False).dca_bots)
    sandbox.faults.add("dca_bots.list", kind="status", status=429, retry_after=77)
    table.poll()
    assert table.error
    assert 76 <= table.pause <= 77


FINAL = [(401, "401"), (403, "403"), (418, "418")]


@pytest.mark.parametrize(("status", "reason"), FINAL)
def test_a_rejected_key_or_a_ban_stops_the_table_and_it_says_why(
    client: botdesk.Client, sandbox: botdesk.Sandbox, status: int, reason: str
) -> None:
    table = table_of(client.dca_bots)
    table.poll()
    rows = table.rows
    sandbox.faults.add("dca_bots.list", kind="status", status=status)
    table.poll()
    assert table.is_stopped
    assert reason in table.error
    sent = len(sandbox.requests)
    table.poll()
    assert (len(sandbox.requests), table.rows) == (sent, rows)
    assert reason in table.error


def test_a_plan_without_the_request_stops_the_table(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("dca_bots.list", kind="status", status=429, plan=True)
    table = table_of(client.dca_bots)
    table.poll()
    assert table.is_stopped
    assert "subscription plan" in table.error


def test_a_ban_that_the_client_knows_stops_the_table_without_a_request(
    client: botdesk.Client, sandbox: botdesk.Sandbox
) -> None:
    impatient = client.with_options(wait=False, rate_limit=botdesk.RateLimit(100, 60))
    sandbox.faults.add("dca_bots.get", kind="status", status=418)
    with pytest.raises(botdesk.IpBannedError):
        impatient.dca_bots.get(41)
    sent = len(sandbox.requests)
    table = table_of(impatient.dca_bots)
    table.poll()
    assert table.is_stopped
    assert "banned" in table.error
    assert len(sandbox.requests) == sent


def test_a_closed_client_stops_the_table(client: botdesk.Client) -> None:
    table = table_of(client.dca_bots)
    client.close()
    table.poll()
    assert table.is_stopped
    assert "the client is closed" in table.error


@pytest.mark.parametrize("status", [404, 408, 429, 500, 503, 520])
def test_an_error_that_may_pass_does_not_stop_the_table(
    client: botdesk.Client, sandbox: botdesk.Sandbox, status: int
) -> None:
    table = table_of(client.with_options(retries=0).dca_bots)
    sandbox.faults.add("dca_bots.list", kind="status", status=status, retry_after=0)
    table.poll()
    assert table.error
    assert not table.is_stopped


def test_a_poll_is_due_after_the_pause(client: botdesk.Client) -> None:
    clock = Clock()
    table = RecordTable(client.dca_bots, "dca_bots", 10, now=clock)
    waits = [table.wait]
    table.poll()
    for clock.now in (0, 7.5, 10, 11):
        waits.append(table.wait)
    assert waits == [0, 10, 2.5, 0, 0]


@pytest.mark.parametrize("interval", [0, 0.99, -1, 86_401, float("nan"), float("inf")])
def test_an_interval_out_of_range_is_an_error(client: botdesk.Client, interval: float) -> None:
    with pytest.raises(botdesk.ConfigurationError, match="interval: must be between 1 and 86 400 seconds, not"):
        client.dca_bots.live(interval=interval)


@pytest.fixture
def doge() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox with the deal 470, of which a fall of DOGE fills a safety order."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox


def test_what_the_service_sends_is_shown_without_a_request(doge: botdesk.Sandbox) -> None:
    client = doge.client()
    table = RecordTable(client.deals, "deals", 10)
    table.poll()
    with client.stream("deals") as stream:
        before = len(doge.requests)
        doge.set_price("USDT_DOGE", "0.01")
        table.take(next(stream))
        assert cell(table, 470, "completed_safety_orders_count") == "3"
        assert [row.id for row in table.rows if row.changed] == [470]
        doge.set_price("USDT_DOGE", "5")
        while 470 in [row.id for row in table.rows]:
            table.take(next(stream))
        assert len(doge.requests) == before


def test_a_deal_of_another_mode_that_the_service_sends_is_not_shown(doge: botdesk.Sandbox) -> None:
    paper = doge.add_account(name="Paper", market_code="paper_trading")
    bot_id = doge.add_dca_bot(account_id=paper, pairs=["USDT_ETH"])
    deal_id = doge.add("deals", {"bot_id": bot_id, "pair": "USDT_ETH", "account_id": paper})
    client = doge.client()
    table = RecordTable(client.with_options(mode="real").deals, "deals", 10)
    table.poll()
    shown = [row.id for row in table.rows]
    with client.stream("deals") as stream:
        client.deals.edit(deal_id, note="hello")
        client.deals.edit(470, note="hello")
        for _ in range(2):
            table.take(next(stream))
    assert [row.id for row in table.rows] == shown
    assert deal_id not in shown


def poll(widget: LiveTable[Any]) -> None:
    """Ask for a poll as the script does, and wait for it."""
    widget._receive({"kind": "poll"})
    for thread in threading.enumerate():
        if thread.name == "botdesk-widget":
            thread.join(60)


def select(widget: Any, *ids: int, view: str = "a", number: int = 1, is_chosen: bool = True) -> None:  # noqa: ANN401
    """Select records as the script of a view does."""
    change = {"view": view, "number": number, "ids": list(ids), "is_chosen": is_chosen}
    widget._receive({"kind": "choose", **change})


def test_two_views_select_together(client: botdesk.Client) -> None:
    widget = client.dca_bots.live()
    poll(widget)
    select(widget, 41, 43)
    select(widget, 42, view="b")
    select(widget, 43, number=2, is_chosen=False)
    assert [bot.id for bot in widget.selected] == [41, 42]
    # Each view learns which of its changes are taken.
    assert widget._view.chosen["taken"] == {"a": 2, "b": 1}


def test_selected_bots_are_arguments_of_other_methods(client: botdesk.Client) -> None:
    widget = client.dca_bots.live()
    assert list(widget.selected) == []
    poll(widget)
    select(widget, 43, 41, 999)
    assert [bot.id for bot in widget.selected] == [41, 43]
    client.dca_bots.disable_many(widget.selected).raise_for_failures()
    assert client.dca_bots.get(43).is_enabled is False


def test_a_widget_shows_deals_as_the_service_sends_them(doge: botdesk.Sandbox) -> None:
    widget = doge.client().deals.live(interval=86_400)
    shown = threading.Condition()

    def notify(_: object) -> None:
        with shown:
            shown.notify_all()

    widget._view.observe(notify, "shown")
    poll(widget)
    doge.set_price("USDT_DOGE", "0.01")
    with shown:
        assert shown.wait_for(lambda: "-115.03" in str(widget._view.shown), 60)
    widget.close()


def test_a_poll_before_its_time_is_not_sent(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    widget = client.dca_bots.live()
    poll(widget)
    before = len(sandbox.requests)
    poll(widget)
    assert (len(sandbox.requests), widget._view.shown["polls"]) == (before, 1)


def test_close_ends_the_polls(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    widget = client.dca_bots.live()
    assert repr(widget) == "<LiveTable 0 bots>"
    widget.close()
    poll(widget)
    assert sandbox.requests == []
    assert repr(widget) == "<LiveTable closed>"


@pytest.mark.parametrize(("status", "reason"), FINAL)
def test_a_stopped_widget_sends_nothing_and_shows_why(
    client: botdesk.Client, sandbox: botdesk.Sandbox, monkeypatch: pytest.MonkeyPatch, status: int, reason: str
) -> None:
    widget = client.dca_bots.live()
    sandbox.faults.add("dca_bots.list", kind="status", status=status)
    poll(widget)
    assert widget._view.shown["is_stopped"]
    assert reason in widget._view.shown["error"]
    assert repr(widget).startswith("<LiveTable 0 bots, stopped: ")
    assert reason in repr(widget)
    sent = len(sandbox.requests)
    # The pause is over.
    monkeypatch.setattr(widget._table, "_due", 0.0)
    poll(widget)
    assert len(sandbox.requests) == sent


def test_the_first_poll_is_not_sent_before_the_table_is_visible(
    client: botdesk.Client, sandbox: botdesk.Sandbox
) -> None:
    client.dca_bots.live()
    assert sandbox.requests == []


def test_a_poll_that_is_under_way_does_not_hold_up_the_exit() -> None:
    code = """
        import threading
        import botdesk
        sent = threading.Event()
        sandbox = botdesk.Sandbox()
        sandbox.faults.add("dca_bots.list", kind="stall")
        client = sandbox.client().with_options(timeout=600, on_request=lambda event: sent.set())
        table = client.dca_bots.live()
        table._receive({"kind": "poll"})
        assert sent.wait(60)
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], check=False, capture_output=True, text=True, timeout=180
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["dca_bots", "grid_bots", "deals", "smart_trades"])
def test_the_records_of_each_watched_list_are_followed(client: botdesk.Client, name: str) -> None:
    table = RecordTable(getattr(client, name), name, 10)
    table.poll()
    assert not table.error
    assert [row.id for row in table.rows]
    assert all(row.profits for row in table.rows if name != "smart_trades")
    assert all("<" not in shown for row in table.rows for shown in row.shown)


def test_numbered_pages_are_all_found(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    for _ in range(101):
        sandbox.add_smart_trade()
    table = RecordTable(client.smart_trades, "smart_trades", 10)
    table.poll()
    assert len(table.rows) == len(list(client.smart_trades.iter(status="active"))) > 100


def test_the_profit_of_a_trade_follows_its_price(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    table = RecordTable(client.smart_trades, "smart_trades", 10)
    table.poll()
    sandbox.set_price("USDT_ETH", 3600)
    table.poll()
    (row,) = (row for row in table.rows if row.id == 301)
    assert len(row.profits) == 2
    assert row.profits[0] < row.profits[1]
    assert cell(table, 301, "profit").endswith("%)")


def test_grid_bots_have_their_distance_to_both_ends(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_grid_bot(pair="USDT_BTC", lower_price="50000", upper_price="80000")
    sandbox.set_price("USDT_BTC", "64000")
    table = RecordTable(client.grid_bots, "grid_bots", 10)
    table.poll()
    assert (cell(table, bot_id, "percent_to_lower"), cell(table, bot_id, "percent_to_upper")) == ("-21.88", "25.00")
    assert float(cell(table, bot_id, "current_profit_usd")) == 0


def test_totals_are_the_exact_sums_of_all_bots(client: botdesk.Client) -> None:
    table = polled(client)
    totals = dict(zip(table.columns, table.totals, strict=True))
    bots = list(client.dca_bots.iter())
    profit = sum((bot.finished_deals_profit_usd or Decimal(0) for bot in bots), Decimal(0))
    assert totals["finished_deals_profit_usd"] == f"{profit:.2f}"
    assert totals["active_deals_count"] == str(sum(bot.active_deals_count or 0 for bot in bots))
    assert (totals["id"], totals["name"], totals["take_profit"]) == ("", "", "")


def test_the_account_follows_the_name(client: botdesk.Client) -> None:
    table = polled(client)
    assert table.columns[2:4] == ["name", "account_name"]
    assert {row.cells[3] for row in table.rows} == {bot.account_name for bot in client.dca_bots.iter()}


def live(client: botdesk.Client, *chosen: int, resource: str = "dca_bots") -> Any:  # noqa: ANN401
    """Return the widget after a poll, with records selected."""
    widget: Any = getattr(client, resource).live()
    widget._table.poll()
    select(widget, *chosen)
    return widget


def test_selected_bots_are_disabled_after_a_confirmation(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    widget = live(client, 41, 43)
    widget._receive({"kind": "ask"})
    asked = widget._view.step
    assert asked["title"] == "Disable 2 bots?"
    assert asked["about"] == "A disabled bot opens no more deals; its open deals stay."
    assert {line.split()[0] for line in asked["lines"]} == {"41", "43"}
    assert client.dca_bots.get(41).is_enabled
    widget._receive({"kind": "disable", "token": "guessed"})
    assert client.dca_bots.get(41).is_enabled
    widget._receive({"kind": "ask"})
    widget._receive({"kind": "disable", "token": widget._view.step["token"]})
    assert not client.dca_bots.get(41).is_enabled
    assert not client.dca_bots.get(43).is_enabled
    assert widget._view.step["is_bad"] is False
    assert "2 done" in widget._view.step["message"]
    # The same message again, such as by a double click, sends nothing.
    count = len(sandbox.requests)
    widget._receive({"kind": "disable", "token": asked["token"]})
    assert len(sandbox.requests) == count


def test_a_question_that_is_cancelled_disables_nothing(client: botdesk.Client) -> None:
    widget = live(client, 41)
    widget._receive({"kind": "ask"})
    token = widget._view.step["token"]
    widget._receive({"kind": "cancel"})
    widget._receive({"kind": "disable", "token": token})
    assert client.dca_bots.get(41).is_enabled
    assert widget._view.step == {}


def test_a_bot_that_can_not_be_disabled_is_named(client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
    widget = live(client, 41)
    widget._receive({"kind": "ask"})
    sandbox.faults.add("dca_bots.disable", "status", status=404)
    widget._receive({"kind": "disable", "token": widget._view.step["token"]})
    assert widget._view.step["is_bad"] is True
    assert "41" in widget._view.step["message"]


def test_only_bots_are_disabled(client: botdesk.Client) -> None:
    deals = live(client, next(iter(client.deals.iter(scope="active"))).id or 0, resource="deals")
    assert deals._view.shown["can_disable"] is False
    deals._receive({"kind": "ask"})
    assert deals._view.step == {}
    disabled = next(bot.id or 0 for bot in client.dca_bots.iter() if not bot.is_enabled)
    bots = live(client, disabled)
    bots._receive({"kind": "ask"})
    assert bots._view.step == {"message": "None of the selected bots is enabled."}
