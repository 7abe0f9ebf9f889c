"""The archive keeps what the service lists, exactly, and survives interruptions and bad files."""

from __future__ import annotations

import asyncio
import csv
import os
import signal
import sqlite3
import subprocess
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
import pytest

import botdesk
from botdesk import Archive
from botdesk._archive import kinds, store, syncing
from botdesk._formulas import with_mark

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LISTS = 5


@pytest.fixture(scope="module")
def client(shared_sandbox: botdesk.Sandbox) -> botdesk.Client:
    return shared_sandbox.client()


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory, client: botdesk.Client) -> Path:
    """Return the file of an archive after its first sync."""
    path = tmp_path_factory.mktemp("synced") / "desk.sqlite"
    with Archive(path) as archive:
        archive.sync(client)
    return path


@pytest.fixture
def archive(tmp_path: Path, synced: Path) -> Iterator[Archive]:
    path = tmp_path / "desk.sqlite"
    path.touch(mode=0o600)
    path.write_bytes(synced.read_bytes())
    with Archive(path) as archive:
        yield archive


def test_the_first_sync_keeps_every_record(archive: Archive, client: botdesk.Client) -> None:
    deals = {deal.id: deal.to_json() for deal in client.deals.iter()}
    kept = archive.sql("select id, _json from deals").rows
    assert dict(kept) == deals
    assert len(archive.sql("select * from trades")) == len(list(client.trades.iter_history()))
    assert len(archive.sql("select * from smart_trades")) == len(list(client.smart_trades.iter()))
    profits = sum(len(client.grid_bots.profits(bot.id)) for bot in client.grid_bots.iter() if bot.id is not None)
    assert len(archive.sql("select * from grid_profits")) == profits


def test_a_sync_without_changes_takes_one_request_for_each_list(archive: Archive, client: botdesk.Client) -> None:
    report = archive.sync(client)
    assert report.requests == LISTS
    assert {sum(found.values()) for found in report.counts.values()} == {0}


def test_a_changed_bot_is_fetched_again_and_its_earlier_version_kept(tmp_path: Path) -> None:
    with botdesk.Sandbox() as sandbox, Archive(tmp_path / "desk.sqlite") as archive:
        client = sandbox.client()
        archive.sync(client)
        client.dca_bots.edit(41, name="Renamed")
        assert archive.sync(client).counts["dca_bots"] == {"new": 0, "changed": 1, "missing": 0}
        assert archive.sql("select name from dca_bots where id = 41").rows == [("Renamed",)]
        assert archive.sql("select count(*) from snapshots where resource = 'dca_bots' and id = '41'").rows == [(1,)]


def test_a_price_is_no_new_version_of_a_bot(tmp_path: Path) -> None:
    with botdesk.Sandbox() as sandbox, Archive(tmp_path / "desk.sqlite") as archive:
        client = sandbox.client()
        sandbox.set_price("USDT_BTC", 61000)
        archive.sync(client)
        sandbox.set_price("USDT_BTC", 61010)
        report = archive.sync(client)
        assert report.counts["grid_bots"]["changed"] > 0
        assert report.requests == LISTS
        assert len(archive.sql("select * from snapshots")) == 0
        for price in (60000, 62000):
            sandbox.move_price("USDT_BTC", price)
        report = archive.sync(client)
        assert report.counts["grid_profits"]["new"] > 0
        profits = sum(len(bot.profits()) for bot in client.grid_bots.iter())
        assert archive.sql("select count(*) from grid_profits").rows == [(profits,)]


def test_the_coroutine_keeps_the_same(archive: Archive, client: botdesk.Client, tmp_path: Path) -> None:
    with Archive(tmp_path / "other.sqlite") as other:
        asyncio.run(other.sync_async(client))
        query = "select _id, _json from deals order by _id"
        assert other.sql(query).rows == archive.sql(query).rows


def test_only_a_complete_listing_marks_what_the_service_no_longer_has(
    archive: Archive, client: botdesk.Client, tmp_path: Path
) -> None:
    columns = "_source, _key, _id, _seen_at, _listing, _json"
    with sqlite3.connect(tmp_path / "desk.sqlite") as connection:
        connection.execute(
            f"insert into deals ({columns}) select _source, _key, 'gone', _seen_at, _listing, _json from deals limit 1"  # noqa: S608
        )
    connection.close()
    missing = "select _id from deals where _missing_since is not null"
    archive.sync(client)
    assert archive.sql(missing).rows == []
    assert archive.sync(client, complete=True).counts["deals"]["missing"] == 1
    assert archive.sql(missing).rows == [("gone",)]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_grid_bot_that_is_deleted_during_a_sync_does_not_end_later_ones(tmp_path: Path, *, awaited: bool) -> None:
    with botdesk.Sandbox() as sandbox, Archive(tmp_path / "desk.sqlite") as archive:
        client = sandbox.client()
        sandbox.faults.add("grid_bots.profits", "status", status=404)
        report = asyncio.run(archive.sync_async(client)) if awaited else archive.sync(client)
        assert (report.counts["grid_bots"]["missing"], report.counts["grid_profits"]["new"] > 0) == (1, True)
        assert len(archive.sql("select id from grid_bots where _missing_since is not null")) == 1
        # The sandbox has it all the same.
        assert archive.sync(client).counts["grid_profits"]["new"] > 0
        assert len(archive.sql("select id from grid_bots where _missing_since is not null")) == 0


def test_decimals_and_tables_are_exact(archive: Archive, client: botdesk.Client) -> None:
    deals = [deal for deal in client.deals.iter(bot_id=47) if deal.closed_at is not None]
    expected = sum((deal.final_profit or Decimal(0) for deal in deals), Decimal(0))
    query = "select decimal_sum(final_profit) from deals where bot_id = ? and closed_at is not null"
    assert Decimal(archive.sql(query, [47]).rows[0][0]) == expected
    table = pl.DataFrame(archive.deals(year=2024, bot=47, decimals="text"))
    assert sorted(table["id"].to_list()) == sorted(deal.id for deal in deals if deal.id is not None)


@pytest.mark.parametrize("by", ["day", "month", "bot", "pair"])
def test_every_report_has_the_same_total(archive: Archive, by: Literal["day", "month", "bot", "pair"]) -> None:
    total = archive.sql(
        "select decimal_sum(x) from (select usd_final_profit as x from deals where closed_at is not null union all "
        "select profit_usd from smart_trades where data_closed_at is not null union all "
        "select usd_profit from grid_profits)"
    ).rows[0][0]
    assert sum(row["profit_usd"] for row in archive.report(by=by)) == Decimal(total)


@pytest.mark.parametrize("status", ["cancelled", "failed"])
def test_a_deal_that_keeps_its_coins_has_made_no_profit(tmp_path: Path, status: str) -> None:
    with botdesk.Sandbox(bots=0) as sandbox, botdesk.Archive(tmp_path / "desk.sqlite") as archive:
        bot = sandbox.add_dca_bot(active_deals=[])
        for each, profit in (("completed", "5"), (status, "-70")):
            fields = {"bot_id": bot, "finished": True, "status": each, "closed_at": "2026-03-02T10:00:00.000Z"}
            sandbox.add("deals", {**fields, "final_profit": profit, "usd_final_profit": profit})
        archive.sync(sandbox.client())
        assert archive.report(year=2026).rows == [("2026-03", 1, 5, 0)]
        assert [row["realized_usd"] for row in archive.equity(year=2026)] == [5]
        assert archive.export(tmp_path / "profits.csv", year=2026) == 1
        assert archive.sql("select count(*) from deals where bot_id = ?", [bot]).rows == [(2,)]


@pytest.mark.parametrize(("strategy", "closed"), [("long", "sold_amount"), ("short", "bought_amount")])
def test_what_a_cancelled_deal_has_closed_before_is_its_profit(tmp_path: Path, strategy: str, closed: str) -> None:
    with botdesk.Sandbox(bots=0) as sandbox, botdesk.Archive(tmp_path / "desk.sqlite") as archive:
        bot = sandbox.add_dca_bot(strategy=strategy, active_deals=[])
        amounts = {"bought_amount": "0.0", "sold_amount": "0.0", closed: "0.5", "usd_final_profit": "50"}
        fields = {"bot_id": bot, "finished": True, "status": "cancelled", "strategy": strategy}
        closed_at = sandbox.clock.now.isoformat()
        sandbox.add("deals", {**fields, **amounts, "final_profit": "50", "closed_at": closed_at})
        client = sandbox.client()
        archive.sync(client)
        assert archive.report(by="bot").to_dicts()[0]["profit_usd"] == 50
        assert client.overview().profit_month == client.overview().profit_today == 50


def test_the_stop_loss_of_a_grid_bot_counts(tmp_path: Path) -> None:
    with botdesk.Sandbox(bots=0) as sandbox, botdesk.Archive(tmp_path / "desk.sqlite") as archive:
        client = sandbox.client()
        sandbox.set_price("USDT_ETH", 2000)
        stop = {"lower_stop_loss_enabled": True, "lower_stop_loss_price": "1500"}
        size = {"grids_quantity": 5, "quantity_per_grid": 1000, "order_currency_type": "quote"}
        levels = {"pair": "USDT_ETH", "lower_price": 1900, "upper_price": 2100, "name": "Stopped"}
        bot = sandbox.add_grid_bot(**levels, **size, **stop, lower_stop_loss_action="stop_bot_and_sell")
        client.grid_bots.enable(bot)
        for price in (2055, 1995, 1499):
            sandbox.move_price("USDT_ETH", price)
        stopped = client.grid_bots.get(bot)
        assert (stopped.current_profit or 0) < -800 < 0 < sum(made.profit or 0 for made in stopped.profits())
        archive.sync(client)
        (row,) = [row for row in archive.report(by="bot") if row["bot"] == f"Stopped (grid {bot})"]
        assert row["profit_usd"] == stopped.current_profit_usd


def test_a_dca_bot_and_a_grid_bot_with_one_id_are_two_rows(tmp_path: Path) -> None:
    with botdesk.Sandbox(bots=0) as sandbox, botdesk.Archive(tmp_path / "desk.sqlite") as archive:
        sandbox.add_dca_bot(id=500, name="ETH", active_deals=[])
        sandbox.add_grid_bot(id=500, name="ETH", pair="USDT_ETH", current_profit="5", profit_currency_type="quote")
        deal = {"bot_id": 500, "bot_name": "ETH", "finished": True, "status": "completed", "usd_final_profit": "10"}
        sandbox.add("deals", {**deal, "closed_at": "2026-03-02T10:00:00.000Z"})
        archive.sync(sandbox.client())
        found = {row["bot"]: (row["profits"], row["profit_usd"]) for row in archive.report(by="bot")}
        assert (found["ETH (500)"], found["ETH (grid 500)"]) == ((1, 10), (1, 5))


def test_a_profit_that_is_no_number_does_not_end_a_report(tmp_path: Path) -> None:
    with botdesk.Sandbox(bots=0) as sandbox, botdesk.Archive(tmp_path / "desk.sqlite") as archive:
        odd = sandbox.add_grid_bot(name="Odd", pair="USDT_ETH", current_profit="Infinity")
        archive.sync(sandbox.client())
        (row,) = [row for row in archive.report(by="bot") if row["bot"] == f"Odd (grid {odd})"]
        assert (row["profits"], row["profit_usd"], row["without_usd"]) == (1, 0, 1)


def test_funds_of_a_deal_that_is_no_longer_listed_are_free(tmp_path: Path) -> None:
    with botdesk.Sandbox(bots=0) as sandbox, botdesk.Archive(tmp_path / "desk.sqlite") as archive:
        account = sandbox.add_account(name="Old")
        bot = sandbox.add_dca_bot(account_id=account, pairs=["USDT_ETH"], active_deals=[])
        deal = {"bot_id": bot, "account_id": account, "pair": "USDT_ETH", "from_currency": "USDT"}
        client = sandbox.client()
        sandbox.add("deals", {**deal, "bought_volume": 5000})
        archive.sync(client)
        client.dca_bots.close_all_deals(bot)
        sandbox.clock.advance(5)
        client.dca_bots.delete(bot)
        client.accounts.remove(account)
        archive.sync(client, complete=True)
        later = {"bot_id": sandbox.add_dca_bot(active_deals=[]), "created_at": "2100-01-01T00:00:00.000Z"}
        sandbox.add("deals", {**later, "pair": "USDT_ETH", "from_currency": "USDT", "bought_volume": 100})
        archive.sync(client)
        assert [row["most"] for row in archive.funds_in_use()][-1] == 100


def test_the_coins_of_a_short_deal_are_no_funds_in_use(tmp_path: Path) -> None:
    with botdesk.Sandbox(bots=0) as sandbox, botdesk.Archive(tmp_path / "desk.sqlite") as archive:
        for strategy in ("long", "short"):
            bot = sandbox.add_dca_bot(strategy=strategy, pairs=["USDT_ETH"], active_deals=[])
            sandbox.add("deals", {"bot_id": bot, "finished": True, "status": "completed", "bought_volume": 30})
        archive.sync(sandbox.client())
        assert [row["most"] for row in archive.funds_in_use()] == [30]


def test_secrets_are_not_kept(synced: Path, client: botdesk.Client) -> None:
    secrets = [str(bot.url_secret).encode() for bot in client.dca_bots.iter() if bot.url_secret]
    assert secrets
    content = b"".join(path.read_bytes() for path in synced.parent.iterdir())
    assert not [secret for secret in secrets if secret in content]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_only_the_user_can_read_the_file(synced: Path) -> None:
    assert synced.stat().st_mode & 0o077 == 0


def test_a_query_changes_nothing(archive: Archive) -> None:
    for query in ("delete from deals", "attach 'x' as y", "pragma user_version = 9"):
        with pytest.raises(botdesk.ArchiveError, match="only reads"):
            archive.sql(query)
    assert len(archive.sql("select * from deals"))


def test_an_export_has_a_row_for_each_profit_and_no_formula(archive: Archive, tmp_path: Path) -> None:
    rows = archive.export(tmp_path / "tax.csv")
    with (tmp_path / "tax.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == rows
    assert archive.export(tmp_path / "tax.xlsx") == rows
    formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1"]
    assert [with_mark(cell) for cell in [*formulas, "a=1"]] == [*(f"'{cell}" for cell in formulas), "a=1"]


def test_an_export_that_can_not_be_written_names_the_file_of_the_user(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "missing" / "tax.csv"
    with pytest.raises(
        botdesk.ConfigurationError, match=r"tax\.csv can't be written: No such file or directory$"
    ) as caught:
        archive.export(path)
    assert str(caught.value).startswith(str(path))


def test_each_profit_of_an_export_has_its_currency(archive: Archive, tmp_path: Path) -> None:
    archive.export(tmp_path / "tax.csv")
    with (tmp_path / "tax.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["kind"] for row in rows} == {"deal", "smart_trade", "grid_profit"}
    for row in rows:
        quote, _, base = row["pair"].partition("_")
        assert row["quote_currency"] == quote
        assert row["profit_currency"] in {quote, base}
    bots = {
        row["id"]: row["profit_currency_type"] for row in archive.sql("select id, profit_currency_type from grid_bots")
    }
    grids = [row for row in rows if row["kind"] == "grid_profit"]
    assert {
        row["profit_currency"] == row["quote_currency"] for row in grids if bots[int(row["bot_id"])] == "quote"
    } == {True}


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions of POSIX")
def test_a_lock_that_can_not_be_written_is_not_taken_for_another_sync(
    archive: Archive, client: botdesk.Client, tmp_path: Path
) -> None:
    (tmp_path / "desk.sqlite.lock").touch(mode=0o400)
    with pytest.raises(botdesk.ArchiveError, match="it can't be written"):
        archive.sync(client)


def test_a_second_writer_gets_an_error(archive: Archive, client: botdesk.Client, tmp_path: Path) -> None:
    with store.sole_writer(tmp_path / "desk.sqlite"), pytest.raises(botdesk.ArchiveError, match="another sync"):
        archive.sync(client)


KILLED = """
import os, signal, sys, botdesk
from botdesk._archive import running, syncing
stored = syncing.store
def store(*args, **options):
    page = stored(*args, **options)
    if args[2].name == "smart_trades":
        os.kill(os.getpid(), signal.SIGKILL)
    return page
syncing.store = store
with botdesk.Sandbox() as sandbox:
    botdesk.Archive(sys.argv[1]).sync(sandbox.client())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_sync_loses_no_page_and_no_lock(tmp_path: Path, client: botdesk.Client) -> None:
    path = tmp_path / "desk.sqlite"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path)], env={**os.environ}, check=False)
    assert ended.returncode == -signal.SIGKILL
    with Archive(path) as archive:
        assert len(archive.sql("select * from deals"))
        assert len(archive.sql("select * from smart_trades")) == 0
        archive.sync(client)
        assert len(archive.sql("select * from smart_trades"))


def test_a_deal_that_changed_between_two_halves_of_the_first_sync_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(vars(kinds.BY_NAME["deals"]), "size", 5)
    stored, pages = syncing.store, list[Any]()

    def stopped(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        if pages and "430" in pages[-1].ids:
            raise KeyboardInterrupt
        pages.append(stored(*args, **options))
        return pages[-1]

    with botdesk.Sandbox() as sandbox, Archive(tmp_path / "desk.sqlite") as archive:
        client = sandbox.client()
        monkeypatch.setattr(syncing, "store", stopped)
        with pytest.raises(KeyboardInterrupt):
            archive.sync(client)
        monkeypatch.setattr(syncing, "store", stored)
        client.deals.close(430)
        sandbox.clock.advance(3600)
        # More than a page of deals that the second half lists as they are then.
        for deal in (500, 410, 450, 520, 510, 460):
            client.deals.close(deal)
            sandbox.clock.advance(60)
        archive.sync(client)
        kept = archive.sql("select id, _json from deals").rows
        assert dict(kept) == {deal.id: deal.to_json() for deal in client.deals.iter()}


def test_pages_of_any_size_list_the_same(
    tmp_path: Path, client: botdesk.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in kinds.KINDS:
        monkeypatch.setitem(vars(kind), "size", 7 if kind.name != "trades" else 2)
    with Archive(tmp_path / "desk.sqlite") as archive:
        archive.sync(client)
        kept = {row[0] for row in archive.sql("select id from deals").rows}
        assert kept == {deal.id for deal in client.deals.iter()}
        assert len(archive.sql("select * from trades")) == len(list(client.trades.iter_history()))


@pytest.fixture(params=["deals.list", "smart_trades.list", "trades.history", "dca_bots.list"])
def same_page(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> kinds.Kind:
    """Let a list have the same page at any position, and return its kind."""
    kind = next(kind for kind in kinds.KINDS if kind.method == request.param)
    resource, _, method = request.param.partition(".")
    owner = {"deals": botdesk.Deals, "smart_trades": botdesk.SmartTrades, "trades": botdesk.Trades}
    resource_class = owner.get(resource, botdesk.DcaBots)
    real, sent = getattr(resource_class, method), list[object]()

    def ignoring(self: object, **inputs: object) -> object:
        sent.append(inputs)
        assert len(sent) < 20, "the sync does not end"
        known = {name: value for name, value in inputs.items() if name not in {"offset", "page", "from_"}}
        return real(self, **known)

    monkeypatch.setattr(resource_class, method, ignoring)
    return kind


def test_a_list_that_is_cut_off_and_has_no_other_page_is_an_error(
    tmp_path: Path, client: botdesk.Client, same_page: kinds.Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(vars(same_page), "size", 2)
    with Archive(tmp_path / "desk.sqlite") as archive:
        with pytest.raises(botdesk.ArchiveError, match=f"the same page of {same_page.name} again and again"):
            archive.sync(client)
        assert len(archive.sql(f"select * from {same_page.name}")) == 2  # noqa: S608 - a table of the archive


def test_a_list_whose_only_page_is_returned_again_and_again_is_kept(
    tmp_path: Path, client: botdesk.Client, same_page: kinds.Kind, synced: Path
) -> None:
    query = f"select _id from {same_page.name} order by _id"  # noqa: S608 - a table of the archive
    with Archive(tmp_path / "desk.sqlite") as archive, Archive(synced) as other:
        archive.sync(client)
        assert archive.sql(query).rows == other.sql(query).rows
        missing = f"select _id from {same_page.name} where _missing_since is not null"  # noqa: S608
        assert archive.sql(missing).rows == []


def test_a_full_disk_keeps_the_pages_before(tmp_path: Path, client: botdesk.Client) -> None:
    with Archive(tmp_path / "desk.sqlite") as archive:
        connection = archive._open()
        pages = connection.execute("pragma page_count").fetchone()[0]
        connection.execute(f"pragma max_page_count = {pages + 20}")
        with pytest.raises(botdesk.ArchiveError, match="free some space and sync again"):
            archive.sync(client)
        connection.execute("pragma max_page_count = 1000000")
        archive.sync(client)
        assert len(archive.sql("select * from deals")) == len(list(client.deals.iter()))


def test_files_that_are_no_archive_are_not_changed(tmp_path: Path, client: botdesk.Client) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to have the header of one" * 20)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("create table mine (x)")
    connection.close()
    for path, message in ((text, "this is no archive"), (other, "database of another program")):
        before = path.read_bytes()
        with pytest.raises(botdesk.ArchiveError, match=message):
            Archive(path).sync(client)
        assert path.read_bytes() == before


def test_a_newer_schema_asks_for_an_update(archive: Archive) -> None:
    archive._open().execute(f"pragma user_version = {store.SCHEMA_VERSION + 1}")
    archive.close()
    with pytest.raises(botdesk.ArchiveError, match="update botdesk"):
        archive.sql("select 1")
